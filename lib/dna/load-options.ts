// Checks the options of DnaTokenizer.load. Pages load this with the first vocabulary.

import { type LoadOptions, loadOptions } from '../open/load-options.js';
import { unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/options.js';
import { booleanOr } from './options.js';
import { type DnaPolicies, policyNumbers } from './vocabulary.js';

/**
 * Options of {@link DnaTokenizer.load}.
 *
 * @example
 * ```ts
 * const options: DnaLoadOptions = { prefix: [], lowerCase: 'normalize' };
 * using dna = await DnaTokenizer.load('nt-v2', options);
 * dna.encode('acgtac', { addSpecialTokens: true }).length; // 1
 * ```
 */
export interface DnaLoadOptions extends DnaPolicies, Pick<LoadOptions, 'backend' | 'kernel' | 'mmap' | 'verify' | 'wasm'> {
  /** For a built-in vocabulary: other ids, or names of special tokens, to put before a sequence. */
  prefix?: readonly (number | string)[] | undefined;
  /** The same, after a sequence. */
  suffix?: readonly (number | string)[] | undefined;
  /** The default of calls that do not set it: add prefix and suffix to sequences. Default false. */
  addSpecialTokens?: boolean | undefined;
  /** For `'dnabert2'`: the model's `tokenizer.json`, parsed or as text; in Node also its path or `file:` URL. */
  tokenizerJson?: object | string | URL | undefined;
}

const LOAD_OPTIONS = optionNames<DnaLoadOptions>({
  backend: true,
  kernel: true,
  mmap: true,
  verify: true,
  wasm: true,
  prefix: true,
  suffix: true,
  addSpecialTokens: true,
  tokenizerJson: true,
  lowerCase: true,
  ambiguous: true,
  n: true,
  tail: true,
});

/** The options of `load`, each read once. */
export interface CheckedLoad {
  open: LoadOptions;
  policies: Uint32Array;
  prefix: readonly (number | string)[] | undefined;
  suffix: readonly (number | string)[] | undefined;
  addSpecialTokens: boolean;
  tokenizerJson: object | string | URL | undefined;
}

export function checkedLoad(options: DnaLoadOptions = {}): CheckedLoad {
  checkOptionNames(options, LOAD_OPTIONS);
  const { backend, kernel, mmap, verify, wasm, lowerCase, ambiguous, n, tail, prefix, suffix, tokenizerJson } = options;
  return {
    open: loadOptions({ backend, kernel, mmap, verify, wasm }),
    policies: policyNumbers({ lowerCase, ambiguous, n, tail }),
    prefix: listOrNone(prefix, 'prefix'),
    suffix: listOrNone(suffix, 'suffix'),
    addSpecialTokens: booleanOr(options.addSpecialTokens, false, 'addSpecialTokens'),
    tokenizerJson: jsonOrNone(tokenizerJson),
  };
}

function listOrNone(list: unknown, name: string): readonly (number | string)[] | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw unexpected('a list of ids or special tokens', name, list);
  return [...(list as (number | string)[])];
}

function jsonOrNone(json: unknown): object | string | URL | undefined {
  if (json === undefined || typeof json === 'string') return json;
  if (typeof json === 'object' && json !== null) return json;
  throw unexpected('an object, a text or a path', 'tokenizerJson', json);
}
