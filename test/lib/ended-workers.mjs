/**
 * Ends threads at random in every call of the public API: `node ended-workers.mjs PLUGIN SEED THREADS`, in a folder where it may
 * write. Prints as JSON how many were ended, and in how many calls with which arguments; before, on standard error, what each thread
 * does.
 *
 * The calls are found, not listed: the exports of the package's entries, the methods and getters of their classes, and those of what
 * these calls return. A call is made with every input that it accepts, alone or before a second argument. Where none is accepted, as
 * the arguments are others, BY_HAND makes the call; `unmade` are those that nothing makes.
 *
 * Each thread makes one call of the list, and two of those that go on after they have returned, which the process's threads may be
 * working on when it ends.
 */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { Random } from '../fuzz/random.mjs';

const root = new URL('../../', import.meta.url);
/** Those with code of their own; WebAssembly's export the same classes, without threads. */
const ENTRIES = [
  '.',
  './dna',
  './dataset',
  './tiktoken',
  './huggingface',
  './js-tiktoken',
  './transformers',
  './transformers/tokenizers',
  './langchain',
  './ai-sdk',
  './gpt-tokenizer',
];
/** They say where pages find WebAssembly, need the entry of a model, are abstract, or refuse every change. */
const LEFT_OUT = [
  ...[
    '..useWasm',
    './dna.useDnaWasm',
    './gpt-tokenizer.estimateCost',
    './transformers/tokenizers Decoder.decode',
    './transformers/tokenizers Decoder._call',
  ],
  ...['set', 'delete', 'clear'].map((key) => `. FrozenMap.${key}`),
];

