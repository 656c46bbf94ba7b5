// `crayon encode --jsonl`: one line in, one line out, as programs ask for ids through a pipe.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { get_encoding } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';
import { sample } from '../share.js';
import { cli, crayon as run, plainEnvironment } from './command.js';

let folder: string;
const reference = get_encoding('o200k_base');
const processes: ChildProcessWithoutNullStreams[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => {
  for (const each of processes) each.kill('SIGKILL');
  reference.free();
  rmSync(folder, { recursive: true, force: true });
});

const crayon = (input: string | Uint8Array, ...args: string[]) => run(['encode', '--jsonl', ...args], folder, input);
const idsOf = (text: string) => [...reference.encode_ordinary(text)];

/** A process to talk with. */
function conversation(...args: string[]) {
  const child = spawn(process.execPath, [cli, 'encode', '--jsonl', ...args], { env: plainEnvironment() as NodeJS.ProcessEnv });
  processes.push(child);
  return child;
}

/** Numbers from 0 up to a limit, the same in every run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % limit;
  };
}

const WORDS = ['hello', 'world', 'naïve', '東京', 'function', 'return', '👍🏽', '\n', '"', '<|endoftext|>', '  ', '1234567'];

function someTexts(count: number, seed = 7): string[] {
  const below = numbers(seed);
  return Array.from({ length: count }, () => Array.from({ length: 1 + below(12) }, () => WORDS[below(WORDS.length)]).join(' '));
}

describe('a line', () => {
  it.each([
    ['{"text":"hello world"}', '{"text":"hello world","ids":[24912,2375]}'],
    [
      '  { "n": 12345678901234567890.10, "text" : "hello world" }  ',
      '{ "n": 12345678901234567890.10, "text" : "hello world" ,"ids":[24912,2375]}',
    ],
    ['"hello world"', '{"ids":[24912,2375]}'],
    ['{"text":"hello\\u0020world","z":[{}]}\r', '{"text":"hello\\u0020world","z":[{}],"ids":[24912,2375]}'],
    ['{"text":""}', '{"text":"","ids":[]}'],
    ['\uFEFF"hello world"', '{"ids":[24912,2375]}'],
    ['{"text":"<|endoftext|>"}', `{"text":"<|endoftext|>","ids":[${idsOf('<|endoftext|>')}]}`],
    ['', ''],
    [' \t\r', ''],
  ])('%j becomes %j', (line, answer) => {
    expect(crayon(`${line}\n`)).toMatchObject({ status: 0, stdout: `${answer}\n`, stderr: '' });
  });

  it('needs no line feed if it is the last', () => {
    expect(crayon('"hello"\n"hello world"').stdout).toBe('{"ids":[24912]}\n{"ids":[24912,2375]}\n');
    expect(crayon('').stdout).toBe('');
  });

  it('has its text where --field says', () => {
    expect(crayon('{"body":"hello"}\n', '--field', 'body').stdout).toBe('{"body":"hello","ids":[24912]}\n');
    expect(crayon('{"a":[{"b/c":"hello"}]}\n', '--field', '/a/0/b~1c').stdout).toBe('{"a":[{"b/c":"hello"}],"ids":[24912]}\n');
    expect(crayon('["hello"]\n', '--field', '/0').stdout).toBe('{"ids":[24912]}\n');
  });

  it('is encoded with the options of encode', () => {
    expect(crayon('"<|endoftext|>"\n', '--special', 'allow').stdout).toBe('{"ids":[199999]}\n');
    expect(crayon('"hello world"\n', '-m', 'gpt-4').stdout).toBe('{"ids":[15339,1917]}\n');
  });
});

describe('a damaged line', () => {
  const DAMAGED: [string | Uint8Array, string][] = [
    ['{"id":1}', 'it has no "text"; it has "id"'],
    ['{"text":null}', 'its "text" is null, not a string'],
    ['7', 'it has no "text", since it is a number'],
    ['null', 'it has no "text", since it is null'],
    ['{"text":"a","ids":[1]}', 'it has "ids" already'],
    [Buffer.from('"\xff"', 'latin1'), 'it is not UTF-8'],
    ['"a<|endoftext|>"', 'has a special token at byte 1, which --special forbid refuses'],
  ];
  const input = ([line]: (typeof DAMAGED)[0]) =>
    Buffer.concat([Buffer.from('"hello"\n\n'), Buffer.from(line as string), Buffer.from('\n"hello"\n')]);

  it.each(DAMAGED)('ends the command behind the answers before it: %s', (...damaged) => {
    expect(crayon(input(damaged), '--special', 'forbid')).toMatchObject({
      status: 1,
      stdout: '{"ids":[24912]}\n\n',
      stderr: `crayon: standard input: line 3: ${damaged[1]}\n`,
    });
  });

  it.each(DAMAGED)('is answered by its error with --skip-damaged: %s', (...damaged) => {
    const { status, stdout, stderr } = crayon(input(damaged), '--special', 'forbid', '--skip-damaged');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(`{"ids":[24912]}\n\n${JSON.stringify({ error: damaged[1], line: 3 })}\n{"ids":[24912]}\n`);
  });

  it('that is not JSON is explained', () => {
    expect(crayon('{"text":\n').stderr).toMatch(/^crayon: standard input: line 1: .*JSON/);
  });

  it('is quoted with escapes in place of what a terminal acts on', () => {
    const line = Buffer.from('{"text": \u001b[31m\u0085}');
    expect(crayon(Buffer.concat([line, Buffer.from('\n')])).stderr).toMatch(/^crayon: standard input: line 1: .*\\u001b.*JSON/);
    const { stdout } = crayon(Buffer.concat([line, Buffer.from('\n')]), '--skip-damaged');
    expect((JSON.parse(stdout) as { error: string }).error).toMatch(/^[^\p{Cc}]+$/u);
  });

  it('ends a process whose input stays open', async () => {
    const child = conversation();
    child.stdin.on('error', () => undefined);
    child.stdin.write('"hello"\n{}\n');
    const [status] = await once(child, 'exit');
    expect(status).toBe(1);
  });
});

it('takes files, one after the other, and inflates them', () => {
  writeFileSync(join(folder, 'a.jsonl'), '"hello"');
  writeFileSync(join(folder, 'b.jsonl.gz'), gzipSync('{"text":"hello world"}\n'));
  writeFileSync(join(folder, 'c.jsonl'), '{}\n');
  const { status, stdout, stderr } = crayon('', 'a.jsonl', 'c.jsonl', 'b.jsonl.gz');
  expect(stdout).toBe('{"ids":[24912]}\n{"text":"hello world","ids":[24912,2375]}\n');
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'crayon: c.jsonl: line 1: it has no "text"\n' });
});

it('refuses options that have no meaning there', () => {
  for (const args of [['--jsonl', '--json'], ['--jsonl', '--show'], ['--jsonl', '--text', 'a'], ['--field', 'a'], ['--skip-damaged']]) {
    expect(run(['encode', ...args], folder).status, args.join(' ')).toBe(2);
  }
  expect(crayon('"a"\n', '--special', '<|x|>')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('"<|x|>" is not a special token of'),
  });
});

describe('a conversation', () => {
  it('has each answer before the next line is sent', async () => {
    const child = conversation('--threads', '1');
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    for (const text of someTexts(50)) {
      child.stdin.write(`${JSON.stringify(text)}\n`);
      const { value } = await answers.next();
      expect(JSON.parse(value as string)).toEqual({ ids: idsOf(text) });
    }
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('has the same ids wherever chunks end, and on any number of threads', async () => {
    const texts = someTexts(sample(20_000, 1000), 11);
    const input = Buffer.from(texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
    const below = numbers(3);
    for (const threads of ['1', '2', '5']) {
      const child = conversation('--threads', threads);
      void (async () => {
        for (let at = 0; at < input.length; ) {
          const size = 1 + below(below(4) === 0 ? 200_000 : 20);
          if (!child.stdin.write(input.subarray(at, at + size))) await once(child.stdin, 'drain');
          else if (below(50) === 0) await after(0);
          at += size;
        }
        child.stdin.end();
      })();
      let line = 0;
      for await (const answer of createInterface(child.stdout)) {
        expect(JSON.parse(answer)).toEqual({ id: line, text: texts[line], ids: idsOf(texts[line] as string) });
        line++;
      }
      expect(line).toBe(texts.length);
    }
  });

  it('waits with reading while its answers are not read', async () => {
    const child = conversation();
    const line = Buffer.from(`${JSON.stringify('hello world '.repeat(5000))}\n`.repeat(16));
    let written = 0;
    for (let isTaken = true; isTaken; written += line.length) {
      expect(written).toBeLessThan(32 * 2 ** 20);
      isTaken = child.stdin.write(line) || (await Promise.race([once(child.stdin, 'drain').then(() => true), after(700, false)]));
    }
    let answers = 0;
    child.stdin.end();
    for await (const answer of createInterface(child.stdout)) {
      expect(answer.length).toBeGreaterThan(10_000);
      answers++;
    }
    expect(answers).toBe((written / line.length) * 16);
  });

  it('ends like other Unix tools when nobody reads the answers', async () => {
    const child = conversation();
    child.stdin.on('error', () => undefined);
    child.stdout.destroy();
    child.stdin.write(`${JSON.stringify('hello world')}\n`.repeat(100));
    expect(await once(child, 'exit')).toEqual([141, null]);
  });
});

it('answers short lines in at most three times the time of a loop over encode and JSON', async () => {
  const texts = someTexts(sample(100_000, 20_000), 5);
  const input = texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join('');
  using tokenizer = await Tokenizer.load('o200k_base');
  const loop = () => {
    let answers = '';
    for (const line of input.split('\n').slice(0, -1)) {
      const record = JSON.parse(line) as { text: string };
      answers += `${JSON.stringify({ ...record, ids: [...tokenizer.encode(record.text)] })}\n`;
    }
    return answers;
  };
  const timed = <T>(work: () => T): { result: T; seconds: number } => {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    return { result, seconds: (user + system) / 1e6 };
  };
  crayon('"hello"\n'); // which starts its thread
  const [naive, ours] = [timed(loop), timed(() => crayon(input))];
  expect(ours.result.stdout).toBe(naive.result);
  expect(ours.seconds).toBeLessThan(3 * naive.seconds + 0.5);
});
