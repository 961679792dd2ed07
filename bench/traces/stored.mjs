// Loads stored states into yjs and compares what it then says with the rows that were read beside them.
//
//   npm ci
//   node stored.mjs FILE
//
// FILE has a document a line: {"doc", "board", "parts": [[format, base64], ...], "text", "json"}; "json" is the text of
// the row's JSON. Prints a line for each document that differs, {"doc", "problem"}, and {"documents"} at the end.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import * as Y from 'yjs';
import { canonical, declareBoard } from './canonical.mjs';

/** Null, or what is wrong. */
function problemOf({ board, parts, text, json }) {
  const doc = new Y.Doc();
  if (board) {
    declareBoard(doc);
  }
  for (const [format, base64] of parts) {
    const payload = Buffer.from(base64, 'base64');
    (format === 'yjs-v2' ? Y.applyUpdateV2 : Y.applyUpdate)(doc, payload);
  }
  if (doc.store.pendingStructs !== null || doc.store.pendingDs !== null) {
    return 'yjs waits for something that the stored state lacks';
  }
  if (doc.getText(board ? 'title' : 'text').toString() !== text) {
    return 'yjs has another text';
  }
  return canonical(doc.toJSON()) === canonical(JSON.parse(json)) ? null : 'yjs has other JSON';
}

let documents = 0;
for await (const line of createInterface({ input: createReadStream(process.argv[2]), crlfDelay: Infinity })) {
  const stored = JSON.parse(line);
  documents++;
  let problem;
  try {
    problem = problemOf(stored);
  } catch (e) {
    problem = `yjs can't load it: ${e.name}`;
  }
  if (problem !== null) {
    console.log(JSON.stringify({ doc: stored.doc, problem }));
  }
}
console.log(JSON.stringify({ documents }));
