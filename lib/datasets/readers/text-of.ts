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
      if (!Object.hasOwn(value, key)) throw new NoSuchField(`it has no ${shown(field)}${insteadOf(value)}`);
      value = (value as Record<string, unknown>)[key];
    }
    if (typeof value === 'string') return value;
    throw new Error(`its ${shown(field)} is ${kindOf(value)}, not a string`);
  };
}

/** A record has other keys. */
export class NoSuchField extends Error {}

/** Keys to name. */
const NAMED = 10;

/** Which keys there are. */
function insteadOf(value: object): string {
  if (Array.isArray(value)) return '';
  const keys = Object.keys(value);
  const names = keys.slice(0, NAMED).map((key) => shown(key.length > 40 ? `${key.slice(0, 40)}…` : key));
  return keys.length === 0 ? '' : `; it has ${names.join(', ')}${keys.length > NAMED ? ' …' : ''}`;
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
