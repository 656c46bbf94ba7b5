// `crayon encode --jsonl`: a line with ids for each line of JSON, in order. What has arrived is answered before more is awaited, so
// that programs can hold a conversation with it; memory is bounded by the longest line.

import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';

import { TokenizerError } from '../base/errors.js';
import { printable } from '../base/text-encodings.js';
import { type Texts, textsAt } from '../datasets/readers/text-of.js';
import { Tokenizer } from '../index.js';
import { reasonOf, report } from './report-failures.js';
import { write } from './output/terminal.js';
import { InputError } from './command-errors.js';
import { textChunksOf } from './input/file-arguments.js';
import { specialPolicy, type TextOptions } from './input-tokens.js';

/** Ids to write as text at a time, and units of text from which on to write it out. */
const RENDERED = 256 * 1024;
const WRITTEN = 1024 * 1024;

interface LineOptions extends Omit<TextOptions, 'json' | 'text'> {
  /** The key of the text in a line, or a JSON pointer. */
  field: string;
  /** Answer a line without a text by its error, instead of failing. */
  skipDamaged: boolean;
}

/** What a line asks for: the ids of a text, behind the beginning of its answer; nothing, if it is blank; or it is damaged. */
type Line = { begin: string; text: string } | { isBlank: true } | { reason: string };

/** Whether all inputs succeeded. */
export async function encodeLines(inputs: string[], options: LineOptions): Promise<boolean> {
  using tokenizer = await Tokenizer.load(options.source, { cacheBytes: options.cacheBytes });
  specialPolicy(tokenizer, options); // whose error says more than a batch's
  let failed = false;
  for (const file of inputs) {
    const controller = new AbortController();
    try {
      await answerInput(textChunksOf(file, 0, controller.signal), tokenizer, options);
    } catch (error) {
      failed = true;
      report(file, error);
    } finally {
      controller.abort(); // or a standard input that stays open would keep the process
    }
  }
  return !failed;
}

async function answerInput(chunks: AsyncIterable<Uint8Array>, tokenizer: Tokenizer, options: LineOptions): Promise<void> {
  const splitter = new LineSplitter();
  const textOf = textsAt(options.field);
  let answered = 0;
  const answer = async (lines: (Buffer | undefined)[]) => {
    if (lines.length === 0) return;
    const asked = lines.map((bytes, index) => lineOf(bytes, textOf, answered + index === 0));
    await answerLines(asked, answered, tokenizer, options);
    answered += lines.length;
  };
  for await (const arrived of arrivals(chunks)) await answer(splitter.push(arrived));
  await answer(splitter.end());
}

/** Writes the answers to lines, the first of which is line `before` + 1. Throws for one that is damaged, behind the answers before it. */
async function answerLines(lines: readonly Line[], before: number, tokenizer: Tokenizer, options: LineOptions): Promise<void> {
  const rows = await idsOf(
    lines.flatMap((line) => ('text' in line ? [line.text] : [])),
    tokenizer,
    options,
  );
  let output = '';
  let row = 0;
  for (const [index, line] of lines.entries()) {
    const answer = 'text' in line ? (rows[row++] as Uint32Array | string) : 'reason' in line ? line.reason : undefined;
    if (typeof answer === 'string') {
      const number = before + index + 1;
      if (!options.skipDamaged) {
        if (output !== '') await write(output);
        throw new InputError(`line ${number}: ${answer}`);
      }
      output += JSON.stringify({ error: answer, line: number });
    } else if ('text' in line && answer) {
      output += line.begin;
      for (let at = 0; at < answer.length; at += RENDERED) {
        output += `${at > 0 ? ',' : ''}${answer.subarray(at, at + RENDERED).join(',')}`;
        if (output.length < WRITTEN) continue;
        await write(output);
        output = '';
      }
      output += ']}';
    }
    output += '\n';
  }
  await write(output);
}

