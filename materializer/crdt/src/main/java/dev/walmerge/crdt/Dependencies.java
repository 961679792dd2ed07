package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.List;

/** Finds out what an update refers to that neither a state vector nor the update itself covers. */
final class Dependencies {
    private final LongIntMap known;

    /** What the update brings. */
    private final ClockRanges brought = new ClockRanges();

    /** Per client the clock up to which all must be there. */
    private final LongIntMap needed = new LongIntMap();

    private final ClockRanges clients = new ClockRanges();

    Dependencies(LongIntMap known) {
        this.known = known;
    }

    Missing of(StructCursor cursor, ClockRanges deletes) throws MalformedUpdateException {
        for (; !cursor.done; cursor.next()) {
            if (cursor.end() > state(cursor.client)) {
                struct(cursor);
            }
        }
        cursor.deletes(deletes);
        brought.sortAndMerge();
        clients.sortAndMerge();
        deletes.sortAndMerge();
        ClockRanges wanted = new ClockRanges();
        for (int i = 0; i < clients.size; i++) {
            long client = clients.client[i];
            int state = state(client);
            wanted.add(client, state, needed.get(client) - state);
        }
        return new Missing(List.copyOf(without(wanted)), List.copyOf(without(deletes)));
    }

    private int state(long client) {
        return Math.max(0, known.get(client));
    }

    private void struct(StructCursor cursor) {
        int last = brought.size - 1;
        if (last >= 0 && brought.client[last] == cursor.client && brought.end(last) == cursor.clock) {
            brought.length[last] += cursor.length;
        } else {
            brought.add(cursor.client, cursor.clock, cursor.length);
            need(cursor.client, cursor.clock);
        }
        StructBuffer row = cursor.row;
        if (row.has(0, StructBuffer.HAS_ORIGIN) || row.has(0, StructBuffer.PARENT_ID)) {
            need(row.originClient[0], row.originClock[0] + 1L);
        }
        if (row.has(0, StructBuffer.HAS_RIGHT_ORIGIN)) {
            need(row.rightClient[0], row.rightClock[0] + 1L);
        }
    }

    private void need(long client, long upTo) {
        int end = (int) Math.min(upTo, Integer.MAX_VALUE);
        if (end > state(client)) {
            int before = needed.get(client);
            if (before == LongIntMap.NONE) {
                clients.add(client, 0, 1);
            }
            if (end > before) {
                needed.put(client, end);
            }
        }
    }

    /** Sorted ranges but what is known or brought. */
    private List<ClockRange> without(ClockRanges ranges) {
        List<ClockRange> rest = new ArrayList<>();
        int b = 0;
        for (int i = 0; i < ranges.size; i++) {
            long client = ranges.client[i];
            int from = Math.max(ranges.clock[i], state(client));
            int end = ranges.end(i);
            while (b < brought.size
                    && (brought.client[b] > client || (brought.client[b] == client && brought.end(b) <= from))) {
                b++;
            }
            for (int at = b; from < end; at++) {
                boolean here = at < brought.size && brought.client[at] == client && brought.clock[at] < end;
                int next = here ? brought.clock[at] : end;
                if (next > from) {
                    rest.add(new ClockRange(client, from, next));
                }
                from = here ? Math.max(from, brought.end(at)) : end;
            }
        }
        return rest;
    }
}
