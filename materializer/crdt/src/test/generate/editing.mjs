// Random edits over all types of Yjs, and what a document shows in the forms of the recorded scenarios.
import * as Y from 'yjs'

let seed = 0
export const reseed = value => { seed = value | 0 }
export const random = () => {
  seed = seed + 0x6D2B79F5 | 0
  let t = Math.imul(seed ^ seed >>> 15, 1 | seed)
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
  return ((t ^ t >>> 14) >>> 0) / 4294967296
}
export const below = n => Math.floor(random() * n)
export const pick = list => list[below(list.length)]
export const shuffled = list => {
  const copy = list.slice()
  for (let i = copy.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [copy[i], copy[j]] = [copy[j], copy[i]]
  }
  return copy
}
export const base64 = bytes => Buffer.from(bytes).toString('base64')

// A receiver's clean-up of formats is an edit of its own, not part of the merge: replicas that are compared don't make it.
const callObserver = Y.Text.prototype._callObserver
Y.Text.prototype._callObserver = function (transaction, keys) {
  const formatted = this._hasFormatting
  this._hasFormatting = formatted && !this.doc.pure
  callObserver.call(this, transaction, keys)
  this._hasFormatting = formatted
}

const plain = () => pick([strings[below(12)], 1, -5, 0, 2 ** 31, 1.5, 1e300, 'a', '😀x', '', 'é\u0000"\\', null, true, false, { a: [1, { b: 2 }] }, [1, [2, 'x']], {}])
const strings = ['a', 'bc', '😀', 'def😀g', 'xxxxxxxxxx', '\n', 'e\u0301👩\u200d👧', '\u0000', '\ufeffq', '\u05d0\u202e', '\ufffd', '']
const keys = ['k0', 'k1', 'k2', '7', 'ключ', '', '__proto__', '😀']
const listValue = () => random() < 0.2 ? new Uint8Array([1, 2, below(256)]) : plain()
const mapValue = () => pick([listValue(), 2n ** 40n, undefined, NaN, -0, Infinity])
// Whether its maker has loaded it isn't written, so it must not differ from what a reader makes of it.
const subdocument = () => {
  const autoLoad = random() < 0.3
  return new Y.Doc({ guid: 'g' + below(1000), meta: pick([null, { a: 1 }]), autoLoad, shouldLoad: autoLoad, gc: random() < 0.8 })
}
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

