// Where a record of JSON has its text.

/** The text of a record; throws an error that says why it has none. */
export type Texts = (record: unknown) => string;

/** The keys of a field: a key, or a JSON pointer (RFC 6901), such as `/message/text`. */
export function keysOf(field: string): string[] {
  if (!field.startsWith('/')) return [field];
  return field
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function textsAt(field: string): Texts {
  const keys = keysOf(field);
  return (record) => {
    let value: unknown = record;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null) throw new Error(`it has no ${shown(field)}, since it is ${kindOf(value)}`);
      value = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    }
    if (typeof value === 'string') return value;
    throw new Error(value === undefined ? `it has no ${shown(field)}` : `its ${shown(field)} is ${kindOf(value)}, not a string`);
  };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return value === undefined ? 'missing' : `a ${typeof value}`;
}

function shown(field: string): string {
  return JSON.stringify(field);
}
