// BlockNote's own conversion of blocks to a Yjs document.
import { BlockNoteSchema, createInlineContentSpec, defaultInlineContentSpecs } from '@blocknote/core'
import { ServerBlockNoteEditor } from '@blocknote/server-util'
import { yXmlFragmentToProsemirrorJSON } from 'y-prosemirror'
import { blockLines, recorded, recording } from './recording.mjs'

const mention = createInlineContentSpec(
  { type: 'mention', propSchema: { user: { default: '' } }, content: 'none' },
  { render: () => ({ dom: document.createElement('span') }) })
const editor = ServerBlockNoteEditor.create({
  schema: BlockNoteSchema.create({ inlineContentSpecs: { ...defaultInlineContentSpecs, mention } })
})

const leafText = node => {
  switch (node.type.name) {
    case 'hardBreak': return '\n'
    case 'mention': return node.attrs.user
    default: return [...new Set([node.attrs.caption, node.attrs.name].filter(Boolean))].join(' ')
  }
}
let last = 0
const block = (type, content, more = {}) => ({ id: 'b' + ++last, type, content, ...more })

async function write (id, blocks) {
  const kept = recorded()
  const fragment = kept.doc.getXmlFragment('document-store')
  kept.doc.transact(() => editor.blocksToYXmlFragment(blocks, fragment))
  const doc = editor._blocksToProsemirrorNode(blocks)
  return recording(id, '@blocknote/core 0.55.0', 'prosemirror', 'document-store', kept, {
    text: blockLines(doc, leafText),
    whole: doc.textBetween(0, doc.content.size, '\n', leafText),
    json: yXmlFragmentToProsemirrorJSON(fragment)
  })
}

export default await Promise.all([
  write('blocknote-blocks', [
    block('heading', 'Welcome', { props: { level: 1 } }),
    block('paragraph', [
      { type: 'text', text: 'Some ', styles: {} },
      { type: 'text', text: 'bold', styles: { bold: true } },
      { type: 'link', href: 'https://example.org', content: ' link' }
    ]),
    block('bulletListItem', 'item', { children: [block('bulletListItem', 'child', { children: [block('paragraph', 'grandchild')] })] }),
    block('numberedListItem', 'first'),
    block('checkListItem', 'done', { props: { checked: true } }),
    block('quote', 'quoted'),
    block('codeBlock', 'a()\nb()'),
    block('paragraph', 'line one\nline two'),
    block('paragraph', '')
  ]),
  write('blocknote-media', [
    block('image', undefined, { props: { url: 'https://example.org/i.png', caption: 'A cat', name: 'i.png' } }),
    block('file', undefined, { props: { url: 'https://example.org/f.pdf', name: 'report.pdf' } }),
    block('table', {
      type: 'tableContent',
      rows: [{ cells: ['a', 'b'] }, { cells: ['', 'd'] }]
    }),
    block('divider', undefined),
    block('paragraph', [{ type: 'text', text: 'ask ', styles: {} }, { type: 'mention', props: { user: 'Ann' } }])
  ]),
  write('blocknote-empty', [block('paragraph', '')])
])
