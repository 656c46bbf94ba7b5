// A DNA vocabulary as plain data: checks it and converts it to the parts that an engine compiles.

import { outOfRange, refused, unexpected } from '../base/errors.js';
import { checkOptionNames, optionNames } from '../base/option-objects.js';
import { joinTokens, type TokenTable } from '../base/token-table.js';
import { leaveOut } from './dna-options.js';
import {
  AS_THE_VOCABULARY,
  type DnaParts,
  LETTER_POLICIES,
  LSTRIP,
  MAX_AROUND,
  NO_ID,
  SIDES,
  TAILS,
  UNITS,
  UNKNOWNS,
} from '../engine/dna-engine.js';

/**
 * What happens to letters before encoding: `'reject'`, an error; `'normalize'`, lower case becomes upper case, and
 * ambiguity codes (R, Y, S …) become N; `'keep'`, they are encoded as they are.
 *
 * @example
 * ```ts
 * const lowerCase: LetterPolicy = 'normalize';
 * using dna = await DnaTokenizer.load('hyenadna', { lowerCase });
 * dna.encode('acgt'); // Int32Array [7, 8, 9, 10]
 * ```
 */
export type LetterPolicy = 'reject' | 'normalize' | 'keep';

/**
 * How to treat letters, and bases that do not fill a k-mer.
 *
 * @example
 * ```ts
 * const policies: DnaPolicies = { lowerCase: 'normalize', tail: 'drop' };
 * using dna = await DnaTokenizer.load('nt-v2', policies);
 * dna.encode('acgtacg').length; // 1
 * ```
 */
export interface DnaPolicies {
  /** Lower case, which marks repeats in genomes. */
  lowerCase?: LetterPolicy | undefined;
  /** Ambiguity codes: R, Y, S, W, K, M, B, D, H, V. They are normalized to N. */
  ambiguous?: LetterPolicy | undefined;
  /** N, any base. */
  n?: 'reject' | 'keep' | undefined;
  /** The 1 to k − 1 bases at the end: ids of single bases, one `padId`, or nothing. */
  tail?: 'single' | 'pad' | 'drop' | undefined;
}

/**
 * Ids of bytes: by character, or one for each of the 256 bytes (no id: undefined, null or -1).
 *
 * @example
 * ```ts
 * const baseIds: DnaIds = { A: 0, C: 1, G: 2, T: 3 };
 * using dna = await DnaTokenizer.load({ unit: 'byte', baseIds });
 * dna.encode('GATC', { type: 'uint8' }); // Uint8Array [2, 0, 3, 1]
 * ```
 */
export type DnaIds = Readonly<Record<string, number>> | ArrayLike<number | null | undefined>;

/**
 * A vocabulary of DNA, as plain data.
 *
 * @example
 * ```ts
 * const vocabulary: DnaVocabulary = { unit: 'byte', baseIds: { N: 0, A: 1, C: 2, G: 3, T: 4 }, lowerCase: 'normalize' };
 * using dna = await DnaTokenizer.load(vocabulary);
 * dna.encode('ACgtN'); // Int32Array [1, 2, 3, 4, 0]
 * ```
 */
export interface DnaVocabulary extends DnaPolicies {
  /** Its name. Default `'dna'`. */
  name?: string | undefined;
  /** The unit of an id: a byte; k bases, then the next k; or k bases at each position. */
  unit: 'byte' | 'kmer' | 'kmer-stride-1';
  /** The bases of a k-mer, 1 to 8. */
  k?: number | undefined;
  /** The letters of k-mers, in the order of their digit values: 4, or 5 with N. Default `'ACGT'`. */
  alphabet?: string | undefined;
  /**
   * The id of the first k-mer, with the others following in ascending order; or an id for each (no id: -1). A k-mer's index
   * is the number formed by its digits, the first digit being the most significant.
   */
  kmerIds?: number | ArrayLike<number> | undefined;
  /** Ids of single bytes. Bytes without one get `unknownId`, or are errors. */
  baseIds: DnaIds;
  /** Ids for the first byte of a sequence, where they differ; with the unit `'byte'`. */
  startIds?: DnaIds | undefined;
  /** The id of anything without its own id. */
  unknownId?: number | undefined;
  /**
   * What gets one `unknownId`: each byte, or each word. A word is a run of bytes without an id; white space ends it and has no
   * id. Words require the unit `'kmer'` and a base id for each letter of the alphabet. Default `'each'`.
   */
  unknown?: 'each' | 'words' | undefined;
  /** The id that pads rows. */
  padId?: number | undefined;
  /** The padding side. Default `'right'`. */
  side?: 'left' | 'right' | undefined;
  /** Special tokens and their ids, which `decode` can skip. */
  specialTokens?: Readonly<Record<string, number>> | undefined;
  /** The special tokens that absorb the white space before them in a sequence. */
  lstrip?: readonly string[] | undefined;
  /** Texts of ids, for `decode`, if bytes, k-mers and special tokens do not determine them. */
  tokens?: Readonly<Record<number, string>> | undefined;
  /** The prefix that `addSpecialTokens` puts before a sequence: ids, or names of special tokens. */
  prefix?: readonly (number | string)[] | undefined;
  /** The suffix after a sequence. */
  suffix?: readonly (number | string)[] | undefined;
  /** The highest id + 1, if it exceeds what the ids imply. */
  vocabularySize?: number | undefined;
}

