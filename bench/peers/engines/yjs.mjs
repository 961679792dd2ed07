import * as Y from 'yjs';

/** Those of bench/traces/record.mjs: ties between writers are broken by them. */
const CLIENTS = [1000000007, 2000000011, 3000000001];
const ROOT = 'text';

export default {
  package: 'yjs',
  writesYjs: true,
  formats: ['v1', 'v2'],

  create(writer) {
    const doc = new Y.Doc();
    doc.clientID = CLIENTS[writer] ?? CLIENTS[0] + writer;
    return { doc, text: doc.getText(ROOT), updates: [], listening: false };
  },

  edit(replica, patches) {
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
  },

  listen(replica) {
    if (!replica.listening) {
      replica.listening = true;
      replica.doc.on('update', (update, origin) => {
        if (origin === 'edit') {
          replica.updates.push(update);
        }
      });
    }
  },

  take(replica) {
    const updates = replica.updates;
    replica.updates = [];
    return updates.length === 1 ? updates[0] : Y.mergeUpdates(updates);
  },

  merge: (updates) => Y.mergeUpdates(updates),
  apply: (replica, update) => Y.applyUpdate(replica.doc, update),
  text: (replica) => replica.text.toString(),
  encode: ({ doc }, format) => (format === 'v2' ? Y.encodeStateAsUpdateV2(doc) : Y.encodeStateAsUpdate(doc)),

  load(bytes, format) {
    const doc = new Y.Doc();
    if (format === 'v2') {
      Y.applyUpdateV2(doc, bytes);
    } else {
      Y.applyUpdate(doc, bytes);
    }
    return { doc, text: doc.getText(ROOT), updates: [], listening: false };
  },

  free() {},
};
