import * as A from '@automerge/automerge';

const PATH = ['text'];

/** Every replica begins with the same change, which makes the text. */
const BEGIN = A.save(A.from({ text: '' }, { actor: '00'.repeat(16) }));

const actor = (writer) => (writer + 1).toString(16).padStart(32, '0');

export default {
  package: '@automerge/automerge',
  formats: ['save'],

  create(writer) {
    const doc = A.load(BEGIN, { actor: actor(writer) });
    return { doc, heads: A.getHeads(doc) };
  },

  edit(replica, patches) {
    replica.doc = A.change(replica.doc, (draft) => {
      for (const [position, deleted, inserted] of patches) {
        A.splice(draft, PATH, position, deleted, inserted);
      }
    });
  },

  /** One change: a change an edit costs some 200 us. */
  replay(replica, each) {
    replica.doc = A.change(replica.doc, (draft) => {
      each((patches) => {
        for (const [position, deleted, inserted] of patches) {
          A.splice(draft, PATH, position, deleted, inserted);
        }
      });
    });
  },

  listen(replica) {
    replica.heads = A.getHeads(replica.doc);
  },

  take(replica) {
    const update = A.saveSince(replica.doc, replica.heads);
    replica.heads = A.getHeads(replica.doc);
    return update;
  },

  apply(replica, update) {
    replica.doc = A.loadIncremental(replica.doc, update);
  },

  text: ({ doc }) => doc.text,
  encode: ({ doc }) => A.save(doc),

  load(bytes) {
    const doc = A.load(bytes);
    return { doc, heads: [] };
  },

  free: ({ doc }) => A.free(doc),
};
