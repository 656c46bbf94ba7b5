// Compiles in Node: sources are files, and larger jobs run on a worker thread. The entry passes its backends.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { datOf, explainUnopened, isUrl, outOfArchive, pathOfUrl, resolveSource } from '../open/sources-in-node.js';
import { readCartridge, readRegularFileAsync, TOKEN_LIST } from '../../io/regular-file.js';
import { isCompiledFile, refuseForeign } from '../open/foreign.js';
import { arrived, isLate, type LateSource, type Source } from '../open/source.js';
import { isUnknownToken, readTokenLines } from '../open/token-list.js';
import { bytesOf, tagOf } from '../../base/views.js';
import { forget, keep, keptFile } from '../open/user-cache.js';
import { cacheFolder } from '../../io/cache-folder.js';
import { utf8Text } from '../../base/text-encodings.js';
import { isBertVocabulary } from './vocab-txt.js';
import { JsonNode } from './json-node.js';
import { namedTokensOf } from './token-roles.js';
import { nameInConfig } from './chat-config.js';
import { lacksTemplates } from '../metadata.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import { compileOptions, type CompileOptions, isTokens } from './compile-cartridge.js';
import type { Compiler } from '../../engine/compiler.js';
import { composedAt, modelFiles } from './chat-beside.js';
import { type CompileAnswer, type CompileJob, isSmall, type ListKind, type VocabularyJob } from './compile-job.js';
import { cartridgeJob, configOf, fileJob, kindOfFile, listKind, vocabularyJob } from './job-of-source.js';
import type { KnownTokens } from '../compile/packed-tokens.js';
import { startWork } from '../open/threads.js';
import { onThisThread, onThread } from './thread.js';
import { createHash, webcrypto } from 'node:crypto';
import { forcedPath } from './tokenizer-json.js';

/** What a Node entry compiles with. */
export interface NodeCompiler {
  /** The addon's compiler; throws if there is no addon. Undefined if WebAssembly compiles. */
  native: (() => Compiler) | undefined;
  /** The path of the WebAssembly module for compiling. */
  module(): string;
  /** The compiler for this thread. */
  compiler(): Compiler;
  /** Opens a cartridge for inspection. */
  open(source: string | Uint8Array): EngineTokenizer;
}

/** The part that `load` compiles with. */
type LoadCompiler = Pick<NodeCompiler, 'native' | 'module' | 'compiler'>;

/** Implements `compileCartridge`, without adjusting errors. */
export async function compileInNode(
  source: Source | LateSource | KnownTokens,
  options: CompileOptions,
  compiler: NodeCompiler,
): Promise<UnsharedUint8Array> {
  if (isTokens(source)) return run(vocabularyJob(source, options), options, compiler);
  const delivered = isLate(source) ? await arrived(source) : source;
  const file = listFile(delivered);
  const bytes = file ? undefined : fileBytes(delivered);
  if (bytes) return run(fileJob(bytes, options), options, compiler);
  if (file === undefined) return recompile(delivered, options, compiler);
  options.onProgress?.({ stage: 'read', fraction: 0 });
  const job = await jobOfFile(file, await readRegularFileAsync(file.path, TOKEN_LIST, options.signal), options);
  options.onProgress?.({ stage: 'read', fraction: 1 });
  return run(job, options, compiler);
}

/** The bytes of a JSON file or a SentencePiece model; undefined for other sources. */
function fileBytes(source: Source): Uint8Array | undefined {
  const bytes = typeof source === 'string' || tagOf(source) === 'URL' ? undefined : bytesOf(source, 'source');
  return bytes && isCompiledFile(bytes) ? bytes : undefined;
}

/**
 * Compiles a JSON file (path or bytes) or a rank file (path) for `load`, and opens the result. `open` is called with the
 * path of a cartridge in the user's cache, or with bytes.
 */
