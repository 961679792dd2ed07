// Records the editing histories of the demo as Yjs V1 updates, one update a transaction, and writes manifest.json.
//
//   npm ci
//   node record.mjs FOLDER     FOLDER is a checkout of github.com/josephg/editing-traces
//   node record.mjs --verify   checks the files here against manifest.json: bytes, counts, and the text yjs gives
//
// The expected texts come from yjs alone: walmerge's own core has no part in them.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as Y from 'yjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = 'text';
const SOURCE = 'https://github.com/josephg/editing-traces';
const SOURCE_COMMIT = '762fa6c51605c88a05ebe5c4b9d4540caca30b97';

/** Client ids are fixed, so that recording twice gives the same bytes; ties between writers are broken by them. */
const CLIENTS = [1000000007, 2000000011, 3000000001];

const TRACES = [
  { name: 'friendsforever', kind: 'concurrent', title: 'A short story typed by two friends at once' },
  { name: 'clownschool', kind: 'concurrent', title: 'A blog post typed by three people at once' },
  { name: 'sveltecomponent', kind: 'sequential', title: 'A Svelte component written by one programmer' },
  { name: 'rustcode', kind: 'sequential', title: 'A Rust skip list written by one programmer' },
];

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Patches count Unicode code points, Yjs counts UTF-16 units: the two agree as long as no text leaves the BMP. */
function demandPlainUnits(txns) {
  for (const txn of txns) {
    for (const [, , inserted] of txn.patches) {
      if (/[\ud800-\udfff]/.test(inserted)) {
        throw new Error('a trace with code points above U+FFFF needs its positions converted');
      }
    }
  }
}

function newReplica(clientId) {
  const doc = new Y.Doc();
  doc.clientID = clientId;
  const replica = { doc, text: doc.getText(ROOT), last: null, has: new Set() };
  doc.on('update', (update, origin) => {
    if (origin === 'edit') {
      replica.last = update;
    }
  });
  return replica;
}

function edit(replica, patches) {
  replica.last = null;
  replica.doc.transact(() => {
    for (const [position, deleted, inserted] of patches) {
      if (deleted > 0) {
        replica.text.delete(position, deleted);
      }
      if (inserted !== '') {
        replica.text.insert(position, inserted);
      }
    }
  }, 'edit');
  if (replica.last === null) {
    throw new Error('a transaction that changed nothing');
  }
  return replica.last;
}

/** Brings a replica to the version a transaction was typed at: everything its parents had seen. */
function catchUp(replica, parents, txns, updates) {
  const missing = [];
  const stack = [...parents];
  while (stack.length > 0) {
    const index = stack.pop();
    if (!replica.has.has(index)) {
      replica.has.add(index);
      missing.push(index);
      stack.push(...txns[index].parents);
    }
  }
  missing.sort((a, b) => a - b);
  for (const index of missing) {
    Y.applyUpdate(replica.doc, updates[index]);
  }
}

function recordConcurrent(trace) {
  const updates = [];
  const replicas = new Map();
  trace.txns.forEach((txn, index) => {
    if (!replicas.has(txn.agent)) {
      replicas.set(txn.agent, newReplica(CLIENTS[txn.agent]));
    }
    const replica = replicas.get(txn.agent);
    catchUp(replica, txn.parents, trace.txns, updates);
    updates.push(edit(replica, txn.patches));
    replica.has.add(index);
  });
  return { updates, clients: replicas.size };
}

function recordSequential(trace) {
  if (trace.startContent !== '') {
    throw new Error('a trace that does not start empty');
  }
  const replica = newReplica(CLIENTS[0]);
  return { updates: trace.txns.map((txn) => edit(replica, txn.patches)), clients: 1 };
}

/** u32be count, then for each update its length (u16be, or u32be when one needs it) and its bytes. */
function pack(updates) {
  const lengthBytes = updates.some((update) => update.length > 0xffff) ? 4 : 2;
  const head = Buffer.alloc(4);
  head.writeUInt32BE(updates.length);
  const parts = [head];
  for (const update of updates) {
    const length = Buffer.alloc(lengthBytes);
    length.writeUIntBE(update.length, 0, lengthBytes);
    parts.push(length, update);
  }
  return { bytes: Buffer.concat(parts), lengthBytes };
}

