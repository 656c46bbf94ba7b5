// CRAYON's adaptive vocabulary: turns a tokenizer's observations into a cartridge with more tokens. Entries pass the compiler.
//
//   observed texts ─ symbol-sequences.ts ▶ symbols ─ chosen-merges.ts ▶ tokens ─ compile ▶ cartridge ─ check-adapted.ts ▶ staged-adaptation.ts

import type { CompileJob } from '../../vocabularies/import/compile-job.js';
import { joinTokens } from '../../base/token-table.js';
import type { Adaptation, Adapting, AdaptOptions, Observed, ObservedText } from '../../api/adaptation.js';
import { outOfRange, quotedName, TokenizerError, unexpected } from '../../base/errors.js';
import { ENCODINGS } from '../../vocabularies/models.js';
import { inTimeSlices } from '../../base/time-slices.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { Base, refused, tokensOf } from './adapted-vocabulary.js';
import { checkedSaving } from './check-adapted.js';
import { type Merge, mergesOf } from './chosen-merges.js';
import { keyOf, sampleOf } from './symbol-sequences.js';
import { type CompileForAdapting, type NoStage, type Stage, StagedAdaptation } from './staged-adaptation.js';
import { checkOptionNames, optionNames } from '../../base/option-objects.js';

/** Upper bound of token ids (cartridges/FORMAT.md, section 4). */
const MOST_TOKENS = 2 ** 21 - 1;
/** The most recompilations. Few vocabularies have tokens to exclude, and fewer have many. */
const MOST_EXCLUDED = 16;

/** Implements `Tokenizer.adapt`, without adjusting errors. */
export async function adapt(adapting: Adapting, options: AdaptOptions | undefined, compile: CompileForAdapting): Promise<Adaptation> {
  const checked = adaptOptions(options);
  const { observed, texts } = adapting;
  const base = new Base(adapting);
  refuseOthers(base);
  checked.signal?.throwIfAborted();
  base.hold();
  try {
    return new StagedAdaptation(base, observed, compile, await stage(base, observed, texts, checked, compile));
  } finally {
    base.release();
  }
}

/** A cartridge with new tokens, or the reason why there is none. */
async function stage(
  base: Base,
  observed: Observed,
  texts: readonly ObservedText[],
  { threshold, add, minFrequency, signal }: CheckedOptions,
  compile: CompileForAdapting,
): Promise<Stage | NoStage> {
  if (observed.texts === 0) return 'nothing-observed';
  if (observed.rate < threshold) return 'below-threshold';
  const { engine, description } = base;
  const firstId = description.vocabularySize;
  const limit = Math.min(add, MOST_TOKENS - firstId);
  const sample = await inTimeSlices(sampleOf(engine, description, texts), signal);
  const excluded: string[] = [];
  const isExcluded = (key: string) => excluded.some((token) => token.includes(key));
  let known: (Uint8Array | undefined)[] | undefined;
  for (;;) {
    const merges = await inTimeSlices(mergesOf(engine, sample, { add: limit, minFrequency, firstId, isExcluded }), signal);
    if (merges.length === 0) return 'nothing-frequent';
    known ??= await inTimeSlices(tokensOf(engine, description), signal);
    let cartridge: UnsharedUint8Array;
    try {
      cartridge = await compile(jobFor(base, known, merges), signal);
    } catch (error) {
      // Merging would reach an old token through new ones (chosen-merges.ts): no new token may be a part of the old one.
      const part = error instanceof TokenizerError && error.code === 'BUILD_FAILED' ? known[error.position] : undefined;
      const key = part && keyOf(part);
      if (key === undefined || excluded.length === MOST_EXCLUDED || !merges.some(({ bytes }) => key.includes(keyOf(bytes)))) {
        throw error;
      }
      excluded.push(key);
      continue;
    }
    const saved = await savedBy(base, cartridge, merges, texts, signal);
    return { cartridge, added: merges.map(({ bytes, count }, at) => Object.freeze({ id: firstId + at, bytes, count })), saved };
  }
}

async function savedBy(
  base: Base,
  cartridge: UnsharedUint8Array,
  merges: readonly Merge[],
  texts: readonly ObservedText[],
  signal: AbortSignal | undefined,
): Promise<number> {
  const next = await base.open(cartridge);
  try {
    signal?.throwIfAborted();
    return await inTimeSlices(checkedSaving(base.engine, next, merges, texts), signal);
  } finally {
    next.close();
  }
}

