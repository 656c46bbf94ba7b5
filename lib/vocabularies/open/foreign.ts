// Recognizes files that people pass by mistake, by their first bytes, and says what to do.

import { TokenizerError } from '../../base/errors.js';
import { bytesOf, tagOf } from '../../base/views.js';

/** How many bytes suffice to recognize a file. */
export const TELLING = 512;

const TOKENIZER_JSON = "use the model's tokenizer.json";
const NO_VOCABULARY = `has weights, not a vocabulary: ${TOKENIZER_JSON}`;

/** Recognized by first bytes that begin neither base64 nor text. */
const MAGIC: [bytes: RegExp, what: string][] = [
  [/^\x1f\x8b/, 'it is compressed with gzip: decompress it first (gunzip; in a page, DecompressionStream)'],
  [/^\x28\xb5\x2f\xfd/, 'it is compressed with zstd: decompress it first'],
  [/^\xfd7zXZ\0/, 'it is compressed with xz: decompress it first'],
  [/^BZh[1-9]1AY&SY/, 'it is compressed with bzip2: decompress it first'],
  [/^PK\x03\x04/, `it is a zip archive, as PyTorch writes models, too: unpack it; one of a model ${NO_VOCABULARY}`],
  [/^GGUF[\x01-\x0f]\0/, `it is a model of llama.cpp (GGUF), which is not supported: ${TOKENIZER_JSON}`],
  [/^(?:\x89PNG|\xff\xd8\xff|GIF8|%PDF-)/, `it is an image or a document: ${TOKENIZER_JSON}`],
  [/^\xff\xfe/, 'it is UTF-16, and must be UTF-8'],
  [/^\xfe\xff/, 'it is UTF-16, and must be UTF-8'],
];

const PAGE = 'it is a page of HTML or XML: the download was an error page, or one that asks for a login or an access token';

/**
 * Recognized by the beginning of their text, after white space and a byte order mark. Specific enough not to match a list
 * of tokens, which may begin with `<html>`.
 */
