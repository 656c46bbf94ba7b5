// Token ids from text: numbers between white space, a JSON array of them, or what `crayon encode --json` writes.

import { InputError } from './streams.js';

/** What stands between two ids; a JSON array is ids between brackets and commas. */
const SEPARATORS = /[\s,[\]]+/;

/** The ids of an input, in parts. The place of a mistake is given as the number of the word. */
export async function* readIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint32Array> {
  const decoder = new TextDecoder();
  let rest = '';
  let words = 0;
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    if (words === 0 && /^\s*\{/.test(rest)) continue; // an object is read whole
    const parts = rest.split(SEPARATORS);
    rest = parts.pop() as string; // it may go on in the next chunk
    const ids = toIds(parts, words);
    words += ids.length;
    yield ids;
  }
  rest += decoder.decode();
  if (/^\s*\{/.test(rest)) yield* idsOfObject(rest);
  else yield toIds(rest.split(SEPARATORS), words);
}

function toIds(parts: string[], before: number): Uint32Array {
  const words = parts.filter((part) => part !== '');
  return Uint32Array.from(words, (word, index) => {
    const id = /^\d+$/.test(word) ? Number(word) : Number.NaN;
    if (id <= 0xffffffff) return id;
    const shown = JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word);
    throw new InputError(`${shown} (number ${before + index + 1}) is not a token id`);
  });
}

function idsOfObject(text: string): Uint32Array[] {
  let lists: unknown[];
  try {
    const parsed = JSON.parse(text) as { ids?: unknown; files?: { ids?: unknown }[] };
    lists = parsed.files?.map(({ ids }) => ids) ?? [parsed.ids];
  } catch (error) {
    throw new InputError(`not JSON: ${(error as Error).message}`);
  }
  return lists.map((ids) => {
    if (!Array.isArray(ids)) throw new InputError('the JSON has no "ids"');
    return toIds(ids.map(String), 0);
  });
}
