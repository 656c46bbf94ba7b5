// `crayon dna validate`: what is in FASTA and FASTQ files, whether they are whole, and whether a model takes their bases.

import { Damages } from './dna-damages.js';
import { BaseError } from './dna-failures.js';
import { type DnaGiven, type Model, openModel } from './dna-model.js';
import { IdStream } from './dna-sequence-ids.js';
import { type Damage, type SequencePart, sequencesOf } from './dna-sequences.js';
import { report, UsageError } from './failures.js';
import { counted, inThousands } from './fields.js';
import { sizeOf } from './inputs.js';
import { untilInterrupted } from './interrupt.js';
import { Progress } from './progress.js';
import { InputError, nameOf, write } from './streams.js';

/** What the command is asked for. */
export interface DnaValidateGiven extends DnaGiven {
  model?: string;
  progress: boolean;
  json: boolean;
}

/** Damaged records of a file that are named, and rejected ones. */
const MOST_NAMED = 100;

/** Whether all files are whole, and the model takes all of their bases. */
export async function validateDna(inputs: readonly string[], given: DnaValidateGiven): Promise<boolean> {
  const { model: name, progress: wanted, json, ...policies } = given;
  if (name === undefined && Object.values(policies).some((value) => value !== undefined)) {
    throw new UsageError('options about letters and tails are for a --model');
  }
  using model = name === undefined ? undefined : openModel(name, policies);
  const progress = new Progress(inputs.reduce((sum, file) => sum + sizeOf(file), 0), wanted);
  const all = await untilInterrupted(async (signal) => {
    const files: FileFacts[] = [];
    for (const file of inputs) {
      const facts = await factsOfFile(file, model, { signal, onRead: (bytes) => void progress.add(bytes) });
      files.push(facts);
      if (!json) await write(forPeople(facts));
    }
    return files;
  }).finally(() => progress.end());
  if (json) await write(`${JSON.stringify({ model: model?.dna.name, files: all })}\n`);
  return all.every(({ error, damagedRecords, rejectedRecords }) => error === undefined && !damagedRecords && !rejectedRecords);
}

interface FileFacts {
  file: string;
  format?: 'FASTA' | 'FASTQ';
  /** Whole ones. */
  records: number;
  bases: number;
  /** Of either case. `iupac`: codes of several bases other than N. */
  counts: Record<'A' | 'C' | 'G' | 'T' | 'N' | 'iupac' | 'other', number>;
  lowerCase: number;
  /** The lengths of the shortest and the longest sequence. */
  shortest?: number;
  longest?: number;
  /** What the model makes of the records that it takes: ids, and how many of these are the unknown id. */
  ids?: number;
  unknown?: number;
  rejectedRecords?: number;
  /** The first bases that the model rejects, of each record the first; both are counted from 1. */
  rejected?: { record: number; name: string; base: number; message: string }[];
  damagedRecords: number;
  /** The first of them; records and bytes of the file are counted from 1 and from 0. */
  damaged: Omit<Damage, 'isLast'>[];
  /** Why the file was not read to its end. */
  error?: string;
}

async function factsOfFile(
  file: string,
  model: Model | undefined,
  how: { signal: AbortSignal; onRead: (bytes: number) => void },
): Promise<FileFacts> {
  const tally = new Tally();
  const check = model && new ModelCheck(model, file);
  let format: FileFacts['format'];
  const damages = new Damages(file);
  let error: string | undefined;
  try {
    for await (const parts of sequencesOf(file, { ...how, onFormat: (found) => (format = found), onDamage: damages.add })) {
      for (const part of parts) {
        tally.add(part);
        check?.add(part);
      }
    }
  } catch (thrown) {
    error = report(file, thrown);
  }
  damages.end();
  check?.end();
  error ??= damages.error;
  const { count: damagedRecords, named: damaged } = damages;
  return { file, ...(format && { format }), ...tally.facts(), damagedRecords, damaged, ...check?.facts(), ...(error !== undefined && { error }) };
}

/** Counts letters and lengths, of records that are whole. */
class Tally {
  readonly #bytes = new Float64Array(256);
  /** Of a record that comes in parts, until it ends. */
  readonly #begun = new Float64Array(256);
  #records = 0;
  #length = 0;
  #shortest = Infinity;
  #longest = 0;

