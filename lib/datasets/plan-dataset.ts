// `planDataset`: which documents become which tokens, decided once.

import { atCaller, outOfRange, unexpected } from '../base/errors.js';
import { checkOptionNames, nearNames, optionNames } from '../base/option-objects.js';
import { DatasetError } from './dataset-error.js';
import { type DatasetDtype, type DatasetFormat, dtypeOf, FORMATS } from './formats.js';
import { inputsOf, openInput } from './dataset-inputs.js';
import {
  type DatasetInput,
  type DatasetManifest,
  type DatasetRange,
  type DatasetTask,
  FILE_NAME,
  type InputKind,
  KINDS,
  MOST_FILE_TOKENS,
  writeManifest,
} from './manifest.js';
import { rowGroupsOf } from './readers/parquet-reader.js';
import { checkFirstRecords } from './readers/task-reader.js';
import { sealed } from './sealed-files.js';
import { loadedTokenizer } from './planned-tokenizer.js';

/**
 * Options of `planDataset`.
 *
 * @example
 * ```ts
 * import { planDataset, type PlanOptions } from 'crayon-tokenizer/dataset';
 *
 * const options: PlanOptions = { output: 'for-nanogpt', format: 'nanogpt', tokenizer: 'gpt2' };
 * const { dtype } = await planDataset(['hello.txt'], options);
 * dtype; // 'uint16'
 * ```
 */
export interface PlanOptions {
  /** The folder of the dataset, which is made. */
  output: string;
  /** What `mergeDataset` writes. */
  format: DatasetFormat;
  /** The tokenizer, by name or path. Default: `'o200k_base'`. */
  tokenizer?: string | undefined;
  /** What merged files are called. Default: `'data'`. */
  name?: string | undefined;
  /**
   * Where a record has its text: a key of a line of JSON, or a JSON pointer, such as `'/message/text'`; the column of a Parquet file.
   * Default: `'text'`.
   */
  field?: string | undefined;
  /** What all inputs are. Default: what their names say; `.jsonl`, `.ndjson`, `.json`, `.parquet`, anything else is text. */
  kind?: InputKind | undefined;
  /** What stands between the documents of text files. Default: each file is one document. */
  separator?: string | undefined;
  /**
   * The token that separates documents, by its text or id; `null` for none. Default: the end token of the vocabulary. It follows each
   * document; for `'llmc'` it precedes each.
   */
  endOfDocument?: string | number | null | undefined;
  /** Adds the model's ids around each document, such as `<|begin_of_text|>`. Default: false. */
  addSpecialTokens?: boolean | undefined;
  /** Whether special tokens in documents are tokens (`'allow'`), or ordinary text (`'text'`, the default). */
  special?: 'text' | 'allow' | undefined;
  /** The integers. Default: 16 bits if all ids fit, as the format has it. */
  dtype?: DatasetDtype | undefined;
  /** Bytes of the inputs of a task. Default: 1 GiB. */
  taskBytes?: number | undefined;
  /** A shard ends with the document that reaches this many bytes of text; a run that was killed repeats at most one. Default: 64 MiB. */
  shardBytes?: number | undefined;
  /** The most tokens of a file of `'llmc'`. Default: 100,000,000. */
  fileTokens?: number | undefined;
  /** Keeps a hash of each document, so that `datasetStatus` counts duplicates. Default: false. */
  countDuplicates?: boolean | undefined;
}

const NAMES = optionNames<PlanOptions>({
  output: true,
  format: true,
  tokenizer: true,
  name: true,
  field: true,
  kind: true,
  separator: true,
  endOfDocument: true,
  addSpecialTokens: true,
  special: true,
  dtype: true,
  taskBytes: true,
  shardBytes: true,
  fileTokens: true,
  countDuplicates: true,
});

const DEFAULT_TOKENIZER = 'o200k_base';
const GIB = 2 ** 30;
const SHARD = 64 * 1024 * 1024;
const FILE_TOKENS = 100_000_000;

/**
 * Plans a dataset: which documents of which files become which tokens, in which tasks. Writes `manifest.json` to the folder
 * `output`, which everything else goes by and nothing changes. Throws a `DatasetError` if a file cannot be read, if the records
 * at its beginning have no `field`, if ids of the vocabulary do not fit in the format's integers, or if the folder has another plan.
 *
 * `inputs` are paths and glob patterns of plain or compressed (gzip, zstd) files of JSON lines or text, and of Parquet files. A
 * compressed file is one task; others are cut at documents into tasks of about `taskBytes`. Reads their beginnings, the places of
 * cuts, and files of up to 4 MiB whole, to know them again.
 *
 * @example
 * ```ts
 * import { planDataset } from 'crayon-tokenizer/dataset';
 *
 * const { tasks, inputs } = await planDataset(['hello.txt'], { output: 'planned', format: 'npy' });
 * tasks.length; // 1
 * inputs[0]?.kind; // 'text'
 * ```
 */
