/**
 * How fast kernels for devices could be, without one, from the counts of the emulated device on real text and DNA, what the compilers
 * say, and the published constants of devices (devices.mjs), put together by roofline.mjs. Ends with 1 if a kernel spills, or one that
 * streams moves more than it must. `npm run bench -- gpu-model`; bench/README.md says more.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { root } from '../../scripts/process.mjs';
import { corpora } from '../../test/corpora.mjs';
import { commit, machine } from '../machine.mjs';
import { record, today } from '../record.mjs';
import { grid, shown } from '../tables.mjs';
import { ARCHITECTURES, ASSUMED, DEVICES } from './devices.mjs';
import { compilers, compiledOf, resources } from './resources.mjs';
import { writeImported } from './imported.mjs';
import { batchTime, CHUNKS_OF_PROCESSOR, chunkSize, extrapolated, streamedTime } from './roofline.mjs';

const usage = `usage: npm run bench -- gpu-model [options]

  --no-save      print, do not write bench/results/gpu-model.{json,md}
  --quick        half as much text; not saved
`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    save: { type: 'boolean' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const MIB = 1 << 20;
const SAMPLE = values.quick ? MIB / 2 : MIB;
/** What chunk sizes are recorded: one that a device would choose is taken for the nearest of them. */
const CHUNKS = [64, 128, 256, 512];
const SLICE = 32 * MIB;
const BATCH = 256 * MIB;

/** `width`: of an id in the result, in bytes; `step`: of the chain that is walked, if one is. */
const CASES = [
  { name: 'DNA to uint8', model: 'hyenadna', text: 'dna', width: 1 },
  { name: 'DNA to int32', model: 'hyenadna', text: 'dna', width: 4 },
  { name: 'DNA to int32, [B, 512]', model: 'hyenadna', text: 'dna', width: 4, document: 512, output: 'matrix' },
  { name: '6-mers to uint16', model: 'nt-v2', text: 'dna', width: 2 },
  { name: '6-mers to int32', model: 'nt-v2', text: 'dna', width: 4 },
  { name: '6-mers to int32, rows of 512', model: 'nt-v2', text: 'dna', width: 4, document: 512 },
  ...['english', 'code', 'chinese'].flatMap((text) => [
    { name: `lite, ${text}`, model: 'lite', text, width: 4, step: 'LongestMatchStep' },
    { name: `standard, ${text}`, model: 'standard', text, width: 4, step: 'LongestMatchStep' },
  ]),
  { name: 'lite, english, documents of 1000 bytes', model: 'lite', text: 'english', width: 4, document: 1000, step: 'LongestMatchStep' },
  { name: 'standard, spaces (chains never meet)', model: 'standard', text: 'spaces', width: 4, step: 'LongestMatchStep' },
  ...['english', 'code', 'chinese'].flatMap((text) => [
    { name: `pieces of cl100k, ${text}`, model: 'pieces:cl100k', text, width: 4, step: 'AutomatonStep' },
    { name: `pieces of o200k, ${text}`, model: 'pieces:o200k', text, width: 4, step: 'AutomatonStep' },
    { name: `pieces of tekken, ${text}`, model: 'pieces:tekken', text, width: 4, step: 'AutomatonStep' },
    { name: `pieces of deepseek3, ${text}`, model: 'pieces:deepseek3', text, width: 4, step: 'Deepseek3Step' },
  ]),
  ...['english', 'code', 'chinese'].map((text) => ({
    name: `BPE of cl100k_base, ${text}`,
    model: 'cl100k_base',
    text,
    width: 4,
    step: 'AutomatonStep',
  })),
  ...['english', 'code', 'chinese'].map((text) => ({
    name: `BPE of o200k_base, ${text}`,
    model: 'o200k_base',
    text,
    width: 4,
    step: 'AutomatonStep',
  })),
  // Texts as they are: the normalizer has no part in this. Chunks are as for chains.
  ...['english', 'code', 'chinese'].map((text) => ({ name: `WordPiece of BERT, ${text}`, model: 'bert', text, width: 4, step: '' })),
  ...['english', 'code', 'chinese'].map((text) => ({ name: `BPE of Llama 2, ${text}`, model: 'llama2', text, width: 4, step: '' })),
];

