// Maps and lists of records: tldraw's records, checked by its schema, as its store is kept in Yjs (a Y.Map by id, or
// y-utility's list of key and value); Excalidraw's elements in a list of maps; and plain application data.
import * as Y from 'yjs'
import { createTLSchema } from '@tldraw/tlschema'
import { YKeyValue } from 'y-utility/y-keyvalue'
import { recorded, recording } from './recording.mjs'

const paragraph = (...content) => ({ type: 'paragraph', attrs: { dir: 'auto' }, content })
const rich = (...content) => ({ type: 'doc', content })
const text = (string, ...marks) => marks.length ? { type: 'text', text: string, marks: marks.map(type => ({ type })) } : { type: 'text', text: string }
const base = (id, type, index) => ({
  id: 'shape:' + id, typeName: 'shape', type, index, parentId: 'page:page', x: 1, y: 2, rotation: 0, opacity: 1, isLocked: false, meta: {}
})
const look = { color: 'black', size: 'm', font: 'draw', scale: 1 }
const records = [
  { id: 'document:document', typeName: 'document', gridSize: 10, name: 'Board', meta: {} },
  { id: 'page:page', typeName: 'page', name: 'First page', index: 'a1', meta: {} },
  { ...base('a', 'text', 'a1'), props: { ...look, textAlign: 'start', w: 8, autoSize: true, richText: rich(paragraph(text('Hello '), text('bold', 'bold')), paragraph(text('second line'))) } },
  { ...base('b', 'geo', 'a2'), props: { ...look, geo: 'rectangle', dash: 'draw', url: 'https://example.org', w: 100, h: 50, growY: 0, flipX: false, flipY: false, labelColor: 'black', fill: 'none', align: 'middle', verticalAlign: 'middle', richText: rich(paragraph(text('in a box'))) } },
  { ...base('c', 'frame', 'a3'), props: { w: 1, h: 1, name: 'Frame 1', color: 'black' } },
  { ...base('d', 'image', 'a4'), props: { w: 1, h: 1, playing: true, url: '', assetId: null, crop: null, flipX: false, flipY: false, altText: 'a cat' } }
]
for (const record of records) createTLSchema().types[record.typeName].validate(record)
const shown = 'Board\nFirst page\nHello bold\nsecond line\nin a box\nFrame 1\na cat'

function write (id, editor, root, get, result, ...steps) {
  const kept = recorded()
  const type = get(kept.doc)
  for (const step of steps) kept.doc.transact(() => step(type, kept.doc))
  return recording(id, editor, 'values', root, kept, { ...result, json: type.toJSON() })
}
const element = (id, type, more) => ({
  id, type, x: 0, y: 0, width: 10, height: 10, angle: 0, strokeColor: '#1e1e1e', backgroundColor: 'transparent', fillStyle: 'solid',
  seed: 1, version: 3, versionNonce: 17, isDeleted: false, boundElements: null, groupIds: [], frameId: null, link: null, ...more
})
const placed = (pos, el) => new Y.Map([['pos', pos], ['el', el]])

export default [
  write('tldraw-map', '@tldraw/tlschema 5.4.2', 'tldraw', doc => doc.getMap('tldraw'), { text: shown },
    ...records.map(record => map => map.set(record.id, record))),
  write('tldraw-list', '@tldraw/tlschema 5.4.2, y-utility 0.1.4', 'tl_room', doc => doc.getArray('tl_room'), { text: shown },
    ...records.map(record => list => new YKeyValue(list).set(record.id, record))),
  write('excalidraw-list', 'elements of Excalidraw 0.17, in a list as y-excalidraw keeps it', 'elements', doc => doc.getArray('elements'),
    { text: 'a long label\nFrame' },
    list => list.push([placed('a0', element('1', 'rectangle'))]),
    list => list.push([placed('a1', element('2', 'text', { text: 'a long\nlabel', originalText: 'a long label', fontFamily: 1, containerId: '1' }))]),
    list => list.push([placed('a2', element('3', 'text', { text: 'gone', originalText: 'gone', isDeleted: true })), placed('a3', element('4', 'frame', { name: 'Frame' }))]),
    (list, doc) => doc.getMap('assets').set('f1', { id: 'f1', mimeType: 'image/png', dataURL: 'data:image/png;base64,iVBORw0KGgo=' })),
  write('application-data', 'yjs 13.6.33', 'todo', doc => doc.getMap('todo'), { text: 'with care\nbuy milk\nb\na\nTasks' },
    map => map.set('title', 'Tasks'),
    map => map.set('items', new Y.Array()),
    map => map.get('items').push([new Y.Map([['done', false], ['text', 'buy milk'], ['notes', new Y.Text('with care')]])]),
    map => map.set('list', ['b', 3, null, ['a', { x: '' }]])),
  write('application-list', 'yjs 13.6.33', 'list', doc => doc.getArray('list'), { text: 'one\ntwo' },
    list => list.push(['one', 1, true]),
    list => list.push(['gone', 'two']),
    list => list.delete(3))
]
