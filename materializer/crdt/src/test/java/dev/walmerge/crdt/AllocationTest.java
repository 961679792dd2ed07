package dev.walmerge.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** In the steady state an edit allocates nothing; now and then something grows. */
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long CLIENT = 2_000_000_011L;
    private static final int EDITS = 4_000;

    private final Random random = new Random(11);
    private final Doc doc = Doc.create(true);
    private final List<Integer> order = new ArrayList<>();
    private final ByteWriter out = new ByteWriter(64);
    private int state;

    @Test
    void anEditAllocatesNothing() throws Exception {
        for (int i = 0; i < EDITS; i++) {
            grew(insert(random.nextInt(order.size() + 1)));
        }
        doc.discardChanges();
        int typing = 0;
        int inserting = 0;
        int deleting = 0;
        int place = 0;
        for (int i = 0; i < EDITS; i++) {
            place = i % 50 == 0 ? random.nextInt(order.size()) : place + 1;
            typing += grew(insert(place));
        }
        for (int i = 0; i < EDITS; i++) {
            inserting += grew(insert(random.nextInt(order.size())));
            deleting += grew(delete(random.nextInt(order.size())));
            if (i % 500 == 0) {
                doc.discardChanges();
            }
        }
        assertThat(Projection.text(doc, "t")).hasSize(order.size());
        // A chunk of structs is halved after 64 of them at least, arrays grow by half.
        assertThat(typing).isLessThan(EDITS / 50);
        assertThat(inserting).isLessThan(EDITS / 16);
        assertThat(deleting).isLessThan(EDITS / 16);
    }

    /** 1 when applying it allocated. */
    private int grew(byte[] update) throws MalformedUpdateException {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        int flags = doc.apply(UpdateFormat.V1, update, 0, update.length);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(flags).isEqualTo(Doc.CHANGED);
        return allocated > 0 ? 1 : 0;
    }

    private byte[] insert(int place) {
        boolean left = place > 0;
        boolean right = place < order.size();
        out.clear();
        out.varUint(1);
        out.varUint(1);
        out.varUint(CLIENT);
        out.varUint(state);
        out.u8(Kind.STRING | (left ? StructBuffer.HAS_ORIGIN : 0) | (right ? StructBuffer.HAS_RIGHT_ORIGIN : 0));
        if (left) {
            out.varUint(CLIENT);
            out.varUint(order.get(place - 1));
        }
        if (right) {
            out.varUint(CLIENT);
            out.varUint(order.get(place));
        }
        if (!left && !right) {
            out.varUint(1);
            out.string("t");
        }
        out.string("x");
        out.varUint(0);
        order.add(place, state++);
        return out.toBytes();
    }

    private byte[] delete(int place) {
        out.clear();
        out.varUint(0);
        out.varUint(1);
        out.varUint(CLIENT);
        out.varUint(1);
        out.varUint(order.remove(place));
        out.varUint(1);
        return out.toBytes();
    }
}
