// The engines by name. Each module's default export is an engine; a replica is what the engine edits.
//
//   package             npm name, for the version
//   writesYjs           its updates and states are those of yjs: it reads the histories that yjs made
//   formats             of a full state; the first is the one that `edit` and `apply` use
//   create(writer)      an empty replica that edits as writer 0, 1, ...
//   edit(r, patches)    one transaction of [position, deleted, inserted]
//   replay(r, each)     all of a trace as local edits, where one transaction for all is cheaper than `edit` for each
//   listen(r)           begins to note what is edited, where the engine must be told
//   take(r)             the update of all edits since listen or the last take
//   merge(updates)      one update of several, where the engine merges bytes; else batches are taken of 100 edits at once
//   apply(r, update)    an update that arrives
//   text(r), encode(r, format), load(bytes, format), free(r)

const ENGINES = {
  yjs: () => import('./yjs.mjs'),
  ywasm: () => import('./ywasm.mjs'),
  loro: () => import('./loro.mjs'),
  automerge: () => import('./automerge.mjs'),
  'json-joy': () => import('./json-joy.mjs'),
  'diamond-types': () => import('./diamond-types.mjs'),
};

export const names = Object.keys(ENGINES);

export async function engine(name) {
  if (!(name in ENGINES)) {
    throw new Error(`no engine ${name}: ${names.join(', ')}`);
  }
  return (await ENGINES[name]()).default;
}
