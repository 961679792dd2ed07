package dev.walmerge.sidecar.cli;

import dev.walmerge.sidecar.ExitCode;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code walmerge inspect --jsonl}: how anyone checks the core from outside, without a database. */
@Command(
        name = "inspect",
        description = "Reads updates from standard input, one JSON object a line, and prints the document they make.",
        footer = {
            "",
            "in:  {\"id\", \"format\": \"yjs-v1\"|\"yjs-v2\", \"updates\": [base64...],",
            "      \"roots\": [{\"name\", \"type\": \"text\"|\"map\"|\"array\"|\"xmlFragment\"}] (or left out), \"gc\": true}",
            "out: {\"id\", \"json\", \"text\", \"delta\", \"xml\", \"tree\", \"sv\", \"stateV1\", \"stateV2\", \"pending\", \"error\"}",
            "",
            "A line that is no such object, an empty one too, is answered with code bad-line; an update that can't be",
            "merged with its rule, its index and the byte, and the others still count. The exit code is 0 all the same."
        },
        mixinStandardHelpOptions = true)
final class InspectCommand implements Callable<Integer> {
    private static final int OUT_BYTES = 1 << 16;

    @SuppressWarnings("UnusedVariable") // the only form so far: that it is asked for is all it says
    @Option(names = "--jsonl", required = true, description = "one JSON object a line, in and out")
    private boolean jsonLines;

    @Override
    public Integer call() throws IOException {
        // Not System.out: a PrintStream hides that nobody reads any more, and the rest would be computed for nothing.
        OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), OUT_BYTES);
        return answer(System.in, out) ? ExitCode.OK : ExitCode.FATAL;
    }

    /** Answers each line with one; false when the reader of the answers has gone. */
    static boolean answer(InputStream in, OutputStream out) throws IOException {
        Lines lines = new Lines(in, Lines.LIMIT_BYTES);
        Inspection inspection = new Inspection();
        while (lines.next()) {
            String answer = lines.tooLong() ? inspection.tooLong(Lines.LIMIT_BYTES) : inspection.inspect(lines.text());
            try {
                out.write(answer.getBytes(StandardCharsets.UTF_8));
                out.write('\n');
                if (!lines.buffered()) {
                    out.flush();
                }
            } catch (IOException e) {
                return false;
            }
        }
        try {
            out.flush();
        } catch (IOException e) {
            return false;
        }
        return true;
    }
}
