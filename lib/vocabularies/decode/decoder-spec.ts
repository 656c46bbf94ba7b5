// Checks the decoder in a cartridge's metadata (cartridges/FORMAT.md, section 4): an untrusted file's metadata may be
// any JSON.

import { TokenizerError } from '../../base/errors.js';
import type { EngineTokenizer } from '../../engine/engine.js';

/** How a token's bytes represent the text that the steps start from. */
export type TextForm =
  /** As its UTF-8. */
  | 'plain'
  /** The same, with a space for each U+2581. */
  | 'marked'
  /** As the bytes of the text in ByteLevel's spelling. */
  | 'byte-level';

/**
 * A step, as in a tokenizer.json; Join stands for the absence of a decoder, and the last one is for SentencePiece. A regular expression, or an empty text, is a Program in the metadata, and what it finds in an open decoder.
 */
export type Step<Pattern = Matcher> =
  | { type: 'ByteLevel' }
  | { type: 'WordPiece'; prefix: string; cleanup: boolean }
  | { type: 'Metaspace'; replacement: string; prepend_scheme: 'always' | 'first' | 'never' }
  | { type: 'ByteFallback' }
  | { type: 'Fuse' }
  | { type: 'Strip'; content: string; start: number; stop: number }
  | { type: 'Replace'; pattern: { String: string } | Pattern; content: string }
  | { type: 'BPEDecoder'; suffix: string }
  | { type: 'CTC'; pad_token: string; word_delimiter_token: string; cleanup: boolean }
  | { type: 'Join' }
  | { type: 'SentencePiece'; strips: 'none' | 'first' | 'all'; bytes: boolean };

/** Words of a program for the engine's matcher. */
export interface Program {
  Program: readonly number[];
}
export interface Matcher {
  /** As in EngineTokenizer. */
  matches(text: string): Uint32Array;
}

export interface DecoderSpec<Pattern = Matcher> {
  form: TextForm;
  /** The texts of tokens that their bytes do not determine, by id. */
  texts?: Readonly<Record<string, string>>;
  /** The text that replaces a final byte 0xFF of a token. */
  suffix?: string | undefined;
  steps: readonly Step<Pattern>[];
}

/** Far more than any model has. */
const MOST_STEPS = 64;
const METADATA_SECTION = 1;

/** Throws a TokenizerError (`CORRUPT_STRUCTURE`) for an invalid decoder. `engine`: finds the matches of its patterns. */
export function checkedSpec(spec: unknown, engine: EngineTokenizer): DecoderSpec {
  const { form = 'plain', texts = {}, suffix, steps } = object(spec, 'decoder');
  if (form !== 'plain' && form !== 'marked' && form !== 'byte-level') throw wrong('decoder.form');
  for (const [id, text] of Object.entries(object(texts, 'decoder.texts'))) {
    if (!/^\d{1,10}$/.test(id) || typeof text !== 'string') throw wrong(`decoder.texts[${JSON.stringify(id.slice(0, 20))}]`);
  }
  if (suffix !== undefined && typeof suffix !== 'string') throw wrong('decoder.suffix');
  if (!Array.isArray(steps) || steps.length > MOST_STEPS) throw wrong('decoder.steps');
  const checked = steps.map((step, index) => checkedStep(step, `decoder.steps[${index}]`, engine));
  if (growsTooMuch(checked)) throw wrong('decoder.steps');
  return { form, texts: texts as Record<string, string>, suffix, steps: checked };
}

/** The fields of the steps; those of Replace besides its pattern. */
const FIELDS: Record<Step['type'], Record<string, (value: unknown) => boolean>> = {
  ByteLevel: {},
  ByteFallback: {},
  Fuse: {},
  Join: {},
  WordPiece: { prefix: isText, cleanup: isFlag },
  Metaspace: { replacement: isCharacter, prepend_scheme: isOneOf('always', 'first', 'never') },
  Strip: { content: isCharacter, start: isCount, stop: isCount },
  Replace: { content: isText },
  BPEDecoder: { suffix: isText },
  CTC: { pad_token: isText, word_delimiter_token: isText, cleanup: isFlag },
  SentencePiece: { strips: isOneOf('none', 'first', 'all'), bytes: isFlag },
};

function checkedStep(value: unknown, path: string, engine: EngineTokenizer): Step {
  const step = object(value, path);
  const { type } = step;
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) throw wrong(`${path}.type`);
  const checked: Record<string, unknown> = { type };
  for (const [name, isValid] of Object.entries(FIELDS[type as Step['type']])) {
    if (!isValid(step[name])) throw wrong(`${path}.${name}`);
    checked[name] = step[name];
  }
  if (type === 'Replace') checked.pattern = checkedPattern(step.pattern, `${path}.pattern`, engine);
  return checked as unknown as Step;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isOneOf(...texts: string[]): (value: unknown) => boolean {
  return (value) => texts.some((text) => text === value);
}

/** Whether a value is a text of a single character. */
export function isCharacter(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return value.length === (value.charCodeAt(0) >= 0xd800 && value.charCodeAt(0) < 0xdc00 ? 2 : 1);
}

function checkedPattern(value: unknown, path: string, engine: EngineTokenizer): { String: string } | Matcher {
  const { String: text, Program: words } = object(value, path);
  if (typeof text === 'string' && text !== '') return { String: text };
  if (!Array.isArray(words)) throw wrong(path);
  const program = Uint32Array.from(words);
  try {
    engine.matches(program, '');
  } catch {
    throw wrong(path);
  }
  return { matches: (text) => engine.matches(program, text) };
}

function object(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path);
  return value as Record<string, unknown>;
}

function wrong(path: string): TokenizerError {
  const message = `cannot decode with this cartridge: ${path} of its metadata is not one that this version reads`;
  return new TokenizerError(message, { code: 'CORRUPT_STRUCTURE', section: METADATA_SECTION });
}

// How much a decoder may make of a text: both the importer and whoever opens a cartridge ask, and neither needs the other.

/** How many times as long steps may make a text, all together, if each finds its pattern everywhere. */
const MOST_GROWTH = 1024;

/** Whether steps could make a text longer than that: a list that doubles a text would take all memory. */
export function growsTooMuch(steps: readonly DecoderStep[]): boolean {
  const growths = steps.map(({ type, content = '', pattern, suffix, word_delimiter_token }) => {
    const text = (pattern as { String?: string } | undefined)?.String;
    // A pattern may match around each character; so does an empty text, which becomes a space.
    if (type === 'Replace') return text ? content.length / text.length : content.length + 1;
    return suffix === '' || word_delimiter_token === '' ? 2 : 1;
  });
  return growths.reduce((all, growth) => all * Math.max(1, growth), 1) > MOST_GROWTH;
}

/** A step of a decoder (vocabularies/decode/decoder-spec.ts), or of a file. */
interface DecoderStep {
  type: string;
  content?: string;
  pattern?: object;
  suffix?: string;
  word_delimiter_token?: string;
}
