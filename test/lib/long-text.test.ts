// Very long texts: correct results, in memory bounded by the result and a window. The longest strings run if memory
// allows.

import { execFileSync } from 'node:child_process';
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { SHARE } from '../share.js';

const entry = new URL('../../dist/node/index.js', import.meta.url).href;
const project = fileURLToPath(new URL('../../', import.meta.url));
const MB = 1024 * 1024;
/** The longest string of this version of V8 (buffer.constants.MAX_STRING_LENGTH). */
const LONGEST = 2 ** 29 - 24;

/** Runs `source` in its own process, with `tokenizer` and `peak()` (peak resident MB so far); returns its output. */
function run(source: string): string[] {
  const program = `
    import { readFileSync } from 'node:fs';
    import { Tokenizer } from ${JSON.stringify(entry)};
    const tokenizer = Tokenizer.loadSync('cl100k_base');
    const peak = () => process.resourceUsage().maxRSS / 1024;
    ${source}`;
  const printed = execFileSync(process.execPath, ['--max-old-space-size=6000', '--input-type=module', '-e', program], {
    encoding: 'utf8',
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return printed.trim().split('\n');
}

// 'hello world' is published as [15339, 1917]; ' hello' is 24748, so each further repetition is [24748, 1917].
describe('a text of 64 MB', { timeout: 300_000 }, () => {
  it('is counted in the memory of a window', () => {
    const [count, grown] = run(`
      const text = 'hello world' + ' hello world'.repeat(${(64 * MB) / 12});
      text.charCodeAt(0); // flat
      tokenizer.count('warm');
      const before = peak();
      console.log(tokenizer.count(text));
      console.log(peak() - before);`);
    expect(Number(count)).toBe(2 + 2 * Math.floor((64 * MB) / 12));
    expect(Number(grown)).toBeLessThan(16);
  });

  it('is encoded in the memory of its result and a window', () => {
    const [wrong, grown] = run(`
      const times = ${Math.floor((64 * MB) / 12)};
      const text = 'hello world' + ' hello world'.repeat(times);
      text.charCodeAt(0);
      const before = peak();
      const ids = tokenizer.encode(text);
      const grown = peak() - before - ids.byteLength / ${MB};
      let wrong = ids.length === 2 + 2 * times && ids[0] === 15339 ? 0 : 1;
      for (let i = 2; i < ids.length; i += 2) if (ids[i] !== 24748 || ids[i + 1] !== 1917) wrong++;
      console.log(wrong);
      console.log(grown);`);
    expect(Number(wrong)).toBe(0);
    expect(Number(grown)).toBeLessThan(64);
  });

  it('of bytes is encoded without a second copy of them', () => {
    const [count, grown] = run(`
      const bytes = Buffer.from(' hello world'.repeat(${Math.floor((64 * MB) / 12)}));
      const before = peak();
      console.log(tokenizer.count(bytes));
      console.log(peak() - before);`);
    expect(Number(count)).toBe(2 * Math.floor((64 * MB) / 12));
    expect(Number(grown)).toBeLessThan(16);
  });

  it('that is one piece is encoded correctly or refused with a clear error', () => {
    const [outcome] = run(`
      const text = 'a'.repeat(${64 * MB});
      try {
        const ids = tokenizer.encode(text);
        console.log(tokenizer.decodeBytes(ids).length === text.length ? 'right' : 'wrong');
      } catch (error) {
        console.log(error.code);
      }`);
    expect(outcome).toMatch(/^(right|OUT_OF_MEMORY|TEXT_TOO_LONG)$/);
  });
});

const roomy = freemem() > 6000 * MB;

describe.skipIf(!roomy)('the longest possible string', { timeout: 600_000 }, () => {
  it('is counted', () => {
    const [count, grown] = run(`
      const text = ' hello world'.repeat(${Math.floor(LONGEST / 12)});
      text.charCodeAt(0);
      const before = peak();
      console.log(tokenizer.count(text));
      console.log(peak() - before);`);
    expect(Number(count)).toBe(2 * Math.floor(LONGEST / 12));
    expect(Number(grown)).toBeLessThan(16);
  });

  it.skipIf(SHARE < 1)('is encoded and decoded', () => {
    const lines = run(`
      const text = ' hello world'.repeat(${Math.floor(LONGEST / 12)});
      text.charCodeAt(0);
      const before = peak();
      const ids = tokenizer.encode(text);
      console.log(ids.length);
      console.log(peak() - before - ids.byteLength / ${MB});
      console.log(ids.every((id, i) => id === (i % 2 ? 1917 : 24748)));
      console.log(tokenizer.decodeBytes(ids).length === text.length);
      console.log(tokenizer.decode(ids) === text);`);
    expect(Number(lines[0])).toBe(2 * Math.floor(LONGEST / 12));
    expect(Number(lines[1])).toBeLessThan(64);
    expect(lines.slice(2)).toEqual(['true', 'true', 'true']);
  });

  it.skipIf(SHARE < 1)('of wide characters is encoded', () => {
    const [same] = run(`
      const unit = '東京タワー、😀 ';
      const text = unit.repeat(${Math.floor(LONGEST / 9 / 4)});
      console.log(Buffer.from(tokenizer.decodeBytes(tokenizer.encode(text))).equals(Buffer.from(text)));`);
    expect(same).toBe('true');
  });

  it('cannot be exceeded by decoding: the error says so', () => {
    const [outcome] = run(`
      const ids = new Uint32Array(${Math.ceil(LONGEST / 6) + 10}).fill(1917); // ' world'
      try { tokenizer.decode(ids); console.log('no error'); } catch (error) { console.log(error.name + ' ' + error.code); }`);
    expect(outcome).toBe('TokenizerError TEXT_TOO_LONG');
  });
});
