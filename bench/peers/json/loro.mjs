import { LoroDoc, LoroMap, LoroText } from 'loro-crdt';
import { BODY, META, NESTED, SETTINGS, item, notes } from './document.mjs';

function open(client) {
  const doc = new LoroDoc();
  doc.setPeerId(BigInt(client));
  return { doc, page: doc.getMap('doc'), items: doc.getList('items'), update: null };
}

function fill(map, entries) {
  for (const [key, value] of Object.entries(entries)) {
    map.set(key, value);
  }
}

function push(items, i) {
  const added = items.pushContainer(new LoroMap());
  fill(added, item(i));
  added.setContainer('notes', new LoroText()).insert(0, notes(i));
}

export const loro = {
  build(items, client) {
    const replica = open(client);
    fill(replica.doc.getMap('meta'), META);
    replica.page.set('body', BODY);
    const settings = replica.page.setContainer('settings', new LoroMap());
    fill(settings, SETTINGS);
    fill(settings.setContainer('nested', new LoroMap()), NESTED);
    for (let i = 0; i < items; i++) {
      push(replica.items, i);
    }
    replica.doc.commit();
    return replica;
  },

  listen(replica) {
    replica.doc.subscribeLocalUpdates((update) => {
      replica.update = update;
    });
  },

  take: (replica) => replica.update,
  encode: ({ doc }) => doc.export({ mode: 'snapshot' }),

  load(bytes, client) {
    const replica = open(client);
    replica.doc.import(bytes);
    return replica;
  },

  apply: ({ doc }, update) => doc.import(update),

  setPriority({ doc, items }, i, value) {
    items.get(i).set('priority', value);
    doc.commit();
  },

  setTitle({ doc, items }, i, value) {
    items.get(i).set('title', value);
    doc.commit();
  },

  setTheme({ doc, page }, value) {
    page.get('settings').set('theme', value);
    doc.commit();
  },

  append({ doc, items }, i) {
    push(items, i);
    doc.commit();
  },

  priority: ({ items }, i) => items.get(i).get('priority'),
  title: ({ items }, i) => items.get(i).get('title'),
  theme: ({ page }) => page.get('settings').get('theme'),
  json: ({ doc }) => doc.toJSON(),
  mark: () => null,
  lacks: ({ doc }, other) => doc.export({ mode: 'update', from: other.doc.version() }),
  free: ({ doc }) => doc.free(),
};
