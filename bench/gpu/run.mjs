/**
 * Batches on an accelerator of this machine: the ids compared with the CPU's, the sanitizers of CUDA, then times,
 * resident and end to end, beside all cores of the CPU in turns. Without an accelerator the same runs on the emulated device, with
 * small batches: that only shows that it runs, as the report states. `npm run bench -- gpu`; bench/README.md says more.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Tokenizer } from '../../dist/node/index.js';
import { DnaTokenizer } from '../../dist/node/dna.js';
import { useEmulatedDevice } from '../../dist/node/internals.js';
import { corpora } from '../../test/corpora.mjs';
import { commit, machine } from '../machine.mjs';
import { median } from '../node/timing.mjs';
import { PUBLISHED_SPEED } from '../node/published.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { repeated } from '../texts/repeated.mjs';
import { writeImported } from './imported.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const usage = `usage: npm run bench -- gpu [options]

  --quick             seconds instead of minutes: fewer sizes and rounds; not saved
  --device NAME       cuda, hip or emulated; default: the first that is there
  --only LIST         sections: exact,sanitizers,sizes,stress,dnatok,documents,calls
  --texts DIR         english.txt, code.txt, languages.txt and dna.txt there, in place of the corpora
  --rounds N          of each measurement, in turns (default 5; 2 if emulated)
  --save, --no-save, --out FILE   default: bench/results/gpu-<device>.{json,md}, unless --quick, --only or emulated
`;
const { values } = parseArgs({
  allowNegative: true,
  options: {
    quick: { type: 'boolean', default: false },
    device: { type: 'string' },
    only: { type: 'string' },
    texts: { type: 'string' },
    rounds: { type: 'string' },
    save: { type: 'boolean' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const KIB = 1024;
const MIB = KIB * KIB;
const release = path.join(root, 'build', 'release');
const program = path.join(release, 'crayon_gpu_bench');
const PLUGINS = {
  cuda: path.join(root, 'build', 'cuda', 'gpu', 'crayon_gpu_cuda.so'),
  hip: path.join(root, 'build', 'hip', 'gpu', 'crayon_gpu_hip.so'),
  emulated: path.join(release, 'gpu', 'crayon_gpu_emulated.so'),
};
const TEXT_MODELS = ['lite', 'standard', 'cl100k_base', 'o200k_base'];

// --- the device ---

function start(what, kind, options, { prefix = [], timeout = 600_000 } = {}) {
  const args = Object.entries({ plugin: PLUGINS[kind], proxy: path.join(release, 'gpu', 'crayon_gpu_proxy.so'), ...options }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const [command, ...rest] = [...prefix, program, what, ...args];
  const result = spawnSync(command, rest, { encoding: 'utf8', maxBuffer: 1 << 26, timeout });
  if (result.error?.code === 'ENOENT') throw new Error(`${command} is not built: npm run bench -- gpu builds it`);
  return result;
}

/** The program's output, or why it failed. */
function ask(what, kind, options) {
  const { status, signal, stdout, stderr } = start(what, kind, options);
  const failed = () => ({ failed: stderr.trim() || `it ended with ${signal ?? status}` });
  try {
    return stdout.trimEnd().endsWith('}') ? JSON.parse(stdout) : failed();
  } catch {
    return failed();
  }
}

/** The first kind that has a device, and why those before it have none. */
function chosen() {
  const reasons = [];
  for (const kind of values.device ? [values.device] : Object.keys(PLUGINS)) {
    if (!(kind in PLUGINS)) throw new Error(`expected cuda, hip or emulated for --device but received ${kind}`);
    if (!fs.existsSync(PLUGINS[kind])) {
      reasons.push(`${kind}: the plugin has not been built`);
      continue;
    }
    const answer = ask('check', kind, { model: 'hyenadna', length: 1024, width: 4 });
    if (answer.device !== undefined) return { kind, about: answer, reasons };
    reasons.push(`${kind}: ${answer.failed}`);
  }
  throw new Error(`no device: ${reasons.join('; ')}`);
}

// --- texts ---

