/**
 * Trims the ring of op rows.
 *
 * <p>Decisions:
 *
 * <ul>
 *   <li>A leaf is noted in one round and truncated in a later one, so that nobody waits and no lock is held in between.
 *       What is noted lives in memory: after a restart a leaf is noted again.
 *   <li>"No rows came" is decided by number and sum of ids, under a lock that keeps inserters out, not by the size of the
 *       file: a small row fits into a page with room. It costs two scans of a leaf in the life of its million rows.
 *   <li>{@code written} is read from the progress row too, locked for share: no one can take over, and read the ring,
 *       between the check and the end of the truncation.
 * </ul>
 */
package dev.walmerge.engine.retention;
