/**
 * Limits: `split` with and without separators, `truncate` and `isWithinLimit`, natively and in WebAssembly, beside another build of the
 * package if one is named, whose parts are compared first. Then the slowest of many hard texts, by vocabulary, at 64 tokens and at 1.
 *
 * Hypothesis: a part costs one reading of its tokens and a count of its last few, so `split` takes less than twice as long as `encode`
 * at 512 tokens and less than three times at 64; and no text takes more than fifty times as long.
 */
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { median } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { COMPARED_TEXTS, describe, textNamed } from '../texts/texts.mjs';

const usage = `usage: npm run bench -- limits [options]

  --beside DIR      a clone of another commit, built: its times, and the part of its parts that are the same
  --texts LIST      default: ${COMPARED_TEXTS.join()}
  --encoding NAME   default: o200k_base
  --files LIST      tokenizer.json files for the slowest texts, besides the encoding
  --rounds N        default 7
  --quick           1 of them; not saved
  --no-save         writes no results
  --out FILE        default bench/results/limits.json; beside it .md
`;

const root = fileURLToPath(new URL('../../', import.meta.url));
const UNITS = 1_000_000;
const { values } = parseArgs({
  options: {
    beside: { type: 'string' },
    texts: { type: 'string', default: COMPARED_TEXTS.join() },
    encoding: { type: 'string', default: 'o200k_base' },
    files: { type: 'string', default: '' },
    rounds: { type: 'string', default: '7' },
    quick: { type: 'boolean', default: false },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const rounds = values.quick ? 1 : Number(values.rounds);

const split =
  (maxTokens, options = {}) =>
  (tokenizer, text) =>
    tokenizer.split(text, { maxTokens, ...options });
/** Calls on a beginning of 100 KB, twenty times. */
const often = (call) => (tokenizer, text) => {
  const start = text.slice(0, 100_000);
  for (let i = 0; i < 20; i++) call(tokenizer, start);
};
const CALLS = {
  encode: (tokenizer, text) => tokenizer.encode(text),
  'split 16': split(16),
  'split 64': split(64),
  'split 512': split(512),
  'split 512, overlap 64': split(512, { overlap: 64 }),
  'split 64, text': split(64, { separators: 'text' }),
  'split 512, text': split(512, { separators: 'text' }),
  'split 512, markdown': split(512, { separators: 'markdown' }),
  'split 64, code': split(64, { separators: 'code' }),
  'truncate 1000': often((tokenizer, text) => tokenizer.truncate(text, 1000)),
  'truncate 1000, left': often((tokenizer, text) => tokenizer.truncate(text, 1000, { side: 'left' })),
  'isWithinLimit 1000': often((tokenizer, text) => tokenizer.isWithinLimit(text, 1000)),
};
const HARD = [
  '\u0301',
  '\n',
  'a',
  '\u1112\u1161\u11ab',
  '\u0344',
  '👩‍👩‍👧‍👦',
  '\0',
  '=',
  ' ',
  '. \n',
  '中',
  'é\u0323\u0307',
  "'ll",
  '12',
  '🇩🇪',
  '\ufffd',
  'etaoin',
  '<|x|>',
];

const packageOf = (folder) => import(pathToFileURL(path.join(folder, 'dist/node/index.js')).href);

/** Milliseconds of each contender, the contenders taking turns. */
function timed(contenders, call) {
  for (const contender of contenders) call(contender);
  const times = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const began = performance.now();
      call(contender);
      times[index].push(performance.now() - began);
    }
  }
  return times.map(median);
}

/** The share of `ours` that are parts of `theirs`. */
function shareOfSame(ours, theirs) {
  const known = new Set(theirs);
  return ours.filter((part) => known.has(part)).length / ours.length;
}

const load = watchLoad();
const packages = [await packageOf(root), ...(values.beside ? [await packageOf(path.resolve(values.beside))] : [])];
const names = values.texts.split(',');
const texts = names.map((name) => ({ name, text: textNamed(name).text.slice(0, UNITS) }));
const rows = [];
for (const backend of ['native', 'wasm']) {
  const tokenizers = [];
  for (const { Tokenizer } of packages) tokenizers.push(await Tokenizer.load(values.encoding, { backend }));
  for (const { name, text } of texts) {
    for (const [call, run] of Object.entries(CALLS)) {
      const [own, other] = timed(tokenizers, (tokenizer) => run(tokenizer, text));
      const same = other && call.startsWith('split') ? shareOfSame(...tokenizers.map((tokenizer) => run(tokenizer, text))) : undefined;
      rows.push({ backend, text: name, call, milliseconds: own, other, same });
      process.stderr.write(`${backend} ${name} ${call}: ${own.toFixed(2)} ms${other ? `, ${(other / own).toFixed(2)} ×` : ''}\n`);
    }
  }
}

const slowest = [];
for (const backend of ['native', 'wasm']) {
  for (const source of [values.encoding, ...values.files.split(',').filter(Boolean)]) {
    const tokenizer = await packages[0].Tokenizer.load(source, { backend });
    for (const maxTokens of [64, 1]) {
      let worst = { rate: Infinity, unit: '' };
      for (const unit of HARD) {
        const text = `a${unit.repeat(Math.ceil(100_000 / Buffer.byteLength(unit)))}中`;
        try {
          const [time] = timed([tokenizer], () => tokenizer.split(text, { maxTokens }));
          const rate = Buffer.byteLength(text) / 1000 / time;
          if (rate < worst.rate) worst = { rate, unit };
        } catch (error) {
          if (!(error instanceof RangeError)) throw error; // a character of more tokens
        }
      }
      slowest.push({ backend, vocabulary: path.basename(source), maxTokens, ...worst });
    }
    tokenizer.close();
  }
}

const result = { date: today(), machine: machine(), ...commit(), ...load(), texts: describe(names), rounds, rows: [...rows, ...slowest] };
const speeds = grid(
  ['backend', 'text', 'call', 'ms', ...(values.beside ? ['beside, ms', '×', 'same parts'] : [])],
  rows.map(({ backend, text, call, milliseconds, other, same }) => [
    backend,
    text,
    call,
    shown(milliseconds),
    ...(values.beside ? [shown(other), (other / milliseconds).toFixed(2), same === undefined ? '' : `${(100 * same).toFixed(1)} %`] : []),
  ]),
);
const hard = grid(
  ['backend', 'vocabulary', 'tokens a part', 'MB/s', 'slowest text'],
  slowest.map(({ backend, vocabulary, maxTokens, rate, unit }) => [
    backend,
    vocabulary,
    String(maxTokens),
    ...(unit ? [rate.toFixed(2), JSON.stringify(unit)] : ['', 'each has a character of more tokens']),
  ]),
);
const report = [
  '# Limits',
  '',
  ...circumstances(result),
  `- \`npm run bench -- limits\`; medians of ${rounds} rounds`,
  `- ${values.encoding}, texts of ${UNITS} UTF-16 units; calls on 100,000 of these are made twenty times`,
  '',
  ...speeds,
  '',
  '## The slowest of the hard texts',
  '',
  ...hard,
  '',
].join('\n');
process.stdout.write(`${report}\n`);
if (!values.quick && !values['no-save']) process.stdout.write(`${record(result, report, { question: 'limits', out: values.out })}\n`);