export async function loadVocabulary(
  source: Source,
  loadOptions: CompileOptions,
  compiler: LoadCompiler,
  open: (cartridge: string | Uint8Array) => EngineTokenizer | Promise<EngineTokenizer>,
): Promise<EngineTokenizer> {
  const options = compileOptions(loadOptions);
  const file = listFile(source);
  const bytes = file ? await readRegularFileAsync(file.path, TOKEN_LIST) : (fileBytes(source) as Uint8Array);
  if (file?.as === 'lines') checkBert(bytes, file.path);
  // Templates are only for chats, so a faulty one is an error of the chat, not of loading.
  let problem: TokenizerError | undefined;
  const job = file ? await jobOfFile(file, bytes as Buffer, options, (why) => (problem = why)) : fileJob(bytes, options);
  const opened = async (cartridge: string | Uint8Array): Promise<EngineTokenizer> => {
    const engine = await open(cartridge);
    if (problem) lacksTemplates(engine, problem);
    return engine;
  };
  const { name, pretokenizer, specialTokens, chat, namedTokens, bert, tokens } = job;
  const entry = await cacheEntry('file' in tokens ? tokens.file : bytes, { name, pretokenizer, specialTokens, chat, namedTokens, bert });
  const cached = keptFile(entry);
  if (cached !== undefined) {
    try {
      return await opened(cached);
    } catch {
      await forget(cached); // the file is damaged
    }
  }
  const cartridge = await compiled(job, entry, compiler);
  return opened(keptFile(entry) ?? cartridge);
}

/** Without a model's files beside it, the tokenization of a list of tokens must be specified. */
function checkBert(bytes: Uint8Array, path: string): void {
  if (isBertVocabulary(readTokenLines(utf8Text(bytes, path)), path)) return;
  const message = `cannot read ${path}: it is not a vocab.txt of BERT, which has [UNK], [CLS] and [SEP]; compileCartridge() makes a cartridge of any list of tokens`;
  throw new TokenizerError(message, { code: 'NOT_A_CARTRIDGE' });
}

/** Compilations in progress, by file and entry in the cache. */
const underWay = new Map<string, Promise<UnsharedUint8Array>>();

/** Compiles a job and keeps the cartridge in the cache. Does not repeat a compilation in progress. */
function compiled(job: VocabularyJob & CompileJob, entry: string | undefined, compiler: LoadCompiler): Promise<UnsharedUint8Array> {
  if (entry === undefined) return run(job, {}, compiler);
  // The key includes everything that errors report.
  const key = [compiler.native ? 'native' : 'wasm', entry, job.source].join('\0');
  let work = underWay.get(key);
  if (!work) {
    work = compiledInto(entry, job, compiler).finally(() => underWay.delete(key));
    underWay.set(key, work);
  }
  return work;
}

async function compiledInto(entry: string, job: CompileJob, compiler: LoadCompiler): Promise<UnsharedUint8Array> {
  const cartridge = await run(job, {}, compiler);
  await keep(cartridge, entry);
  return cartridge;
}

/** `onProblem`: called if the files beside it cannot be read; without it, that is thrown. */
async function jobOfFile(
  file: ListFile,
  bytes: Buffer,
  options: CompileOptions,
  onProblem?: (why: TokenizerError) => void,
): Promise<VocabularyJob & CompileJob> {
  const { path } = file;
  const as = kindOfFile(file.as, bytes);
  if (as !== 'pieces') refuseForeign(bytes, path, as === 'lines');
  const composed = await composedAt(path, bytes, options.tokenizerConfig);
  const content = composed ? Buffer.from(JSON.stringify(composed.json)) : bytes;
  const job = vocabularyJob({ file: content, name: path, as }, options, path);
  if (!isNamedByModels(path, as)) return job;
  const { chat, namedTokens, bert, name, problem } = await modelFiles(path);
  const named = { ...job, name: options.name ?? nameInConfig(configOf(options)) ?? name ?? job.name };
  if (composed) named.namedTokens = namedTokensOf(JsonNode.ofValue(composed.config, path), undefined);
  if (options.tokenizerConfig !== undefined) return named;
  if (problem && !onProblem) throw problem;
  if (problem) onProblem?.(problem);
  return { ...named, chat, namedTokens: composed ? named.namedTokens : namedTokens, bert };
}

const NAMES = /^(?:(?:tokenizer|tekken|vocab)\.json|vocab\.txt)$/i;

/** Whether the file has one of the names beside which models publish their other files. */
function isNamedByModels(path: string, as: ListKind): boolean {
  return as === 'pieces' ? /^(?:tokenizer|spiece|sentencepiece)\./i.test(basename(path)) : NAMES.test(basename(path));
}

/** The path of a list of tokens, and its kind. */
interface ListFile {
  path: string;
  as: ListKind;
}

