/**
 * The JDBC of documents: who may write ({@link dev.walmerge.engine.writeback.TakeOver}), what is stored
 * ({@link dev.walmerge.engine.writeback.DocumentStore}), and the one transaction that stores more
 * ({@link dev.walmerge.engine.writeback.WriteBack}).
 *
 * <p>Decisions, with what was measured on Postgres 17:
 *
 * <ul>
 *   <li>JDBC batches, a prepared statement a shape, not {@code unnest} of arrays: 200 updates of an indexed 1.1 kB text
 *       took 263 to 391 us each as a batch and 231 to 409 us as arrays, on a busy machine; no difference to pay for.
 *   <li>Four shapes of the docs update, by whether text and JSON changed: 23 kB of WAL for a 5 kB text with its full-text
 *       index and a tail row, 635 B when the text did not change.
 *   <li>No savepoint in the first try. Only after a refusal is the batch written again with savepoints, and halved.
 *   <li>A docs row whose text or JSON was refused keeps its old text, JSON, version <em>and position</em>: a row equals
 *       the ops up to its own position, or that position would be worth nothing.
 *   <li>The nonce is checked with the epoch: a server restored to an earlier moment has the epoch, but not the nonce.
 *       After a commit whose end was not seen, both nonces it may hold are accepted.
 * </ul>
 */
package dev.walmerge.engine.writeback;
