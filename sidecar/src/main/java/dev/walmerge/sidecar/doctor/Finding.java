package dev.walmerge.sidecar.doctor;

/**
 * What one check found.
 *
 * @param check its stable name, kebab-case
 * @param found a fact about the server
 * @param meaning why it matters
 * @param cure what to do when it is not as it should be, as one clause
 */
public record Finding(String check, Severity severity, String found, String meaning, String cure) {}
