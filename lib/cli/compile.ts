// `crayon compile`: compiles a list of tokens, a rank file or a model's file, or converts a cartridge, to a file.

import { printable, utf8Text } from '../base/text-encodings.js';
import { kindOfFile, listKind } from '../vocabularies/import/job-of-source.js';
import type { CompileOptions } from '../vocabularies/import/compile-cartridge.js';
import { listLocation, namesDat } from '../vocabularies/open/dat.js';
import { listBeside, resolveSource } from '../vocabularies/open/sources-in-node.js';
import { compileCartridge, Tokenizer } from '../index.js';
import { TELLING } from '../vocabularies/open/foreign.js';
import { beginningOf, readRegularFileAsync, TOKEN_LIST } from '../io/regular-file.js';
import { writeTokenList } from '../vocabularies/open/token-list.js';
import { engineOf } from '../api/tokenizer.js';
import { InputError, UsageError } from './command-errors.js';
import { inThousands } from './output/fields.js';
import { isSameFile, writeList, writeWhole } from './output/output-file.js';
import { Progress, tell, write } from './output/terminal.js';
import { nameOf } from './input/file-arguments.js';
import { TokenizerError } from '../base/errors.js';

const STEPS = ['read', 'tokens', 'build'];

interface CompileCommandOptions extends CompileOptions {
  /** A path, or `-` for standard output. */
  output: string;
  json: boolean;
  progress: boolean;
  /** A path; false for none. */
  config?: string | false;
}

/** Writes the file; for version 2 also the list of its tokens, before it. */
export async function compile(source: string, options: CompileCommandOptions): Promise<boolean> {
  checkUsage(source, options);
  const { output, json, progress, config, ...rest } = options;
  if (config !== undefined) rest.tokenizerConfig = config === false ? false : await configOf(config);
  const version = namesDat(output) ? 2 : 3;
  const work = (onProgress: CompileOptions['onProgress']) => compileCartridge(source, { ...rest, version, onProgress });
  const bytes = await withSteps(progress, work).catch((error) => {
    throw explainCompileError(error, source);
  });
  const list = version === 2 ? listLocation(output) : undefined;
  if (list !== undefined) await writeList(list, output, await listOf(source, bytes));
  if (output === '-') await write(bytes);
  else await writeWhole(output, bytes);
  const slim = options.slim ?? false;
  const facts = JSON.stringify({ file: output, bytes: bytes.length, slim, list });
  const notes = [...(slim ? ['slim'] : []), ...(list === undefined ? [] : [`version 2; its tokens are in ${list}`])];
  const inWords = [`${nameOf(output, 'standard output')}: ${inThousands(bytes.length)} bytes`, ...notes].join(', ');
  if (output === '-') tell(json ? facts : inWords);
  else await write(`${json ? facts : inWords}\n`);
  return true;
}

/** Throws a UsageError for options that do not fit the source or the output. */
function checkUsage(source: string, options: CompileCommandOptions): void {
  const { output, slim, name, model, pretokenizer, specialTokens, unknownId, unknownUnit } = options;
  const pattern = typeof pretokenizer === 'object' ? pretokenizer : undefined;
  const flags = { name, model, pattern, pretokenizer, 'special-token': specialTokens };
  if (output === '-' && process.stdout.isTTY) {
    throw new UsageError('--output -: standard output is a terminal, and a cartridge is binary; redirect it to a file');
  }
  if (isSameFile(output, source)) throw new InputError(`--output ${output} is the file to compile`);
  const named = listKind(source);
  // Read only if it matters: a .model may be a rank file, which needs a pretokenizer.
  const kind = named === 'ranks' ? kindOfFile(named, beginningOf(source, TELLING) ?? new Uint8Array()) : named;
  const flag = Object.entries(flags).find(([, value]) => value !== undefined);
  if (kind === undefined && flag) {
    throw new UsageError(`--${flag[0]} is for a list of tokens or a rank file; ${source} is neither`);
  }
  if (kind === undefined && options.config !== undefined) {
    throw new UsageError(`--config is for a tokenizer.json, tekken.json or rank file; ${source} is none of these`);
  }
  const isBpe = (model ?? (kind === 'ranks' ? 'bpe' : 'longest-match')) === 'bpe';
  if (isBpe && pretokenizer === undefined) {
    throw new UsageError(
      `--pretokenizer: expected one of gpt2, cl100k, o200k, qwen2, tekken, deepseek3, none for BPE (or --pattern), which ${source} becomes`,
    );
  }
  const unknown = unknownId === undefined ? (unknownUnit === undefined ? undefined : '--unknown-unit') : '--unknown-id';
  if (unknown !== undefined && isBpe) throw new UsageError(`${unknown} is for longest match; ${source} becomes BPE`);
  if (unknown !== undefined && kind === undefined && !namesDat(resolveSource(source).source as string)) {
    throw new UsageError(`${unknown} is for a list of tokens or a version 2 file; ${source} is neither`);
  }
  if (!namesDat(output)) return;
  if (slim) throw new UsageError(`--slim: a version 2 file, ${output}, has no slim form`);
  if (specialTokens) throw new UsageError(`--special-token: a version 2 file, ${output}, has no special tokens`);
  if (isBpe) throw new UsageError(`--output ${output}: a version 2 file has no vocabulary of BPE`);
  if (unknownUnit !== undefined) throw new UsageError(`--unknown-unit: a version 2 file, ${output}, does not have it; its readers say it`);
  if (unknownId === undefined) return;
  throw new UsageError(`--unknown-id: a version 2 file, ${output}, has it as the token <UNK>, <unk> or [UNK]`);
}

