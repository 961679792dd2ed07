/**
 * The CRDT core: Yjs updates in, state out. Knows no LSN, SQL, file, thread or clock, and depends on nothing.
 *
 * <p>{@link dev.walmerge.crdt.Doc} is the document, {@link dev.walmerge.crdt.Projection} what people read of it. INTERNALS.md
 * explains how it works, WIRE.md what the bytes mean.
 */
package dev.walmerge.crdt;
