/**
 * Calls of the addon with arguments that it takes: of each function that scripts/generate-bindings.mjs writes, from its declaration, and
 * by hand of the others that create or read objects.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const utf8 = (text) => new TextEncoder().encode(text);

/** @param {string[]} tokens */
function table(tokens) {
  const bytes = utf8(tokens.join(''));
  const offsets = new Uint32Array(tokens.length + 1);
  tokens.forEach((token, index) => (offsets[index + 1] = offsets[index] + utf8(token).length));
  return { bytes, offsets };
}

const TOKENS = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...Array.from({ length: 200 }, (_, index) => `token ${index}`),
];

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

/** A file with these bytes, until the process ends. */
function fileOf(bytes) {
  const folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'bytes'), bytes);
  return join(folder, 'bytes');
}

/** The bytes of its cartridge: the same for all calls. */
function compiled(addon) {
  bytes ??= addon.compilerFinish(compilerOf(addon));
  return bytes;
}

/** @type {Uint8Array | undefined} */
let bytes;

function cartridgeOf(addon) {
  return addon.cartridgeOpenBytes(compiled(addon), 0);
}

export function tokenizerOf(addon) {
  const cartridge = cartridgeOf(addon);
  const tokenizer = addon.tokenizerCreate(cartridge, 0, '');
  addon.cartridgeRelease(cartridge);
  return tokenizer;
}

/** That has begun a text. */
function encoderOf(addon) {
  const encoder = addon.encoderCreate(tokenizerOf(addon));
  addon.encoderBegin(encoder, 0, new Uint32Array(0));
  return encoder;
}

/** Of bytes for functions of UTF-8. */
function documentOf(addon, name) {
  const tokenizer = tokenizerOf(addon);
  const isOfBytes = name.endsWith('Utf8');
  const document = addon.documentCreate(tokenizer, 0, new Uint32Array(), isOfBytes ? 0 : 1);
  const text = 'token 1'.repeat(10);
  const encoder = addon.encoderCreate(tokenizer);
  if (isOfBytes) addon.documentReplaceUtf8(document, encoder, 0, 0, utf8(text), new Uint32Array(5));
  else addon.documentReplaceUtf16(document, encoder, 0, 0, text, new Uint32Array(5));
  return document;
}

/** A normalizer program of one step, lowercasing. */
function lowercase() {
  const program = new Uint8Array(40);
  program[0] = 1;
  program[16] = 6;
  return program;
}

/** A program for the pattern `a`, as lib/vocabularies/patterns/regex.ts writes it. */
const PATTERN = Uint32Array.of(26, 0, 0, 0, 0, 0, 2, 1, 19, 3, 25, 1, 19, 4, 0, 1, 1, 97, 0, 0, 0, 97, 1, 98, 0, 2);

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

function dnaTokenizerOf(addon) {
  const cartridge = addon.cartridgeOpenBytes(addon.dnaCompilerFinish(dnaCompilerOf(addon)), 0);
  return addon.tokenizerCreate(cartridge, 0, '');
}

function dnaOf(addon) {
  return addon.dnaCreate(dnaTokenizerOf(addon), undefined);
}

function trained(addon) {
  const trainer = addon.trainerCreate(Uint32Array.of(400, 2, 16, 0, 0), undefined, 'none', '', 2);
  addon.trainerFeed(trainer, utf8(TOKENS.join(' ').repeat(3)), 1);
  addon.trainerStart(trainer);
  while (addon.trainerStep(trainer, 1e6, new Uint32Array(10)) < -1);
  return trainer;
}

/** A batch that the emulated device has encoded and padded, or keeps. */
function deviceJob(addon, plugin, stays = false) {
  const { bytes, offsets } = table(['token 1', 'token 22', 'x']);
  const job = addon.deviceTexts(addon.deviceOpen(plugin), tokenizerOf(addon), 1, 0, bytes, offsets);
  if (stays) addon.deviceJobKeep(job, 4);
  addon.deviceJobPad(job, Uint32Array.of(8, 4, 0, 0, 0, 0));
  addon.deviceJobRun(job);
  return job;
}

/** Ids that the emulated device has decoded. */
function decodingJob(addon, plugin) {
  const ids = Uint32Array.of(7, 8, 9);
  const tokenizer = tokenizerOf(addon);
  const job = addon.deviceDecoding(addon.deviceOpen(plugin), tokenizer, 0, ids, Uint32Array.of(0, 1, 3));
  addon.deviceJobRun(job);
  return job;
}

const DECLARATIONS = readFileSync(new URL('../../lib/engine/functions.ts', import.meta.url), 'utf8');

/**
 * The functions that the script writes. `returns`: what they return if they succeed.
 * @typedef {{ name: string, type: string, isOptional: boolean }} Parameter
 * @type {{ name: string, parameters: Parameter[], returns: string }[]}
 */
export const BINDINGS = Array.from(DECLARATIONS.matchAll(/^ {2}(\w+)\(([^)]*)\): (\w+).*;$/gm), ([, name, list, returns]) => ({
  name,
  parameters: Array.from(list.matchAll(/(\w+): (\w+)( \| undefined)?/g), ([, name, type, optional]) => ({
    name,
    type,
    isOptional: optional !== undefined,
  })),
  returns,
}));

