// What yjs writes for random calls of its API, one history a line, for LocalEditsTest: steps are transactions of one client, each
// with the update it emitted, and updates of another client in between.
// By hand, in this folder after npm ci: node local-edits.mjs SEED COUNT
import { pathToFileURL } from 'node:url'
import * as Y from 'yjs'
import { base64, below, pick, random, reseed } from './editing.mjs'

const words = ['a', 'b', ' ', 'xy', '😀', 'é', 'hello ', '日本', 'q😀r', '\n']
const values = [0, 1, -7, 1.5, 0.1, -0.25, 1e100, 2147483648, 'text', '', '😀', true, false, null, [], [1, 'two', null], { x: 1, y: { z: [true] } }, 9007199254740991]
const value = () => random() < 0.08 ? { $bytes: base64(Uint8Array.from({ length: below(5) }, () => below(256))) } : pick(values)
const real = v => v !== null && typeof v === 'object' && '$bytes' in v ? Uint8Array.from(Buffer.from(v.$bytes, 'base64')) : v
// Objects are compared by reference while yjs has them in memory, so what is written depends on where they came from.
const attributes = () => {
  const found = {}
  for (let n = 1 + below(2); n > 0; n--) found[pick(['b', 'i', 'color'])] = pick([true, null, 'red', 3, 'blue'])
  return found
}
const kinds = { map: Y.Map, array: Y.Array, text: Y.Text }
const roots = doc => [doc.getText('plain'), doc.getText('plain'), doc.getText('rich'), doc.getMap('map'), doc.getArray('array'), doc.getXmlFragment('xml')]
const types = doc => {
  const found = roots(doc)
  for (const type of found) {
    const children = type instanceof Y.Map ? [...type.values()] : type instanceof Y.Text ? [] : type.toArray()
    found.push(...children.filter(child => child instanceof Y.AbstractType))
  }
  return found
}
const nameOf = type => type._item === null
  ? [...type.doc.share.entries()].find(([, root]) => root === type)[0]
  : [type._item.id.client, type._item.id.clock]

// Where the last edit of each text was: editing is local.
const cursors = new Map()
const place = type => {
  const near = cursors.get(type) ?? 0
  const at = random() < 0.7 ? Math.max(0, Math.min(type.length, near)) : below(type.length + 1)
  return at
}
const range = (type, most) => {
  const at = Math.min(place(type), type.length - 1)
  return [at, 1 + below(Math.min(most, type.length - at))]
}
const textOp = (type, rich) => {
  const choice = random()
  if (type.length === 0 || choice < 0.5) {
    const at = place(type)
    const text = pick(words)
    cursors.set(type, at + text.length)
    return rich && random() < 0.4 ? ['insert', at, text, attributes()] : ['insert', at, text]
  }
  if (choice < 0.6 && place(type) > 0) {
    const at = Math.max(1, place(type))
    cursors.set(type, at - 1)
    return ['delete', at - 1, 1]
  }
  if (rich && choice < 0.8) {
    if (random() < 0.2) return ['embed', place(type), { image: below(9) }, random() < 0.5 ? attributes() : {}]
    if (random() < 0.2) return ['delta', delta(type.length)]
    return ['format', ...range(type, 8), attributes()]
  }
  const [at, count] = range(type, 6)
  cursors.set(type, at)
  return ['delete', at, count]
}
const delta = length => {
  const ops = []
  let left = length
  for (let n = 1 + below(4); n > 0; n--) {
    const choice = random()
    if (choice < 0.4) {
      ops.push(random() < 0.5 ? { insert: pick(words) } : { insert: pick(words), attributes: attributes() })
    } else if (choice < 0.5) {
      ops.push({ insert: { video: below(9) }, attributes: attributes() })
    } else {
      const count = 1 + below(random() < 0.1 ? Math.max(1, left + 2) : Math.max(1, Math.min(left, 6)))
      left -= count
      ops.push(choice < 0.75 ? (random() < 0.5 ? { retain: count } : { retain: count, attributes: attributes() }) : { delete: count })
    }
  }
  return ops
}
const op = type => {
  const choice = random()
  if (type instanceof Y.Text) {
    if (choice < 0.03) return ['set', 'k' + below(2), pick(values)]
    if (choice < 0.05) return ['unset', 'k' + below(2)]
    return textOp(type, type._item !== null ? type.length % 2 === 1 : type === type.doc.getText('rich'))
  }
  if (type instanceof Y.Map) {
    const key = 'k' + below(4)
    if (choice < 0.6) return ['set', key, value()]
    if (choice < 0.8) return ['nest', key, pick(Object.keys(kinds))]
    return ['unset', key]
  }
  if (type instanceof Y.Array) {
    if (type.length > 0 && choice < 0.3) return ['delete', ...range(type, 4)]
    if (choice < 0.5) return ['nest', random() < 0.5 ? -1 : place(type), pick(Object.keys(kinds))]
    const some = Array.from({ length: 1 + below(3) }, value)
    const at = place(type)
    cursors.set(type, at + some.length)
    return ['insert', random() < 0.4 ? -1 : at, some]
  }
  if (type.length > 0 && choice < 0.25) return ['delete', ...range(type, 3)]
  if (type instanceof Y.XmlElement && choice < 0.5) return choice < 0.4 ? ['set', 'a' + below(2), 'v' + below(5)] : ['unset', 'a' + below(2)]
  return ['nest', below(type.length + 1), pick(['p', 'h1', ''])]
}
const run = (type, [name, at, ...rest]) => {
  if (name === 'set') (type instanceof Y.Map ? type.set(at, real(rest[0])) : type.setAttribute(at, rest[0]))
  else if (name === 'unset') (type instanceof Y.Map ? type.delete(at) : type.removeAttribute(at))
  else if (name === 'delete') type.delete(at, rest[0])
  else if (name === 'format') type.format(at, rest[0], { ...rest[1] })
  else if (name === 'embed') type.insertEmbed(at, rest[0], { ...rest[1] })
  else if (name === 'delta') type.applyDelta(structuredClone(at))
  else if (name === 'insert' && type instanceof Y.Text) (rest[1] ? type.insert(at, rest[0], { ...rest[1] }) : type.insert(at, rest[0]))
  else if (name === 'insert') (at === -1 ? type.push(rest[0].map(real)) : type.insert(at, rest[0].map(real)))
  else if (type instanceof Y.Map) type.set(at, new kinds[rest[0]]())
  else if (type instanceof Y.Array) (at === -1 ? type.push([new kinds[rest[0]]()]) : type.insert(at, [new kinds[rest[0]]()]))
  else type.insert(at, [rest[0] === '' ? new Y.XmlText() : new Y.XmlElement(rest[0])])
}