/** Files with the texts: the corpora's, else the fixtures', which are repeated. */
function writeTexts(folder) {
  const files = new Map((corpora() ?? []).map(({ name, path: file }) => [name, file]));
  const source = {
    english: ['A_english/english_20mb.txt', 'test/fixtures/prose/english.txt'],
    code: ['B_code/code_20mb.txt', 'scripts/build.mjs'],
    chinese: ['C_multilingual/zh_hans.txt', 'test/fixtures/prose/chinese.txt'],
  };
  const texts = { spaces: path.join(folder, 'spaces'), dna: path.join(folder, 'dna') };
  fs.writeFileSync(texts.spaces, ' '.repeat(2 * SAMPLE));
  const genome = files.get('F_dna/ecoli_k12_mg1655.fa');
  const bases = genome && fs.readFileSync(genome, 'latin1').replace(/^>.*$/gm, '').replaceAll('\n', '');
  if (bases) fs.writeFileSync(texts.dna, bases);
  else delete texts.dna;
  for (const [name, [corpus, fixture]] of Object.entries(source)) {
    texts[name] = files.get(corpus) ?? path.join(root, fixture);
  }
  return { texts, isReal: files.size > 0 };
}

/** How many run at once. */
function limited(most) {
  let free = most;
  const waiting = [];
  return async (work) => {
    if (free === 0) await new Promise((resolve) => waiting.push(resolve));
    else free--;
    try {
      return await work();
    } finally {
      if (waiting.length > 0) waiting.shift()();
      else free++;
    }
  };
}
const inTurn = limited(4);

/** The counts of the emulated device for a batch; undefined if the plugin has no kernels for it. */
async function recorded({ model, width, document = 0, output = 'ids', cartridges }, text, bytes, processors, warp) {
  const folder = path.join(root, 'build', 'release');
  const args = [
    'record',
    `--plugin=${path.join(folder, 'gpu', 'crayon_gpu_recorded.so')}`,
    `--proxy=${path.join(folder, 'gpu', 'crayon_gpu_proxy.so')}`,
    `--model=${model}`,
    ...(cartridges ? [`--cartridges=${cartridges}`] : []),
    ...(text ? [`--text=${text}`] : []),
    `--length=${bytes}`,
    `--document=${document}`,
    `--output=${output}`,
    `--width=${width}`,
    `--processors=${processors}`,
    `--warp=${warp}`,
  ];
  const { stdout } = await inTurn(() => promisify(execFile)(path.join(folder, 'crayon_gpu_bench'), args, { maxBuffer: 1 << 26 }));
  const { supported, length, count, documents, kernels } = JSON.parse(stdout);
  return supported ? { bytes: length, count, documents, kernels } : undefined;
}

/** Which recordings a batch of that size on a device goes by. */
function wayOf(bytes, device, isChained) {
  const wanted = chunkSize(bytes, device.processors);
  const nearest = CHUNKS.reduce((a, b) => (Math.abs(Math.log(b / wanted)) < Math.abs(Math.log(a / wanted)) ? b : a));
  return { warp: device.architecture.startsWith('gfx') ? 64 : 32, chunk: isChained ? nearest : 256 };
}

/** Recordings of two sizes, for all sizes and devices that are asked for; undefined if the plugin has no kernels for the model. */
async function recordingsOf(each, text) {
  const isChained = each.step !== undefined;
  const ways = new Map();
  for (const device of DEVICES) {
    for (const bytes of [BATCH, SLICE, 100e6, (95 * MIB) / 3]) {
      const way = wayOf(bytes, device, isChained);
      ways.set(JSON.stringify(way), way);
    }
  }
  const pairs = [...ways].map(async ([key, { warp, chunk }]) => {
    // The number of processors that gives chunks that size.
    const sizes = [SAMPLE / 2, SAMPLE].map((bytes) => recorded(each, text, bytes, Math.max(1, bytes / CHUNKS_OF_PROCESSOR / chunk), warp));
    const [small, large] = await Promise.all(sizes);
    return [key, { small, large }];
  });
  const recordings = new Map(await Promise.all(pairs));
  const { large: largest } = recordings.get(JSON.stringify({ warp: 32, chunk: 256 }));
  if (!largest) return undefined;
  return {
    isChained,
    largest,
    idsPerByte: largest.count / largest.bytes,
    /** For a batch of that size on that device. */
    at(bytes, device) {
      const { small, large } = recordings.get(JSON.stringify(wayOf(bytes, device, isChained)));
      return extrapolated(small, large, bytes);
    },
  };
}

