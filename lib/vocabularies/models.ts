// Names: the built-in encodings and profiles, their cartridges and views, and the models that use them. Only these
// tables know.

import { quotedName, unexpected } from '../base/errors.js';
import { nearNames } from '../base/option-objects.js';

/**
 * The name of a built-in encoding.
 *
 * @example
 * ```ts
 * const encodings: EncodingName[] = ['cl100k_base', 'o200k_base'];
 * encodings.map((name) => Tokenizer.loadSync(name).count('hello world')); // [2, 2]
 * ```
 */
export type EncodingName = 'gpt2' | 'r50k_base' | 'p50k_base' | 'p50k_edit' | 'cl100k_base' | 'o200k_base' | 'o200k_harmony';

/** Each built-in encoding and the cartridge (`cartridges/NAME.cray`) that contains it as a view. */
export const ENCODINGS = {
  gpt2: 'r50k_base',
  r50k_base: 'r50k_base',
  p50k_base: 'p50k_base',
  p50k_edit: 'p50k_base',
  cl100k_base: 'cl100k_base',
  o200k_base: 'o200k_base',
  o200k_harmony: 'o200k_base',
} as const satisfies Record<EncodingName, EncodingName>;

/** Whether a name is a built-in encoding's. */
export function isEncodingName(name: string): name is EncodingName {
  return Object.hasOwn(ENCODINGS, name);
}

/**
 * The name of a built-in longest-match vocabulary, a profile of CRAYON: `'lite'` has 50,000 tokens, `'standard'`
 * 206,373.
 *
 * @example
 * ```ts
 * const profile: ProfileName = 'lite';
 * using lite = Tokenizer.loadSync(profile);
 * lite.modelKind; // 'longest-match'
 * ```
 */
export type ProfileName = 'lite' | 'standard';

/** The profiles: each is a separate cartridge. */
export const PROFILES: readonly ProfileName[] = ['lite', 'standard'];

/**
 * Model names as published by their makers. A name that ends in `*` stands for every name with that prefix: the dated
 * snapshots and variants of a family. An exact name wins over a prefix, a longer prefix over a shorter one. A family's
 * undated names are listed too, so that editors complete them.
 */
const MODELS = {
  o200k_harmony: ['gpt-oss-120b', 'gpt-oss-20b', 'gpt-oss-*'],
  o200k_base: [
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-nano',
    'gpt-5-*',
    'gpt-5.*',
    'gpt-4.5-preview',
    'gpt-4.5-*',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-nano',
    'gpt-4.1-*',
    'gpt-4o',
    'gpt-4o-mini',
    'gpt-4o-*',
    'chatgpt-4o-latest',
    'chatgpt-4o-*',
    'o1',
    'o1-mini',
    'o1-pro',
    'o1-*',
    'o3',
    'o3-mini',
    'o3-pro',
    'o3-*',
    'o4-mini',
    'o4-mini-*',
    'codex-mini-latest',
    'ft:gpt-4o*',
    'ft:gpt-4.1*',
    'ft:o4-mini*',
  ],
  cl100k_base: [
    'gpt-4',
    'gpt-4-turbo',
    'gpt-4-*',
    'gpt-3.5',
    'gpt-3.5-turbo',
    'gpt-3.5-*',
    'gpt-35-turbo',
    'gpt-35-turbo-*',
    'ft:gpt-4*',
    'ft:gpt-3.5-turbo*',
    'text-embedding-3-small',
    'text-embedding-3-large',
    'text-embedding-ada-002',
    'davinci-002',
    'babbage-002',
    'ft:davinci-002*',
    'ft:babbage-002*',
  ],
  p50k_base: [
    'text-davinci-003',
    'text-davinci-002',
    'code-davinci-002',
    'code-davinci-001',
    'code-cushman-002',
    'code-cushman-001',
    'davinci-codex',
    'cushman-codex',
  ],
  p50k_edit: ['text-davinci-edit-001', 'code-davinci-edit-001'],
  r50k_base: [
    'davinci',
    'curie',
    'babbage',
    'ada',
    'text-davinci-001',
    'text-curie-001',
    'text-babbage-001',
    'text-ada-001',
    'text-similarity-davinci-001',
    'text-similarity-curie-001',
    'text-similarity-babbage-001',
    'text-similarity-ada-001',
    'text-search-davinci-doc-001',
    'text-search-curie-doc-001',
    'text-search-babbage-doc-001',
    'text-search-ada-doc-001',
    'text-search-davinci-query-001',
    'text-search-curie-query-001',
    'text-search-babbage-query-001',
    'text-search-ada-query-001',
    'code-search-babbage-code-001',
    'code-search-ada-code-001',
    'code-search-babbage-text-001',
    'code-search-ada-text-001',
  ],
  gpt2: ['gpt2', 'gpt-2'],
} as const satisfies Record<EncodingName, readonly string[]>;

