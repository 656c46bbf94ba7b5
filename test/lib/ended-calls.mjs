/**
 * Terminates threads in the middle of an addon call: `node ended-calls.mjs ADDON PLUGIN FUNCTION ROUNDS`. Every later
 * Node-API request then fails. Prints how many threads ended `inside` a call, at any point, and how many `before` it:
 * those were in a long builtin, after which nothing checks for termination, so the whole call failed.
 */
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** What a thread is doing. */
const STARTING = 0;
const READY = 1;
const CALLING = 2;
const RETURNED = 3;
const GOES_ON = 4;

const utf8 = (text) => new TextEncoder().encode(text);

/** @param {string[]} tokens */
function table(tokens) {
  const bytes = utf8(tokens.join(''));
  const offsets = new Uint32Array(tokens.length + 1);
  tokens.forEach((token, index) => (offsets[index + 1] = offsets[index] + utf8(token).length));
  return { bytes, offsets };
}

const TOKENS = [...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)), ...Array.from({ length: 200 }, (_, index) => `token ${index}`)];

/** A compiler that has all of a vocabulary. */
function compilerOf(addon) {
  const added = Array.from({ length: 100 }, (_, index) => `<|${index}|>`);
  const compiler = addon.compilerCreate();
  const { bytes, offsets } = table(TOKENS);
  addon.compilerSetLongestMatch(compiler, bytes, offsets, 3);
  addon.compilerSetMetadata(compiler, '{}');
  addon.compilerAddView(compiler, 'own', 'none');
  added.forEach((token, index) => addon.compilerAddToken(compiler, utf8(token), 1000 + index, 1));
  addon.compilerSetTemplate(compiler, Uint32Array.of(1000, 1001), 1, 1);
  return compiler;
}

/** The bytes of its cartridge. */
export function compiled(addon) {
  return addon.compilerFinish(compilerOf(addon));
}

function documentOf(addon) {
  const tokenizer = addon.load(compiled(addon), 0, 0, '');
  const document = addon.documentCreate(tokenizer, 0, new Uint32Array(), 1);
  addon.documentReplaceUtf16(document, tokenizer, 0, 0, 'token 1', new Uint32Array(5));
  return document;
}

/** A normalizer program of one step, lowercasing. */
function lowercase() {
  const program = new Uint8Array(40);
  program[0] = 1;
  program[16] = 6;
  return program;
}

/** A program for the pattern `a`, as lib/patterns/regex.ts writes it. */
const PATTERN = Uint32Array.of(29, 0, 0, 0, 0, 0, 0, 2, 1, 22, 3, 28, 1, 29, 0, 22, 5, 0, 1, 2, 97, 1, 0, 0, 97, 1, 98, 0, 2);

/** A compiler that has all of a DNA vocabulary: one base per id. */
function dnaCompilerOf(addon) {
  const { bytes, offsets } = table(['A', 'C', 'G', 'T', 'N']);
  const bases = new Uint32Array(256).fill(4);
  [...'ACGT'].forEach((base, index) => (bases[base.charCodeAt(0)] = index));
  const none = new Uint32Array(0);
  const rules = Uint32Array.of(1, 1, 0, 2 ** 32 - 1, 4, 2 ** 32 - 1, 1, 0, 0, 0, 0, 0);
  const compiler = addon.dnaCompilerCreate();
  addon.dnaCompilerSetRules(compiler, rules);
  addon.dnaCompilerSetTokens(compiler, bytes, offsets);
  addon.dnaCompilerSetBases(compiler, bases, undefined);
  addon.dnaCompilerSetTemplate(compiler, none, none);
  addon.dnaCompilerSetMetadata(compiler, '{}');
  addon.dnaCompilerSetName(compiler, 'own');
  return compiler;
}

function trained(addon) {
  const alphabet = Uint8Array.from({ length: 256 }, (_, index) => index);
  const none = new Uint8Array(0);
  const training = addon.trainBegin(Uint32Array.of(400, 2, 16, 0, 0), alphabet, utf8('none'), none, Uint32Array.of(0), none, 1);
  addon.trainFeed(training, utf8(TOKENS.join(' ').repeat(3)), true);
  addon.trainStart(training, false);
  while (addon.trainStep(training, 1e6, new Uint32Array(10)) > 0);
  return training;
}

/** A batch that the emulated device has encoded and padded, or keeps. */
function deviceJob(addon, plugin, stays = false) {
  const { bytes, offsets } = table(['token 1', 'token 22', 'x']);
  const job = addon.deviceTexts(addon.deviceOpen(plugin), addon.load(compiled(addon), 0, 0, ''), 1, 0, bytes, offsets);
  if (stays) addon.deviceJobKeep(job, 4);
  addon.deviceJobPad(job, Uint32Array.of(8, 4, 0, 0, 0, 0));
  addon.deviceJobRun(job);
  return job;
}

