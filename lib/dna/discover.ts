// Builds tables for another tokenizer by querying it, after DNATok: k-mers first, then bytes. The tables are then checked against it with
// sequences that have not been asked before, the same for every run; where they differ, the tokenizer itself is used.

import { TokenizerError, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/option-objects.js';
import { isPromise } from '../base/views.js';
import type { LoadOptions } from '../vocabularies/open/load-options.js';
import { checkedLoad, compiled, type DnaDiscovery, type DnaFallback, type DnaHost, type OpenedDna } from './dna-sources.js';
import { readEmbedder, readLetters } from './embedder.js';
import type { AddedToken } from '../engine/engine.js';
import type { DnaEngine, DnaFacts } from '../engine/dna-engine.js';
import { countOrNone } from './dna-options.js';
import { type Answers, bytesRules, kmerRules, kmerSizes, NoTable } from './probe.js';
import { checkedIds, isAround, type Upstream, type UpstreamEncode, upstreamEngine } from './upstream.js';
import type { DnaVocabulary } from './dna-vocabulary.js';

/**
 * Options of {@link DnaTokenizer.discover}.
 *
 * @example
 * ```ts
 * const options: DiscoverOptions = { tokenLength: 1, padId: 0 };
 * using dna = await DnaTokenizer.discover((sequence) => Array.from(sequence, (base) => 1 + 'ACGTN'.indexOf(base)), options);
 * dna.encodeBatch(['A', 'CC']).ids; // Int32Array [0, 1, 2, 2]
 * ```
 */
export interface DiscoverOptions extends Pick<LoadOptions, 'backend' | 'kernel' | 'wasm'> {
  /** The text of one id, for naming special tokens, and for `decode` after a fallback. */
  decode?: ((ids: number[]) => string) | undefined;
  /** The bases per token, if known: 1 for bytes, k for k-mers. */
  tokenLength?: number | undefined;
  /** The vocabulary's name. Default `'discovered'`. */
  name?: string | undefined;
  /** The padding id, which no sequence reveals. Default: the object's, if a tokenizer or model was passed. */
  padId?: number | undefined;
  /** The padding side. Default: the object's, else `'left'`. */
  side?: 'left' | 'right' | undefined;
  /**
   * The ids of a row of `encodeBatch`, `batches` and `embed`, which are padded to it. Default: the object's, if it says how many
   * its model takes. `false`: rows have as many as they need.
   */
  modelLength?: number | false | undefined;
  /**
   * `'published'`: an object without a tokenizer gets a fixed table, A 1, C 2, G 3, T 4, N 0 in either case. Other letters and
   * padding are 0, unless the object says otherwise. Whether its model was trained with these ids cannot be checked. By default
   * such an object is an error.
   */
  fallback?: 'published' | undefined;
}

const OPTIONS = optionNames<DiscoverOptions>({
  backend: true,
  kernel: true,
  wasm: true,
  decode: true,
  tokenLength: true,
  name: true,
  padId: true,
  side: true,
  modelLength: true,
  fallback: true,
});

/** The single-byte characters that sequences may contain. */
const ASCII = 128;

/** DNATok's vocabulary for an embedder without a tokenizer. */
const PUBLISHED: DnaVocabulary = { unit: 'byte', baseIds: { N: 0, A: 1, C: 2, G: 3, T: 4 }, lowerCase: 'normalize' };

export async function discover(host: DnaHost, source: unknown, options: DiscoverOptions = {}): Promise<OpenedDna> {
  const isObject = (typeof source === 'object' && source !== null) || typeof source === 'function';
  if (!isObject) throw unexpected('a function, or an object with a tokenizer,', 'encodeFn', source);
  checkOptionNames(options, OPTIONS);
  const { backend, kernel, wasm, decode, tokenLength, name = 'discovered' } = options;
  if (decode !== undefined && typeof decode !== 'function') throw unexpected('a function', 'decode', decode);
  const known = countOrNone(tokenLength, 'tokenLength', 1);
  if (options.fallback !== undefined && options.fallback !== 'published') throw unexpected("'published'", 'fallback', options.fallback);
  const found = readEmbedder(source);
  if (options.modelLength !== undefined) {
    found.modelLength = options.modelLength === false ? undefined : countOrNone(options.modelLength, 'modelLength', 1);
    found.reasons = found.reasons.filter((reason) => !reason.startsWith('modelLength'));
    found.reasons.push(`modelLength ${found.modelLength ?? 'none'}: the options`);
  }
  const { padId = found.padId, side = found.side ?? 'left' } = options;
  const load = checkedLoad({ backend, kernel, wasm });
  if (!found.encode) {
    if (!options.fallback) throw unexpected("an object with a tokenizer, or fallback: 'published',", 'encodeFn', source);
    const { unknownId = 0, modelLength, specialTokens } = found;
    const engine = await compiled(host, { ...PUBLISHED, name, side, unknownId, padId: padId ?? 0 }, load);
    const reasons = [...found.reasons, "ids 'published': the object has no tokenizer"];
    const facts = { tokenLength: 1, padId: padId ?? 0, unknownId, n: 'token', modelLength, side: found.side, specialTokens } as const;
    return { engine, around: true, discovery: { ids: 'published', ...facts, reasons } };
  }
  const encodeFn = found.encode;
  const asked = new QueriedTokenizer(encodeFn);
  /** The findings, plus what only the tokenizer can tell. */
  const discovered = async (ids: DnaDiscovery['ids'], { unit, k, padId }: DnaFacts): Promise<DnaDiscovery> => {
    const length = unit === 'other' ? undefined : k;
    const ask = async (sequence: string) => ((await asked.ids(sequence)) ? asked.body(sequence) : undefined);
    const letters = await readLetters(ask, length ?? 1, found.unknownId);
    const of = length === undefined ? [] : [`tokenLength ${length}: ${known === undefined ? 'runs of bases' : 'the options'}`];
    const { modelLength, side, specialTokens, reasons } = found;
    return {
      ids,
      tokenLength: length,
      padId,
      modelLength,
      side,
      specialTokens,
      ...letters,
      reasons: [...reasons, ...of, ...letters.reasons],
    };
  };
  const fromOptions = { name, side, ...(options.padId === undefined ? {} : { padId: options.padId }) };
  let fallback: DnaFallback | undefined;
  // A tokenizer that rejects a run of one base is not a DNA tokenizer.
  const makers = await candidates(asked, known).catch((error: unknown) => [() => Promise.reject<DnaVocabulary>(error as Error)]);
  for (const make of makers) {
    try {
      const vocabulary = { ...(padId === undefined ? {} : { padId }), ...(await make()), ...fromOptions };
      const named = { ...vocabulary, specialTokens: specialTokens(vocabulary, found.specialTokens, decode) };
      const engine = await compiled(host, named, load);
      const difference = await firstDifference(engine, asked, vocabulary.k ?? 1);
      if (!difference) {
        const { facts, names } = engine;
        const reason = 'its tables were too large';
        const upstream = maker({ encode: encodeFn, isAsync: asked.isAsync, facts, names, reason });
        return { engine, around: true, upstream, discovery: await discovered('tables', facts) };
      }
      engine.close();
      fallback ??= difference;
    } catch (error) {
      if (error instanceof NoTable) fallback ??= { reason: error.message, example: error.example };
      else if (isRefusal(error)) fallback ??= { reason: `its tables are no vocabulary: ${error.message}`, example: undefined };
      else throw error;
    }
  }
  if (!asked.hasAnswered) throw asked.failure; // it is broken, or does not take sequences
  const { before, after } = await asked.aroundAll();
  const vocabularySize = asked.greatest + 1;
  const facts = { unit: 'other', k: 1, width: 4, unknownId: undefined, padId, side, before, after } as const;
  const names = {
    kind: host.kind,
    describe: () => ({ name, vocabularySize, kernel: 'none', addedTokens: addedTokens(found.specialTokens) }),
    decode(ids: Uint32Array): string {
      if (!decode) {
        throw new TypeError('`decode` must be set: the tokenizer falls back to another one, whose texts it does not know');
      }
      return decode(Array.from(ids));
    },
    close() {},
  };
  const why = fallback ?? { reason: 'it gives no ids for bases' };
  const engine = upstreamEngine({ encode: encodeFn, isAsync: asked.isAsync, facts, names, reason: why.reason });
  const discovery = await discovered('tokenizer', facts);
  return { engine, around: true, fallback: why, discovery };
}

/** Holds nothing else of the discovery, whose answers take megabytes. */
function maker(upstream: Upstream): () => DnaEngine {
  return () => upstreamEngine(upstream);
}

function addedTokens(names: ReadonlyMap<string, number>): AddedToken[] {
  return [...names].map(([text, id]) => ({ text, id, special: true }));
}

/** Whether the compiler rejected tables that a cartridge cannot hold. */
function isRefusal(error: unknown): error is Error {
  return error instanceof TokenizerError || error instanceof RangeError;
}

/** Vocabularies that may describe it, the most likely first. */
async function candidates(asked: QueriedTokenizer, known: number | undefined): Promise<(() => Promise<DnaVocabulary>)[]> {
  const kmers = known === undefined ? await kmerSizes(asked) : known === 1 ? [] : [{ k: known, stride: await strideOf(asked, known) }];
  const all = kmers.map(
    ({ k, stride }) =>
      () =>
        kmerRules(asked, k, stride),
  );
  return known === undefined || known === 1 ? [...all, () => bytesRules(asked)] : all;
}

async function strideOf(asked: QueriedTokenizer, k: number): Promise<boolean> {
  const { length } = await asked.body('A'.repeat(2 * k));
  return k > 1 && length === k + 1;
}

/** The other tokenizer, and its answers so far. */
class QueriedTokenizer implements Answers {
  isAsync = false;
  greatest = 0;
  hasAnswered = false;
  /** The first error it threw. */
  failure: unknown;
  readonly #encode: UpstreamEncode;
  readonly #known = new Map<string, number[] | undefined>();
  #around: Promise<{ before: number[]; after: number[] }> | undefined;

  constructor(encode: UpstreamEncode) {
    this.#encode = encode;
  }

  async ids(sequence: string): Promise<number[] | undefined> {
    if (this.#known.has(sequence)) return this.#known.get(sequence);
    let answer: unknown;
    try {
      answer = this.#encode(sequence);
      if (isPromise(answer)) {
        this.isAsync = true;
        answer = await answer;
      }
    } catch (error) {
      this.failure ??= error;
      this.#known.set(sequence, undefined); // the tokenizer rejects this sequence
      return undefined;
    }
    this.hasAnswered = true;
    const ids = checkedIds(answer);
    for (const id of ids) this.greatest = Math.max(this.greatest, id);
    this.#known.set(sequence, ids);
    return ids;
  }

  /** The ids before and after every sequence, which runs of different bases share. */
  around(): Promise<{ before: number[]; after: number[] }> {
    this.#around ??= this.#findAround();
    return this.#around;
  }

  /** The ids before and after every sequence, if all sequences asked so far have them; else none. */
  async aroundAll(): Promise<{ before: number[]; after: number[] }> {
    const around = await this.around();
    const answers = [...this.#known.values()].filter((ids) => ids !== undefined);
    return answers.every((ids) => isAround(ids, around)) ? around : { before: [], after: [] };
  }

  async body(sequence: string): Promise<number[]> {
    const { before, after } = await this.around();
    const ids = await this.ids(sequence);
    if (!ids) throw new NoTable(`it refuses '${sequence.slice(0, 60)}'`);
    return ids.slice(before.length, Math.max(before.length, ids.length - after.length));
  }

  async #findAround(): Promise<{ before: number[]; after: number[] }> {
    const runs: number[][] = [];
    for (const base of 'ACGT') runs.push((await this.ids(base.repeat(24))) ?? []);
    const shortest = Math.min(...runs.map(({ length }) => length));
    const isCommon = (at: (run: number[]) => number | undefined) => runs.every((run) => at(run) === at(runs[0] as number[]));
    let before = 0;
    while (before < shortest && isCommon((run) => run[before])) before++;
    let after = 0;
    while (after < shortest - before && isCommon((run) => run.at(-1 - after))) after++;
    const [first = []] = runs;
    return { before: first.slice(0, before), after: first.slice(first.length - after) };
  }
}

/** Names for the ids around sequences and for tokens of several letters, plus the other tokens that the object names. */
function specialTokens(
  { prefix = [], suffix = [], baseIds, startIds, kmerIds = [], unknownId }: DnaVocabulary,
  found: ReadonlyMap<string, number>,
  decode: DiscoverOptions['decode'],
) {
  const nameOf = new Map([...found].map(([name, id]) => [id, name]));
  const letters = new Map<number, Set<string>>();
  for (const ids of [baseIds, startIds ?? []] as ArrayLike<number>[]) {
    for (let byte = 0; byte < ids.length && byte < ASCII; byte++) {
      const id = ids[byte] as number;
      if (id >= 0) letters.set(id, (letters.get(id) ?? new Set()).add(String.fromCharCode(byte).toUpperCase()));
    }
  }
  const shared = [...letters].filter(([, of]) => of.size > 1).map(([id]) => id);
  const seen = new Set<number>();
  for (const id of kmerIds as number[]) {
    if (seen.has(id)) shared.push(id);
    seen.add(id);
  }
  const names: Record<string, number> = {};
  const ofOthers = unknownId === undefined ? [] : [unknownId];
  for (const id of new Set([...(prefix as number[]), ...(suffix as number[]), ...shared, ...ofOthers])) {
    if (letters.get(id)?.size === 1 && !seen.has(id)) continue;
    const text = nameOf.get(id) ?? textOfId(id, decode);
    names[text && !(text in names) ? text : `<${id}>`] = id;
  }
  const isNamed = new Set(Object.values(names));
  for (const [name, id] of found) {
    // A single character is a letter, whose id is in the tables.
    if (!isNamed.has(id) && !letters.has(id) && !seen.has(id) && name.length > 1 && !(name in names)) names[name] = id;
  }
  return names;
}

function textOfId(id: number, decode: DiscoverOptions['decode']): string {
  try {
    return String(decode?.([id]) ?? '');
  } catch {
    return '';
  }
}

// --- the check ------------------------------------------------------------------------------------------------------

const MOST_SHOWN = 100;

async function firstDifference(engine: DnaEngine, asked: QueriedTokenizer, k: number): Promise<DnaFallback | undefined> {
  for (const sequence of checks(k)) {
    const expected = await asked.ids(sequence);
    const received = idsOf(engine, sequence);
    if (expected === undefined ? received === undefined : received && isSame(expected, received)) continue;
    // Where the tables fail, the tokenizer should fail too: only an id of its own would be worse than an error.
    const shown = sequence.length > MOST_SHOWN ? `${sequence.slice(0, MOST_SHOWN)}…` : sequence;
    const reason =
      expected === undefined
        ? `it refuses '${shown}', which its tables would encode`
        : `its ids of '${shown}' do not follow from its tables`;
    return { reason, example: { sequence, expected: expected ?? [], received: received ? Array.from(received) : undefined } };
  }
  return undefined;
}

function idsOf(engine: DnaEngine, sequence: string): Int32Array | undefined {
  try {
    return engine.encode(new TextEncoder().encode(sequence), 'int32', true) as Int32Array;
  } catch {
    return undefined;
  }
}

function isSame(expected: readonly number[], received: Int32Array): boolean {
  return expected.length === received.length && expected.every((id, index) => id === received[index]);
}

/**
 * Sequences with everything that genomes contain: runs, N, lower case, ambiguity codes, and every length around multiples
 * of k.
 */
function* checks(k: number): Generator<string> {
  const random = generator(0x9e3779b9);
  const pick = (letters: string) => letters[random() % letters.length] as string;
  const randomSequence = (length: number, letters: string) => Array.from({ length }, () => pick(letters)).join('');
  yield '';
  for (const base of 'ACGTNacgtn') for (const length of [1, k, 25, 64]) yield base.repeat(length);
  for (let length = 1; length <= 3 * k + 1; length++) {
    yield randomSequence(length, 'ACGT');
    yield randomSequence(length, 'ACGTN');
  }
  for (const letters of ['ACGT', 'ACGTN', 'ACGTNNNN', 'acgt', 'ACGTacgt', 'ACGTNacgtn', 'ACGTRYSWKMBDHVN', 'ACGTUacgtuXx']) {
    for (const length of [17, 64, 200, 512]) yield randomSequence(length, letters);
  }
  // Runs, like repeats and gaps, which begin and end anywhere.
  for (let round = 0; round < 12; round++) {
    let sequence = '';
    while (sequence.length < 200)
      sequence += random() % 2 ? pick('ACGTNacgtn').repeat(1 + (random() % 20)) : randomSequence(1 + (random() % 30), 'ACGT');
    yield sequence;
  }
}

/** xorshift32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
