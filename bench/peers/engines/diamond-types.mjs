import { createRequire } from 'node:module';

const { Doc } = createRequire(import.meta.url)('diamond-types-node');

export default {
  package: 'diamond-types-node',
  formats: ['bytes'],

  create(writer) {
    const doc = new Doc(`writer${writer}`);
    return { doc, version: doc.getLocalVersion() };
  },

  edit({ doc }, patches) {
    for (const [position, deleted, inserted] of patches) {
      if (deleted > 0) {
        doc.del(position, deleted);
      }
      if (inserted !== '') {
        doc.ins(position, inserted);
      }
    }
  },

  listen(replica) {
    replica.version = replica.doc.getLocalVersion();
  },

  take(replica) {
    const update = replica.doc.getPatchSince(replica.version);
    replica.version = replica.doc.getLocalVersion();
    return update;
  },

  apply: ({ doc }, update) => doc.mergeBytes(update),
  text: ({ doc }) => doc.get(),
  encode: ({ doc }) => doc.toBytes(),

  load(bytes) {
    const doc = Doc.fromBytes(bytes, 'reader');
    return { doc, version: null };
  },

  free: ({ doc }) => doc.free(),
};