const WORDS = 'The quick brown fox jumps over 12345 lazy dogs.\n';
const MESSAGES = [
  { role: 'user', content: 'Which fox?' },
  { role: 'assistant', content: 'The quick one.' },
];
const PROMPT = [{ role: 'user', content: [{ type: 'text', text: WORDS }] }];
const TEMPLATE = { template: '{% for message in messages %}{{ message.content }}{% endfor %}' };
const VOCABULARY = JSON.stringify({
  version: '1.0',
  added_tokens: [],
  pre_tokenizer: { type: 'Whitespace' },
  model: {
    type: 'WordLevel',
    unk_token: '?',
    vocab: Object.fromEntries(['?', 'The', 'quick', 'fox', ...'ACGT'].map((word, id) => [word, id])),
  },
});
const utf8 = (text) => new TextEncoder().encode(text);
function shared(array) {
  const copy = new array.constructor(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}
const rowsOf = (bytes, offsets = Uint32Array.of(0, bytes.length >> 1, bytes.length)) => ({ bytes, offsets });

/**
 * What calls are tried with. `it`: what a thread has of its own. `size`: 1, or more for long ones.
 * @type {Record<string, (it: any, size: number) => unknown>}
 */
const INPUTS = {
  nothing: () => undefined,
  'a string': (_, size) => WORDS.repeat(size),
  'a string of two bytes a unit': (_, size) => `東京 naïve 😀 ${WORDS}`.repeat(size),
  bytes: (_, size) => utf8(WORDS.repeat(size)),
  'a part of bytes': (_, size) => utf8(`x${WORDS.repeat(size)}x`).subarray(1, -1),
  'a Buffer': (_, size) => Buffer.from(WORDS.repeat(size)),
  'shared bytes': (_, size) => shared(utf8(WORDS.repeat(size))),
  'bytes of WebAssembly': (_, size) => new Uint8Array(new WebAssembly.Memory({ initial: 1 + size / 1000 }).buffer).fill(97),
  'bytes of a buffer that may shrink': (_, size) => {
    const bytes = new Uint8Array(new ArrayBuffer(WORDS.length * size, { maxByteLength: 2 * WORDS.length * size }));
    bytes.set(utf8(WORDS.repeat(size)));
    return bytes;
  },
  'bytes of an addon': (it) => new Uint8Array(it.external.buffer),
  ids: (_, size) => Uint32Array.from({ length: 10 * size }, (_, index) => 300 + (index % 300)),
  'shared ids': (_, size) => shared(INPUTS.ids(_, size)),
  'ids of an addon': (it) => it.external,
  'a list of ids': () => [4, 5, 6],
  'lists of ids': () => [[4], [5, 6]],
  'a batch of tokens': (it, size) => it.tokenizer.encodeBatch([WORDS.repeat(size), WORDS]),
  zero: () => 0,
  'a token': () => 'The',
  'bytes of a token': () => utf8('The'),
  strings: (_, size) => Array.from({ length: 50 }, (_, row) => WORDS.repeat(1 + ((row * size) >> 5))),
  'bytes in a list': (_, size) => INPUTS.strings(_, size).map(utf8),
  'pairs of strings': () => [[WORDS, WORDS]],
  rows: (_, size) => rowsOf(utf8(WORDS.repeat(size))),
  'shared rows': (_, size) => rowsOf(shared(utf8(WORDS.repeat(size))), shared(Uint32Array.of(0, size, 2 * size))),
  'rows of an addon': (it) => rowsOf(new Uint8Array(it.external.buffer)),
  bases: (_, size) => 'ACGT'.repeat(10 * size),
  'bytes of bases': (_, size) => utf8('ACGT'.repeat(10 * size)),
  'rows of bases': (_, size) => rowsOf(utf8('ACGT'.repeat(10 * size))),
  'shared rows of bases': (_, size) => rowsOf(shared(utf8('ACGT'.repeat(10 * size))), shared(Uint32Array.of(0, size, 2 * size))),
  'sequences in turn': (_, size) => Array.from({ length: 8 }, () => utf8('ACGT'.repeat(10 * size))),
  'texts in turn': async function* (_, size) {
    for (let turn = 0; turn < 8; turn++) yield WORDS.repeat(size);
  },
  'a stream': (_, size) => new Blob([WORDS.repeat(size)]).stream(),
  'a text file': () => path.resolve('text.txt'),
  'the URL of a file': () => pathToFileURL(path.resolve('text.txt')),
  'a file of sequences': () => path.resolve('sequences.fasta'),
  'a file of reads': () => path.resolve('reads.fastq'),
  'an encoding': () => 'r50k_base',
  'a DNA vocabulary': () => 'nt-v2',
  'a model': () => 'gpt-4o',
  'a tokenizer.json': () => path.resolve('tokenizer.json'),
  'a folder with one': () => path.resolve('.'),
  'a cartridge file': () => path.resolve('lite.cray'),
  'bytes of a cartridge': () => readFileSync('lite.cray'),
  'shared bytes of a cartridge': () => shared(new Uint8Array(readFileSync('slim.cray'))),
  'its text': () => VOCABULARY,
  'its value': () => JSON.parse(VOCABULARY),
  messages: () => MESSAGES,
  'a message': () => MESSAGES[0],
  'a template': () => TEMPLATE,
  'a function': () => (sequence) => Array.from(String(sequence), (base) => 1 + 'ACGTN'.indexOf(base)),
  options: () => ({}),
};

/** Which inputs have nothing to add where another one of their type is accepted, such as names where any text is. */
const LIKE = {
  'a string': [
    'a token',
    'a text file',
    'a file of sequences',
    'a file of reads',
    'an encoding',
    'a DNA vocabulary',
    'a model',
    'bases',
    'a tokenizer.json',
    'a folder with one',
    'a cartridge file',
    'its text',
  ],
  bytes: ['bytes of a token', 'bytes of bases', 'bytes of a cartridge', 'shared bytes of a cartridge'],
  rows: ['rows of bases', 'shared rows of bases'],
  'bytes in a list': ['sequences in turn'],
};

/** Second arguments. */
const SECOND = {
  nothing: undefined,
  threads: { threads: 2, cacheBytes: 2 ** 22 },
  'parts that overlap': { strategy: 'overlap' },
  'a mapping': { mmap: true },
  'no mapping': { mmap: false },
  'a device': { device: 'emulated' },
  'a device that pads': { device: 'emulated', pad: {} },
  'a matrix that stays on a device': { device: 'emulated', resident: true },
  'rows that stay on a device': { device: 'emulated', resident: true, pad: {} },
  'batches that stay on a device': { device: 'emulated', resident: true, batchSize: 2 },
  'a batch size': { batchSize: 2 },
  'another type': { type: 'bigint64' },
  'a limit': { maxTokens: 100 },
  'a number': 100,
  'a vocabulary size': { vocabularySize: 300 },
  'a text': WORDS,
  'a list': [WORDS],
  'a message': MESSAGES[0],
  'a template': TEMPLATE,
  'a function': () => undefined,
};

async function planned({ modules }) {
  const { planDataset } = await modules('./dataset');
  const output = path.resolve(`dataset-${Math.random()}`);
  await planDataset([path.resolve('texts.jsonl')], { output, format: 'npy', taskBytes: 100_000, tokenizer: 'r50k_base' });
  return output;
}
async function ran(it) {
  const output = await planned(it);
  await (await it.modules('./dataset')).runDataset(output, { threads: 2 });
  return output;
}
const opened = async ({ modules }, name) => (await modules('.')).Tokenizer.load(name);

/** Calls whose arguments are others. @type {Record<string, (it: any, self: any, input: any) => unknown>} */
const BY_HAND = {
  './dna.embed': async ({ modules }, { embed }, input) => {
    const { DnaTokenizer } = await modules('./dna');
    return embed(await DnaTokenizer.load('hyenadna'), input, ({ ids }) => ids, { batchSize: 2 });
  },
  'new . PrefixCache': ({ tokenizer }, PrefixCache) => new PrefixCache(tokenizer),
  '. Tokenizer.adapt': async (it) => {
    const own = await opened(it, 'lite');
    own.observe('ёлка, ёлка, ёлка');
    return own.adapt({ add: 7 });
  },
  '. Tokenizer.conversation': (_, self) => self.conversation(TEMPLATE),
  '. Tokenizer.countMessages': async (it) => (await opened(it, 'o200k_base')).countMessages(MESSAGES, { model: 'gpt-4o' }),
  '. Conversation.add': (_, self) => self.add(...MESSAGES),
  '. Conversation.edit': (_, self) => self.add(...MESSAGES) && self.edit(0, MESSAGES[1]),
  '. Conversation.remove': (_, self) => self.add(...MESSAGES) && self.remove(0),
  '. TextDocument.replace': (_, self, input) => self.replace(0, 0, input),
  '. TextDocument.tokenAt': (_, self, input) => self.append(input) && self.tokenAt(1),
  '. TrainedVocabulary.upTo': (_, self) => self.upTo(self.tokens.length),
  './dataset.planDataset': planned,
  './dataset.runDataset': ran,
  './dataset.datasetStatus': async (it, { datasetStatus }) => datasetStatus(await ran(it)),
  './dataset.verifyDataset': async (it, { verifyDataset }) => verifyDataset(await ran(it)),
  './dataset.mergeDataset': async (it, { mergeDataset }) => mergeDataset(await ran(it)),
  './huggingface Tokenizer.save': (_, self) => self.save(path.resolve(`saved-${Math.random()}.json`)),
  './huggingface Tokenizer.addAddedTokens': async ({ modules }, self) =>
    self.addAddedTokens([new (await modules('./huggingface')).AddedToken('<x>')]),
  './huggingface Tokenizer.postProcess': async (_, self, input) => self.postProcess(await self.encode(input)),
  './langchain.countTokensWith': ({ tokenizer }, { countTokensWith }) => countTokensWith(tokenizer, { getNumTokens: async () => 0 }),
  'new ./langchain TokenTextSplitter': ({ tokenizer }, TokenTextSplitter) =>
    new TokenTextSplitter({ tokenizer, chunkSize: 50, chunkOverlap: 10 }),
  './ai-sdk.countPrompt': ({ tokenizer }, { countPrompt }) => countPrompt(tokenizer, { prompt: PROMPT }),
  './ai-sdk.tokenBudget': ({ tokenizer }, { tokenBudget }) =>
    tokenBudget({ tokenizer, maxTokens: 50 }).transformParams({ params: { prompt: PROMPT } }),
  './gpt-tokenizer.encodeChat': (_, { encodeChat }) => encodeChat(MESSAGES, 'gpt-4o'),
  './gpt-tokenizer.encodeChatGenerator': (_, { encodeChatGenerator }) => encodeChatGenerator(MESSAGES, 'gpt-4o'),
};

// --- Finding the calls -----------------------------------------------------------------------------------------------------

/**
 * A call: an export of an entry; the constructor, a static method, a method or a getter of a class. `known`: arguments that it
 * accepts. `goesOn`: whether it returns before it is done.
 * @typedef {{ name: string, owner: string, key: string, kind: 'export' | 'new' | 'static' | 'method' | 'getter', takes: number, known?: Arguments, goesOn?: boolean }} Call
 * @typedef {{ input: string, second: string }} Arguments
 */

const isClass = (value) => typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
/** Whether a class is the package's, not the language's, Node's or LangChain's. */
const isOurs = (Class) =>
  isClass(Class) &&
  !(Class.prototype instanceof Error) &&
  globalThis[Class.name] === undefined &&
  !['FastBuffer', 'TextSplitter'].includes(Class.name);

/** What a thread has of its own. */
async function own(plugin) {
  const modules = (name) => import(new URL(`dist/node/${name === '.' ? 'index' : name}.js`, root).href);
  const { useEmulatedDevice } = await import(new URL('dist/node/internals.js', root).href);
  useEmulatedDevice(plugin);
  const tokenizer = await (await modules('.')).Tokenizer.load('r50k_base');
  // 64 Ki ids and more are in memory of the addon's.
  const external = await tokenizer.encodeAsync(WORDS.repeat(8000));
  return { modules, tokenizer, external };
}

/** @returns {Call[]} */
function callsOf(owner, kind, object) {
  const keys = Reflect.ownKeys(object).filter(
    (key) => typeof key === 'string' && !['constructor', 'prototype', 'length', 'name', 'default'].includes(key),
  );
  return keys.flatMap((key) => {
    const { get, value } = Object.getOwnPropertyDescriptor(object, key);
    const name = `${owner}.${key}`;
    if (LEFT_OUT.includes(name) || isClass(value)) return [];
    if (get) return [{ name, owner, key, kind: 'getter', takes: 0 }];
    if (typeof value !== 'function') return [];
    // A list of arguments; but methods whose errors begin at their callers (lib/base/errors.ts) all pass one on.
    const source = Function.prototype.toString.call(value);
    const takesMore = /^[^)]*\.{3}/.test(source) && !/^function (now|later)\(/.test(source);
    return [{ name, owner, key, kind, takes: value.length + Number(takesMore) }];
  });
}

/** @returns {Call[]} */
function callsOfClass(owner, Class) {
  const calls = callsOf(owner, 'static', Class);
  for (let prototype = Class.prototype; isOurs(prototype?.constructor); prototype = Object.getPrototypeOf(prototype)) {
    calls.push(...callsOf(owner, 'method', prototype));
  }
  return calls;
}

/** Makes a call; returns its result in a list. `origins`: for each class, a call that returns one. */
async function made(it, { name, owner, key, kind }, input, second, origins) {
  const [entry, className] = owner.split(' ');
  const holder = async () => {
    if (kind === 'export') return it.modules(entry);
    if (kind === 'static' || kind === 'new') return (await it.modules(entry))[className];
    const { known, ...call } = origins[owner];
    const [result] = await made(it, call, INPUTS[known.input](it, 1), SECOND[known.second], origins);
    return received(result);
  };
  const self = await holder();
  const args = second === undefined ? [input] : [input, second];
  if (BY_HAND[name]) return [BY_HAND[name](it, self, ...args)];
  if (kind === 'new') return [Reflect.construct(self, args)];
  return [kind === 'getter' ? self[key] : self[key](...args)];
}

const isLater = (result) => result instanceof Promise || result instanceof TransformStream || result?.[Symbol.asyncIterator] !== undefined;

/** Waits for a result; for the first parts of one that comes in parts, of which it returns the first. */
async function received(result) {
  const value = await result;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof TransformStream) return received(ReadableStream.from([WORDS]).pipeThrough(value));
  const parts = value[Symbol.asyncIterator]?.() ?? (value.next && value[Symbol.iterator]?.());
  if (!parts) return value;
  const first = (await parts.next()).value;
  for (let more = 0; more < 20 && !(await parts.next()).done; more++);
  await parts.return?.();
  return first;
}