/** Rates in GB of input a second: resident, and from pinned memory with the ids left on the device, and returned; at best and at worst. */
function predicted(each, recordings, compiled, device) {
  const of = { step: each.step, width: each.width, readBacks: recordings.isChained ? 3 : 2 };
  const resident = batchTime(recordings.at(BATCH, device), compiled, device, of);
  const slice = batchTime(recordings.at(SLICE, device), compiled, device, of);
  const ids = recordings.idsPerByte * each.width;
  const streamed = (compute, returns) => {
    const count = BATCH / SLICE;
    return BATCH / streamedTime({ sliceBytes: SLICE, sliceIds: returns ? SLICE * ids : 0, compute, count, device }) / 1e9;
  };
  const both = (rate) => [rate(slice.best), rate(slice.worst)];
  return {
    resident: [BATCH / resident.best / 1e9, BATCH / resident.worst / 1e9],
    kept: both((compute) => streamed(compute, false)),
    returned: both((compute) => streamed(compute, true)),
    parts: resident.parts,
    first: resident.parts[0],
  };
}

// --- what kernels may not do ---

/** Bytes that a kernel that streams must load and store. */
function needed(name, { bytes, count, documents }) {
  const width = Number(/\d+$/.exec(name)?.[0] ?? 32) / 8;
  if (name.startsWith('lut') && name !== 'lut_starts') return bytes * (1 + width);
  if (/^kmer\d/.test(name)) return bytes + count * width + 16 * documents;
  return undefined;
}

function violationsOf(compiled, cases) {
  const violations = [];
  for (const [architecture, kernels] of compiled) {
    for (const [name, { spills }] of kernels) if (spills > 0) violations.push(`${name} spills ${spills} bytes on ${architecture}`);
  }
  for (const { each, recordings } of cases) {
    for (const [name, counts] of Object.entries(recordings.largest.kernels)) {
      const bytes = needed(name, recordings.largest);
      if (bytes === undefined) continue;
      if (counts.moved > 1.15 * bytes) violations.push(`${name} moves ${shown(counts.moved / bytes)} of what it must (${each.name})`);
      if (counts.uncoalesced > 0.02 * counts.requests)
        violations.push(`${name} has ${counts.uncoalesced} of ${counts.requests} requests that are not coalesced (${each.name})`);
    }
  }
  return violations;
}

// --- the report ---

const BOUNDS = {
  memory: 'memory',
  second: 'second cache',
  first: 'first cache and banks',
  instructions: 'instructions',
  waiting: 'waiting',
};

const range = ([best, worst]) => (best === worst ? shown(best) : `${shown(worst)} – ${shown(best)}`);
const percent = (value) => `${Math.round(100 * value)} %`;

function countTable(cases) {
  const rows = [];
  for (const { each, recordings } of cases) {
    const { bytes, count, documents, kernels } = recordings.largest;
    for (const [name, c] of Object.entries(kernels)) {
      if (c.moved / bytes < 0.02 && c.steps / bytes < 0.001) continue;
      const must = needed(name, { bytes, count, documents });
      rows.push([
        `${each.name}: ${name}`,
        shown(c.moved / bytes),
        must ? shown(c.moved / must) : '',
        shown(((c.newLoaded + c.newStored) * 32) / bytes),
        shown(c.requestLines / c.requests),
        percent(1 - c.uncoalesced / c.requests),
        percent(c.lanes / c.slots),
        c.sharedSteps ? shown(c.sharedTurns / c.sharedSteps) : '',
        shown((c.steps / bytes) * 32),
      ]);
    }
  }
  return grid(
    [
      'case: kernel',
      'bytes moved a byte',
      'of the necessary',
      'once',
      'lines a request',
      'coalesced',
      'lanes at work',
      'turns of banks',
      'steps of a warp per 32 bytes',
    ],
    rows,
  );
}

