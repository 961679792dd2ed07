package dev.walmerge.crdt;

/** The kinds of shared types as updates number them; a root type has none. */
final class TypeRef {
    static final int ROOT = -1;
    static final int ARRAY = 0;
    static final int MAP = 1;
    static final int TEXT = 2;
    static final int XML_ELEMENT = 3;
    static final int XML_FRAGMENT = 4;
    static final int XML_HOOK = 5;
    static final int XML_TEXT = 6;

    private TypeRef() {}

    static boolean named(int ref) {
        return ref == XML_ELEMENT || ref == XML_HOOK;
    }
}
