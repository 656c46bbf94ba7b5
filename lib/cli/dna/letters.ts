// Which letters have no id in a model, and which option would change that.

import type { DnaTokenizer } from '../../dna.js';
import { idsOf } from './facts.js';

const BYTES = 256;

/** The option that would give a letter an id; `none`: no option does. */
type Remedy = 'lowerCase' | 'ambiguous' | 'both' | 'none';

const REMEDIES: Record<Remedy, (isOne: boolean) => string> = {
  lowerCase: (isOne) => `--lower-case normalize makes ${isOne ? 'it' : 'them'} upper case`,
  ambiguous: (isOne) => `--ambiguous normalize makes ${isOne ? 'it' : 'them'} N`,
  both: (isOne) => `--lower-case normalize and --ambiguous normalize make ${isOne ? 'it' : 'them'} N`,
  none: () => '',
};

const tables = new WeakMap<DnaTokenizer, Uint8Array>();

/** For each byte, 1 if it becomes the unknown id. */
export function unknownBytes(model: DnaTokenizer): Uint8Array {
  let table = tables.get(model);
  if (!table) {
    table = Uint8Array.from({ length: BYTES }, (_, byte) => {
      const ids = idsOf(model, new Uint8Array(model.k).fill(byte));
      return ids?.some((id) => id === model.unknownId) ? 1 : 0;
    });
    tables.set(model, table);
  }
  return table;
}

/** Whether a word of letters without an id gets a single unknown id, emitted after its end. */
export function readsWords(model: DnaTokenizer): boolean {
  return model.unit === 'kmer' && idsOf(model, ' ')?.length === 0;
}

/** Whether a letter has its own id. */
function hasId(letter: string, model: DnaTokenizer): boolean {
  const ids = idsOf(model, letter.repeat(model.k));
  return ids !== undefined && !ids.some((id) => id === model.unknownId);
}

/** The option that would give a letter an id. If N has no id, turning the letter into N does not help. */
function remedyFor(letter: string, model: DnaTokenizer): Remedy {
  const upper = letter.toUpperCase();
  const isLower = letter !== upper && !hasId('a', model);
  if (/[RYSWKMBDHV]/.test(upper)) return !hasId('N', model) ? 'none' : isLower ? 'both' : 'ambiguous';
  return isLower && /[ACGTN]/.test(upper) && hasId(upper, model) ? 'lowerCase' : 'none';
}

/** Advice for a letter without an id, to append to its mention. */
export function adviceFor(byte: number, model: DnaTokenizer): string {
  const letter = String.fromCharCode(byte);
  const remedy = remedyFor(letter, model);
  if (remedy !== 'none') return ` (${REMEDIES[remedy](true)})`;
  if (/[RYSWKMBDHV]/i.test(letter) || letter === 'n') return ', nor for N';
  return /[a-z]/.test(letter) ? ', and it is not a base' : '';
}

/** Letters without an id, with advice: 'a and c (--lower-case normalize makes them upper case), nor for X'. */
export function lettersWithAdvice(bytes: readonly number[], model: DnaTokenizer): string {
  const groups = new Map<Remedy, string[]>();
  for (const byte of bytes) {
    const remedy = remedyFor(String.fromCharCode(byte), model);
    groups.set(remedy, [...(groups.get(remedy) ?? []), shownByte(byte)]);
  }
  const parts = [...groups].map(([remedy, letters]) => {
    const advice = REMEDIES[remedy](letters.length === 1);
    return `${listed(letters)}${advice && ` (${advice})`}`;
  });
  return parts.join(', nor for ');
}

const MOST_LISTED = 10;

function listed(letters: readonly string[]): string {
  if (letters.length > MOST_LISTED) return `${letters.slice(0, MOST_LISTED).join(', ')} and ${letters.length - MOST_LISTED} more`;
  return letters.length === 1 ? (letters[0] as string) : `${letters.slice(0, -1).join(', ')} and ${letters.at(-1)}`;
}

/** A letter of a sequence in a message. */
export function shownByte(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `the byte 0x${byte.toString(16).padStart(2, '0')}`;
}
