package dev.walmerge.crdt;

/** The kinds of shared types as updates number them; a root type has none. The last three are Yrs'. */
final class TypeRef {
    static final int ROOT = -1;
    static final int ARRAY = 0;
    static final int MAP = 1;
    static final int TEXT = 2;
    static final int XML_ELEMENT = 3;
    static final int XML_FRAGMENT = 4;
    static final int XML_HOOK = 5;
    static final int XML_TEXT = 6;
    static final int WEAK_LINK = 7;
    static final int DOCUMENT = 9;
    static final int UNDEFINED = 15;

    private TypeRef() {}

    static boolean known(int ref) {
        return (ref >= ARRAY && ref <= WEAK_LINK) || ref == DOCUMENT || ref == UNDEFINED;
    }

    /** Whether its content has a name: that of an element or hook, or what a {@link WeakLink} points to. */
    static boolean named(int ref) {
        return ref == XML_ELEMENT || ref == XML_HOOK || ref == WEAK_LINK;
    }

    /** Reads what follows the number of a named one. */
    static String readName(int ref, StructSource source) throws MalformedUpdateException {
        return ref == WEAK_LINK ? WeakLink.read(source) : source.key();
    }

    static void write(UpdateWriter out, int ref, String name) {
        out.typeRef(ref);
        if (ref == WEAK_LINK) {
            WeakLink.write(out, name);
        } else if (named(ref)) {
            out.key(name);
        }
    }

    /** Whether content decides what it is shown as. */
    static boolean mayTurn(int ref) {
        return ref == XML_FRAGMENT || ref == UNDEFINED || ref == DOCUMENT;
    }

    /**
     * What a type is shown as. Yjs 14 has one type for all and numbers it by whether it has a name, and Yrs' undefined one
     * may be anything; there the content decides.
     */
    static int shown(StructStore store, int type) {
        int ref = store.types.ref[type];
        if (!mayTurn(ref)) {
            return ref;
        }
        return switch (RootTypes.infer(store, type)) {
            case TEXT -> TEXT;
            case ARRAY -> ARRAY;
            case MAP -> MAP;
            default -> XML_FRAGMENT;
        };
    }
}
