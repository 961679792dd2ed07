package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.List;

/**
 * A root that is part of a document's text.
 *
 * @param as what it holds
 * @param onlyStrings whether embeds are no text here
 */
record BodyRoot(String name, int type, RootType rootType, BodyProjection as, boolean onlyStrings) {
    /** By name. */
    static List<BodyRoot> all(StructStore store, BodyProjection projection, String rootOrNull) {
        List<BodyRoot> roots = new ArrayList<>();
        boolean hasText = false;
        for (Root root : RootTypes.all(store)) {
            int type = store.types.findRoot(store.names.find(root.name()));
            BodyProjection found = BodyProjection.detect(store, type);
            boolean wanted = rootOrNull == null ? projection.names(found) : rootOrNull.equals(root.name());
            if (found != null && wanted) {
                hasText |= found != BodyProjection.VALUES;
                roots.add(new BodyRoot(root.name(), type, root.type(), found, projection == BodyProjection.TEXT));
            }
        }
        return hasText && projection == BodyProjection.AUTO ? texts(roots) : roots;
    }

    /** No lambda: the first one of a process costs milliseconds. */
    private static List<BodyRoot> texts(List<BodyRoot> roots) {
        List<BodyRoot> texts = new ArrayList<>();
        for (BodyRoot root : roots) {
            if (root.as != BodyProjection.VALUES) {
                texts.add(root);
            }
        }
        return texts;
    }

    /** Whether its strings are all there is to say. */
    boolean isPlain(StructStore store) {
        return as == BodyProjection.TEXT && (onlyStrings || !hasEmbeds(store));
    }

    private boolean hasEmbeds(StructStore store) {
        if (store.contents.blobCount == 0 && store.types.size == 1) {
            return false;
        }
        for (int s = store.types.start[type]; s != StructStore.NONE; s = store.right[s]) {
            if (!store.isDeleted(s) && (store.kind(s) == Kind.EMBED || store.kind(s) == Kind.TYPE)) {
                return true;
            }
        }
        return false;
    }

    void walk(StructStore store, BlockSink sink) {
        switch (as) {
            case TEXT -> new BlockWalk(store, sink).text(type, 0);
            case VALUES -> new ValueWalk(store, sink).root(type, rootType);
            default -> new BlockWalk(store, sink).fragment(type, 0);
        }
    }
}