/** What becomes of a call with short arguments; undefined if it refuses them. */
async function attempted(it, call, { input, second }, origins) {
  try {
    const [result] = await made(it, call, INPUTS[input](it, 1), SECOND[second], origins);
    return { goesOn: isLater(result), result: await received(result) };
  } catch (error) {
    if (process.env.CRAYON_SHOWS_REFUSALS === call.name) console.error(input, second, error);
    return undefined;
  }
}

/** The arguments that a call accepts, each with its result. */
async function* accepted(it, call, origins) {
  const takes = BY_HAND[call.name] ? BY_HAND[call.name].length - 2 : call.takes;
  const inputs = takes > 0 ? Object.keys(INPUTS) : ['nothing'];
  for (const second of takes > 1 ? Object.keys(SECOND) : ['nothing']) {
    const left = new Set(inputs);
    for (const input of left) {
      const answer = await attempted(it, call, { input, second }, origins);
      if (!answer) continue;
      for (const like of LIKE[input] ?? []) left.delete(like);
      yield { known: { input, second }, ...answer };
    }
  }
}

/** Finds all calls by making them. @returns {Promise<{ calls: Call[], origins: Record<string, Call>, unmade: string[] }>} */
async function found(it) {
  /** @type {Call[]} */
  const waiting = [];
  const constructors = [];
  const owners = new Map();
  for (const entry of ENTRIES) {
    const module = await it.modules(entry);
    waiting.push(...callsOf(entry, 'export', module));
    for (const [key, Class] of Object.entries(module)) {
      if (!isOurs(Class) || owners.has(Class)) continue;
      const owner = `${entry} ${key}`;
      owners.set(Class, owner);
      waiting.push(...callsOfClass(owner, Class));
      constructors.push({ name: `new ${owner}`, owner, key, kind: 'new', takes: 2 });
    }
  }
  const calls = [];
  const refused = [];
  const origins = {};
  const isReady = ({ kind, owner }) => !['method', 'getter'].includes(kind) || origins[owner] !== undefined;
  for (;;) {
    const index = waiting.findIndex(isReady);
    // A class whose objects a call returns needs no constructor.
    const call = index >= 0 ? waiting.splice(index, 1)[0] : constructors.shift();
    if (!call) break;
    if (call.kind === 'new' && origins[call.owner]) continue;
    const { value: answer } = await accepted(it, call, origins).next();
    if (!answer) {
      refused.push(call);
      continue;
    }
    const { known, goesOn, result } = answer;
    calls.push({ ...call, known, goesOn });
    const Class = result instanceof Object ? Object.getPrototypeOf(result)?.constructor : undefined;
    if (!isOurs(Class)) continue;
    if (!owners.has(Class)) {
      owners.set(Class, `. ${Class.name}`);
      waiting.push(...callsOfClass(`. ${Class.name}`, Class));
    }
    origins[owners.get(Class)] ??= { ...call, known };
  }
  return { calls, origins, unmade: [...refused, ...waiting].map(({ name }) => name) };
}