/** History `n`, of the random numbers that come next. */
const history = n => {
  cursors.clear()
  const own = pick([1, 77, 4294967295])
  const doc = new Y.Doc({ gc: n % 3 !== 2 })
  const other = new Y.Doc({ gc: random() < 0.5 })
  doc.clientID = own
  doc.pure = other.pure = true
  other.clientID = own === 77 ? pick([3, 1000]) : 77
  roots(doc)
  roots(other)
  let v1 = null
  let v2 = null
  const missed = []
  doc.on('update', (update, origin) => { if (origin !== 'remote') v1 = update })
  doc.on('updateV2', (update, origin) => { if (origin !== 'remote') v2 = update })
  other.on('update', (update, origin) => { if (origin !== 'remote') missed.push(update) })
  const steps = []
  const alone = random() < 0.3
  for (let step = 20 + below(random() < 0.1 ? 400 : 80); step > 0; step--) {
    if (!alone && random() < 0.4) {
      const type = pick(types(other))
      run(type, op(type))
    }
    if (random() < 0.15) Y.applyUpdate(other, Y.encodeStateAsUpdate(doc, Y.encodeStateVector(other)), 'remote')
    if (missed.length > 0 && random() < 0.25) {
      const update = Y.mergeUpdates(missed.splice(0))
      Y.applyUpdate(doc, update, 'remote')
      steps.push({ remote: base64(update) })
    }
    v1 = v2 = null
    const ops = []
    doc.transact(() => {
      for (let count = random() < 0.25 ? 2 + below(5) : 1; count > 0; count--) {
        const type = pick(types(doc))
        const made = op(type)
        ops.push([nameOf(type), ...made])
        run(type, made)
      }
    })
    steps.push({ ops, v1: v1 && base64(v1), v2: v2 && base64(v2) })
  }
  return { n, own, gc: doc.gc, steps, stateV1: base64(Y.encodeStateAsUpdate(doc)), stateV2: base64(Y.encodeStateAsUpdateV2(doc)) }
}

export const localEdits = (seed, n) => {
  reseed(Math.imul(seed, 1000003) + n)
  return history(n)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [seed, count] = process.argv.slice(2).map(Number)
  reseed(seed)
  for (let n = 0; n < count; n++) console.log(JSON.stringify(history(n)))
}
