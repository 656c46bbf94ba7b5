import { Tokenizer } from 'crayon-tokenizer';

/** The backend, ids, and the number of ids encoded on threads. */
export async function encoded() {
  const tokenizer = await Tokenizer.load('o200k_base');
  const ids = tokenizer.encode('hello world');
  const { length } = await tokenizer.encodeAsync('hello '.repeat(300_000));
  return `${tokenizer.backend.kind} ${ids.join()} ${length}`;
}
