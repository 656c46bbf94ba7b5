// `crayon dna bench audit` and `aggregate`: whether a file of `crayon dna bench grid` is whole and right, and what it says.

import { createHash } from 'node:crypto';

import { idsOf, loopOver, randomRows, tablesOf } from './dna-bench.js';
import { inWords } from '../bench.js';
import { type Configuration, configurationsOf, type Grid, keyOf, matricesOf, type Outcome, rateOf, readGrid } from './grid.js';
import { openModel } from './model.js';
import { counted, inThousands } from '../output/fields.js';
import { tellFailure, write } from '../output/standard-streams.js';

interface Given {
  json: boolean;
}

/** Whether every configuration is there once, with the ids that a loop in JavaScript gives row by row. */
export async function auditGrid(file: string, { json }: Given): Promise<boolean> {
  const { facts, outcomes } = readGrid(file);
  const all = configurationsOf(facts);
  const times = new Map<string, number>();
  for (const outcome of outcomes) times.set(keyOf(outcome), (times.get(keyOf(outcome)) ?? 0) + 1);
  const missing = all.map(keyOf).filter((key) => !times.has(key));
  const repeated = [...times].filter(([, count]) => count > 1).map(([key]) => key);
  const expected = new Expected();
  const differing = outcomes.filter((outcome) => outcome.ids !== expected.of(outcome)).map(keyOf);
  const counts = { configurations: all.length, measured: times.size };
  if (json) await write(`${JSON.stringify({ file, ...counts, missing, repeated, differing })}\n`);
  const problems = Object.entries({
    'is missing': missing,
    'is there more than once': repeated,
    'has other ids than a loop over the rows': differing,
  });
  for (const [what, keys] of problems) for (const key of keys) tellFailure(`${file}: ${key}: ${what}`);
  const isRight = missing.length + repeated.length + differing.length === 0;
  if (isRight && !json) await write(`${file}: all of ${counted(all.length, 'configuration')}, each with the ids of a loop over the rows\n`);
  return isRight;
}

/** The digests of right ids, computed once for configurations that share them. */
class Expected {
  readonly #digests = new Map<string, string>();

  of(configuration: Configuration): string {
    const { model, rows, bases, type } = configuration;
    const matrices = matricesOf(configuration);
    const key = [model, rows, bases, type, matrices].join();
    const known = this.#digests.get(key);
    if (known !== undefined) return known;
    using opened = openModel(model, {});
    const { bytes } = randomRows(rows, bases);
    const columns = opened.dna.count(bytes.subarray(0, bases));
    const ids = idsOf(type, rows * columns);
    loopOver(tablesOf(opened), type)(bytes, { rows, bases }, columns, ids);
    const hash = createHash('sha256');
    for (let matrix = 0; matrix < matrices; matrix++) hash.update(new Uint8Array(ids.buffer));
    const digest = hash.digest('hex');
    this.#digests.set(key, digest);
    return digest;
  }
}

/** A ratio of two kinds of configurations that are otherwise the same. */
const RATIOS: Record<string, [of: Partial<Configuration>, to: Partial<Configuration>]> = {
  'bytes / strings': [{ from: 'bytes' }, { from: 'strings' }],
  'int32 / int64': [{ type: 'int32' }, { type: 'int64' }],
  'ahead 1 / ahead 0': [{ ahead: 1 }, { ahead: 0 }],
};
/** DNATok's ablation: what is changed of int64 without work ahead. */
const ABLATION: Partial<Configuration>[] = [{ type: 'int32' }, { ahead: 1 }, { type: 'int32', ahead: 1 }];

/** Shows speeds, the best configurations, and what each choice changes. */
export async function aggregateGrid(file: string, { json }: Given): Promise<boolean> {
  const grid = readGrid(file);
  const aggregate = aggregateOf(grid);
  await write(json ? `${JSON.stringify({ file, ...grid.facts, ...aggregate })}\n` : forPeople(file, grid, aggregate));
  return true;
}

interface Ratio {
  what: string;
  to: string;
  /** The geometric mean, and the extremes. */
  mean: number;
  least: number;
  greatest: number;
}

