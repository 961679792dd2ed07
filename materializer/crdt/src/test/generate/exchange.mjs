// The real yjs beside the document under test: one JSON request a line in, one reply a line out.
import { createInterface } from 'node:readline'
import * as Y from 'yjs'
import { act, base64, canonical, clientIds, pending, random, replica, reseed, retry, sizes, sync, view, writer } from './editing.mjs'
import { localEdits } from './local-edits.mjs'
import { operations } from './operations.mjs'

const binary = text => new Uint8Array(Buffer.from(text, 'base64'))
const apply = (doc, { v1, v2 }, origin) => v1 ? Y.applyUpdate(doc, binary(v1), origin) : Y.applyUpdateV2(doc, binary(v2), origin)
const state = doc => ({ v1: base64(Y.encodeStateAsUpdate(doc)), v2: base64(Y.encodeStateAsUpdateV2(doc)) })
const stateVector = doc => base64(Y.encodeStateVector(doc))

let docs = []
let made = []
let told // was given what the other side was given
let asked // the same, asked again for what waits: Yjs notes one missing clock of each client, and may leave lying what is ready
let late = false
let follower // is given what the other side drains

const requests = {
  open: ({ seed, count, gc }) => {
    reseed(seed)
    made = []
    docs = clientIds(count).map(client => writer(client, (v1, v2) => made.push({ v1: base64(v1), v2: base64(v2) })))
    told = replica([], null, gc)
    asked = replica([], null, gc)
    follower = replica([], null, gc)
    late = false
    return {}
  },
  edit: ({ client, seed }) => {
    reseed(seed)
    act(docs[client])
    return {}
  },
  sync: ({ from, to }) => {
    sync(docs[from], docs[to])
    return {}
  },
  // What a client has that the other side lacks, and the state vector it is to be answered with.
  ask: ({ client, sv }) => ({
    v1: base64(Y.encodeStateAsUpdate(docs[client], binary(sv))),
    v2: base64(Y.encodeStateAsUpdateV2(docs[client], binary(sv))),
    sv: stateVector(docs[client])
  }),
  answer: ({ client, update }) => {
    apply(docs[client], update, 'sync')
    return { view: docs[client].pure ? canonical(view(docs[client])) : null, sv: stateVector(docs[client]), waits: pending(docs[client]) !== null }
  },
  deliver: ({ update, drained }) => {
    apply(told, update)
    apply(asked, update)
    retry(asked)
    if (drained) apply(follower, drained)
    late ||= canonical(sizes(told)) !== canonical(sizes(asked))
    return {
      view: canonical(view(asked)),
      follower: drained ? canonical(view(follower)) : null,
      xml: asked.getXmlFragment('x').toString(),
      sv: stateVector(asked),
      pending: late ? 'late' : pending(told),
      ...state(asked)
    }
  },
  merge: ({ v1, v2 }) => ({ v1: base64(Y.mergeUpdates(v1.map(binary))), v2: base64(Y.mergeUpdatesV2(v2.map(binary))) }),
  load: ({ update, gc }) => {
    const doc = replica([], null, gc)
    apply(doc, update)
    return { view: canonical(view(doc)), sv: stateVector(doc), pending: pending(doc) }
  },
  // The same updates in three orders: where yjs gives the same bytes in all of them, they are not a matter of order.
  settle: ({ v1, gc }) => {
    const orders = [v1, v1.slice().reverse(), v1.map((_, i) => v1[(i * 7919 + (i % 2) * (v1.length >> 1)) % v1.length]).concat(v1)]
    const states = orders.map(order => {
      const doc = replica(order.map(binary), Y.applyUpdate, gc)
      retry(doc)
      return state(doc)
    })
    return { same: new Set(states.map(each => each.v1 + each.v2)).size === 1, ...states[0] }
  },
  operations: ({ seed, n }) => operations(seed, n),
  localEdits: ({ seed, n }) => localEdits(seed, n)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { request, ...of } = JSON.parse(line)
  const before = made.length
  const reply = requests[request](of)
  console.log(JSON.stringify(made.length > before ? { ...reply, made: made.slice(before) } : reply))
}
