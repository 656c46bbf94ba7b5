// The apps' expected answers, from the reference.

import { loadTiktoken } from '../golden/tiktoken.mjs';
import { TEXT } from './app/answers.js';

/** @param encoding of the reference */
export async function expectedAnswers(encoding = 'o200k_base', backend = 'wasm') {
  const reference = await loadTiktoken(encoding);
  const ids = reference.encode(TEXT);
  reference.free();
  return { ids: ids.join(' '), streamed: ids.join(' '), later: ids.join(' '), count: ids.length, decoded: TEXT, backend };
}
