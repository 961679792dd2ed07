import { LoroDoc } from 'loro-crdt';

const ROOT = 'text';

function replicaOf(doc) {
  return { doc, text: doc.getText(ROOT), version: doc.version() };
}

function type({ text }, patches) {
  for (const [position, deleted, inserted] of patches) {
    if (deleted > 0) {
      text.delete(position, deleted);
    }
    if (inserted !== '') {
      text.insert(position, inserted);
    }
  }
}

export default {
  package: 'loro-crdt',
  formats: ['snapshot'],

  create(writer) {
    const doc = new LoroDoc();
    doc.setPeerId(BigInt(writer + 1));
    return replicaOf(doc);
  },

  edit(replica, patches) {
    type(replica, patches);
    replica.doc.commit();
  },

  replay(replica, each) {
    each((patches) => type(replica, patches));
    replica.doc.commit();
  },

  listen(replica) {
    replica.version = replica.doc.version();
  },

  take(replica) {
    const update = replica.doc.export({ mode: 'update', from: replica.version });
    replica.version.free();
    replica.version = replica.doc.version();
    return update;
  },

  apply: ({ doc }, update) => doc.import(update),
  text: ({ text }) => text.toString(),
  encode: ({ doc }) => doc.export({ mode: 'snapshot' }),

  load(bytes) {
    const doc = new LoroDoc();
    doc.import(bytes);
    return replicaOf(doc);
  },

  free({ doc, text, version }) {
    version.free();
    text.free();
    doc.free();
  },
};
