// The queries that build tables for another tokenizer.

import type { DnaFallback } from './dna-sources.js';
import type { DnaVocabulary } from './dna-vocabulary.js';

/** A tokenizer's answers. */
export interface Answers {
  /** Undefined if it rejects the sequence. */
  ids(sequence: string): Promise<number[] | undefined>;
  /** The ids without the ids around every sequence; throws a NoTable if the tokenizer rejects it. */
  body(sequence: string): Promise<number[]>;
  around(): Promise<{ before: number[]; after: number[] }>;
}

/** Why no table can be made. */
export class NoTable extends Error {
  readonly example: DnaFallback['example'];

  constructor(reason: string, example?: DnaFallback['example']) {
    super(reason);
    this.example = example;
  }
}

const NONE = -1;
const ASCII = 128;
const BYTES = 256;
const MOST_BASES = 8;
const RUN = 24;
/** K-mers per query. */
const TOGETHER = 256;

/** The values of k that fit the ids of runs of one base, longest first. */
export async function kmerSizes(answers: Answers): Promise<{ k: number; stride: boolean }[]> {
  const lengthOf = async (bases: number) => (await answers.body('A'.repeat(bases))).length;
  const run = await lengthOf(RUN);
  // The overlapping k-mers of the run: one at each position but the last k - 1.
  const overlapping = RUN + 1 - run;
  if (overlapping >= 2 && overlapping <= MOST_BASES && (await lengthOf(RUN - 1)) === run - 1) return [{ k: overlapping, stride: true }];
  const sizes: { k: number; stride: boolean }[] = [];
  for (let k = MOST_BASES; k >= 2; k--) {
    if ((await lengthOf(k)) === 1 && (await lengthOf(2 * k)) === 2 && (await lengthOf(3 * k)) === 3) sizes.push({ k, stride: false });
  }
  return sizes;
}

/** The vocabulary of a k-mer tokenizer. */
export async function kmerRules(answers: Answers, k: number, stride: boolean): Promise<DnaVocabulary> {
  const whole = 'A'.repeat(k);
  const around = await templateOf(answers);
  // N may be a digit like the bases, if k-mers with N are tokens.
  const runOfN = await bodyOrNone(answers, 'N'.repeat(k));
  const lastN = await bodyOrNone(answers, `${'ACGTACG'.slice(0, k - 1)}N`);
  const isDigit = !stride && runOfN?.length === 1 && lastN?.length === 1;
  const alphabet = isDigit ? 'ACGTN' : 'ACGT';
  const kmerIds = await tableOf(answers, k, alphabet, stride);
  // A single base can only follow a k-mer as the remainder; anything else ends a k-mer.
  const baseIds = new Array<number>(BYTES).fill(NONE);
  const letters = { ...around, ...(await caseOf(answers, k)) };
  if (stride) return { unit: 'kmer-stride-1', k, alphabet, kmerIds, baseIds, ...letters, ...(await unknownOf(answers, k)) };
  for (let byte = 0; byte < ASCII; byte++) {
    const ids = await bodyOrNone(answers, whole + String.fromCharCode(byte));
    if (ids?.length === 2) baseIds[byte] = ids[1] as number;
  }
  const words = await wordsOf(answers, whole);
  const others = words ?? (await idsBeyondAscii(answers, whole, baseIds));
  if (words) baseIds.forEach((id, byte) => (baseIds[byte] = id === words.unknownId ? NONE : id));
  return { unit: 'kmer', k, alphabet, kmerIds, baseIds, ...letters, ...(await tailOf(answers, k)), ...others };
}

/** The vocabulary of a tokenizer with an id for each byte. */
export async function bytesRules(answers: Answers): Promise<DnaVocabulary> {
  const around = await templateOf(answers);
  const baseIds = new Array<number>(BYTES).fill(NONE);
  const startIds = new Array<number>(BYTES).fill(NONE);
  for (let byte = 0; byte < ASCII; byte++) {
    const letter = String.fromCharCode(byte);
    const inside = await bodyOrNone(answers, `A${letter}A`);
    if (inside?.length === 3) baseIds[byte] = inside[1] as number;
    const first = await bodyOrNone(answers, `${letter}A`);
    if (first?.length === 2) startIds[byte] = first[0] as number;
  }
  const missing = [...'ACGT'].find((base) => baseIds[base.charCodeAt(0)] === NONE || startIds[base.charCodeAt(0)] === NONE);
  if (missing !== undefined) {
    const sequence = `A${missing}A`;
    throw new NoTable(`it has no id for each base: '${sequence}' are other than 3 ids`, {
      sequence,
      expected: (await answers.ids(sequence)) ?? [],
    });
  }
  const isSame = baseIds.every((id, byte) => id === startIds[byte]);
  if (!isSame) return { unit: 'byte', baseIds, startIds, ...around };
  return { unit: 'byte', baseIds, ...around, ...(await idsBeyondAscii(answers, 'A', baseIds)) };
}

/** Texts with each byte beyond ASCII that UTF-8 has: Latin-1, a character for each further first byte, and some together. */
const BEYOND_ASCII = [
  ...Array.from({ length: 128 }, (_, index) => String.fromCharCode(ASCII + index)),
  ...Array.from({ length: 0xf5 - 0xc4 }, (_, index) => {
    const first = 0xc4 + index;
    const second = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return new TextDecoder().decode(Uint8Array.of(first, second, 0x80, 0x80).subarray(0, length));
  }),
  ...['é\u00fcЖ', '中文', '‰\u2003', '😀é'],
];

