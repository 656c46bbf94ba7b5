// The jobs of compileCartridge, in the form in which they go to another thread, and their answers. They are the same on every host.

import type { ImportedChat } from './chat-config.js';
import { decoderSpecOf } from './decoder-steps.js';
import type { Limits, Trimming } from './post-processor.js';
import { type ImportedRanks, isTekken, readTekken } from './tekken.js';
import type * as PatternTools from './pattern-tools.js';
import { readSentencePiece } from './sentencepiece/read-sentencepiece.js';
import {
  forcedPath,
  type ImportedVocabulary,
  type ImportTools,
  isTokenizerJson,
  needsPatterns,
  readTokenizerJson,
  whyGeneral,
} from './tokenizer-json.js';
import { JsonNode, shown } from './json-node.js';
import { checkFile } from './file-rules.js';
import { type BertConfig, isBertVocabulary, namedByBert, tokenizerJsonOf } from './vocab-txt.js';
import { type NamedTokens, rolesOf, type TokenRoles } from './token-roles.js';
import type { DecoderSpec, Program } from '../decode/decoder-spec.js';
import { type DatSource, readDat, unknownOf, type UnknownUnit } from '../open/dat.js';
import type { Dat } from '../../engine/compiler.js';
import { reasonInDat } from '../open/open-failed.js';
import { readTokenLines, readTokenList } from '../open/token-list.js';
import { utf8Text } from '../../base/text-encodings.js';
import { type Failure, failureOf, type PlainFailure, TokenizerError } from '../../base/errors.js';
import type { Templates } from '../metadata.js';
import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import type { Split } from '../patterns/compile-pattern.js';
import type { PatternRefusal } from '../patterns/pattern-section.js';
import { type KnownTokens, knownTokens, packTokens, SINGLE_WORD, type TokenToAdd } from '../compile/packed-tokens.js';
import type { CartridgeForm, Compiler, CompilerInput } from '../../engine/compiler.js';
import { programBytes } from '../compile/normalizer-steps.js';
import { mergesOfRanks, readRankLines } from '../compile/ranks.js';
import { refusedPattern, resolvedPretokenizer, type Scanner, scannerOf } from '../compile/scanner.js';
import { checkVocabulary, whyRefused, whyUnbuilt } from '../compile/vocabulary-checks.js';
import { byteLevel } from '../decode/bytes.js';
import type { Stage } from './pretokenizer.js';

/** A file of tokens: its bytes, its name for errors, and what it is. */
export interface TokenFile {
  file: Uint8Array;
  name: string;
  as: ListKind;
}

/** The tokens of a vocabulary, or the file that has them. */
export type TokenSource = KnownTokens | TokenFile;

/** A rank file, a list of tokens as JSON or a tokenizer.json or tekken.json, one token in each line, or a SentencePiece model. */
export type ListKind = 'ranks' | 'list' | 'lines' | 'pieces';

/** A vocabulary to compile, and what its tokens do not say. */
export interface VocabularyJob {
  tokens: TokenSource;
  model: 'bpe' | 'longest-match';
  /** Default: the id of the unknown token, if the list has one. */
  unknownId: number | undefined;
  /** Default: a character. */
  unknownUnit?: UnknownUnit | undefined;
  name: string;
  /** The name of a family, `none`, a pattern, or several. */
  pretokenizer: string | readonly Split[];
  specialTokens: [string, number][];
  /** Added tokens that are not special. */
  otherTokens?: [string, number][];
  /** One JSON object. Default: the name. */
  metadata?: string;
  /** The name of an option that the caller has passed, and that a file with the answer makes superfluous. */
  superfluous?: string | undefined;
  /** The templates of the model, for the metadata. */
  chat?: ImportedChat | undefined;
  /** What the files beside it say of its tokens; undefined if there are none. */
  namedTokens?: NamedTokens | undefined;
  /** What they say of one token in each line, if that is a vocabulary of BERT. */
  bert?: BertConfig | undefined;
}

/** A cartridge, or a version 2 file, to compile again: by its path or its bytes. */
export interface CartridgeJob {
  cartridge: string | Uint8Array;
  dat: DatSource | undefined;
}

/** What to compile to which form. `source`: what it is made of, for errors. */
export type CompileJob = (VocabularyJob | CartridgeJob) & { form: CartridgeForm; source: string };