/** The existing vocabulary, followed by the new tokens; ids of special tokens remain without model tokens. */
function jobFor({ description, metadata }: Base, known: readonly (Uint8Array | undefined)[], merges: readonly Merge[]): CompileJob {
  const { name, model, scanner, unknownId, unknownUnit, addedTokens } = description;
  const { adaptations } = metadata;
  const before: unknown[] = Array.isArray(adaptations) ? adaptations : [];
  const added = (special: boolean) =>
    addedTokens.filter((token) => token.special === special).map(({ text, id }): [string, number] => [text, id]);
  return {
    tokens: joinTokens([...known, ...merges.map(({ bytes }) => bytes)]),
    model: model as 'bpe' | 'longest-match',
    unknownId: model === 'bpe' ? undefined : unknownId,
    unknownUnit,
    name,
    pretokenizer: scanner,
    specialTokens: added(true),
    otherTokens: added(false),
    metadata: JSON.stringify({ ...metadata, adaptations: [...before, { firstId: known.length, added: merges.length }] }),
    form: 'full',
    source: `${quotedName(name)} with ${merges.length} more tokens`,
  };
}

function refuseOthers({ description, metadata }: Base): void {
  const { name, views, vocabularySize, scanner } = description;
  const published = [name, metadata.name].find((each) => typeof each === 'string' && Object.hasOwn(ENCODINGS, each));
  const { origin } = (metadata.source ?? {}) as { origin?: unknown };
  if (published !== undefined || origin !== undefined) {
    throw refused(`${quotedName(String(published ?? name))} is a published encoding, and no model knows other ids than its own`);
  }
  if (['wordpiece', 'wordlevel', 'unigram'].includes(description.model))
    throw refused(`its model is ${description.model}, which merges nothing`);
  if (description.normalizer !== '') throw refused(`it has the normalizer ${description.normalizer}, which is not supported yet`);
  const stripping = description.addedTokens.find(({ strips }) => strips);
  if (stripping) throw refused(`its token ${quotedName(stripping.text)} includes whitespace around it, which is not supported yet`);
  const word = description.addedTokens.find(({ singleWord }) => singleWord);
  if (word) throw refused(`its token ${quotedName(word.text)} is found only as a whole word, which is not supported yet`);
  if (views.length > 1) throw refused(`its cartridge has ${views.length} views, which share their tokens`);
  if (scanner === 'pattern') throw refused('it splits by a pattern and not as a family does, which is not supported');
  if (vocabularySize >= MOST_TOKENS) {
    const code = 'VOCABULARY_TOO_LARGE';
    throw new TokenizerError(
      `cannot adapt the vocabulary: new ids would follow ${vocabularySize - 1}, and the highest that a token can have is ${MOST_TOKENS - 1}`,
      { code },
    );
  }
}

const ADAPT_OPTIONS = optionNames<AdaptOptions>({ threshold: true, add: true, minFrequency: true, signal: true });
const MOST_ADDED = 65_536;

export interface CheckedOptions {
  threshold: number;
  add: number;
  minFrequency: number;
  signal: AbortSignal | undefined;
}

/** Throws a TypeError or RangeError for the first invalid option. */
function adaptOptions(options: AdaptOptions | undefined = {}): CheckedOptions {
  checkOptionNames(options, ADAPT_OPTIONS);
  const { threshold = 0.15, add = 50, minFrequency = 2, signal } = options;
  if (typeof threshold !== 'number') throw unexpected('a number', 'threshold', threshold);
  if (!(threshold >= 0 && threshold <= 1)) throw outOfRange('a number from 0 to 1', 'threshold', threshold);
  checkInteger('add', add, MOST_ADDED);
  checkInteger('minFrequency', minFrequency, 0xffffffff);
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw unexpected('an AbortSignal', 'signal', signal);
  }
  return { threshold, add, minFrequency, signal };
}

function checkInteger(name: string, value: unknown, greatest: number): void {
  if (typeof value !== 'number') throw unexpected('a number', name, value);
  if (!Number.isInteger(value) || value < 1 || value > greatest) throw outOfRange(`an integer from 1 to ${greatest}`, name, value);
}