// --- Threads ------------------------------------------------------------------------------------------------------------------

/** A thread's work until it ends: each of its calls over and over, all at once. */
async function work({ plugin, tasks, origins }) {
  const it = await own(plugin);
  parentPort.on('message', () => process.exit());
  parentPort.postMessage('begins');
  const repeat = async ({ call, input, second, size }) => {
    for (;;) {
      await made(it, call, INPUTS[input](it, size), SECOND[second], origins)
        .then(([result]) => received(result))
        .catch(() => undefined);
      await setImmediate();
    }
  };
  await Promise.all(tasks.map(repeat));
}

function writeInputs() {
  writeFileSync('text.txt', WORDS.repeat(200_000)); // more than a window of encodeFile
  writeFileSync('sequences.fasta', `>a b\n${'ACGTTGCA\n'.repeat(20_000)}>c\nACGT\n`);
  writeFileSync('reads.fastq', '@a\nACGT\n+\nIIII\n'.repeat(20_000));
  writeFileSync('tokenizer.json', VOCABULARY);
  writeFileSync('tokenizer_config.json', JSON.stringify({ chat_template: TEMPLATE.template }));
  writeFileSync('texts.jsonl', `${JSON.stringify({ text: WORDS.repeat(20) })}\n`.repeat(500));
  copyFileSync(new URL('cartridges/lite.cray', root), 'lite.cray');
  copyFileSync(new URL('cartridges/r50k_base.slim.cray', root), 'slim.cray');
}

