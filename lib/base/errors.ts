// The package's errors: their messages, and where their stacks begin.

/**
 * Names of the engine's statuses: the possible values of {@link TokenizerError.code}. Programs may want to handle these:
 * `SPECIAL_FORBIDDEN` (a special token in a text under `special: 'forbid'`), `UNKNOWN_SPECIAL` (a name in a list of special
 * tokens), `UNKNOWN_BASE` (in a DNA sequence), `TEMPLATE_REFUSED` (a chat that the model's template rejects), `CHAT_BUDGET` (a
 * template that takes more time or memory than a chat needs), `INVALID_TEMPLATE`,
 * `INVALID_ID`, `TEXT_TOO_LONG`, `CLOSED`; from `load`, `FILE_NOT_FOUND` (also for an unknown name), `FILE_UNREADABLE`,
 * `OUT_OF_MEMORY`, `UNKNOWN_VIEW`, `UNKNOWN_KERNEL`, or a reason for rejecting a file, such as `NOT_A_CARTRIDGE` and
 * `CHECKSUM_MISMATCH`; and for a batch whose device cannot be used, `DEVICE_UNAVAILABLE` and `DEVICE_UNSUPPORTED`. `OK` is never
 * the code of an error.
 *
 * @example
 * ```ts
 * const codes: StatusCode[] = ['INVALID_ID', 'CLOSED'];
 * tokenizer.decode([300000]); // throws TokenizerError (INVALID_ID)
 * tokenizer.close();
 * tokenizer.decode([24912]); // throws TokenizerError (CLOSED)
 * ```
 */
export type StatusCode =
  | 'OK'
  | 'OUT_OF_MEMORY'
  | 'INVALID_ARGUMENT'
  | 'FILE_NOT_FOUND'
  | 'FILE_UNREADABLE'
  | 'FILE_TOO_LARGE'
  | 'NOT_A_CARTRIDGE'
  | 'UNSUPPORTED_VERSION'
  | 'TRUNCATED'
  | 'CHECKSUM_MISMATCH'
  | 'CORRUPT_STRUCTURE'
  | 'MISSING_SECTION'
  | 'UNKNOWN_SECTION'
  | 'UNKNOWN_VIEW'
  | 'UNKNOWN_KERNEL'
  | 'UNKNOWN_SCANNER'
  | 'INVALID_ID'
  | 'SPECIAL_FORBIDDEN'
  | 'UNKNOWN_SPECIAL'
  | 'TEXT_TOO_LONG'
  | 'DUPLICATE_TOKEN'
  | 'MISSING_BYTE_TOKEN'
  | 'VOCABULARY_TOO_LARGE'
  | 'CLOSED'
  | 'BUILD_FAILED'
  | 'UNKNOWN_CHARACTER'
  | 'CANCELLED'
  | 'UNKNOWN_BASE'
  | 'INVALID_RECORD'
  | 'INVALID_TEMPLATE'
  | 'TEMPLATE_REFUSED'
  | 'FEATURE_MISSING'
  | 'DEVICE_UNAVAILABLE'
  | 'DEVICE_FAILED'
  | 'DEVICE_UNSUPPORTED'
  | 'ROW_REFUSED'
  | 'CHAT_BUDGET'
  | 'PATTERN_BUDGET'
  | 'TEXT_REFUSED';

/** An engine's report of a failed call. */
export interface Failure {
  code: StatusCode;
  /** The status in words. */
  sentence: string;
  /** The cartridge section of a load failure; 0 is the header and the section table. */
  section: number;
  /** In the unit named by the sentence. */
  position: number;
  /** The row in a batch. */
  row?: number | undefined;
}

/**
 * A failure of the engine: a rejected cartridge, an unknown token id, a forbidden special token, a closed tokenizer.
 * Mistakes in arguments are `TypeError` or `RangeError` instead.
 *
 * @example
 * ```ts
 * try {
 *   tokenizer.encode('hello<|endoftext|>', { special: 'forbid' });
 * } catch (error) {
 *   if (!(error instanceof TokenizerError)) throw error;
 *   error.code; // 'SPECIAL_FORBIDDEN'
 *   error.position; // 5
 * }
 * ```
 */
export class TokenizerError extends Error {
  /** The kind of failure. A code never changes its meaning. */
  readonly code: StatusCode;
  /**
   * The position: an index into the ids (`INVALID_ID`), an offset into the text (`SPECIAL_FORBIDDEN`: UTF-16 units of a string,
   * bytes of bytes), an index into the list (`UNKNOWN_SPECIAL`), or a byte of the cartridge or imported JSON; 0 if the error has
   * no position.
   */
  readonly position: number;
  /** The section of a rejected cartridge. */
  readonly section: number;
  /** In a batch, the index of the text or list of ids that failed. */
  declare readonly row?: number;

  /** @internal */
  constructor(message: string, failure: Pick<Failure, 'code'> & Partial<Failure>, options?: { cause?: unknown }) {
    super(message, options);
    this.code = failure.code;
    this.position = failure.position ?? 0;
    this.section = failure.section ?? 0;
    if (failure.row !== undefined) this.row = failure.row;
  }

