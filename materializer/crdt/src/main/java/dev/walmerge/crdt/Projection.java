package dev.walmerge.crdt;

import dev.walmerge.crdt.ValueText.Style;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Read-only views of a document. Called by the thread that owns it; nothing of the document is changed or kept.
 *
 * <p>Views that return JSON text mark what JSON can't hold as {@code {"$t": ...}}, except {@link #bodyJson}.
 */
public final class Projection {
    private Projection() {}

    /** {@link #bodyText(Doc, BodyProjection, String)} by the content of each root. */
    public static String bodyText(Doc doc, String rootOrNull) {
        return bodyText(doc, BodyProjection.AUTO, rootOrNull);
    }

    /**
     * What people search: the given root, or else those the projection names, by name, a line each and those that aren't empty.
     * {@link BodyProjection#AUTO} names all texts and XML roots, and only when there are none all maps and lists.
     * NUL and lone surrogates are U+FFFD, because Postgres stores neither. Never throws for what a document holds.
     *
     * @param rootOrNull the declared root
     */
    public static String bodyText(Doc doc, BodyProjection projection, String rootOrNull) {
        Objects.requireNonNull(projection);
        StructStore store = doc.store();
        List<BodyRoot> roots = BodyRoot.all(store, projection, rootOrNull);
        String only = "";
        StringBuilder all = null;
        for (BodyRoot root : roots) {
            String text = root.isPlain(store) ? storableText(store, root.type()) : walked(store, root);
            if (only.isEmpty()) {
                only = text;
            } else if (!text.isEmpty()) {
                all = all == null ? new StringBuilder(only) : all;
                all.append('\n').append(text);
            }
        }
        return all == null ? only : all.toString();
    }

    private static String walked(StructStore store, BodyRoot root) {
        LineSink lines = new LineSink(store);
        root.walk(store, lines);
        return ValueText.storable(lines.text.toString());
    }

    /**
     * The same text cut into blocks, in their order: those that have text of their own. A text is cut into its lines, of which those
     * that are empty don't count; maps and lists into their strings.
     *
     * @param rootOrNull the declared root
     */
    public static List<TextBlock> blocks(Doc doc, BodyProjection projection, String rootOrNull) {
        Objects.requireNonNull(projection);
        StructStore store = doc.store();
        RowSink rows = new RowSink(store);
        for (BodyRoot root : BodyRoot.all(store, projection, rootOrNull)) {
            rows.begin(root);
            root.walk(store, rows);
        }
        return rows.rows();
    }

    /** What {@link BodyProjection#AUTO} takes a root for, or null when nothing visible tells. */
    public static BodyProjection detect(Doc doc, String root) {
        int found = find(doc, root);
        return found == StructStore.NONE ? null : BodyProjection.detect(doc.store(), found);
    }

    private static String storableText(StructStore store, int type) {
        String text = TextView.text(store, type);
        return store.contents.units.isPlain() ? text : ValueText.storable(text);
    }

    /**
     * The whole document as a JSON object by root name, each root as its {@code toJSON}, fit for jsonb: NUL and lone surrogates are
     * U+FFFD, NaN, infinities and undefined are null, a bigint has its exact digits, bytes are base64. Empty roots are left out.
     */
    public static String bodyJson(Doc doc) {
        StringBuilder out = new StringBuilder("{");
        JsonView view = new JsonView(doc.store(), Style.JSONB, out);
        for (Root root : doc.roots()) {
            if (root.type() != RootType.UNKNOWN) {
                out.append(out.length() > 1 ? "," : "");
                ValueText.quote(root.name(), Style.JSONB, out);
                out.append(':');
                view.root(find(doc, root.name()), root.type());
            }
        }
        return out.append('}').toString();
    }

    /**
     * The same, with each root in the JSON of its editor: a delta for a text with formats, ProseMirror's, Lexical's and Slate's
     * nodes. What isn't one of theirs is its {@code toJSON}.
     *
     * @param projection of the declared root, or else of all it fits
     * @param rootOrNull the declared root
     */
    public static String bodyJson(Doc doc, BodyProjection projection, String rootOrNull) {
        Objects.requireNonNull(projection);
        StructStore store = doc.store();
        StringBuilder out = new StringBuilder("{");
        BodyJson json = new BodyJson(store, out);
        for (Root root : doc.roots()) {
            if (root.type() != RootType.UNKNOWN) {
                int type = find(doc, root.name());
                boolean declared = rootOrNull == null || rootOrNull.equals(root.name());
                out.append(out.length() > 1 ? "," : "");
                ValueText.quote(root.name(), Style.JSONB, out);
                out.append(':');
                json.root(type, root.type(), form(store, type, declared ? projection : BodyProjection.AUTO));
            }
        }
        return out.append('}').toString();
    }