export const roots = doc => [
  doc.getText('t'), doc.getMap('m'), doc.getArray('a'), doc.getXmlFragment('x'), doc.getText('second'), doc.getText('')
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
// Formatting may cut a pair of surrogates, and so lose it, in the client's own document without an update that says so:
// the client alone shows it differently then. So it is not asked for.
const besidePairs = (type, at) => {
  const units = []
  for (let item = type._start; item !== null; item = item.right) {
    if (!item.deleted && item.countable) units.push(...(item.content.str ? item.content.str.split('') : [' ']))
  }
  return at > 0 && /^[\ud800-\udbff]$/.test(units[at - 1]) ? at - 1 : at
}
const editText = type => {
  const choice = random()
  const at = below(type.length + 1)
  if (choice < 0.45 || type.length === 0) {
    type.insert(at, pick(strings), pick([undefined, undefined, undefined, attributes(), {}]))
  } else if (choice < 0.6) {
    cut(type, 8)
  } else if (choice < 0.8) {
    const from = besidePairs(type, below(type.length))
    type.format(from, besidePairs(type, Math.min(type.length, from + 1 + below(12))) - from, attributes())
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
  const key = pick(keys)
  const choice = random()
  if (choice < 0.55) type.set(key, mapValue())
  else if (choice < 0.72) type.set(key, newType(0))
  else if (choice < 0.77) type.set(key, subdocument())
  else if (choice < 0.97 || type.size === 0) type.delete(key)
  else type.clear()
}
// What Yjs wrote before it had ContentAny, and still reads.
const insertJson = type => {
  const lefts = [null]
  for (let item = type._start; item !== null; item = item.right) lefts.push(item)
  const left = pick(lefts)
  const right = left ? left.right : type._start
  const { doc } = type
  const id = Y.createID(doc.clientID, Y.getState(doc.store, doc.clientID))
  const content = new Y.ContentJSON(Array.from({ length: 1 + below(3) }, () => pick([plain(), undefined])))
  type._searchMarker.length = 0
  new Y.Item(id, left, left && left.lastId, right, right && right.id, type, null, content).integrate(doc._transaction, 0)
}
const editArray = type => {
  const choice = random()
  const at = below(type.length + 1)
  if (choice < 0.45 || type.length === 0) type.insert(at, Array.from({ length: 1 + below(4) }, listValue))
  else if (choice < 0.55) type.push([listValue()])
  else if (choice < 0.7) type.insert(at, [newType(0)])
  else if (choice < 0.74) type.insert(at, [subdocument()])
  else if (choice < 0.8) insertJson(type)
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
export const canonical = value => {
  if (Array.isArray(value)) return '[' + value.map(canonical).join() + ']'
  if (value !== null && typeof value === 'object') {
    return '{' + Object.keys(value).sort().map(key => JSON.stringify(key) + ':' + canonical(value[key])).join() + '}'
  }
  return JSON.stringify(value)
}
const rootNames = ['t', 'm', 'a', 'x', 'second', '']
export const view = doc => Object.fromEntries(roots(doc).map((type, i) => [rootNames[i], tree(type)]))
export const replica = (updates, apply, gc = true) => {
  const doc = new Y.Doc({ gc })
  doc.pure = true
  roots(doc)
  updates.forEach(update => apply(doc, update))
  return doc
}
export const pending = doc => {
  const { pendingStructs, pendingDs } = doc.store
  if (!pendingStructs && !pendingDs) return null
  return { missing: pendingStructs ? Object.fromEntries(pendingStructs.missing) : {}, ds: pendingDs !== null }
}

// Yjs notes one missing clock of each client, and so may leave lying what is ready; asked again, it merges it.
export const retry = doc => {
  for (let before = null; doc.store.pendingStructs && before !== canonical(sizes(doc));) {
    before = canonical(sizes(doc))
    const { update } = doc.store.pendingStructs
    doc.store.pendingStructs = null
    Y.applyUpdateV2(doc, update)
  }
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(new Y.Doc()))
}
export const sizes = doc => Object.fromEntries(Y.decodeStateVector(Y.encodeStateVector(doc)))

// Client ids of one, five and eight bytes.
export const clientIds = count => {
  const ids = new Set()
  while (ids.size < count) {
    ids.add(pick([() => 1 + below(200), () => 1 + below(2 ** 32 - 2), () => 2 ** 53 - 1 - below(300)])())
  }
  return [...ids]
}
// A client's document; what it changes itself goes to made(v1, v2).
export const writer = (client, made) => {
  const doc = new Y.Doc({ gc: random() < 0.8 })
  doc.clientID = client
  doc.pure = random() < 0.5
  roots(doc)
  let v1 = null
  doc.on('update', (update, origin) => { v1 = origin === 'sync' ? null : update })
  doc.on('updateV2', (v2, origin) => { if (origin !== 'sync') made(v1, v2) })
  doc.history = new Y.UndoManager(roots(doc), { trackedOrigins: new Set(['edit']), captureTimeout: random() < 0.5 ? 0 : 1e9 })
  return doc
}
export const act = doc => {
  const choice = random()
  if (choice < 0.08) doc.history.undo()
  else if (choice < 0.12) doc.history.redo()
  else doc.transact(() => { for (let i = random() < 0.25 ? 1 + below(6) : 1; i > 0; i--) edit(doc) }, 'edit')
  if (random() < 0.1) doc.history.stopCapturing()
}
export const sync = (from, to) => Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)), 'sync')
