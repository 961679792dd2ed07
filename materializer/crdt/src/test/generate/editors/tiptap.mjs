// TipTap with its collaboration extension, in a document of jsdom.
import './dom.mjs'
import { Editor } from '@tiptap/core'
import Collaboration from '@tiptap/extension-collaboration'
import Image from '@tiptap/extension-image'
import Mention from '@tiptap/extension-mention'
import { TableKit } from '@tiptap/extension-table'
import TaskItem from '@tiptap/extension-task-item'
import TaskList from '@tiptap/extension-task-list'
import StarterKit from '@tiptap/starter-kit'
import { yXmlFragmentToProsemirrorJSON } from 'y-prosemirror'
import { blockLines, recorded, recording } from './recording.mjs'

const leafText = node => {
  switch (node.type.name) {
    case 'hardBreak': return '\n'
    case 'mention': return node.attrs.mentionSuggestionChar + (node.attrs.label ?? node.attrs.id)
    case 'image': return node.attrs.alt ?? ''
    default: return ''
  }
}

function write (id, ...steps) {
  const kept = recorded()
  const editor = new Editor({
    element: document.body.appendChild(document.createElement('div')),
    extensions: [
      StarterKit.configure({ undoRedo: false, trailingNode: false }),
      Collaboration.configure({ document: kept.doc, field: 'default' }),
      Image, Mention, TableKit, TaskList, TaskItem.configure({ nested: true })
    ]
  })
  for (const step of steps) step(editor)
  const doc = editor.state.doc
  const result = {
    text: blockLines(doc, leafText),
    whole: id === 'tiptap-mentions' ? null : editor.getText({ blockSeparator: '\n' }),
    json: yXmlFragmentToProsemirrorJSON(kept.doc.getXmlFragment('default'))
  }
  editor.destroy()
  return recording(id, '@tiptap/core 3.35.0', 'prosemirror', 'default', kept, result)
}
const html = string => editor => editor.commands.setContent(string)
const append = content => editor => editor.commands.insertContentAt(editor.state.doc.content.size, content)

export default [
  write('tiptap-article',
    html('<h2>Plan</h2><p>We <strong>must</strong> <a href="https://example.org">read</a> it<br>twice.</p>'),
    append('<ul><li><p>first</p></li><li><p>second</p><ul><li><p>nested</p></li></ul></li></ul>'),
    append('<pre><code class="language-js">f(1)\n\ng(2)</code></pre><hr><blockquote><p>said</p></blockquote>'),
    append('<table><tbody><tr><th>h</th><th>k</th></tr><tr><td>1</td><td>2</td></tr></tbody></table>')),
  write('tiptap-tasks',
    html('<ul data-type="taskList"><li data-type="taskItem" data-checked="true">done</li><li data-type="taskItem" data-checked="false">open</li></ul>')),
  write('tiptap-mentions',
    editor => editor.commands.setContent({
      type: 'doc',
      content: [
        { type: 'paragraph', content: [
          { type: 'text', text: 'Hi ' },
          { type: 'mention', attrs: { id: 'u1', label: 'Ann' } },
          { type: 'mention', attrs: { id: 'u2', label: null } }
        ] },
        { type: 'image', attrs: { src: 'i.png', alt: 'a cat' } }
      ]
    })),
  write('tiptap-typed',
    ...Array.from('Hello world').map(c => editor => editor.commands.insertContent({ type: 'text', text: c })),
    editor => editor.commands.setTextSelection(6),
    editor => editor.commands.splitBlock(),
    editor => editor.commands.deleteRange({ from: 1, to: 3 })),
  write('tiptap-empty', html(''))
]