function resourceTable(compiled) {
  const names = [...new Set([...compiled.values()].flatMap((kernels) => [...kernels.keys()]))].sort();
  const cell = (kernel) => {
    if (!kernel) return '–';
    const flaws = [kernel.spills > 0 && `spills ${kernel.spills}`, kernel.stack > 0 && `stack ${kernel.stack}`].filter(Boolean);
    return [`${kernel.registers}, ${percent(kernel.occupancy)}`, ...flaws].join(', ');
  };
  const shared = (name) => Math.max(...[...compiled.values()].map((kernels) => kernels.get(name)?.shared ?? 0));
  return grid(
    ['kernel', 'shared', ...compiled.keys()],
    names.map((name) => [name, String(shared(name)), ...[...compiled.values()].map((kernels) => cell(kernels.get(name)))]),
  );
}

function rateTable(cases, key, devices) {
  return grid(
    ['GB of input a second', ...devices.map(({ name }) => name)],
    cases.map(({ each, rates }) => [each.name, ...devices.map(({ name }) => range(rates.get(name)[key]))]),
  );
}

function boundTable(cases, devices) {
  const cell = ({ parts, first }) => {
    const total = parts.reduce((sum, { best }) => sum + best, 0);
    return `${first.name} ${percent(first.best / total)}: ${BOUNDS[first.boundBy]}`;
  };
  return grid(
    ['what takes longest', ...devices.map(({ name }) => name)],
    cases.map(({ each, rates }) => [each.name, ...devices.map(({ name }) => cell(rates.get(name)))]),
  );
}

/** Seconds of each bound, for the kernels that matter, of 256 MiB on one device. */
function boundDetails(cases, device) {
  const rows = [];
  for (const { each, rates } of cases) {
    const { parts } = rates.get(device);
    const total = parts.reduce((sum, { best }) => sum + best, 0);
    for (const part of parts.filter(({ best }) => best > 0.05 * total)) {
      rows.push([`${each.name}: ${part.name}`, ...Object.keys(BOUNDS).map((bound) => shown(1e3 * part.bounds[bound]))]);
    }
  }
  return grid(['ms of 256 MiB', ...Object.values(BOUNDS)], rows);
}

/** The figures that are wanted, beside the model's. */
function aims(cases, all) {
  const compiled = all.get('sm_90');
  const device = DEVICES.find(({ name }) => name === 'H200');
  const of = (name) => cases.find(({ each }) => each.name === name);
  const rate = (name, key) => of(name)?.rates.get('H200')[key];
  const rows = [];
  const least = (title, aim, unit, range_) => {
    if (!range_) return rows.push([title, `≥ ${aim} ${unit}`, 'not recorded', '']);
    const [best, worst] = range_;
    rows.push([title, `≥ ${aim} ${unit}`, `${range(range_)} ${unit}`, worst >= aim ? 'yes' : best >= aim ? 'at best' : 'no']);
  };
  const most = (title, aim, unit, [best, worst]) => {
    rows.push([title, `≤ ${aim}${unit}`, `${shown(best)} – ${shown(worst)}${unit}`, worst <= aim ? 'yes' : best <= aim ? 'at best' : 'no']);
  };
  least('DNA to int32, resident, packed', 500, 'G bases/s', rate('DNA to int32', 'resident'));
  least('DNA to int32, resident, as a padded matrix', 500, 'G bases/s', rate('DNA to int32, [B, 512]', 'resident'));
  least('DNA to int32, end to end, ids left on the device', 40, 'G bases/s', rate('DNA to int32', 'kept'));
  least('DNA to int32, end to end, ids returned', 10, 'G bases/s', rate('DNA to int32', 'returned'));
  least('lite, English, resident', 30, 'GB/s', rate('lite, english', 'resident'));
  least('lite, code, resident', 30, 'GB/s', rate('lite, code', 'resident'));
  least('lite, English, end to end, ids left on the device', 15, 'GB/s', rate('lite, english', 'kept'));
  least('lite, English, end to end, ids returned', 15, 'GB/s', rate('lite, english', 'returned'));
  const one = of('lite, english');
  const many = of('lite, english, documents of 1000 bytes');
  const time = (each, key) =>
    batchTime(each.recordings.at(100e6, device), compiled, device, { step: each.each.step, width: 4, readBacks: 3 })[key];
  const ratios = ['best', 'worst'].map((key) => time(one, key) / time(many, key)).sort((a, b) => a - b);
  most('100 MB: one document, over 100,000 of 1000 bytes', 1.5, ' ×', ratios);
  const bytes = 95 * MIB;
  const millis = (on) =>
    ['best', 'worst'].map((key) => {
      const slice = batchTime(one.recordings.at(bytes / 3, on), all.get(on.architecture), on, {
        step: one.each.step,
        width: 4,
        readBacks: 3,
      })[key];
      return (
        1e3 *
        streamedTime({ sliceBytes: bytes / 3, sliceIds: (bytes / 3) * one.recordings.idsPerByte * 4, compute: slice, count: 3, device: on })
      );
    });
  most('CRAYON: 95 MiB of text to ids on the host (published: 17,330 ms on a T4, 890 ms on a CPU)', 10, ' ms', millis(device));
  const [best, worst] = millis(DEVICES.find(({ name }) => name === 'T4'));
  rows.push(['the same on a T4', '', `${shown(best)} – ${shown(worst)} ms`, '']);
  return { rows, table: grid(['wanted on an H200', 'aim', 'model', 'met'], rows) };
}