/** Arguments of each type. */
const OF_TYPE = {
  number: () => 0,
  string: () => 'none',
  Uint8Array: () => utf8('token 1'),
  Uint32Array: () => new Uint32Array(64),
  Float64Array: () => new Float64Array(64),
  IdArray: () => new Int32Array(64),
};

/** Handles, by the names of their parameters: of what is not just created. */
const OBJECTS = {
  compiler: (addon, name) => (name.startsWith('compilerFinish') ? compilerOf(addon) : addon.compilerCreate()),
  dna: dnaOf,
  dnaCompiler: dnaCompilerOf,
  document: documentOf,
  trainer: trained,
  tokenizer: tokenizerOf,
  cartridge: cartridgeOf,
  encoder: encoderOf,
};

/** By the names of parameters, and of functions: those that not any argument of the type suits. */
const NAMED = {
  allowed: () => new Uint32Array(0),
  control: () => new Uint32Array(0),
  alphabet: () => undefined,
  input: () => utf8('>a\nACGT\n{"token 1": "x"}\n'),
  kernel: () => '',
  keyEnds: () => Uint32Array.of(7),
  last: () => 1,
  offsets: () => Uint32Array.of(0, 7),
  policies: () => undefined,
  options: () => Uint32Array.of(400, 2, 16, 0, 0),
  program: lowercase,
  to: () => 7,
  'cartridgeOpenBytes.bytes': compiled,
  'cartridgeOpenFile.path': (addon) => fileOf(compiled(addon)),
  'cartridgeOpenDatFile.path': (addon) => fileOf(addon.compilerFinishDat(compilerOf(addon))),
  'cartridgeOpenDatFile.tokenBytes': () => table(TOKENS).bytes,
  'cartridgeOpenDatFile.tokenOffsets': () => table(TOKENS).offsets,
  'cartridgeOpenDatBytes.bytes': (addon) => addon.compilerFinishDat(compilerOf(addon)),
  'cartridgeOpenDatBytes.tokenBytes': () => table(TOKENS).bytes,
  'cartridgeOpenDatBytes.tokenOffsets': () => table(TOKENS).offsets,
  'dnaCreate.tokenizer': dnaTokenizerOf,
  'regexMatches.program': () => PATTERN,
  'trainerFeed.trainer': (addon) => opened(addon, 'trainerCreate', { threads: 3 }),
  'trainerRestore.bytes': (addon) => addon.trainerSave(trained(addon)),
};

/** What a function opens, with some arguments in place of its own. */
function opened(addon, name, changes = {}) {
  const { parameters } = BINDINGS.find((each) => each.name === name);
  return addon[name](...parameters.map((each) => changes[each.name] ?? argumentOf(addon, name, each)));
}

function argumentOf(addon, name, { name: parameter, type }) {
  const make = NAMED[`${name}.${parameter}`] ?? NAMED[parameter] ?? (type === 'Handle' ? OBJECTS[parameter] : OF_TYPE[type]);
  return make ? make(addon, name) : opened(addon, `${parameter}Create`);
}

/**
 * Arguments of a function that the script writes.
 * @param {any} addon
 * @param {{ name: string, parameters: Parameter[] }} binding
 * @returns {unknown[]}
 */
export function argumentsOf(addon, { name, parameters }) {
  return parameters.map((each) => argumentOf(addon, name, each));
}

/**
 * The calls by hand that create or read objects, or copy bytes, with their arguments.
 * @type {Record<string, (addon: any, plugin: string, path: string) => unknown[]>}
 */
export const BY_HAND = {
  /** Loads the addon again. */
  module: (_, plugin, path) => [{ exports: {} }, path, constants.dlopen.RTLD_LAZY],
  statuses: () => [],
  kernels: () => [],
  failure: () => [],
  encode: (addon) => {
    const mask = { control: Uint32Array.of(1000), ranges: Uint32Array.of(0, 4) };
    return [encoderOf(addon), 'token 1', new ArrayBuffer(64), 0, mask];
  },
  deviceDescribe: (addon, plugin) => [addon.deviceOpen(plugin)],
  deviceJobMatrix: (addon, plugin) => [deviceJob(addon, plugin)],
  deviceJobBytes: (addon, plugin) => [decodingJob(addon, plugin)],
  deviceJobKept: (addon, plugin) => [deviceJob(addon, plugin, true)],
  deviceJobProgress: (addon, plugin) => [deviceJob(addon, plugin)],
};

/** All of them. @type {typeof BY_HAND} */
export const CALLS = {
  ...BY_HAND,
  ...Object.fromEntries(BINDINGS.map((binding) => [binding.name, (addon) => argumentsOf(addon, binding)])),
};

/** Properties that those calls read: a getter on one ends the thread. The paths begin in the last object among the arguments. */
export const PROPERTIES = {
  encode: [['control'], ['ranges']],
};

/** Puts a getter into the last object among the arguments. */
export function getterAt(args, property, get) {
  let object = args.findLast((each) => typeof each === 'object' && !ArrayBuffer.isView(each));
  for (const key of property.slice(0, -1)) object = object[key];
  Object.defineProperty(object, property.at(-1), { get });
}