/** Undefined for other sources. */
function listFile(source: Source): ListFile | undefined {
  const text = source instanceof URL || tagOf(source) === 'URL' ? (source as URL).href : source;
  if (typeof text !== 'string') return undefined;
  const as = listKind(text);
  return as && { path: isUrl(text) ? pathOfUrl(new URL(text)) : text, as };
}

/** The bytes of a slim cartridge after expansion. */
export function expandCartridge(path: string, compiler: LoadCompiler): Promise<UnsharedUint8Array> {
  return run(cartridgeJob(outOfArchive(path), undefined, compileOptions({})), {}, compiler);
}

async function recompile(source: Source, options: CompileOptions, compiler: NodeCompiler): Promise<UnsharedUint8Array> {
  const cartridge = resolveSource(source);
  try {
    const dat = datOf(cartridge.source, options);
    if (options.version === 2 && !dat) checkNothingLost(cartridge.source, compiler);
    const job = cartridgeJob(outOfArchive(cartridge.source), dat, options);
    return await run(job, options, compiler);
  } catch (error) {
    throw explainUnopened(error, cartridge);
  }
}

/** A version 2 file cannot hold special tokens, and identifies the unknown id only by its token's name. */
function checkNothingLost(source: string | Uint8Array, compiler: NodeCompiler): void {
  const engine = compiler.open(source);
  try {
    const lost = lostInVersion2(engine);
    if (lost === undefined) return;
    throw new TokenizerError(`cannot compile to version 2: it cannot hold ${lost}`, { code: 'BUILD_FAILED' });
  } finally {
    engine.close();
  }
}

function lostInVersion2(engine: EngineTokenizer): string | undefined {
  const { model, unknownId, addedTokens } = engine.describe();
  if (model !== 'longest-match') return undefined; // the compiler reports this itself
  const special = addedTokens.find((token) => token.special);
  if (special) return `the special token ${JSON.stringify(special.text)}`;
  if (unknownId === undefined || isUnknownToken(engine.decode(Uint32Array.of(unknownId), false))) return undefined;
  return `the unknown id ${unknownId}, whose token is not <UNK>, <unk> or [UNK]`;
}

/** The job, and what runs it: the addon, or the bytes of the WebAssembly module. */
export interface CompileThreadData {
  job: CompileJob;
  module: Uint8Array | undefined;
}

/** Compiling a list of this many tokens takes as long as starting a thread. */
const TOKENS_HERE = 1 << 18;

/** Runs a job, on another thread unless it is small. */
export async function run(job: CompileJob, options: CompileOptions, compiler: LoadCompiler): Promise<UnsharedUint8Array> {
  const { native } = compiler;
  native?.(); // on this thread, so that the error for a missing addon is the usual one
  if (isSmall(job, TOKENS_HERE)) return onThisThread(compiler.compiler, job, options);
  const module = native ? undefined : readFileSync(compiler.module());
  const isFile = module !== undefined && 'cartridge' in job && typeof job.cartridge === 'string';
  const sent = isFile ? { ...job, cartridge: readCartridge(job.cartridge as string) } : job;
  return onThread((listener) => {
    const thread = startWork<CompileThreadData, CompileAnswer>('compile', `compile ${job.source}`, undefined, listener);
    // Not copied: the bytes of a file, which belong to the job.
    const file = 'tokens' in sent && 'file' in sent.tokens ? sent.tokens.file.buffer : undefined;
    thread.post({ job: sent, module }, file instanceof ArrayBuffer ? [file] : []);
    return () => thread.end();
  }, options);
}

// Locates the cached cartridge of a vocabulary file that `load` compiles: from the second time on, a file is only read and
// hashed.

/** To be incremented whenever the same source would give a different cartridge: with the format, or with the importer. */
const CACHE_VERSION = 42;

/** The entry in the cache for a source; undefined if caching is off. `options`: what else the cartridge depends on. */
async function cacheEntry(source: Uint8Array, options: object): Promise<string | undefined> {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  // Hashed on another thread: a large file takes a while.
  const content = await hashOf(source);
  const name = await hashOf(new TextEncoder().encode(keyOf(options, content)));
  return join(folder, name);
}

/** The same without waiting. */
export function cacheEntryNow(source: string, options: object): string | undefined {
  const folder = cacheFolder();
  if (folder === undefined) return undefined;
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  return join(folder, hash(keyOf(options, hash(source))));
}

function keyOf(options: object, content: string): string {
  return `${CACHE_VERSION}${forcedPath() ?? ''}\0${JSON.stringify(options)}\0${content}`;
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}
