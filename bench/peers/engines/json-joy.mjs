import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Model } = require('json-joy/lib/json-crdt');
const { Patch } = require('json-joy/lib/json-crdt-patch');

const SESSION = 1000007;

/** Every replica begins as a fork of one empty text. */
function begin() {
  const model = Model.create(undefined, 999983);
  model.api.set('');
  model.api.flush();
  return model.toBinary();
}

const BEGIN = begin();

function replicaOf(model) {
  return { model, text: model.api.str([]) };
}

export default {
  package: 'json-joy',
  formats: ['binary'],

  create: (writer) => replicaOf(Model.load(BEGIN, SESSION + writer)),

  edit({ text }, patches) {
    for (const [position, deleted, inserted] of patches) {
      if (deleted > 0) {
        text.del(position, deleted);
      }
      if (inserted !== '') {
        text.ins(position, inserted);
      }
    }
  },

  /** Nothing to tell: what is edited waits in the builder until it is taken. */
  listen(replica) {
    replica.model.api.flush();
  },

  take: ({ model }) => model.api.flush().toBinary(),

  apply: ({ model }, update) => model.applyPatch(Patch.fromBinary(update)),
  text: ({ model }) => model.view(),
  encode: ({ model }) => model.toBinary(),
  load: (bytes) => replicaOf(Model.load(bytes, SESSION)),
  free() {},
};
