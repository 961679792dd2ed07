package dev.walmerge.crdt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Version 2: one run-length encoded column per field, then the rest. */
final class SourceV2 extends StructSource {
    /** Keys that may be empty; every other one takes a unit of the strings. */
    private static final int EMPTY_KEYS = 1024;

    /** Known keys may be used again for so many units in all, as a state spells out each: a byte of the update, and any. */
    private static final int KEY_UNITS_A_BYTE = 16;

    private static final int KEY_UNITS = 1 << 18;

    private final DiffRunReader keyClocks = new DiffRunReader();
    private final RunReader clients = new RunReader();
    private final DiffRunReader leftClocks = new DiffRunReader();
    private final DiffRunReader rightClocks = new DiffRunReader();
    private final ByteRunReader infos = new ByteRunReader();
    private final ByteReader strings = new ByteReader();
    private final RunReader stringLengths = new RunReader();
    private final ByteRunReader parentInfos = new ByteRunReader();
    private final RunReader typeRefs = new RunReader();
    private final RunReader lengths = new RunReader();
    private final List<String> keys = new ArrayList<>();
    private int[] keyLengths = {};
    private int keyCount;
    private final NamesRead names = new NamesRead();
    private final Units units = new Units();
    private int unitPos;
    private long keyUnitsLeft;
    private long deleteAt;

    /** As {@link SourceV1#create}. */
    static StructSource create() {
        return new SourceV2();
    }

    @Override
    void reset(byte[] bytes, int off, int len) throws MalformedUpdateException {
        rest.reset(bytes, off, off, off + len);
        if (rest.varUint() != 0) {
            throw rest.fault("unknown-feature");
        }
        keys.clear();
        keyCount = 0;
        keyUnitsLeft = KEY_UNITS + (long) KEY_UNITS_A_BYTE * len;
        keyClocks.start(rest);
        clients.start(rest);
        leftClocks.start(rest);
        rightClocks.start(rest);
        infos.start(rest);
        strings.takeFrom(rest);
        parentInfos.start(rest);
        typeRefs.start(rest);
        lengths.start(rest);
        startStrings();
    }

    private void startStrings() throws MalformedUpdateException {
        unitPos = 0;
        units.clear();
        if (strings.atEnd()) {
            stringLengths.wrap(strings);
            return;
        }
        int count = strings.count("truncated");
        int from = strings.pos();
        strings.skip(count);
        int length = units.addUtf8(strings.bytes(), from, from + count);
        if (length < 0) {
            throw strings.faultAt("invalid-utf8", from + ~length);
        }
        stringLengths.wrap(strings);
    }

    @Override
    void release() {
        if (rest.bytes().length == 0) {
            return; // none was read since
        }
        super.release();
        keys.clear();
        keyLengths = new int[0];
        keyClocks.release();
        clients.release();
        leftClocks.release();
        rightClocks.release();
        infos.release();
        strings.release();
        stringLengths.release();
        parentInfos.release();
        typeRefs.release();
        lengths.release();
        units.clear();
    }

    @Override
    long client() throws MalformedUpdateException {
        return clients.next();
    }

    @Override
    int info() throws MalformedUpdateException {
        return infos.next();
    }

    @Override
    void leftId() throws MalformedUpdateException {
        idClient = clients.next();
        idClock = leftClocks.next();
    }

    @Override
    void rightId() throws MalformedUpdateException {
        idClient = clients.next();
        idClock = rightClocks.next();
    }

    @Override
    boolean parentIsRoot() throws MalformedUpdateException {
        return parentInfos.next() == 1;
    }

    @Override
    int typeRef() throws MalformedUpdateException {
        return typeRefs.nextInt();
    }

    @Override
    int length() throws MalformedUpdateException {
        return lengths.nextInt();
    }

    private int take() throws MalformedUpdateException {
        int count = stringLengths.nextInt();
        if (count > units.count - unitPos) {
            throw strings.fault("truncated");
        }
        unitPos += count;
        return count;
    }

    @Override
    String string() throws MalformedUpdateException {
        int count = take();
        String text = units.string(unitPos - count, count);
        return units.isWide() && !units.isWellFormed(unitPos - count, unitPos) ? wellFormed(text) : names.one(text);
    }

    /** Two strings may lie so that they share a pair. Version 1 can't say half of one, so a name never has it. */
    private static String wellFormed(String text) {
        StringBuilder whole = new StringBuilder(text);
        for (int i = 0; i < whole.length(); i++) {
            char unit = whole.charAt(i);
            boolean pair = Character.isHighSurrogate(unit)
                    && i + 1 < whole.length()
                    && Character.isLowSurrogate(whole.charAt(i + 1));
            if (pair) {
                i++;
            } else if (Character.isSurrogate(unit)) {
                whole.setCharAt(i, Utf8.REPLACEMENT);
            }
        }
        return whole.toString();
    }

    @Override
    String name() throws MalformedUpdateException {
        if (checking) {
            take();
            return "";
        }
        return string();
    }

    @Override
    int chars(StructBuffer out) throws MalformedUpdateException {
        int count = take();
        out.units.add(units, unitPos - count, count);
        return count;
    }

    @Override
    String key() throws MalformedUpdateException {
        int clock = keyClocks.next();
        if (clock < keyCount) {
            keyUnitsLeft -= keyLengths[clock];
            if (keyUnitsLeft < 0) {
                throw strings.fault("too-many-keys");
            }
            return checking ? "" : keys.get(clock);
        }
        int before = unitPos;
        String key = name();
        if (keyCount > units.count + EMPTY_KEYS) {
            throw strings.fault("too-many-keys");
        }
        if (keyCount == keyLengths.length) {
            keyLengths = Arrays.copyOf(keyLengths, Math.max(16, 2 * keyCount));
        }
        keyLengths[keyCount++] = unitPos - before;
        if (!checking) {
            keys.add(key);
        }
        return key;
    }

    @Override
    void json(StructBuffer out) throws MalformedUpdateException {
        any(out);
    }

    @Override
    void startDeletes() {
        deleteAt = 0;
    }

    @Override
    int deleteClock() throws MalformedUpdateException {
        deleteAt += rest.clock();
        return checked();
    }

    @Override
    int deleteLength() throws MalformedUpdateException {
        long length = rest.clock() + 1L;
        deleteAt += length;
        checked();
        return (int) length;
    }

    private int checked() throws MalformedUpdateException {
        if (deleteAt > Integer.MAX_VALUE) {
            throw rest.fault("clock-too-large");
        }
        return (int) deleteAt;
    }

    @Override
    void finish() throws MalformedUpdateException {
        if (!rest.atEnd()) {
            throw rest.fault("trailing-bytes");
        }
        keyClocks.finish();
        clients.finish();
        leftClocks.finish();
        rightClocks.finish();
        infos.finish();
        stringLengths.finish();
        parentInfos.finish();
        typeRefs.finish();
        lengths.finish();
        if (unitPos != units.count) {
            throw strings.fault("trailing-bytes");
        }
    }

    @Override
    int unitsToCome() {
        return units.count - unitPos;
    }

    @Override
    long structsPossible() {
        return Long.MAX_VALUE;
    }
}
