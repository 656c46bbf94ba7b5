// Trains in Node: texts may be files, and threads do the work. The entry passes its backends.

import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type NodeCompiler, run } from '../vocabularies/import/compile-in-node.js';
import { isPattern, matchesOf } from '../io/file-patterns.js';
import { unreadable } from '../io/regular-file.js';
import { inflatedFile, isGzipFile } from '../io/gzip-in-node.js';
import { outOfRange, quotedName, shownPath, TokenizerError, unexpected } from '../base/errors.js';
import { tagOf } from '../base/views.js';
import { buffersOf, conduct, type TrainListener, type TrainThread } from './conduct.js';
import type { CheckedOptions } from './train-options.js';
import { type FileRange, joined, type Texts, type TextRequest, textsOf, type TrainFilePart } from './training-texts.js';
import { TrainedVocabulary } from './trained.js';
import { startWork } from '../vocabularies/open/threads.js';
import type { TrainAnswer, TrainRequest } from './train-session.js';

/** What a Node entry trains with. */
export interface NodeTrainer extends Pick<NodeCompiler, 'native' | 'module' | 'compiler'> {
  /** The default number of threads. */
  threads(): number;
}

/** Implements `trainBpe`, without adjusting errors. */
export async function trainInNode(source: unknown, options: CheckedOptions, trainer: NodeTrainer): Promise<TrainedVocabulary> {
  const { native, module: modulePath, threads } = trainer;
  native?.(); // on this thread, so that the error for a missing addon is the usual one
  await refusePath(source);
  const files = await filesOf(source);
  if (options.checkpoint !== undefined && !files) throw unexpected('{ files } with checkpoint', 'source', source);
  const known = files && (await Promise.all(files.map(aboutFile)));
  const texts = known ? ofFiles(known) : textsOf(source);
  const { settings, signal } = options;
  const about = options.checkpoint === undefined ? undefined : JSON.stringify({ settings: plain(settings), files: known });
  const module = native ? undefined : readFileSync(modulePath());
  const start = (listener: Parameters<typeof startThread>[1]) => startThread({ module }, listener);
  signal?.throwIfAborted();
  const learned = await conduct(texts, options, start, native ? (options.threads ?? threads()) : 1, about);
  return new TrainedVocabulary(learned, options, (job) => run(job, {}, trainer));
}

interface KnownFile extends FileRange {
  size: number;
  changed: number;
  isGzip: boolean;
}

/** The longest path on Linux. */
const LONGEST_PATH = 4096;

/** A string is a text, but a string that is the path of a file is almost certainly a mistake. */
async function refusePath(source: unknown): Promise<void> {
  if (typeof source !== 'string' || source.length > LONGEST_PATH || /[\n\0]/.test(source)) return;
  const isFile = await stat(source).then(
    (about) => about.isFile(),
    () => false,
  );
  if (!isFile) return;
  const name = quotedName(source);
  throw new TypeError(
    `expected a text for source but received the path of a file: train on it with { files: [${name}] }, or on these letters with [${name}]`,
  );
}

/** The files that a source names, including patterns; undefined if it does not name files. */
async function filesOf(source: unknown): Promise<FileRange[] | undefined> {
  if (tagOf(source) === 'URL') return [wholeFile(pathOf(source, 'source'))];
  if (typeof source !== 'object' || source === null || !('files' in source)) return undefined;
  const { files } = source;
  const list: unknown[] = Array.isArray(files) ? files : [files];
  if (list.length === 0) throw outOfRange('at least one file', 'files', files);
  const named = list.map((file, index) => rangesOf(file, Array.isArray(files) ? `files[${index}]` : 'files'));
  return (await Promise.all(named)).flat();
}

async function rangesOf(file: unknown, name: string): Promise<FileRange[]> {
  if (typeof file === 'object' && file !== null && 'path' in file) return [partOf(file as TrainFilePart, name)];
  const path = pathOf(file, name);
  if (typeof file !== 'string' || file.startsWith('file:') || !isPattern(file)) return [wholeFile(path)];
  const found = await matchesOf(file);
  if (found.length === 0) throw new TokenizerError(`no file matches the pattern ${shownPath(file)}`, { code: 'FILE_NOT_FOUND' });
  return found.map((each) => wholeFile(resolve(each)));
}

function partOf({ path, start = 0, end = Infinity }: TrainFilePart, name: string): FileRange {
  if (!Number.isSafeInteger(start) || start < 0) throw outOfRange('an integer of at least 0', `${name}.start`, start);
  if (end !== Infinity && !(Number.isSafeInteger(end) && end >= start)) {
    throw outOfRange(`an integer of at least ${start}`, `${name}.end`, end);
  }
  return { path: pathOf(path, `${name}.path`), start, end };
}

function wholeFile(path: string): FileRange {
  return { path, start: 0, end: Infinity };
}

function pathOf(file: unknown, name: string): string {
  if (typeof file === 'string' && file !== '') return resolve(file.startsWith('file:') ? fileURLToPath(file) : file);
  if (tagOf(file) === 'URL' && (file as URL).protocol === 'file:') return fileURLToPath(file as URL);
  throw unexpected('a path or a file: URL', name, file);
}

async function aboutFile(file: FileRange): Promise<KnownFile> {
  try {
    const { size, mtimeMs } = await stat(file.path);
    return { ...file, size, changed: mtimeMs, isGzip: isGzipFile(file.path) };
  } catch (error) {
    throw unreadable(error, file.path);
  }
}

function ofFiles(files: readonly KnownFile[]): Texts {
  async function* requests(): AsyncGenerator<TextRequest> {
    for (const { path, start, end, isGzip } of files) {
      if (!isGzip) yield { file: { path, start, end } };
      else if (start === 0 && end === Infinity) yield* joined(inflatedFile(path));
      else throw new RangeError(`cannot train on a part of ${quotedName(path)}, which is compressed with gzip: inflate the file first`);
    }
  }
  if (files.some(({ isGzip }) => isGzip)) return { requests: requests(), total: undefined, cancel() {} };
  const total = files.reduce((sum, { start, end, size }) => sum + Math.max(0, Math.min(end, size) - start), 0);
  return { requests: requests(), total, cancel() {} };
}

/** Converts typed arrays to lists. */
function plain(settings: CheckedOptions['settings']): unknown {
  const { alphabet, pattern = [], reserved } = settings;
  return {
    ...settings,
    alphabet: Array.from(alphabet),
    pattern: Array.from(pattern),
    reserved: reserved.map((token) => Array.from(token)),
  };
}

/** The bytes of the WebAssembly module; if undefined, the addon trains. */
export interface TrainThreadData {
  module: Uint8Array | undefined;
}

function startThread(data: TrainThreadData, listener: TrainListener): TrainThread {
  const thread = startWork<TrainRequest, TrainAnswer>('train', 'train', data, listener);
  return { post: (request) => thread.post(request, buffersOf(request)), end: thread.end };
}
