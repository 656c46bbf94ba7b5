// `crayon encode --jsonl`: a line with ids for each line of JSON, in order. What has arrived is answered before more is awaited, so
// that programs can hold a conversation with it; memory is bounded by the longest line.

import { isUtf8 } from 'node:buffer';

import { TokenizerError } from '../base/errors.js';
import { printable } from '../base/texts.js';
import { type Texts, textsAt } from '../dataset/readers/text-of.js';
import { Tokenizer } from '../index.js';
import { reasonOf, report } from './failures.js';
import { Arrivals } from './input/arrivals.js';
import { LineSplitter, LONGEST_LINE } from './input/line-splitter.js';
import { write } from './output/standard-streams.js';
import { InputError, textChunksOf } from './output/streams.js';
import { specialPolicy, type TextOptions } from './tokens.js';

/** Ids to write as text at a time, and units of text from which on to write it out. */
const RENDERED = 256 * 1024;
const WRITTEN = 1024 * 1024;

/** Options of the command. */
export interface LineOptions extends Omit<TextOptions, 'json' | 'text'> {
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
  const arrivals = new Arrivals(chunks);
  const splitter = new LineSplitter();
  const textOf = textsAt(options.field);
  let answered = 0;
  for (;;) {
    const arrived = await arrivals.take();
    const lines: Line[] = [];
    for (const bytes of arrived ? arrived.flatMap((chunk) => splitter.push(chunk)) : splitter.end()) {
      lines.push(lineOf(bytes, textOf, answered + lines.length === 0));
    }
    if (lines.length > 0) await answerLines(lines, answered, tokenizer, options);
    answered += lines.length;
    if (!arrived) return;
  }
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

/** The ids of texts; in place of those that the vocabulary cannot encode, why. */
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
