import { createRequire } from 'node:module';
import { BODY, META, NESTED, SETTINGS, item, notes } from './document.mjs';

const require = createRequire(import.meta.url);
const { Model } = require('json-joy/lib/json-crdt');
const { Patch, s } = require('json-joy/lib/json-crdt-patch');

/** Ids of sessions begin there. */
const SESSIONS = 65536;

function fields(entries) {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, s.con(value)]));
}

const newItem = (i) => s.obj({ ...fields(item(i)), notes: s.str(notes(i)) });

const replicaOf = (model) => ({ model, edits: null });

/** An edit is a transaction: its patch is flushed, and noted by a replica that will be asked what another lacks. */
function end(replica) {
  replica.patch = replica.model.api.flush();
  replica.edits?.push(replica.patch);
}

export const jsonJoy = {
  build(items, client) {
    const model = Model.create(undefined, SESSIONS + client);
    model.api.set(
      s.obj({
        meta: s.obj(fields(META)),
        doc: s.obj({ body: s.con(BODY), settings: s.obj({ ...fields(SETTINGS), nested: s.obj(fields(NESTED)) }) }),
        items: s.arr(Array.from({ length: items }, (_, i) => newItem(i))),
      }),
    );
    model.api.flush();
    return replicaOf(model);
  },

  listen() {},
  take: (replica) => replica.patch.toBinary(),
  encode: ({ model }) => model.toBinary(),
  load: (bytes, client) => replicaOf(Model.load(bytes, SESSIONS + client)),

  /** One patch, or what `lacks` gave. */
  apply({ model }, update) {
    if (Array.isArray(update)) {
      model.applyBatch(update.map((patch) => Patch.fromBinary(patch)));
    } else {
      model.applyPatch(Patch.fromBinary(update));
    }
  },

  setPriority(replica, i, value) {
    replica.model.api.obj(['items', i]).set({ priority: value });
    end(replica);
  },

  setTitle(replica, i, value) {
    replica.model.api.obj(['items', i]).set({ title: s.con(value) });
    end(replica);
  },

  setTheme(replica, value) {
    replica.model.api.obj(['doc', 'settings']).set({ theme: s.con(value) });
    end(replica);
  },

  append(replica, i) {
    replica.model.api.arr(['items']).push(newItem(i));
    end(replica);
  },

  // By node: a view of the whole document is made anew after a change.
  priority: ({ model }, i) => model.api.find(['items', i, 'priority']).view(),
  title: ({ model }, i) => model.api.find(['items', i, 'title']).view(),
  theme: ({ model }) => model.api.find(['doc', 'settings', 'theme']).view(),

  cached({ model }, i) {
    const { items, doc } = model.view();
    return items[i].title + doc.settings.theme;
  },

  json: ({ model }) => model.view(),

  /** json-joy keeps no history in a model: the application keeps the patches. */
  mark(replica) {
    replica.edits = [];
  },

  lacks: (replica) => replica.edits.map((patch) => patch.toBinary()),
  free() {},
};
