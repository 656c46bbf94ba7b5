// `crayon decode`: the input formats it accepts, and that it refuses everything else, with the position.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { get_encoding } from 'tiktoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { some } from '../share.js';
import { cli, crayon as run, plainEnvironment } from './command.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const decode = (input: string | Uint8Array) => run(['decode'], folder, input);

const begins = (text: string) => new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`);

/** The output for each input; one run decodes all inputs as files. */
function runEach(inputs: readonly string[]): () => { text: string; error: string | undefined }[] {
  let outcomes: { text: string; error: string | undefined }[];
  beforeAll(() => {
    // Between two inputs, an extra one whose text marks where the output of the first ends.
    writeFileSync(join(folder, 'mark'), '199999');
    const files = inputs.map((input, index) => {
      writeFileSync(join(folder, `input-${index}`), input);
      return `input-${index}`;
    });
    const { stdout, stderr } = run(['decode', ...files.flatMap((file) => [file, 'mark'])], folder);
    const errors = new Map(Array.from(stderr.matchAll(/^crayon: ([\w-]+): (.*)$/gm), ([, file, error]) => [file, error]));
    const texts = stdout.split('<|endoftext|>');
    expect(texts).toHaveLength(inputs.length + 1);
    outcomes = files.map((file, index) => ({ text: texts[index]!, error: errors.get(file) }));
  });
  return () => outcomes;
}

const FORMS: [string, string][] = [
  ['numbers', '24912 2375'],
  ['numbers on lines', '24912\n\n\t2375\r\n'],
  ['numbers with commas', '24912,2375'],
  ['numbers with commas and white space', ' 24912 ,\n2375\n'],
  ['numbers with zeros in front', '0024912 02375'],
  ['a JSON array', '[24912, 2375]\n'],
  ['a JSON array on lines', '\n[\n  24912,\r\n  2375\n]\n'],
  ['an object with ids', ' {"ids": [24912, 2375]}'],
  ['an object with more in it', '{"a": [{"b": [-1.5e+3, true, null, "\\u00e9é\\""]}, []], "\\u0069ds": [24912, 2375], "c": {}}'],
  ['what encode --json writes', '{"encoding":"o200k_base","files":[{"file":"a","ids":[24912]},{"file":"b","ids":[2375]}]}'],
  [
    'what encode --show-ids --json writes',
    '{"files":[{"file":"a","tokens":[{"id":24912,"text":"hello"},{"id":2375,"text":" world","special":true}]}]}',
  ],
  ['a byte order mark', '\uFEFF[24912, 2375]'],
];

describe('decode reads', () => {
  const outcomes = runEach(FORMS.map(([, input]) => input));
  it.each(FORMS.map(([name, input], index) => [name, input, index] as const))('%s', (_, __, index) => {
    expect(outcomes()[index]).toEqual({ text: 'hello world', error: undefined });
  });

  it.each(FORMS.filter(([, input]) => /[^\d\s,]/.test(input)))('%s, byte by byte', async (_, input) => {
    const child = spawn(process.execPath, [cli, 'decode'], { cwd: folder, env: plainEnvironment() });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    const ended = new Promise((done) => child.on('close', done));
    for (const byte of Buffer.from(input)) {
      child.stdin.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(stdout).toBe('hello world');
  });

  it('empty input as empty text', () => {
    for (const input of ['', ' \n', '[]', '\uFEFF', '{"files": []}']) {
      expect(decode(input)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    }
  });

  it('plain ids while they arrive', async () => {
    const child = spawn(process.execPath, [cli, 'decode'], { cwd: folder, env: plainEnvironment() });
    const first = new Promise((done) => child.stdout.once('data', (chunk: Buffer) => done(chunk.toString())));
    child.stdin.write('24912\n');
    expect(await first).toBe('hello');
    child.stdin.end();
    expect(await new Promise((done) => child.on('close', done))).toBe(0);
  });
});

const AN_ID = 'is not a token id, an integer from 0 to 4294967295';

const PLAIN: [string, string, string][] = [
  ['a word', '1 two 3', `"two" ${AN_ID}, at byte 2 (line 1, column 3)`],
  ['a word on another line', '1\n22\n  x3 4', `"x3" ${AN_ID}, at byte 7 (line 3, column 3)`],
  ['a negative number', '1 -2', `"-2" ${AN_ID}, at byte 2 (line 1, column 3)`],
  ['a fraction', '1.5', `"1.5" ${AN_ID}, at byte 0 (line 1, column 1)`],
  ['a number past 32 bits', '4294967296', `"4294967296" ${AN_ID}, at byte 0 (line 1, column 1)`],
  ['a comma too many', '1,,2', `"," ${AN_ID}, at byte 2 (line 1, column 3)`],
  ['a comma before all', ', 1', `"," ${AN_ID}, at byte 0 (line 1, column 1)`],
  ['a comma after all', '1, 2,', 'the input ends behind a comma, at byte 5 (line 1, column 6)'],
  ['an array after numbers', '1 [2]', `"[2]" ${AN_ID}, at byte 2 (line 1, column 3)`],
  ['a string', '"1"', `""1"" ${AN_ID}, at byte 0 (line 1, column 1)`],
];

const JSON_TEXT: [string, string, string][] = [
  ['an array cut off after an id', '[1, 2', 'it is not JSON: the input ends, at byte 5 (line 1, column 6)'],
  ['an array cut off after a comma', '[1,', 'it is not JSON: the input ends, at byte 3 (line 1, column 4)'],
  ['an array cut off at once', '[', 'it is not JSON: the input ends, at byte 1 (line 1, column 2)'],
  ['an array without commas', '[1 2]', 'it is not JSON: "2" is not expected, at byte 3 (line 1, column 4)'],
  ['a comma too many', '[1,,2]', 'it is not JSON: "," is not expected, at byte 3 (line 1, column 4)'],
  ['the wrong bracket', '[1}', 'it is not JSON: "}" is not expected, at byte 2 (line 1, column 3)'],
  ['garbage after all', '[1]\n x', 'it is not JSON: "x" is not expected, at byte 5 (line 2, column 2)'],
  ['a second array', '[1] [2]', 'it is not JSON: "[" is not expected, at byte 4 (line 1, column 5)'],
  ['a character beyond ASCII before the fault', '{"é":x', 'it is not JSON: "x" is not expected, at byte 6 (line 1, column 6)'],
  ['a nested array', '[[1]]', `[1] ${AN_ID}, at [0]`],
  ['a fraction', '[1.5]', `1.5 ${AN_ID}, at [0]`],
  ['a negative id', '[-1]', `-1 ${AN_ID}, at [0]`],
  ['an id past 32 bits', '[4294967296]', `4294967296 ${AN_ID}, at [0]`],
  ['a string', '["1"]', `"1" ${AN_ID}, at [0]`],
  ['null', '[1, null]', `null ${AN_ID}, at [1]`],
  ['half an object', '{"ids": [1]', 'it is not JSON: the input ends, at byte 11 (line 1, column 12)'],
  ['a name without quotes', '{ids:[1]}', 'it is not JSON: "i" is not expected, at byte 1 (line 1, column 2)'],
  ['an object without ids', '{"a": 1}', '{"a":1} is not an object with one of "ids", "tokens", "files", at the top'],
  ['two lists of ids', '{"ids":[1],"tokens":[]}', '{"ids":[1],"tokens":[]} is not an object with one of'],
  ['a file without ids', '{"files":[{"file":"é"}]}', '{"file":"é"} is not an object with one of "ids", "tokens", at .files[0]'],
  ['a token without an id', '{"tokens":[{"text":"a"}]}', `nothing ${AN_ID}, at .tokens[0].id`],
  ['ids that are no array', '{"ids": 1}', '1 is not an array, at .ids'],
  ['files that are none', '{"files": [null]}', 'null is not an object with one of "ids", "tokens", at .files[0]'],
  ['something else for files', '{"files": 3}', '3 is not an array, at .files'],
  ['brackets without end', `{"a":${'['.repeat(100_000)}`, 'there are more than 128 brackets around a value, at byte 132'],
];

it('says where ids come from if they are arguments', () => {
  expect(run(['decode', '24912', '2375'], folder)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^crayon: 24912: no such file\n.*\n.*ids are read from files and from standard input: echo /),
  });
});

describe('decode refuses', () => {
  const refused = [...PLAIN, ...JSON_TEXT];
  const outcomes = runEach(refused.map(([, input]) => input));
  it.each(PLAIN.map(([name, , message], index) => [name, message, index] as const))('%s', (_, message, index) => {
    expect(outcomes()[index]!.error).toMatch(begins(message));
  });

  it.each(JSON_TEXT.map(([name, , message], index) => [name, message, index] as const))(
    'JSON with %s, and writes nothing',
    (_, message, index) => {
      const { text, error } = outcomes()[PLAIN.length + index]!;
      expect(error).toMatch(begins(message));
      expect(error).toMatch(/; "crayon decode --help" describes the input$/);
      expect(text).toBe('');
    },
  );

  it('with exit code 1', () => {
    expect(decode('[1')).toMatchObject({ status: 1, stdout: '' });
  });

  it('UTF-16', () => {
    const stderr = 'crayon: standard input: is not UTF-8, as ids are (UTF-16 text begins like this)\n';
    expect(decode(Buffer.from('\uFEFF1 2', 'utf16le'))).toMatchObject({ status: 1, stdout: '', stderr });
  });

  it.each([
    ['an id that does not exist', '1 300000', 'the id 300000 (number 2) is not in the vocabulary of o200k_base'],
    ['an id that does not exist in JSON', '[1, 300000]', 'the id 300000 (number 2) is not in the vocabulary of o200k_base'],
  ])('%s', (_, input, message) => {
    expect(decode(input)).toMatchObject({ status: 1, stderr: `crayon: standard input: ${message}\n` });
  });

  it('an endless word immediately', () => {
    const { status, stderr } = decode('7'.repeat(3_000_000));
    expect(status).toBe(1);
    expect(stderr).toContain(`"${'7'.repeat(40)}…" ${AN_ID}, at byte 0`);
  });

  it('long input where it is damaged, after writing the text before it', () => {
    const before = '24912,\n'.repeat(400_000);
    const { status, stdout, stderr } = decode(`${before}x`);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^(hello)+$/);
    expect(stderr).toContain(`"x" ${AN_ID}, at byte ${before.length} (line 400001, column 1)`);
  });
});

it('uses memory that does not grow with numbers', () => {
  const program = `
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, ['--max-old-space-size=24', ${JSON.stringify(cli)}, 'decode'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let bytes = 0;
    child.stdout.on('data', (chunk) => { bytes += chunk.length; });
    const part = Buffer.from('24912, '.repeat(50_000));
    for (let i = 0; i < 60; i++) if (!child.stdin.write(part)) await new Promise((done) => child.stdin.once('drain', done));
    child.stdin.end('2375');
    const status = await new Promise((done) => child.on('close', done));
    console.log(status, bytes);`;
  const args = ['--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `0 ${60 * 50_000 * 5 + 6}\n`, stderr: '' });
});

/** The ids of JSON in one of the documented shapes, by JSON.parse; undefined if it must be refused. */
function idsByParsing(text: string): number[] | undefined {
  if (text.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const isId = (id: unknown) => Number.isInteger(id) && (id as number) >= 0 && (id as number) <= 0xffffffff;
  const idsOf = (list: unknown) => (Array.isArray(list) && list.every(isId) ? (list as number[]) : undefined);
  const all = (lists: (number[] | undefined)[]) => (lists.some((list) => list === undefined) ? undefined : (lists as number[][]).flat());
  const listsOf = (value: unknown, names: string[]): number[] | undefined => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const members = value as Record<string, unknown>;
    const present = names.filter((name) => Object.hasOwn(members, name));
    if (present.length !== 1) return undefined;
    const list = members[present[0]!];
    if (present[0] === 'ids') return idsOf(list);
    if (!Array.isArray(list)) return undefined;
    if (present[0] === 'files') return all(list.map((file) => listsOf(file, ['ids', 'tokens'])));
    const tokens = list.map((token) => (token as { id?: unknown } | null)?.id);
    return idsOf(tokens);
  };
  return Array.isArray(value) ? idsOf(value) : listsOf(value, ['ids', 'tokens', 'files']);
}

it('damage anywhere exactly if JSON.parse refuses it', () => {
  const documents = [
    '[24912, 2375]',
    ' [ 7 ,\n31 ] ',
    '{"ids":[24912,2375],"n":[null,{"a":"b\\\\"}]}',
    '{"encoding":"x","files":[{"file":"a\\"b","ids":[24912]},{"file":"","ids":[]}]}',
    '{"files":[{"tokens":[{"id":24912,"text":"["},{"text":"]","id":5}]}]}',
  ];
  const inputs = new Set<string>(documents);
  for (const text of documents) {
    for (let at = 0; at <= text.length; at++) {
      inputs.add(text.slice(0, at));
      inputs.add(text.slice(0, at) + text.slice(at + 1));
      for (const character of '0,[]{}":.-e \n\\x') {
        inputs.add(text.slice(0, at) + character + text.slice(at));
      }
      for (const character of '0,]}"') inputs.add(text.slice(0, at) + character + text.slice(at + 1));
    }
  }
  // Without its first bracket, an input is plain ids, which have their own tests.
  const all = [...inputs].filter((text) => /^\s*(?:$|[[{])/.test(text));
  expect(all.length).toBeGreaterThan(4000);
  const list = some(all, (_, index) => index % 4 === 0);
  const files = list.map((text, index) => {
    writeFileSync(join(folder, `${index}.json`), text);
    return `${index}.json`;
  });
  const { status, stdout, stderr } = run(['decode', '-e', 'r50k_base', ...files], folder);
  expect(status).toBe(1);
  const refused = new Set(Array.from(stderr.matchAll(/^crayon: (\d+)\.json: (.*)$/gm), ([, index]) => Number(index)));
  const reference = get_encoding('r50k_base');
  const inVocabulary = (id: number) => id <= 50256;
  let expected = '';
  let accepted = 0;
  for (const [index, text] of list.entries()) {
    const ids = idsByParsing(text);
    const isGood = ids?.every(inVocabulary) === true;
    expect(refused.has(index), text).toBe(!isGood);
    if (!isGood) continue;
    accepted++;
    expected += new TextDecoder().decode(reference.decode(Uint32Array.from(ids!)));
  }
  reference.free();
  expect(accepted).toBeGreaterThan((300 * list.length) / all.length);
  expect(stdout === expected).toBe(true);
});
