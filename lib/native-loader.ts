// Finds and loads crayon.node: one built on this machine, else the prebuilt one for its platform. When neither loads, the
// error says what was tried, why each failed and what to do.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import type { Description, Policy, Section } from './backend.js';
import type { CartridgeForm, CompilerInput } from './compiler.js';
import type { Dat } from './dat.js';
import { type Failure, TokenizerError } from './errors.js';

/** A tokenizer or session that the addon has open. */
export type Handle = number;

/**
 * The functions of the addon. Where nothing else is said, -1 (or undefined, where a number is no answer) means a failure
 * that `failure` explains. Texts are at most 65,536 UTF-16 units long; bytes may have any length.
 */
export interface Addon {
  statuses(): { name: string; number: number; sentence: string }[];
  /** Names of the SIMD rows this machine can run, best first. */
  kernels(): string[];
  /** Of the call that failed last. */
  failure(): Failure;

  /**
   * `source`: path or bytes. `view`: name or index. `flags`: OPEN_…. `kernel`: '' for the best. `dat`: it is of version
   * 2.
   */
  load(source: string | Uint8Array, view: string | number, flags: number, kernel: string, dat?: Dat): Handle;
  describe(tokenizer: Handle): Description | undefined;
  sections(tokenizer: Handle): Section[] | undefined;
  /** Closes the tokenizer when its last session ends: now if it has none. */
  retire(tokenizer: Handle): void;
  /** Ends its sessions too. */
  close(tokenizer: Handle): void;

  /**
   * Writes the ids into the slab from `offset` (in ids) and returns their count. Ids that do not fit are kept for
   * `takeOverflow`, all of them, and the answer is -2 - their count.
   */
  encode(tokenizer: Handle, text: string, slab: ArrayBuffer, offset: number, policy: Policy): number;
  encodeBytes(tokenizer: Handle, bytes: Uint8Array, slab: ArrayBuffer, offset: number, policy: Policy): number;
  takeOverflow(target: Uint32Array): number;
  /**
   * The same with offsets, which lie in the slab behind the ids. -2: they do not fit it, and nothing is kept. Bytes are
   * no more than units may be. `unit`: UNIT_….
   */
  encodeWithOffsets(tokenizer: Handle, text: string, slab: ArrayBuffer, offset: number, unit: number, policy: Policy): number;
  encodeBytesWithOffsets(tokenizer: Handle, bytes: Uint8Array, slab: ArrayBuffer, offset: number, unit: number, policy: Policy): number;
  /** Stops at `most` tokens. */
  count(tokenizer: Handle, text: string, most: number, policy: Policy): number;
  countBytes(tokenizer: Handle, bytes: Uint8Array, most: number, policy: Policy): number;

  /** `unit`: offsets are gathered with the ids. */
  begin(tokenizer: Handle, policy: Policy, counting: boolean, unit?: number): Handle;
  /** Returns the ids gathered and not taken, or the tokens counted. Counting stops at `most`. */
  feed(session: Handle, text: string, last: boolean, most?: number): number;
  feedBytes(session: Handle, bytes: Uint8Array, last: boolean): number;
  /** Every row is a text; totals[i + 1] becomes what `feed` would return after row i. */
  feedRows(session: Handle, bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array): number;
  /** The same for rows [first, last), strings joined in `text`; totals[i + 1] is the length of row i in units until then. */
  feedJoined(session: Handle, text: string, totals: Uint32Array, first: number, last: number): number;
  take(session: Handle, target: Uint32Array): number;
  takeOffsets(session: Handle, target: Uint32Array): number;
  end(session: Handle): void;

  /** Where the beginning ends that fits. -2: more text is needed. */
  fit(tokenizer: Handle, bytes: Uint8Array, last: boolean, limit: number, unit: number, policy: Policy): number;
  split(
    tokenizer: Handle,
    bytes: Uint8Array,
    last: boolean,
    limit: number,
    overlap: number,
    unit: number,
    policy: Policy,
  ): Uint32Array | undefined;

  /** `flags`: DECODE_…. */
  decode(tokenizer: Handle, ids: Uint32Array, flags: number): string | undefined;
  decodeLength(tokenizer: Handle, ids: Uint32Array, flags: number): number;
  decodeInto(tokenizer: Handle, ids: Uint32Array, target: Uint8Array, flags: number): number;
  tokenBytes(tokenizer: Handle, id: number): Uint8Array | undefined;
  /** -2: no token has these bytes. */
  idOf(tokenizer: Handle, bytes: Uint8Array): number;

  /** The bytes of a cartridge. `form`: FORMS' place of it. */
  compile(vocabulary: CompilerInput, form: number): Uint8Array | undefined;
  /** Those of the cartridge of an open tokenizer in another form. */
  recompile(tokenizer: Handle, form: number): Uint8Array | undefined;
}

/** UTF-16 units that the addon takes in one call. */
export const WINDOW = 64 * 1024;

export const DECODE_SKIP_SPECIAL = 1;
/** What `compile` makes, as it counts them. */
export const FORMS: readonly CartridgeForm[] = ['full', 'slim', 'dat'];

export const UNIT_BYTES = 0;
export const UNIT_UTF16 = 1;

const root = fileURLToPath(new URL('../', import.meta.url));

/** Where the addon may be, in order. `CRAYON_ADDON` names one file instead. */
function candidates(): string[] {
  const named = process.env.CRAYON_ADDON;
  if (named) return [named];
  const platform = `${process.platform}-${process.arch}`;
  const folders = ['build/release', `prebuilds/${platform}`];
  if (process.platform === 'linux') folders.push(`prebuilds/${platform}-musl`);
  return folders.map((folder) => `${root}${folder}/crayon.node`);
}

/** The addon and its path, or the error that says why there is none. */
function loadAddon(): { addon: Addon; path: string } | { error: Error } {
  const require = createRequire(import.meta.url);
  const failed: { path: string; error: Error }[] = [];
  for (const path of candidates()) {
    try {
      return { addon: require(path) as Addon, path };
    } catch (error) {
      failed.push({ path, error: error as Error });
    }
  }
  return { error: explain(failed) };
}

function explain(failed: { path: string; error: Error }[]): Error {
  const tried = failed.map(({ path, error }) => {
    const missing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    return `  ${path}: ${missing ? 'no such file' : error.message.split('\n', 1)[0]}`;
  });
  const found = failed.find(({ error }) => (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND');
  const message = [
    `crayon-tokenizer found no native addon for ${process.platform}-${process.arch} (Node ${process.versions.node}). Tried:`,
    ...tried,
    'To build one, run "npm run build" in the package\'s folder; it needs cmake, ninja and a C++20 compiler.',
  ].join('\n');
  return new Error(message, found && { cause: found.error });
}

const loaded = loadAddon();

/** Why there is no addon; undefined if there is one. */
export const missing: Error | undefined = 'error' in loaded ? loaded.error : undefined;

/** The addon, and where it was found; throws the loader's error if there is none. */
export function native(): { addon: Addon; path: string } {
  if ('error' in loaded) throw loaded.error;
  return loaded;
}

/** The addon. It checks its arguments, so a placeholder is enough until `native()` has thrown the right error. */
export const addon: Addon = 'addon' in loaded ? loaded.addon : (undefined as unknown as Addon);

/** The error of the call that failed last. */
export function failed(doing: string): TokenizerError {
  const failure = addon.failure();
  return new TokenizerError(`${doing}: ${failure.sentence}`, failure);
}
