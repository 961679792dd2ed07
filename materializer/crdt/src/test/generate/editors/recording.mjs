// What all recorders share: a Yjs document whose updates are kept one by one, so that a test can see it grow.
import * as Y from 'yjs'

/** A document that keeps the updates of each edit; always of the same client, so that recordings differ only where editors do. */
export function recorded () {
  const doc = new Y.Doc()
  doc.clientID = 7
  const updates = []
  doc.on('update', update => updates.push(Buffer.from(update).toString('base64')))
  return { doc, updates }
}

/**
 * One recording.
 * text: the editor's own text of each block, those that aren't empty, a line each.
 * whole: the editor's own text of the whole document with its own separators, or null where it has none.
 * json: the editor's own JSON of the root, or null.
 */
export function recording (id, editor, projection, root, { doc, updates }, { text, whole = null, json = null }) {
  return {
    id,
    editor,
    projection,
    root,
    updates,
    state: Buffer.from(Y.encodeStateAsUpdate(doc)).toString('base64'),
    text,
    whole,
    json
  }
}

/** Of a ProseMirror document: the text of each textblock and of each leaf that is a block. */
export function blockLines (doc, leafText) {
  const lines = []
  doc.descendants(node => {
    if (node.isTextblock) {
      lines.push(node.textBetween(0, node.content.size, null, leafText))
      return false
    }
    if (node.isLeaf && node.isBlock) lines.push(leafText(node))
    return true
  })
  return lines.filter(line => line !== '').join('\n')
}
