/**
 * The general path (native/src/general), which models need whose files the fast path is not proved for: how fast it is with the
 * files of models that take either, forced, beside npm `tokenizers`; its memory; and the worst texts of every stage, whose times grow
 * as the texts do. All ids are compared before anything is timed. bench/README.md says more.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { WORST } from './worst.mjs';
import { circumstances } from '../circumstances.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { mbps, median, timed } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid } from '../tables.mjs';
import { describe, textNamed } from '../texts/texts.mjs';

process.env.CRAYON_FORCE_PATH = 'general';
process.env.CRAYON_CACHE_DIR = '';
const { Tokenizer } = await import('../../dist/node/index.js');
const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers');

const usage = `usage: npm run bench -- general [options] [FILE.json…]

  FILE.json      files of models; default: those of ../shared/vocabularies and @lenml
  --repeats N    default 5
  --quick        1 of them; not saved
  --only PART    speed, memory or worst
  --no-save      writes no results
  --out FILE     default bench/results/general.json; beside it .md
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repeats: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    'no-save': { type: 'boolean', default: false },
    out: { type: 'string' },
    memory: { type: 'string' }, // internal: the length of a text
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit();
}

const shared = fileURLToPath(new URL('../../../shared/vocabularies/', import.meta.url));
const lenml = fileURLToPath(new URL('../../node_modules/@lenml/', import.meta.url));
const FILES = [
  path.join(lenml, 'tokenizer-gpt2/models/tokenizer.json'),
  path.join(lenml, 'tokenizer-llama3_1/models/tokenizer.json'),
  ...['phi-3-mini', 'bert-base-uncased', 't5-small'].map((name) => path.join(shared, `${name}.tokenizer.json`)),
].filter((file) => fs.existsSync(file));
const files = positionals.length > 0 ? positionals : FILES;
const nameOf = (file) =>
  file.includes('@lenml') ? /tokenizer-([^/]*)/.exec(file)[1] : path.basename(file).replace(/\.(?:tokenizer\.)?json$/, '');
const repeats = values.quick ? 1 : Number(values.repeats);
const MB = 1e6;
/** Nanoseconds. */
const time = (work) => median(Array.from({ length: repeats }, () => timed(work)));
const english = textNamed('english').text;
/** So many bytes of English. */
const textOf = (bytes) => english.repeat(Math.ceil(bytes / english.length)).slice(0, bytes);
const load = (file) => Tokenizer.load(fs.readFileSync(file));
const encode = (tokenizer, text) => tokenizer.encode(text, { special: 'allow' });

if (values.memory !== undefined) {
  const tokenizer = await load(files[0]);
  encode(tokenizer, 'a');
  const text = textOf(Number(values.memory));
  const bytes = Buffer.from(text);
  globalThis.gc();
  // Linux: the peak begins anew here; that of a process begins with its parent's.
  fs.writeFileSync('/proc/self/clear_refs', '5');
  const before = process.memoryUsage.rss();
  encode(tokenizer, bytes);
  const [, peak] = /VmHWM:\s*(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'));
  console.log(Number(peak) * 1024 - before);
  process.exit();
}

/** English, ids compared with npm `tokenizers`, one thread each. */
async function speed(file) {
  const [own, other] = [await load(file), HuggingFace.fromFile(file)];
  // Theirs takes a minute for more.
  const [text, few] = [textOf(4 * MB), textOf(MB)];
  const reference = async () => (await other.encode(few, null, { addSpecialTokens: false })).getIds();
  const wanted = await reference();
  const ids = encode(own, few);
  if (ids.length !== wanted.length || wanted.some((id, at) => ids[at] !== id)) throw new Error(`${file}: the ids differ`);
  const ours = time(() => encode(own, text));
  const times = [];
  for (let round = 0; round < Math.min(repeats, 3); round++) {
    const start = performance.now();
    await reference();
    times.push(performance.now() - start);
  }
  const theirs = Math.min(...times);
  return { file: nameOf(file), ours: mbps(text.length, ours), theirs: mbps(few.length, theirs * 1e6) };
}

/** How much more memory a text of 20 MB takes at most, for each of its bytes, its ids included. */
function memory(file) {
  const length = 20 * MB;
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--expose-gc', fileURLToPath(import.meta.url), '--memory', String(length), file],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${file}: no memory was measured`);
  return { file: nameOf(file), bytes: Number(stdout) / length };
}

const LENGTHS = [0.25, 1];

async function worst({ name, file, text, offsets }) {
  const tokenizer = await Tokenizer.load(Buffer.from(JSON.stringify(file)));
  const texts = LENGTHS.map((length) => Buffer.from(text(length * MB)));
  const work = (each) => (offsets ? tokenizer.encodeWithOffsets(each, { special: 'allow' }) : encode(tokenizer, each));
  work(texts[0]);
  // Nanoseconds for each byte.
  const times = texts.map((each) => median(Array.from({ length: 3 }, () => timed(() => work(each)))) / each.length);
  return { name, times, growth: times.at(-1) / times[0] };
}

const busy = watchLoad();
const rows = [];
const report = [];
const has = (part) => values.only === undefined || values.only === part;
const show = (title, head, lines) => {
  const table = grid(head, lines).join('\n');
  console.log(`${title}\n${table}\n`);
  report.push(title, '', table, '');
};
if (has('speed')) {
  const made = [];
  for (const file of files) made.push(await speed(file));
  rows.push(...made.map((row) => ({ part: 'speed', ...row })));
  const lines = made.map(({ file, ours, theirs }) => [file, ours.toFixed(1), theirs.toFixed(2), (ours / theirs).toFixed(1)]);
  show('English of 4 MB, in MB/s, one thread; npm `tokenizers` with 1 MB of it:', ['file', 'general path', 'tokenizers', '×'], lines);
}
if (has('memory')) {
  const made = files.map(memory);
  rows.push(...made.map((row) => ({ part: 'memory', ...row })));
  show(
    'Memory for English of 20 MB, in bytes for each of its bytes, beyond the text:',
    ['file', 'bytes'],
    made.map(({ file, bytes }) => [file, bytes.toFixed(1)]),
  );
}
if (has('worst')) {
  const made = [];
  for (const each of WORST) made.push(await worst(each));
  rows.push(...made.map((row) => ({ part: 'worst', ...row })));
  const lines = made.map(({ name, times, growth }) => [name, ...times.map((time) => time.toFixed(1)), growth.toFixed(2)]);
  const heads = LENGTHS.map((length) => `${length} MB`);
  show(
    'The worst texts of every stage, in nanoseconds for each byte; growth: from the shorter to the longer:',
    ['stage and text', ...heads, 'growth'],
    lines,
  );
}
if (!values['no-save'] && !values.quick) {
  const result = { date: today(), machine: machine(), ...commit(), ...busy(), texts: describe(['english']), rows };
  const head = [
    '# The general path',
    '',
    ...circumstances(result),
    `- \`npm run bench -- general\`; medians of ${repeats}, of npm tokenizers the best of 3; and 3 passes of each worst text`,
    '',
  ];
  console.log(record(result, [...head, ...report].join('\n'), { question: 'general', out: values.out }));
}