export async function planDataset(inputs: readonly string[], options: PlanOptions): Promise<DatasetManifest> {
  const checked = atCaller(planDataset, () => {
    checkInputs(inputs);
    return checkedOptions(options);
  });
  const { output, tokenizer: source, dtype: wanted, endOfDocument, kind, taskBytes, ...rest } = checked;
  const { tokenizer, about } = await loadedTokenizer(source);
  using closing = tokenizer;
  const format = FORMATS[rest.format];
  const id = separatorOf(closing, endOfDocument, rest.format);
  const dtype = dtypeOf(rest.format, wanted, Math.max(largestIdOf(tokenizer), id ?? 0));
  const found = await inputsOf(inputs, kind);
  for (const input of found) if (input.kind === 'jsonl') await checkFirstRecords(input, rest.field);
  const manifest: DatasetManifest = sealed({
    ...rest,
    dtype,
    tokenizer: about,
    endOfDocument: { id, position: format.separator },
    sources: [...inputs],
    inputs: found,
    tasks: await tasksOf(found, { taskBytes, field: rest.field, separator: rest.separator }),
  });
  await writeManifest(output, manifest);
  return manifest;
}

function checkInputs(inputs: unknown): asserts inputs is readonly string[] {
  if (!Array.isArray(inputs)) throw unexpected('an array of paths and patterns', 'inputs', inputs);
  if (inputs.length === 0) throw outOfRange('at least one path or pattern', 'inputs', inputs);
  inputs.forEach((input: unknown, index) => {
    if (typeof input !== 'string' || input === '') throw unexpected('a path or pattern', `inputs[${index}]`, input);
  });
}

function checkedOptions(options: PlanOptions) {
  checkOptionNames(options, NAMES);
  const { output, format, tokenizer = DEFAULT_TOKENIZER, name = 'data', field = 'text', separator, special = 'text' } = options;
  if (typeof output !== 'string' || output === '') throw unexpected('a path', 'output', output);
  if (!Object.hasOwn(FORMATS, format)) throw unexpected(oneOf(Object.keys(FORMATS), format), 'format', format);
  if (typeof tokenizer !== 'string' || tokenizer === '') throw unexpected('a name or path', 'tokenizer', tokenizer);
  if (typeof name !== 'string' || !FILE_NAME.test(name)) throw unexpected('a file name of letters, digits, _ . and -', 'name', name);
  if (typeof field !== 'string' || field === '') throw unexpected('a key or JSON pointer', 'field', field);
  if (separator !== undefined && (typeof separator !== 'string' || separator === '')) {
    throw unexpected('a string of one character or more', 'separator', separator);
  }
  if (special !== 'text' && special !== 'allow') throw unexpected("'text' or 'allow'", 'special', special);
  const { kind, dtype, endOfDocument } = options;
  if (kind !== undefined && !KINDS.includes(kind)) throw unexpected(oneOf(KINDS, kind), 'kind', kind);
  const { addSpecialTokens = false, countDuplicates = false } = options;
  if (typeof addSpecialTokens !== 'boolean') throw unexpected('a boolean', 'addSpecialTokens', addSpecialTokens);
  if (typeof countDuplicates !== 'boolean') throw unexpected('a boolean', 'countDuplicates', countDuplicates);
  const taskBytes = count(options.taskBytes ?? GIB, 'taskBytes', Number.MAX_SAFE_INTEGER);
  const shardBytes = count(options.shardBytes ?? SHARD, 'shardBytes', Number.MAX_SAFE_INTEGER);
  const fileTokens = count(options.fileTokens ?? FILE_TOKENS, 'fileTokens', MOST_FILE_TOKENS);
  const lengths = { shardBytes, fileTokens, countsDuplicates: countDuplicates };
  return {
    output,
    name,
    format,
    dtype,
    tokenizer,
    field,
    kind,
    separator: separator ?? null,
    endOfDocument,
    addSpecialTokens,
    special,
    taskBytes,
    ...lengths,
  };
}

function count(value: unknown, name: string, greatest: number): number {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isSafeInteger(value) || value < 1 || value > greatest) throw outOfRange(`an integer from 1 to ${greatest}`, name, value);
  return value;
}

function oneOf(names: readonly string[], value: unknown): string {
  const [near] = typeof value === 'string' ? nearNames(value, names) : [];
  const all = names.map((name) => `'${name}'`).join(', ');
  return near === undefined ? `one of ${all}` : `one of ${all} (did you mean '${near}'?)`;
}

type LoadedTokenizer = Awaited<ReturnType<typeof loadedTokenizer>>['tokenizer'];