function unpack(bytes, lengthBytes) {
  const count = bytes.readUInt32BE(0);
  const updates = [];
  let at = 4;
  for (let i = 0; i < count; i++) {
    const length = bytes.readUIntBE(at, lengthBytes);
    at += lengthBytes;
    updates.push(bytes.subarray(at, at + length));
    at += length;
  }
  if (at !== bytes.length) {
    throw new Error('bytes are left over');
  }
  return updates;
}

function textOf(updates) {
  const doc = new Y.Doc();
  for (const update of updates) {
    Y.applyUpdate(doc, update);
  }
  return doc.getText(ROOT).toString();
}

function record(source) {
  const traces = TRACES.map(({ name, kind, title }) => {
    const trace = JSON.parse(gunzipSync(readFileSync(join(source, `${kind}_traces`, `${name}.json.gz`))));
    demandPlainUnits(trace.txns);
    const { updates, clients } = kind === 'concurrent' ? recordConcurrent(trace) : recordSequential(trace);
    const text = textOf(updates);
    if (kind === 'sequential' && text !== trace.endContent) {
      throw new Error(`${name}: yjs does not give the end content of the trace`);
    }
    const { bytes, lengthBytes } = pack(updates);
    const file = `${name}.updates${lengthBytes === 4 ? '32' : ''}-v1.bin.gz`;
    const compressed = gzipSync(bytes, { level: 9 });
    writeFileSync(join(HERE, file), compressed);
    return {
      name,
      title,
      kind,
      clients,
      updates: updates.length,
      updateBytes: updates.reduce((sum, update) => sum + update.length, 0),
      root: ROOT,
      textLength: text.length,
      textSha256: sha256(Buffer.from(text, 'utf8')),
      file,
      fileSha256: sha256(compressed),
      contentSha256: sha256(bytes),
      lengthBytes,
      licence: 'CC BY 4.0',
      attribution: 'Joseph Gentle, editing-traces',
      source: `${SOURCE}/blob/${SOURCE_COMMIT}/${kind}_traces/${name}.json.gz`,
    };
  });
  const manifest = { recordedWith: `yjs ${yjsVersion()}`, format: 'yjs-v1', traces, todo: recordTodo() };
  writeFileSync(join(HERE, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** A to-do list: what a JSON-shaped document looks like. */
function recordTodo() {
  const doc = new Y.Doc();
  doc.clientID = 1;
  doc.transact(() => {
    const todo = doc.getMap('todo');
    todo.set('title', 'Groceries');
    const items = new Y.Array();
    todo.set('items', items);
    for (const [what, done] of [['milk', true], ['bread', false], ['coffee', false]]) {
      const item = new Y.Map();
      item.set('what', what);
      item.set('done', done);
      items.push([item]);
    }
  });
  const update = Y.encodeStateAsUpdate(doc);
  return { hex: Buffer.from(update).toString('hex'), json: { todo: doc.getMap('todo').toJSON() } };
}

function yjsVersion() {
  return JSON.parse(readFileSync(join(HERE, 'node_modules', 'yjs', 'package.json'))).version;
}

function verify() {
  const manifest = JSON.parse(readFileSync(join(HERE, 'manifest.json')));
  for (const trace of manifest.traces) {
    const compressed = readFileSync(join(HERE, trace.file));
    const bytes = gunzipSync(compressed);
    const updates = unpack(bytes, trace.lengthBytes);
    const checks = {
      fileSha256: sha256(compressed),
      contentSha256: sha256(bytes),
      updates: updates.length,
      textSha256: sha256(Buffer.from(textOf(updates), 'utf8')),
    };
    for (const [key, actual] of Object.entries(checks)) {
      if (actual !== trace[key]) {
        throw new Error(`${trace.name}: ${key} is ${actual}, the manifest says ${trace[key]}`);
      }
    }
    console.log(`${trace.name}: ${updates.length} updates, text of ${trace.textLength} units, as the manifest says`);
  }
}

const argument = process.argv[2];
if (argument === '--verify') {
  verify();
} else if (argument !== undefined && existsSync(argument)) {
  record(argument);
  verify();
} else {
  console.error('usage: node record.mjs FOLDER | --verify');
  process.exit(2);
}
