/**
 * Datasets: how fast documents become shards, and shards files.
 *
 *     npm run bench -- datasets [--rounds 5] [--megabytes 100] [--no-save] [--out FILE.json]
 *
 * Rounds take turns: `encodeFile` of a text, then datasets of the same documents as plain text, lines of JSON (long and of 200 bytes),
 * gzip and Parquet, on one thread and two, as two processes, and what is left after a run was killed. Everything is written and
 * flushed, as users have it. The scale model puts the medians on paper for 1 and 15 terabytes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { mergeDataset, planDataset, runDataset, verifyDataset } from '../../dist/node/dataset.js';
import { Tokenizer } from '../../dist/node/index.js';
import { corpora } from '../../test/corpora.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { record, today } from '../record.mjs';
import { scaleModel } from './scale-model.mjs';

const TOKENIZER = 'o200k_base';
const SEPARATOR = '\n\n\n';
const SHORT = 200;
let datasets = 0;
const CLI = path.resolve(import.meta.dirname, '../../dist/node/cli.js');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '100' },
    save: { type: 'boolean', default: true },
    out: { type: 'string' },
  },
  allowNegative: true,
});

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-datasets-'));
process.once('exit', () => fs.rmSync(home, { recursive: true, force: true }));
const file = (name) => path.join(home, name);
const text = textHere(Number(values.megabytes) * 1e6);
const documents = text.toString().split(SEPARATOR).filter(Boolean);
const lines = (texts) => texts.map((each) => JSON.stringify({ text: each })).join('\n');
const LITTLE = 'hello world';
const inputs = {
  little: file('little.txt'),
  text: file('text.txt'),
  json: file('long.jsonl'),
  short: file('short.jsonl'),
  gzip: file('long.jsonl.gz'),
  parquet: file('long.parquet'),
};
fs.writeFileSync(inputs.little, LITTLE);
fs.writeFileSync(inputs.text, text);
fs.writeFileSync(inputs.json, lines(documents));
fs.writeFileSync(
  inputs.short,
  lines(Array.from({ length: Math.floor(text.length / SHORT) }, (_, at) => text.subarray(at * SHORT, (at + 1) * SHORT).toString())),
);
fs.writeFileSync(inputs.gzip, zlib.gzipSync(fs.readFileSync(inputs.json)));
// By Node from 22.15 on, else by the program, where it is.
const zstd = file('long.jsonl.zst');
if (zlib.zstdCompressSync) fs.writeFileSync(zstd, zlib.zstdCompressSync(fs.readFileSync(inputs.json)));
else spawnSync('zstd', ['-q', inputs.json, '-o', zstd]);
if (fs.existsSync(zstd)) inputs.zstd = zstd;
fs.writeFileSync(
  inputs.parquet,
  new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'text', data: documents }], rowGroupSize: 500 })),
);

const MEASURES = {
  'encodeFile, 1 thread': () => encodeFile(1),
  'encodeFile, 2 threads': () => encodeFile(2),
  'text, 1 thread': () => run('text', 1),
  'text, 2 threads': () => run('text', 2),
  'text, 1 process of 1 thread': () => processes(1),
  'text, 2 processes of 1 thread': () => processes(2),
  'text, 1 process on its core': () => processes(1, { isPinned: true }),
  'text, 2 processes on a core each': () => processes(2, { isPinned: true }),
  'a process without work': () => processes(1, { input: 'little' }),
  'JSON lines, 1 thread': () => run('json', 1),
  'JSON lines, 2 threads': () => run('json', 2),
  'JSON lines of 200 bytes, 2 threads': () => run('short', 2),
  'gzip, 2 threads': () => run('gzip', 2),
  ...(inputs.zstd && { [`zstd${zlib.createZstdDecompress ? '' : ' in JavaScript'}, 2 threads`]: () => run('zstd', 2) }),
  'Parquet, 2 threads': () => run('parquet', 2),
};

const stopWatching = watchLoad();
const rows = [];
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [name, measure] of Object.entries(MEASURES)) rows.push({ round, name, ...(await measure()) });
}
const after = await afterwards();
const result = { date: today(), machine: machine(), ...commit(), around: stopWatching(), after, rows };
const report = reportOf(result);
console.log(report);
if (values.save) console.log(record(result, report, { question: 'datasets', out: values.out }));

/** English of the corpora, or of the fixtures over and over. */
function textHere(bytes) {
  const source = corpora({ assembled: true })?.find(({ path: name }) => name.endsWith('english_100mb.txt'));
  const english = source
    ? fs.readFileSync(source.path)
    : fs.readFileSync(path.resolve(import.meta.dirname, '../../test/fixtures/prose/english.txt'));
  const enough =
    english.length >= bytes ? english : Buffer.concat(Array.from({ length: Math.ceil(bytes / english.length) }, () => english));
  return enough.subarray(0, enough.lastIndexOf(SEPARATOR, bytes) > 0 ? enough.lastIndexOf(SEPARATOR, bytes) : bytes);
}

