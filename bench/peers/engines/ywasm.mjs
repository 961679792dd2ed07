import Y from 'ywasm';

const ROOT = 'text';
const CLIENT = 1000000007;

function replicaOf(doc) {
  return { doc, text: doc.getText(ROOT) };
}

export default {
  package: 'ywasm',
  writesYjs: true,
  formats: ['v1', 'v2'],

  create: (writer) => replicaOf(new Y.YDoc({ clientID: CLIENT + writer })),

  edit({ doc, text }, patches) {
    const transaction = doc.beginTransaction();
    for (const [position, deleted, inserted] of patches) {
      if (deleted > 0) {
        text.delete(position, deleted, transaction);
      }
      if (inserted !== '') {
        text.insert(position, inserted, undefined, transaction);
      }
    }
    transaction.commit();
    transaction.free();
  },

  apply: ({ doc }, update) => Y.applyUpdate(doc, update),
  text: ({ text }) => text.toString(),
  encode: ({ doc }, format) => (format === 'v2' ? Y.encodeStateAsUpdateV2(doc) : Y.encodeStateAsUpdate(doc)),

  load(bytes, format) {
    const replica = replicaOf(new Y.YDoc({}));
    if (format === 'v2') {
      Y.applyUpdateV2(replica.doc, bytes);
    } else {
      Y.applyUpdate(replica.doc, bytes);
    }
    return replica;
  },

  free({ doc, text }) {
    text.free();
    doc.free();
  },
};
