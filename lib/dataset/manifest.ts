// The plan of a dataset: everything that decides its bytes, in a file that never changes.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { printable } from '../base/printable.js';
import { DatasetError } from './dataset-error.js';
import { attempt, makeFolder, writeDurably } from './durable-files.js';
import type { DatasetDtype, DatasetFormat } from './formats.js';

/**
 * How documents lie in an input.
 *
 * @example
 * ```ts
 * import { type InputKind } from 'crayon-tokenizer/dataset';
 *
 * const kind: InputKind = 'jsonl';
 * kind; // 'jsonl'
 * ```
 */
export type InputKind = 'jsonl' | 'text' | 'parquet';

/**
 * A file of documents.
 *
 * @example
 * ```ts
 * import { type DatasetInput, planDataset } from 'crayon-tokenizer/dataset';
 *
 * const { inputs } = await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * const input = inputs[0] as DatasetInput;
 * input.kind; // 'text'
 * input.size; // 11
 * ```
 */
export interface DatasetInput {
  path: string;
  /** The index in `sources` of the argument that named it. */
  source: number;
  kind: InputKind;
  compression: 'gzip' | 'zstd' | null;
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970, with fractions. */
  modified: number;
  /** Of the file, where it is small. */
  sha256: string | null;
}

/**
 * Documents of an input.
 *
 * @example
 * ```ts
 * import { type DatasetRange, planDataset } from 'crayon-tokenizer/dataset';
 *
 * const { tasks } = await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * const ranges: DatasetRange[] | undefined = tasks[0]?.ranges;
 * ranges; // [{ input: 0, from: 0, to: 11 }]
 * ```
 */
export interface DatasetRange {
  input: number;
  /** Bytes, or rows of a Parquet file. Both lie between documents. */
  from: number;
  /** `null`: to the end of a compressed file, whose length is not known. */
  to: number | null;
}

/**
 * What one process does at a time.
 *
 * @example
 * ```ts
 * import { type DatasetTask, planDataset } from 'crayon-tokenizer/dataset';
 *
 * const { tasks } = await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * const [task]: DatasetTask[] = tasks;
 * task?.bytes; // 11
 * ```
 */
export interface DatasetTask {
  ranges: DatasetRange[];
  /** Bytes of its inputs. */
  bytes: number;
}

/**
 * The plan of a dataset. It depends on the inputs and options alone.
 *
 * @example
 * ```ts
 * import { type DatasetManifest, planDataset } from 'crayon-tokenizer/dataset';
 *
 * const { tasks, tokenizer }: DatasetManifest = await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * tasks.length; // 1
 * tokenizer.name; // 'o200k_base'
 * ```
 */
export interface DatasetManifest {
  version: 1;
  /** What merged files are called. */
  name: string;
  format: DatasetFormat;
  dtype: DatasetDtype;
  /** `sha256`: of the file of the vocabulary. */
  tokenizer: { source: string; name: string; sha256: string };
  /** The key of the text in a line of JSON, or a JSON pointer; the column of a Parquet file. */
  field: string;
  /** What stands between the documents of a text file; `null`: each file is one. */
  separator: string | null;
  /** The id that separates documents; `null` for none. */
  endOfDocument: { id: number | null; position: 'before' | 'after' };
  addSpecialTokens: boolean;
  /** Whether special tokens in documents are tokens, or text. */
  special: 'text' | 'allow';
  /** A shard ends with the document that reaches this many bytes of text. */
  shardBytes: number;
  /** The most tokens of a file of llm.c. */
  fileTokens: number;
  /** Whether hashes of documents are kept, to count duplicates. */
  countsDuplicates: boolean;
  /** The arguments that named inputs. */
  sources: string[];
  inputs: DatasetInput[];
  tasks: DatasetTask[];
}

const FILE = 'manifest.json';

/** Writes the plan, unless the folder has the same. */
export async function writeManifest(folder: string, manifest: DatasetManifest): Promise<void> {
  const there = await readManifest(folder).catch((error: unknown) => {
    if (error instanceof DatasetError && isMissing(error)) return undefined;
    throw error;
  });
  if (there) {
    if (checksumOf(there) === checksumOf(manifest)) return;
    throw new DatasetError(`${folder} has another plan, which never changes: give another --output, or remove the folder`, {
      code: 'ALREADY_PLANNED',
      file: join(folder, FILE),
    });
  }
  await makeFolder(folder);
  await writeDurably(join(folder, FILE), `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 1)}\n`);
}

/** Reads the plan; throws if there is none, or one that is damaged. */
export async function readManifest(folder: string): Promise<DatasetManifest> {
  const file = join(folder, FILE);
  const text = await attempt('read', file, () => readFile(file, 'utf8'));
  const damaged = (why: string) =>
    new DatasetError(`${file} is damaged: ${why}; restore it, or plan into another folder`, { code: 'DAMAGED_MANIFEST', file });
  let parsed: DatasetManifest & { checksum?: string };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch (error) {
    throw damaged(printable((error as Error).message));
  }
  if (typeof parsed !== 'object' || parsed === null) throw damaged('it is not an object');
  const { checksum, ...manifest } = parsed;
  if (manifest.version !== 1) throw damaged(`its version is ${String(manifest.version)}, and this program knows version 1`);
  if (checksum !== checksumOf(manifest)) throw damaged('its checksum does not match');
  return manifest;
}

function isMissing({ cause }: DatasetError): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

function checksumOf(manifest: DatasetManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
