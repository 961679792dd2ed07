package dev.walmerge.engine.writeback;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections to the database of the documents. */
@FunctionalInterface
public interface ConnectionSource {
    /** A new connection, which the caller owns and closes. */
    Connection open() throws SQLException;
}
