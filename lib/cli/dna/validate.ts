// `crayon dna validate`: what FASTA and FASTQ files contain, whether they are intact, and whether a model accepts their
// bases.

import { LeftOutOfFile, type Rejection } from './left-out.js';
import { type Model, type ModelOptions, openModel } from './model.js';
import { rnaFilter, type RnaPolicy, type UnknownPolicy, Unknowns } from './letter-policies.js';
import { idStream } from './sequence-ids.js';
import { type Damage, type SequencePart, sequencesOf } from './read-sequences.js';
import { report } from '../report-failures.js';
import { InputError, UsageError, untilInterrupted } from '../command-errors.js';
import { counted, inThousands } from '../output/fields.js';
import { nameOf, totalSize } from '../input/file-arguments.js';
import { Progress, write } from '../output/terminal.js';

/** The policies about letters. */
interface Policies extends ModelOptions {
  unknown?: UnknownPolicy;
  rna?: RnaPolicy;
}

interface ValidateOptions extends Policies {
  model?: string;
  progress: boolean;
  json: boolean;
}

/** Whether all files are intact, and the model has ids for all of their bases: then `encode` writes no unknown ids. */
export async function validateDna(inputs: readonly string[], options: ValidateOptions): Promise<boolean> {
  const { model: name, progress: isWanted, json, ...policies } = options;
  if (name === undefined && Object.values(policies).some((value) => value !== undefined)) {
    throw new UsageError('options about letters and tails are for a --model');
  }
  using model = name === undefined ? undefined : openModel(name, policies);
  const progress = new Progress(totalSize(inputs), isWanted);
  const all = await untilInterrupted(async (signal) => {
    const files: FileFacts[] = [];
    for (const file of inputs) {
      const facts = await factsOfFile(file, model, policies, { signal, onRead: (bytes) => void progress.add(bytes) });
      files.push(facts);
      if (!json) await write(forPeople(facts));
    }
    return files;
  }).finally(() => progress.end());
  if (json) await write(`${JSON.stringify({ model: model?.dna.name, files: all })}\n`);
  return all.every(
    ({ error, damagedRecords, rejectedRecords, unknown }) => error === undefined && !damagedRecords && !rejectedRecords && !unknown,
  );
}

interface FileFacts {
  file: string;
  format?: 'FASTA' | 'FASTQ';
  /** Complete ones. */
  records: number;
  bases: number;
  /** Of either case. `iupac`: ambiguity codes other than N. */
  counts: Record<'A' | 'C' | 'G' | 'T' | 'N' | 'iupac' | 'other', number>;
  lowerCase: number;
  /** The lengths of the shortest and the longest sequence. */
  shortest?: number;
  longest?: number;
  /** The ids of the records that the model accepts, and how many of them are the unknown id. */
  ids?: number;
  unknown?: number;
  unknownShare?: number;
  rejectedRecords?: number;
  /** The first rejected base of each of the first rejected records. */
  rejected?: Rejection[];
  damagedRecords: number;
  /** The first damaged records; records count from 1, bytes of the file from 0. */
  damaged: Omit<Damage, 'isLast'>[];
  /** Why the file was not read to its end. */
  error?: string;
}

async function factsOfFile(
  file: string,
  model: Model | undefined,
  policies: Policies,
  how: { signal: AbortSignal; onRead: (bytes: number) => void },
): Promise<FileFacts> {
  const tally = newTally();
  const unknowns = model && new Unknowns(model.dna, policies.unknown);
  const left = new LeftOutOfFile(file, unknowns);
  const check = model && checkerOf(model, policies, left);
  let format: FileFacts['format'];
  let error: string | undefined;
  try {
    for await (const parts of sequencesOf(file, { ...how, onFormat: (found) => (format = found), onDamage: left.addDamage })) {
      for (const part of parts) {
        tally.add(part);
        check?.(part);
      }
    }
  } catch (thrown) {
    error = report(file, thrown);
  }
  left.end();
  error ??= left.error;
  const { damaged, rejected } = left;
  return {
    file,
    ...(format && { format }),
    ...tally.facts(),
    damagedRecords: damaged.count,
    damaged: damaged.named,
    ...(unknowns && { ids: unknowns.ids, ...unknowns.facts(), rejectedRecords: rejected.count, rejected: rejected.named }),
    ...(error !== undefined && { error }),
  };
}

/** Encodes the parts of sequences, to see whether the model accepts them. The rest of a rejected record is ignored. */
function checkerOf(model: Model, { rna }: Policies, left: LeftOutOfFile): (part: SequencePart) => void {
  const idsOf = idStream(model, { type: 'int32', specialTokens: false, reverseComplement: false });
  const asDna = rnaFilter(rna);
  let isRejected = false;
  return (part) => {
    if (part.begins) isRejected = false;
    if (isRejected) return;
    try {
      for (const _ of idsOf(asDna(part), left.unknowns as Unknowns));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      isRejected = true;
      left.addRejection(error);
    }
  };
}

/** Counts letters and lengths of complete records. */
function newTally() {
  const all = new Float64Array(256);
  /** The counts of a record that arrives in parts, until it ends. */
  const begun = new Float64Array(256);
  let records = 0;
  let length = 0;
  let shortest = Infinity;
  let longest = 0;
  return {
    add({ bytes, begins, ends }: SequencePart): void {
      if (begins) {
        length = 0;
        begun.fill(0);
      }
      const counts = begins && ends ? all : begun;
      for (let at = 0; at < bytes.length; at++) (counts[bytes[at] as number] as number)++;
      length += bytes.length;
      if (!ends) return;
      if (!begins) for (let byte = 0; byte < 256; byte++) (all[byte] as number) += begun[byte] as number;
      records++;
      shortest = Math.min(shortest, length);
      longest = Math.max(longest, length);
    },
    facts() {
      const sum = (pattern: RegExp) =>
        all.reduce((total, count, byte) => (pattern.test(String.fromCharCode(byte)) ? total + count : total), 0);
      const [A, C, G, T, N] = [sum(/a/i), sum(/c/i), sum(/g/i), sum(/t/i), sum(/n/i)];
      const counts = { A, C, G, T, N, iupac: sum(/[ryswkmbdhv]/i), other: sum(/[^acgtnryswkmbdhv]/i) };
      return { records, bases: sum(/[\s\S]/), counts, lowerCase: sum(/[a-z]/), ...(records > 0 && { shortest, longest }) };
    },
  };
}

function forPeople(facts: FileFacts): string {
  const { file, format, records, damagedRecords, bases, counts, lowerCase, shortest = 0, longest = 0, ids, unknown = 0 } = facts;
  if (format === undefined) return '';
  const letters = Object.entries({ ...counts, 'lower case': lowerCase }).filter(([name, count]) => count > 0 || name.length === 1);
  const lines = [
    `${nameOf(file)}: ${format}, ${counted(records, 'record')}, ${counted(bases, 'base')}, ${inThousands(shortest)} to ${inThousands(longest)} in each`,
    `  ${letters.map(([name, count]) => `${name} ${inThousands(count)}`).join(', ')}`,
  ];
  if (damagedRecords > 0) lines.push(`  ${counted(damagedRecords, 'record')} damaged`);
  if (ids !== undefined) {
    const known = unknown > 0 ? `, of which ${inThousands(unknown)} ${unknown === 1 ? 'is' : 'are'} the unknown id` : '';
    lines.push(`  ${counted(ids, 'id')}${known}; ${counted(facts.rejectedRecords as number, 'record')} rejected`);
  }
  return `${lines.join('\n')}\n`;
}