/** A file or a cartridge this small is compiled in a millisecond or two, and a thread takes fifty to start. */
const SMALL_BYTES = 64 * 1024;
/** Tokens are 16 bytes each, if a list is not of very long ones. */
const TOKEN_BYTES = 16;

/**
 * Whether a job is too small for a thread. A list for longest match of at most `mostTokens` tokens is: compiling one takes about 0.2 µs
 * for each token, and the calling thread has read it already.
 */
export function isSmall(job: CompileJob, mostTokens = 0): boolean {
  if ('cartridge' in job) return typeof job.cartridge !== 'string' && job.cartridge.length <= SMALL_BYTES;
  if ('file' in job.tokens) return job.tokens.file.length <= SMALL_BYTES;
  if (job.model === 'bpe') return false;
  const { bytes, offsets } = job.tokens;
  return offsets.length <= mostTokens + 1 && bytes.length <= mostTokens * TOKEN_BYTES;
}

/**
 * How far compiling has come: `stage` by stage, and in each the `fraction` that is done. A stage that nobody can look
 * into is 0 and then 1.
 *
 * @example
 * ```ts
 * const seen: CompileProgress[] = [];
 * await compileCartridge(['a', 'b', 'ab'], { onProgress: (progress) => seen.push(progress) });
 * seen.at(-1); // { stage: 'build', fraction: 1 }
 * ```
 */
export interface CompileProgress {
  /** `'read'`: the source is read; `'tokens'`: it is parsed into tokens; `'build'`: the engine builds the file. */
  stage: 'read' | 'tokens' | 'build';
  /** 0 to 1. */
  fraction: number;
}

/** From the thread that compiles: how far it is, and finally the bytes or why there are none. */
export type CompileAnswer = { progress: CompileProgress } | { bytes: UnsharedUint8Array } | { failure: PlainFailure };

/** The bytes of a cartridge; or, of what has patterns, a function that makes them with the tools for these. */
export type Begun = UnsharedUint8Array | WithPatterns;

type WithPatterns = (tools: typeof PatternTools) => UnsharedUint8Array;

/** Compiles a job as far as that needs no patterns. `say` is called with the progress. */
export function beginJob(compiler: Compiler, job: CompileJob, say: (progress: CompileProgress) => void): Begun {
  if ('cartridge' in job) {
    const dat = job.dat && readDat(job.dat);
    const build = () => compiler.recompile(job.cartridge, dat, job.form);
    return building(job, say, build, (failure) => whyNotRecompiled(failure, job.form, dat));
  }
  say({ stage: 'tokens', fraction: 0 });
  const file = 'file' in job.tokens ? job.tokens : undefined;
  if (file?.as === 'pieces') return importPieces(compiler, job, file, say);
  const text = file && textOf(file);
  if (file?.as === 'list') {
    const root = JsonNode.ofFile(text as string, file.name);
    if (isTokenizerJson(root) || isTekken(root)) return importTokenizer(compiler, job, root, say);
  }
  if (file?.as === 'lines' && job.superfluous === undefined) {
    const lines = readTokenLines(text as string);
    if (isBertVocabulary(lines, file.name)) {
      const root = JsonNode.ofValue(tokenizerJsonOf(lines, job.bert), file.name);
      return importTokenizer(compiler, { ...job, namedTokens: namedByBert(job.namedTokens) }, root, say);
    }
  }
  const tokens = readTokens(job.tokens, text);
  checkVocabulary({ ...job, tokens }, file?.name);
  const resolved = resolvedPretokenizer(job.pretokenizer);
  const compiled = (scanner: Scanner) => compileTokens(compiler, job, tokens, scanner, say);
  if (typeof resolved === 'string') return compiled({ scanner: resolved });
  return (tools) => compiled(scannerOf(resolved, tools.patternTables, refusedPattern(resolved)));
}

