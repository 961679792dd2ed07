package dev.walmerge.crdt;

import java.util.Locale;

/** What the name of an element says of its place in a line. */
enum Tag {
    BLOCK,
    INLINE,
    MENTION,
    /** Ends a line. */
    BREAK,
    /** The name doesn't tell; what is beside it does. */
    OTHER;

    /** Names longer than this are nobody's. */
    private static final int LENGTH_LAST = 64;

    /** Case and {@code _} and {@code -} don't matter: editors differ in them. */
    static Tag of(String name) {
        if (name.length() > LENGTH_LAST) {
            return OTHER;
        }
        String plain = name.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
        if (plain.contains("mention")) {
            return MENTION;
        }
        return switch (plain) {
            case "hardbreak", "softbreak", "linebreak", "break", "br" -> BREAK;
            case "link", "autolink", "a", "mark", "overflow", "emoji", "hashtag", "inlinemath", "inlineimage", "span" ->
                INLINE;
            case "paragraph",
                    "p",
                    "blockquote",
                    "quote",
                    "codeblock",
                    "code",
                    "pre",
                    "li",
                    "ul",
                    "ol",
                    "table",
                    "td",
                    "th",
                    "tr",
                    "div",
                    "horizontalrule",
                    "hr",
                    "divider",
                    "figure",
                    "figcaption",
                    "details",
                    "summary",
                    "callout" -> BLOCK;
            default -> isBlock(plain) ? BLOCK : OTHER;
        };
    }

    private static boolean isBlock(String plain) {
        return plain.startsWith("table")
                || plain.startsWith("heading")
                || plain.endsWith("list")
                || plain.endsWith("item")
                || plain.endsWith("cell")
                || plain.endsWith("row")
                || plain.endsWith("block")
                || plain.endsWith("group")
                || plain.endsWith("container");
    }
}
