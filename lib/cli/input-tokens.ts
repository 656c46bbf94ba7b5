// The tokens of inputs for the text commands, with --special and --threads applied. Each input is one text.

import { policyOf } from '../api/arguments.js';
import type { Policy } from '../engine/engine.js';
import { TokenizerError } from '../base/errors.js';
import type { Tokenizer } from '../index.js';
import { partsOfFile } from '../api/async-encoding.js';
import { templateOf } from '../api/id-template.js';
import { engineOf, hostOf, vocabularyOf } from '../api/tokenizer.js';
import { isGzipFile } from '../io/gzip-in-node.js';
import { isLongFile, tellKind, textChunksOf } from './input/file-arguments.js';
import { InputError, reasonFor } from './command-errors.js';

/** Options common to the text commands. */
export interface TextOptions {
  source: string;
  special: 'text' | 'allow' | 'forbid' | string[];
  json: boolean;
  /** The most threads; undefined: all. */
  threads: number | undefined;
  /** Like `cacheBytes` of `encodeFile`. */
  cacheBytes: number | undefined;
  addSpecialTokens: boolean;
  /** The text of --text, which is then the only input. */
  text: string | undefined;
}

const LISTED = 12;
const NOTHING = new Uint32Array(0);

export function specialPolicy(tokenizer: Tokenizer, { special }: Pick<TextOptions, 'special'>): Policy {
  try {
    return policyOf({ special }, vocabularyOf(tokenizer));
  } catch (error) {
    if (!(error instanceof TokenizerError && error.code === 'UNKNOWN_SPECIAL')) throw error;
    const known = [...tokenizer.specialTokens.keys()];
    const more = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
    const has = known.length > 0 ? `has ${known.slice(0, LISTED).join(', ')}${more}` : 'has none';
    const wrong = JSON.stringify(special[error.position]);
    throw new InputError(
      `--special: expected text, allow, forbid or a list of special tokens but ${wrong} is not a special token of ` +
        `${tokenizer.name}, which ${has}`,
    );
  }
}

/** The tokens of a part of an input. */
interface InputPart {
  /** Empty when only counting. */
  ids: Uint32Array;
  tokens: number;
  /** How many bytes of the input were read for it. */
  bytes: number;
}

/** The tokens of an input in parts that fit into bounded memory. Threads encode a long file. */
export async function* tokensOf(
  tokenizer: Tokenizer,
  policy: Policy,
  file: string,
  options: TextOptions,
  counting: boolean,
): AsyncGenerator<InputPart> {
  const { prefix, suffix } = templateOf(options, vocabularyOf(tokenizer));
  const around = (ids: Uint32Array): InputPart => ({ ids: counting ? NOTHING : ids, tokens: ids.length, bytes: 0 });
  if (prefix.length > 0) yield around(prefix);
  yield* ownTokensOf(tokenizer, policy, file, options, counting);
  if (suffix.length > 0) yield around(suffix);
}

/** The tokens of an input, without the ids around a text. */
async function* ownTokensOf(
  tokenizer: Tokenizer,
  policy: Policy,
  file: string,
  { special, threads, cacheBytes, text }: TextOptions,
  counting: boolean,
): AsyncGenerator<InputPart> {
  if (text === undefined) tellKind(file);
  if (text === undefined && file !== '-' && isLongFile(file) && !isGzipFile(file)) {
    const parts = partsOfFile(hostOf(tokenizer), vocabularyOf(tokenizer), file, { special, threads, cacheBytes }, { counting });
    try {
      for await (const { ids, tokens, begin, end } of parts) yield { ids, tokens, bytes: end - begin };
    } catch (error) {
      throw ofFile(error);
    }
    return;
  }
  const session = engineOf(tokenizer).begin(policy, counting);
  let counted = 0;
  const next = (chunk: Uint8Array, last: boolean): InputPart => {
    const total = session.feed(chunk, last);
    const part = { ids: counting ? NOTHING : session.take(), tokens: total - counted, bytes: chunk.length };
    if (counting) counted = total;
    return part;
  };
  try {
    for await (const chunk of text === undefined ? textChunksOf(file) : [new TextEncoder().encode(text)]) yield next(chunk, false);
    yield next(new Uint8Array(0), true);
  } finally {
    session.end();
  }
}

/** A failure of the file itself, in the command's words. */
function ofFile(error: unknown): unknown {
  if (!(error instanceof TokenizerError)) return error;
  const { code, cause } = error;
  if (code === 'FILE_NOT_FOUND') return new InputError(reasonFor({ code: 'ENOENT' }));
  return code === 'FILE_UNREADABLE' && cause !== undefined ? new InputError(reasonFor(cause)) : error;
}