function compileTokens(
  compiler: Compiler,
  job: VocabularyJob & CompileJob,
  tokens: KnownTokens,
  { scanner, pattern }: Scanner,
  say: (progress: CompileProgress) => void,
): UnsharedUint8Array {
  say({ stage: 'tokens', fraction: 1 });
  const { model, name, specialTokens, otherTokens = [] } = job;
  const views = [{ name, scanner, tokens: packTokens([...addedTokens(specialTokens, true), ...addedTokens(otherTokens, false)]) }];
  const idOf = (wanted: string) => [...specialTokens, ...otherTokens].find(([token]) => token === wanted)?.[1];
  const { metadata = metadataOf(job, rolesOf(job.namedTokens, { idOf })) } = job;
  const unknown = unknownOf(job.unknownId ?? tokens.unknownId, job.unknownUnit ?? 'character');
  const input = { ...tokens, model, metadata, views, pattern, unknown };
  const isRanks = 'file' in job.tokens && job.tokens.as === 'ranks';
  const build = () => (isRanks ? compileRanks(compiler, input, job.form) : compiler.compile(input, job.form));
  return building(job, say, build, (failure) =>
    isRefusedByVersion2(failure, job.form) ? NO_RANKS : whyRefused(failure, { ...job, tokens }),
  );
}

/** Compiles a tokenizer.json or tekken.json. */
function importTokenizer(
  compiler: Compiler,
  job: VocabularyJob & CompileJob,
  root: JsonNode,
  say: (progress: CompileProgress) => void,
): Begun {
  refuseOption(job, root.file);
  const compiled = (imported: ImportedVocabulary | ImportedRanks, tools?: typeof PatternTools, generalPath?: string) =>
    compileImported(compiler, job, imported, say, tools, {
      generalPath,
      pretokenizer: (why) => refusedPretokenizer(why, imported.pretokenizer, root),
      vocabulary: (failure) => ('model' in imported ? refusedImport(failure, root) : refusedTekken(failure, root)),
      decoder: root.at('decoder'),
    });
  if (isTekken(root)) {
    const ranks = readTekken(root);
    return typeof ranks.pretokenizer === 'string' ? compiled(ranks) : (tools) => compiled(ranks, tools);
  }
  checkFile(root);
  const general =
    (why: string): WithPatterns =>
    (tools) =>
      compiled(tools.readGeneral(root, importTools(compiler, tools)), tools, why);
  if (forcedPath() === 'general') return general('CRAYON_FORCE_PATH');
  const fast = (tools?: typeof PatternTools): Begun => {
    try {
      return compiled(readTokenizerJson(root, importTools(compiler, tools)), tools);
    } catch (error) {
      return general(whyGeneral(error));
    }
  };
  return needsPatterns(root) ? (tools) => finishedBytes(fast(tools), tools) : fast();
}

/** The bytes of what has begun. */
export function finishedBytes(begun: Begun, tools: typeof PatternTools): UnsharedUint8Array {
  return typeof begun === 'function' ? begun(tools) : begun;
}

/** Compiles a `.model` of SentencePiece. */
function importPieces(
  compiler: Compiler,
  job: VocabularyJob & CompileJob,
  { file, name }: TokenFile,
  say: (progress: CompileProgress) => void,
): UnsharedUint8Array {
  refuseOption(job, name);
  const vocabulary = readSentencePiece(file, name, job.namedTokens);
  return compileImported(compiler, job, vocabulary, say, undefined, {
    pretokenizer: ({ what }) => {
      throw new TokenizerError(`cannot import ${name}: ${what}`, { code: 'BUILD_FAILED' });
    },
    vocabulary: (failure) => refusedPieces(failure, name),
  });
}

function refuseOption({ superfluous }: VocabularyJob, name: string): void {
  if (superfluous !== undefined) throw new TypeError(`cannot use the option ${superfluous}: ${name} says it; leave it out`);
}

/** The errors for what the compiler refuses of a file, where its decoder is, and why it takes the general path, if so. */
interface Refusals {
  generalPath?: string | undefined;
  pretokenizer(why: PatternRefusal): never;
  vocabulary(failure: Failure): TokenizerError;
  decoder?: JsonNode;
}

