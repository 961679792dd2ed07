package dev.walmerge.crdt;

/**
 * How the roots of a document become its text and its JSON. PROJECTIONS.md has the rules, with an example each.
 *
 * <p>One that was declared says which roots count and which form they have in JSON; a root that holds something else is read as
 * {@link #AUTO} reads it, so that a wrong setting loses no text.
 */
public enum BodyProjection {
    /** By the content of each root. */
    AUTO("auto"),
    /** Plain text: CodeMirror, Monaco and every bare {@code Y.Text}. */
    TEXT("text"),
    /** A text with formats and embeds; in JSON a delta. */
    QUILL("quill"),
    /** XML elements: ProseMirror, TipTap, BlockNote. */
    PROSEMIRROR("prosemirror"),
    /** A tree of XML texts with {@code __type}. */
    LEXICAL("lexical"),
    /** A tree of XML texts with other attributes. */
    SLATE("slate"),
    /** All strings of maps and lists; of the records of drawings only what is shown: tldraw, Excalidraw. */
    VALUES("values");

    private final String label;

    BodyProjection(String label) {
        this.label = label;
    }

    /** The name it has in settings. */
    public String label() {
        return label;
    }

    /**
     * The one of a setting.
     *
     * @throws IllegalArgumentException when there is none of that name
     */
    public static BodyProjection of(String label) {
        for (BodyProjection projection : values()) {
            if (projection.label.equals(label)) {
                return projection;
            }
        }
        throw new IllegalArgumentException("no such projection");
    }

    /** What a root is taken for by what is visible in it, or null when that is nothing. Stable while it grows at its end. */
    static BodyProjection detect(StructStore store, int root) {
        return switch (RootTypes.infer(store, root)) {
            case TEXT -> TEXT;
            case XML_FRAGMENT -> ofFirst(store, root);
            case MAP, ARRAY -> VALUES;
            case UNKNOWN -> null;
        };
    }

    private static BodyProjection ofFirst(StructStore store, int root) {
        int first = store.types.start[root];
        while (store.isDeleted(first)) {
            first = store.right[first];
        }
        int child = store.content[first];
        int mark = store.names.find("__type");
        if (mark != Names.NONE && store.types.last(child, mark) != StructStore.NONE) {
            return LEXICAL;
        }
        return store.types.ref[child] == TypeRef.XML_TEXT ? SLATE : PROSEMIRROR;
    }

    /** Whether a root that holds {@code found} counts when this was declared and no root was. */
    boolean names(BodyProjection found) {
        return switch (this) {
            case AUTO, VALUES -> true;
            case TEXT, QUILL -> found == TEXT;
            default -> found != TEXT && found != VALUES;
        };
    }
}
