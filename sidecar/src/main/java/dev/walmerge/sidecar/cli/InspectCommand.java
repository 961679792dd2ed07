package dev.walmerge.sidecar.cli;

import dev.walmerge.sidecar.ExitCode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
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
            "out: {\"id\", \"json\", \"text\", \"delta\", \"xml\", \"tree\", \"sv\", \"stateV1\", \"stateV2\", \"pending\", \"error\"}"
        },
        mixinStandardHelpOptions = true)
final class InspectCommand implements Callable<Integer> {
    @SuppressWarnings("UnusedVariable") // the only form so far: that it is asked for is all it says
    @Option(names = "--jsonl", required = true, description = "one JSON object a line, in and out")
    private boolean jsonLines;

    @Override
    public Integer call() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream stdout = System.out;
        Writer out = new BufferedWriter(new OutputStreamWriter(stdout, StandardCharsets.UTF_8));
        Inspection inspection = new Inspection();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isBlank()) {
                out.write(inspection.inspect(line));
                out.write('\n');
                if (!in.ready()) {
                    out.flush();
                }
            }
        }
        out.flush();
        return stdout.checkError() ? ExitCode.FATAL : ExitCode.OK;
    }
}
