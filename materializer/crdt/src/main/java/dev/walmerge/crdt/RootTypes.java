package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Infers what a root is used as from what is visible in it; the table is in WIRE.md. */
final class RootTypes {
    private RootTypes() {}

    /** By name. */
    static List<Root> all(StructStore store) {
        List<Root> roots = new ArrayList<>();
        for (int t = 0; t < store.types.size; t++) {
            if (store.types.isRoot(t)) {
                roots.add(new Root(store.names.get(store.types.name[t]), infer(store, t)));
            }
        }
        if (roots.size() > 1) {
            roots.sort(new ByName());
        }
        return roots;
    }

    /** No lambda: the first one of a process costs milliseconds. */
    private static final class ByName implements Comparator<Root> {
        @Override
        public int compare(Root a, Root b) {
            return a.name().compareTo(b.name());
        }
    }

    static RootType infer(StructStore store, int type) {
        boolean xml = false;
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (store.isDeleted(s)) {
                continue;
            }
            switch (store.kind(s)) {
                case Kind.STRING, Kind.FORMAT, Kind.EMBED -> {
                    return RootType.TEXT;
                }
                case Kind.TYPE -> {
                    int ref = store.types.ref[store.content[s]];
                    if (ref != TypeRef.XML_ELEMENT && ref != TypeRef.XML_TEXT && ref != TypeRef.XML_HOOK) {
                        return RootType.ARRAY;
                    }
                    xml = true;
                }
                default -> {
                    return RootType.ARRAY;
                }
            }
        }
        if (xml) {
            return RootType.XML_FRAGMENT;
        }
        return store.types.firstEntry[type] != StructStore.NONE ? RootType.MAP : RootType.UNKNOWN;
    }
}
