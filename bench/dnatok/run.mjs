/**
 * DNATok's grid, by `crayon dna bench grid`, which an interrupted run continues, with its audit and its aggregate; beside it
 * transformers with PyTorch on the same sequences and the same card, whose ids must have the same digests. Copies alone, by element
 * type and kind of memory, show what staging ids as int32 and pinning memory would buy; a model of the Nucleotide Transformer's
 * shape shows what share of the time tokenizing has. `--quick` takes the emulated device, whose speed means nothing.
 *
 * DNATok (its code and paper; facts in docs/guide/gpu.md): 3 calls to warm up, 5 repetitions, seed 42.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { commit, machine } from '../machine.mjs';
import { median } from '../node/timing.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';

const usage = `usage: npm run bench -- dnatok [options]

  --python FILE     an interpreter with torch and transformers (default python3)
  --device NAME     auto, cpu, cuda or hip (default auto: a device if there is one)
  --quick           the smallest shape of each grid, on the emulated device; not saved
  --no-save         writes no results
  --out FILE        default bench/results/dnatok.json, dnatok-host.json without a device; beside it .md
`;
const { values } = parseArgs({
  allowNegative: true,
  options: {
    python: { type: 'string', default: 'python3' },
    device: { type: 'string' },
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const root = fileURLToPath(new URL('../../', import.meta.url));
const MODELS = ['hyenadna', 'nt-v2'];
/** Rows and bases of what transformers encodes: its speed does not depend on the number of rows, so that no sweep needs it. */
const SHAPES = values.quick
  ? [[64, 128]]
  : [
      [4096, 512],
      [8192, 512],
      [2048, 2048],
    ];
const say = (what) => console.error(what);

// --- the command ---

const { commit: head, changed } = commit();
/** What an interrupted run left; of other code, nothing. */
const file = path.join(root, 'build', `dnatok-${head}${changed ? '-changed' : ''}${values.quick ? '-quick' : ''}.jsonl`);

function crayon(...args) {
  const internals = pathToFileURL(path.join(root, 'dist', 'node', 'internals.js'));
  const plugin = path.join(root, 'build', 'release', 'gpu', 'crayon_gpu_emulated.so');
  const setUp = `import { useEmulatedDevice } from '${internals}'; useEmulatedDevice(${JSON.stringify(plugin)});`;
  const first = values.quick ? ['--import', `data:text/javascript,${encodeURIComponent(setUp)}`] : [];
  const command = [...first, path.join(root, 'dist', 'node', 'cli.js'), 'dna', 'bench', ...args];
  const { status, stdout } = spawnSync(process.execPath, command, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`crayon dna bench ${args.join(' ')}: exit code ${status}; the same command goes on`);
  return stdout;
}

// --- Python ---