/** Ids that the emulated device has decoded. */
function decodingJob(addon, plugin) {
  const ids = Uint32Array.of(7, 8, 9);
  const tokenizer = addon.load(compiled(addon), 0, 0, '');
  const job = addon.deviceDecoding(addon.deviceOpen(plugin), tokenizer, 0, ids, Uint32Array.of(0, 1, 3));
  addon.deviceJobRun(job);
  return job;
}

/**
 * The calls that create or read objects, or copy bytes, with their arguments.
 * @type {Record<string, (addon: any, plugin: string, path: string) => unknown[]>}
 */
export const CALLS = {
  /** Loads the addon again. */
  module: (_, plugin, path) => [{ exports: {} }, path, constants.dlopen.RTLD_LAZY],
  statuses: () => [],
  kernels: () => [],
  failure: () => [],
  load: (addon) => [addon.compilerFinishDat(compilerOf(addon)), 0, 0, '', { ...table(TOKENS), unknown: 3 }],
  describe: (addon) => [addon.load(compiled(addon), 0, 0, '')],
  sections: (addon) => [addon.load(compiled(addon), 0, 0, '')],
  memory: (addon) => [addon.load(compiled(addon), 0, 0, '')],
  compilerFinish: (addon) => [compilerOf(addon)],
  compilerFinishSlim: (addon) => [compilerOf(addon)],
  compilerFinishDat: (addon) => [compilerOf(addon)],
  compilerNormalize: () => [lowercase(), utf8('A text')],
  documentTextUtf16: (addon) => [documentOf(addon), 0, 7],
  tokenBytes: (addon) => [addon.load(compiled(addon), 0, 0, ''), 7],
  regexMatches: () => [PATTERN, utf8('A pattern')],
  trainResult: (addon) => [trained(addon), 0],
  dnaCompilerFinish: (addon) => [dnaCompilerOf(addon)],
  deviceDescribe: (addon, plugin) => [addon.deviceOpen(plugin)],
  deviceJobMatrix: (addon, plugin) => [deviceJob(addon, plugin)],
  deviceJobBytes: (addon, plugin) => [decodingJob(addon, plugin)],
  deviceJobKept: (addon, plugin) => [deviceJob(addon, plugin, true)],
  deviceJobProgress: (addon, plugin) => [deviceJob(addon, plugin)],
};

/** Properties that those calls read: a getter on one ends the thread. The paths begin in the last object among the arguments. */
export const PROPERTIES = {
  load: [['bytes'], ['offsets'], ['unknown']],
};

/** Puts a getter into the last object among the arguments. */
export function getterAt(args, property, get) {
  let object = args.findLast((each) => typeof each === 'object' && !ArrayBuffer.isView(each));
  for (const key of property.slice(0, -1)) object = object[key];
  Object.defineProperty(object, property.at(-1), { get });
}

/** The work of a thread: it calls the function until it is terminated. */
function work({ path, plugin, name, isBefore, state, property }) {
  const addon = createRequire(import.meta.url)(path);
  const call = addon[name] ?? process.dlopen;
  const args = CALLS[name](addon, plugin, path);
  const first = Reflect.apply(call, addon, args);
  if (first === -1 || (first === undefined && name in addon)) throw new Error(JSON.stringify(addon.failure()));
  if (property !== undefined) {
    getterAt(args, property, () => process.exit());
  }
  const pages = new Uint8Array(isBefore ? 2 ** 25 : 0);
  const [a, b, c, d, e, f, g] = args;
  const goOn = () => (state[0] = GOES_ON);
  Atomics.store(state, 0, READY);
  Atomics.notify(state, 0);
  // `goOn` and the loop check for termination, and nothing between them does.
  do {
    pages.fill(1);
    state[0] = CALLING;
    call(a, b, c, d, e, f, g);
    state[0] = RETURNED;
  } while (goOn());
}

/** Terminates one thread; returns what it was doing. */
async function endOne(settings) {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { ...settings, state } });
  const ended = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  const isReady = Atomics.waitAsync(state, 0, STARTING);
  await Promise.race([isReady.value, ended]);
  await new Promise((done) => setTimeout(done, settings.isBefore ? 1 : Math.random() * 4));
  if (settings.property === undefined) await worker.terminate();
  await ended;
  return Atomics.load(state, 0);
}

async function main([path, plugin, name, wanted]) {
  const counts = { inside: 0, before: 0, attempts: 0 };
  const rounds = Number(wanted);
  const lane = async () => {
    while (counts.inside + counts.before < rounds && counts.attempts++ < 20 * rounds) {
      const isBefore = counts.before < rounds / 2;
      const last = await endOne({ path, plugin, name, isBefore });
      if (last === CALLING || last === RETURNED) ++counts[isBefore ? 'before' : 'inside'];
    }
  };
  await Promise.all([lane(), lane()]);
  for (const property of PROPERTIES[name] ?? []) {
    const isEnded = (await endOne({ path, plugin, name, property })) === CALLING;
    if (!isEnded) throw new Error(`${property} was not read`);
  }
  console.log(JSON.stringify(counts));
}

if (!isMainThread) work(workerData);
else if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
