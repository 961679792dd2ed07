import * as A from '@automerge/automerge';

const KEY = 'text';
const PATH = [KEY];

/** Every replica begins with the same change, which makes the text. */
const BEGIN = A.save(A.from({ [KEY]: '' }, { actor: '00'.repeat(16) }));

const actor = (writer) => (writer + 1).toString(16).padStart(32, '0');

function replicaOf(doc) {
  return { doc, core: null, object: null };
}

/**
 * A replica that is edited leaves the JavaScript view behind and talks to the core under it: A.change() costs 200 us. What is
 * timed never does: it goes through the public calls.
 */
function edited(replica) {
  if (replica.core === null) {
    replica.core = A.getBackend(replica.doc);
    [, replica.object] = replica.core.getWithType('_root', KEY);
    replica.core.saveIncremental();
  }
  return replica;
}

export default {
  package: '@automerge/automerge',
  formats: ['save'],

  create: (writer) => replicaOf(A.load(BEGIN, { actor: actor(writer) })),

  edit(replica, patches) {
    const { core, object } = edited(replica);
    for (const [position, deleted, inserted] of patches) {
      core.splice(object, position, deleted, inserted);
    }
    core.commit();
  },

  /** One change for all. */
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
    edited(replica).core.saveIncremental();
  },

  take: (replica) => edited(replica).core.saveIncremental(),

  /** Changes may follow one another in one array. */
  merge: (updates) => new Uint8Array(Buffer.concat(updates)),

  apply(replica, update) {
    if (replica.core === null) {
      replica.doc = A.loadIncremental(replica.doc, update);
    } else {
      replica.core.loadIncremental(update);
    }
  },

  text: ({ doc, core, object }) => (core === null ? doc[KEY] : core.text(object)),
  encode: ({ doc, core }) => (core === null ? A.save(doc) : core.save()),
  load: (bytes) => replicaOf(A.load(bytes)),
  free: ({ doc }) => A.free(doc),
};
