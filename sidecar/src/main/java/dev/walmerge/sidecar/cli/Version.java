package dev.walmerge.sidecar.cli;

import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into the jar. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {
            "walmerge " + (version == null ? "(not packaged)" : version) + ", Java " + Runtime.version()
        };
    }
}
