// Invalid metadata. The engine reads only its first and last byte, so the cartridge opens.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { nativeCompiler, packTokens } from '../../dist/node/internals.js';
import { crayon } from './command.js';
import { thrown } from './thrown.js';

/** A cartridge of the tokens "a", "b" and "ab". */
function cartridgeWith(metadata: string): Uint8Array {
  const input = { bytes: Buffer.from('abab'), offsets: Uint32Array.of(0, 1, 2, 4), model: 'longest-match' as const, metadata };
  const views = [{ name: 'mine', scanner: 'none', tokens: packTokens([{ text: '<s>', id: 3, special: true }]) }];
  return nativeCompiler().compile({ ...input, views }, 'full') as Uint8Array;
}

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['is not JSON', '{"name": }', /it is not valid JSON \(.+\)/],
  ['is cut off', '{"name": "x}', /it is not valid JSON \(.+\)/],
  ['is two objects', '{} {}', /it is not valid JSON \(.+\)/],
  ['is nested in lists', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /it is nested deeper than 100 levels/],
  ['is nested in objects', nested(100_000), /it is nested deeper than 100 levels/],
  ['is nested one level too deep', nested(102), /it is nested deeper than 100 levels/],
])('metadata that %s', (_, metadata, reason) => {
  const bytes = cartridgeWith(metadata);

  it('causes an error that says what to do, in every member that reads it', () => {
    using tokenizer = Tokenizer.loadSync(bytes);
    for (let time = 0; time < 2; time++) {
      const error = thrown(() => tokenizer.metadata);
      expect(error).toMatchObject({ code: 'CORRUPT_STRUCTURE', section: 1, position: 0 });
      expect(error.message).toMatch(/^cannot read the metadata of the cartridge: /);
      expect(error.message).toMatch(reason);
      expect(error.message).toContain('compile or download it again');
      expect(error.message.length).toBeLessThan(400);
      expect(error.stack?.split('\n').find((line) => /^ +at /.test(line))).toContain('metadata.test.ts');
    }
  });

  it('affects nothing else', () => {
    using tokenizer = Tokenizer.loadSync(bytes);
    expect([...tokenizer.encode('abba')]).toEqual([2, 1, 0]);
    expect(tokenizer.decode([2, 3])).toBe('ab<s>');
    expect([...tokenizer.specialTokens]).toEqual([['<s>', 3]]);
    expect(inspect(tokenizer)).toContain("name: 'mine'");
  });

  it('does not stop crayon inspect and crayon info', () => {
    writeFileSync(join(folder, 'x.cray'), bytes);
    const shown = crayon(['inspect', 'x.cray'], folder);
    expect(shown).toMatchObject({ status: 1, stderr: '' });
    expect(shown.stdout).toMatch(/^metadataFailure: cannot read the metadata of the cartridge: /m);
    expect(shown.stdout).toContain('checksum: matches');
    expect(shown.stdout).toMatch(/^ +0 {2}"a"$/m);
    const inJson = crayon(['inspect', '--json', 'x.cray'], folder);
    expect(inJson).toMatchObject({ status: 1, stderr: '' });
    expect(JSON.parse(inJson.stdout)).toMatchObject({ checksum: 'matches', metadataFailure: expect.stringMatching(reason) as string });
    expect(JSON.parse(inJson.stdout)).not.toHaveProperty('metadata');
    expect(crayon(['info', './x.cray'], folder)).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('unusual metadata', () => {
  const metadataOf = (json: string) => {
    using tokenizer = Tokenizer.loadSync(cartridgeWith(json));
    return tokenizer.metadata;
  };

  it('may be nested 100 levels deep', () => {
    const deepest = metadataOf(nested(100));
    expect(JSON.stringify(deepest)).toBe(nested(100));
    let levels = 0;
    for (let at: unknown = deepest; at !== undefined; at = (at as { a?: unknown }).a, levels++) expect(Object.isFrozen(at)).toBe(true);
    expect(levels).toBe(100);
  });

  it('keeps the last of duplicate fields', () => {
    expect(metadataOf('{"a": 1, "b": 2, "a": 3}')).toEqual({ a: 3, b: 2 });
  });

  it('changes no prototype', () => {
    const metadata = metadataOf('{"__proto__": {"polluted": true}, "constructor": 1, "toString": 2, "name": "x"}');
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
    expect(Object.keys(metadata)).toEqual(['__proto__', 'constructor', 'toString', 'name']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    writeFileSync(join(folder, 'proto.cray'), cartridgeWith('{"__proto__": {"polluted": true}, "toString": 2}'));
    const { status, stdout } = crayon(['inspect', 'proto.cray'], folder);
    expect(status).toBe(0);
    expect(stdout).toContain('  __proto__:\n    polluted: true\n  toString: 2\n');
  });

  it('may contain invalid UTF-8, which becomes U+FFFD', () => {
    const bytes = cartridgeWith('{"name":"\u00e9"}'); // two bytes
    const at = Buffer.from(bytes).indexOf('\u00e9');
    bytes[at + 1] = 0x20;
    using tokenizer = Tokenizer.loadSync(bytes, { verify: false });
    expect(tokenizer.metadata).toEqual({ name: '\ufffd ' });
  });
});