  /** @internal */
  override get name(): string {
    return 'TokenizerError';
  }
}

/** A `TypeError` about an argument: "expected X for Y but received Z". */
export function unexpected(expected: string, name: string, received: unknown): TypeError {
  return new TypeError(`expected ${expected} for ${name} but received ${inWords(received)}`);
}

/** A `RangeError` in the same words, for a value of the right type that is out of bounds. */
export function outOfRange(expected: string, name: string, received: unknown): RangeError {
  return new RangeError(`expected ${expected} for ${name} but received ${inWords(received)}`);
}

/** A `RangeError` whose rule needs a sentence: "`overlap` must be less than `maxTokens` (8); received 9". */
export function refused(rule: string, received: unknown): RangeError {
  return new RangeError(`${rule}; received ${inWords(received)}`);
}

// Where stacks begin. An error that the package throws is about the line that called it, so its stack begins there: a class says so
// once for all of its methods (`beginAtCallers`), a function for itself (`atCaller`).

/** What a user calls: a method, the getter of a property, a function, or a class. */
type Entry = ((...args: never[]) => unknown) | (new (...args: never[]) => unknown);

const changed = new WeakSet<object>();

/**
 * Makes the stacks of errors of a class's public methods, static functions and getters begin where a user calls them, also of errors that
 * reject promises. Public classes call this in their constructor: a call beside the class would keep it in pages that do not use it.
 */
export function beginAtCallers(Class: { readonly prototype: object }): void {
  if (changed.has(Class)) return;
  changed.add(Class);
  for (const owner of [Class, Class.prototype]) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (name === 'constructor') continue;
      if (typeof property.value === 'function') property.value = beginningAtCaller(property.value);
      else if (property.get) property.get = beginningAtCaller(property.get);
      else continue;
      Object.defineProperty(owner, name, property);
    }
  }
}

function beginningAtCaller<This, Args extends unknown[], Result>(call: (this: This, ...args: Args) => Result) {
  const entry = call.constructor.name === 'AsyncFunction' ? later : now;
  // Short calls are made millions of times: this does nothing else, so that engines pass the arguments on without making a list of them.
  function now(this: This, ...args: Args): Result {
    try {
      return call.apply(this, args);
    } catch (error) {
      throw fromCaller(error, now);
    }
  }
  function later(this: This, ...args: Args): Result {
    return beginningAt(later, call.apply(this, args) as Promise<unknown>, args) as Result;
  }
  return Object.defineProperties(entry, { name: { value: call.name }, length: { value: call.length } });
}

/** Does the work of a public function, `entry`, whose errors begin at its caller. `options`: its argument that may have a signal. */
export function atCaller<Result>(entry: Entry, work: () => Result, options?: unknown): Result {
  try {
    const result = work();
    return result instanceof Promise ? (beginningAt(entry, result, [options]) as Result) : result;
  } catch (error) {
    throw fromCaller(error, entry);
  }
}

/**
 * Like `atCaller`, for work that may be done at once and then returns no promise. Its errors come while the caller is on the stack: to
 * remember the place of the call would take as long as counting a thousand characters.
 */
export function promised<Value>(entry: Entry, work: () => Value | Promise<Value>, options?: unknown): Promise<Value> {
  try {
    const result = work();
    return result instanceof Promise ? beginningAt(entry, result, [options]) : Promise.resolve(result);
  } catch (error) {
    return Promise.reject(isReasonIn([options], error) ? error : fromCaller(error, entry));
  }
}

function beginningAt<Value>(entry: Entry, result: Promise<Value>, args: readonly unknown[]): Promise<Value> {
  const explained = fromCallSite(entry);
  return result.catch((error: unknown) => {
    throw isReasonIn(args, error) ? error : explained(error);
  });
}

/** The reason of an aborted signal is the caller's, and stays as it is. */
function isReasonIn(args: readonly unknown[], error: unknown): boolean {
  return args.some((arg) => (arg as { signal?: AbortSignal } | null | undefined)?.signal?.reason === error);
}

const thrownByCallers = new WeakSet<object>();

/** Marks an error that a function of the caller has thrown, which keeps its stack. Returns the error, to be thrown. */
export function ofCaller(error: unknown): unknown {
  if (error instanceof Error) thrownByCallers.add(error);
  return error;
}

/**
 * Adds the name of the call to an error that says only what has been closed. Where one call makes another, the user's is the last to
 * add its name.
 */
function nameCall(error: Error, { name }: Entry): void {
  if (!(error instanceof TokenizerError) || error.code !== 'CLOSED' || name.startsWith('#')) return;
  error.message = error.message.replace(/^(cannot use \w+: )?(?=the .* has been closed)/, `cannot use ${name.replace('get ', '')}: `);
}

/**
 * Makes an error's stack begin where the user called `entry`, a public function: the frames above are no help there. For calls that
 * `beginAtCallers` and `atCaller` do not cover, such as constructors. Returns the error, to be thrown.
 */
