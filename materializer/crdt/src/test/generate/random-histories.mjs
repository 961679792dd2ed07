// Random concurrent histories, one JSON object a line, for DifferentialTest: npm install yjs@13.6.33 in some folder,
// then mvn -pl materializer/crdt -am test -Dtest=DifferentialTest -Dwalmerge.yjs=FOLDER [-Dwalmerge.seed=N]
// By hand: node random-histories.mjs SEED COUNT, where yjs can be resolved. No formats: Yjs' receivers clean those up.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [seedText, countText, folder] = process.argv.slice(2)
const Y = createRequire(pathToFileURL((folder ?? process.cwd()) + '/').href)('yjs')

let seed = Number(seedText)
const random = () => {
  seed = seed + 0x6D2B79F5 | 0
  let t = Math.imul(seed ^ seed >>> 15, 1 | seed)
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
  return ((t ^ t >>> 14) >>> 0) / 4294967296
}
const below = n => Math.floor(random() * n)
const pick = list => list[below(list.length)]

const listValue = () => pick([1, -5, 'a', '😀x', null, true, 1.5, new Uint8Array([1, 2]), { a: [1, { b: 2 }] }, [1, 2]])
const mapValue = () => pick([listValue(), 2n ** 40n, undefined])
const newType = () => pick([
  () => new Y.Map(), () => new Y.Array(), () => new Y.Text('ab😀'), () => new Y.XmlElement('P'), () => new Y.XmlText('x')
])()

const types = doc => {
  const found = [doc.getText('t'), doc.getMap('m'), doc.getArray('a'), doc.getXmlFragment('x')]
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
const edit = doc => {
  const type = pick(types(doc))
  const choice = random()
  if (type instanceof Y.Text) {
    if (choice < 0.6 || type.length === 0) type.insert(below(type.length + 1), pick(['a', 'bc', '😀', 'def😀g', 'xxx']))
    else cut(type, 5)
  } else if (type instanceof Y.Map) {
    const key = 'k' + below(3)
    if (choice < 0.6) type.set(key, mapValue())
    else if (choice < 0.75) type.set(key, newType())
    else type.delete(key)
  } else if (type instanceof Y.Array) {
    if (choice < 0.5 || type.length === 0) type.insert(below(type.length + 1), [listValue(), listValue()])
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
const base64 = bytes => Buffer.from(bytes).toString('base64')

for (let n = 0; n < Number(countText); n++) {
  const clients = new Set()
  while (clients.size < 2 + n % 4) clients.add(random() < 0.5 ? 1 + below(200) : 1 + below(2 ** 32 - 2))
  const updates = []
  const docs = [...clients].map(client => {
    const doc = new Y.Doc({ gc: random() < 0.8 })
    doc.clientID = client
    types(doc)
    doc.on('update', (update, origin) => origin === 'sync' || updates.push(update))
    return doc
  })
  for (let step = 10 + below(80); step > 0; step--) {
    const doc = pick(docs)
    doc.transact(() => { for (let i = random() < 0.2 ? 1 + below(6) : 1; i > 0; i--) edit(doc) })
    const other = pick(docs)
    if (random() < 0.3) Y.applyUpdate(other, Y.encodeStateAsUpdate(doc, Y.encodeStateVector(other)), 'sync')
  }
  const replica = new Y.Doc()
  updates.forEach(update => Y.applyUpdate(replica, update))
  types(replica)
  console.log(JSON.stringify({
    n,
    updates: updates.map(update => ({ v1: base64(update), v2: base64(Y.convertUpdateFormatV1ToV2(update)) })),
    stateV1: base64(Y.encodeStateAsUpdate(replica)),
    stateV2: base64(Y.encodeStateAsUpdateV2(replica)),
    text: replica.getText('t').toString(),
    xml: replica.getXmlFragment('x').toString()
  }))
}