const TEXTS: [beginning: RegExp, what: string][] = [
  [/^version https:\/\/git-lfs/, 'it is a pointer of Git LFS, not the file: run "git lfs pull" where it was cloned, or download it'],
  [/^<(?:!doctype\s+html|\?xml\s)/i, PAGE],
  [/^#version: [\d.]+\s*\n/, 'it is a merges.txt, which has no ids: pass the vocab.json beside it, or the tokenizer.json, which has both'],
];

/** The whole of a server's answer instead of a file: Hugging Face's, as text. */
const ANSWER =
  /^(?:(?:Entry|Repository|Revision) not found|Invalid username or password\.|Invalid credentials in Authorization header|Access to model \S+ is restricted\b[^\n]*)\s*$/;

/**
 * What a file is if it is neither a cartridge nor a vocabulary, and what to do; undefined for all others. `head`: its
 * beginning.
 */
export function foreign(head: Uint8Array): string | undefined {
  const text = textOf(head);
  const magic = MAGIC.find(([bytes]) => bytes.test(text));
  if (magic) return magic[1];
  if (isSentencePiece(head)) return 'it is a SentencePiece model: its name must end in .model';
  // The length of the header, then the header in JSON.
  if (/^[\s\S]{4}\0{4}\{"/.test(text)) return `it is a file of safetensors, which ${NO_VOCABULARY}`;
  if (/^\x80[\x02-\x05]/.test(text)) return `it is a pickle of Python: a model of PyTorch ${NO_VOCABULARY}`;
  const answer = ANSWER.exec(begun(text))?.[0];
  if (answer !== undefined) return answered(answer.trimEnd());
  return TEXTS.find(([beginning]) => beginning.test(begun(text)))?.[1];
}

function answered(answer: string): string {
  return `it is the answer of a server that did not give the file: ${JSON.stringify(answer.slice(0, 200))}`;
}

/** The same, restricted to what even a list of lines cannot be. */
function foreignToAll(head: Uint8Array): string | undefined {
  if (head.length === 0) return 'it is empty: was it downloaded or written to its end?';
  return foreign(head) ?? (/^<[a-z!?/]/i.test(begun(textOf(head))) ? PAGE : undefined);
}

/** The same for bytes that do not begin like a cartridge. */
export function notACartridge(head: Uint8Array): string | undefined {
  const known = foreignToAll(head);
  if (known !== undefined) return known;
  const text = begun(textOf(head));
  if (text.startsWith('{')) return 'it is JSON: its name must end in .json';
  if (/^\[(?:PAD|UNK|CLS)\]\r?\n/.test(text)) return 'it is a vocab.txt of WordPiece (BERT): its name must end in vocab.txt';
  if (text.startsWith('['))
    return 'it is a list in JSON: compileCartridge() takes a list of tokens as an array, or a file of it that ends in .json';
  if (/^(?:null|true|false|"|-?\d)/.test(text) && isParsed(text)) return 'it is JSON, but no object: a tokenizer.json is one';
  if (/^[A-Za-z0-9+/]+=* \d+\r?\n/.test(text)) return 'it is a list of ranks: its name must end in .tiktoken';
  const [line] = /^[\x20-\x7e]+/.exec(text) ?? [];
  return line !== undefined && /^[\t\r\n\x20-\x7e]*$/.test(text)
    ? `it is text, and begins ${JSON.stringify(line.slice(0, 80))}`
    : undefined;
}

/** Throws a TokenizerError for a file recognized as something else; `isLines`: a list with one token per line is expected. */
export function refuseForeign(bytes: Uint8Array, file: string, isLines = false): void {
  const what = (isLines ? foreign : foreignToAll)(bytes.subarray(0, TELLING));
  if (what !== undefined) throw new TokenizerError(`cannot read ${file}: ${what}`, { code: 'NOT_A_CARTRIDGE' });
}

/** Describes the object in a JSON file that is not a vocabulary. */
export function foreignObject(object: Readonly<Record<string, unknown>>): string | undefined {
  const has = (...keys: string[]) => keys.some((key) => Object.hasOwn(object, key));
  const beside = 'the tokenizer.json beside it has';
  if (has('tokenizer_class', 'chat_template', 'added_tokens_decoder'))
    return `it is a tokenizer_config.json, which has no vocabulary: ${beside}`;
  if (has('model_type', 'architectures')) return `it is the config.json of a model, which has no vocabulary: ${beside}`;
  if (has('bos_token', 'eos_token', 'unk_token')) return `it is a special_tokens_map.json, which has no vocabulary: ${beside}`;
  if (typeof object.error === 'string') return answered(object.error);
  const ids = Object.values(object);
  if (ids.length === 0 || ids.some((id) => typeof id !== 'number')) return undefined;
  return `it is a vocab.json, which needs the merges.txt of its model beside it: ${beside} all of it`;
}

/** Recognizes a message whose first field is a message with a text, and a score or a type: a SentencePiece piece. */
export function isSentencePiece(head: Uint8Array): boolean {
  const [field, length = 0, inner, text = 0] = head;
  return (
    field === 0x0a &&
    inner === 0x0a &&
    text + 2 <= length &&
    (head.length <= 4 || text + 2 === length || [0x15, 0x18].includes(head[4 + text] as number))
  );
}

/** The bytes as characters. */
function textOf(head: Uint8Array): string {
  return String.fromCharCode(...head.subarray(0, TELLING));
}

/** The text from the first character that is neither white space nor a byte order mark. */
function begun(text: string): string {
  return text.replace(/^\xef\xbb\xbf/, '').trimStart();
}

function isParsed(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

// Recognizes JSON vocabularies and rank files among the sources: they must be compiled before opening.

/** Files of JSON, ranks, SentencePiece and BERT. Llama 3's rank files are named like SentencePiece models. */
const COMPILED = /\.(?:json|tiktoken|model(?:\.v\d\w*)?)$|(?:^|[./\\])vocab\.txt$/i;

/** Whether a file must be compiled, by its name. */
export function isCompiledLocation(location: string): boolean {
  return COMPILED.test(location);
}

/**
 * Whether a source must be compiled: by its name, or because its bytes begin like JSON or a SentencePiece model. No
 * cartridge's do.
 */
export function isCompiledSource(source: unknown): boolean {
  if (typeof source === 'string') return isCompiledLocation(source);
  if (source instanceof URL || tagOf(source) === 'URL') return isCompiledLocation((source as URL).pathname);
  const bytes = bytesOf(source, 'source');
  return bytes !== undefined && isCompiledFile(bytes);
}

/** Whether a file must be compiled, by its bytes alone. */
export function isCompiledFile(bytes: Uint8Array): boolean {
  return isJson(bytes) || isSentencePiece(bytes);
}

/** Whether bytes begin like a JSON object: with a brace, after white space or a byte order mark. */
export function isJson(bytes: Uint8Array): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  for (let at = hasMark ? 3 : 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0x20 && (byte < 9 || byte > 13)) return byte === 0x7b;
  }
  return false;
}

/** Throws a TokenizerError for sources that must be compiled, which takes too long for a synchronous call. */
export function refuseCompiled(source: unknown): void {
  if (!isCompiledSource(source)) return;
  const message =
    'cannot load JSON, ranks, a vocab.txt or a .model with loadSync, which compiles nothing: await Tokenizer.load(), or open the ' +
    'cartridge that compileCartridge() or "crayon compile" makes of it';
  throw new TokenizerError(message, { code: 'NOT_A_CARTRIDGE' });
}