export function fromCaller(error: unknown, entry: Entry): unknown {
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, below: unknown) => void };
  if (!(error instanceof Error) || thrownByCallers.has(error)) return error;
  nameCall(error, entry);
  if (!captureStackTrace) return error;
  const { stack } = error;
  captureStackTrace(error, entry);
  if (stack !== undefined && !error.stack?.includes('\n    at ')) error.stack = stack;
  return error;
}

/** Makes the stack of one of the package's errors begin where a user called a function; other errors keep their own. */
export type FromCallSite = (error: unknown) => unknown;

/**
 * Remembers where `entry` was called, for errors that come when it is no longer on the stack. Errors thrown by the user's callbacks and
 * iterables keep their stacks.
 */
export function fromCallSite(entry: Entry): FromCallSite {
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, below: unknown) => void };
  const site = { stack: '' };
  captureStackTrace?.(site, entry);
  return (error) => {
    if (!(error instanceof Error) || !isOfPackage(error) || thrownByCallers.has(error)) return error;
    nameCall(error, entry);
    // Formatted only now: that takes longer than capturing it.
    const frames = site.stack.slice(site.stack.indexOf('\n'));
    if (frames.startsWith('\n')) error.stack = `${error.name}: ${error.message}${frames}`;
    return error;
  };
}

/** Whether the package created an error: judged by its class, or by how its message begins. */
function isOfPackage(error: Error): boolean {
  return error instanceof TokenizerError || /^(?:expected |cannot |unknown option |`)/.test(error.message);
}

/** Longer than any name of a model, option or special token. */
export const LONGEST_NAME = 100;
/** Longer than any Linux path. */
const LONGEST_PATH = 4096;

/** A caller's text for a message. Text too long for a name is cut, so that messages do not contain megabytes. */
export function shownName(text: string): string {
  return shortened(text, LONGEST_NAME);
}

/** A caller's text in quotes. */
export function quotedName(text: string): string {
  return JSON.stringify(shownName(text));
}

/** A path or URL for a message. */
export function shownPath(path: string): string {
  return shortened(path, LONGEST_PATH);
}

function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, Math.min(limit, LONGEST_NAME))}…` : text;
}

function inWords(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(shortened(value, 40));
    case 'function':
      return `the function ${value.name || '(anonymous)'}`;
    case 'bigint':
      return `${value}n`;
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `an array of ${value.length}`;
      return `an instance of ${(value.constructor as { name?: string } | undefined)?.name || 'Object'}`;
    default:
      return String(value);
  }
}

// Errors between threads. A message takes only plain objects, so that a TokenizerError would lose its code and position.

/** An error as plain data, which crosses threads. */
export interface PlainFailure {
  kind: 'TypeError' | 'RangeError' | 'Error';
  message: string;
  code?: StatusCode;
  position?: number;
}

/** An error as another thread gets it. */
export function failureOf(error: unknown): PlainFailure {
  const { message } = error as Error;
  const kind = error instanceof TypeError ? 'TypeError' : error instanceof RangeError ? 'RangeError' : 'Error';
  const details = error instanceof TokenizerError ? { code: error.code, position: error.position } : {};
  return { kind, message, ...details };
}

/** The error of an answer. */
export function errorOf({ kind, message, code, position }: PlainFailure): Error {
  if (code !== undefined) return new TokenizerError(message, { code, position: position ?? 0 });
  return new { TypeError, RangeError, Error }[kind](message);
}

// Whether work failed because it was too large: out of memory, or more elements than a 32-bit index counts. Each runtime words
// the error differently.

const WORDS = [
  /out of memory/i, // CUDA, HIP, WebGPU, operating systems
  /can_?use_?32_?bit_?index_?math|32-?bit ind(?:ex|ices)|more than INT_MAX elements/i, // PyTorch, 32-bit indexing
  /conv1d[^\n]{0,99}\bindex/i, // PyTorch, convolutions of long sequences
  /failed to allocate|allocaterawinternal|smaller than requested bytes/i, // ONNX Runtime
  /bad_?alloc|alloc_failed|(?:cannot|can't|could not|unable to) allocate|allocation failed/i, // C++, cuBLAS, cuDNN, V8
];
const CODES = new Set(['ENOMEM', 'ERR_MEMORY_ALLOCATION_FAILED', 'ERR_WORKER_OUT_OF_MEMORY', 'OUT_OF_MEMORY']);
const MAX_CAUSES = 8;

/** Examines a thrown value and its causes. */
export function saysTooLarge(thrown: unknown): boolean {
  let next = thrown;
  for (let depth = 0; depth < MAX_CAUSES && next !== undefined && next !== null; depth++) {
    const { message, code, cause } = (typeof next === 'object' ? next : { message: next }) as Record<string, unknown>;
    const text = String(message);
    if (CODES.has(code as string) || WORDS.some((words) => words.test(text))) return true;
    next = cause;
  }
  return false;
}
