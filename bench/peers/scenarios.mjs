// The scenarios of a JSON document, for one engine in one process; prints a JSON line a figure:
//
//   node --expose-gc scenarios.mjs ENGINE ITEMS [--quick]      ENGINE: yjs-v1, yjs-v2, json-joy, loro
//
// Each scenario is warmed up, then sampled 5 + 25 times; the figure is the median of the 25, in microseconds. What it leaves
// behind is compared with what it must be: else the process fails and there is no figure.

import { isDeepStrictEqual } from 'node:util';
import { BODY, plain } from './json/document.mjs';
import { median } from './sampling.mjs';

const QUICK = process.argv.includes('--quick');
const WARM_RUNS = QUICK ? 20 : 200;
const WARM_MILLIS = QUICK ? 100 : 400;
const WARM_LIMIT_MILLIS = QUICK ? 300 : 1000;
const REHEARSAL_MILLIS = QUICK ? 20 : 400;
const DROPPED = 5;
const SAMPLES = 25;

/** A run below this is timed in batches. */
const SHORT_MICROS = 20;
const BATCH = 20;

const OFFLINE_EDITS = 100;
const PEERS = 16;
const COLLECT_EVERY = 16;
const RENEW_EVERY = 100;

const ENGINES = {
  'yjs-v1': async () => (await import('./json/yjs.mjs')).yjs('v1'),
  'yjs-v2': async () => (await import('./json/yjs.mjs')).yjs('v2'),
  'json-joy': async () => (await import('./json/json-joy.mjs')).jsonJoy,
  loro: async () => (await import('./json/loro.mjs')).loro,
};

/** All scenarios are rehearsed before the first is measured: what is new to an engine makes it throw compiled code away. */
let rehearsing = true;

const [name, count] = process.argv.slice(2);
const items = Number(count);
const middle = items >> 1;
const crdt = await ENGINES[name]();

function demand(condition, scenario) {
  if (!condition) {
    throw new Error(`${name}, ${scenario} of ${items}: not the expected document`);
  }
}

const same = (replica, expected) => isDeepStrictEqual(JSON.parse(JSON.stringify(crdt.json(replica))), expected);

/**
 * Measures and prints one scenario.
 *
 * @param begin called when warming up ends and before it begins
 * @param prepare makes what a sample of so many runs works on; not timed
 * @param run is given that and the number of the run within the sample; what it returns is checked
 * @param check is given both, after the last sample
 * @param bytes of what was written, from both; null where nothing is
 * @param least how many runs a sample has at least
 */
async function scenario(
  id,
  { begin = () => {}, prepare = () => null, run, check, bytes = () => null, drop = () => {}, least = 1 },
) {
  begin();
  const fastest = await warmUp(prepare, run, drop, least);
  begin();
  if (rehearsing) {
    await warmUp(prepare, run, drop, least);
    return;
  }
  const batch = Math.max(least, fastest * 1000 < SHORT_MICROS ? BATCH : 1);
  const samples = [];
  let on;
  let result;
  for (let i = 0; i < DROPPED + SAMPLES; i++) {
    if (i > 0) {
      drop(on);
    }
    await collect();
    on = prepare(batch);
    const started = performance.now();
    for (let j = 0; j < batch; j++) {
      result = run(on, j);
    }
    samples.push(((performance.now() - started) * 1000) / batch);
  }
  demand(check(on, result), id);
  const micros = median(samples.slice(DROPPED));
  console.log(JSON.stringify({ engine: name, scenario: id, items, micros, bytes: bytes(on, result) }));
  drop(on);
}

