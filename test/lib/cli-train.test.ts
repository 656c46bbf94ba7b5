// `crayon train`: every output format, its reports, wrong usage, and an interrupt.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tokenizer as HuggingFace } from 'tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer, trainBpe } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { cli, crayon as run } from './command.js';

const TEXT = 'low lower lowest newer newest wider widest '.repeat(20);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  writeFileSync(join(folder, 'corpus.txt'), TEXT);
  writeFileSync(join(folder, 'other.txt'), 'lowest of the widest');
  writeFileSync(join(folder, 'empty.txt'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const crayon = (args: string[], input = '') => run(['train', ...args], folder, input);
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

describe('crayon train', () => {
  it('splits by patterns', async () => {
    const patterns = ['--pattern', String.raw`\w+|\W`, '--pattern', '[^e]'];
    expect(crayon(['corpus.txt', '-o', 'pattern.json', '-v', '270', ...patterns.slice(0, 2)]).stderr).toBe('');
    const expected = await trainBpe(TEXT, { vocabularySize: 270, pretokenizer: String.raw`\w+|\W` });
    expect(JSON.parse(read('pattern.json'))).toEqual(expected.toTokenizerJson());
    const refused = crayon(['corpus.txt', '-o', 'x.json', '-v', '270', '--pattern', '(?<=a)b']);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^crayon: expected a pattern that can be compiled for --pattern but received "\(\?<=a\)b": a lookbehind/,
      ),
    });
    expect(crayon(['corpus.txt', '-o', 'x.json', '-v', '270', '-p', 'gpt2', ...patterns]).status).toBe(2);
    expect(crayon(['corpus.txt', '-o', 'x.json', '-v', '270', '--pattern', 'low', '--pattern', 'o|w']).status).toBe(2);
  });

  it('writes a cartridge and says what it is', async () => {
    const args = ['corpus.txt', '-o', 'mine.cray', '-v', '280', '-t', '<|end|>', '--held-out', 'other.txt', '--json'];
    const { status, stdout, stderr } = crayon(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const facts = JSON.parse(stdout);
    using tokenizer = Tokenizer.loadSync(join(folder, 'mine.cray'));
    const expected = await trainBpe(TEXT, { vocabularySize: 280, specialTokens: ['<|end|>'] });
    expect(tokenizer.name).toBe('mine');
    expect(tokenizer.specialTokens.get('<|end|>')).toBe(0);
    for (const [id, token] of expected.tokens.entries()) expect(tokenizer.tokenBytes(id)).toEqual(token);
    const held = read('other.txt');
    expect(facts).toMatchObject({
      file: 'mine.cray',
      tokens: expected.tokens.length,
      merges: expected.merges.length,
      trainedOn: TEXT.length,
      heldOut: { bytes: held.length, tokens: tokenizer.count(held) },
    });
    expect(facts.heldOut.bytesPerToken).toBeCloseTo(held.length / tokenizer.count(held), 3);
    const byLength = [...expected.tokens.slice(1)].sort((a, b) => b.length - a.length);
    expect(facts.longest).toEqual(byLength.slice(0, 5).map((token) => Buffer.from(token).toString()));
    const words = crayon(['corpus.txt', '-o', 'mine.cray', '-v', '280', '--held-out', 'other.txt']);
    expect(words.stdout).toMatch(
      /^mine\.cray: [\d,]+ bytes\ntokens: \d+, by \d+ merges, in [\d.]+ s\nmissing: \d+ of the tokens asked for: .*\nheld out: 20 bytes, /,
    );
    expect(words.stdout).toContain(`"${facts.longest[0]}"`);
  });

  it('shows bytes that are not text as bytes', () => {
    writeFileSync(join(folder, 'bytes.bin'), Buffer.from('\xe4\xb8\xe4\xb8.'.repeat(9), 'latin1'));
    const { stdout } = crayon(['bytes.bin', '-o', 'bytes.cray', '-v', '257', '-p', 'none', '--json']);
    const { longest } = JSON.parse(stdout);
    expect(longest[0]).toEqual({ hex: 'e4b8' });
    expect(longest.slice(1).every((each: unknown) => typeof each === 'string' || (each as { hex: string }).hex.length === 2)).toBe(true);
  });

  it('writes a cartridge of BPE without a pretokenizer', async () => {
    const args = ['corpus.txt', '-o', 'none.cray', '-v', '290', '-p', 'none', '--held-out', 'other.txt', '--json'];
    const { heldOut } = JSON.parse(crayon(args).stdout);
    using tokenizer = Tokenizer.loadSync(join(folder, 'none.cray'));
    const trained = await trainBpe(TEXT, { vocabularySize: 290, pretokenizer: null });
    expect([tokenizer.modelKind, tokenizer.vocabularySize]).toEqual(['bpe', trained.tokens.length]);
    const theirs = HuggingFace.fromString(JSON.stringify(trained.toTokenizerJson()));
    const expected = (await theirs.encode(read('other.txt'))).getIds();
    expect([...tokenizer.encode(read('other.txt'))]).toEqual(expected);
    expect(heldOut.tokens).toBe(expected.length);
  });

  it('writes ranks, a tokenizer.json and version 2', async () => {
    const options = ['corpus.txt', '-v', '280', '-p', 'gpt2'];
    const expected = await trainBpe(TEXT, { vocabularySize: 280, pretokenizer: 'gpt2' });
    expect(crayon([...options, '-o', 'mine.tiktoken']).status).toBe(0);
    expect(read('mine.tiktoken')).toBe(expected.toTiktoken());
    expect(crayon([...options, '-o', 'tokenizer.json']).status).toBe(0);
    using tokenizer = await Tokenizer.load(await expected.toCartridge());
    const theirs = HuggingFace.fromFile(join(folder, 'tokenizer.json'));
    expect((await theirs.encode('the lowest')).getIds()).toEqual([...tokenizer.encode('the lowest')]);
    const { stdout } = crayon(['corpus.txt', '-v', '280', '-p', 'none', '--ties', 'crayon', '-o', 'two.dat', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ file: 'two.dat', list: 'two.json', tokens: 280 });
    using two = Tokenizer.loadSync(join(folder, 'two.dat'));
    expect(two.modelKind).toBe('longest-match');
    expect(JSON.parse(read('two.json'))[279]).toBe(Buffer.from(two.tokenBytes(279)).toString());
  });

  it('reads standard input, which is one text', () => {
    expect(crayon(['-v', '280', '-o', 'in.tiktoken'], TEXT).status).toBe(0);
    expect(crayon(['corpus.txt', '-v', '280', '-o', 'file.tiktoken']).status).toBe(0);
    expect(read('in.tiktoken')).toBe(read('file.tiktoken'));
  });

  it('writes a report with smaller vocabularies', async () => {
    const args = ['corpus.txt', '-o', 'mine.cray', '-v', '290', '-t', '<s>', '--ties', 'crayon'];
    expect(crayon([...args, '--held-out', 'other.txt', '--report', 'report.json']).status).toBe(0);
    const { curve, heldOut, tokens } = JSON.parse(read('report.json'));
    expect(curve.at(0)).toEqual({ tokens: 257, bytesPerToken: 1 });
    expect(curve.at(-1)).toEqual({ tokens, bytesPerToken: heldOut.bytesPerToken });
    for (const each of curve) {
      const trained = await trainBpe(TEXT, { vocabularySize: each.tokens, specialTokens: ['<s>'], tieBreak: 'crayon' });
      using tokenizer = await Tokenizer.load(await trained.toCartridge());
      expect(each.bytesPerToken).toBeCloseTo(20 / tokenizer.count(read('other.txt')), 3);
    }
  });

  it('holds out the end of each file, and draws the curve', async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `${['low', 'lower', 'newest', 'wider'][at % 4]} ${at}\n`);
    writeFileSync(join(folder, 'one.txt'), lines.slice(0, 300).join(''));
    writeFileSync(join(folder, 'two.txt'), 'ä'.repeat(51)); // no line end, so it is cut at a character boundary
    const args = ['one.txt', 'two.txt', '-o', 'mine.cray', '-v', '290', '--held-out', '10%', '--curve', 'curve.svg', '--json'];
    const { status, stdout, stderr } = crayon(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const facts = JSON.parse(stdout);
    const [one, two] = [readFileSync(join(folder, 'one.txt')), readFileSync(join(folder, 'two.txt'))];
    const cut = one.indexOf('\n', Math.floor(0.9 * one.length)) + 1;
    const held = [one.subarray(cut), two.subarray(92)];
    expect(facts.trainedOn).toBe(cut + 92);
    using tokenizer = Tokenizer.loadSync(join(folder, 'mine.cray'));
    const tokens = held.reduce((sum, part) => sum + tokenizer.count(part), 0);
    expect(facts.heldOut).toMatchObject({ bytes: held.reduce((sum, part) => sum + part.length, 0), tokens });
    const expected = await trainBpe([one.subarray(0, cut), two.subarray(0, 92)], { vocabularySize: 290 });
    for (const [id, token] of expected.tokens.entries()) expect(tokenizer.tokenBytes(id)).toEqual(token);
    const picture = read('curve.svg');
    expect(picture).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^]*<\/svg>\n$/);
    expect(picture).toContain(`<title>290 tokens: ${facts.heldOut.bytesPerToken} bytes per token</title>`);
    expect(picture).not.toMatch(/NaN|Infinity/);
  });

  it('continues from a checkpoint', () => {
    const args = ['corpus.txt', '-o', 'mine.cray', '-v', '280', '--checkpoint', 'state', '--json'];
    const { trainedOn, seconds, ...first } = JSON.parse(crayon(args).stdout);
    expect([trainedOn, typeof seconds]).toEqual([TEXT.length, 'number']);
    const again = JSON.parse(crayon(args).stdout);
    expect(again.trainedOn).toBeUndefined();
    expect(again).toMatchObject(first);
    const other = crayon([...args, '--min-frequency', '3']);
    expect({ ...other, bytes: undefined }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('with other options or other files'),
    });
  });

  it('loses nothing when it is killed', async () => {
    const random = new Random(20261122);
    const letters = () => Array.from({ length: random.integer(2, 9) }, () => random.pick([...'etaoinshrdlu'])).join('');
    writeFileSync(join(folder, 'large.txt'), Array.from({ length: 150_000 }, letters).join(' '));
    const args = ['train', 'large.txt', '-o', 'large.tiktoken', '-v', '12000', '--checkpoint', 'killed', '--json', '--threads', '1'];
    const child = spawn(process.execPath, [cli, ...args], { cwd: folder, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    while (child.exitCode === null && !existsSync(join(folder, 'killed'))) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    await ended;
    expect(JSON.parse(run(args, folder).stdout).trainedOn).toBeUndefined(); // it continued
    const whole = await trainBpe({ files: join(folder, 'large.txt') }, { vocabularySize: 12_000 });
    expect(read('large.tiktoken')).toBe(whole.toTiktoken());
  });

  it.each([
    [['corpus.txt', '-o', 'x.cray'], 2, "required option '-v, --vocabulary-size <tokens>' not specified"],
    [['corpus.txt', '-v', '300'], 2, "required option '-o, --output <file>' not specified"],
    [['corpus.txt', '-o', 'x.cray', '-v', '0'], 2, 'Expected an integer of 1 or more.'],
    [['corpus.txt', '-o', 'x.cray', '-v', '20'], 2, '--vocabulary-size must be at least 256 for the bytes; received 20'],
    [['corpus.txt', '-o', 'x.dat', '-v', '300', '-t', '<s>'], 2, '--special-token: a version 2 file, x.dat, has no special tokens'],
    [['corpus.txt', '-o', 'x.json', '-v', '300', '--slim'], 2, '--slim is for a cartridge; x.json is not one'],
    [['corpus.txt', '-o', 'x.tiktoken', '-v', '300', '--observed'], 2, '--observed: x.tiktoken needs a token for each byte'],
    [['corpus.txt', '-o', 'corpus.txt', '-v', '300'], 2, '--output corpus.txt is a file to read'],
    [['corpus.txt', '-', '-o', 'x.cray', '-v', '300'], 2, '"-", standard input, goes with no other file'],
    [['corpus.txt', '-o', 'x.cray', '-v', '300', '--held-out', '5%', '--held-out', 'other.txt'], 2, 'Expected one share, or files.'],
    [['corpus.txt', '-o', 'x.cray', '-v', '300', '--held-out', '0%'], 2, 'Expected a share above 0%.'],
    [['corpus.txt', '-o', 'x.cray', '-v', '300', '--held-out', '5'], 2, 'Expected a file, or a share such as 5%.'],
    [['-', '-o', 'x.cray', '-v', '300', '--held-out', '5%'], 2, '--held-out: of standard input, no share can be held out'],
    [['corpus.txt', '-o', 'x.cray', '-v', '300', '--curve', 'x.svg'], 2, '--curve: it is measured with texts that --held-out names'],
    [['missing.txt', '-o', 'x.cray', '-v', '300', '--held-out', '5%'], 1, 'missing.txt: no such file'],
    [['missing.txt', '-o', 'x.cray', '-v', '300'], 1, 'missing.txt: no file exists at the path'],
    [['empty.txt', '-o', 'x.cray', '-v', '300'], 1, 'there is no text to train on'],
    [['corpus.txt', '-o', 'nowhere/x.cray', '-v', '300'], 1, 'cannot write nowhere/x.cray: no such directory'],
    [['corpus.txt', '-o', 'x.cray', '-v', '300', '--held-out', 'gone.txt'], 1, 'gone.txt: no such file'],
    [['corpus.txt', '-o', 'x.cray', '-v', '300', '--held-out', 'gone/*.txt'], 1, 'gone/*.txt: no file matches the pattern'],
  ] as [string[], number, string][])('%j', (args, code, message) => {
    const { status, stderr } = crayon(args);
    expect(stderr).toContain(message);
    expect(status).toBe(code);
  });

  it.skipIf(process.platform === 'win32')('ends when it is interrupted', async () => {
    const child = spawn(process.execPath, [cli, 'train', '-o', 'never.cray', '-v', '300', '--no-progress'], { cwd: folder });
    child.stdin.write(TEXT.repeat(200));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    child.kill('SIGINT');
    const signal = await new Promise((resolve) => child.once('exit', (_, name) => resolve(name)));
    expect(signal).toBe('SIGINT'); // which a shell reports as 130
    expect(readdirSync(folder).filter((name) => name.includes('never'))).toEqual([]);
  });
});
