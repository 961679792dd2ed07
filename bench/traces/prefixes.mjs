// Records what yjs makes of the beginnings of the histories here, and a small history of nested maps, lists and texts:
// what the soak compares with. Writes prefixes.json and board.updates-v1.bin.gz, the same bytes each time.
//
//   npm ci
//   node prefixes.mjs             writes them
//   node prefixes.mjs --verify    recomputes and compares

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as Y from 'yjs';
import { canonical, declareBoard } from './canonical.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
/** An answer is recorded each time so many updates are applied. */
const EVERY = 500;
const BOARD = 'board';
const BOARD_FILE = 'board.updates-v1.bin.gz';
const BOARD_UPDATES = 6000;
const BOARD_CLIENTS = [1000000007, 2000000011, 3000000001];

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

function readUpdates(file, wide) {
  const bytes = gunzipSync(readFileSync(join(HERE, file)));
  const updates = [];
  let at = 4;
  for (let i = bytes.readUInt32BE(0); i > 0; i--) {
    const length = wide ? bytes.readUInt32BE(at) : bytes.readUInt16BE(at);
    at += wide ? 4 : 2;
    updates.push(bytes.subarray(at, at + length));
    at += length;
  }
  return updates;
}

function writeUpdates(updates) {
  const parts = [Buffer.alloc(4)];
  parts[0].writeUInt32BE(updates.length);
  for (const update of updates) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(update.length);
    parts.push(length, Buffer.from(update));
  }
  return gzipSync(Buffer.concat(parts), { level: 9 });
}

/** xorshift32: small, seeded, the same everywhere. */
function randomOf(seed) {
  let state = seed;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

const WORDS = ['milk', 'späti', 'naïve', '東京', 'ab', 'quick brown', '👍', 'x'];

/** One transaction of a client: cards are made, moved from list to list, named, written into, checked and thrown away. */
function act(doc, random, number) {
  const lists = doc.getArray('lists');
  const cards = doc.getMap('cards');
  const title = doc.getText('title');
  const keys = [...cards.keys()].sort();
  const choice = random(10);
  doc.transact(() => {
    if (choice < 3 || keys.length === 0) {
      const card = new Y.Map();
      cards.set(`card-${number % 97}`, card);
      card.set('text', new Y.Text(WORDS[random(WORDS.length)]));
      card.set('tags', Y.Array.from([random(100), WORDS[random(WORDS.length)], random(2) === 1]));
    } else if (choice < 6) {
      const text = cards.get(keys[random(keys.length)]).get('text');
      if (text.length > 30) {
        text.delete(random(text.length - 10), 10);
      } else {
        text.insert(random(text.length + 1), WORDS[random(5)]);
      }
    } else if (choice === 6) {
      const tags = cards.get(keys[random(keys.length)]).get('tags');
      if (tags.length > 6) {
        tags.delete(random(tags.length - 2), 2);
      } else {
        tags.insert(random(tags.length + 1), [random(1000), null, { done: random(2) === 1 }]);
      }
    } else if (choice === 7) {
      cards.delete(keys[random(keys.length)]);
    } else if (choice === 8) {
      lists.insert(random(lists.length + 1), [keys[random(keys.length)]]);
      if (lists.length > 20) {
        lists.delete(random(lists.length - 1), 2);
      }
    } else {
      title.insert(random(title.length + 1), WORDS[random(WORDS.length)]);
      if (title.length > 60) {
        title.delete(random(title.length - 20), 20);
      }
    }
  });
}

/** Three clients, each of which hears of the others now and then: an update builds only on such that stand before it. */
function recordBoard() {
  const random = randomOf(20261201);
  const updates = [];
  const replicas = BOARD_CLIENTS.map((client) => {
    const doc = new Y.Doc();
    doc.clientID = client;
    doc.on('update', (update, origin) => {
      if (origin !== 'heard') {
        updates.push(update);
      }
    });
    return { doc, heard: 0 };
  });
  for (let number = 0; updates.length < BOARD_UPDATES; number++) {
    const replica = replicas[random(replicas.length)];
    if (random(4) === 0) {
      for (; replica.heard < updates.length; replica.heard++) {
        Y.applyUpdate(replica.doc, updates[replica.heard], 'heard');
      }
    }
    act(replica.doc, random, number);
  }
  return updates.slice(0, BOARD_UPDATES);
}

/** What yjs says after each EVERY updates, and at the end. */
function answers(updates, declare, answer) {
  const doc = new Y.Doc();
  declare(doc);
  const list = [];
  updates.forEach((update, index) => {
    Y.applyUpdate(doc, update);
    if ((index + 1) % EVERY === 0 || index + 1 === updates.length) {
      list.push(sha256(Buffer.from(answer(doc), 'utf8')));
    }
  });
  return list;
}

function main() {
  const manifest = JSON.parse(readFileSync(join(HERE, 'manifest.json'), 'utf8'));
  const yjs = JSON.parse(readFileSync(join(HERE, 'node_modules/yjs/package.json'), 'utf8')).version;
  const board = recordBoard();
  const boardFile = writeUpdates(board);
  const histories = {};
  for (const trace of manifest.traces) {
    const updates = readUpdates(trace.file, trace.lengthBytes === 4);
    const texts = answers(updates, (doc) => doc.getText(trace.root), (doc) => doc.getText(trace.root).toString());
    if (texts[texts.length - 1] !== trace.textSha256) {
      throw new Error(`${trace.name}: not the text of the manifest`);
    }
    histories[trace.name] = { answer: 'text', sha256: texts };
  }
  histories[BOARD] = {
    answer: 'json',
    file: BOARD_FILE,
    fileSha256: sha256(boardFile),
    sha256: answers(board, declareBoard, (doc) => canonical(doc.toJSON())),
  };
  const json = `${JSON.stringify({ recordedWith: `yjs ${yjs}`, every: EVERY, histories }, null, 1)}\n`;
  if (process.argv[2] === '--verify') {
    const same =
      json === readFileSync(join(HERE, 'prefixes.json'), 'utf8') &&
      boardFile.equals(readFileSync(join(HERE, BOARD_FILE)));
    console.log(same ? 'prefixes.json and the board are what yjs makes of them' : 'DIFFERENT');
    process.exit(same ? 0 : 1);
  }
  writeFileSync(join(HERE, BOARD_FILE), boardFile);
  writeFileSync(join(HERE, 'prefixes.json'), json);
}

main();
