// The arguments FILE: names, patterns and `-`; and their bytes. A pattern (quoted, or from a shell that expands none) stands for the
// matching files, in the order of their names; a pattern without a match fails like a missing file. Files that --ignore matches are left
// out, whether a pattern or a name found them.

import { createReadStream, fstatSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';

import { isPattern, matchesOf, withContents, withSlashes } from '../../io/file-patterns.js';
import { InputError, reasonFor } from '../command-errors.js';
import { inflatedChunks } from '../../io/gzip-in-node.js';
import { isGzip } from '../../io/gzip.js';
import { beginningOf } from '../../io/regular-file.js';
import { tell } from '../output/terminal.js';

/** Bytes that one thread encodes in a few milliseconds. */
const LONG = 1024 * 1024;

/** The inputs named by the arguments; standard input if there are none. */
export async function inputsOf(files: readonly string[], ignored: readonly string[] = []): Promise<string[]> {
  if (files.length === 0) return ['-'];
  const isKept = await fileFilter(
    files.filter((file) => !isPattern(file)),
    ignored,
  );
  const inputs: string[] = [];
  for (const file of files) {
    if (isPattern(file)) inputs.push(...(await matches(file, ignored)));
    else if (isKept(file)) inputs.push(file);
  }
  if (inputs.length === 0) throw new InputError('no file is left: --ignore leaves out all of them');
  return inputs;
}

/** The matching files; a pattern without a match stays as it is. */
async function matches(pattern: string, ignored: readonly string[]): Promise<string[]> {
  const found = await matchesOf(pattern, ignored);
  if (found.length > 0) return found;
  const isIgnored = ignored.length > 0 && (await matchesOf(pattern)).length > 0;
  return isIgnored ? [] : [pattern];
}

const UNMATCHED = 'no file matches the pattern';

/** Throws for a pattern without a match, for commands that take all files or none. */
export function refuseUnmatched(inputs: readonly string[]): void {
  const pattern = inputs.find(isPattern);
  if (pattern !== undefined) throw new InputError(`${pattern}: ${UNMATCHED}`);
}

/** A filter for files that are not ignored. Each directory is read once, however many of its files are named. */
async function fileFilter(files: readonly string[], ignored: readonly string[]): Promise<(file: string) => boolean> {
  if (ignored.length === 0) return () => true;
  const { escapePath, glob } = await import('tinyglobby');
  const inTrees = new Set(files.filter(isInTree));
  const remaining = new Set<string>();
  const options = { absolute: true, dot: true, expandDirectories: false, onlyFiles: false };
  for (const folder of new Set(Array.from(inTrees, (file) => dirname(resolve(file))))) {
    const pattern = `${escapePath(withSlashes(folder))}/*`;
    for (const file of await glob(pattern, { ...options, ignore: withContents(ignored) })) remaining.add(resolve(file));
  }
  return (file) => !inTrees.has(file) || remaining.has(resolve(file));
}

/** Whether a pattern can find it: a file or directory, but not a pipe or device. */
function isInTree(file: string): boolean {
  const status = file === '-' ? undefined : statusOf(file);
  return status !== undefined && (status.isFile() || status.isDirectory());
}

/** The size of a file in bytes; 0 if unknown. */
export function sizeOf(file: string): number {
  return statusOf(file)?.size ?? 0;
}

/** The size of all files in bytes, as far as it is known. */
export function totalSize(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + sizeOf(file), 0);
}

/** Whether it is a regular file that is worth starting threads for. */
export function isLongFile(file: string): boolean {
  const status = statusOf(file);
  return status?.isFile() === true && status.size >= LONG;
}

function statusOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** The name of an input or output in messages. */
export function nameOf(file: string, stream = 'standard input'): string {
  return file === '-' ? stream : file === '' ? '""' : file;
}

const CHUNK = 1024 * 1024;

/** Standard input, once it has been read. */
let readInput: typeof process.stdin | undefined;

/**
 * The bytes of a file, or of standard input for `-`. `takesPatterns`: whether the argument could be a pattern. `start`: the
 * first byte that is wanted of a file. `signal`: ends the wait for more.
 */
export async function* chunksOf(file: string, takesPatterns = true, start = 0, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  if (file === '-' && readInput === process.stdin) throw new InputError('can be read only once, and has been read already');
  if (file === '-') readInput = process.stdin;
  if (file === '-' && stdinIsDirectory()) throw new InputError('is a directory');
  const range = start > 0 ? { start } : {}; // a pipe has no offsets, not even 0
  const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK, ...range });
  if (signal) addAbortSignal(signal, stream);
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    signal?.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR' && file !== '-' && takesPatterns) {
      const pattern = JSON.stringify(`${file.replace(/[/\\]+$/, '')}/**`);
      throw new InputError(`is a directory; the pattern ${pattern} names the files in it`);
    }
    if (code === 'ENOENT' && takesPatterns && isPattern(file)) throw new InputError(UNMATCHED);
    if (code) throw new InputError(reasonFor(error));
    throw error;
  }
}

/** The bytes of a text, which may be compressed with gzip if `start` is 0. `signal`: ends the wait for more. */
export async function* textChunksOf(file: string, start = 0, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks = chunksOf(file, true, start, signal);
  if (start === 0) yield* inflatedChunks(chunks, nameOf(file));
  else yield* chunks;
}

/** Kinds of files that are no text, by their first bytes in Latin-1. */
const KINDS: readonly [RegExp, string][] = [
  [/^\x89PNG/, 'a PNG image'],
  [/^\xff\xd8\xff/, 'a JPEG image'],
  [/^GIF8/, 'a GIF image'],
  [/^%PDF/, 'a PDF document'],
  [/^PK\x03\x04/, 'a ZIP archive, or a document of an office program'],
  [/^\x28\xb5\x2f\xfd/, 'compressed with zstd'],
  [/^\xfd7zXZ/, 'compressed with xz'],
  [/^BZh\d1AY/, 'compressed with bzip2'],
  [/^CRAY/, 'a cartridge'],
  [/^GGUF|^.{8}\{"/s, 'the weights of a model'],
  [/^\x1f\x8b/, 'compressed with gzip'],
];

/** Says on standard error what a file is that is no text: its bytes have tokens, but hardly those that somebody wants. */
export function tellKind(file: string, inflates = true): void {
  // Opening a pipe twice would break it.
  const head = file !== '-' && statusOf(file)?.isFile() ? beginningOf(file, 16) : undefined;
  const kind = head && KINDS.find(([bytes]) => bytes.test(String.fromCharCode(...head)));
  if (kind && !(inflates && isGzip(head))) tell(`crayon: ${file}: is ${kind[1]}, and is read as if it were text`);
}

/** Node reads one as if it were empty. */
function stdinIsDirectory(): boolean {
  try {
    return fstatSync(0).isDirectory();
  } catch {
    return false; // not every host can say
  }
}
