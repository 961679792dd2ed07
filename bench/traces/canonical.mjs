/** JSON with the keys of objects in order, and no space: so two implementations print the same. */
export function canonical(value) {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(',')}]`;
  }
  if (value !== null && typeof value === 'object') {
    const fields = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The roots of the board of prefixes.mjs. */
export function declareBoard(doc) {
  doc.getArray('lists');
  doc.getMap('cards');
  doc.getText('title');
}