/**
 * Asks for all bytes beyond ASCII, between `whole` and itself. A tokenizer may have a token for each byte of a character: these
 * are added to `ids`, but for the 13 bytes that occur in no text. Or it has one id for all these characters, which is returned.
 * Otherwise undefined: the tables refuse them.
 */
async function idsBeyondAscii(answers: Answers, whole: string, ids: number[]): Promise<{ unknownId?: number } | undefined> {
  const [edge] = (await bodyOrNone(answers, whole)) ?? [];
  const found = [...ids];
  let shared: number | undefined;
  for (const text of BEYOND_ASCII) {
    const all = await bodyOrNone(answers, whole + text + whole);
    if (!all || all[0] !== edge || all.at(-1) !== edge) return undefined;
    const between = all.slice(1, -1);
    if (between.length === [...text].length) {
      shared ??= between[0] as number;
      if (between.some((id) => id !== shared)) return undefined;
      continue;
    }
    const bytes = new TextEncoder().encode(text);
    if (between.length !== bytes.length || shared !== undefined) return undefined;
    for (const [at, byte] of bytes.entries()) {
      if (found[byte] !== NONE && found[byte] !== between[at]) return undefined;
      found[byte] = between[at] as number;
    }
  }
  if (shared === undefined) {
    found.forEach((id, byte) => (ids[byte] = id));
    return {};
  }
  // An unknown id would also be given to the ASCII that the tokenizer refuses, or has no id for.
  const isMixed = found.some((id, byte) => (byte < ASCII ? id === NONE : id !== NONE));
  return isMixed ? undefined : { unknownId: shared };
}

async function templateOf(answers: Answers): Promise<{ prefix: number[]; suffix: number[] }> {
  const { before, after } = await answers.around();
  return { prefix: before, suffix: after };
}

async function bodyOrNone(answers: Answers, sequence: string): Promise<number[] | undefined> {
  return (await answers.ids(sequence)) && answers.body(sequence);
}

/** The ids of all k-mers, with many k-mers per query. */
async function tableOf(answers: Answers, k: number, alphabet: string, stride: boolean): Promise<number[]> {
  const table: number[] = [];
  const count = alphabet.length ** k;
  // Overlapping k-mers begin everywhere; the wanted ones are at every k-th position.
  const step = stride ? k : 1;
  for (let first = 0; first < count; first += TOGETHER) {
    const kmers = Array.from({ length: Math.min(TOGETHER, count - first) }, (_, index) => kmer(first + index, alphabet, k));
    const sequence = kmers.join('');
    const ids = await answers.body(sequence);
    if (ids.length !== 1 + (kmers.length - 1) * step) {
      throw new NoTable(`it has no id for each ${k}-mer`, { sequence, expected: (await answers.ids(sequence)) ?? [] });
    }
    for (let index = 0; index < kmers.length; index++) table.push(ids[index * step] as number);
  }
  return table;
}

function kmer(index: number, alphabet: string, k: number): string {
  let text = '';
  for (let at = 0; at < k; at++) {
    text = alphabet.charAt(index % alphabet.length) + text;
    index = Math.floor(index / alphabet.length);
  }
  return text;
}

/** How it encodes leftover bases. */
async function tailOf(answers: Answers, k: number): Promise<Pick<DnaVocabulary, 'tail' | 'padId'>> {
  if (k < 3) return {};
  const ids = await bodyOrNone(answers, `${'A'.repeat(k)}CG`);
  if (ids?.length === 1) return { tail: 'drop' };
  return ids?.length === 2 ? { tail: 'pad', padId: ids[1] } : {};
}

/** Whether it treats lower case as upper case. */
async function caseOf(answers: Answers, k: number): Promise<Pick<DnaVocabulary, 'lowerCase'>> {
  const sequence = 'ACGTTGCA'.slice(0, k);
  const upper = await answers.ids(sequence);
  const lower = await answers.ids(sequence.toLowerCase());
  return upper && lower && upper.join() === lower.join() ? { lowerCase: 'normalize' } : {};
}

/** Whether a word of unknown letters gets one id, and white space none. Rejected letters do not form words. */
async function wordsOf(answers: Answers, whole: string): Promise<{ unknown: 'words'; unknownId: number } | undefined> {
  for (const letter of 'aRX') if (!(await answers.ids(whole + letter))) return undefined;
  const [one, two, space] = [
    await bodyOrNone(answers, `${whole}X`),
    await bodyOrNone(answers, `${whole}XX`),
    await bodyOrNone(answers, `${whole}XX XX`),
  ];
  const unknownId = one?.[1];
  if (unknownId === undefined || one?.length !== 2) return undefined;
  const isWord = two?.length === 2 && two[1] === unknownId && space?.length === 3 && space[1] === unknownId && space[2] === unknownId;
  return isWord ? { unknown: 'words', unknownId } : undefined;
}

/** The id of overlapping k-mers that contain a non-base. */
async function unknownOf(answers: Answers, k: number): Promise<Pick<DnaVocabulary, 'unknownId'>> {
  const ids = await bodyOrNone(answers, 'N'.repeat(k));
  return ids?.length === 1 ? { unknownId: ids[0] } : {};
}