const FIELDS = optionNames<DnaVocabulary>({
  name: true,
  unit: true,
  k: true,
  alphabet: true,
  kmerIds: true,
  baseIds: true,
  startIds: true,
  unknownId: true,
  unknown: true,
  padId: true,
  side: true,
  specialTokens: true,
  lstrip: true,
  tokens: true,
  prefix: true,
  suffix: true,
  vocabularySize: true,
  lowerCase: true,
  ambiguous: true,
  n: true,
  tail: true,
});

const BYTES = 256;
const MOST_IDS = 2 ** 21 - 1;
const MOST_BASES = 8;

/** The parts of a vocabulary; throws a TypeError or RangeError that names the invalid field. */
export function partsOf(vocabulary: DnaVocabulary): DnaParts {
  checkOptionNames(vocabulary, FIELDS, 'vocabulary');
  const {
    name = 'dna',
    unit,
    padId,
    unknownId,
    unknown = 'each',
    side = 'right',
    specialTokens = {},
    kmerIds,
    vocabularySize = 0,
  } = vocabulary;
  if (typeof name !== 'string' || name === '') throw unexpected('a name', 'vocabulary.name', name);
  const ofUnit = oneOf(UNITS, unit, 'unit');
  const { k, alphabet } = kmersOf(vocabulary);
  const bases = idsOfBytes(vocabulary.baseIds, 'baseIds');
  const starts = startsOf(vocabulary);
  if (unknown === 'words') checkWords(unit, unknownId, alphabet, bases);
  const first = typeof kmerIds === 'number' ? checkedId(kmerIds, 'kmerIds') : NO_ID;
  const kmers = kmerIds === undefined || typeof kmerIds === 'number' ? new Uint32Array(0) : tableOf(kmerIds, alphabet.length ** k);
  const specials = checkedSpecials(specialTokens);
  const around = (ids: unknown, field: string) => checkedTemplate(ids, field, specials);
  if (typeof vocabularySize !== 'number' || !Number.isInteger(vocabularySize) || vocabularySize < 0 || vocabularySize > MOST_IDS) {
    throw outOfRange(`a number up to ${MOST_IDS}`, 'vocabulary.vocabularySize', vocabularySize);
  }
  const { lowerCase = 'keep', ambiguous = 'keep', n = 'keep', tail = 'single' } = vocabulary;
  const policies = policyNumbers({ lowerCase, ambiguous, n, tail }, 'vocabulary.');
  const optional = (id: unknown, field: string) => (id === undefined ? NO_ID : checkedId(id, field));
  const rules = Uint32Array.of(
    ofUnit + 1,
    k,
    vocabularySize,
    first,
    optional(unknownId, 'unknownId'),
    optional(padId, 'padId'),
    oneOf(SIDES, side, 'side'),
    ...policies,
    oneOf(UNKNOWNS, unknown, 'unknown'),
  );
  const { bytes: tokens, offsets } = tokensOf({ vocabulary, k, alphabet, first, kmers, bases, starts, specials });
  const before = around(vocabulary.prefix, 'prefix');
  const after = around(vocabulary.suffix, 'suffix');
  const stripping = checkedLstrip(vocabulary.lstrip, specials);
  return {
    rules,
    tokens,
    offsets,
    bases,
    starts,
    digits: Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0)),
    kmers,
    before,
    after,
    name,
    specials: Array.from(specials, ([token, id]) => [token, id, stripping.has(token) ? LSTRIP : 0] as const),
  };
}