async function main([plugin, seedText, threadsText]) {
  const [seed, threads] = [Number(seedText), Number(threadsText)];
  writeInputs();
  const it = await own(plugin);
  const { calls, origins, unmade } = await found(it);
  const random = new Random(seed);
  const goOn = calls.filter((call) => call.goesOn);
  /** All arguments of each of these. */
  const taken = new Map();
  const ended = new Set();
  /** A call and its next arguments. */
  const taskOf = async (call, round) => {
    if (call.goesOn && !taken.has(call)) {
      const all = [];
      for await (const { known } of accepted(it, call, origins)) all.push(known);
      taken.set(call, all);
    }
    const all = taken.get(call) ?? [call.known];
    const { input, second } = all[(round + seed) % all.length];
    ended.add(`${call.name}(${input}, ${second})`);
    return { call, input, second, size: random.pick([1, 300, 20_000]) };
  };
  const text = WORDS.repeat(3000);
  const ids = it.tokenizer.encode(text).slice();
  let begun = 0;
  const lane = async () => {
    while (begun < threads) {
      const index = begun++;
      const tasks = [await taskOf(calls[index % calls.length], Math.floor(index / calls.length))];
      for (const at of [2 * index, 2 * index + 1]) tasks.push(await taskOf(goOn[at % goOn.length], Math.floor(at / goOn.length)));
      console.error(
        `thread ${index}: ${tasks.map(({ call, input, second, size }) => `${call.name}(${input} × ${size}, ${second})`).join('; ')}`,
      );
      const worker = new Worker(new URL(import.meta.url), { workerData: { plugin, tasks, origins }, stdout: true });
      const end = new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
      const told = await Promise.race([new Promise((resolve) => worker.once('message', resolve)), end]);
      assert.equal(told, 'begins', `thread ${index} ended by itself`);
      await setTimeout(random.integer(0, 40));
      if (random.chance(0.2)) worker.postMessage('exit');
      else await worker.terminate();
      await end;
      // The process's threads go on, and answer this one.
      assert.deepEqual(await it.tokenizer.encodeAsync(text), ids);
    }
  };
  await Promise.all([lane(), lane()]);
  console.log(JSON.stringify({ threads, calls: calls.length, goOn: goOn.length, ended: ended.size, unmade }));
}

if (!isMainThread) await work(workerData);
else if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
