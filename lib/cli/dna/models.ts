// `crayon dna list-models`: the built-in vocabularies.

import { DNA_NAMES } from '../../dna/presets.js';
import { type DnaFactsShown, factsOf } from './facts.js';
import { inThousands } from '../output/fields.js';
import { write } from '../output/standard-streams.js';

/** Its vocabulary is not built in: it is made from the model's file. */
const DNABERT2: DnaFactsShown = {
  name: 'dnabert2',
  unit: 'bpe',
  k: 1,
  vocabularySize: 4096,
  bases: { A: 5, C: 6, G: 7, T: 8, N: 0 },
  specialTokens: { '[UNK]': 0, '[CLS]': 1, '[SEP]': 2, '[PAD]': 3, '[MASK]': 4 },
  unknownId: 0,
  padId: 3,
  side: 'right',
  prefix: ['[CLS]'],
  suffix: ['[SEP]'],
};

/** Shows all facts about them. */
export async function listModels({ json }: { json: boolean }): Promise<boolean> {
  const models = DNA_NAMES.map((name) => (name === 'dnabert2' ? DNABERT2 : factsOf(name, {})));
  await write(json ? `${JSON.stringify({ models })}\n` : forPeople(models));
  return true;
}

function forPeople(models: readonly DnaFactsShown[]): string {
  const lines = models.map(({ name, unit, k, vocabularySize, bases, side, specialTokens }) => {
    const ids = Object.entries(bases).map(([base, id]) => `${base} ${id}`);
    const specials = Object.entries(specialTokens).map(([token, id]) => `${token} ${id}`);
    return [
      name,
      unit,
      unit === 'byte' ? '1' : unit === 'bpe' ? '-' : `${k}`,
      inThousands(vocabularySize),
      side,
      ids.join('  '),
      specials.join('  '),
    ];
  });
  const table = [['model', 'unit', 'k', 'ids', 'padding', 'single bases', 'special tokens'], ...lines];
  const widths = (table[0] as string[]).map((_, column) => Math.max(...table.map((line) => (line[column] as string).length)));
  const rows = table.map((line) =>
    line
      .map((cell, column) => cell.padEnd((widths[column] as number) + 2))
      .join('')
      .trimEnd(),
  );
  return `${rows.join('\n')}\n\ndnabert2 is made from the tokenizer.json of the model: --tokenizer-json FILE\n`;
}
