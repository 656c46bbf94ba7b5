// `--unknown` and `--rna`: the unknown ids of a file and the letters that they stand for, and U, the base of RNA.

import type { DnaTokenizer } from '../../dna.js';
import { BaseError, lettersWithAdvice, readsWords, type Region, unknownBaseError, unknownBytes } from './dna-failures.js';
import { recordName, type SequencePart } from './read-sequences.js';
import { report } from '../report-failures.js';
import { inThousands } from '../output/fields.js';
import { InputError } from '../command-errors.js';

export type UnknownPolicy = 'keep' | 'reject';

const BYTES = 256;

/** Counts, and the share of unknown ids: 0 to 1. */
export interface UnknownFacts {
  unknown: number;
  unknownShare: number;
}

/** Counts the unknown ids of a file. A record that is left out has no ids. */
export class Unknowns {
  readonly #model: DnaTokenizer;
  readonly #policy: UnknownPolicy;
  /** Whether the id of a word comes only after its end, and so after most of its letters. */
  readonly #readsWords: boolean;
  /** 1 for each byte that occurs in a record with unknown ids. */
  readonly #bytes = new Uint8Array(BYTES);
  #ids = 0;
  #unknown = 0;
  /** The counts of the unfinished record. */
  #record = { ids: 0, unknown: 0 };
  readonly #recordBytes = new Uint8Array(BYTES);

  constructor(model: DnaTokenizer, policy: UnknownPolicy = 'keep') {
    this.#model = model;
    this.#policy = policy;
    this.#readsWords = readsWords(model);
  }

  get ids(): number {
    return this.#ids;
  }

  /** The name of the vocabulary. */
  get model(): string {
    return this.#model.name;
  }

  /** Begins another record; drops an unfinished one. */
  begin(): void {
    if (this.#record.unknown > 0 || this.#readsWords) this.#recordBytes.fill(0);
    this.#record = { ids: 0, unknown: 0 };
  }

  /** Adds ids of the record, for the first `length` bases of a part. Throws a BaseError if the policy rejects one. */
  add(ids: number, unknown: number, partOf: () => Region, length?: number): void {
    const record = this.#record;
    record.ids += ids;
    if (unknown === 0 && (!this.#readsWords || length === undefined)) return;
    record.unknown += unknown;
    const part = partOf();
    const { bases } = part;
    const end = length ?? bases.length;
    if (unknown === 0 && unknownBytes(this.#model)[bases[end - 1] as number] !== 1) return;
    if (this.#policy === 'reject') throw this.#firstUnknown(part, end);
    for (let at = 0; at < end; at++) this.#recordBytes[bases[at] as number] = 1;
  }

  /** Ends the record. Throws a BaseError if all of its ids are the unknown one. */
  end(record: Pick<Region, 'record' | 'name'>): void {
    const { ids, unknown } = this.#record;
    if (ids > 0 && unknown === ids) throw this.#rejected(record, 'nothing but unknown ids', this.#recordBytes);
    this.#ids += ids;
    this.#unknown += unknown;
    if (unknown > 0) for (let byte = 0; byte < BYTES; byte++) (this.#bytes[byte] as number) |= this.#recordBytes[byte] as number;
    this.begin();
  }

  /** Reports how many unknown ids a file has, and why. */
  report(file: string): void {
    if (this.#unknown === 0) return;
    const share = percentage(this.#unknown / this.#ids);
    const { specialTokens, unknownId } = this.#model;
    const name = [...specialTokens].find(([, id]) => id === unknownId)?.[0] ?? `id ${unknownId}`;
    const count = `${inThousands(this.#unknown)} of ${inThousands(this.#ids)} ids (${share}) are unknown (${name})`;
    report(file, new InputError(`${count}${this.#reason(this.#bytes)}`));
  }

  facts(): UnknownFacts {
    return { unknown: this.#unknown, unknownShare: this.#ids === 0 ? 0 : this.#unknown / this.#ids };
  }

  #firstUnknown(part: Region, end: number): BaseError {
    const table = unknownBytes(this.#model);
    const position = part.bases.subarray(0, end).findIndex((byte) => table[byte] === 1);
    return position < 0 ? this.#rejected(part, 'unknown ids', new Uint8Array(BYTES)) : unknownBaseError(position, part, this.#model);
  }

  #rejected({ record, name }: Pick<Region, 'record' | 'name'>, what: string, bytes: Uint8Array): BaseError {
    return new BaseError(`${recordName(record, name)} would become ${what}${this.#reason(bytes)}`, record + 1, name, undefined);
  }

  /** Names the letters without an id among these bytes; k-mers may have no id although their letters do. */
  #reason(bytes: Uint8Array): string {
    const table = unknownBytes(this.#model);
    const letters = [...bytes.keys()].filter((byte) => bytes[byte] === 1 && table[byte] === 1);
    return letters.length === 0 ? '' : `: ${this.#model.name} has no id for ${lettersWithAdvice(letters, this.#model)}`;
  }
}

/** The sum over all files. */
export function factsOfAll(all: readonly Unknowns[]): UnknownFacts {
  const ids = all.reduce((sum, each) => sum + each.ids, 0);
  const unknown = all.reduce((sum, each) => sum + each.facts().unknown, 0);
  return { unknown, unknownShare: ids === 0 ? 0 : unknown / ids };
}

/** '81.7%', and two significant digits for small shares. */
function percentage(share: number): string {
  const percent = 100 * share;
  const shown = percent >= 10 ? percent.toFixed(1).replace(/\.0$/, '') : percent.toPrecision(2);
  return `${share < 1 && shown === '100' ? '99.9' : Number(shown)}%`;
}

export type RnaPolicy = 'reject' | 'normalize';

const [UPPER_U, LOWER_U] = [0x55, 0x75];

/** Takes the parts of sequences in order, and replaces U by T; throws a BaseError for a U that is rejected. */
export function rnaFilter(policy: RnaPolicy = 'reject'): (part: SequencePart) => SequencePart {
  /** Bases of the record before this part. */
  let position = 0;
  return (part) => {
    const { record, name, bytes, begins } = part;
    if (begins) position = 0;
    const first = firstU(bytes);
    if (first >= 0 && policy === 'reject') {
      const base = position + first + 1;
      const letter = String.fromCharCode(bytes[first] as number);
      const message = `${recordName(record, name)} has "${letter}" at base ${base}, a base of RNA (--rna normalize makes it T)`;
      throw new BaseError(message, record + 1, name, base);
    }
    position += bytes.length;
    return first < 0 ? part : { ...part, bytes: asDna(bytes, first) };
  };
}

/** Uses a Buffer, which is many times as fast as a loop. */
function firstU(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const upper = buffer.indexOf(UPPER_U);
  const lower = (upper < 0 ? buffer : buffer.subarray(0, upper)).indexOf(LOWER_U);
  return lower < 0 ? upper : lower;
}

/** A copy: the parser's memory must not change. */
function asDna(bytes: Uint8Array, first: number): Uint8Array {
  const copy = bytes.slice();
  for (let at = first; at < copy.length; at++) {
    const byte = copy[at] as number;
    if (byte === UPPER_U || byte === LOWER_U) copy[at] = byte - 1;
  }
  return copy;
}
