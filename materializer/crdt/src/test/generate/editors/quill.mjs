// y-quill: a Quill editor in a document of jsdom, bound to a Y.Text.
import './dom.mjs'
import { recorded, recording } from './recording.mjs'

const Quill = (await import('quill')).default
const { QuillBinding } = await import('y-quill')

const Embed = Quill.import('blots/embed')
class Mention extends Embed {
  static blotName = 'mention'
  static tagName = 'span'
  static className = 'mention'
  static create (data) { const node = super.create(); node.dataset.value = JSON.stringify(data); return node }
  static value (node) { return JSON.parse(node.dataset.value) }
}
class Formula extends Embed {
  static blotName = 'formula'
  static tagName = 'span'
  static className = 'ql-formula'
  static create (value) { const node = super.create(value); node.dataset.value = value; return node }
  static value (node) { return node.dataset.value }
}
Quill.register({ 'formats/mention': Mention, 'formats/formula': Formula }, true)

const embedText = ({ insert, attributes = {} }) => insert.mention
  ? insert.mention.denotationChar + insert.mention.value
  : insert.formula ?? attributes.alt ?? ''

function write (id, ...steps) {
  const kept = recorded()
  const type = kept.doc.getText('quill')
  const quill = new Quill(document.body.appendChild(document.createElement('div')))
  const binding = new QuillBinding(type, quill)
  for (const step of steps) step(quill)
  const text = quill.getContents().ops.map(op => typeof op.insert === 'string' ? op.insert : embedText(op)).join('')
  binding.destroy()
  return recording(id, 'y-quill 1.0.0, quill 2.0.3', 'quill', 'quill', kept, {
    text: text.replace(/\n$/, ''),
    whole: id === 'quill-embeds' ? null : quill.getText().replace(/\n$/, ''),
    json: type.toDelta()
  })
}
const type = (index, text, formats = {}) => quill => quill.insertText(index, text, formats, 'user')

export default [
  write('quill-article',
    type(0, 'Title'),
    quill => quill.formatLine(0, 1, 'header', 1, 'user'),
    type(5, '\nOne bold word'),
    quill => quill.formatText(10, 4, 'bold', true, 'user'),
    quill => quill.formatLine(6, 1, 'header', false, 'user'),
    type(19, '\nfirst\nsecond'),
    quill => quill.formatLine(20, 8, 'list', 'bullet', 'user'),
    quill => quill.deleteText(6, 4, 'user')),
  write('quill-embeds',
    type(0, 'ask  about '),
    quill => quill.insertEmbed(4, 'mention', { id: 'u1', value: 'Ann', denotationChar: '@' }, 'user'),
    quill => quill.insertEmbed(12, 'formula', 'e=mc^2', 'user'),
    quill => quill.insertEmbed(13, 'image', 'i.png', 'user'),
    quill => quill.formatText(13, 1, 'alt', 'a cat', 'user')),
  write('quill-first-embed', quill => quill.insertEmbed(0, 'image', 'i.png', 'user'), type(1, 'x')),
  write('quill-plain', type(0, 'abc'), type(3, 'def'), quill => quill.deleteText(0, 1, 'user'))
]