    private static BodyProjection form(StructStore store, int type, BodyProjection projection) {
        BodyProjection found = BodyProjection.detect(store, type);
        boolean delta = found == BodyProjection.TEXT
                && (projection == BodyProjection.QUILL
                        || (projection != BodyProjection.TEXT && BodyJson.isFormatted(store, type)));
        return delta ? BodyProjection.QUILL : found;
    }

    /** A root as its {@code toJSON}; JSON text. */
    public static String json(Doc doc, String root, RootType type) {
        StringBuilder out = new StringBuilder();
        int found = find(doc, root);
        if (found == StructStore.NONE) {
            return empty(type, "\"\"", "{}", "[]");
        }
        new JsonView(doc.store(), Style.MARKED, out).root(found, type);
        return out.toString();
    }

    /**
     * A root as its {@code toJSON}, in values of its own that stay as they are: what {@link SharedType} reads, with nested
     * types as lists, maps and strings.
     */
    public static Object plain(Doc doc, String root, RootType type) {
        int found = find(doc, root);
        if (found == StructStore.NONE) {
            return switch (type) {
                case TEXT, XML_FRAGMENT -> "";
                case MAP -> Map.of();
                case ARRAY -> List.of();
                case UNKNOWN -> null;
            };
        }
        return new PlainView(doc.store()).root(found, type);
    }

    /** The units of a text root, as they are: it may hold lone surrogates. */
    public static String text(Doc doc, String root) {
        int found = find(doc, root);
        return found == StructStore.NONE ? "" : TextView.text(doc.store(), found);
    }

    /** A text root as a list of inserts with attributes, neighbours with equal attributes joined; JSON text. */
    public static String delta(Doc doc, String root) {
        int found = find(doc, root);
        if (found == StructStore.NONE) {
            return "[]";
        }
        StringBuilder out = new StringBuilder();
        new TreeView(doc.store(), out).delta(found, 0);
        return out.toString();
    }

    /** An XML root as Yjs prints it: unescaped. */
    public static String xml(Doc doc, String root) {
        int found = find(doc, root);
        return found == StructStore.NONE ? "" : XmlView.children(doc.store(), found);
    }

    /** A lossless dump of a root; JSON text. */
    public static String tree(Doc doc, String root, RootType type) {
        int found = find(doc, root);
        if (found == StructStore.NONE) {
            return empty(
                    type,
                    type == RootType.TEXT
                            ? "{\"k\":\"text\",\"len\":0,\"delta\":[],\"attrs\":{}}"
                            : "{\"k\":\"xmlFragment\",\"c\":[]}",
                    "{\"k\":\"map\",\"e\":{}}",
                    "{\"k\":\"array\",\"c\":[]}");
        }
        StringBuilder out = new StringBuilder();
        new TreeView(doc.store(), out).root(found, type);
        return out.toString();
    }

    /** Whether all there is is text without formats or embeds, so that {@link #bodyText} says it all. */
    public static boolean isPureText(Doc doc) {
        StructStore store = doc.store();
        for (int t = 0; t < store.types.size; t++) {
            if (store.types.isRoot(t)) {
                if (store.types.firstEntry[t] != StructStore.NONE) {
                    return false;
                }
                for (int s = store.types.start[t]; s != StructStore.NONE; s = store.right[s]) {
                    if (!store.isDeleted(s) && store.kind(s) != Kind.STRING) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private static String empty(RootType type, String text, String map, String array) {
        return switch (type) {
            case TEXT, XML_FRAGMENT -> text;
            case MAP -> map;
            case ARRAY -> array;
            case UNKNOWN -> "null";
        };
    }

    private static int find(Doc doc, String root) {
        int name = doc.store().names.find(root);
        return name == Names.NONE ? StructStore.NONE : doc.store().types.findRoot(name);
    }
}
