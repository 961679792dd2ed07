// Random concurrent histories over all types, one JSON object a line, for DifferentialTest. The README says how to run it.
// By hand, in this folder after npm ci: node random-histories.mjs SEED COUNT
// With a third argument it waits, after each history, for a line of states the other side made of it
// ({states: [{v1|v2: base64}]}), loads them and answers {loaded: true} or {loaded: false, ...}.
import { createInterface } from 'node:readline'
import * as Y from 'yjs'

const [seedText, countText, talk] = process.argv.slice(2)
const first = Number(seedText)
const replies = talk ? createInterface({ input: process.stdin })[Symbol.asyncIterator]() : null

let seed = 0
const random = () => {
  seed = seed + 0x6D2B79F5 | 0
  let t = Math.imul(seed ^ seed >>> 15, 1 | seed)
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
  return ((t ^ t >>> 14) >>> 0) / 4294967296
}
const below = n => Math.floor(random() * n)
const pick = list => list[below(list.length)]
const shuffled = list => {
  const copy = list.slice()
  for (let i = copy.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [copy[i], copy[j]] = [copy[j], copy[i]]
  }
  return copy
}
const base64 = bytes => Buffer.from(bytes).toString('base64')

// A receiver's clean-up of formats is an edit of its own, not part of the merge: replicas that are compared don't make it.
const callObserver = Y.Text.prototype._callObserver
Y.Text.prototype._callObserver = function (transaction, keys) {
  const formatted = this._hasFormatting
  this._hasFormatting = formatted && !this.doc.pure
  callObserver.call(this, transaction, keys)
  this._hasFormatting = formatted
}

const plain = () => pick([1, -5, 0, 2 ** 31, 1.5, 1e300, 'a', '😀x', '', 'é\u0000"\\', null, true, false, { a: [1, { b: 2 }] }, [1, [2, 'x']], {}])
const listValue = () => random() < 0.2 ? new Uint8Array([1, 2, below(256)]) : plain()
const mapValue = () => pick([listValue(), 2n ** 40n, undefined, NaN, -0, Infinity])
const subdocument = () => new Y.Doc({ guid: 'g' + below(1000), meta: pick([null, { a: 1 }]), autoLoad: random() < 0.3, gc: random() < 0.8 })
const newType = depth => {
  const made = pick([
    () => new Y.Map(), () => new Y.Array(), () => new Y.Text('ab😀'), () => new Y.XmlElement('P'), () => new Y.XmlText('x'),
    () => new Y.XmlFragment()
  ])()
  if (depth < 2 && random() < 0.4) {
    if (made instanceof Y.Map) made.set('k' + below(3), random() < 0.5 ? newType(depth + 1) : plain())
    else if (made instanceof Y.Array) made.insert(0, [newType(depth + 1), plain()])
    else if (made instanceof Y.XmlFragment) made.insert(0, [new Y.XmlText('in'), new Y.XmlElement('Q')])
  }
  return made
}

