package dev.walmerge.bench.core;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.MalformedUpdateException;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the core does with one whole editing history, warmed up. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class CoreBenchmark {
    /** A file of updates; see {@link History}. */
    @Param("")
    public String file;

    private List<byte[]> updates;
    private Doc doc;
    private byte[] stateV1;
    private byte[] stateV2;

    @Setup
    public void read() {
        updates = History.read(Path.of(file));
        doc = History.replay(updates);
        stateV1 = doc.encodeState(UpdateFormat.V1);
        stateV2 = doc.encodeState(UpdateFormat.V2);
    }

    /** Each update as one that just arrived. */
    @Benchmark
    public Doc applyOneByOne() {
        return History.replay(updates);
    }

    @Benchmark
    public String loadV1WithText() throws MalformedUpdateException {
        return Projection.bodyText(History.load(UpdateFormat.V1, stateV1), null);
    }

    @Benchmark
    public String loadV2WithText() throws MalformedUpdateException {
        return Projection.bodyText(History.load(UpdateFormat.V2, stateV2), null);
    }

    @Benchmark
    public String text() {
        return Projection.bodyText(doc, null);
    }
}