/** Engines in WebAssembly free what a collected handle stood for, and only between tasks. */
function collect() {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** The milliseconds of the fastest run. */
async function warmUp(prepare, run, drop, batch) {
  const begun = performance.now();
  let fastest = Infinity;
  let spent = 0;
  const limit = rehearsing ? REHEARSAL_MILLIS / 2 : WARM_LIMIT_MILLIS;
  for (let runs = 0; spent < limit && (runs < WARM_RUNS || spent < WARM_MILLIS); runs++) {
    if (runs % COLLECT_EVERY === 0) {
      await collect();
    }
    const on = prepare(1);
    const started = performance.now();
    for (let j = 0; j < batch; j++) {
      run(on, j);
    }
    const ended = performance.now();
    fastest = Math.min(fastest, (ended - started) / batch);
    drop(on);
    spent = ended - begun;
  }
  return fastest;
}

const expected = plain(items);
const free = (replica) => crdt.free(replica);
const build = () => crdt.build(items, 1);
const state = crdt.encode(build());
demand(same(build(), expected) && BODY.length === 200, 'create');

/** The same for some runs, then another: its edits stay few. */
function renewed(make) {
  let current = null;
  let runs = 0;
  return () => {
    if (current === null || ++runs % RENEW_EVERY === 0) {
      current = make();
    }
    return current;
  };
}

function listening() {
  const replica = build();
  crdt.listen(replica);
  return replica;
}

async function creation() {
  const built = [];
  const drop = () => built.splice(0).forEach(free);
  const make = () => {
    const replica = build();
    built.push(replica);
    return replica;
  };
  await scenario('create', { run: make, check: (_, replica) => same(replica, expected), drop });
  await scenario('create-encode', {
    run: () => crdt.encode(make()),
    check: (_, bytes) => same(crdt.load(bytes, 2), expected),
    bytes: (_, bytes) => bytes.length,
    drop,
  });
}

async function exportsAndReads() {
  const loads = (_, bytes) => same(crdt.load(bytes, 2), expected);
  const length = (_, bytes) => bytes.length;
  // Each run of a batch gets a document of its own.
  const fresh = (batch) => Array.from({ length: batch }, build);
  await scenario('export-first', {
    prepare: fresh,
    run: (replicas, j) => crdt.encode(replicas[j]),
    check: loads,
    bytes: length,
    drop: (replicas) => replicas.forEach(free),
  });
  const kept = build();
  crdt.encode(kept);
  await scenario('export-repeated', { run: () => crdt.encode(kept), check: loads, bytes: length });
  await scenario('read-field', {
    run: () => crdt.cached?.(kept, middle) ?? crdt.title(kept, middle) + crdt.theme(kept),
    check: (_, read) => read === `Item number ${middle}dark`,
    least: 1000,
  });
}

async function edits() {
  for (const before of [0, 1000, 5000]) {
    let edited;
    let value;
    await scenario(`scalar-edit-${before}`, {
      // One document is edited on and on; the samples begin with another one.
      begin() {
        edited = build();
        for (value = 100; value < 100 + before; value++) {
          crdt.setPriority(edited, middle, value);
        }
        crdt.listen(edited);
      },
      run() {
        crdt.setPriority(edited, middle, ++value);
        return crdt.take(edited);
      },
      check: (_, update) => update.length > 0 && crdt.priority(edited, middle) === value,
      bytes: (_, update) => update.length,
    });
  }
  await scenario('append-object', {
    prepare: renewed(listening),
    run(replica) {
      crdt.append(replica, items);
      return crdt.take(replica);
    },
    check: (replica, update) =>
      update.length > 0 && crdt.json(replica).items.length > items && crdt.title(replica, items) === `Item number ${items}`,
    bytes: (_, update) => update.length,
  });
  let value = 0;
  await scenario('edit-encode', {
    prepare: renewed(build),
    run(replica) {
      crdt.setPriority(replica, middle, ++value);
      return crdt.encode(replica);
    },
    check: (_, bytes) => crdt.priority(crdt.load(bytes, 2), middle) === value,
    bytes: (_, bytes) => bytes.length,
  });
}

async function exchanges() {
  let value = 0;
  let update;
  await scenario('round-trip', {
    prepare: renewed(() => {
      const pair = [crdt.load(state, 11), crdt.load(state, 12)];
      crdt.listen(pair[0]);
      return pair;
    }),
    run([a, b]) {
      crdt.setPriority(a, middle, ++value);
      update = crdt.take(a);
      crdt.apply(b, update);
      return crdt.priority(b, middle);
    },
    check: ([a, b], read) => read === value && same(b, JSON.parse(JSON.stringify(crdt.json(a)))),
    bytes: () => update.length,
  });
  await scenario('load-materialize', {
    run() {
      const replica = crdt.load(state, 2);
      const json = crdt.json(replica);
      return { replica, json };
    },
    check: (_, { json }) => isDeepStrictEqual(JSON.parse(JSON.stringify(json)), expected),
  });
  await offlineMerge();
  await mapConflict();
}

async function offlineMerge() {
  await scenario('offline-merge', {
    prepare() {
      const pair = [crdt.load(state, 11), crdt.load(state, 12)];
      pair.forEach(crdt.mark);
      for (let j = 0; j < OFFLINE_EDITS; j++) {
        crdt.setPriority(pair[0], j % items, 1000 + j);
        crdt.setTitle(pair[1], (j * 7) % items, `Renamed ${j}`);
      }
      return pair;
    },
    run([a, b]) {
      const forB = crdt.lacks(a, b);
      const forA = crdt.lacks(b, a);
      crdt.apply(b, forB);
      crdt.apply(a, forA);
    },
    check: ([a, b]) =>
      same(a, JSON.parse(JSON.stringify(crdt.json(b)))) &&
      crdt.priority(b, 99 % items) === 1099 &&
      crdt.title(a, (99 * 7) % items) === 'Renamed 99',
    drop: (pair) => pair.forEach(free),
  });
}

async function mapConflict() {
  const updates = Array.from({ length: PEERS }, (_, i) => {
    const peer = crdt.load(state, i + 1);
    crdt.listen(peer);
    crdt.setTheme(peer, `theme-${i + 1}`);
    return crdt.take(peer);
  });
  const reversed = crdt.load(state, 20);
  updates.toReversed().forEach((update) => crdt.apply(reversed, update));
  await scenario('map-conflict-16', {
    prepare: (batch) => Array.from({ length: batch }, () => crdt.load(state, 20)),
    run(replicas, j) {
      updates.forEach((update) => crdt.apply(replicas[j], update));
      return crdt.theme(replicas[j]);
    },
    check: (_, theme) => /^theme-\d+$/.test(theme) && theme === crdt.theme(reversed),
    drop: (replicas) => replicas.forEach(free),
  });
}

for (const rehearsal of [true, false]) {
  rehearsing = rehearsal;
  await creation();
  await exportsAndReads();
  await edits();
  await exchanges();
}