/** `tools`: of a file that has patterns. */
function compileImported(
  compiler: Compiler,
  job: VocabularyJob & CompileJob,
  imported: ImportedVocabulary | ImportedRanks,
  say: (progress: CompileProgress) => void,
  tools: typeof PatternTools | undefined,
  refusals: Refusals,
): UnsharedUint8Array {
  const model = 'model' in imported ? imported : undefined;
  const { bytes, offsets, pretokenizer, addedTokens } = imported;
  const may = { drop: true, beInner: model?.model === 'bpe' };
  const { scanner, pattern }: Scanner =
    typeof pretokenizer === 'string'
      ? { scanner: pretokenizer }
      : scannerOf(pretokenizer, present(tools).patternTables, refusals.pretokenizer, may);
  say({ stage: 'tokens', fraction: 1 });
  const tokens = packTokens(addedTokens);
  const words = tokens.flags.some((flags) => flags & SINGLE_WORD) ? present(tools).wordRanges() : undefined;
  const { prefix, suffix } = imported.postProcessor;
  const around = { ids: Uint32Array.of(...prefix, ...suffix), prefix: prefix.length };
  const { normalizer = 0, program } = model ?? {};
  const views = [{ name: job.name, scanner, normalizer, tokens, template: around }];
  say({ stage: 'build', fraction: 0 });
  const { trimming, templates } = imported.postProcessor;
  const decoder = model && decoderSpecOf(model, () => present(tools).compileRegex, refusals.decoder);
  const metadata = metadataOf(job, imported.roles(job.namedTokens), {
    ...{ trimming, templates, decoder, generalPath: refusals.generalPath },
    ...model?.limits,
  });
  const common = { bytes, offsets, metadata, views, pattern, words, program: program && programBytes(program) };
  const outcome = model
    ? compiler.compile(
        { ...common, model: model.model, merges: model.merges, wordPiece: model.wordPiece, unigram: model.unigram, general: model.general },
        job.form,
      )
    : compileRanks(compiler, { ...common, model: 'bpe' }, job.form);
  if ('sentence' in outcome) {
    if (isRefusedByVersion2(outcome, job.form)) throw new TokenizerError(`cannot compile ${job.source}: ${NO_RANKS}`, outcome);
    throw refusals.vocabulary(outcome);
  }
  say({ stage: 'build', fraction: 1 });
  return outcome;
}

/** Of a file that has patterns, as needsPatterns says. */
function present(tools: typeof PatternTools | undefined): typeof PatternTools {
  if (!tools) throw new Error('the tools for patterns are not here');
  return tools;
}

function importTools(compiler: Compiler, tools: typeof PatternTools | undefined): ImportTools {
  const normalizedBy = (program: Uint8Array, text: string) => {
    const outcome = compiler.normalize(program, text);
    if (typeof outcome === 'string') return outcome;
    if (outcome.code === 'TEXT_TOO_LONG') return undefined;
    throw new TokenizerError(outcome.sentence, outcome);
  };
  return {
    normalized: (steps, text) => normalizedBy(programBytes(steps), text),
    normalizedBy,
    compiled(step) {
      if (step.kind !== 'replace-regex') return step;
      const pattern = present(tools).patternTables([{ pattern: step.pattern.at('Regex').text(), behavior: 'Isolated', invert: false }]);
      return 'what' in pattern
        ? step.pattern.at('Regex').unsupported(`${pattern.what}, which is not supported`)
        : { kind: 'replace-pattern', pattern, by: step.by };
    },
  };
}

/** Compiles ranks; where ranks alone do not determine the merges, as in some published files, with the merges that they imply. */
function compileRanks(compiler: Compiler, input: CompilerInput, form: CartridgeForm): UnsharedUint8Array | Failure {
  const outcome = compiler.compile(input, form);
  if (!('sentence' in outcome) || outcome.code !== 'BUILD_FAILED' || input.model !== 'bpe' || input.merges) return outcome;
  const merges = mergesOfRanks(input);
  return merges ? compiler.compile({ ...input, merges }, form) : outcome;
}

/** What the metadata keep of a file because the engine does not need it. */
interface Surroundings extends Limits {
  trimming?: readonly Trimming[];
  templates?: Partial<Templates> | undefined;
  decoder?: DecoderSpec<Program> | undefined;
  /** Why it takes the general path. */
  generalPath?: string | undefined;
}

/** The metadata of a cartridge (cartridges/FORMAT.md, section 4). */
function metadataOf({ name, chat }: VocabularyJob, roles: TokenRoles, surroundings: Surroundings = {}): string {
  const { trimming, templates, decoder, truncation, padding, generalPath } = surroundings;
  const hasRoles = Object.keys(roles).length > 0;
  return JSON.stringify({
    name,
    chat,
    roles: hasRoles ? roles : undefined,
    trimming: trimming && (trimming.length > 1 ? trimming : trimming[0]),
    templates,
    decoder,
    truncation,
    padding,
    generalPath,
  });
}