async function encodeFile(threads) {
  const tokenizer = await Tokenizer.load(TOKENIZER);
  const began = performance.now();
  let tokens = 0;
  for await (const { ids } of tokenizer.encodeFile(inputs.text, { threads })) tokens += ids.length;
  const seconds = (performance.now() - began) / 1000;
  tokenizer.close();
  return { bytes: text.length, seconds, tokens };
}

function planned(input, options = {}) {
  const output = file(`dataset-${datasets++}`);
  const separated = input === 'text' ? { separator: SEPARATOR } : {};
  return planDataset([inputs[input]], { output, format: 'megatron', tokenizer: TOKENIZER, ...separated, ...options }).then(() => output);
}

async function run(input, threads) {
  const output = await planned(input);
  const began = performance.now();
  const usage = process.cpuUsage();
  const { bytes, tokens } = await runDataset(output, { threads });
  const cpuSeconds = secondsSince(usage);
  const seconds = (performance.now() - began) / 1000;
  fs.rmSync(output, { recursive: true });
  return { bytes, seconds, tokens, cpuSeconds };
}

/** Of the processor, in all threads. */
function secondsSince(usage) {
  const { user, system } = process.cpuUsage(usage);
  return (user + system) / 1e6;
}

/** Seconds of the processor for inflating a file, and nothing else. */
async function inflating(name) {
  const usage = process.cpuUsage();
  const bytes = fs.createReadStream(inputs[name], { highWaterMark: 2 ** 20 });
  if (name === 'gzip' || zlib.createZstdDecompress) {
    const options = { chunkSize: 2 ** 18 };
    for await (const _ of bytes.pipe(name === 'gzip' ? zlib.createGunzip(options) : zlib.createZstdDecompress(options)));
  } else {
    const stream = new Decompress(() => undefined);
    for await (const chunk of bytes) stream.push(chunk);
    stream.push(new Uint8Array(0), true);
  }
  return secondsSince(usage);
}

async function inflatingShares() {
  const shares = {};
  for (const name of ['gzip', 'zstd'].filter((each) => inputs[each])) {
    const alone = [];
    const all = [];
    for (let round = 0; round < 3; round++) {
      alone.push(await inflating(name));
      all.push((await run(name, 2)).cpuSeconds);
    }
    shares[name] = median(alone) / median(all);
  }
  return shares;
}

/** A task for each process, of the same dataset; each has its start. */
async function processes(count, { isPinned = false, input = 'text' } = {}) {
  const { length } = input === 'text' ? text : LITTLE;
  const output = await planned(input, { taskBytes: Math.ceil(length / 2) });
  const began = performance.now();
  const started = Array.from({ length: count }, (_, task) => {
    const command = [process.execPath, CLI, 'dataset', 'run', output, '--task', `${task}/${count}`, '--threads', '1'];
    const [program, ...args] = isPinned ? ['taskset', '-c', String(task), ...command] : command;
    return spawn(program, args, { stdio: 'ignore' });
  });
  const exits = await Promise.all(started.map((each) => once(each, 'exit')));
  if (exits.some(([status]) => status !== 0)) throw new Error('a process has failed');
  const seconds = (performance.now() - began) / 1000;
  fs.rmSync(output, { recursive: true });
  return { bytes: length, seconds };
}

