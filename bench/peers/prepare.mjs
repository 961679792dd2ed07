// Makes an engine's own history of a trace, in an engine's own format, before anything is timed:
//
//   node prepare.mjs ENGINE OUT [--trace RAW.json.gz] [--updates YJS-UPDATES.bin.gz]
//
// Into the folder OUT: single.bin, batches.bin (of one writer, or where the engine merges updates), state-FORMAT.bin,
// edits.bin (for what takes yjs's bytes: single insertions by another client), meta.json. Engines that take yjs's bytes share those that yjs makes here.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine } from './engines/index.mjs';
import { readList, readTrace, sha256, writeList } from './files.mjs';
import { MAX_PASSES } from './sampling.mjs';

const BATCH = 100;

/** An engine that takes longer to write one history says so in its meta.json, as `failed`. */
const DEADLINE = 30_000;

function options(args) {
  const found = {};
  for (let i = 0; i < args.length; i += 2) {
    found[args[i].replace(/^--/, '')] = args[i + 1];
  }
  return found;
}

/** One writer; the update of every `size` transactions, and the replica that wrote them. */
function recordSequential(crdt, txns, size) {
  const whole = crdt.create(0);
  crdt.listen(whole);
  const updates = [];
  for (let i = 0; i < txns.length; i += size) {
    for (const { patches } of txns.slice(i, i + size)) {
      crdt.edit(whole, patches);
    }
    updates.push(crdt.take(whole));
    demandTime();
  }
  return { updates, whole };
}

function demandTime() {
  if (performance.now() > DEADLINE) {
    throw new OutOfTime();
  }
}

class OutOfTime extends Error {}

/** Each writer edits a replica that has seen exactly what the writer had seen. */
function recordConcurrent(crdt, txns) {
  const updates = [];
  const writers = new Map();
  txns.forEach(({ agent, parents, patches }, index) => {
    if (!writers.has(agent)) {
      writers.set(agent, { replica: crdt.create(agent), has: new Set() });
    }
    const { replica, has } = writers.get(agent);
    for (const missing of ancestors(parents, txns, has)) {
      crdt.apply(replica, updates[missing]);
    }
    crdt.listen(replica);
    crdt.edit(replica, patches);
    updates.push(crdt.take(replica));
    has.add(index);
    demandTime();
  });
  return received(crdt, updates);
}

function received(crdt, updates) {
  const whole = crdt.create(9);
  for (const update of crdt.merge === undefined ? updates : merged(crdt, updates)) {
    crdt.apply(whole, update);
    demandTime();
  }
  return { updates, whole };
}

/** Transactions that `parents` had seen and `has` had not, in order; notes them as seen. */
function ancestors(parents, txns, has) {
  const missing = [];
  const stack = [...parents];
  while (stack.length > 0) {
    const index = stack.pop();
    if (!has.has(index)) {
      has.add(index);
      missing.push(index);
      stack.push(...txns[index].parents);
    }
  }
  return missing.sort((a, b) => a - b);
}

function batchesOf(crdt, trace, single) {
  return crdt.merge === undefined ? recordSequential(crdt, trace.txns, BATCH).updates : merged(crdt, single);
}

function merged(crdt, single) {
  const batches = [];
  for (let i = 0; i < single.length; i += BATCH) {
    batches.push(crdt.merge(single.slice(i, i + BATCH)));
  }
  return batches;
}

/** A client that joined types in the middle: what makes a state "after an edit". */
function typing(crdt, state) {
  const typist = crdt.load(state, crdt.formats[0]);
  typist.doc.clientID = 7;
  crdt.listen(typist);
  const middle = crdt.text(typist).length >> 1;
  const edits = [];
  for (let i = 0; i < MAX_PASSES; i++) {
    crdt.edit(typist, [[middle + i, 0, 'x']]);
    edits.push(crdt.take(typist));
  }
  return edits;
}

function record(crdt, trace, updatesFile) {
  if (crdt.writesYjs && updatesFile !== undefined) {
    return received(crdt, readList(updatesFile));
  }
  return trace.concurrent ? recordConcurrent(crdt, trace.txns) : recordSequential(crdt, trace.txns, 1);
}

async function prepare(name, out, { trace: traceFile, updates: updatesFile }) {
  const crdt = await engine(name);
  const trace = traceFile === undefined ? null : readTrace(traceFile);
  const concurrent = trace === null || trace.concurrent;
  const { updates, whole } = record(crdt, trace, updatesFile);
  const text = crdt.text(whole);
  if (!concurrent && text !== trace.endContent) {
    throw new Error(`${name}: not the end content of the trace`);
  }
  writeList(join(out, 'single.bin'), updates);
  writeList(join(out, 'batches.bin'), concurrent && crdt.merge === undefined ? [] : batchesOf(crdt, trace, updates));
  for (const format of crdt.formats) {
    const state = crdt.encode(whole, format);
    writeFileSync(join(out, `state-${format}.bin`), state);
    if (crdt.writesYjs && format === crdt.formats[0]) {
      writeList(join(out, 'edits.bin'), typing(crdt, state));
    }
  }
  return {
    updates: updates.length,
    updateBytes: updates.reduce((sum, update) => sum + update.length, 0),
    textLength: text.length,
    textSha256: sha256(Buffer.from(text, 'utf8')),
    concurrent,
    sameTextAsTrace: trace === null ? null : text === trace.endContent,
  };
}

const [name, out, ...rest] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
let meta;
try {
  meta = await prepare(name, out, options(rest));
} catch (e) {
  if (!(e instanceof OutOfTime)) {
    throw e;
  }
  meta = { failed: `making its history takes more than ${DEADLINE / 1000} s` };
}
writeFileSync(join(out, 'meta.json'), `${JSON.stringify(meta, null, 2)}\n`);
