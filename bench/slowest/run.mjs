/**
 * Prints a table of the other calls on their worst known inputs (calls.mjs). Then searches for the texts on which `encode` and the like
 * are slowest, by changing random ones step by step; a change is kept if it slows the call down. Prints the slowest texts for each
 * function and encoding as recipes, which reproduce the texts (texts.mjs). bench/README.md says how to read the output.
 */
import { parseArgs } from 'node:util';

import { Tokenizer } from '../../dist/node/index.js';
import { mbps, timed } from '../node/timing.mjs';
import { grid, shown } from '../tables.mjs';
import { random } from '../texts/generated.mjs';
import { printCalls } from './calls.mjs';
import { changed, randomRecipe, textOf } from './texts.mjs';

const usage = `usage: npm run bench -- slowest [options]

  --calls TEXT       only the rows of the table whose name has this text ('' for all), and no search
  --search           only the search
  --quick            a second for each search, instead of 20
  --seconds N        for each search
  --functions LIST   default encode,count,encodeWithOffsets,split,split-overlap,decode,truncate; split:N and split:N/M
                     are split with maxTokens N and overlap M, truncate:N keeps N tokens
  --encodings LIST   default o200k_base,cl100k_base; or files that Tokenizer.load takes
  --special POLICY   of split and truncate: text (default), allow
  --backend NAME     native (default) or wasm
  --bytes N          of a text, default 65536
  --seed N           default 1
  --top N            texts of each search, from different beginnings (default 3)
  --recipe JSON      measures this text instead, with --search
`;

const MAX_TOKENS = 100;
/** The measured calls: preparation runs once per text. */
const FUNCTIONS = {
  encode: (tokenizer, text) => () => tokenizer.encode(text),
  count: (tokenizer, text) => () => tokenizer.count(text),
  encodeWithOffsets: (tokenizer, text) => () => tokenizer.encodeWithOffsets(text),
  split: (tokenizer, text) => () => tokenizer.split(text, { maxTokens: MAX_TOKENS }),
  'split-overlap': (tokenizer, text) => () => tokenizer.split(text, { maxTokens: MAX_TOKENS, overlap: MAX_TOKENS / 2 }),
  decode(tokenizer, text) {
    const ids = tokenizer.encode(text);
    return () => tokenizer.decode(ids);
  },
  truncate(tokenizer, text) {
    const limit = tokenizer.count(text) >> 1;
    return () => tokenizer.truncate(text, limit);
  },
};

/** @param {string} name of FUNCTIONS, or with limits: `split:512/64` @returns what takes a tokenizer and a text */
function functionOf(name) {
  if (name in FUNCTIONS) return FUNCTIONS[name];
  const [, kind, maxTokens, overlap = 0] = /^(split|truncate):(\d+)(?:\/(\d+))?$/.exec(name) ?? [];
  if (!kind) throw new RangeError(`${name} is none of ${Object.keys(FUNCTIONS).join(', ')}, split:N, split:N/M, truncate:N`);
  const { special } = values;
  if (kind === 'truncate') return (tokenizer, text) => () => tokenizer.truncate(text, Number(maxTokens), { special });
  const options = { maxTokens: Number(maxTokens), overlap: Number(overlap), special };
  return (tokenizer, text) => () => tokenizer.split(text, options);
}
/** A starting point is abandoned after this many changes without a slowdown. */
const PATIENCE = 150;

const { values } = parseArgs({
  options: {
    calls: { type: 'string' },
    search: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    functions: { type: 'string', default: Object.keys(FUNCTIONS).join(',') },
    encodings: { type: 'string', default: 'o200k_base,cl100k_base' },
    backend: { type: 'string', default: 'native' },
    special: { type: 'string', default: 'text' },
    bytes: { type: 'string', default: '65536' },
    seed: { type: 'string', default: '1' },
    top: { type: 'string', default: '3' },
    recipe: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** MB/s of text, the best of a few passes: accidental slowness would mislead the search. */
function speed(name, tokenizer, recipe, passes) {
  const text = textOf(recipe, Number(values.bytes));
  const run = functionOf(name)(tokenizer, text);
  try {
    run();
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY; // a character has more tokens than a part
    throw error;
  }
  let least = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < passes; pass++) least = Math.min(least, timed(run));
  return mbps(Buffer.byteLength(text), least);
}

/** The bytes of all parts of a text, relative to the text: more than 1 if they overlap. */
function repeated(tokenizer, name, recipe) {
  if (!name.startsWith('split')) return 1;
  const text = textOf(recipe, Number(values.bytes));
  let bytes = 0;
  for (const part of functionOf(name)(tokenizer, text)()) bytes += Buffer.byteLength(part);
  return bytes / Buffer.byteLength(text);
}

/** @returns {{ recipe: object, speed: number }[]} the ends of all climbs, the slowest first */
function search(name, tokenizer, seconds) {
  const next = random(Number(values.seed));
  const found = [];
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end) {
    let best = { recipe: randomRecipe(next), speed: Number.POSITIVE_INFINITY };
    for (let failures = 0; failures < PATIENCE && performance.now() < end; failures++) {
      const recipe = changed(best.recipe, next);
      if (speed(name, tokenizer, recipe, 3) > 0.97 * best.speed) continue;
      const sure = speed(name, tokenizer, recipe, 6);
      if (sure > 0.97 * best.speed) continue;
      best = { recipe, speed: sure };
      failures = 0;
    }
    found.push(best);
  }
  return found.filter((each) => each.speed < Number.POSITIVE_INFINITY).sort((a, b) => a.speed - b.speed);
}

const searches = values.calls === undefined;
if (values.help) console.log(usage);
else if (!searches || !values.search) await printCalls({ milliseconds: values.quick ? 100 : 1000, only: values.calls });
if (!values.help && searches) {
  const seconds = Number(values.seconds ?? (values.quick ? 1 : 20));
  const rows = [];
  for (const encoding of values.encodings.split(',')) {
    const tokenizer = await Tokenizer.load(encoding, { backend: values.backend });
    for (const name of values.functions.split(',')) {
      const found =
        values.recipe === undefined
          ? search(name, tokenizer, seconds).slice(0, Number(values.top))
          : [JSON.parse(values.recipe)].map((recipe) => ({ recipe, speed: speed(name, tokenizer, recipe, 6) }));
      for (const { recipe, speed } of found) {
        rows.push([encoding, name, shown(speed), shown(speed * repeated(tokenizer, name, recipe)), JSON.stringify(recipe)]);
      }
    }
    tokenizer.close();
  }
  console.log(grid(['', 'function', 'MB/s', 'of the parts', 'recipe'], rows).join('\n'));
}
