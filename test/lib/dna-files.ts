// Files of sequences for the tests of `crayon dna`, and their expected output.

import type { Random } from '../fuzz/random.mjs';
import { encodeNaively, type NaiveRules } from './naive-dna.js';

/** The JSON of a command when every letter has an id. */
export const NONE_UNKNOWN = { unknown: 0, unknownShare: 0 };

export interface Record {
  name: string;
  sequence: string;
}

/** The ids of a sequence in which every letter has an id. */
export function idsOf(rules: NaiveRules, sequence: string): number[] {
  const ids = encodeNaively(rules, Buffer.from(sequence, 'latin1'));
  if ('bad' in ids) throw new Error(`no id at ${ids.bad}`);
  return ids;
}

export function randomRecords(random: Random, count: number, most: number): Record[] {
  return Array.from({ length: count }, (_, index) => {
    const letters = random.pick(['ACGT', 'ACGTN', 'ACGTNNNN']);
    const length = random.chance(0.2) ? random.integer(0, 14) : random.integer(0, most);
    return { name: `seq${index}`, sequence: Array.from({ length }, () => random.pick([...letters])).join('') };
  });
}

/** As FASTA, with lines of this length. */
export function fasta(records: readonly Record[], width = 60, lineEnd = '\n'): string {
  return records
    .map(
      ({ name, sequence }) =>
        `>${name} a description${lineEnd}${(sequence.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).map((line) => line + lineEnd).join('')}`,
    )
    .join('');
}

export function fastq(records: readonly Record[]): string {
  return records.map(({ name, sequence }) => `@${name}\n${sequence}\n+\n${'I'.repeat(sequence.length)}\n`).join('');
}

/** The windows of a sequence: the last one is shorter, and exists if it has bases that no other window has. */
export function windowsOf({ name, sequence }: Record, length: number, stride: number): Record[] {
  const windows: Record[] = [];
  for (let start = 0, covered = 0; covered < sequence.length && start < sequence.length; start += stride) {
    const end = Math.min(start + length, sequence.length);
    windows.push({ name: `${name}:${start + 1}-${end}`, sequence: sequence.slice(start, end) });
    covered = end;
  }
  return windows;
}
