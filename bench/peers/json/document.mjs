// The JSON document of the scenarios: metadata, an atomic string, a nested map, a list of editable objects.

const BODY_UNITS = 200;

export const META = { title: 'Quarterly planning', version: 3, archived: false, ratio: 0.75, tags: ['a', 'b', 'c'] };
export const BODY = 'Lorem ipsum dolor sit amet, '.repeat(BODY_UNITS).slice(0, BODY_UNITS);
export const SETTINGS = { theme: 'dark', fontSize: 14 };
export const NESTED = { a: 1, b: true };

/** The plain fields of an item; its `notes` are a text of their own. */
export const item = (i) => ({ id: `item-${i}`, title: `Item number ${i}`, done: i % 3 === 0, priority: i % 5 });

export const notes = (i) => `note ${i}`;

/** The whole document as plain JSON: what every engine must give. */
export function plain(items) {
  return {
    meta: META,
    doc: { body: BODY, settings: { ...SETTINGS, nested: NESTED } },
    items: Array.from({ length: items }, (_, i) => ({ ...item(i), notes: notes(i) })),
  };
}
