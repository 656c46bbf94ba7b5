// Resolves the source of `DnaTokenizer.load`: a built-in vocabulary, plain data, or a cartridge. Names no engine: the entry
// provides it.

import { isLate, arrived, type LateSource, type Source } from '../open/source.js';
import { quotedName, TokenizerError, unexpected } from '../base/errors.js';
import { nearNames } from '../base/options.js';
import { printable } from '../base/texts.js';
import { bytesOf, tagOf } from '../base/views.js';
import type { DnaHost, OpenedDna } from './opened.js';
import { openDnabert2 } from './dnabert2.js';
import type { DnaEngine, Maybe } from './engine.js';
import { type CheckedLoad, checkedLoad, type DnaLoadOptions } from './load-options.js';
import { DNA_NAMES, type DnaName, presetNamed } from './presets.js';
import { type DnaVocabulary, partsOf } from './vocabulary.js';

/**
 * The source of a DNA vocabulary: the name of a built-in one, plain data, or a cartridge as a path or URL, bytes, or a
 * `Response` or `Blob` of them.
 *
 * @example
 * ```ts
 * const source: DnaSource = 'hyenadna';
 * using dna = await DnaTokenizer.load(source);
 * dna.vocabularySize; // 12
 * ```
 */
export type DnaSource = DnaName | (string & {}) | DnaVocabulary | Exclude<Source, string> | LateSource;

/** Opens a source, synchronously where the host can. */
export function openDna(host: DnaHost, source: DnaSource, given?: DnaLoadOptions): Maybe<OpenedDna> {
  const options = checkedLoad(given);
  const opened = (engine: DnaEngine): OpenedDna => ({ engine, around: options.addSpecialTokens });
  const engine = engineOf(host, source, options);
  return engine instanceof Promise ? engine.then(opened) : opened(engine);
}

function engineOf(host: DnaHost, source: DnaSource, options: CheckedLoad): Maybe<DnaEngine> {
  if (typeof source !== 'string' && (typeof source !== 'object' || source === null)) {
    throw unexpected(`one of ${DNA_NAMES.join(', ')}, a vocabulary as an object, or a cartridge (a path, URL or bytes)`, 'source', source);
  }
  if (source === 'dnabert2') return dnabert2(host, options);
  if (options.tokenizerJson !== undefined) throw unexpected("no value but with 'dnabert2'", 'tokenizerJson', options.tokenizerJson);
  const preset = typeof source === 'string' ? presetNamed(source) : undefined;
  if (preset) return builtIn(host, preset, options);
  if (isVocabulary(source)) return compiled(host, source, options);
  for (const name of ['prefix', 'suffix'] as const) {
    if (options[name] !== undefined) throw unexpected('no value, since a cartridge has its own,', name, options[name]);
  }
  if (typeof source === 'string' && !isPath(source)) throw unknownName(source);
  return opened(host, source, options);
}

function opened(host: DnaHost, source: Source | LateSource, { open, policies }: CheckedLoad): Maybe<DnaEngine> {
  if (!isLate(source)) return host.open(source, open, policies);
  return arrived(source).then((source) => host.open(source, open, policies));
}

/** Opens it from its cartridge file, if present, which holds the same bytes that compiling would give. */
function builtIn(host: DnaHost, preset: DnaVocabulary, options: CheckedLoad): Maybe<DnaEngine> {
  const isAsItIs = options.prefix === undefined && options.suffix === undefined;
  const file = isAsItIs ? host.builtIn?.(preset.name as string) : undefined;
  return file === undefined ? compiled(host, preset, options) : host.open(file, options.open, options.policies);
}

/** The engine of a vocabulary as plain data. */
export function compiled(host: DnaHost, vocabulary: DnaVocabulary, { open, policies, prefix, suffix }: CheckedLoad): Maybe<DnaEngine> {
  const parts = partsOf({ ...vocabulary, prefix: prefix ?? vocabulary.prefix, suffix: suffix ?? vocabulary.suffix });
  const bytes = host.compile(parts, open);
  return bytes instanceof Promise ? bytes.then((bytes) => host.open(bytes, open, policies)) : host.open(bytes, open, policies);
}

function dnabert2(host: DnaHost, { open, policies, prefix, suffix, tokenizerJson }: CheckedLoad): Maybe<DnaEngine> {
  if (prefix ?? suffix) throw unexpected('no value, since the tokenizer.json has its own,', prefix ? 'prefix' : 'suffix', prefix ?? suffix);
  const advice = `the model's tokenizer.json, parsed or as text${host.readText ? ', or its path' : ''}`;
  if (tokenizerJson === undefined) throw unexpected(advice, 'tokenizerJson', tokenizerJson);
  return openDnabert2(parsed(tokenizerJson, host), policies, (vocabulary) => host.openBpe(vocabulary, open));
}

function parsed(given: object | string | URL, { readText }: DnaHost): unknown {
  const isPath = tagOf(given) === 'URL' || (typeof given === 'string' && !given.trimStart().startsWith('{'));
  if (!isPath && typeof given === 'object') return given;
  if (isPath && !readText) throw unexpected('an object or its text, since there are no files here,', 'tokenizerJson', given);
  const text = isPath ? (readText as (path: string | URL) => string)(given as string | URL) : (given as string);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const message = `cannot read the tokenizer.json: it is not valid JSON (${printable((cause as Error).message)})`;
    throw new TokenizerError(message, { code: 'BUILD_FAILED' }, { cause });
  }
}

/** Whether a source is plain data, judged by its fields: anything else is a URL, bytes or a promise of them. */
function isVocabulary(source: DnaSource): source is DnaVocabulary {
  if (typeof source !== 'object' || source === null) return false;
  return !isLate(source as Source) && tagOf(source) !== 'URL' && !bytesOf(source, 'source');
}

/** Whether a source that is not a built-in name is the path or URL of a cartridge. */
export function isPath(source: string): boolean {
  return /[/\\.:]/.test(source);
}

function unknownName(name: string): TokenizerError {
  const [near] = nearNames(name, DNA_NAMES);
  const advice = near === undefined ? `there are ${DNA_NAMES.join(', ')}` : `did you mean '${near}'?`;
  const message = `no vocabulary of DNA is called ${quotedName(name)} (${advice}); a cartridge is named by its path`;
  return new TokenizerError(message, { code: 'FILE_NOT_FOUND' });
}