/** Words of unknown letters are distinguished from k-mers by their letters alone. */
function checkWords(unit: DnaVocabulary['unit'], unknownId: number | undefined, alphabet: string, bases: Uint32Array): void {
  if (unit !== 'kmer') throw refused(`\`vocabulary.unknown\` must be 'each' with the unit '${unit}'`, 'words');
  if (unknownId === undefined) throw unexpected("an id where unknown is 'words'", 'vocabulary.unknownId', unknownId);
  for (const letter of alphabet) {
    if (bases[letter.charCodeAt(0)] === NO_ID)
      throw unexpected(`an id of ${letter} where unknown is 'words'`, `vocabulary.baseIds.${letter}`, undefined);
  }
}

/** The numbers of crayon_dna_policies; policies not given are left to the vocabulary. */
export function policyNumbers({ lowerCase, ambiguous, n, tail }: DnaPolicies, where = ''): Uint32Array {
  const number = (names: readonly string[], value: unknown, field: string) =>
    value === undefined ? AS_THE_VOCABULARY : oneOf(names, value, field, where);
  if (n === ('normalize' as unknown)) throw unexpected("'reject' or 'keep'", `${where}n`, n);
  return Uint32Array.of(
    number(LETTER_POLICIES, lowerCase, 'lowerCase'),
    number(LETTER_POLICIES, ambiguous, 'ambiguous'),
    number(LETTER_POLICIES, n, 'n'),
    number(TAILS, tail, 'tail'),
  );
}

function oneOf(names: readonly string[], value: unknown, field: string, where = 'vocabulary.'): number {
  const index = names.indexOf(value as string);
  if (index >= 0) return index;
  const all = names.map((name) => `'${name}'`);
  throw unexpected(`${all.slice(0, -1).join(', ')} or ${all.at(-1)}`, where + field, value);
}

function kmersOf({ unit, k, alphabet = 'ACGT' }: DnaVocabulary): { k: number; alphabet: string } {
  if (unit === 'byte') {
    if (k !== undefined && k !== 1) throw leaveOut('vocabulary.k', "the unit 'byte' has no k-mers");
    return { k: 1, alphabet: '' };
  }
  if (typeof k !== 'number') throw unexpected('a number', 'vocabulary.k', k);
  if (!Number.isInteger(k) || k < 1 || k > MOST_BASES) throw outOfRange('1 to 8', 'vocabulary.k', k);
  if (typeof alphabet !== 'string') throw unexpected('a string', 'vocabulary.alphabet', alphabet);
  const isAlphabet = /^[\0-\xff]{4,5}$/.test(alphabet) && new Set(alphabet).size === alphabet.length;
  if (!isAlphabet) throw outOfRange('4 or 5 different letters', 'vocabulary.alphabet', alphabet);
  return { k, alphabet };
}

function startsOf({ unit, startIds }: DnaVocabulary): Uint32Array | undefined {
  if (startIds === undefined) return undefined;
  if (unit !== 'byte') throw leaveOut('vocabulary.startIds', "it is for the unit 'byte'");
  return idsOfBytes(startIds, 'startIds');
}

function idsOfBytes(value: unknown, field: string): Uint32Array {
  const ids = new Uint32Array(BYTES).fill(NO_ID);
  if (typeof value !== 'object' || value === null) throw unexpected('an object of ids or a list of 256', `vocabulary.${field}`, value);
  if (isList(value)) {
    if (value.length !== BYTES) throw outOfRange('256 ids', `vocabulary.${field}`, value);
    for (let byte = 0; byte < BYTES; byte++) ids[byte] = idOrNone(value[byte], `${field}[${byte}]`);
    return ids;
  }
  for (const [letter, id] of Object.entries(value)) {
    const byte = letter.charCodeAt(0);
    if (letter.length !== 1 || byte >= BYTES) {
      throw refused(`\`vocabulary.${field}\` must have bytes as keys, written as characters`, letter);
    }
    ids[byte] = checkedId(id, `${field}['${letter}']`);
  }
  return ids;
}

function tableOf(value: unknown, count: number): Uint32Array {
  if (typeof value !== 'object' || value === null || !isList(value))
    throw unexpected('an id or a list of ids', 'vocabulary.kmerIds', value);
  if (value.length !== count) throw outOfRange(`${count} ids`, 'vocabulary.kmerIds', value.length);
  const ids = new Uint32Array(count);
  for (let index = 0; index < count; index++) ids[index] = idOrNone(value[index], `kmerIds[${index}]`);
  return ids;
}