/** The id that separates documents; null for none. */
function separatorOf(tokenizer: LoadedTokenizer, wanted: string | number | null | undefined, format: DatasetFormat): number | null {
  const { eosTokenId, specialTokens } = tokenizer;
  if (wanted === null || (wanted === undefined && eosTokenId === undefined)) {
    if (!FORMATS[format].needsSeparator) return null;
    const why = wanted === null ? 'needs one' : `needs one, and ${tokenizer.name} has no end token`;
    throw new RangeError(`\`endOfDocument\` must be a token: ${format} ${why}`);
  }
  if (wanted === undefined) return eosTokenId as number;
  if (typeof wanted === 'string') {
    const id = specialTokens.get(wanted);
    if (id !== undefined) return id;
    const [near] = nearNames(wanted, specialTokens.keys());
    const advice = near === undefined ? '' : `; did you mean '${near}'?`;
    throw new DatasetError(`${tokenizer.name} has no special token ${JSON.stringify(wanted)}${advice}`, { code: 'UNKNOWN_SPECIAL' });
  }
  if (typeof wanted !== 'number') throw unexpected('the text or id of a token, or null', 'endOfDocument', wanted);
  const largest = largestIdOf(tokenizer);
  if (!Number.isSafeInteger(wanted) || wanted < 0 || wanted > largest)
    throw outOfRange(`an id of ${tokenizer.name}, up to ${largest}`, 'endOfDocument', wanted);
  return wanted;
}

function largestIdOf({ vocabularySize, specialTokens }: LoadedTokenizer): number {
  return Math.max(vocabularySize - 1, ...specialTokens.values());
}

/** Bytes to read at a time when looking for the end of a document. */
const CHUNK = 64 * 1024;

/** A range of an input: up to `end`, `size` bytes. */
interface CutRange {
  end: number | null;
  size: number;
}

/** The tasks of inputs, in order. `taskBytes`: of each, unless a document or a compressed file is longer. */
export async function tasksOf(
  inputs: readonly DatasetInput[],
  { taskBytes, field, separator }: { taskBytes: number; field: string; separator: string | null },
): Promise<DatasetTask[]> {
  const tasks: DatasetTask[] = [];
  let task: DatasetTask = { ranges: [], bytes: 0 };
  const endTask = () => {
    if (task.ranges.length > 0) tasks.push(task);
    task = { ranges: [], bytes: 0 };
  };
  for (const [input, about] of inputs.entries()) {
    if (about.compression !== null) {
      // What it inflates to is not known, and only its beginning can be found fast.
      endTask();
      task = { ranges: [{ input, from: 0, to: null }], bytes: about.size };
      endTask();
      continue;
    }
    const cutter = await cutterOf(about, field, separator);
    for (let from = 0; ; ) {
      const next = await cutter(from, taskBytes - task.bytes);
      if (next === undefined) break;
      append(task, { input, from, to: next.end }, next.size);
      if (task.bytes >= taskBytes) endTask();
      from = next.end as number;
    }
  }
  endTask();
  return tasks;
}

function append(task: DatasetTask, range: DatasetRange, size: number): void {
  task.ranges.push(range);
  task.bytes += size;
}

/** Cuts an input: the next range from a position, of at least `bytes` bytes, ending between documents; undefined at the end. */
type Cutter = (from: number, bytes: number) => Promise<CutRange | undefined>;

async function cutterOf(input: DatasetInput, field: string, separator: string | null): Promise<Cutter> {
  const { size, kind } = input;
  if (kind === 'parquet') return rowCutter(await rowGroupsOf(input, field));
  const boundary = kind === 'jsonl' ? '\n' : separator;
  return async (from, bytes) => {
    if (from >= size) return undefined;
    const end = boundary === null || from + bytes >= size ? size : await boundaryAfter(input, from + bytes, from, Buffer.from(boundary));
    return { end, size: end - from };
  };
}

function rowCutter(groups: readonly { rows: number; bytes: number }[]): Cutter {
  let next = 0;
  return async (from, bytes) => {
    if (next === groups.length) return undefined;
    let [end, size] = [from, 0];
    while (next < groups.length && size < bytes) {
      const group = groups[next++] as { rows: number; bytes: number };
      end += group.rows;
      size += group.bytes;
    }
    return { end, size };
  };
}

/**
 * Where a separator ends, at or behind a byte; the size of the file if there is none. Only a separator that no other overlaps
 * from the left is certain to be one: of three line feeds, two can be the separator in two ways.
 */
async function boundaryAfter(input: DatasetInput, byte: number, from: number, separator: Buffer): Promise<number> {
  const { length } = separator;
  const { size } = input;
  await using file = await openInput(input);
  const chunk = Buffer.alloc(CHUNK + 2 * length);
  // The first byte at which a separator may begin that could overlap one at `byte`.
  let last = Number.NEGATIVE_INFINITY;
  for (let at = Math.max(from, byte - 2 * length); at < size; at += CHUNK) {
    const bytes = chunk.subarray(0, await file.read(chunk, at));
    for (let found = bytes.indexOf(separator); found >= 0 && found < CHUNK; found = bytes.indexOf(separator, found + 1)) {
      const begin = at + found;
      if (begin + length >= byte && begin - last >= length && begin - from >= 0) return begin + length;
      last = begin;
    }
  }
  return size;
}
