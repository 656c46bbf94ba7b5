// `crayon count`: the tokens of each input and their sum, with optional limits. Memory does not grow with the inputs.

import { Tokenizer } from '../index.js';
import type { Policy } from '../engine/engine.js';
import { type ChatCount, type ChatOptions, countChatOf } from './count-chats.js';
import { report } from './report-failures.js';
import { inThousands } from './output/fields.js';
import { nameOf, totalSize } from './input/file-arguments.js';
import { Progress, tell, write } from './output/terminal.js';
import { specialPolicy, type TextOptions, tokensOf } from './input-tokens.js';

interface CountOptions extends TextOptions {
  progress: boolean;
  /** The most tokens for each input, and for all together; undefined: unlimited. */
  max: number | undefined;
  maxTotal: number | undefined;
  /** If set, the inputs are chats. */
  chat: ChatOptions | undefined;
}

/** `over`: tokens beyond the limit, if there is one. */
type Row =
  | { file: string; tokens: number; bytes: number; over?: number; assumptions?: string[] | undefined }
  | { file: string; error: string };

/** Whether all inputs could be counted and are within the limits. */
export async function count(inputs: string[], options: CountOptions): Promise<boolean> {
  using tokenizer = await Tokenizer.load(options.source);
  const policy = specialPolicy(tokenizer, options);
  const progress = new Progress(totalSize(inputs), options.progress);
  const { max, maxTotal } = options;
  const rows: Row[] = [];
  const told = new Set<string>();
  let total = 0;
  let succeeded = true;
  try {
    for (const file of inputs) {
      try {
        const { tokens, bytes, assumptions } = options.chat
          ? await countChatOf(tokenizer, file, options.chat)
          : await countText(tokenizer, policy, file, options, progress);
        total += tokens;
        const over = overLimit(tokens, max);
        rows.push({ file, tokens, bytes, ...over, assumptions });
        if (!options.json) {
          await write(file === '-' || options.text !== undefined ? `${tokens}\n` : `${tokens}\t${file}\n`);
          for (const each of assumptions ?? []) if (told.size < told.add(each).size) tell(`crayon: ${each}`);
        }
        if (!isWithin(over, nameOf(file), tokens, '--max')) succeeded = false;
      } catch (error) {
        succeeded = false;
        rows.push({ file, error: report(file, error) });
      }
    }
  } finally {
    progress.end();
  }
  const { over } = overLimit(total, maxTotal);
  const facts = { encoding: tokenizer.name, files: rows, total, max, maxTotal, totalOver: over };
  if (options.json)
    await write(`${JSON.stringify(facts)}\n`); // without undefined values
  else if (inputs.length > 1) await write(`${total}\ttotal\n`);
  return isWithin({ over }, 'total', total, '--max-total') && succeeded;
}

async function countText(
  tokenizer: Tokenizer,
  policy: Policy,
  file: string,
  options: CountOptions,
  progress: Progress,
): Promise<ChatCount> {
  let tokens = 0;
  let bytes = 0;
  for await (const part of tokensOf(tokenizer, policy, file, options, true)) {
    tokens += part.tokens;
    bytes += part.bytes;
    await progress.add(part.bytes);
  }
  return { tokens, bytes };
}

function overLimit(tokens: number, limit: number | undefined): { over?: number } {
  return limit === undefined ? {} : { over: Math.max(tokens - limit, 0) };
}

/** Reports an input over its limit. */
function isWithin({ over = 0 }: { over?: number }, name: string, tokens: number, option: string): boolean {
  if (over === 0) return true;
  const limit = inThousands(tokens - over);
  tell(`crayon: ${name}: ${inThousands(tokens)} tokens, ${inThousands(over)} over ${option} ${limit}`);
  return false;
}