const roots = doc => [
  doc.getText('t'), doc.getMap('m'), doc.getArray('a'), doc.getXmlFragment('x'), doc.getText('second')
]
const types = doc => {
  const found = roots(doc)
  for (const type of found) {
    const children = type instanceof Y.Map
      ? [...type.values()]
      : type instanceof Y.Text ? type.toDelta().map(op => op.insert) : type.toArray()
    found.push(...children.filter(child => child instanceof Y.AbstractType))
  }
  return found
}
const cut = (type, most) => {
  const at = below(type.length)
  type.delete(at, Math.min(type.length - at, 1 + below(most)))
}
const attributes = () => pick([
  { bold: true }, { bold: null }, { color: pick(['red', 'blue', { r: 1 }]) }, { link: { href: 'u' } }, { bold: true, em: true }, { color: null }
])
const editText = type => {
  const choice = random()
  const at = below(type.length + 1)
  if (choice < 0.45 || type.length === 0) {
    type.insert(at, pick(['a', 'bc', '😀', 'def😀g', 'xxxxxxxxxx', '\n']), pick([undefined, undefined, undefined, attributes(), {}]))
  } else if (choice < 0.6) {
    cut(type, 8)
  } else if (choice < 0.8) {
    const from = below(type.length)
    type.format(from, Math.min(type.length - from, 1 + below(12)), attributes())
  } else if (choice < 0.87) {
    type.insertEmbed(at, random() < 0.7 ? pick([{ image: 'i.png' }, { a: [1] }]) : newType(0), pick([{}, attributes()]))
  } else if (choice < 0.94) {
    type.applyDelta([{ retain: below(type.length) }, { insert: 'Δ', attributes: attributes() }, ...(random() < 0.5 ? [{ delete: 1 }] : [])])
  } else if (random() < 0.7) {
    type.setAttribute('n' + below(2), pick(['v', 1, { z: 1 }]))
  } else {
    type.removeAttribute('n' + below(2))
  }
}
const editMap = type => {
  const key = pick(['k0', 'k1', 'k2', '7', 'ключ'])
  const choice = random()
  if (choice < 0.55) type.set(key, mapValue())
  else if (choice < 0.72) type.set(key, newType(0))
  else if (choice < 0.77) type.set(key, subdocument())
  else if (choice < 0.97 || type.size === 0) type.delete(key)
  else type.clear()
}
const editArray = type => {
  const choice = random()
  const at = below(type.length + 1)
  if (choice < 0.45 || type.length === 0) type.insert(at, Array.from({ length: 1 + below(4) }, listValue))
  else if (choice < 0.55) type.push([listValue()])
  else if (choice < 0.7) type.insert(at, [newType(0)])
  else if (choice < 0.74) type.insert(at, [subdocument()])
  else cut(type, 4)
}
const editXml = type => {
  const choice = random()
  if (type instanceof Y.XmlElement && choice < 0.2) {
    type.setAttribute('k' + below(2), 'v' + below(3))
  } else if (type instanceof Y.XmlElement && choice < 0.25) {
    type.removeAttribute('k' + below(2))
  } else if (choice < 0.7 || type.length === 0) {
    type.insert(below(type.length + 1), [pick([
      () => new Y.XmlElement('E' + below(2)), () => new Y.XmlText('hi'), () => new Y.XmlHook('hook')
    ])()])
  } else {
    cut(type, 2)
  }
}
const edit = doc => {
  const type = pick(types(doc))
  if (type instanceof Y.Text) editText(type)
  else if (type instanceof Y.Map) editMap(type)
  else if (type instanceof Y.Array) editArray(type)
  else editXml(type)
}

// The forms of the recorded scenarios (see Projection.tree).
const mark = value => {
  if (value === undefined) return { $t: 'undefined' }
  if (typeof value === 'bigint') return { $t: 'bigint', v: String(value) }
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return { $t: 'nan' }
    if (!Number.isFinite(value)) return { $t: value > 0 ? 'inf' : '-inf' }
    return Object.is(value, -0) ? { $t: '-0' } : value
  }
  if (value instanceof Uint8Array) return { $t: 'bytes', v: base64(value) }
  if (value instanceof Y.Doc) {
    const { guid, meta, autoLoad, shouldLoad, gc } = value
    return { $t: 'doc', guid, meta: mark(meta), autoLoad, shouldLoad, gc }
  }
  if (Array.isArray(value)) return value.map(mark)
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mark(member)]))
  }
  return value
}
const node = value => value instanceof Y.AbstractType ? tree(value) : { v: mark(value) }
const marks = type => Object.fromEntries(Object.entries(type.getAttributes())
  .map(([key, value]) => [key, value instanceof Y.AbstractType ? tree(value) : mark(value)]))