/** The ids of each text, or why the vocabulary cannot encode it. */
async function idsOf(texts: string[], tokenizer: Tokenizer, options: LineOptions): Promise<(Uint32Array | string)[]> {
  const { special, addSpecialTokens, threads } = options;
  if (texts.length === 0) return [];
  try {
    return [...(await tokenizer.encodeBatchAsync(texts, { special, addSpecialTokens, threads }))];
  } catch (error) {
    if (!(error instanceof TokenizerError) || error.row === undefined) throw error;
  }
  return texts.map((text) => {
    try {
      return tokenizer.encode(Buffer.from(text), { special, addSpecialTokens });
    } catch (error) {
      if (!(error instanceof TokenizerError)) throw error;
      return reasonOf(error);
    }
  });
}

/** `bytes`: undefined for a line that no string holds. */
function lineOf(bytes: Buffer | undefined, textOf: Texts, isFirst: boolean): Line {
  if (bytes === undefined) return { reason: `it is longer than ${LONGEST_LINE} bytes` };
  if (!isUtf8(bytes)) return { reason: 'it is not UTF-8' };
  const json = (isFirst ? bytes.toString().replace(/^\uFEFF/, '') : bytes.toString()).trim();
  if (json === '') return { isBlank: true };
  try {
    const record: unknown = JSON.parse(json);
    if (typeof record === 'string') return { begin: '{"ids":[', text: record };
    const text = textOf(record);
    if (Array.isArray(record)) return { begin: '{"ids":[', text };
    if (Object.hasOwn(record as object, 'ids')) return { reason: 'it has "ids" already' };
    // The line as it is, since numbers may have more digits than JavaScript keeps.
    return { begin: `${json.slice(0, -1)},"ids":[`, text };
  } catch (error) {
    return { reason: printable((error as Error).message) };
  }
}

const READ_AHEAD = 1024 * 1024;

/**
 * What has arrived from a source while its reader was busy, or what comes next: little from a slow source, which wants an answer at
 * once, and much from a fast one, where work pays by the batch.
 */
async function* arrivals(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let failure: { error: unknown } | undefined;
  async function* untilFailure() {
    try {
      yield* source;
    } catch (error) {
      failure = { error }; // a stream that fails drops what has arrived
    }
  }
  // Where it waits for its reader, a stream of bytes hands out all that it holds as one chunk.
  yield* Readable.from(untilFailure(), { objectMode: false, highWaterMark: READ_AHEAD }) as AsyncIterable<Uint8Array>;
  if (failure) throw failure.error;
}

const LINE_FEED = 0x0a;
const EMPTY = Buffer.alloc(0);

/** The longest line in bytes: about what a string holds. */
const LONGEST_LINE = 2 ** 29 - 25;

/** Chunks of bytes to lines, in time that is linear in their length. */
class LineSplitter {
  /** The beginning of the next line. */
  #parts: Uint8Array[] = [];
  #size = 0;

  /** The lines that end in a chunk, without their line feeds. Undefined in place of a line that is too long. */
  push(chunk: Uint8Array): (Buffer | undefined)[] {
    const lines: (Buffer | undefined)[] = [];
    let from = 0;
    for (let end: number; (end = chunk.indexOf(LINE_FEED, from)) >= 0; from = end + 1) {
      this.#add(chunk.subarray(from, end));
      lines.push(this.#line());
    }
    this.#add(chunk.subarray(from));
    return lines;
  }

  /** The last line, if no line feed ends it. */
  end(): (Buffer | undefined)[] {
    return this.#size > 0 ? [this.#line()] : [];
  }

  #add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#size > LONGEST_LINE) this.#parts = [];
    else this.#parts.push(part);
  }

  #line(): Buffer | undefined {
    const [first, ...others] = this.#parts;
    const isTooLong = this.#size > LONGEST_LINE;
    this.#parts = [];
    this.#size = 0;
    if (isTooLong) return undefined;
    if (first === undefined) return EMPTY;
    return others.length > 0 ? Buffer.concat([first, ...others]) : Buffer.from(first.buffer, first.byteOffset, first.length);
  }
}
