import { Tokenizer } from 'crayon-tokenizer';
import { TEXT } from './answers.js';

// Long enough to use a worker.
async function later() {
  const tokenizer = await Tokenizer.load('cl100k_base');
  const text = TEXT.repeat(20_000);
  const ids = await tokenizer.encodeAsync(text);
  const same = tokenizer.encode(text);
  tokenizer.close();
  return { count: ids.length, same: ids.every((id, index) => id === same[index]) };
}

globalThis.outcome = later();
