package dev.walmerge.crdt;

/** An XML fragment or element: Yjs' {@code Y.XmlFragment} and {@code Y.XmlElement}. */
public final class SharedXml extends SharedType {
    SharedXml(Editor editor, String root) {
        super(editor, root);
    }

    SharedXml(Editor editor, Id holder, int type) {
        super(editor, holder, type);
    }

    /** The name of an element; null for a fragment. */
    public String name() {
        int found = readable();
        boolean named = holder() != null && store().types.name[found] != Names.NONE;
        return named ? store().names.get(store().types.name[found]) : null;
    }

    public int length() {
        return visibleLength();
    }

    /** A child: a {@link SharedXml} or {@link SharedText}. */
    public Object get(int index) {
        return element(index);
    }

    /** Inserts a new empty element. */
    public SharedXml insertElement(int index, String name) {
        int s = nest(SharedArray.at(index), TypeRef.XML_ELEMENT, ValueText.wellFormed(name));
        return new SharedXml(editor, id(s), store().content[s]);
    }

    /** Inserts a new empty text. */
    public SharedText insertText(int index) {
        int s = nest(SharedArray.at(index), TypeRef.XML_TEXT, null);
        return new SharedText(editor, id(s), store().content[s]);
    }

    /** Deletes children, which must be there. */
    public void delete(int index, int count) {
        deleteElements(index, count);
    }

    /** The value of an attribute, or null. */
    public Object getAttribute(String key) {
        return valueOf(key);
    }

    /** Sets a plain value. */
    public void setAttribute(String key, Object value) {
        setValue(key, value);
    }

    public void removeAttribute(String key) {
        deleteKey(key);
    }
}
