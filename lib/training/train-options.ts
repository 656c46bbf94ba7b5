// Checks the training options, and converts them to engine settings.

import { copiedPretokenizer, DEFAULT_FAMILY, type Pretokenizer } from '../vocabularies/import/compile-cartridge.js';
import { checkOneOf } from '../vocabularies/open/load-options.js';
import { refusedPattern, resolvedPretokenizer, scannerOf } from '../vocabularies/compile/scanner.js';
import { jobOf } from '../api/async-options.js';
import { outOfRange, quotedName, refused, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/option-objects.js';
import { ALPHABET, bytesOfByteLevel } from '../vocabularies/decode/bytes.js';
import type { Split } from '../vocabularies/patterns/compile-pattern.js';
import type { TrainerSettings } from '../engine/trainer.js';
import type { TrainProgress } from './train-session.js';

/**
 * Options of {@link trainBpe}.
 *
 * @example
 * ```ts
 * const options: TrainOptions = { vocabularySize: 260, specialTokens: ['<|end|>'], pretokenizer: 'o200k' };
 * const trained = await trainBpe('low lower lowest', options);
 * trained.tokens.length; // 260
 * ```
 */
export interface TrainOptions {
  /** The number of tokens: special tokens, the 256 bytes, and learned tokens. At most 2,097,151. */
  vocabularySize: number;
  /** How often a pair must occur to be merged. 0 means 1. Default 2. */
  minFrequency?: number | undefined;
  /**
   * How text is split into pieces, which tokens never cross: a family, a pattern, or null or `'none'` for no splitting.
   * Default `'cl100k'`.
   */
  pretokenizer?: Pretokenizer | 'none' | null | undefined;
  /** Special tokens. They are not searched for in the texts. Default: none. */
  specialTokens?: readonly string[] | undefined;
  /**
   * The order of ids, and which of several equally frequent pairs is merged first. `'huggingface'` (default), as Hugging
   * Face tokenizers train: special tokens first, then the bytes in the order of their byte-level characters; the pair
   * with the smaller ids. `'crayon'`: the bytes from 0 to 255, special tokens last; the pair with the larger ids.
   */
  tieBreak?: 'huggingface' | 'crayon' | undefined;
  /** The longest token, in bytes. Default 65,535. */
  maxTokenLength?: number | undefined;
  /**
   * `'bytes'` (default): every byte is a token. `'observed'`: only bytes that occur in the texts, so other texts may not
   * be encodable, and the result works only with Hugging Face and longest match.
   */
  initialAlphabet?: 'bytes' | 'observed' | undefined;
  /** The training backend. Default: the addon, or WebAssembly if there is no addon. */
  backend?: 'native' | 'wasm' | undefined;
  /** The number of threads. Default: as many CPUs as the process may use. WebAssembly always uses one. */
  threads?: number | undefined;
  /** Aborts the work; the promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called with the progress, up to ten times a second. */
  onProgress?: ((progress: TrainProgress) => void) | undefined;
  /**
   * In Node, if the sources are files: a file to which the state is written every half minute. A training with the same
   * options and files resumes from it. It is not deleted at the end.
   */
  checkpoint?: string | undefined;
}

const TRAIN_OPTIONS = optionNames<TrainOptions>({
  vocabularySize: true,
  minFrequency: true,
  pretokenizer: true,
  specialTokens: true,
  tieBreak: true,
  maxTokenLength: true,
  initialAlphabet: true,
  backend: true,
  threads: true,
  signal: true,
  onProgress: true,
  checkpoint: true,
});

const MOST_TOKENS = 2_097_151;
const LONGEST_TOKEN = 65_535;
const LONGEST_SPECIAL_TOKEN = 1024;
const BYTE_COUNT = 256;

/** Checked options: the engine's settings, and the host's options. */
export interface CheckedOptions extends Pick<TrainOptions, 'backend' | 'threads' | 'signal' | 'onProgress' | 'checkpoint'> {
  settings: TrainerSettings;
  pretokenizer: string | readonly Split[] | null;
  specialTokens: readonly string[];
  /** The requested number of tokens. */
  vocabularySize: number;
  /** Whether the special tokens come first rather than last. */
  specialFirst: boolean;
  /** The most merges there can be, if known. */
  mostMerges: number | undefined;
}

/** Throws a TypeError or RangeError for the first invalid option. */
export function trainOptions(options: TrainOptions): CheckedOptions {
  checkOptionNames(options ?? {}, TRAIN_OPTIONS);
  if ((options as TrainOptions | undefined)?.vocabularySize === undefined) {
    throw new TypeError('the option vocabularySize, the number of tokens, is required: trainBpe(source, { vocabularySize: 32000 })');
  }
  const { vocabularySize, minFrequency = 2, maxTokenLength = LONGEST_TOKEN, tieBreak, initialAlphabet, backend } = options;
  const { onProgress, checkpoint } = options;
  const specialTokens = specialTokensOf(options.specialTokens);
  checkOneOf(['huggingface', 'crayon'], 'tieBreak', tieBreak);
  checkOneOf(['bytes', 'observed'], 'initialAlphabet', initialAlphabet);
  checkOneOf(['native', 'wasm'], 'backend', backend);
  checkInteger('minFrequency', minFrequency, 0, 0xffffffff);
  checkInteger('maxTokenLength', maxTokenLength, 1, LONGEST_TOKEN);
  if (onProgress !== undefined && typeof onProgress !== 'function') throw unexpected('a function', 'onProgress', onProgress);
  if (checkpoint !== undefined && (typeof checkpoint !== 'string' || checkpoint === '')) {
    throw unexpected('a path', 'checkpoint', checkpoint);
  }
  const { threads, signal } = jobOf(options);
  const requested = options.pretokenizer === undefined ? DEFAULT_FAMILY : copiedPretokenizer(options.pretokenizer, null);
  const pretokenizer = requested && resolvedPretokenizer(requested);
  const isObserved = initialAlphabet === 'observed';
  const specialFirst = tieBreak !== 'crayon';
  const reserved = specialFirst ? specialTokens.map(reservedFor) : [];
  // A single-byte special token is that byte's token.
  const others = specialFirst ? reserved.filter(({ length }) => length !== 1).length : specialTokens.length;
  const least = isObserved ? Math.max(specialTokens.length, 1) : BYTE_COUNT + others;
  checkInteger('vocabularySize', vocabularySize, 1, MOST_TOKENS);
  if (vocabularySize < least) {
    const what = isObserved ? 'the special tokens' : others > 0 ? 'the bytes and the special tokens' : 'the bytes';
    throw refused(`\`vocabularySize\` must be at least ${least} for ${what}`, vocabularySize);
  }
  return {
    settings: {
      vocabularySize: specialFirst ? vocabularySize : vocabularySize - specialTokens.length,
      minFrequency: Math.max(minFrequency, 1),
      maxTokenLength,
      ties: specialFirst ? 1 : 0,
      flags: isObserved ? 1 : 0,
      alphabet: specialFirst ? ALPHABET : Uint8Array.from({ length: BYTE_COUNT }, (_, byte) => byte),
      scanner: typeof pretokenizer === 'string' ? pretokenizer : 'none', // until withScanner
      reserved,
    },
    pretokenizer,
    specialTokens,
    vocabularySize,
    specialFirst,
    mostMerges: isObserved ? undefined : vocabularySize - least,
    backend,
    threads,
    signal,
    onProgress,
    checkpoint,
  };
}

function checkInteger(name: string, value: unknown, least: number, greatest: number): void {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isInteger(value) || value < least || value > greatest) {
    throw outOfRange(`an integer from ${least} to ${greatest}`, name, value);
  }
}