const delta = type => {
  const ops = []
  for (const { insert, attributes } of type.toDelta()) {
    const op = { insert: insert instanceof Y.AbstractType ? { $type: tree(insert) } : mark(insert) }
    if (attributes && Object.keys(attributes).length > 0) op.attributes = mark(attributes)
    const last = ops[ops.length - 1]
    const joins = last && typeof last.insert === 'string' && typeof op.insert === 'string' &&
      canonical(last.attributes ?? {}) === canonical(op.attributes ?? {})
    if (joins) last.insert += op.insert
    else ops.push(op)
  }
  return ops
}
const tree = type => {
  if (type instanceof Y.XmlText) return { k: 'xmlText', len: type.length, delta: delta(type), attrs: marks(type) }
  if (type instanceof Y.Text) return { k: 'text', len: type.length, delta: delta(type), attrs: marks(type) }
  if (type instanceof Y.XmlHook) return { k: 'xmlHook', name: type.hookName, e: Object.fromEntries([...type.entries()].map(([k, v]) => [k, node(v)])) }
  if (type instanceof Y.Map) return { k: 'map', e: Object.fromEntries([...type.entries()].map(([k, v]) => [k, node(v)])) }
  if (type instanceof Y.XmlElement) return { k: 'xmlElement', name: type.nodeName, attrs: marks(type), c: type.toArray().map(node) }
  if (type instanceof Y.XmlFragment) return { k: 'xmlFragment', c: type.toArray().map(node) }
  return { k: 'array', c: type.toArray().map(node) }
}
const canonical = value => {
  if (Array.isArray(value)) return '[' + value.map(canonical).join() + ']'
  if (value !== null && typeof value === 'object') {
    return '{' + Object.keys(value).sort().map(key => JSON.stringify(key) + ':' + canonical(value[key])).join() + '}'
  }
  return JSON.stringify(value)
}
const rootNames = ['t', 'm', 'a', 'x', 'second']
const view = doc => Object.fromEntries(roots(doc).map((type, i) => [rootNames[i], tree(type)]))
const replica = (updates, apply, gc = true) => {
  const doc = new Y.Doc({ gc })
  doc.pure = true
  roots(doc)
  updates.forEach(update => apply(doc, update))
  return doc
}
const pending = doc => {
  const { pendingStructs, pendingDs } = doc.store
  if (!pendingStructs && !pendingDs) return null
  return { missing: pendingStructs ? Object.fromEntries(pendingStructs.missing) : {}, ds: pendingDs !== null }
}

// Yjs notes one missing clock of each client, and so may leave lying what is ready; asked again, it merges it.
const retry = doc => {
  for (let before = null; doc.store.pendingStructs && before !== canonical(sizes(doc));) {
    before = canonical(sizes(doc))
    const { update } = doc.store.pendingStructs
    doc.store.pendingStructs = null
    Y.applyUpdateV2(doc, update)
  }
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(new Y.Doc()))
}
const sizes = doc => Object.fromEntries(Y.decodeStateVector(Y.encodeStateVector(doc)))

const write = clients => {
  const updates = []
  const docs = clients.map(client => {
    const doc = new Y.Doc({ gc: random() < 0.8 })
    doc.clientID = client
    doc.pure = random() < 0.5
    roots(doc)
    let v1 = null
    doc.on('update', (update, origin) => { v1 = origin === 'sync' ? null : update })
    doc.on('updateV2', (v2, origin) => { if (origin !== 'sync') updates.push({ v1, v2 }) })
    doc.history = new Y.UndoManager(roots(doc), { trackedOrigins: new Set(['edit']), captureTimeout: random() < 0.5 ? 0 : 1e9 })
    return doc
  })
  for (let step = 10 + below(70); step > 0; step--) {
    const doc = pick(docs)
    const choice = random()
    if (choice < 0.08) doc.history.undo()
    else if (choice < 0.12) doc.history.redo()
    else doc.transact(() => { for (let i = random() < 0.25 ? 1 + below(6) : 1; i > 0; i--) edit(doc) }, 'edit')
    if (random() < 0.1) doc.history.stopCapturing()
    const other = pick(docs)
    if (random() < 0.3) Y.applyUpdate(other, Y.encodeStateAsUpdate(doc, Y.encodeStateVector(other)), 'sync')
  }
  return updates
}
const history = n => {
  const clients = new Set()
  while (clients.size < 2 + n % 4) clients.add(random() < 0.5 ? 1 + below(200) : 1 + below(2 ** 32 - 2))
  const updates = write([...clients])
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
const load = (states, record) => {
  for (const state of states) {
    const doc = state.v1
      ? replica([Buffer.from(state.v1, 'base64')], Y.applyUpdate, state.gc)
      : replica([Buffer.from(state.v2, 'base64')], Y.applyUpdateV2, state.gc)
    const shown = canonical(view(doc))
    if (shown !== canonical(record.view) || doc.store.pendingStructs || doc.store.pendingDs) {
      return { loaded: false, shown, expected: canonical(record.view), state }
    }
  }
  return { loaded: true }
}

for (let n = 0; n < Number(countText); n++) {
  seed = Math.imul(first, 0x9E3779B1) + n | 0
  const record = history(n)
  console.log(JSON.stringify(record))
  if (replies) {
    const { value, done } = await replies.next()
    if (done) break
    console.log(JSON.stringify(load(JSON.parse(value).states, record)))
  }
}
if (replies) process.exit(0)
