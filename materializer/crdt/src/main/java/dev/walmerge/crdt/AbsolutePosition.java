package dev.walmerge.crdt;

/**
 * A place in a shared type as it is now.
 *
 * @param root the name of the root type; null for a nested one
 * @param type the item that holds a nested type; null for a root
 * @param index how many visible units are before it
 * @param assoc as in {@link RelativePosition}
 */
public record AbsolutePosition(String root, Id type, int index, int assoc) {}