function writeTexts(folder) {
  const files = new Map((values.texts ? [] : (corpora({ assembled: true }) ?? [])).map(({ name, path: file }) => [name, file]));
  const of = (name, fixture) => files.get(name) ?? path.join(root, 'test', 'fixtures', fixture);
  const texts = {
    english: of('A_english/english_100mb.txt', 'prose/english.txt'),
    code: of('B_code/code_20mb.txt', '../../scripts/bundle.mjs'),
    languages: of('C_multilingual/mixed_10mb.txt', 'prose/chinese.txt'),
  };
  for (const { name, make } of repeated) {
    texts[name] = path.join(folder, name);
    fs.writeFileSync(texts[name], make(70_000));
  }
  for (const name of values.texts ? ['english', 'code', 'languages', 'dna'] : []) texts[name] = path.join(values.texts, `${name}.txt`);
  const genome = files.get('F_dna/ecoli_k12_mg1655.fa');
  if (genome) {
    texts.dna = path.join(folder, 'dna');
    fs.writeFileSync(texts.dna, fs.readFileSync(genome, 'latin1').replace(/^>.*$/gm, '').replaceAll('\n', ''));
  }
  return { texts, isReal: files.size > 0 || values.texts !== undefined };
}

// --- sections: each adds rows, and returns lines of the report ---