function constantTable() {
  return grid(
    [
      'device',
      'architecture',
      'processors',
      'GHz',
      'memory GB/s',
      'second cache',
      'first KiB',
      'bus GB/s',
      'latencies: shared, first, second, memory',
    ],
    DEVICES.map((d) => [
      d.name,
      d.architecture,
      String(d.processors),
      String(d.clock),
      String(d.memory),
      `${d.second} GB/s, ${d.secondSize} MB`,
      `${d.first}${d.sharedApart ? '' : ' with shared'}`,
      String(d.bus),
      Object.values(d.latency).join(', '),
    ]),
  );
}

/** The conclusions from the tables, in sentences with figures. */
function reading(cases, compiled) {
  const lines = [];
  const say = (line) => lines.push(`* ${line}`);
  const of = (name) => cases.find(({ each }) => each.name === name);
  const walked = of('lite, english');
  if (walked) {
    const speculate = walked.recordings.largest.kernels.speculate;
    const part = walked.rates.get('H200').parts.find(({ name }) => name === 'speculate');
    const resource = compiledOf(compiled.get('sm_90'), 'speculate', walked.each);
    say(
      `Longest match is bound by its walk, not by memory: on an H200 \`speculate\` would take ${shown(part.best * 1e3)} ms of 256 MiB (${BOUNDS[part.boundBy]}), ` +
        `and ${shown(part.bounds.memory * 1e3)} ms for the bytes that it moves. Its ${shown(resource.shared / 1024)} KiB of shared memory leave ${resource.warps} warps a processor (${percent(resource.occupancy)}), ` +
        `and lanes of a warp wait for the one with the longest token: ${percent(speculate.lanes / speculate.slots)} of them are at work.`,
    );
    const t4 = compiledOf(compiled.get('sm_75'), 'speculate', walked.each);
    say(
      `On a T4 that shared memory leaves ${t4.blocks} block of ${t4.warps} warps a processor (${percent(t4.occupancy)}): with so few loads under way it waits most of the time.`,
    );
  }
  const spaces = of('standard, spaces (chains never meet)');
  if (spaces) {
    const first = spaces.rates.get('H200').first;
    say(
      `Where chains never meet, \`${first.name}\` takes longest (${BOUNDS[first.boundBy]}); the work is bounded, and the rate is ${range(spaces.rates.get('H200').resident)} GB/s.`,
    );
  }
  const matrix = of('DNA to int32, [B, 512]');
  if (matrix) {
    say(
      `The package returns DNA as matrices. Rows of one length, with nothing before and after their ids, are the matrix already; others go through \`pad_mask\` too, which is not in this table. Here a matrix costs ${shown(
        matrix.rates.get('H200').parts.reduce((sum, { best }) => sum + best, 0) /
          of('DNA to int32')
            .rates.get('H200')
            .parts.reduce((sum, { best }) => sum + best, 0),
      )} times the packed ids.`,
    );
  }
  const bpe = of('BPE of cl100k_base, english');
  if (bpe) {
    const { parts, resident } = bpe.rates.get('H200');
    const total = parts.reduce((sum, { best }) => sum + best, 0);
    say(
      `BPE of English would go at ${range(resident)} GB/s on an H200: ${parts
        .slice(0, 4)
        .map((part) => `\`${part.name}\` ${percent(part.best / total)} (${BOUNDS[part.boundBy]})`)
        .join(', ')}.`,
    );
  }
  say('Whatever is returned costs four bytes an id on the bus: there the end-to-end rates end, whatever the kernels do.');
  say(
    'Through the package the CPU also copies the text to pinned memory and the ids to where they are wanted, a thread some 10 GB/s on most hosts: no model of that is here.',
  );
  return lines;
}

function report(result, { cases, compiled, violations, isReal, unsupported }) {
  const saved = aims(cases, compiled);
  const devices = DEVICES.filter(({ architecture }) => compiled.has(architecture));
  return [
    '# A model of the kernels for devices',
    '',
    '**A model. Nothing here was measured on hardware: no device of any kind was there.** What kernels do was counted on the emulated',
    'device, what they need is what the compilers say, and the rest are published constants. Rates are "at worst – at best": at best the',
    'greatest of five bounds hides all others, at worst nothing hides anything. `npm run bench -- gpu-model` makes this file;',
    '`bench/gpu/roofline.mjs` is the model, `npm run bench -- gpu` measures, where there is a device.',
    '',
    `- compilers: nvcc ${result.compilers.nvcc ? '13' : 'missing'}, hipcc ${result.compilers.hipcc ? 'of Debian' : 'missing'}`,
    isReal
      ? `- texts: parts of the corpora, ${shown(SAMPLE / MIB)} MiB each, and E. coli K-12; counts grow linearly from there`
      : '- texts: **small fixtures**, since the corpora are not there',
    `- slices of ${SLICE / MIB} MiB on three streams; rates of batches of ${BATCH / MIB} MiB`,
    ...(unsupported.length > 0 ? [`- not in the plugin, so not here: ${unsupported.join('; ')}`] : []),
    '',
    '## What is wanted, and what the model says',
    '',
    ...saved.table,
    '',
    ...reading(cases, compiled),
    '',
    violations.length > 0
      ? '**Violations:**'
      : 'No kernel spills, and those that stream (`lut`, `kmer`) move at most 1.15 of their necessary bytes, coalesced.',
    ...violations.map((each) => `* ${each}`),
    ...stacks(compiled),
    '',
    '## Resident: the text is on the device, and the ids stay there',
    '',
    ...rateTable(cases, 'resident', devices),
    '',
    '## From pinned memory, the ids stay on the device',
    '',
    ...rateTable(cases, 'kept', devices),
    '',
    '## From pinned memory, the ids are returned there',
    '',
    ...rateTable(cases, 'returned', devices),
    '',
    '## What bounds each case',
    '',
    'The kernel that takes longest, its share, and its greatest bound.',
    '',
    ...boundTable(cases, devices),
    '',
    'Each bound alone, on an H200:',
    '',
    ...boundDetails(cases, 'H200'),
    '',
    '## What was counted (warps of 32, chunks of 256 bytes)',
    '',
    '*Once*: sectors of 32 bytes that are touched, each once a launch, tables left out, in bytes a byte of the text. *Steps* are accesses of warps,',
    'where lanes that leave a loop early wait for the others; *lanes at work* is the share of lanes in them. *Turns*: how often the busiest',
    'bank of shared memory has to answer for one step. *Coalesced* are requests that touch no more sectors than their bytes fill.',
    '',
    ...countTable(cases),
    '',
    '## What the compilers say',
    '',
    'Registers of a thread and theoretical occupancy; bytes of shared memory of a block.',
    '',
    ...resourceTable(compiled),
    '',
    '## Constants',
    '',
    ...constantTable(),
    '',
    'Sources are named in `bench/gpu/devices.mjs`. Assumed besides: memory reaches ' +
      `${percent(ASSUMED.memoryShare)} of its rate; ${ASSUMED.integerLanes} integer lanes a processor; ${ASSUMED.clocksPerInstruction} clocks from an instruction of a warp to the next; ` +
      `${ASSUMED.launch} µs a launch, ${ASSUMED.readBack} µs a number that the host waits for. Instructions of a step are the instructions of the kernel over its accesses in the code,`,
    'which is rough: half or twice as many are possible. Caches of pages, clocks that fall with the power, and other programs are not in the model.',
  ].join('\n');
}

function stacks(compiled) {
  const lines = [];
  for (const [architecture, kernels] of compiled) {
    const some = [...kernels].filter(([, { stack }]) => stack > 0).map(([name, { stack }]) => `${name} (${stack} bytes)`);
    if (some.length > 0) lines.push(`* On ${architecture} an array of a thread is in memory, not in registers: ${some.join(', ')}.`);
  }
  return lines.length > 0 ? ['', ...lines] : [];
}

async function main() {
  const found = compilers();
  if (!found.nvcc && !found.hipcc) throw new Error('neither nvcc nor hipcc is installed');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-gpu-model-'));
  try {
    console.error('compiling for all architectures, and counting');
    const { texts, isReal } = writeTexts(folder);
    const imported = await writeImported(folder);
    const all = CASES.map(async (given) => {
      const each = given.model in imported ? { ...given, cartridges: folder } : given;
      const recordings = await recordingsOf(each, texts[each.text]);
      console.error(recordings ? `counted: ${each.name}` : `not in the plugin: ${each.name}`);
      return { each, recordings };
    });
    const [compiled, ...counted] = await Promise.all([resources(), ...all]);
    const devices = DEVICES.filter(({ architecture }) => compiled.has(architecture));
    const unsupported = counted.filter(({ recordings }) => !recordings).map(({ each }) => each.name);
    const cases = counted
      .filter(({ recordings }) => recordings)
      .map(({ each, recordings }) => {
        const rates = new Map(
          devices.map((device) => [device.name, predicted(each, recordings, compiled.get(device.architecture), device)]),
        );
        return { each, recordings, rates };
      });
    const violations = violationsOf(compiled, cases);
    const result = {
      format: 1,
      date: today(),
      ...commit(),
      machine: machine(),
      model: true,
      compilers: found,
      constants: { DEVICES, ARCHITECTURES, ASSUMED },
      violations,
      rows: rowsOf(cases, compiled),
    };
    const text = report(result, { cases, compiled, violations, isReal, unsupported });
    console.log(text);
    if (values.save ?? !values.quick) {
      console.log(`written: ${path.relative(process.cwd(), record(result, text, { question: 'gpu-model' }))}`);
    }
    if (violations.length > 0) process.exitCode = 1;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function rowsOf(cases, compiled) {
  const rows = [];
  const round = (value) => Number(value.toPrecision(4));
  for (const [architecture, kernels] of compiled)
    for (const [kernel, of] of kernels) rows.push({ section: 'resources', architecture, kernel, ...of });
  for (const { each, recordings, rates } of cases) {
    const { bytes, count, documents, kernels } = recordings.largest;
    for (const [kernel, counts] of Object.entries(kernels))
      rows.push({ section: 'counts', case: each.name, bytes, count, documents, kernel, ...counts });
    for (const [device, { resident, kept, returned, parts }] of rates) {
      rows.push({
        section: 'rates',
        case: each.name,
        device,
        unit: 'GB/s',
        resident: resident.map(round),
        kept: kept.map(round),
        returned: returned.map(round),
      });
      for (const part of parts)
        rows.push({
          section: 'bounds',
          case: each.name,
          device,
          kernel: part.name,
          boundBy: part.boundBy,
          seconds: Object.fromEntries(Object.entries(part.bounds).map(([key, value]) => [key, round(value)])),
        });
    }
  }
  return rows;
}

if (values.help) console.log(usage);
else await main();
