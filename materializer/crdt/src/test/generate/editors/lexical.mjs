// @lexical/yjs with a headless editor: both bindings, as edits are made.
import './dom.mjs'
import { CodeNode, $createCodeNode } from '@lexical/code'
import { createHeadlessEditor } from '@lexical/headless'
import { AutoLinkNode, LinkNode, $createLinkNode } from '@lexical/link'
import { ListItemNode, ListNode, $createListItemNode, $createListNode } from '@lexical/list'
import { HeadingNode, QuoteNode, $createHeadingNode, $createQuoteNode } from '@lexical/rich-text'
import { TableCellNode, TableNode, TableRowNode, $createTableCellNode, $createTableNode, $createTableRowNode } from '@lexical/table'
import { createBinding, createBindingV2__EXPERIMENTAL, syncLexicalUpdateToYjs, syncLexicalUpdateToYjsV2__EXPERIMENTAL } from '@lexical/yjs'
import { $createLineBreakNode, $createParagraphNode, $createTextNode, $getRoot, $isElementNode, DecoratorNode, TextNode } from 'lexical'
import { recorded, recording } from './recording.mjs'

class MentionNode extends TextNode {
  static getType () { return 'mention' }
  static clone (node) { return new MentionNode(node.__text, node.__key) }
  static importJSON (json) { return new MentionNode(json.text) }
  isTextEntity () { return true }
}
class ImageNode extends DecoratorNode {
  __altText = ''
  constructor (altText = '', key) { super(key); this.__altText = altText }
  static getType () { return 'image' }
  static clone (node) { return new ImageNode(node.__altText, node.__key) }
  static importJSON (json) { return new ImageNode(json.altText) }
  exportJSON () { return { ...super.exportJSON(), altText: this.__altText } }
  getTextContent () { return this.__altText }
  isInline () { return true }
  createDOM () { return document.createElement('span') }
  updateDOM () { return false }
}
const nodes = [HeadingNode, QuoteNode, ListNode, ListItemNode, LinkNode, AutoLinkNode, CodeNode, TableNode, TableRowNode, TableCellNode, MentionNode, ImageNode]
const provider = {
  awareness: { getLocalState: () => null, getStates: () => new Map(), setLocalState () {}, on () {}, off () {} },
  connect () {}, disconnect () {}, on () {}, off () {}
}

/** The text of each element that holds no other block. */
function $lines (node) {
  const isBlock = child => $isElementNode(child) && !child.isInline()
  if (!$isElementNode(node) || !node.getChildren().some(isBlock)) return [node.getTextContent()]
  return node.getChildren().flatMap($lines)
}

function write (id, second, ...steps) {
  const kept = recorded()
  const editor = createHeadlessEditor({ nodes, onError (error) { throw error } })
  const docs = new Map([['main', kept.doc]])
  const binding = second
    ? createBindingV2__EXPERIMENTAL(editor, 'main', kept.doc, docs, { rootName: 'root' })
    : createBinding(editor, provider, 'main', kept.doc, docs)
  const sync = second ? syncLexicalUpdateToYjsV2__EXPERIMENTAL : syncLexicalUpdateToYjs
  editor.registerUpdateListener(u => sync(binding, provider, u.prevEditorState, u.editorState, u.dirtyElements, u.dirtyLeaves, u.normalizedNodes, u.tags))
  for (const step of steps) editor.update(step, { discrete: true })
  return editor.read(() => recording(id, '@lexical/yjs 0.52.0', second ? 'prosemirror' : 'lexical', 'root', kept, {
    text: $lines($getRoot()).filter(line => line !== '').join('\n'),
    whole: $getRoot().getTextContent(),
    json: second ? null : editor.getEditorState().toJSON().root
  }))
}

const text = (string, format) => { const node = $createTextNode(string); if (format) node.toggleFormat(format); return node }
const add = make => () => $getRoot().append(...make())
const li = (...content) => $createListItemNode().append(...content)
const cell = string => $createTableCellNode(0).append($createParagraphNode().append(text(string)))
const article = [
  add(() => [$createHeadingNode('h1').append(text('Title'))]),
  add(() => [$createParagraphNode().append(text('One '), text('bold', 'bold'), text(' and '), $createLinkNode('https://example.org').append(text('link')), text('.'))]),
  add(() => [$createParagraphNode()]),
  add(() => [$createParagraphNode().append(text('up'), $createLineBreakNode(), text('down'))]),
  add(() => [$createListNode('bullet').append(li(text('one')), li(text('two')), li($createListNode('number').append(li(text('deep')))))]),
  add(() => [$createQuoteNode().append(text('quoted')), $createCodeNode('js').append(text('f(1)'), $createLineBreakNode(), text('g(2)'))]),
  add(() => [$createTableNode().append($createTableRowNode().append(cell('a'), cell('b')), $createTableRowNode().append(cell('c'), cell('d')))]),
  add(() => [$createParagraphNode().append(text('ask '), new MentionNode('@Ann'), text(' see '), new ImageNode('a cat'))]),
  add(() => [$createParagraphNode().append($createLinkNode('https://example.org').append(text('only')), $createLinkNode('https://example.org').append(text('links')))])
]
const typing = [
  add(() => [$createParagraphNode().append(text('Hello'))]),
  () => { $getRoot().getFirstChild().getFirstChild().setTextContent('Hello world') },
  () => { $getRoot().getFirstChild().getFirstChild().setTextContent('Hello brave world') },
  add(() => [$createParagraphNode().append(text('more'))]),
  () => { $getRoot().getFirstChild().remove() }
]

export default [
  write('lexical-article', false, ...article),
  write('lexical-typed', false, ...typing),
  write('lexical-empty', false, add(() => [$createParagraphNode()])),
  write('lexical-v2-article', true, ...article),
  write('lexical-v2-typed', true, ...typing)
]
