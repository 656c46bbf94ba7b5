// Facts about a DNA vocabulary, and how it treats letters other than plain bases, found by encoding.

import type { DnaTokenizer } from '../../dna.js';
import { TokenizerError } from '../../base/errors.js';
import { type DnaGiven, type Model, openModel } from './model.js';

/** The letters whose ids are shown. */
export const BASES = 'ACGTN';

export interface DnaFactsShown {
  name: string;
  unit: string;
  k: number;
  vocabularySize: number;
  /** Ids of single bases. */
  bases: Record<string, number>;
  specialTokens: Record<string, number>;
  unknownId: number | undefined;
  padId: number | undefined;
  side: 'left' | 'right';
  prefix: (string | number)[];
  suffix: (string | number)[];
}

/** The facts about a vocabulary. */
export function factsOf(model: string, given: DnaGiven): DnaFactsShown {
  // A single base is also a tail.
  using opened = openModel(model, model === 'dnabert2' ? given : { ...given, tail: 'single' });
  const { dna, engine } = opened;
  const { side, before, after } = engine.facts;
  const nameOf = (id: number) => [...dna.specialTokens].find(([, special]) => special === id)?.[0] ?? id;
  const bases = Array.from(BASES, (base) => [base, idsOf(dna, base)] as const);
  return {
    name: dna.name,
    unit: dna.unit,
    k: dna.k,
    vocabularySize: dna.vocabularySize,
    bases: Object.fromEntries(bases.flatMap(([base, ids]) => (ids?.length === 1 ? [[base, ids[0] as number]] : []))),
    specialTokens: Object.fromEntries(dna.specialTokens),
    unknownId: dna.unknownId,
    padId: dna.padId,
    side,
    prefix: before.map(nameOf),
    suffix: after.map(nameOf),
  };
}

/** How letters and tails are treated, in the words of the options. */
export function policiesOf({ dna }: Model): Record<string, string> {
  const as = (letter: string, other: string) => {
    const [ids, others] = [letter, other].map((each) => idsOf(dna, each.repeat(dna.k)));
    if (!ids) return 'reject';
    return `${ids}` === `${others}` ? 'normalize' : 'keep';
  };
  return {
    lowerCase: as('a', 'A'),
    ambiguous: as('R', 'N'),
    n: idsOf(dna, 'N'.repeat(dna.k)) ? 'keep' : 'reject',
    ...(dna.unit === 'kmer' && dna.k > 1 && { tail: tailOf(dna) }),
  };
}

function tailOf(dna: DnaTokenizer): string {
  const ids = idsOf(dna, 'A'.repeat(dna.k + 1));
  if (ids?.length === 1) return 'drop';
  return ids !== undefined && ids[1] === dna.padId ? 'pad' : 'single';
}

/** Undefined if it is rejected. */
export function idsOf(dna: DnaTokenizer, sequence: string | Uint8Array): Int32Array | undefined {
  try {
    return dna.encode(sequence);
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'UNKNOWN_BASE') return undefined;
    throw error;
  }
}
