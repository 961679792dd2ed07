package dev.walmerge.crdt;

/** Each block on a line of its own; blocks without text make none. */
final class LineSink implements BlockSink {
    final StringBuilder text = new StringBuilder();
    private final StructStore store;
    private boolean lineDue;

    LineSink(StructStore store) {
        this.store = store;
    }

    @Override
    public void enter(int type, String kind) {
        leave();
    }

    @Override
    public void enterMember(int type, String key) {
        leave();
    }

    @Override
    public void leave() {
        lineDue = text.length() > 0;
    }

    @Override
    public StringBuilder out() {
        if (lineDue) {
            text.append('\n');
            lineDue = false;
        }
        return text;
    }

    @Override
    public void string(int struct) {
        store.contents.units.appendTo(out(), store.content[struct], store.length.get(struct));
    }
}