/**
 * The name of a model that uses a built-in encoding. Snapshots, variants and fine-tuned models of these families are
 * also recognized, by prefix.
 *
 * @example
 * ```ts
 * const model: ModelName = 'gpt-4o';
 * encodingForModel(model); // 'o200k_base'
 * ```
 */
export type ModelName = Exclude<(typeof MODELS)[EncodingName][number], `${string}*`>;

/**
 * A built-in name: an encoding, a profile or a model. Any string is accepted where one is expected; editors complete
 * these.
 *
 * @example
 * ```ts
 * const names: BuiltInName[] = ['o200k_base', 'lite', 'gpt-5'];
 * names.map((name) => Tokenizer.loadSync(name).name); // ['o200k_base', 'lite', 'o200k_base']
 * ```
 */
export type BuiltInName = EncodingName | ProfileName | ModelName;

let exact: Map<string, EncodingName> | undefined;
let beginnings: [string, EncodingName][] = [];

function read(): Map<string, EncodingName> {
  exact = new Map();
  for (const [encoding, names] of Object.entries(MODELS) as [EncodingName, readonly string[]][]) {
    for (const name of names) {
      if (name.endsWith('*')) beginnings.push([name.slice(0, -1), encoding]);
      else exact.set(name, encoding);
    }
  }
  beginnings = beginnings.sort(([a], [b]) => b.length - a.length);
  return exact;
}

/**
 * The encoding of a model; undefined for an unknown name. Snapshots and fine-tuned models are recognized by prefix.
 *
 * @example
 * ```ts
 * encodingForModel('gpt-4o-2024-08-06'); // 'o200k_base'
 * encodingForModel('ft:gpt-3.5-turbo:acme'); // 'cl100k_base'
 * encodingForModel('some-model'); // undefined
 * ```
 */
export function encodingForModel(model: ModelName | (string & {})): EncodingName | undefined {
  if (typeof model !== 'string') throw unexpected('a string', 'model', model);
  const named = (exact ?? read()).get(model);
  return named ?? beginnings.find(([beginning]) => model.startsWith(beginning))?.[1];
}

/** The package's cartridge for a name, its view, and the model if the name is a model's. */
export interface BuiltIn {
  cartridge: string;
  view: EncodingName | ProfileName;
  model?: string;
}

/** The built-in vocabulary with this name; undefined for any other name. */
export function builtInNamed(name: string): BuiltIn | undefined {
  const profile = PROFILES.find((profile) => profile === name);
  if (profile) return { cartridge: profile, view: profile };
  if (Object.hasOwn(ENCODINGS, name)) return { cartridge: ENCODINGS[name as EncodingName], view: name as EncodingName };
  const view = encodingForModel(name);
  return view && { cartridge: ENCODINGS[view], view, model: name };
}

/** The error text for a name that is unknown and found in none of the folders; `searched`: undefined if only built-in names may be. */
export function unknownName(name: string, searched: readonly string[] | undefined): string {
  const near = nearNames(name, knownNames());
  return [
    `no ${searched ? 'encoding, model or cartridge' : 'built-in encoding, profile or model'} is named ${quotedName(name)}`,
    near.length > 0 ? `; did you mean ${near.join(', ')}?` : '.',
    ` Encodings: ${Object.keys(ENCODINGS).join(', ')}. Profiles: ${PROFILES.join(', ')}.`,
    searched ? ' Nothing is downloaded: for another model, pass the path of its tokenizer.json.' : " Models: OpenAI's, such as gpt-4o.",
    searched && searched.length > 0 ? ` Searched: ${searched.join(', ')}` : '',
  ].join('');
}

/** Every exact name: encodings, profiles, then models. */
export function knownNames(): string[] {
  return [...new Set([...Object.keys(ENCODINGS), ...PROFILES, ...(exact ?? read()).keys()])];
}
