// Random concurrent histories over all types, one JSON object a line, for DifferentialTest.
// By hand, in this folder after npm ci: node random-histories.mjs SEED COUNT
import * as Y from 'yjs'
import {
  act, base64, below, canonical, clientIds, pending, pick, random, replica, reseed, retry, shuffled, sizes, sync, view, writer
} from './editing.mjs'

const [seedText, countText] = process.argv.slice(2)

const write = clients => {
  const updates = []
  const docs = clients.map(client => writer(client, (v1, v2) => updates.push({ v1, v2 })))
  for (let step = 10 + below(70); step > 0; step--) {
    const doc = pick(docs)
    act(doc)
    const other = pick(docs)
    if (random() < 0.3) sync(doc, other)
  }
  return updates
}
const history = n => {
  const updates = write(clientIds(2 + n % 4))
  const v1 = updates.map(update => update.v1)
  const v2 = updates.map(update => update.v2)
  const order = shuffled([...v1.keys(), ...v1.keys()].slice(0, Math.floor(v1.length * 1.3)))
  const whole = replica(v1, Y.applyUpdate)
  const again = replica(order.map(i => v2[i]), Y.applyUpdateV2, false)
  retry(again)
  const partOrder = order.slice(0, Math.floor(order.length * (0.2 + random() * 0.6)))
  const part = replica([], Y.applyUpdate)
  const prompt = replica([], Y.applyUpdate)
  let late = false
  for (const i of partOrder) {
    Y.applyUpdate(part, v1[i])
    Y.applyUpdate(prompt, v1[i])
    retry(prompt)
    late ||= canonical(sizes(part)) !== canonical(sizes(prompt))
  }
  const partAsTold = {
    pending: pending(part),
    stateV1: base64(Y.encodeStateAsUpdate(part)),
    stateV2: base64(Y.encodeStateAsUpdateV2(part))
  }
  retry(part)
  const groups = []
  for (let at = 0; at < order.length;) {
    const size = 1 + below(8)
    const members = order.slice(at, at + size)
    groups.push({ v1: base64(Y.mergeUpdates(members.map(i => v1[i]))), v2: base64(Y.mergeUpdatesV2(members.map(i => v2[i]))) })
    at += size
  }
  const expected = view(whole)
  return {
    n,
    updates: updates.map(update => ({ v1: base64(update.v1), v2: base64(update.v2) })),
    order,
    groups,
    view: expected,
    xml: whole.getXmlFragment('x').toString(),
    sv: base64(Y.encodeStateVector(whole)),
    stateV1: base64(Y.encodeStateAsUpdate(whole)),
    stateV2: base64(Y.encodeStateAsUpdateV2(whole)),
    // What Yjs itself shows differently after another order can't be asked of anyone.
    settled: canonical(expected) === canonical(view(again)),
    part: {
      order: partOrder,
      view: view(part),
      sv: base64(Y.encodeStateVector(part)),
      pending: late ? 'late' : partAsTold.pending,
      stateV1: partAsTold.stateV1,
      stateV2: partAsTold.stateV2
    }
  }
}

for (let n = 0; n < Number(countText); n++) {
  reseed(Math.imul(Number(seedText), 0x9E3779B1) + n)
  console.log(JSON.stringify(history(n)))
}
