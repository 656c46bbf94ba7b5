// The small files of JSON that a dataset keeps: each has a version, and a checksum of the rest. Whatever is read from one is as it
// was written, and has the shape that its kind says; everything else is an error that names the file.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { printable } from '../base/texts.js';
import { DatasetError, type DatasetErrorCode } from './dataset-error.js';
import { attempt } from './durable-files.js';
import { object, oneOf, sha256, type Shape } from './shapes.js';

const VERSION = 1;

/** The content of such a file, as it is there. */
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

/** Reads a file. */
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

/** Of the content as JSON has it, whatever white space is between. */
function checksumOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
