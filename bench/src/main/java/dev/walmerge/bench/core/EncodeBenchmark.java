package dev.walmerge.bench.core;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.UpdateFormat;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What leaves a document that holds a whole editing history, and what brings it back, warmed up. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class EncodeBenchmark {
    /** A client no history has; it types at the end of a root of its own. */
    private static final int TYPIST = 7;

    /** A file of updates; see {@link History}. */
    @Param("")
    public String file;

    private Doc doc;
    private Doc resting;
    private byte[] stateV1;
    private byte[] stateV2;
    private int typed;

    @Setup(Level.Iteration)
    public void load() throws MalformedUpdateException {
        if (stateV1 == null) {
            Doc replayed = History.replay(History.read(Path.of(file)));
            stateV1 = replayed.encodeState(UpdateFormat.V1);
            stateV2 = replayed.encodeState(UpdateFormat.V2);
        }
        // A new one an iteration: what the benchmarks type makes it longer.
        doc = History.load(UpdateFormat.V1, stateV1);
        resting = History.load(UpdateFormat.V2, stateV2);
        typed = 0;
        edit();
    }

    /** One more character: its cost is a part of the figures, and less than a microsecond. */
    private void edit() throws MalformedUpdateException {
        ByteArrayOutputStream update = new ByteArrayOutputStream(16);
        update.writeBytes(new byte[] {1, 1, TYPIST});
        number(update, typed);
        if (typed == 0) {
            update.writeBytes(new byte[] {4, 1, 5, 't', 'y', 'p', 'e', 'd'});
        } else {
            update.writeBytes(new byte[] {(byte) 0x84, TYPIST});
            number(update, typed - 1);
        }
        update.writeBytes(new byte[] {1, (byte) ('a' + typed % 26), 0});
        typed++;
        byte[] bytes = update.toByteArray();
        if (doc.apply(UpdateFormat.V1, bytes, 0, bytes.length) != Doc.CHANGED) {
            throw new IllegalStateException("the edit changed nothing");
        }
    }

    private static void number(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    @Benchmark
    public byte[] editAndEncodeV1() throws MalformedUpdateException {
        edit();
        return doc.encodeState(UpdateFormat.V1);
    }

    @Benchmark
    public byte[] editAndEncodeV2() throws MalformedUpdateException {
        edit();
        return doc.encodeState(UpdateFormat.V2);
    }

    @Benchmark
    public byte[] encodeAgainV1() {
        return doc.encodeState(UpdateFormat.V1);
    }

    @Benchmark
    public byte[] encodeAgainV2() {
        return doc.encodeState(UpdateFormat.V2);
    }

    /** What a client lacks that has all but the last character; holds all deletes. */
    @Benchmark
    public byte[] editAndEncodeSince() throws MalformedUpdateException {
        byte[] before = doc.stateVector();
        edit();
        return doc.encodeStateSince(UpdateFormat.V1, before);
    }

    @Benchmark
    public Doc loadV1() throws MalformedUpdateException {
        return History.load(UpdateFormat.V1, stateV1);
    }

    @Benchmark
    public Doc loadV2() throws MalformedUpdateException {
        return History.load(UpdateFormat.V2, stateV2);
    }

    /** To rest, and to be opened again by a question that needs the structs. */
    @Benchmark
    public byte[] restAndOpen() {
        if (!resting.rest()) {
            throw new IllegalStateException("it does not rest");
        }
        return resting.stateVector();
    }
}