function isList(value: object): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);
}

function idOrNone(id: unknown, field: string): number {
  return id === undefined || id === null || id === -1 || id === NO_ID ? NO_ID : checkedId(id, field);
}

function checkedId(id: unknown, field: string): number {
  if (typeof id !== 'number') throw unexpected('a token id', `vocabulary.${field}`, id);
  if (!Number.isInteger(id) || id < 0 || id >= MOST_IDS) throw outOfRange(`an id below ${MOST_IDS}`, `vocabulary.${field}`, id);
  return id;
}

/** Special tokens by ascending id. */
function checkedSpecials(value: unknown): Map<string, number> {
  if (typeof value !== 'object' || value === null) throw unexpected('an object of ids', 'vocabulary.specialTokens', value);
  const all = Object.entries(value).map(([name, id]) => [name, checkedId(id, `specialTokens['${name}']`)] as const);
  return new Map(all.sort(([, a], [, b]) => a - b));
}

/** The special tokens that absorb white space. */
function checkedLstrip(value: unknown = [], specials: ReadonlyMap<string, number>): ReadonlySet<unknown> {
  if (!Array.isArray(value)) throw unexpected('a list of special tokens', 'vocabulary.lstrip', value);
  const names = [...specials.keys()];
  value.forEach((name, index) => {
    if (!specials.has(name)) throw outOfRange(`one of ${names.join(', ') || 'no special tokens'}`, `vocabulary.lstrip[${index}]`, name);
  });
  return new Set(value);
}

/** Ids around a sequence, given as ids or names of special tokens. */
function checkedTemplate(value: unknown = [], field: string, specials: ReadonlyMap<string, number>): Uint32Array {
  if (!Array.isArray(value)) throw unexpected('a list of ids or special tokens', `vocabulary.${field}`, value);
  if (value.length > MAX_AROUND) throw outOfRange(`at most ${MAX_AROUND} ids`, `vocabulary.${field}`, value.length);
  return Uint32Array.from(value as unknown[], (item, index) => {
    if (typeof item !== 'string') return checkedId(item, `${field}[${index}]`);
    const id = specials.get(item);
    if (id === undefined)
      throw outOfRange(`one of ${[...specials.keys()].join(', ') || 'no special tokens'}`, `vocabulary.${field}[${index}]`, item);
    return id;
  });
}

interface TokenSources {
  vocabulary: DnaVocabulary;
  k: number;
  alphabet: string;
  first: number;
  kmers: Uint32Array;
  bases: Uint32Array;
  starts: Uint32Array | undefined;
  specials: ReadonlyMap<string, number>;
}

/** The texts of ids: as given, else from k-mers and single bytes. A special token has no other text. */
function tokensOf({ vocabulary, k, alphabet, first, kmers, bases, starts, specials }: TokenSources): TokenTable {
  const tokens: (string | Uint8Array)[] = [];
  const special = new Set(specials.values());
  const name = (id: number, token: () => string | Uint8Array) => {
    if (id !== NO_ID && tokens[id] === undefined && !special.has(id)) tokens[id] = token();
  };
  for (const [id, text] of Object.entries(vocabulary.tokens ?? {})) {
    if (typeof text !== 'string') throw unexpected('a string', `vocabulary.tokens[${id}]`, text);
    name(checkedId(Number(id), `tokens[${id}]`), () => text);
  }
  const count = alphabet.length ** k;
  if (first !== NO_ID) for (let index = 0; index < count; index++) name(first + index, () => kmer(index, alphabet, k));
  kmers.forEach((id, index) => name(id, () => kmer(index, alphabet, k)));
  // If several letters share an id, its text is the upper-case one.
  for (const ids of starts ? [bases, starts] : [bases]) {
    for (let byte = 0x41; byte <= 0x5a && byte < ids.length; byte++) name(ids[byte] as number, () => Uint8Array.of(byte));
    ids.forEach((id, byte) => name(id, () => Uint8Array.of(byte)));
  }
  return joinTokens(tokens);
}

function kmer(index: number, alphabet: string, k: number): Uint8Array {
  const bytes = new Uint8Array(k);
  for (let at = k - 1; at >= 0; at--) {
    bytes[at] = alphabet.charCodeAt(index % alphabet.length);
    index = Math.floor(index / alphabet.length);
  }
  return bytes;
}
