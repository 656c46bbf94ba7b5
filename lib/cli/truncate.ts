// `crayon truncate` and `crayon split`: texts cut at numbers of tokens. A text is in memory as a whole, as bytes: nothing of it is changed.

import { type SplitOptions, Tokenizer } from '../index.js';
import { report } from './report-failures.js';
import { write } from './output/terminal.js';
import { InputError } from './command-errors.js';
import { tellKind, textChunksOf } from './input/file-arguments.js';
import { specialPolicy, type TextOptions } from './input-tokens.js';

interface CutOptions extends Pick<TextOptions, 'source' | 'special' | 'addSpecialTokens' | 'text' | 'json'> {
  tokens: number;
}

/** Whether all inputs succeeded. */
export function truncate(inputs: readonly string[], options: CutOptions & { side: 'left' | 'right' }): Promise<boolean> {
  const { tokens: limit, side, special, addSpecialTokens, json } = options;
  return eachText(inputs, options, async (tokenizer, file, text) => {
    const part = tokenizer.truncate(text, limit, { side, special, addSpecialTokens });
    if (!json) return write(part);
    const tokens = tokenizer.count(part, { special, addSpecialTokens });
    await write(`${JSON.stringify({ file, text: textOf(part), tokens, truncated: part.length < text.length })}\n`);
  });
}

interface SplitCommandOptions extends CutOptions, Pick<SplitOptions, 'separators' | 'overlap'> {
  /** Write the parts themselves, each with a NUL behind it. */
  nul: boolean;
}

/** Whether all inputs succeeded. */
export function split(inputs: readonly string[], options: SplitCommandOptions): Promise<boolean> {
  const { tokens: maxTokens, separators, overlap, special, addSpecialTokens, nul } = options;
  return eachText(inputs, options, async (tokenizer, file, bytes) => {
    const parts = tokenizer.split(bytes, { maxTokens, overlap, separators, special, addSpecialTokens, withOffsets: true });
    if (nul && bytes.includes(0)) throw new InputError('has a NUL, so that parts cannot be told apart: leave out --null');
    for (const { text, ...about } of parts) {
      await write(nul ? Buffer.concat([text, Buffer.alloc(1)]) : `${JSON.stringify({ text: textOf(text), ...about, file })}\n`);
    }
  });
}

async function eachText(
  inputs: readonly string[],
  options: CutOptions,
  cut: (tokenizer: Tokenizer, file: string, text: Uint8Array) => Promise<void>,
): Promise<boolean> {
  using tokenizer = await Tokenizer.load(options.source);
  specialPolicy(tokenizer, options);
  let failed = false;
  for (const file of inputs) {
    try {
      if (options.text === undefined) tellKind(file);
      const chunks: Uint8Array[] = [];
      for await (const chunk of options.text === undefined ? textChunksOf(file) : [Buffer.from(options.text)]) chunks.push(chunk);
      await cut(tokenizer, file, Buffer.concat(chunks));
    } catch (error) {
      // One character that needs more tokens than a part may have.
      report(file, error instanceof RangeError ? new InputError(error.message.replace('`maxTokens`', '--tokens')) : error);
      failed = true;
    }
  }
  return !failed;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
