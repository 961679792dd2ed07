package dev.walmerge.decoder.pgoutput;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * What the recorder makes a server do, and what of it must arrive, whatever the version of the protocol and however the
 * transactions are sent: both are written here by hand.
 */
final class GoldenWorkload {
    static final String PUBLICATION = "golden";

    /** Ends the recording. */
    static final String LAST_PREFIX = "last";

    /** One thing a session does; the steps of all sessions run in the order in which they are written. */
    record Step(String session, String sql) {}

    static final String SCHEMA = """
            create extension pg_walinspect;
            create schema "An ""odd"" schema";
            create type public.mood as enum ('calm', 'glad');
            create table public.sample (id bigint, doc text not null, update bytea, op jsonb, mood public.mood);
            create table "An ""odd"" schema"."tab l\u00e9" ("weird \u00e9 ""named"" column" varchar(7), n int);
            create table public.bare ();
            create table public.ring (id bigint, doc text) partition by list (((id >> 20) & 7));
            create table public.ring_0 partition of public.ring for values in (0);
            create table public.keyed (id int primary key, body text, wide text);
            alter table public.keyed alter wide set storage external;
            create table public.indexed (a int, b int not null unique);
            alter table public.indexed replica identity using index indexed_b_key;
            create table public.whole (a int, b text);
            alter table public.whole replica identity full;
            create table public.silent (a int);
            alter table public.silent replica identity nothing;
            create table public.outside (a int);
            insert into public.keyed select i, 'body ' || i, repeat('w', 3000) from generate_series(1, 9) i;
            insert into public.indexed values (1, 10), (2, 20);
            insert into public.whole values (1, 'one'), (2, null), (3, 'three');
            create publication golden for table public.sample, "An ""odd"" schema"."tab l\u00e9", public.bare, public.ring,
              public.keyed, public.indexed, public.whole, public.silent with (publish_via_partition_root = true);
            select pg_replication_origin_create('golden_origin');
            """;

