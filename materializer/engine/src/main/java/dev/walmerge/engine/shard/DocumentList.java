package dev.walmerge.engine.shard;

/** A doubly linked list through the documents themselves; a document is in one list at most. */
final class DocumentList {
    private ResidentDocument head;
    private ResidentDocument tail;
    private int count;

    ResidentDocument head() {
        return head;
    }

    int count() {
        return count;
    }

    void append(ResidentDocument document) {
        if (document.list != null) {
            throw new IllegalStateException("the document is in a list already");
        }
        document.list = this;
        document.previous = tail;
        document.next = null;
        if (tail == null) {
            head = document;
        } else {
            tail.next = document;
        }
        tail = document;
        count++;
    }

    void remove(ResidentDocument document) {
        if (document.list != this) {
            throw new IllegalStateException("the document is not in this list");
        }
        if (document.previous == null) {
            head = document.next;
        } else {
            document.previous.next = document.next;
        }
        if (document.next == null) {
            tail = document.previous;
        } else {
            document.next.previous = document.previous;
        }
        document.list = null;
        document.previous = null;
        document.next = null;
        count--;
    }
}