function building(
  { source }: CompileJob,
  say: (progress: CompileProgress) => void,
  build: () => UnsharedUint8Array | Failure,
  why: (failure: Failure) => string,
): UnsharedUint8Array {
  say({ stage: 'build', fraction: 0 });
  const outcome = build();
  // Not by its class: under Jest the addon's arrays are of another realm.
  if ('sentence' in outcome) throw new TokenizerError(`cannot compile ${source}: ${why(outcome)}`, outcome);
  say({ stage: 'build', fraction: 1 });
  return outcome;
}

const NO_RANKS = 'version 2 holds vocabularies of longest match, and none of ranks';

/** By then, errors in the tokens have been found. */
function isRefusedByVersion2({ code }: Failure, form: CartridgeForm): boolean {
  return form === 'dat' && code === 'INVALID_ARGUMENT';
}

function whyNotRecompiled(failure: Failure, form: CartridgeForm, dat: Dat | undefined): string {
  const { sentence, section, position } = failure;
  const reason = dat && reasonInDat(failure, dat);
  if (reason !== undefined) return reason;
  if (isRefusedByVersion2(failure, form)) return NO_RANKS;
  return section === 0 && position === 0 ? sentence : `${sentence} (section ${section}, position ${position})`;
}

/** The text of a file. The reader of ranks finds invalid base64. */
function textOf({ file, name, as }: TokenFile): string {
  return as === 'ranks' ? new TextDecoder('latin1').decode(file) : utf8Text(file, name);
}

/** `text`: of a file. */
function readTokens(source: TokenSource, text: string | undefined): KnownTokens {
  if (!('file' in source) || text === undefined) return source as KnownTokens;
  const { name, as } = source;
  return knownTokens(as === 'ranks' ? readRankLines(text, name) : as === 'list' ? readTokenList(text, name) : readTokenLines(text));
}

function addedTokens(tokens: [string, number][], special: boolean): TokenToAdd[] {
  return tokens.map(([text, id]) => ({ text, id, special }));
}

/** The answer for a job. */
export async function answerTo(
  compiler: () => Compiler | Promise<Compiler>,
  job: CompileJob,
  say: (progress: CompileProgress) => void,
): Promise<CompileAnswer> {
  try {
    const begun = beginJob(await compiler(), job, say);
    return { bytes: typeof begun === 'function' ? begun(await import('./pattern-tools.js')) : begun };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

// Explains why the compiler refused an imported vocabulary, and names the JSON path in its file.

function refusedImport(failure: Failure, root: JsonNode): TokenizerError {
  const { code, position } = failure;
  if (code === 'MISSING_BYTE_TOKEN') {
    const character = byteLevel(Uint8Array.of(position));
    return root
      .at('model')
      .at('vocab')
      .error(`expected a token for each of the 256 bytes but found no ${shown(character)}`, code);
  }
  const what = position === 0 ? failure.sentence : `${failure.sentence} (position ${position})`;
  return root.error(what, code);
}

/** The same for a SentencePiece model. */
function refusedPieces(failure: Failure, name: string): TokenizerError {
  const { position, section, sentence } = failure;
  return new TokenizerError(`cannot import ${name}: ${sentence} (section ${section}, position ${position})`, failure);
}

/** The same for a tekken.json. */
function refusedTekken(failure: Failure, root: JsonNode): TokenizerError {
  const { code, position, sentence } = failure;
  const vocab = root.at('vocab');
  const specials = root.at('config').at('default_num_special_tokens').id(Infinity);
  if (code === 'DUPLICATE_TOKEN' && position >= specials) {
    const rank = position - specials;
    let node = vocab;
    vocab.eachElement((_, at, index) => {
      if (index === rank) node = vocab.element(index, at);
      return index === rank;
    });
    return node.at('token_bytes').error('another rank has the same bytes', code);
  }
  if (code === 'MISSING_BYTE_TOKEN') return vocab.error(`expected a token for each of the 256 bytes but found none for ${position}`, code);
  if (code === 'BUILD_FAILED') return root.error(whyUnbuilt(sentence, position), code);
  return root.error(position === 0 ? sentence : `${sentence} (position ${position})`, code);
}

/** For patterns without tables. */
function refusedPretokenizer({ what, index }: PatternRefusal, stages: string | readonly Stage[], root: JsonNode): never {
  const stage = index === undefined || typeof stages === 'string' ? undefined : stages[index];
  const node = stage?.node ?? root.at('pre_tokenizer');
  const pattern = node.at('pattern').at('Regex');
  return (stage && !pattern.isNone ? pattern : node).unsupported(`${what}`);
}