    /**
     * {@code session: SQL}, and after the step that commits a transaction what arrives of it. {@code FILL} is more than
     * the server keeps in memory of one transaction, in a table that is not published: if the session asks for streaming,
     * what came before it is sent then. {@code ~>} arrives only in such a session.
     */
    private static final String SCRIPT = """
            # Values of each kind.
            a: insert into public.sample values (1, 'post-1', '\\x0000', null, 'calm')
            -> insert sample id=1 doc="post-1" update=\\x0000 op=null mood="calm"
            a: insert into public.sample values (2, '', '', null, null)
            -> insert sample id=2 doc="" update=\\x op=null mood=null
            a: insert into public.sample values (-3, ODD_TEXT, null, '{"at": 5, "insert": "x"}', 'glad')
            -> insert sample id=-3 doc=ODD_VALUE update=null op="{\\"at\\": 5, \\"insert\\": \\"x\\"}" mood="glad"
            a: insert into public.sample values (9223372036854775807, repeat('d', 300), '\\xEVERY_BYTE', null, null)
            -> insert sample id=9223372036854775807 doc="LONG_TEXT" update=\\xEVERY_BYTE op=null mood=null

            # Names and shapes.
            a: insert into "An ""odd"" schema"."tab l\u00e9" values ('seven', 7), (null, -1)
            -> insert tab l\u00e9 weird \u00e9 "named" column="seven" n=7
            -> insert tab l\u00e9 weird \u00e9 "named" column=null n=-1
            a: insert into public.bare default values
            -> insert bare
            a: begin; insert into public.ring values (7, 'by the root'); insert into public.ring_0 values (8, 'by the leaf'); commit
            -> insert ring id=7 doc="by the root"
            -> insert ring id=8 doc="by the leaf"
            a: insert into public.outside values (1)
            a: insert into public.silent values (1)
            -> insert silent a=1

            # Messages.
            a: select pg_logical_emit_message(true, 'walmerge', 'barrier')
            -> message "walmerge" x62617272696572
            a: select pg_logical_emit_message(false, '', '\\x00ff'::bytea)
            -> message "" x00ff

            # Changes, by replica identity. A wide value that did not change is not sent.
            a: begin; update public.keyed set body = 'uno' where id = 1; update public.keyed set id = 20, wide = null where id = 2; delete from public.keyed where id = 3; commit
            -> update keyed NONE to id=1 body="uno" wide=unchanged
            -> update keyed KEY id=2 body=null wide=null to id=20 body="body 2" wide=null
            -> delete keyed KEY id=3 body=null wide=null
            a: begin; update public.indexed set a = 3 where a = 1; update public.indexed set b = 21 where a = 2; delete from public.indexed where a = 3; commit
            -> update indexed NONE to a=3 b=10
            -> update indexed KEY a=null b=20 to a=2 b=21
            -> delete indexed KEY a=null b=10
            a: begin; update public.whole set b = 'un' where a = 1; delete from public.whole where a = 2; commit
            -> update whole FULL a=1 b="one" to a=1 b="un"
            -> delete whole FULL a=2 b=null
            a: begin; insert into public.whole values (4, 'x'); savepoint s; insert into public.whole values (5, 'undone'); rollback to s; insert into public.whole values (6, 'y'); commit
            -> insert whole a=4 b="x"
            -> insert whole a=6 b="y"
            a: truncate public.indexed
            -> truncate indexed
            a: truncate public.indexed, public.bare restart identity cascade
            -> truncate indexed bare cascade restart identity
            a: begin; alter table public.whole add column c bigint; insert into public.whole values (7, 'z', 8); commit
            -> insert whole a=7 b="z" c=8
            o: select pg_replication_origin_session_setup('golden_origin')
            o: begin; select pg_replication_origin_xact_setup('AB/CDEF', '2026-01-02 03:04:05+00'); insert into public.ring values (9, 'from an origin'); commit
            -> origin "golden_origin"
            -> insert ring id=9 doc="from an origin"

            # A large transaction with a bit of everything.
            a: begin; insert into public.sample values (10, 'large', null, null, 'calm'); update public.keyed set body = 'vier' where id = 4; update public.keyed set id = 50, wide = null where id = 5; delete from public.keyed where id = 6
            a: update public.whole set b = 'trois' where a = 3; delete from public.whole where a = 1; insert into public.indexed values (1, 1); truncate public.indexed restart identity; select pg_logical_emit_message(true, 'large', 'in it'); FILL
            a: commit
            -> insert sample id=10 doc="large" update=null op=null mood="calm"
            -> update keyed NONE to id=4 body="vier" wide=unchanged
            -> update keyed KEY id=5 body=null wide=null to id=50 body="body 5" wide=null
            -> delete keyed KEY id=6 body=null wide=null
            -> update whole FULL a=3 b="three" c=null to a=3 b="trois" c=null
            -> delete whole FULL a=1 b="un" c=null
            -> insert indexed a=1 b=1
            -> truncate indexed restart identity
            -> message "large" x696e206974

            # Two large ones, in turns, and a small one between their blocks.
            a: begin; insert into public.ring values (20, 'a first'); FILL
            b: begin; insert into public.ring values (21, 'b first'); FILL
            c: insert into public.ring values (22, 'c between')
            -> insert ring id=22 doc="c between"
            a: insert into public.ring values (23, 'a second'); FILL
            b: insert into public.ring values (24, 'b second')
            b: commit
            -> insert ring id=21 doc="b first"
            -> insert ring id=24 doc="b second"
            a: insert into public.ring values (25, 'a third')
            a: commit
            -> insert ring id=20 doc="a first"
            -> insert ring id=23 doc="a second"
            -> insert ring id=25 doc="a third"

            # Large ones of which a part, or all, is undone after it was sent. Messages are not undone.
            a: begin; insert into public.ring values (30, 'kept'); FILL; savepoint s; insert into public.ring values (31, 'undone'); FILL
            a: savepoint t; insert into public.ring values (32, 'undone inside'); select pg_logical_emit_message(true, 'undone', ''); FILL; release t; rollback to s
            a: savepoint u; insert into public.ring values (33, 'kept in a part'); release u; insert into public.ring values (34, 'kept too'); FILL
            a: commit
            -> insert ring id=30 doc="kept"
            ~> message "undone" x
            -> insert ring id=33 doc="kept in a part"
            -> insert ring id=34 doc="kept too"
            a: begin; insert into public.ring values (35, 'lost'); savepoint s; insert into public.ring values (36, 'lost'); FILL
            a: rollback
            a: begin; insert into public.whole values (37, 'lost', 1); FILL; alter table public.whole add column d int; insert into public.whole values (38, 'lost', 1, 2); FILL
            a: rollback
            a: insert into public.whole values (39, 'in the old shape', 3)
            -> insert whole a=39 b="in the old shape" c=3
            a: begin; alter table public.whole drop column c; insert into public.whole values (40, 'in a new shape'); FILL
            a: commit
            -> insert whole a=40 b="in a new shape"
            a: insert into public.whole values (41, 'in the new shape')
            -> insert whole a=41 b="in the new shape"
            o: begin; select pg_replication_origin_xact_setup('AB/CDF0', '2026-01-02 03:04:06+00'); insert into public.ring values (42, 'much from an origin'); FILL
            o: commit
            -> origin "golden_origin"
            -> insert ring id=42 doc="much from an origin"

            # Two-phase commit: small and large, committed and undone.
            a: begin; insert into public.ring values (50, 'prepared'); prepare transaction 'gid \u00e9'
            b: begin; insert into public.ring values (51, 'prepared and lost'); prepare transaction 'gid lost'
            c: insert into public.ring values (52, 'before what was prepared')
            -> insert ring id=52 doc="before what was prepared"
            a: commit prepared 'gid \u00e9'
            -> insert ring id=50 doc="prepared"
            b: rollback prepared 'gid lost'
            a: begin; insert into public.ring values (53, 'large'); savepoint s; insert into public.ring values (54, 'undone'); FILL; rollback to s; insert into public.ring values (55, 'and prepared'); FILL; prepare transaction 'gid large'
            a: commit prepared 'gid large'
            -> insert ring id=53 doc="large"
            -> insert ring id=55 doc="and prepared"
            a: begin; insert into public.ring values (56, 'large and lost'); FILL; prepare transaction 'gid large lost'
            a: rollback prepared 'gid large lost'

            a: select pg_logical_emit_message(true, 'last', '')
            -> message "last" x
            """;

