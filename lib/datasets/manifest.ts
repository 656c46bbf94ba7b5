// The plan of a dataset: everything that decides its bytes, in a file that never changes.

import { join } from 'node:path';

import { DatasetError } from './dataset-error.js';
import { createDurably, makeFolder, unlessMissing } from './durable-files.js';
import { type DatasetDtype, type DatasetFormat, FORMATS, LARGEST } from './formats.js';
import {
  boolean,
  damagedFile,
  type FileKind,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  readSealed,
  sha256,
  string,
  text,
  textLike,
} from './sealed-files.js';

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
  /** The hash of a small file. */
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
  /** The bytes of its inputs. */
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
  /** `sha256`: the hash of the vocabulary's file, and of the files beside it that say which tokens it has and how it normalizes. */
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
  /** The sha256 of everything before it, as JSON: what has been made by this plan names it. */
  checksum: string;
}

/** What each kind of input is called. */
export const KINDS: readonly InputKind[] = ['jsonl', 'text', 'parquet'];
/** What merged files may be called, with what their format adds: never a path. */
export const FILE_NAME = /^[\w.-]+$/;
/** llm.c's header has 31 bits. */
export const MOST_FILE_TOKENS = 2 ** 31 - 1;

const MANIFEST: FileKind<Omit<DatasetManifest, 'version' | 'checksum'>> = {
  code: 'DAMAGED_MANIFEST',
  advice: 'restore it, or plan into another folder',
  members: {
    name: textLike(FILE_NAME, 'a file name of letters, digits, _ . and -'),
    format: oneOf(Object.keys(FORMATS) as DatasetFormat[]),
    dtype: oneOf(Object.keys(LARGEST) as DatasetDtype[]),
    tokenizer: object({ source: text, name: string, sha256 }),
    field: text,
    separator: orNull(text),
    endOfDocument: object({ id: orNull(integer()), position: oneOf(['before', 'after']) }),
    addSpecialTokens: boolean,
    special: oneOf(['text', 'allow']),
    shardBytes: integer(1),
    fileTokens: integer(1, MOST_FILE_TOKENS),
    countsDuplicates: boolean,
    sources: list(text, 1),
    inputs: list(
      object({
        path: text,
        source: integer(),
        kind: oneOf(KINDS),
        compression: oneOf(['gzip', 'zstd', null]),
        size: integer(),
        modified: number,
        sha256: orNull(sha256),
      }),
    ),
    tasks: list(object({ ranges: list(object({ input: integer(), from: integer(), to: orNull(integer()) }), 1), bytes: integer() })),
  },
};

const fileIn = (folder: string) => join(folder, 'manifest.json');

/** Writes the plan, unless the folder has the same plan. If several processes write one at once, one succeeds. */
export async function writeManifest(folder: string, manifest: DatasetManifest): Promise<void> {
  let there = await readManifest(folder).catch(unlessMissing);
  if (!there) {
    await makeFolder(folder);
    if (await createDurably(fileIn(folder), `${JSON.stringify(manifest, null, 1)}\n`)) return;
    there = await readManifest(folder);
  }
  if (there.checksum === manifest.checksum) return;
  const message = `${folder} has another plan, which never changes: give another --output, or remove the folder`;
  throw new DatasetError(message, { code: 'ALREADY_PLANNED', file: fileIn(folder) });
}

/** Reads the plan; throws if there is none, or one that is damaged. */
export async function readManifest(folder: string): Promise<DatasetManifest> {
  const manifest = await readSealed(fileIn(folder), MANIFEST);
  const why = contradictionIn(manifest);
  if (why !== undefined) throw damagedFile(fileIn(folder), MANIFEST, why);
  return manifest;
}

/** What no plan has, whoever has written it; undefined if there is nothing. */
function contradictionIn({ format, dtype, endOfDocument: { id, position }, sources, inputs, tasks }: DatasetManifest): string | undefined {
  const { dtypes, separator, needsSeparator } = FORMATS[format];
  if (!dtypes.includes(dtype)) return `${format} has no ${dtype}`;
  if (position !== separator) return `${format} has no id ${position} documents`;
  if (id === null ? needsSeparator : id > LARGEST[dtype]) return `${format} of ${dtype} cannot have the id ${id} between documents`;
  if (inputs.some(({ source }) => source >= sources.length)) return 'it has an input of no source';
  // Tasks have all of each input, in order. Checked so far: the inputs before `input`, and this one up to `at`.
  let input = 0;
  let at: number | null = 0;
  const isWhole = () => {
    const about = inputs[input];
    if (!about) return false;
    return about.compression !== null ? at === null : about.kind === 'parquet' || at === about.size;
  };
  for (const { ranges } of tasks) {
    for (const { input: next, from, to } of ranges) {
      for (; input < next && isWhole(); input++) at = 0;
      const about = inputs[next];
      const isNext = about && input === next && from === at && (to === null ? about.compression !== null : to > from);
      if (!isNext) return 'its tasks do not have all of its inputs in their order';
      at = to;
    }
  }
  for (; isWhole(); input++) at = 0;
  return input === inputs.length ? undefined : 'its tasks do not have all of its inputs';
}
