/** Columns of an app's own table that get text and JSON of its documents. */
package dev.walmerge.engine.targets;
