// Records the documents of all editors: a line of JSON each, always the same for the same packages.
import './dom.mjs'

for (const editor of ['prosemirror', 'tiptap', 'blocknote', 'lexical', 'slate', 'quill', 'codemirror', 'records']) {
  for (const recording of (await import(`./${editor}.mjs`)).default) console.log(JSON.stringify(recording))
}
process.exit(0)
