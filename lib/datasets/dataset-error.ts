// Failures of datasets: what is wrong, where, and whether another try can help.

/**
 * Reasons of a {@link DatasetError}. `UNREADABLE`, `UNWRITABLE` and `INCOMPLETE` may be gone at the next try: a disk that was
 * full, a share that was away, tasks that still run.
 *
 * @example
 * ```ts
 * import { type DatasetErrorCode } from 'crayon-tokenizer/dataset';
 *
 * const codes: DatasetErrorCode[] = ['DAMAGED_RECORD', 'INPUT_CHANGED'];
 * codes.length; // 2
 * ```
 */
export type DatasetErrorCode =
  | 'ALREADY_PLANNED'
  | 'DAMAGED_MANIFEST'
  | 'DAMAGED_RECORD'
  | 'DAMAGED_SHARD'
  | 'ID_TOO_LARGE'
  | 'INCOMPLETE'
  | 'INPUT_CHANGED'
  | 'UNKNOWN_SPECIAL'
  | 'UNREADABLE'
  | 'UNWRITABLE'
  | 'VOCABULARY_CHANGED';

interface Circumstances {
  code: DatasetErrorCode;
  file?: string | undefined;
  /** From 1. Undefined for files without lines. */
  line?: number | undefined;
  /** Of the file; of what it inflates to if it is compressed. */
  byte?: number | undefined;
  /** Default: as the code says. */
  worthAnotherTry?: boolean | undefined;
}

const WORTH_ANOTHER_TRY: ReadonlySet<DatasetErrorCode> = new Set(['UNREADABLE', 'UNWRITABLE', 'INCOMPLETE']);

/**
 * Why a dataset cannot be planned, written, verified or merged.
 *
 * @example
 * ```ts
 * import { DatasetError, planDataset } from 'crayon-tokenizer/dataset';
 *
 * const failure = await planDataset(['missing.jsonl'], { output: 'missing', format: 'npy' }).catch((error) => error);
 * failure instanceof DatasetError; // true
 * failure.code; // 'UNREADABLE'
 * failure.worthAnotherTry; // false
 * ```
 */
export class DatasetError extends Error {
  override readonly name = 'DatasetError';
  /** The reason. */
  readonly code: DatasetErrorCode;
  /** The file that the error is about. */
  readonly file: string | undefined;
  /** The line of a damaged record, from 1. */
  readonly line: number | undefined;
  /** The byte at which a damaged record begins, in the file, or in what a compressed file inflates to. */
  readonly byte: number | undefined;

  /** Whether the same call may succeed later, with nothing changed but the machine. */
  readonly worthAnotherTry: boolean;

  /** @internal */
  constructor(message: string, { code, file, line, byte, worthAnotherTry }: Circumstances, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.file = file;
    this.line = line;
    this.byte = byte;
    this.worthAnotherTry = worthAnotherTry ?? WORTH_ANOTHER_TRY.has(code);
  }
}

/** Errors of the file system that stay until somebody does something about the dataset. */
const LASTING = new Set(['ENOENT', 'EEXIST', 'EISDIR', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP', 'EROFS']);

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOSPC: 'the disk is full',
  EEXIST: 'a file has the name of this folder; rename or remove it',
  ENOTDIR: 'a file has the name of its folder; rename or remove that file',
};

/** The error for a failed call of the file system; other errors as they are. */
export function failureOfFile(error: unknown, doing: 'read' | 'write', file: string): unknown {
  // Not `instanceof Error`: in Jest, Node's own errors are of another realm.
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (typeof code !== 'string' || error instanceof DatasetError) return error;
  const why = REASONS[code] ?? message;
  const reason = doing === 'read' ? 'UNREADABLE' : 'UNWRITABLE';
  const worthAnotherTry = !LASTING.has(code);
  return new DatasetError(`cannot ${doing} ${file}: ${why}`, { code: reason, file, worthAnotherTry }, { cause: error });
}

/** Of the input or the shards of one task: others may have nothing to do with it. */
const OF_ONE_TASK: ReadonlySet<DatasetErrorCode> = new Set(['DAMAGED_RECORD', 'DAMAGED_SHARD', 'INPUT_CHANGED', 'UNREADABLE']);
/** The most tasks to name. */
const NAMED = 5;

export class FailedTasks {
  readonly #failures: { task: number; error: DatasetError }[] = [];

  /** Keeps a failure for the end; throws it if the other tasks would fail too. */
  add(task: number, error: unknown): void {
    if (!(error instanceof DatasetError) || !OF_ONE_TASK.has(error.code)) throw error;
    this.#failures.push({ task, error });
  }

  /** Throws the failure of the first task, if there is one. It names the others. */
  throwFirst(): void {
    const [first, ...others] = this.#failures.sort((one, other) => one.task - other.task);
    if (!first) return;
    if (others.length === 0) throw first.error;
    const { message, code, file, line, byte } = first.error;
    const names = namesOf(others);
    const more = others.length === 1 ? `task ${names} has failed too` : `${others.length} other tasks have failed too: ${names}`;
    const worthAnotherTry = this.#failures.some(({ error }) => error.worthAnotherTry);
    throw new DatasetError(`${message}; ${more}`, { code, file, line, byte, worthAnotherTry }, { cause: first.error });
  }
}

/** The first of some tasks, for messages. */
export function namesOf(tasks: readonly { task: number }[]): string {
  const first = tasks.slice(0, NAMED).map(({ task }) => task);
  return `${first.join(', ')}${tasks.length > NAMED ? ' …' : ''}`;
}
