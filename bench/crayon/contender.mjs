/**
 * This package as a contender, in its own process, with the vocabulary of CRAYON's own file:
 *
 *     node contender.mjs encode VOCABULARY TEXT PASSES
 *     node contender.mjs compile LIST VERSION PASSES [TOKENS]   the first TOKENS of a list: 2, a version 2 file; 3, a cartridge
 *
 * Prints a line of JSON: the nanoseconds of each pass, except a warm-up pass, and for `encode` the sha256 of the ids as
 * 32-bit numbers, and their count.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';

import { compileCartridge, Tokenizer } from '../../dist/node/index.js';
import { timed, timer } from '../node/timing.mjs';

const [what, file, argument, passes, count] = process.argv.slice(2);

function encode() {
  const text = fs.readFileSync(argument, 'utf8');
  // Like its own engines: a byte that begins no token is the id 1.
  const tokenizer = Tokenizer.loadSync(file, { unknownId: 1 });
  let ids = tokenizer.encode(text);
  const times = Array.from({ length: Number(passes) }, () => timed(() => (ids = tokenizer.encode(text))));
  return {
    passes: times,
    sha256: createHash('sha256')
      .update(Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength))
      .digest('hex'),
    count: ids.length,
  };
}

/** From a list in memory to the bytes of a file. Another thread does it while this one waits. */
async function compile() {
  const list = JSON.parse(fs.readFileSync(file, 'utf8'));
  const all = Array.isArray(list)
    ? list
    : Object.entries(list.vocab)
        .sort((a, b) => a[1] - b[1])
        .map(([token]) => token);
  const tokens = count ? all.slice(0, Number(count)) : all;
  const times = [];
  let bytes = await compileCartridge(tokens, { version: Number(argument) });
  for (let pass = 0; pass < Number(passes); pass++) {
    const end = timer();
    bytes = await compileCartridge(tokens, { version: Number(argument) });
    times.push(end());
  }
  return { passes: times, tokens: tokens.length, size: bytes.length };
}

console.log(JSON.stringify(what === 'encode' ? encode() : await compile()));
