// compileCartridge and `crayon compile`: a rank file, and a cartridge in its other form.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, Tokenizer, TokenizerError } from 'crayon-tokenizer';

import { crayon } from './command.js';
import { openCartridge } from './cartridge-reader.mjs';

const cartridges = fileURLToPath(new URL('../../cartridges/', import.meta.url));
const built = (file: string) => readFileSync(cartridges + file);

// The 256 bytes, "he" and "hel".
const ranks = [...Array(256).keys()].map((byte) => `${Buffer.of(byte).toString('base64')} ${byte}`);
ranks.push(`${Buffer.from('he').toString('base64')} 256`, `${Buffer.from('hel').toString('base64')} 260`, '');

let folder: string;
let rankFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  rankFile = join(folder, 'mine.tiktoken');
  writeFileSync(rankFile, ranks.join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('compileCartridge', () => {
  it.each(['r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'])('makes %s slim and full again, to the byte', async (name) => {
    const slim = await compileCartridge(name, { slim: true });
    expect(Buffer.compare(slim, built(`${name}.slim.cray`))).toBe(0);
    const full = await compileCartridge(slim);
    expect(Buffer.compare(full, built(`${name}.cray`))).toBe(0);
  });

  it('takes a model, a path and a URL', async () => {
    const expected = built('r50k_base.slim.cray');
    for (const source of ['davinci', `${cartridges}r50k_base.cray`, pathToFileURL(`${cartridges}r50k_base.slim.cray`)]) {
      expect(Buffer.compare(await compileCartridge(source, { slim: true }), expected)).toBe(0);
    }
  });

  it.each([true, false])('compiles a rank file, slim %s', async (slim) => {
    const bytes = await compileCartridge(rankFile, { slim, pretokenizer: 'cl100k', specialTokens: { '<|end|>': 261 } });
    using tokenizer = Tokenizer.loadSync(bytes);
    expect(tokenizer.name).toBe('mine');
    expect(tokenizer.vocabularySize).toBe(262);
    expect(tokenizer.encode('hello<|end|>', { special: 'allow' })).toEqual(Uint32Array.of(260, 108, 111, 261));
    expect(() => tokenizer.decode([258])).toThrow(expect.objectContaining({ code: 'INVALID_ID' }));
    const cartridge = openCartridge(bytes);
    expect(cartridge.views).toMatchObject([{ name: 'mine', scanner: 'cl100k', vocabularySize: 262 }]);
    expect(cartridge.metadata).toEqual({ name: 'mine' });
    expect(cartridge.split(260)).toEqual([256, 108]);
  });

  it('does not hold up the thread', async () => {
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    await compileCartridge('cl100k_base');
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
  });

  it('works whatever flags the program runs with', () => {
    const index = new URL('../../dist/index.js', import.meta.url);
    const source = `import { compileCartridge } from '${index}'; console.log((await compileCartridge('r50k_base')).length);`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' });
    expect(printed).toBe(`${built('r50k_base.cray').length}\n`);
  });

  it('says what is wrong with arguments', async () => {
    const rejected = (source: any, options?: any) => compileCartridge(source, options).then(() => undefined, (error) => error);
    expect(await rejected(rankFile)).toEqual(new TypeError('expected one of gpt2, cl100k, o200k, qwen2 for pretokenizer but received undefined'));
    expect(await rejected(rankFile, { pretokenizer: 'bert' })).toBeInstanceOf(TypeError);
    expect(await rejected(rankFile, { pretokenizer: 'gpt2', name: '' })).toEqual(new TypeError('expected a name for name but received ""'));
    expect(await rejected(rankFile, { pretokenizer: 'gpt2', specialTokens: { '<|x|>': -1 } })).toEqual(
      new RangeError('expected an id for specialTokens["<|x|>"] but received -1'),
    );
    expect(await rejected('r50k_base', { name: 'other' })).toBeInstanceOf(TypeError);
    expect(await rejected(undefined)).toBeInstanceOf(TypeError);
    expect((await rejected(rankFile)).stack).toContain('compile.test.ts');
  });

  it('says what is wrong with sources', async () => {
    const code = (source: any, options?: any) => compileCartridge(source, options).then(() => undefined, (error: TokenizerError) => error.code);
    const options = { pretokenizer: 'gpt2' };
    expect(await code(join(folder, 'missing.tiktoken'), options)).toBe('FILE_NOT_FOUND');
    expect(await code('no-such-encoding')).toBe('FILE_NOT_FOUND');
    expect(await code(Buffer.from('text'))).toBe('NOT_A_CARTRIDGE');
    const twice = join(folder, 'twice.tiktoken');
    writeFileSync(twice, [...ranks.slice(0, -1), `${Buffer.from('he').toString('base64')} 261`].join('\n'));
    expect(await code(twice, options)).toBe('DUPLICATE_TOKEN');
    const few = join(folder, 'few.tiktoken');
    writeFileSync(few, ranks.slice(1).join('\n'));
    expect(await code(few, options)).toBe('MISSING_BYTE_TOKEN');
    const bad = join(folder, 'bad.tiktoken');
    writeFileSync(bad, 'aGU= 256 7\n');
    await expect(compileCartridge(bad, { pretokenizer: 'gpt2' })).rejects.toThrow(/expected lines of 'base64 rank'.* for line 1 of .*bad\.tiktoken/);
  });
});

describe('crayon compile', () => {
  it('writes a slim cartridge, and the full one of it', () => {
    expect(crayon(['compile', 'r50k_base', '-o', 'a.slim.cray', '--slim'], folder)).toMatchObject({
      status: 0,
      stdout: `a.slim.cray: ${built('r50k_base.slim.cray').length.toLocaleString('en')} bytes, slim\n`,
      stderr: '',
    });
    const { status, stdout } = crayon(['compile', 'a.slim.cray', '-o', 'a.cray', '--json'], folder);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ file: 'a.cray', bytes: built('r50k_base.cray').length, slim: false });
    expect(Buffer.compare(readFileSync(join(folder, 'a.cray')), built('r50k_base.cray'))).toBe(0);
  });

  it('compiles a rank file', () => {
    const options = ['-p', 'gpt2', '-n', 'tiny', '-t', '<|a|>=300', '-t', '<|b=c|>=301'];
    expect(crayon(['compile', 'mine.tiktoken', '-o', 'tiny.cray', ...options], folder).status).toBe(0);
    const { stdout } = crayon(['encode', '-e', './tiny.cray', '-s', 'allow'], folder, 'hello<|a|><|b=c|>');
    expect(stdout).toBe('260 108 111 300 301\n');
  });

  it('says what an inspected slim cartridge is', () => {
    const { stdout } = crayon(['inspect', '--json', `${cartridges}r50k_base.slim.cray`], folder);
    const { sections } = JSON.parse(stdout) as { sections: { id: number; name: string; share: number }[] };
    expect(sections.map(({ name }) => name)).toEqual(['Metadata', 'Model', 'Views', 'Added tokens', 'Merges']);
    expect(sections.every(({ share }) => share < 1)).toBe(true);
  });

  it('fails without a trace', () => {
    const before = readdirSync(folder);
    expect(crayon(['compile', 'mine.tiktoken', '-o', 'x.cray'], folder)).toMatchObject({ status: 1, stdout: '' });
    expect(crayon(['compile', 'no-such', '-o', 'x.cray'], folder)).toMatchObject({ status: 1 });
    expect(crayon(['compile', 'r50k_base', '-o', 'no/such/folder/x.cray'], folder)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^crayon: cannot write no\/such\/folder\/x\.cray: /),
    });
    expect(crayon(['compile', 'r50k_base'], folder)).toMatchObject({ status: 2 });
    expect(crayon(['compile', 'mine.tiktoken', '-o', 'x.cray', '-t', 'nothing'], folder)).toMatchObject({ status: 2 });
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(join(folder, 'x.cray'))).toBe(false);
  });
});
