// @slate-yjs/core: an editor without a view whose edits go to a Y.XmlText.
import * as Y from 'yjs'
import { createEditor, Editor, Element, Node, Transforms } from 'slate'
import { slateNodesToInsertDelta, withYjs, yTextToSlateElement, YjsEditor } from '@slate-yjs/core'
import { recorded, recording } from './recording.mjs'

const INLINE = new Set(['link', 'mention'])
const VOID = new Set(['mention', 'image'])
const label = node => node.character ?? node.caption ?? ''

/** The string of each element without other blocks; a void element stands for its label. */
function lines (editor, node) {
  if (!Editor.isEditor(node) && (editor.isVoid(node) || !node.children.some(c => Element.isElement(c) && !editor.isInline(c)))) {
    const inline = n => !Element.isElement(n) ? n.text : editor.isVoid(n) ? label(n) : n.children.map(inline).join('')
    return [inline(node)]
  }
  return node.children.flatMap(child => lines(editor, child))
}

function write (id, initial, ...steps) {
  const kept = recorded()
  const root = kept.doc.get('content', Y.XmlText)
  root.applyDelta(slateNodesToInsertDelta(initial))
  const editor = withYjs(createEditor(), root)
  editor.isInline = element => INLINE.has(element.type)
  editor.isVoid = element => VOID.has(element.type)
  YjsEditor.connect(editor)
  for (const step of steps) {
    step(editor)
    YjsEditor.flushLocalChanges(editor)
  }
  return recording(id, '@slate-yjs/core 1.0.2', 'slate', 'content', kept, {
    text: lines(editor, editor).filter(line => line !== '').join('\n'),
    whole: steps.length || initial.length === 1 ? Node.string(editor) : null,
    json: yTextToSlateElement(root).children
  })
}
const el = (type, ...children) => ({ type, children: children.map(c => typeof c === 'string' ? { text: c } : c) })

export default [
  write('slate-article', [
    el('heading-one', 'Title'),
    el('paragraph', 'Some ', { text: 'bold', bold: true }, ' and ', { type: 'link', url: 'https://example.org', children: [{ text: 'link' }] }, ''),
    el('paragraph', ''),
    el('bulleted-list', el('list-item', 'one'), el('list-item', 'two')),
    el('block-quote', 'first line\nsecond line'),
    el('table', el('table-row', el('table-cell', 'a'), el('table-cell', 'b'))),
    { type: 'image', url: 'i.png', caption: 'A cat', children: [{ text: '' }] },
    el('paragraph', 'ask ', { type: 'mention', character: 'Ann', children: [{ text: '' }] }, ''),
    el('paragraph', '', { type: 'mention', character: 'Ann', children: [{ text: '' }] }, '', { type: 'mention', character: 'Bob', children: [{ text: '' }] }, '')
  ]),
  write('slate-typed', [el('paragraph', 'Hello')],
    editor => Transforms.insertText(editor, ' world', { at: { path: [0, 0], offset: 5 } }),
    editor => Transforms.splitNodes(editor, { at: { path: [0, 0], offset: 5 } }),
    editor => Transforms.setNodes(editor, { type: 'heading-two' }, { at: [0] }),
    editor => Transforms.insertNodes(editor, el('paragraph', 'third'), { at: [2] }),
    editor => Transforms.removeNodes(editor, { at: [1] })),
  write('slate-empty', [el('paragraph', '')])
]