    /**
     * Each shape that is described, without the object ids that the server chose: the replica identity, and the columns
     * with their built-in types and modifiers.
     */
    static final Set<String> DESCRIBED = Set.of(
            "relation public sample DEFAULT id:20:-1 doc:25:-1 update:17:-1 op:3802:-1 mood:other:-1",
            "relation An \"odd\" schema tab l\u00e9 DEFAULT weird \u00e9 \"named\" column:1043:11 n:23:-1",
            "relation public bare DEFAULT",
            "relation public ring DEFAULT id:20:-1 doc:25:-1",
            "relation public ring_0 DEFAULT id:20:-1 doc:25:-1",
            "relation public silent NOTHING a:23:-1",
            "relation public keyed DEFAULT id:23:-1:key body:25:-1 wide:25:-1",
            "relation public indexed INDEX a:23:-1 b:23:-1:key",
            "relation public whole FULL a:23:-1:key b:25:-1:key",
            "relation public whole FULL a:23:-1:key b:25:-1:key c:20:-1:key",
            "type public mood");

    /** Where replayed transactions were committed: a streamed one does not say. */
    static List<String> origins(boolean streamed) {
        return List.of("AB/CDEF golden_origin", (streamed ? "0/0" : "AB/CDF0") + " golden_origin");
    }

    /** The server keeps 64 kB; a row takes about 200 B there. */
    private static final String FILL = "insert into public.outside select generate_series(1, 500)";

    private static final String ODD_TEXT = "\u043a\u043b\u044e\u0447 \ud83d\ude00\t\"\\";

    private GoldenWorkload() {}

    static List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (String line : lines()) {
            if (line.charAt(1) == ':') {
                steps.add(new Step(line.substring(0, 1), line.substring(3)));
            }
        }
        return steps;
    }

    /** In commit order what each transaction with a change says, one line a change. */
    static List<List<String>> committed(boolean streamed) {
        List<List<String>> transactions = new ArrayList<>();
        boolean open = false;
        for (String line : lines()) {
            boolean step = line.charAt(1) == ':';
            if (!step && !open) {
                transactions.add(new ArrayList<>());
            }
            open = !step;
            if (line.startsWith("->") || (streamed && line.startsWith("~>"))) {
                transactions.get(transactions.size() - 1).add(line.substring(3));
            }
        }
        return transactions;
    }

    private static List<String> lines() {
        StringBuilder everyByte = new StringBuilder();
        for (int i = 0; i < 256; i++) {
            everyByte.append(HexFormat.of().toHexDigits((byte) i));
        }
        return SCRIPT.replace("EVERY_BYTE", everyByte)
                .replace("LONG_TEXT", "d".repeat(300))
                .replace("ODD_TEXT", "'" + ODD_TEXT + "'")
                .replace("ODD_VALUE", EventText.quoted(ODD_TEXT))
                .replace("FILL", FILL)
                .lines()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }
}
