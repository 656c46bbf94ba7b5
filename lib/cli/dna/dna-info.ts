// `crayon dna info`: the installation, or one vocabulary with its policies. `crayon dna list-models`: the built-in vocabularies.

import { DNA_NAMES } from '../../dna/presets.js';
import { missing } from '../../hosts/addon/addon.js';
import { native } from '../../hosts/addon/addon.js';
import { wasmKernels } from '../../hosts/module/module.js';
import { hasWasm } from '../../hosts/module/modules-in-node.js';
import { type ModelOptions, type Model, openModel } from './model.js';
import { UsageError } from '../command-errors.js';
import { inLines, inThousands } from '../output/fields.js';
import { write } from '../output/terminal.js';
import type { DnaTokenizer } from '../../dna.js';
import { TokenizerError } from '../../base/errors.js';

/** `model`: undefined for the installation. */
export async function dnaInfo(model: string | undefined, options: ModelOptions & { json: boolean }, version: string): Promise<boolean> {
  const { json, ...policies } = options;
  if (model === undefined && Object.values(policies).some((value) => value !== undefined)) {
    throw new UsageError('these options are for a MODEL');
  }
  const facts = model === undefined ? installation(version) : modelFacts(model, policies);
  await write(json ? `${JSON.stringify(facts)}\n` : inLines(facts));
  return true;
}

function installation(version: string) {
  using hyenadna = openModel('hyenadna', {});
  const { kind, kernel } = hyenadna.dna.backend;
  return {
    version,
    backend: kind,
    kernel,
    backends: [...(missing ? [] : ['native']), ...(hasWasm() ? ['wasm'] : [])],
    kernels: missing ? wasmKernels() : native().addon.kernels(),
    formats: ['FASTA', 'FASTQ', 'gzip', 'bgzip'],
    models: DNA_NAMES,
  };
}

function modelFacts(model: string, options: ModelOptions) {
  using opened = openModel(model, options);
  const { kind, kernel } = opened.dna.backend;
  const { unknownId = 'none', padId = 'none', ...facts } = factsOf(model, options);
  return { ...facts, unknownId, padId, policies: policiesOf(opened), backend: kind, kernel };
}

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
export function factsOf(model: string, options: ModelOptions): DnaFactsShown {
  // A single base is also a tail.
  using opened = openModel(model, model === 'dnabert2' ? options : { ...options, tail: 'single' });
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
