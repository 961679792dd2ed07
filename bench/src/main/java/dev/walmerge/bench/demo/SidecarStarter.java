package dev.walmerge.bench.demo;

import dev.walmerge.sidecar.config.SidecarSettings;

/** Starts a sidecar in this process; closing it drains, flushes and stops. */
@FunctionalInterface
interface SidecarStarter {
    AutoCloseable start(SidecarSettings settings) throws Exception;
}