/** The content of a tokenizer_config.json. */
async function configOf(path: string): Promise<Record<string, unknown>> {
  const text = utf8Text(await readRegularFileAsync(path, TOKEN_LIST), path);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path} is not JSON (${printable((error as Error).message)})`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new InputError(`${path} is not a tokenizer_config.json: expected an object`);
  }
  return parsed as Record<string, unknown>;
}

async function withSteps<T>(wanted: boolean, work: (onProgress: CompileOptions['onProgress']) => Promise<T>): Promise<T> {
  const progress = new Progress(STEPS.length, wanted);
  try {
    return await work(({ stage }) => progress.at(STEPS.indexOf(stage), STEPS.length, `; ${stage}`));
  } finally {
    progress.end();
  }
}

/** The list beside a version 2 file: the source's own, unchanged, if it has one; else a list of strings. */
async function listOf(source: string, dat: Uint8Array): Promise<string> {
  if (listKind(source) === 'list') return (await readRegularFileAsync(source, TOKEN_LIST)).toString();
  if (listKind(source) === undefined) {
    const { source: file } = resolveSource(source);
    const beside = typeof file === 'string' && namesDat(file) ? listBeside(file) : undefined;
    if (beside) return beside.text;
  }
  using tokenizer = Tokenizer.loadSync(dat);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const tokens = Array.from({ length: tokenizer.vocabularySize }, (_, id) => engineOf(tokenizer).tokenBytes(id));
  return writeTokenList(tokens.map((bytes) => (bytes ? decoder.decode(bytes) : '')));
}

const FLAGS: Record<string, string> = {
  model: '--model',
  pretokenizer: '--pretokenizer or --pattern',
  specialTokens: '--special-token',
  unknownId: '--unknown-id',
  unknownUnit: '--unknown-unit',
};

/** Renames the subject of an error to the command's terms. */
export function explainCompileError(error: unknown, source: string): unknown {
  const isSaid =
    error instanceof TypeError ? /^cannot use the option (\w+): .* says it; leave it out$/.exec(error.message)?.[1] : undefined;
  if (isSaid)
    return new UsageError(
      `${FLAGS[isSaid] ?? isSaid} is for a list of tokens or a rank file; ${source} is the file of a model, which says it`,
    );
  if (!(error instanceof TokenizerError || error instanceof RangeError)) return error;
  const message = error.message
    .replace(/ for unknownId /, ' for --unknown-id ')
    .replace(/ for pretokenizer(?:\[\d+\])? /, ' for --pattern ')
    .replace(/ for specialTokens\[(.*)\] but /, ' for --special-token $1 but ');
  return new InputError(listKind(source) === 'lines' ? withLines(message) : message);
}

function withLines(message: string): string {
  const line = (id: string) => Number(id) + 1;
  return message.replace(/the ids (\d+) and (\d+)/, (ids, a: string, b: string) => `${ids} (lines ${line(a)} and ${line(b)})`);
}
