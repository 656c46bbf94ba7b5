// `crayon dna demo`: a short sequence through every model.

import { DNA_NAMES, type DnaName } from '../../dna/presets.js';
import { type DnaTokenizer, reverseComplement } from '../../dna.js';
import { TokenizerError } from '../../base/errors.js';
import { openModel } from './model.js';
import { write } from '../output/terminal.js';

const SEQUENCE = 'ATTACAGGNTCCA';
/** Lower case, as genomes mark repeats. */
const MASKED = 'ATTAcagg';

interface Shown {
  model: string;
  unit: string;
  ids: number[];
  tokens: string[];
  withSpecialTokens: number[];
  decoded: string;
  /** The tokens of lower-case bases; null if they are rejected. */
  masked: string[] | null;
}

/** Shows each model's ids. */
export async function demo({ json }: { json: boolean }): Promise<boolean> {
  const models = DNA_NAMES.filter((name) => name !== 'dnabert2').map(shownBy);
  const other = reverseComplement(SEQUENCE);
  await write(
    json ? `${JSON.stringify({ sequence: SEQUENCE, reverseComplement: other, masked: MASKED, models })}\n` : forPeople(models, other),
  );
  return true;
}

function shownBy(model: DnaName): Shown {
  using opened = openModel(model, {});
  const { dna } = opened;
  const ids = [...dna.encode(SEQUENCE)];
  return {
    model,
    unit: dna.unit === 'kmer' ? `${dna.k}-mers` : 'a base each',
    ids,
    tokens: tokensOf(dna, ids),
    withSpecialTokens: [...dna.encode(SEQUENCE, { addSpecialTokens: true })],
    decoded: dna.decode(ids),
    masked: maskedBy(dna),
  };
}

function tokensOf(dna: DnaTokenizer, ids: readonly number[]): string[] {
  return ids.map((id) => dna.decode([id]));
}

function maskedBy(dna: DnaTokenizer): string[] | null {
  try {
    return tokensOf(dna, [...dna.encode(MASKED)]);
  } catch (error) {
    if (error instanceof TokenizerError && error.code === 'UNKNOWN_BASE') return null;
    throw error;
  }
}

function forPeople(models: readonly Shown[], other: string): string {
  const blocks = models.map(({ model, unit, ids, tokens, withSpecialTokens, decoded, masked }) => {
    // Each token above its id.
    const widths = tokens.map((token, at) => Math.max(token.length, String(ids[at]).length));
    const inColumns = (cells: readonly unknown[]) =>
      cells
        .map((cell, at) => String(cell).padEnd(widths[at] as number))
        .join(' ')
        .trimEnd();
    const around = withSpecialTokens.length === ids.length ? '' : `  with special tokens  ${withSpecialTokens.join(' ')}\n`;
    return (
      `${model}: ${unit}, ${ids.length} ids\n` +
      `  tokens               ${inColumns(tokens)}\n` +
      `  ids                  ${inColumns(ids)}\n` +
      around +
      `  decoded              ${decoded}\n` +
      `  lower case           ${MASKED} → ${masked ? masked.join(' ') : 'refused; --lower-case normalize makes it upper case'}\n`
    );
  });
  return (
    `${SEQUENCE}, a sequence of ${SEQUENCE.length} bases; N is any base\n` +
    `${other}, its reverse complement: the other strand, read in its direction\n\n` +
    `${blocks.join('\n')}\n` +
    'Next: "crayon dna list-models", then "crayon dna encode genome.fa -m MODEL --window 512 -o genome.npy"\n'
  );
}
