import * as Y from 'yjs';
import { BODY, META, NESTED, SETTINGS, item, notes } from './document.mjs';

function map(entries) {
  return new Y.Map(Object.entries(entries));
}

function newItem(i) {
  return map({ ...item(i), notes: new Y.Text(notes(i)) });
}

/** yjs by the format of its states and updates. */
export function yjs(format) {
  const v2 = format === 'v2';
  const encode = v2 ? Y.encodeStateAsUpdateV2 : Y.encodeStateAsUpdate;
  const apply = v2 ? Y.applyUpdateV2 : Y.applyUpdate;

  function open() {
    const doc = new Y.Doc();
    return { doc, meta: doc.getMap('meta'), page: doc.getMap('doc'), items: doc.getArray('items'), update: null };
  }

  return {
    build(items, client) {
      const replica = open();
      replica.doc.clientID = client;
      replica.doc.transact(() => {
        for (const [key, value] of Object.entries(META)) {
          replica.meta.set(key, value);
        }
        replica.page.set('body', BODY);
        replica.page.set('settings', map({ ...SETTINGS, nested: map(NESTED) }));
        replica.items.push(Array.from({ length: items }, (_, i) => newItem(i)));
      });
      return replica;
    },

    /** From now on each transaction leaves its update. */
    listen(replica) {
      replica.doc.on(v2 ? 'updateV2' : 'update', (update) => {
        replica.update = update;
      });
    },

    take: (replica) => replica.update,
    encode: (replica) => encode(replica.doc),

    load(bytes, client) {
      const replica = open();
      apply(replica.doc, bytes);
      // Only now: yjs gives up an id under which something arrives.
      replica.doc.clientID = client;
      return replica;
    },

    apply: (replica, update) => apply(replica.doc, update),
    setPriority: (replica, i, value) => replica.items.get(i).set('priority', value),
    setTitle: (replica, i, value) => replica.items.get(i).set('title', value),
    setTheme: (replica, value) => replica.page.get('settings').set('theme', value),
    append: (replica, i) => replica.items.push([newItem(i)]),
    priority: (replica, i) => replica.items.get(i).get('priority'),
    title: (replica, i) => replica.items.get(i).get('title'),
    theme: (replica) => replica.page.get('settings').get('theme'),
    json: ({ meta, page, items }) => ({ meta: meta.toJSON(), doc: page.toJSON(), items: items.toJSON() }),

    /** What `other` lacks: each tells its state vector. */
    mark: () => null,
    lacks: (replica, other) => encode(replica.doc, Y.encodeStateVector(other.doc)),
    free() {},
  };
}
