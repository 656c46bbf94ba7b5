/**
 * Searches for the texts on which the package is slowest, by changing random ones step by step; a change is kept if it
 * makes the call slower. Prints, for each function and encoding, the slowest texts as recipes, which make the same texts
 * again (texts.mjs). bench/README.md says how to read that.
 */
import { parseArgs } from 'node:util';

import { Tokenizer } from '../../dist/node/index.js';
import { mbps, timed } from '../node/timing.mjs';
import { grid, shown } from '../tables.mjs';
import { random } from '../texts/generated.mjs';
import { changed, randomRecipe, textOf } from './texts.mjs';

const usage = `usage: npm run bench -- slowest [options]

  --quick            a second for each search, instead of 20
  --seconds N        for each search
  --functions LIST   default all: encode,count,encodeWithOffsets,split,split-overlap,decode,truncate
  --encodings LIST   default o200k_base,cl100k_base
  --backend NAME     native (default) or wasm
  --bytes N          of a text, default 65536
  --seed N           default 1
  --top N            texts of each search, from different beginnings (default 3)
  --recipe JSON      measures this text instead
`;

const MAX_TOKENS = 100;
/** What is measured: what precedes the call is done once for each text. */
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
/** A beginning is given up after so many changes that did not make it slower. */
const PATIENCE = 150;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    functions: { type: 'string', default: Object.keys(FUNCTIONS).join(',') },
    encodings: { type: 'string', default: 'o200k_base,cl100k_base' },
    backend: { type: 'string', default: 'native' },
    bytes: { type: 'string', default: '65536' },
    seed: { type: 'string', default: '1' },
    top: { type: 'string', default: '3' },
    recipe: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** MB/s, at best of a few passes: what is slow by accident would lead the search astray. */
function speed(name, tokenizer, recipe, passes) {
  const text = textOf(recipe, Number(values.bytes));
  const run = FUNCTIONS[name](tokenizer, text);
  let least = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < passes; pass++) least = Math.min(least, timed(run));
  return mbps(Buffer.byteLength(text), least);
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

if (values.help) {
  console.log(usage);
} else {
  const seconds = Number(values.seconds ?? (values.quick ? 1 : 20));
  const rows = [];
  for (const encoding of values.encodings.split(',')) {
    const tokenizer = await Tokenizer.load(encoding, { backend: values.backend });
    for (const name of values.functions.split(',')) {
      if (!(name in FUNCTIONS)) throw new RangeError(`${name} is none of ${Object.keys(FUNCTIONS).join(', ')}`);
      const found =
        values.recipe === undefined
          ? search(name, tokenizer, seconds).slice(0, Number(values.top))
          : [JSON.parse(values.recipe)].map((recipe) => ({ recipe, speed: speed(name, tokenizer, recipe, 6) }));
      for (const { recipe, speed } of found) rows.push([encoding, name, shown(speed), JSON.stringify(recipe)]);
    }
    tokenizer.close();
  }
  console.log(grid(['', 'function', 'MB/s', 'recipe'], rows).join('\n'));
}
