// y-codemirror.next: a CodeMirror view in a document of jsdom, bound to a Y.Text. Monaco's binding writes the same.
import './dom.mjs'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { yCollab } from 'y-codemirror.next'
import { recorded, recording } from './recording.mjs'

function write (id, ...changes) {
  const kept = recorded()
  const type = kept.doc.getText('codemirror')
  const view = new EditorView({
    state: EditorState.create({ doc: type.toString(), extensions: [yCollab(type, null, { undoManager: false })] }),
    parent: document.body
  })
  for (const change of changes) view.dispatch({ changes: change })
  const text = view.state.doc.toString()
  view.destroy()
  return recording(id, 'y-codemirror.next 0.3.6', 'text', 'codemirror', kept, { text, whole: text, json: type.toJSON() })
}

export default [
  write('codemirror-source',
    { from: 0, insert: 'int main() {\n' },
    { from: 13, insert: '\n  return 0;\n}\n' },
    { from: 4, to: 8, insert: 'run' })
]
