package dev.walmerge.sidecar.migrate;

import dev.walmerge.sql.testing.PostgresServer.Database;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** What catalogs hold, in words. */
final class Catalog {
    /** Everything that a database, and its server, could be left with. What Postgres itself brings is the same before and after. */
    private static final String ALL = """
            select format('schema %s %s', nspname, nspacl) from pg_namespace where nspname !~ '^pg_(toast_)?temp'
            union all select format('relation %s %s', oid::regclass, relacl) from pg_class where relnamespace <> 'pg_toast'::regnamespace
            union all select format('routine %s %s', oid::regprocedure, proacl) from pg_proc
            union all select format('type %s', oid::regtype) from pg_type where typnamespace <> 'pg_toast'::regnamespace
            union all select format('publication %s', pubname) from pg_publication
            union all select format('trigger %s', tgname) from pg_trigger
            union all select format('event trigger %s', evtname) from pg_event_trigger
            union all select format('constraint %s', conname) from pg_constraint
            union all select format('column grant %s.%s %s', attrelid::regclass, attname, attacl) from pg_attribute where attacl is not null
            union all select format('database %s', datacl) from pg_database where datname = current_database()
            union all select format('defaults %s', defaclacl) from pg_default_acl
            union all select format('setting %s', setconfig) from pg_db_role_setting
            union all select format('role %s', rolname) from pg_roles
            union all select format('member %s of %s', member::regrole, roleid::regrole) from pg_auth_members
            union all select format('slot %s', slot_name) from pg_replication_slots
            union all select format('lock %s', locktype) from pg_locks where locktype = 'advisory'
            union all select format('shared dependency of %s on %s', classid::regclass, refclassid::regclass) from pg_shdepend
            union all select format('comment on a %s', classoid::regclass) from pg_description
            order by 1""";

    private Catalog() {}

    /** Of the schema crdt and its publication, as the golden files have it. */
    static List<String> of(Database database) throws SQLException, IOException {
        try (InputStream query = Catalog.class.getResourceAsStream("/catalog/query.sql")) {
            return rows(database, new String(query.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** Of the whole database, and what it shares with others. */
    static List<String> ofEverything(Database database) throws SQLException {
        return rows(database, ALL);
    }

    private static List<String> rows(Database database, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set search_path = pg_catalog");
            try (ResultSet row = statement.executeQuery(query)) {
                while (row.next()) {
                    rows.add(row.getString(1));
                }
            }
        }
        return rows;
    }
}
