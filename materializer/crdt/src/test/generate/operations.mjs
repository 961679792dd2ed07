// What yjs makes of updates, snapshots and relative positions, one random history a line, for OperationsTest.
// By hand, in this folder after npm ci: node operations.mjs SEED COUNT
import { pathToFileURL } from 'node:url'
import * as Y from 'yjs'
import { base64, below, clientIds, pick, random, reseed } from './editing.mjs'

const value = () => pick([1, -5, 'a', '😀x', null, true, 1.5, { a: [1, { b: 2 }] }, [1, 2]])
const newType = () => pick([
  () => new Y.Map(), () => new Y.Array(), () => new Y.Text('ab😀'), () => new Y.XmlElement('P'), () => new Y.XmlText('x')
])()
const roots = doc => [doc.getText('t'), doc.getMap('m'), doc.getArray('a'), doc.getXmlFragment('x')]
const types = doc => {
  const found = roots(doc)
  for (const type of found) {
    const children = type instanceof Y.Map ? [...type.values()] : type instanceof Y.Text ? [] : type.toArray()
    found.push(...children.filter(child => child instanceof Y.AbstractType))
  }
  return found
}
const cut = (type, most) => {
  const at = below(type.length)
  type.delete(at, Math.min(type.length - at, 1 + below(most)))
}
const editText = (type, choice) => {
  if (choice < 0.5 || type.length === 0) type.insert(below(type.length + 1), pick(['a', 'bc', '😀', 'def😀g', 'xxx']))
  else if (choice < 0.6) type.format(below(type.length), 1, { b: pick([true, null, 'v']) })
  else if (choice < 0.65 && !(type instanceof Y.XmlText)) type.insertEmbed(below(type.length + 1), { image: below(9) })
  else cut(type, 5)
}
const edit = doc => {
  const type = pick(types(doc))
  const choice = random()
  if (type instanceof Y.Text) {
    editText(type, choice)
  } else if (type instanceof Y.Map) {
    const key = 'k' + below(3)
    if (choice < 0.6) type.set(key, value())
    else if (choice < 0.75) type.set(key, newType())
    else type.delete(key)
  } else if (type instanceof Y.Array) {
    if (choice < 0.5 || type.length === 0) type.insert(below(type.length + 1), [value(), value()])
    else if (choice < 0.65) type.insert(below(type.length + 1), [newType()])
    else cut(type, 3)
  } else if (type instanceof Y.XmlElement && choice < 0.2) {
    type.setAttribute('k' + below(2), 'v' + below(3))
  } else if (choice < 0.7 || type.length === 0) {
    type.insert(below(type.length + 1), [random() < 0.5 ? new Y.XmlElement('E' + below(2)) : new Y.XmlText('hi')])
  } else {
    cut(type, 2)
  }
}

const typeName = type => type._item === null
  ? { root: Object.keys(Object.fromEntries(type.doc.share)).find(name => type.doc.share.get(name) === type) }
  : { client: type._item.id.client, clock: type._item.id.clock }
const position = type => {
  const index = below(type.length + 2)
  const assoc = random() < 0.5 ? 0 : -1
  const relative = Y.createRelativePositionFromTypeIndex(type, index, assoc)
  return { ...typeName(type), index, assoc, bytes: base64(Y.encodeRelativePosition(relative)) }
}
const resolved = (bytes, doc) => {
  const relative = Y.decodeRelativePosition(Buffer.from(bytes, 'base64'))
  const at = Y.createAbsolutePositionFromRelativePosition(relative, doc, false)
  return at && { ...typeName(at.type), index: at.index, assoc: at.assoc }
}
const view = doc => {
  const [t, m, a, x] = roots(doc)
  return { json: { t: t.toJSON(), m: m.toJSON(), a: a.toJSON(), x: x.toJSON() }, delta: t.toDelta() }
}

export const operations = (seed, n) => {
  reseed(Math.imul(seed, 0x9E3779B1) + n)
  const updates = []
  const states = []
  const stages = []
  const kept = new Y.Doc({ gc: false })
  const collected = new Y.Doc()
  for (const doc of [kept, collected]) {
    roots(doc)
    doc.clientID = 0
  }
  const docs = clientIds(2 + n % 3).map(client => {
    const doc = new Y.Doc({ gc: random() < 0.7 })
    doc.clientID = client
    roots(doc)
    doc.on('update', (update, origin) => {
      if (origin !== 'sync') {
        updates.push(update)
        Y.applyUpdate(kept, update)
        Y.applyUpdate(collected, update)
      }
    })
    return doc
  })
  const steps = 30 + below(40)
  for (let step = 1; step <= steps; step++) {
    const doc = pick(docs)
    doc.transact(() => { for (let i = random() < 0.2 ? 1 + below(6) : 1; i > 0; i--) edit(doc) })
    const other = pick(docs)
    if (random() < 0.3) Y.applyUpdate(other, Y.encodeStateAsUpdate(doc, Y.encodeStateVector(other)), 'sync')
    if (random() < 0.15) states.push(Y.encodeStateAsUpdate(doc, random() < 0.5 ? undefined : Y.encodeStateVector(other)))
    if (step === (steps / 3 | 0) || step === (steps * 2 / 3 | 0)) {
      stages.push({ snapshot: Y.snapshot(kept), positions: Array.from({ length: 12 }, () => position(pick(types(kept)))) })
    }
  }
  const merges = []
  for (let i = 0; i < 6; i++) {
    const inputs = Array.from({ length: 2 + below(6) }, () => random() < 0.4 && states.length ? pick(states) : pick(updates))
    const merged = Y.mergeUpdates(inputs)
    const sv = Y.encodeStateVector(pick(docs))
    const v2 = Y.mergeUpdatesV2(inputs.map(Y.convertUpdateFormatV1ToV2))
    merges.push({
      inputs: inputs.map(base64), v1: base64(merged), v2: base64(v2), v2ToV1: base64(Y.convertUpdateFormatV2ToV1(v2)),
      svFromUpdate: base64(Y.encodeStateVectorFromUpdate(merged)),
      sv: base64(sv), diffV1: base64(Y.diffUpdate(merged, sv)), diffV2: base64(Y.diffUpdateV2(v2, sv))
    })
  }
  return {
    n,
    kept: base64(Y.encodeStateAsUpdateV2(kept)),
    collected: base64(Y.encodeStateAsUpdateV2(collected)),
    merges,
    stages: stages.map(({ snapshot, positions }) => ({
      v1: base64(Y.encodeSnapshot(snapshot)),
      v2: base64(Y.encodeSnapshotV2(snapshot)),
      ...view(Y.createDocFromSnapshot(kept, snapshot)),
      deltaAt: kept.getText('t').toDelta(snapshot),
      positions: positions.map(at => ({ ...at, kept: resolved(at.bytes, kept), collected: resolved(at.bytes, collected) }))
    }))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [seed, count] = process.argv.slice(2).map(Number)
  for (let n = 0; n < count; n++) console.log(JSON.stringify(operations(seed, n)))
}
