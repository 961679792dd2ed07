package dev.walmerge.engine;

import dev.walmerge.crdt.Doc;
import dev.walmerge.crdt.Projection;
import dev.walmerge.crdt.UpdateFormat;
import dev.walmerge.sql.testing.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** The text of a document as a client sees it that applies what {@code crdt.load} returns. */
final class LoadedText {
    private LoadedText() {}

    static String of(PostgresServer.Database database, String key) throws Exception {
        Doc doc = Doc.create(true);
        try (Connection connection = database.connect();
                PreparedStatement load = connection.prepareStatement("select * from crdt.load(?) order by seq")) {
            load.setString(1, key);
            try (ResultSet row = load.executeQuery()) {
                while (row.next()) {
                    byte[] payload = row.getBytes("payload");
                    UpdateFormat format = row.getString("format").equals("yjs-v2") ? UpdateFormat.V2 : UpdateFormat.V1;
                    doc.apply(format, payload, 0, payload.length);
                }
            }
        }
        return Projection.bodyText(doc, null);
    }
}
