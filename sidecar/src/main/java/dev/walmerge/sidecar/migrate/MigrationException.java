package dev.walmerge.sidecar.migrate;

/** The schema can't be brought up to date, or dropped, as things stand; the message says what an operator can do. */
public final class MigrationException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is wrong; {@link #label} is stable. */
    public enum Code {
        /** A later walmerge has migrated the database. */
        SCHEMA_NEWER("schema-newer"),
        /** A migration that was applied is not the one this program carries. */
        SCHEMA_DIFFERS("schema-differs"),
        /** There is a schema {@code crdt} that walmerge did not make. */
        SCHEMA_FOREIGN("schema-foreign"),
        /** Objects of the app depend on the schema. */
        SCHEMA_NEEDED("schema-needed"),
        /** A sidecar is running. */
        SIDECAR_ACTIVE("sidecar-active"),
        /** The role lacks a right. */
        NOT_PERMITTED("not-permitted"),
        /** The server is too old. */
        SERVER_TOO_OLD("server-too-old");

        private final String label;

        Code(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    private final Code code;

    MigrationException(Code code, String message) {
        this(code, message, null);
    }

    MigrationException(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}
