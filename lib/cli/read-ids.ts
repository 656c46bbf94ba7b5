// Token ids from text: numbers between white space, a JSON array of them, or what `crayon encode --json` writes.
// Numbers are read as they come; an object has to be whole.

import { InputError } from './streams.js';

/** What stands between two ids; a JSON array is ids between brackets and commas. */
const SEPARATORS = /[\s,[\]]+/;

/** No id is written with more characters: what is longer need not be waited for. */
const LONGEST_WORD = 64;

/** The ids of an input, in parts. The place of a mistake is given as the number of the word. */
export async function* readIds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint32Array> {
  const decoder = new TextDecoder();
  let rest = '';
  let words = 0;
  let object: string[] | undefined; // the parts of one, if that is what the input is
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (object === undefined && words === 0 && /^\s*\{/.test(rest + text)) object = [rest];
    if (object !== undefined) {
      object.push(text);
      continue;
    }
    const parts = (rest + text).split(SEPARATORS);
    rest = parts.pop() as string; // it may go on in the next chunk
    if (rest.length > LONGEST_WORD) parts.push(rest);
    const ids = toIds(parts, words);
    words += ids.length;
    yield ids;
  }
  const last = rest + decoder.decode();
  if (object !== undefined) yield* idsOfObject([...object, last]);
  else yield toIds(last.split(SEPARATORS), words);
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

function idsOfObject(parts: string[]): Uint32Array[] {
  let parsed: { ids?: unknown; files?: unknown };
  try {
    parsed = JSON.parse(parts.join('')) as typeof parsed;
  } catch (error) {
    throw new InputError(`not JSON: ${(error as Error).message}`);
  }
  const texts: unknown[] = Array.isArray(parsed.files) ? parsed.files : [parsed];
  return texts.map((text) => {
    const ids = (text as { ids?: unknown } | null)?.ids;
    if (!Array.isArray(ids)) throw new InputError('the JSON has no "ids"');
    return toIds(ids.map(String), 0);
  });
}
