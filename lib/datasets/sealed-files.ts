// The small files of JSON that a dataset keeps: each has a version, and a checksum of the rest. A file that is not as it was written, or
// does not have the shape of its kind, is an error that names it.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { printable } from '../base/text-encodings.js';
import { DatasetError, type DatasetErrorCode } from './dataset-error.js';
import { attempt } from './durable-files.js';

const VERSION = 1;

/** The content of a file with its version and checksum. */
export type Sealed<Content> = { version: typeof VERSION } & Content & { checksum: string };

/** What files of a kind are like, and what to do with a damaged one. */
export interface FileKind<Content> {
  members: { readonly [Name in keyof Content]-?: Shape<Content[Name]> };
  code: DatasetErrorCode;
  advice: string;
}

export function sealed<Content extends object>(content: Content): Sealed<Content> {
  const all = { version: VERSION, ...content } as const;
  return { ...all, checksum: checksumOf(all) };
}

export async function readSealed<Content extends object>(path: string, kind: FileKind<Content>): Promise<Sealed<Content>> {
  const bytes = await attempt('read', path, () => readFile(path));
  let found: Sealed<Content>;
  try {
    found = JSON.parse(bytes.toString()) as Sealed<Content>;
  } catch (error) {
    throw damagedFile(path, kind, bytes.length === 0 ? 'it is empty' : printable((error as Error).message));
  }
  const { version, checksum, ...rest } = Object(found) as Partial<Sealed<object>>;
  if (version !== undefined && version !== VERSION) {
    throw damagedFile(path, kind, `its version is ${printable(JSON.stringify(version))}, and this program knows version ${VERSION}`);
  }
  const members = { version: oneOf([VERSION]), ...kind.members, checksum: sha256 };
  const why = object(members)(found);
  if (why !== undefined) throw damagedFile(path, kind, why.startsWith('.') ? `its ${why.slice(1)}` : `it${why}`);
  if (checksum !== checksumOf({ version, ...rest })) throw damagedFile(path, kind, 'its checksum does not match');
  return found;
}

/** The error for a file that is not as it was written. */
export function damagedFile(path: string, { code, advice }: Pick<FileKind<never>, 'code' | 'advice'>, why: string): DatasetError {
  return new DatasetError(`${path} is damaged: ${why}; ${advice}`, { code, file: path });
}

/** The checksum of the content as JSON without white space. */
function checksumOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Says why a value is not of the shape, such as `.bytes is "x", not an integer from 0 on`; undefined if it is. */
export type Shape<Type> = ((value: unknown) => string | undefined) & { readonly of?: Type };

type Members = Readonly<Record<string, unknown>>;

/** The longest value to quote. */
const QUOTED = 40;

export function integer(least = 0, greatest = Number.MAX_SAFE_INTEGER): Shape<number> {
  const expected = greatest === Number.MAX_SAFE_INTEGER ? `an integer from ${least} on` : `an integer from ${least} to ${greatest}`;
  return shape(expected, (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= greatest);
}

export const number: Shape<number> = shape('a number', (value) => typeof value === 'number');

export const boolean: Shape<boolean> = shape('a boolean', (value) => typeof value === 'boolean');

export const string: Shape<string> = shape('a string', (value) => typeof value === 'string');

export const text: Shape<string> = shape('a string of one character or more', (value) => typeof value === 'string' && value.length > 0);

/** A string that a pattern matches, in the words of `expected`. */
export function textLike(pattern: RegExp, expected: string): Shape<string> {
  return shape(expected, (value) => typeof value === 'string' && pattern.test(value));
}

export const sha256: Shape<string> = textLike(/^[0-9a-f]{64}$/, 'a sha256');

export function oneOf<const Value>(values: readonly Value[]): Shape<Value> {
  return shape(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.includes(value as Value));
}

export function orNull<Type>(other: Shape<Type>): Shape<Type | null> {
  return (value) => (value === null ? undefined : other(value));
}

/** The shape of a member that may be missing. */
export function optional<Type>(other: Shape<Type>): Shape<Type | undefined> {
  return (value) => (value === undefined ? undefined : other(value));
}

export function list<Type>(element: Shape<Type>, fewest = 0): Shape<Type[]> {
  const isList = shape(fewest === 0 ? 'an array' : 'an array that is not empty', (value) => Array.isArray(value) && value.length >= fewest);
  return (value) => {
    const why = isList(value);
    if (why !== undefined) return why;
    const elements = value as unknown[];
    for (let index = 0; index < elements.length; index++) {
      const reason = element(elements[index]);
      if (reason !== undefined) return `[${index}]${reason}`;
    }
    return undefined;
  };
}

/** An object with these members and no others. */
export function object<Type>(members: { readonly [Name in keyof Type]-?: Shape<Type[Name]> }): Shape<Type> {
  const shapes = Object.entries<Shape<unknown>>(members);
  return (value) => {
    const why = isObject(value);
    if (why !== undefined) return why;
    for (const [name, member] of shapes) {
      const reason = member((value as Members)[name]);
      if (reason !== undefined) return `.${name}${reason}`;
    }
    for (const name in value as Members) if (!Object.hasOwn(members, name)) return `.${name} is unknown`;
    return undefined;
  };
}

/** An object whose keys are indices. */
export function byIndex<Type>(element: Shape<Type>): Shape<Record<string, Type>> {
  return (value) => {
    const keys = isObject(value) === undefined ? Object.keys(value as Members) : [];
    const isIndex = keys.every((key) => /^\d+$/.test(key));
    return isIndex ? object(Object.fromEntries(keys.map((key) => [key, element])))(value) : ' has keys that are no indices';
  };
}

const isObject = shape('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value));

function shape<Type>(expected: string, is: (value: unknown) => boolean): Shape<Type> {
  return (value) => (is(value) ? undefined : value === undefined ? ' is missing' : ` is ${quoted(value)}, not ${expected}`);
}

function quoted(value: unknown): string {
  const json = JSON.stringify(value);
  return printable(json.length > QUOTED ? `${json.slice(0, QUOTED)}…` : json);
}