/** Merging, verifying, going on after a kill, and memory. */
async function afterwards() {
  const output = await planned('text');
  await runDataset(output);
  const began = performance.now();
  const { files } = await mergeDataset(output);
  const merged = performance.now();
  await verifyDataset(output);
  const verified = performance.now();
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const shard = await planned('text', { shardBytes: 16 * 2 ** 20 });
  const killed = spawn(process.execPath, [CLI, 'dataset', 'run', shard, '--all'], { stdio: 'ignore' });
  const gone = once(killed, 'exit');
  const receipts = () =>
    fs.existsSync(path.join(shard, 'shards'))
      ? fs.readdirSync(path.join(shard, 'shards')).filter((name) => name.endsWith('.json')).length
      : 0;
  while (receipts() < 2 && killed.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5));
  killed.kill('SIGKILL');
  await gone;
  const shards = receipts();
  let first = 0;
  const resumed = performance.now();
  await runDataset(shard, { onProgress: () => (first ||= performance.now() - resumed) });
  // A process of its own, whose memory nothing else has used. By the status of Linux: `resourceUsage` counts the process that started it.
  const program = `import { runDataset } from ${JSON.stringify(path.resolve(import.meta.dirname, '../../dist/node/dataset.js'))};
    import fs from 'node:fs';
    await runDataset(process.argv[1], { threads: 2 });
    const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
    console.log((/VmHWM:\\s+(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) / 1024);`;
  const memory = await planned('json');
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program, memory], { encoding: 'utf8' });
  return {
    inflating: await inflatingShares(),
    mergedBytes: size,
    mergeSeconds: (merged - began) / 1000,
    verifySeconds: (verified - merged) / 1000,
    shardsAtKill: shards,
    resumeSeconds: first / 1000,
    peakMiB: Math.round(Number(stdout)),
  };
}

function reportOf({ around, rows: measured, after: rest }) {
  const rates = Object.fromEntries(
    Object.keys(MEASURES).map((name) => [
      name,
      median(measured.filter((row) => row.name === name).map(({ bytes, seconds }) => bytes / seconds / 1e6)),
    ]),
  );
  const seconds = (name) => median(measured.filter((row) => row.name === name).map((row) => row.seconds));
  const start = seconds('a process without work');
  const ratio = (one, other) => (rates[one] / rates[other]).toFixed(2);
  return `# Datasets

${values.rounds} rounds of ${(text.length / 1e6).toFixed(0)} MB of English, ${TOKENIZER},
Megatron; medians, everything flushed. Load before and after: ${around.load.before[0].toFixed(1)}, ${around.load.after[0].toFixed(1)}.

| | MB/s of text |
|---|--:|
${Object.entries(rates)
  .filter(([name]) => name !== 'a process without work')
  .map(([name, rate]) => `| ${name} | ${rate.toFixed(0)} |`)
  .join('\n')}

| | asked | reached |
|---|--:|--:|
| two threads / one, text | 1.6 | ${ratio('text, 2 threads', 'text, 1 thread')} |
| two processes / one, text | 1.8 | ${ratio('text, 2 processes of 1 thread', 'text, 1 process of 1 thread')} |
| the same, each process on a core of its own | | ${ratio('text, 2 processes on a core each', 'text, 1 process on its core')} |
| the same, without the ${start.toFixed(2)} s that a process takes without work | | ${((seconds('text, 1 process on its core') - start) / (seconds('text, 2 processes on a core each') - start)).toFixed(2)} |
| text / encodeFile, two threads | 0.85 | ${ratio('text, 2 threads', 'encodeFile, 2 threads')} |
| JSON lines / encodeFile, two threads | 0.6 | ${ratio('JSON lines, 2 threads', 'encodeFile, 2 threads')} |
| documents of 200 bytes / long ones | 0.6 | ${ratio('JSON lines of 200 bytes, 2 threads', 'JSON lines, 2 threads')} |
| merge | disk speed | ${(rest.mergedBytes / rest.mergeSeconds / 1e6).toFixed(0)} MB/s, hashed and flushed |
| first batch after a kill with ${rest.shardsAtKill} shards done | 1 s + a shard | ${rest.resumeSeconds.toFixed(2)} s |
${Object.entries(rest.inflating)
  .map(
    ([name, share]) =>
      `| inflating ${name} | | ${(100 * share).toFixed(0)} % of the processor's time${name === 'zstd' && !zlib.createZstdDecompress ? ', in JavaScript' : ''} |\n`,
  )
  .join('')}| memory | 300 MB + caches + longest document | ${rest.peakMiB} MiB in all, lines of JSON, 2 threads |

${scaleModel({ bytesPerSecond: rates['text, 1 process of 1 thread'] * 1e6, gzipBytesPerSecond: rates['gzip, 2 threads'] * 1e6, bytesPerToken: bytesPerToken(measured) })}`;
}

function bytesPerToken(measured) {
  const { bytes, tokens } = measured.find(({ name }) => name === 'encodeFile, 1 thread');
  return bytes / tokens;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}
