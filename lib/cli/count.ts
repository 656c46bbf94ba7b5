// `crayon count`: the tokens of each input, and their sum. Memory does not grow with the inputs.

import { Tokenizer } from '../index.js';
import { report } from './failures.js';
import { sizeOf } from './inputs.js';
import { Progress } from './progress.js';
import { chunksOf, write } from './streams.js';
import { begin, NOTHING, type TextOptions } from './text-session.js';

/** Options of the command. */
export interface CountOptions extends TextOptions {
  progress: boolean;
}

/** Whether all inputs went well. */
export async function count(inputs: string[], options: CountOptions): Promise<boolean> {
  using tokenizer = Tokenizer.loadSync(options.source);
  const progress = new Progress(inputs.reduce((sum, file) => sum + sizeOf(file), 0), options.progress);
  const rows: ({ file: string; tokens: number; bytes: number } | { file: string; error: string })[] = [];
  let total = 0;
  let failed = false;
  for (const file of inputs) {
    const session = begin(tokenizer, options, true);
    try {
      let bytes = 0;
      for await (const chunk of chunksOf(file)) {
        session.feed(chunk, false);
        bytes += chunk.length;
        await progress.add(chunk.length);
      }
      const tokens = session.feed(NOTHING, true);
      total += tokens;
      rows.push({ file, tokens, bytes });
      if (!options.json) await write(file === '-' ? `${tokens}\n` : `${tokens}\t${file}\n`);
    } catch (error) {
      failed = true;
      rows.push({ file, error: report(file, error) });
    } finally {
      session.end();
    }
  }
  progress.end();
  if (options.json) await write(`${JSON.stringify({ encoding: tokenizer.name, files: rows, total })}\n`);
  else if (inputs.length > 1) await write(`${total}\ttotal\n`);
  return !failed;
}