  add({ bytes, begins, ends }: SequencePart): void {
    if (begins) {
      this.#length = 0;
      this.#begun.fill(0);
    }
    const counts = begins && ends ? this.#bytes : this.#begun;
    for (let at = 0; at < bytes.length; at++) (counts[bytes[at] as number] as number)++;
    this.#length += bytes.length;
    if (!ends) return;
    if (!begins) for (let byte = 0; byte < 256; byte++) (this.#bytes[byte] as number) += this.#begun[byte] as number;
    this.#records++;
    this.#shortest = Math.min(this.#shortest, this.#length);
    this.#longest = Math.max(this.#longest, this.#length);
  }

  facts(): Omit<FileFacts, 'file' | 'damaged' | 'damagedRecords'> {
    const sum = (pattern: RegExp) => this.#bytes.reduce((all, count, byte) => (pattern.test(String.fromCharCode(byte)) ? all + count : all), 0);
    const counts = {
      A: sum(/a/i),
      C: sum(/c/i),
      G: sum(/g/i),
      T: sum(/t/i),
      N: sum(/n/i),
      iupac: sum(/[ryswkmbdhv]/i),
      other: sum(/[^acgtnryswkmbdhv]/i),
    };
    const records = this.#records;
    const lengths = records > 0 && { shortest: this.#shortest, longest: this.#longest };
    return { records, bases: sum(/[^]/), counts, lowerCase: sum(/[a-z]/), ...lengths };
  }
}

/** Encodes, to see whether the model takes it. */
class ModelCheck {
  readonly #model: Model;
  readonly #file: string;
  readonly #stream: IdStream;
  #ids = 0;
  #unknown = 0;
  /** Of the record that has begun. */
  #begun = { ids: 0, unknown: 0 };
  #rejectedRecords = 0;
  readonly #rejected: NonNullable<FileFacts['rejected']> = [];
  /** The rest of the record is of no interest. */
  #isRejected = false;

  constructor(model: Model, file: string) {
    this.#model = model;
    this.#file = file;
    this.#stream = new IdStream(model, { type: 'int32', specialTokens: false, reverseComplement: false });
  }

  add(part: SequencePart): void {
    if (part.begins) {
      this.#isRejected = false;
      this.#begun = { ids: 0, unknown: 0 };
    }
    if (this.#isRejected) return;
    const { unknownId } = this.#model.dna;
    try {
      for (const ids of this.#stream.of(part)) {
        this.#begun.ids += ids.length;
        for (let at = 0; at < ids.length; at++) if (ids[at] === unknownId) this.#begun.unknown++;
      }
      if (!part.ends) return;
      this.#ids += this.#begun.ids;
      this.#unknown += this.#begun.unknown;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#isRejected = true;
      this.#rejectedRecords++;
      if (this.#rejectedRecords > MOST_NAMED) return;
      report(this.#file, error);
      if (!(error instanceof BaseError)) return;
      const { record, recordName, base, message } = error;
      this.#rejected.push({ record, name: recordName, base, message });
    }
  }

  end(): void {
    const more = this.#rejectedRecords - MOST_NAMED;
    if (more > 0) report(this.#file, new InputError(`${counted(more, 'more record has', 'more records have')} bases that ${this.#model.dna.name} rejects`));
  }

  facts() {
    const [ids, unknown] = [this.#ids, this.#unknown];
    return { ids, unknown, rejectedRecords: this.#rejectedRecords, rejected: this.#rejected };
  }
}

function forPeople(facts: FileFacts): string {
  const { file, format, records, damagedRecords, bases, counts, lowerCase, shortest = 0, longest = 0, ids, unknown = 0, rejectedRecords } = facts;
  if (format === undefined) return '';
  const letters = Object.entries({ ...counts, 'lower case': lowerCase }).filter(([name, count]) => count > 0 || name.length === 1);
  const lines = [
    `${nameOf(file)}: ${format}, ${counted(records, 'record')}, ${counted(bases, 'base')}, ${inThousands(shortest)} to ${inThousands(longest)} in each`,
    `  ${letters.map(([name, count]) => `${name} ${inThousands(count)}`).join(', ')}`,
  ];
  if (damagedRecords > 0) lines.push(`  ${counted(damagedRecords, 'record')} damaged`);
  if (ids !== undefined) {
    const known = unknown > 0 ? `, of which ${inThousands(unknown)} ${unknown === 1 ? 'is' : 'are'} the unknown id` : '';
    lines.push(`  ${counted(ids, 'id')}${known}; ${counted(rejectedRecords as number, 'record')} rejected`);
  }
  return `${lines.join('\n')}\n`;
}
