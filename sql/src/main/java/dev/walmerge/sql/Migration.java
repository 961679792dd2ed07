package dev.walmerge.sql;

/**
 * One numbered step of the schema. Immutable once released: {@code checksum} stands in the databases that have it.
 *
 * @param version 1 for the first, one more for each after it
 * @param name what the file is called, without number and ending
 * @param sql the text of the file: several statements that run in one transaction
 * @param checksum SHA-256 of the text, lower-case hex
 */
public record Migration(int version, String name, String sql, String checksum) {
    /**
     * The statements to run in one transaction: the text, and the row of {@code crdt.migration} that records it.
     *
     * <p>The row goes in first, so that two that install at once collide there, before either has changed anything. The
     * first migration makes that table; there it is {@code create schema} that collides, and the row goes in last.
     */
    public String script() {
        String row = "insert into crdt.migration (version, name, checksum) values (" + version + ", '" + name + "', '"
                + checksum + "');\n";
        return version == 1 ? sql + row : row + sql;
    }
}