/** The settings with compiled patterns. Throws a RangeError for a pattern that cannot be compiled. */
export async function withScanner(options: CheckedOptions): Promise<CheckedOptions> {
  const { pretokenizer, settings } = options;
  if (pretokenizer === null || typeof pretokenizer === 'string') return options;
  const { patternTables } = await import('../vocabularies/patterns/pattern-section.js');
  const compiled = scannerOf(pretokenizer, patternTables, refusedPattern(pretokenizer));
  return { ...options, settings: { ...settings, ...compiled } };
}

function specialTokensOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw unexpected('a list of strings', 'specialTokens', value);
  const tokens = [...(value as unknown[])];
  tokens.forEach((token, index) => {
    const name = `specialTokens[${index}]`;
    if (typeof token !== 'string') throw unexpected('a string', name, token);
    if (token === '') throw outOfRange('a text that is not empty', name, token);
    const { length } = new TextEncoder().encode(token);
    if (length > LONGEST_SPECIAL_TOKEN) {
      throw refused(`\`${name}\` must have at most ${LONGEST_SPECIAL_TOKEN} bytes`, length);
    }
    if (tokens.indexOf(token) < index) {
      throw new RangeError(`\`specialTokens\` must have each token once; received ${quotedName(token)} twice`);
    }
  });
  return tokens as string[];
}

/**
 * The bytes that reserve a special token's id among the learned tokens. Hugging Face treats it as the token with the same
 * spelling: `Ġthe` is ` the`.
 */
function reservedFor(token: string): Uint8Array {
  return bytesOfByteLevel(token) ?? new TextEncoder().encode(token);
}
