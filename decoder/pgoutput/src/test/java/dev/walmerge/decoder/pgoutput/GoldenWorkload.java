package dev.walmerge.decoder.pgoutput;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** What the recorder makes a server do, and therefore what the golden files must say. */
final class GoldenWorkload {
    static final String PUBLICATION = "golden";

    /** Ends the recording. */
    static final String LAST_PREFIX = "last";

    /** One row of {@code public.sample}; null stands for SQL NULL. */
    record Row(long id, String doc, byte[] update, String json, String mood) {}

    static final List<Row> ROWS = List.of(
            new Row(1, "post-1", new byte[] {0, 0}, null, "calm"),
            new Row(2, "", new byte[0], null, null),
            new Row(-3, "\u043a\u043b\u044e\u0447 \ud83d\ude00\t\"\\", null, "{\"at\": 5, \"insert\": \"x\"}", "glad"),
            new Row(Long.MAX_VALUE, "d".repeat(300), everyByte(), null, null));

    static final String SCHEMA = """
            create extension pg_walinspect;
            create schema "An ""odd"" schema";
            create type public.mood as enum ('calm', 'glad');
            create table public.sample (id bigint, doc text not null, update bytea, op jsonb, mood public.mood);
            create table "An ""odd"" schema"."tab l\u00e9" ("weird \u00e9 ""named"" column" varchar(7), n numeric(9, 2));
            create table public.bare ();
            create table public.ring (id bigint, doc text) partition by list (((id >> 20) & 7));
            create table public.ring_0 partition of public.ring for values in (0);
            create table public.keyed (id int primary key, body text, wide text) with (toast_tuple_target = 128);
            alter table public.keyed alter wide set storage external;
            create table public.whole (a int, b text);
            alter table public.whole replica identity full;
            create table public.outside (a int);
            insert into public.keyed values (1, 'one', repeat('w', 200)), (2, 'two', null), (3, 'three', null);
            insert into public.whole values (1, 'one'), (2, null);
            create publication golden for table public.sample, "An ""odd"" schema"."tab l\u00e9", public.bare, public.ring,
              public.keyed, public.whole with (publish_via_partition_root = true);
            select pg_replication_origin_create('golden_origin');
            """;

    static final String INSERT_ROW = "insert into public.sample values (?, ?, ?, ?::jsonb, ?::public.mood)";

    /** Each element is one transaction. */
    static final List<String> TRANSACTIONS = List.of(
            "insert into \"An \"\"odd\"\" schema\".\"tab l\u00e9\" values ('seven', 1234567.89), (null, 'NaN')",
            "insert into public.bare default values",
            "insert into public.ring values (7, 'by the root'); insert into public.ring_0 values (8, 'by the leaf')",
            "insert into public.outside values (1)",
            "select pg_logical_emit_message(true, 'walmerge', 'barrier')",
            "select pg_logical_emit_message(false, '', '\\x00ff'::bytea)",
            "update public.keyed set body = 'uno' where id = 1; update public.keyed set id = 20 where id = 2;"
                    + " delete from public.keyed where id = 3",
            "update public.whole set b = 'un' where a = 1; delete from public.whole where a = 2",
            "insert into public.whole values (3, 'x'); savepoint s; insert into public.whole values (4, 'undone');"
                    + " rollback to s; insert into public.whole values (5, 'y')",
            "truncate public.keyed, public.whole restart identity cascade",
            "alter table public.whole add column c timestamptz; insert into public.whole"
                    + " values (6, 'z', '2026-01-02 03:04:05.678901+00')",
            "select pg_replication_origin_session_setup('golden_origin');"
                    + " select pg_replication_origin_xact_setup('AB/CDEF', '2026-01-02 03:04:05+00');"
                    + " insert into public.ring values (9, 'from an origin')",
            "select pg_logical_emit_message(true, '" + LAST_PREFIX + "', '')");

    /** What of the files does not depend on LSNs, object ids and the clock, after the rows, without relations. */
    static final List<String> KINDS_AFTER_ROWS = List.of(
            "begin insert insert commit",
            "begin insert commit",
            "begin insert insert commit",
            "begin message commit",
            "message",
            "begin update update delete commit",
            "begin update delete commit",
            "begin insert insert commit",
            "begin truncate commit",
            "begin insert commit",
            "begin origin insert commit",
            "begin message commit");

    private GoldenWorkload() {}

    private static byte[] everyByte() {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    static byte[] utf8(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }
}