/** Rates are bases per second. */
function aggregateOf({ facts, outcomes }: Grid) {
  const rates = new Map(outcomes.map((outcome) => [keyOf(outcome), rateOf(outcome)]));
  const rateWith = (outcome: Configuration, change: Partial<Configuration>) => rates.get(keyOf({ ...outcome, ...change }));
  const ratios: Ratio[] = [];
  const compare = (what: string, to: string, base: readonly Configuration[], of: Partial<Configuration>, by: Partial<Configuration>) => {
    const each = base.flatMap((outcome) => {
      const [one, other] = [rateWith(outcome, of), rateWith(outcome, by)];
      return one === undefined || other === undefined ? [] : [one / other];
    });
    if (each.length === 0) return;
    const mean = Math.exp(each.reduce((sum, ratio) => sum + Math.log(ratio), 0) / each.length);
    ratios.push({ what, to, mean, least: Math.min(...each), greatest: Math.max(...each) });
  };
  const places = [...new Set(outcomes.map(({ to }) => to))];
  const having = (to: string, part: Partial<Configuration>) =>
    outcomes.filter(
      (outcome) => outcome.to === to && Object.entries(part).every(([name, value]) => outcome[name as keyof Outcome] === value),
    );
  for (const to of places) {
    for (const [what, [of, by]] of Object.entries(RATIOS)) compare(what, to, having(to, by), of, by);
    const base = { type: 'int64', ahead: 0 } as const;
    for (const change of ABLATION) {
      const changed = { ...base, ...change };
      compare(`${changed.type} ahead ${changed.ahead} / int64 ahead 0`, to, having(to, base), changed, base);
    }
  }
  const results = outcomes.map((outcome) => ({ ...outcome, rate: rateOf(outcome) }));
  const best = [...new Set(outcomes.map(({ model }) => model))].flatMap((model) =>
    places.flatMap((to) => {
      const of = results.filter((each) => each.model === model && each.to === to).sort((a, b) => b.rate - a.rate);
      return of.slice(0, 1);
    }),
  );
  return { configurations: configurationsOf(facts).length, measured: rates.size, best, ratios, results };
}

function forPeople(
  file: string,
  { facts, outcomes }: Grid,
  { configurations, measured, best, ratios, results }: ReturnType<typeof aggregateOf>,
) {
  const rates = new Map(results.map((result) => [keyOf(result), result.rate]));
  const rate = (perSecond: number | undefined) => (perSecond === undefined ? '-' : (perSecond / 1e9).toPrecision(3));
  const columns = ([first = '', ...others]: string[], width = 28) =>
    `${first.padEnd(width)}${others.map((cell) => cell.padStart(11)).join('')}\n`;
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const group = `${outcome.model}, ${outcome.type}, to ${outcome.to}`;
    groups.set(group, [...(groups.get(group) ?? []), outcome]);
  }
  const tables = [...groups].flatMap(([group, all]) => {
    const shapes = new Map(all.map((outcome) => [`${inThousands(outcome.rows)} × ${inThousands(outcome.bases)}`, outcome]));
    const lines = [...shapes].map(([shape, { ahead: _, ...outcome }]) => {
      const ways: Partial<Configuration>[] = [
        { from: 'strings' },
        { from: 'bytes' },
        { from: 'bytes', ahead: 0 },
        { from: 'bytes', ahead: 1 },
      ];
      return columns([shape, ...ways.map((way) => rate(rates.get(keyOf({ ...outcome, ...way }))))]);
    });
    return ['\n', columns([group, 'strings', 'bytes', 'ahead 0', 'ahead 1']), ...lines];
  });
  const shown = (ratio: number) => ratio.toFixed(2);
  return [
    `${inWords(facts)}, device: ${facts.device ?? 'none'}\n`,
    `${file}: ${measured} of ${counted(configurations, 'configuration')}; in 1,000,000,000 bases per second\n`,
    ...tables,
    '\nthe fastest:\n',
    ...best.map((result) => `  ${keyOf(result)}: ${rate(result.rate)}\n`),
    '\n',
    columns(['ratios', 'to', 'mean', 'least', 'greatest'], 36),
    ...ratios.map(({ what, to, mean, least, greatest }) => columns([what, to, shown(mean), shown(least), shown(greatest)], 36)),
  ].join('');
}
