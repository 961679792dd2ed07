// Measures one engine on one trace in one process, and prints a JSON line a figure:
//
//   node --expose-gc measure.mjs ENGINE HISTORY GROUP TRACE-NAME ROW,ROW,... [RAW.json.gz] [--quick]
//
// HISTORY is a folder that prepare.mjs made. GROUP is load-v1, load-v2, load-own, single, batches or local. A figure whose result is not
// what the trace ends with is not printed: the process fails.

import { wasmBytes } from './wasm-memory.mjs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine } from './engines/index.mjs';
import { readList, readTrace, sha256 } from './files.mjs';
import { hot, timed } from './sampling.mjs';

/** A pass that will take longer at the pace it has after a while is given up, and the row says so. */
const LIMIT_MILLIS = 30_000;
const PACE_MILLIS = 3000;
const LOOK_EVERY = 64;

const FEW_COPIES = 5;
const COPYING_MILLIS = 2000;

const [name, history, group, trace, wanted, rawFile] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const rows = new Set(wanted.split(','));
const crdt = await engine(name);
const meta = JSON.parse(readFileSync(join(history, 'meta.json'), 'utf8'));

class TooSlow extends Error {}

function print(row, fields) {
  console.log(JSON.stringify({ engine: name, row, trace, ...fields }));
}

function demandText(text) {
  if (sha256(Buffer.from(text, 'utf8')) !== meta.textSha256) {
    throw new Error(`${name}: the text is not the one of the trace`);
  }
}

/** Measures, or says why there is no figure. */
function figure(row, measure) {
  try {
    print(row, measure());
  } catch (e) {
    if (!(e instanceof TooSlow)) {
      throw e;
    }
    print(row, { reason: e.message });
  }
}

function limited(things, action, what) {
  const begun = performance.now();
  for (let i = 0; i < things.length; i++) {
    action(things[i]);
    if (i % LOOK_EVERY === 0) {
      const spent = performance.now() - begun;
      const whole = (spent / (i + 1)) * things.length;
      if (spent > LIMIT_MILLIS || (spent > PACE_MILLIS && whole > LIMIT_MILLIS)) {
        const seconds = Math.round(whole / 1000);
        throw new TooSlow(`given up at ${what} ${i + 1} of ${things.length}: all would take ${seconds} s at that pace`);
      }
    }
  }
}

function applyAll(updates) {
  return () => {
    const replica = crdt.create(9);
    const ms = timed(() => limited(updates, (update) => crdt.apply(replica, update), 'update'));
    demandText(crdt.text(replica));
    crdt.free(replica);
    return ms;
  };
}

function apply(row, file) {
  const updates = readList(join(history, file));
  figure(row, () => hot(applyAll(updates)));
}

/** As the engine does it cheapest: one transaction for all where it can hold one open. */
function local() {
  const patches = readTrace(rawFile).txns.map((txn) => txn.patches);
  const replay = crdt.replay ?? ((replica, each) => each((edit) => crdt.edit(replica, edit)));
  figure('replay-local', () =>
    hot(() => {
      const replica = crdt.create(0);
      const ms = timed(() => replay(replica, (action) => limited(patches, action, 'edit')));
      demandText(crdt.text(replica));
      crdt.free(replica);
      return ms;
    }),
  );
}

async function load(format) {
  const state = new Uint8Array(readFileSync(join(history, `state-${format}.bin`)));
  const label = crdt.formats.length === 1 ? 'own' : format;
  let text;
  const pass = () => {
    let replica;
    const ms = timed(() => {
      replica = crdt.load(state, format);
      text = crdt.text(replica);
    });
    crdt.free(replica);
    return ms;
  };
  const first = pass();
  demandText(text);
  if (rows.has('load-first')) {
    print('load-first', { format: label, ms: first, warmups: 0, samples: 1 });
  }
  if (rows.has('load-hot')) {
    const figures = hot(pass);
    demandText(text);
    print('load-hot', { format: label, ...figures });
  }
  if (rows.has('state-bytes')) {
    const replica = crdt.load(state, format);
    const bytes = crdt.encode(replica, format);
    demandText(crdt.text(crdt.load(bytes, format)));
    print('state-bytes', { format: label, bytes: bytes.length });
  }
  if (rows.has('encode')) {
    print('encode', { format: label, ...encode(state, format) });
  }
  if (rows.has('memory')) {
    print('memory', { format: label, kB: (await residentBytes(state, format)) / 1000 });
  }
}

/** The full state of a loaded document that just took one more edit. */
function encode(state, format) {
  const replica = crdt.load(state, format);
  const middle = crdt.text(replica).length >> 1;
  const arriving = crdt.writesYjs ? readList(join(history, 'edits.bin')) : null;
  let edits = 0;
  let bytes;
  const figures = hot(() => {
    if (arriving === null) {
      crdt.edit(replica, [[middle + edits, 0, 'x']]);
    } else {
      crdt.apply(replica, arriving[edits]);
    }
    edits++;
    return timed(() => {
      bytes = crdt.encode(replica, format);
    });
  });
  if (crdt.text(crdt.load(bytes, format)) !== crdt.text(replica)) {
    throw new Error(`${name}: its state does not load to its text`);
  }
  return figures;
}

/** Heap, array buffers and WebAssembly memory of one of many loaded copies whose text was taken once. */
async function residentBytes(state, format) {
  const copies = [];
  const loadOne = () => {
    const replica = crdt.load(state, format);
    demandText(crdt.text(replica));
    copies.push(replica);
  };
  const loadMillis =
    timed(() => {
      for (let i = 0; i < FEW_COPIES; i++) {
        loadOne();
      }
    }) / FEW_COPIES;
  const wanted = Math.max(20, Math.min(200, Math.ceil(4_000_000 / state.length)));
  const count = Math.max(FEW_COPIES, Math.min(wanted, Math.ceil(COPYING_MILLIS / loadMillis)));
  const before = await usedBytes();
  for (let i = 0; i < count; i++) {
    loadOne();
  }
  const after = await usedBytes();
  copies.forEach((replica) => crdt.free(replica));
  return (after - before) / count;
}

async function usedBytes() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers + wasmBytes();
}

if (group === 'single') {
  apply('apply-single', 'single.bin');
} else if (group === 'batches') {
  apply('apply-batches', 'batches.bin');
} else if (group === 'local') {
  local();
} else {
  await load(group === 'load-own' ? crdt.formats[0] : group.replace('load-', ''));
}