const rows = [];
const sizeOf = (bytes) =>
  bytes >= 1000 * MIB ? `${shown(bytes / MIB / KIB)} GiB` : bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes / KIB} KiB`;
const say = (what) => console.error(what);

/** Models of imported.mjs. */
const IMPORTED = { 'WordPiece of BERT': 'bert', 'BPE of Llama 2': 'llama2' };

/** A document with a piece that is too long for kernels: the package has the CPU do it. */
const LEFT = 'left to the CPU';

/** Ids of the device, by its plugin and through the package, against the CPU's. */
function exact({ kind, texts, isEmulated, imported }) {
  const body = [];
  const length = values.quick || isEmulated ? 256 * KIB : 16 * MIB;
  for (const model of TEXT_MODELS) {
    for (const text of ['english', 'code', 'languages', 'repeated-unicode']) {
      say(`ids: ${model}, ${text}`);
      const cells = [0, 1000].map((document) => {
        const answer = ask('check', kind, { model, text: texts[text], length, document, slice: length });
        if (answer.failed?.startsWith('kernels do not take')) return LEFT; // longer than 4096 bytes
        return answer.supported === false ? 'no kernels' : (answer.failed ?? (answer.same ? 'same' : 'DIFFERENT'));
      });
      cells.push(throughPackage(model, texts[text], kind, Math.min(length, 2 * MIB)));
      body.push([`${model}, ${text}`, ...cells]);
    }
  }
  // Their texts are normalized on the way to a plugin.
  for (const text of ['english', 'code', 'languages', 'repeated-unicode']) {
    for (const [title, name] of Object.entries(IMPORTED)) {
      body.push([
        `${title}, ${text}`,
        '',
        '',
        throughPackage(fs.readFileSync(imported[name]), texts[text], kind, Math.min(length, 2 * MIB)),
      ]);
    }
  }
  for (const model of ['hyenadna', 'nt-v2']) {
    const cells = [length, 512].map((document) => {
      const answer = ask('check', kind, { model, ...(texts.dna && { text: texts.dna }), length, document, width: 4, slice: length });
      return answer.failed ?? (answer.same ? 'same' : 'DIFFERENT');
    });
    body.push([`${model}, ${texts.dna ? 'E. coli' : 'random bases'}`, ...cells, dnaThroughPackage(model, kind)]);
  }
  for (const [name, ...cells] of body) rows.push({ section: 'exact', name, cells });
  const wrong = body.flat().filter((cell) => !['', 'same', 'no kernels', LEFT].includes(cell) && !body.some(([name]) => name === cell));
  if (wrong.length > 0) process.exitCode = 1;
  return [
    '## Ids, against those of the CPU',
    '',
    `${sizeOf(length)} of each text.`,
    '',
    ...grid(['', 'one document', 'documents of 1000 bytes (DNA: 512)', 'through the package'], body),
  ];
}

const sameBytes = (a, b) =>
  Buffer.compare(Buffer.from(a.buffer, a.byteOffset, a.byteLength), Buffer.from(b.buffer, b.byteOffset, b.byteLength)) === 0;

/** The result of a call on a device, against the CPU; `call` has the ids and, of packed rows, their offsets. */
function compared(tokenizer, kind, call) {
  try {
    const there = call(kind);
    const here = call('cpu');
    return sameBytes(there.ids, here.ids) && (!here.offsets || sameBytes(there.offsets, here.offsets)) ? 'same' : 'DIFFERENT';
  } catch (error) {
    return error.code === 'DEVICE_UNSUPPORTED' ? 'no kernels' : `${error}`;
  } finally {
    tokenizer.close();
  }
}

function throughPackage(model, file, kind, length) {
  const tokenizer = Tokenizer.loadSync(model);
  const bytes = fs.readFileSync(file).subarray(0, length);
  const offsets = Uint32Array.from({ length: Math.ceil(bytes.length / 1000) + 1 }, (_, row) => Math.min(row * 1000, bytes.length));
  return compared(tokenizer, kind, (device) => tokenizer.encodeBatch({ bytes, offsets }, { device }));
}

/** Sequences of A, C, G and T: every run has the same ones. */
function sequences(count, length) {
  const bytes = new Uint8Array(count * length);
  for (let i = 0, state = 42; i < bytes.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = 'ACGT'.charCodeAt(state >>> 30);
  }
  return { bytes, offsets: Uint32Array.from({ length: count + 1 }, (_, row) => row * length) };
}

function dnaThroughPackage(model, kind) {
  const tokenizer = DnaTokenizer.loadSync(model);
  const given = sequences(256, 512);
  return compared(tokenizer, kind, (device) => tokenizer.encodeBatch(given, { type: 'int32', device }));
}

/** compute-sanitizer on small batches of every kind of kernel. */
function sanitizers({ kind, texts }) {
  const tool = ['compute-sanitizer', '/usr/local/cuda/bin/compute-sanitizer'].find((each) => spawnSync(each, ['--version']).status === 0);
  const head = ['## Sanitizers', ''];
  if (kind !== 'cuda')
    return [
      ...head,
      'Skipped: compute-sanitizer is for CUDA devices. (AddressSanitizer and the recorder watch the emulated one in the tests.)',
    ];
  if (!tool) return [...head, 'Skipped: compute-sanitizer is not installed.'];
  const body = [];
  for (const check of ['memcheck', 'racecheck', 'initcheck', 'synccheck']) {
    for (const [model, text] of [
      ['lite', 'english'],
      ['lite', 'repeated-unicode'],
      ['cl100k_base', 'english'],
      ['o200k_base', 'languages'],
      ['hyenadna', 'dna'],
      ['nt-v2', 'dna'],
    ]) {
      say(`${check}: ${model}, ${text}`);
      const options = { model, ...(texts[text] && { text: texts[text] }), length: 128 * KIB, document: 1024, width: 4 };
      const { status, stdout, stderr } = start('check', kind, options, { prefix: [tool, `--tool=${check}`, '--error-exitcode=9'] });
      const summary = /(?:ERROR|RACECHECK) SUMMARY: .*/.exec(`${stdout}${stderr}`)?.[0] ?? `exit code ${status}`;
      if (status !== 0) process.exitCode = 1;
      body.push([`${check}: ${model}, ${text}`, summary]);
      rows.push({ section: 'sanitizers', check, model, text, summary, status });
    }
  }
  return [...head, ...grid(['', ''], body)];
}

/** The clock of the emulated device counts what is done, not how long it takes. */
const EMULATED_KIND = 3;
const isOfHardware = ({ kind }) => kind !== EMULATED_KIND;

/** GB of input a second, or of another amount, from the times of a measurement; a dash where there are none. */
function ratesOf(answer, amount = answer.length) {
  const rate = (times) => (times?.some(Boolean) ? shown(amount / median(times)) : '–');
  const isTimed = isOfHardware(answer) && answer.compute?.some(Boolean);
  return {
    resident: isTimed ? rate(answer.compute) : '–',
    whole: rate(answer.resident),
    kept: rate(answer.kept),
    returned: rate(answer.returned),
    cpu: rate(answer.cpu),
  };
}

const RATES = ['resident', 'one job', 'ids stay', 'ids returned', 'CPU, all cores'];
const cellsOf = (rates) => [rates.resident, rates.whole, rates.kept, rates.returned, rates.cpu];

function measured(kind, options, about) {
  say(
    `measuring: ${Object.entries(about)
      .map(([, value]) => value)
      .join(', ')}`,
  );
  const answer = ask('measure', kind, { rounds: values.rounds ?? (values.quick || kind === 'emulated' ? 2 : 5), ...options });
  // Results name no path of a machine.
  rows.push({ ...about, options: { ...options, ...(options.text && { text: path.basename(options.text) }) }, ...answer });
  if (answer.same === false) process.exitCode = 1;
  return answer;
}

const unlessFailed = (answer, cells) =>
  answer.supported === false
    ? undefined
    : answer.failed
      ? ['failed', ...Array(RATES.length - 1).fill('')]
      : answer.same === false
        ? ['DIFFERENT IDS', ...Array(RATES.length - 1).fill('')]
        : cells(answer);

/** By the size of a batch. */
function sizes({ kind, texts, isEmulated }) {
  const all = isEmulated ? [64 * KIB, 256 * KIB] : values.quick ? [MIB, 64 * MIB] : [64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB];
  const cases = [
    ...TEXT_MODELS.map((model) => ({ name: `${model}, English`, model, text: texts.english, document: 4096 })),
    { name: 'lite, code', model: 'lite', text: texts.code, document: 4096 },
    ...['cl100k_base', 'o200k_base'].map((model) => ({ name: `${model}, languages`, model, text: texts.languages, document: 4096 })),
    { name: 'hyenadna, uint8', model: 'hyenadna', text: texts.dna, document: 4096, width: 1 },
    { name: 'hyenadna, int32', model: 'hyenadna', text: texts.dna, document: 4096, width: 4 },
    { name: 'nt-v2, int32', model: 'nt-v2', text: texts.dna, document: 4092, width: 4 },
  ];
  const body = [];
  const missing = [];
  for (const { name, text, ...options } of cases) {
    for (const length of all) {
      const answer = measured(kind, { ...options, ...(text && { text }), length }, { section: 'sizes', name, size: sizeOf(length) });
      const cells = unlessFailed(answer, (each) => cellsOf(ratesOf(each)));
      if (!cells) {
        missing.push(name);
        break;
      }
      body.push([`${name}, ${sizeOf(length)}`, ...cells]);
    }
  }
  return [
    '## By the size of a batch, in GB of input a second',
    '',
    'Documents of 4 KiB, in pinned memory. *Resident*: the kernels alone, by the clock of the device, if it has one. *One job*: the whole batch at once, ids stay on the',
    'device. *Ids stay*, *ids returned*: in slices of 32 MiB on three streams. *CPU*: the engine with all cores, in turns with these.',
    ...(missing.length > 0 ? [`No kernels for ${missing.join('; ')}.`] : []),
    '',
    ...grid(['', ...RATES], body),
  ];
}

/** CRAYON's: a sentence again and again, of 70 KB, in many documents, and of 95 MiB. */
function stress({ kind, texts, isEmulated }) {
  const body = [];
  const shapes = isEmulated
    ? [['70 KB', 70_000, 0]]
    : [
        ['70 KB', 70_000, 0],
        ['1000 documents of 70 KB', 70_000_000, 70_000],
        ['95 MiB', 95 * MIB, MIB],
      ];
  for (const model of ['lite', 'standard']) {
    for (const [domain, published] of Object.entries(PUBLISHED_SPEED[model])) {
      for (const [title, length, document] of shapes) {
        const answer = measured(
          kind,
          { model, text: texts[`repeated-${domain}`], length, document },
          { section: 'stress', name: `${model}, ${domain}`, size: title },
        );
        const cells = unlessFailed(answer, (each) => cellsOf(ratesOf(each, each.count * 1000)));
        const time = answer.returned?.length ? `${shown(median(answer.returned) / 1e6)} ms` : '–';
        if (cells)
          body.push([
            `${model}, ${domain}: ${title}`,
            ...cells,
            time,
            title === '70 KB' ? String(published) : title === '95 MiB' && domain === 'english' ? '17,330 ms (T4), 890 ms (CPU)' : '',
          ]);
      }
    }
  }
  return [
    "## CRAYON's table: a sentence again and again, in millions of tokens a second",
    '',
    'Our sentences are not its own, which are not published. *Published*: on a CPU, unless it says otherwise.',
    '',
    ...grid(['', ...RATES, 'returned in', 'published'], body),
  ];
}

/** DNATok's grids, by the plugin and through the package: matrices of int32. */
function dnatok({ kind, isEmulated }) {
  const shapes = isEmulated
    ? [
        [64, 512],
        [32, 2048],
      ]
    : [
        [4096, 512],
        [8192, 512],
        [2048, 2048],
        ...(values.quick
          ? []
          : [256, 1024, 4096, 16384].map((count) => [count, 512]).concat([128, 256, 1024, 2048, 4096].map((length) => [4096, length]))),
      ];
  const body = [];
  for (const [count, length] of shapes) {
    for (const model of ['hyenadna', 'nt-v2']) {
      const answer = measured(
        kind,
        { model, length: count * length, document: length, output: 'matrix', width: 4 },
        { section: 'dnatok', name: model, size: `${count}×${length}` },
      );
      const cells = unlessFailed(answer, (each) => cellsOf(ratesOf(each)));
      const { there, here } = packageTimes(model, kind, count, length);
      rows.push({ section: 'dnatok', name: `${model} through the package`, size: `${count}×${length}`, there, here });
      body.push([
        `${model}, ${count}×${length}`,
        ...cells,
        shown((count * length) / median(there) / 1e6),
        shown((count * length) / median(here) / 1e6),
      ]);
    }
  }
  return [
    "## DNATok's grids: matrices of int32, in thousand million bases a second",
    '',
    'Published for DNATok (an H200, end to end): 0.13 to 0.99; its encoder alone 0.2 to 0.36.',
    '',
    ...grid(['', ...RATES, 'package, device', 'package, CPU'], body),
  ];
}

function packageTimes(model, kind, count, length) {
  const tokenizer = DnaTokenizer.loadSync(model);
  const given = sequences(count, length);
  const times = { there: [], here: [] };
  const rounds = Number(values.rounds ?? (kind === 'emulated' ? 2 : 5));
  for (let round = 0; round <= rounds; round++) {
    for (const [key, device] of [
      ['there', kind],
      ['here', 'cpu'],
    ]) {
      const began = performance.now();
      tokenizer.encodeBatch(given, { type: 'int32', mask: 'none', device });
      if (round > 0) times[key].push(performance.now() - began);
    }
  }
  tokenizer.close();
  return times;
}

/** One large document beside small ones. */
function documents({ kind, texts, isEmulated }) {
  const length = isEmulated ? 256 * KIB : 100_000_000;
  const body = [];
  for (const model of TEXT_MODELS) {
    const [one, many] = [0, 1000].map((document) =>
      measured(
        kind,
        { model, text: texts.english, length, document, slice: length },
        { section: 'documents', name: model, size: document || 'one' },
      ),
    );
    if (one.supported === false) continue;
    const time = (answer) => median((isOfHardware(answer) && answer.compute?.some(Boolean) ? answer.compute : answer.resident) ?? []);
    body.push([
      model,
      ...[one, many].map((answer) => (answer.resident?.length ? `${shown(time(answer) / 1e6)} ms` : '–')),
      one.resident?.length && many.resident?.length ? shown(time(one) / time(many)) : '–',
    ]);
  }
  return [
    '## One document, and the same text in documents of 1000 bytes',
    '',
    `${isEmulated ? sizeOf(length) : '100 MB'} of English.`,
    '',
    ...grid(['', 'one', 'many', 'ratio'], body),
  ];
}

/** Texts through the package: what a caller of encodeBatchAsync waits for, with slices of several sizes. */
async function calls({ kind, texts, isEmulated, imported }) {
  const length = isEmulated ? MIB : values.quick ? 64 * MIB : 256 * MIB;
  const slices = isEmulated ? [0] : [0, 32, 64];
  const rounds = Number(values.rounds ?? (kind === 'emulated' ? 2 : 5));
  const body = [];
  for (const [model, domain] of [
    ['standard', 'english'],
    ['cl100k_base', 'english'],
    ['o200k_base', 'english'],
    ['o200k_base', 'languages'],
    ...Object.keys(IMPORTED).flatMap((model) => [
      [model, 'english'],
      [model, 'languages'],
    ]),
  ]) {
    say(`measuring: the package, ${model}, ${domain}`);
    const text = fs.readFileSync(texts[domain]);
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += text.length) text.copy(bytes, at);
    const offsets = Uint32Array.from({ length: Math.ceil(length / 4096) + 1 }, (_, row) => Math.min(row * 4096, length));
    const times = Object.fromEntries([...slices, 'cpu'].map((way) => [way, []]));
    let expected;
    for (let round = 0; round <= rounds; round++) {
      for (const way of ['cpu', ...slices]) {
        useEmulatedDevice(PLUGINS[kind], way === 'cpu' ? {} : { sliceBytes: way * MIB }, kind);
        const tokenizer = await Tokenizer.load(imported[IMPORTED[model]] ?? model);
        const call = () => tokenizer.encodeBatchAsync({ bytes, offsets }, { device: way === 'cpu' ? 'cpu' : kind });
        await call(); // the memory of a new device, caches of the CPU
        const began = performance.now();
        const { ids } = await call();
        if (round > 0) times[way].push(performance.now() - began);
        expected ??= ids;
        if (!sameBytes(ids, expected)) process.exitCode = 1;
        tokenizer.close();
      }
    }
    rows.push({ section: 'calls', name: model, text: domain, length, times, same: process.exitCode === undefined });
    body.push([`${model}, ${domain}`, ...[...slices, 'cpu'].map((way) => shown(length / median(times[way]) / 1e6))]);
  }
  const titles = slices.map((slice) => (slice === 0 ? 'slices of 16 MiB' : `of ${slice} MiB`));
  return [
    '## Texts through the package, in GB a second',
    '',
    `encodeBatchAsync of ${sizeOf(length)} in rows of 4 KiB, bytes of the caller to a new array of ids, the second call; ids compared.`,
    '',
    ...grid(['', ...titles, 'CPU, all cores'], body),
  ];
}

// --- all of it ---

const SECTIONS = { exact, sanitizers, sizes, stress, dnatok, documents, calls };

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-gpu-bench-'));
  try {
    const { kind, about, reasons } = chosen();
    const isEmulated = kind === 'emulated';
    if (isEmulated) {
      process.env.CRAYON_EMULATED_DEVICE = 'seed=1';
      useEmulatedDevice(PLUGINS.emulated);
    }
    const { texts, isReal } = writeTexts(folder);
    const imported = await writeImported(folder);
    const began = { time: Date.now(), load: os.loadavg() };
    const parts = [];
    for (const name of values.only?.split(',') ?? Object.keys(SECTIONS)) {
      if (!(name in SECTIONS)) throw new Error(`expected ${Object.keys(SECTIONS).join(', ')} for --only but received ${name}`);
      parts.push('', ...(await SECTIONS[name]({ kind, texts, isEmulated, imported })));
    }
    const facts = machine();
    const result = {
      format: 1,
      date: today(),
      ...commit(),
      machine: facts,
      device: about,
      emulated: isEmulated,
      seconds: Math.round((Date.now() - began.time) / 1000),
      rows,
    };
    const text = [
      `# Batches on ${isEmulated ? 'the emulated device' : about.device}`,
      '',
      ...(isEmulated
        ? [
            '**Nothing here was measured on hardware: there is no accelerator on this machine, and the emulated device runs the kernels on the CPU,',
            'thread by thread. The ids count, the speeds mean nothing.** Run `npm run bench -- gpu` where there is one.',
            '',
          ]
        : []),
      `- device: ${about.device}, ${about.processors} processors, ${sizeOf(about.memory)}`,
      ...reasons.map((reason) => `- not there: ${reason}`),
      `- machine: ${[facts.cpu, facts.virtual && 'virtual', `${facts.cores} cores`, facts.memory, facts.simd].filter(Boolean).join('; ')}`,
      `- load average ${began.load.map((each) => each.toFixed(1)).join(' ')} before, ${os
        .loadavg()
        .map((each) => each.toFixed(1))
        .join(' ')} after`,
      isReal
        ? '- texts: parts of the corpora; those of more than their size are repeated'
        : '- texts: **the small committed fixtures, repeated**, since the corpora are not there',
      ...parts,
    ].join('\n');
    console.log(text);
    const isWhole = !values.quick && !values.only && !isEmulated;
    if (values.save ?? (values.out !== undefined || isWhole)) {
      const written = record(result, text, { out: values.out, question: isEmulated ? 'gpu-emulated' : `gpu-${nameOf(about.device)}` });
      console.log(`written: ${path.relative(process.cwd(), written)}`);
    }
    if (process.exitCode) console.error('\nnot all is right: see above');
  } finally {
    useEmulatedDevice();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** H100 of "NVIDIA H100 80GB HBM3", in small letters. */
function nameOf(device) {
  return (/\b[a-z]+\d+[a-z]*\b/i.exec(device)?.[0] ?? device.replace(/\W+/g, '-')).toLowerCase();
}

if (values.help) console.log(usage);
else await main();
