// y-prosemirror, without a view: documents of a schema of basic blocks, lists, tables and a mention.
import { Schema } from 'prosemirror-model'
import { schema as basic } from 'prosemirror-schema-basic'
import { addListNodes } from 'prosemirror-schema-list'
import { tableNodes } from 'prosemirror-tables'
import { updateYFragment, yXmlFragmentToProsemirrorJSON } from 'y-prosemirror'
import { blockLines, recorded, recording } from './recording.mjs'

const mention = {
  inline: true,
  group: 'inline',
  atom: true,
  attrs: { id: {}, label: { default: null } },
  toDOM: node => ['span', { 'data-id': node.attrs.id }]
}
const schema = new Schema({
  nodes: addListNodes(basic.spec.nodes, 'paragraph block*', 'block')
    .append(tableNodes({ tableGroup: 'block', cellContent: 'block+', cellAttributes: {} }))
    .append({ mention }),
  marks: basic.spec.marks
})
const { nodes, marks } = schema
const text = (string, ...with_) => schema.text(string, with_.map(([name, attrs]) => marks[name].create(attrs)))
const inline = content => content.map(c => typeof c === 'string' ? text(c) : c)
const p = (...content) => nodes.paragraph.create(null, inline(content))
const h = (level, ...content) => nodes.heading.create({ level }, inline(content))
const li = (...content) => nodes.list_item.create(null, content)
const ul = (...items) => nodes.bullet_list.create(null, items)
const ol = (...items) => nodes.ordered_list.create({ order: 3 }, items)
const br = () => nodes.hard_break.create()
const at = (id, label) => nodes.mention.create({ id, label })
const img = attrs => nodes.image.create({ src: 'i.png', ...attrs })
const cell = (...content) => nodes.table_cell.create(null, content)
const head = (...content) => nodes.table_header.create(null, content)
const row = (...cells) => nodes.table_row.create(null, cells)

const leafText = node => {
  switch (node.type.name) {
    case 'hard_break': return '\n'
    case 'mention': return node.attrs.label ?? node.attrs.id
    case 'image': return [...new Set([node.attrs.alt, node.attrs.title].filter(Boolean))].join(' ')
    default: return ''
  }
}

/** The blocks come one after another, as somebody writes them. */
function write (id, blocks) {
  const kept = recorded()
  const fragment = kept.doc.getXmlFragment('prosemirror')
  const meta = { mapping: new Map(), isOMark: new Map() }
  let doc
  for (let i = 1; i <= blocks.length; i++) {
    doc = nodes.doc.create(null, blocks.slice(0, i))
    doc.check()
    kept.doc.transact(() => updateYFragment(kept.doc, fragment, doc, meta))
  }
  return recording(id, 'y-prosemirror 1.3.7', 'prosemirror', 'prosemirror', kept, {
    text: blockLines(doc, leafText),
    whole: doc.textBetween(0, doc.content.size, '\n', leafText),
    json: yXmlFragmentToProsemirrorJSON(fragment)
  })
}

export default [
  write('prosemirror-blocks', [
    h(1, 'Title'),
    p('One ', text('bold', ['strong']), text(' and both', ['strong'], ['em']), ' end.'),
    p(),
    p('After an ', text('empty', ['link', { href: 'https://example.org', title: null }]), ' one'),
    nodes.blockquote.create(null, [p('quoted'), p('twice')]),
    nodes.code_block.create(null, [text('let a = 1\nlet b = 2')]),
    nodes.horizontal_rule.create(),
    p('last')
  ]),
  write('prosemirror-lists', [
    p('before'),
    ul(li(p('one')), li(p('two'), ul(li(p('two a')), li(p('two b'), ol(li(p('deep'))))))),
    ol(li(p('three'), p('more of three')), li(p('four')))
  ]),
  write('prosemirror-inline', [
    p('up', br(), 'down', br(), br(), 'far'),
    p('ask ', at('u1', 'Ann'), ' or ', at('u2', null), '!'),
    p(at('u1', 'Ann'), at('u3', 'Bob')),
    p(at('u1', 'Ann'), br(), at('u3', 'Bob')),
    p('a ', img({ alt: 'cat', title: 'sleeping' }), ' here'),
    p(img({ alt: 'dog', title: 'dog' })),
    p(img({}))
  ]),
  write('prosemirror-table', [
    nodes.table.create(null, [
      row(head(p('Name')), head(p('Role'))),
      row(cell(p('Ann')), cell(p('writes'), p('and reads'))),
      row(cell(p()), cell(p('Bob')))
    ]),
    p('after')
  ]),
  write('prosemirror-unicode', [p('𝔘nicode 😀', text('日本', ['em']), 'العربية'), p('naïve\u00a0x')]),
  write('prosemirror-empty', [p()])
]