function startPython() {
  const child = spawn(values.python, [fileURLToPath(new URL('peer.py', import.meta.url))], { stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`${values.python} ended with ${code}: it needs torch and transformers`)),
  );
  ended.catch(() => {});
  failed.catch(() => {});
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify({ warm: 3, repeats: values.quick ? 2 : 5, ...request })}\n`);
      const { value } = await Promise.race([lines.next(), ended, failed]);
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}

// --- the report ---

const rows = [];
/** Thousand million a second, and how far the repetitions are apart. */
const spread = (times) => `±${Math.round((50 * (Math.max(...times) - Math.min(...times))) / median([...times]))} %`;
const small = (value) => (value < 0.01 ? value.toPrecision(2) : shown(value));
const cell = (count, times) => `${small(count / median([...times]) / 1e9)} (${spread(times)})`;

/** transformers' speeds, and how many times as fast the package is with the same strings. */
async function besidePeer(python, { device, results }) {
  const body = [];
  for (const model of MODELS) {
    for (const [count, bases] of SHAPES) {
      const name = `${model}, ${count} × ${bases}`;
      say(name);
      const theirs = await python.ask({ do: 'encode', model, rows: count, bases, warm: 0, repeats: values.quick ? 2 : 3 });
      const same = results.filter(
        (each) => each.model === model && each.rows === count && each.bases === bases && each.type === 'int32' && each.ahead === undefined,
      );
      if (same.length === 0 || same.some(({ ids }) => ids !== theirs.ids)) throw new Error(`${name}: transformers has other ids`);
      rows.push({ section: 'peer', model, rows: count, bases, ...theirs });
      const ratio = (to, times) =>
        shown((same.find((each) => each.to === to && each.from === 'strings').rate * median([...times])) / (count * bases));
      body.push([
        name,
        cell(count * bases, theirs.encode),
        ratio('cpu', theirs.encode),
        cell(count * bases, theirs.onDevice),
        device === null ? '–' : ratio(device, theirs.onDevice),
      ]);
    }
  }
  return body;
}

async function copied(python) {
  const body = [];
  for (const ids of values.quick ? [1 << 20] : [1 << 20, 1 << 22, 1 << 24, 1 << 26]) {
    say(`copies of ${ids} ids`);
    const answer = await python.ask({ do: 'copies', ids });
    rows.push({ section: 'copies', ids, ...answer });
    for (const [kind, times] of Object.entries(answer)) body.push([`${ids / (1 << 20)} Mi ids, ${kind}`, cell(ids, times)]);
  }
  return body;
}

async function modelled(python) {
  const body = [];
  for (const [count, bases] of values.quick
    ? [[64, 512]]
    : [
        [256, 512],
        [4096, 512],
      ]) {
    say(`a model, ${count} × ${bases}`);
    const { times, tokens } = await python.ask({ do: 'model', rows: count, bases });
    rows.push({ section: 'model', rows: count, bases, tokens, times });
    body.push([`${count} × ${bases}`, `${shown(median([...times]) * 1000)} ms`, String(tokens)]);
  }
  return body;
}

async function main() {
  const python = startPython();
  const load = os.loadavg();
  const about = await python.ask({ do: 'about' });
  if (values.quick) fs.rmSync(file, { force: true });
  say('crayon dna bench grid');
  crayon('grid', file, ...(values.quick ? ['--quick', '--device', 'emulated'] : ['--device', values.device ?? 'auto']));
  const audit = crayon('audit', file).replace(`${file}: `, '').trim();
  const aggregate = JSON.parse(crayon('aggregate', file, '--json'));
  const { device, results } = aggregate;
  rows.push(...results.map((result) => ({ section: 'grid', ...result })));
  const table = crayon('aggregate', file).replace(`${file}: `, '').trim();
  const peer = await besidePeer(python, aggregate);
  const copies = await copied(python);
  const models = await modelled(python);
  python.end();

  const facts = machine();
  const isReal = device !== null && device !== 'emulated';
  const result = { format: 2, date: today(), commit: head, changed, machine: facts, peer: about, device, rows };
  const text = [
    `# DNATok's grid ${isReal ? `on ${about.device}` : device === null ? 'without an accelerator' : 'on the emulated device'}`,
    '',
    ...(device === 'emulated' ? ['**What goes to "the device" goes to the emulated one, whose speeds mean nothing.**', ''] : []),
    `- machine: ${[facts.cpu, facts.virtual && 'virtual', `${facts.cores} cores`, facts.memory, facts.simd].filter(Boolean).join('; ')}`,
    `- Python: PyTorch ${about.torch}, transformers ${about.transformers}; device: ${about.device}`,
    `- load average ${load.map((each) => each.toFixed(1)).join(' ')} before, ${os
      .loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')} after`,
    `- audit: ${audit}`,
    '',
    '## The grid',
    '',
    'Matrices without special tokens, the length of rows given. *Strings*: an array of them; *bytes*: one block, as a reader of files has it; to the CPU into an array that is used again,',
    'by all threads; to a device into its memory. *Ahead*: `batches` of 8 matrices from single sequences, nothing else being done meanwhile. Ratios are geometric means over shapes and models.',
    '',
    '```text',
    table,
    '```',
    '',
    '## Beside transformers, in thousand million bases a second',
    '',
    '`EsmTokenizer`, or a tokenizer over characters, one call for all rows, to lists; *device*: to a tensor of int64 there. *Times*: how often as fast the package is with the same array of',
    'strings, to int32. The ids are compared by their digests. Published for DNATok (an H200): encoding 0.20 to 0.36, end to end 0.13 to 0.99.',
    '',
    ...grid(['', 'transformers', 'times', 'transformers, device', 'times'], peer),
    '',
    '## Copies to the device alone, in thousand million ids a second',
    '',
    "By PyTorch. One base is one id of `hyenadna`. This package copies the bases themselves, a byte each, from pinned memory, and makes the ids there; DNATok's `ids` path copies int32.",
    '',
    ...grid(['', ''], copies),
    '',
    '## A model on these ids',
    '',
    "transformers' ESM with the sizes of Nucleotide Transformer v2 50M (12 layers of 512), bfloat16, **random weights**: published ones are not at hand.",
    '',
    ...grid(['bases', 'a call', 'tokens'], models),
  ].join('\n');
  console.log(text);
  if (values.save ?? !values.quick) {
    const written = record(result, text, { question: isReal ? 'dnatok' : 'dnatok-host', out: values.out });
    console.log(`written: ${path.relative(process.cwd(), written)} and .md`);
    fs.rmSync(file);
  }
}

if (values.help) console.log(usage);
else await main();
