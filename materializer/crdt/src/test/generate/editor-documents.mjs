// Documents as editors build them, for ProjectionTest: npm install yjs@13.6.33, then node editor-documents.mjs
import * as Y from 'yjs'

const state = fill => {
  const doc = new Y.Doc()
  doc.clientID = 7
  fill(doc)
  return Buffer.from(Y.encodeStateAsUpdate(doc)).toString('base64')
}
const element = (name, attributes, ...children) => {
  const e = new Y.XmlElement(name)
  for (const key in attributes) e.setAttribute(key, attributes[key])
  e.insert(0, children.map(child => typeof child === 'string' ? new Y.XmlText(child) : child))
  return e
}
const paragraph = (...children) => element('paragraph', {}, ...children)

console.log('PROSEMIRROR', state(doc => doc.getXmlFragment('prosemirror').insert(0, [
  element('heading', { level: 1 }, 'Hello'),
  paragraph('world ', element('mention', { id: 'u1', label: 'Ann' }), '!'),
  element('bulletList', {},
    element('listItem', {}, paragraph('one')),
    element('listItem', {}, paragraph('two'))),
  element('table', {}, element('tableRow', {},
    element('tableCell', {}, paragraph('a')),
    element('tableCell', {}, paragraph('b')))),
  paragraph('up', element('hardBreak', {}), 'down'),
  paragraph()
])))
console.log('BLOCKNOTE', state(doc => doc.getXmlFragment('document-store').insert(0, [
  element('blockGroup', {},
    element('blockContainer', { id: '1' }, paragraph('Hello')),
    element('blockContainer', { id: '2' }, paragraph('world'),
      element('blockGroup', {}, element('blockContainer', { id: '3' }, paragraph('nested')))))
])))
console.log('MIXED', state(doc => {
  doc.getText('b').insert(0, 'second')
  doc.getText('a').insert(0, 'first', { bold: true })
  doc.getMap('m').set('x', { deep: [1, null, undefined, NaN, -0, 2n, new Uint8Array([1, 2])] })
  doc.getArray('l').insert(0, ['x', 1.5])
  doc.getText('empty').insert(0, 'gone')
  doc.getText('empty').delete(0, 4)
  doc.getText('e').insertEmbed(0, { image: 'i.png' })
  doc.getText('e').insert(1, 'cap')
}))
