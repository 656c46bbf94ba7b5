// Plans of datasets: tasks are cut between documents, wherever that falls, and a plan never changes.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { compileCartridge, Tokenizer } from 'crayon-tokenizer';
import { mergeDataset, planDataset, type PlanOptions, runDataset } from 'crayon-tokenizer/dataset';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import { crayon } from './command.js';
import { documentsOf } from './datasets.js';

let folder: string;
let tokenizer: Tokenizer;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'crayon-test-'));
  tokenizer = await Tokenizer.load('r50k_base');
});
afterAll(() => {
  tokenizer.close();
  rmSync(folder, { recursive: true, force: true });
});

let names = 0;
function file(content: string | Uint8Array, ending = 'txt'): string {
  const name = path.join(folder, `${names++}.${ending}`);
  writeFileSync(name, content);
  return name;
}

const newFolder = () => path.join(folder, `dataset-${names++}`);
const plan = (inputs: string[], options: Partial<PlanOptions> = {}) =>
  planDataset(inputs, { output: newFolder(), format: 'npy', tokenizer: 'r50k_base', ...options });

/** The texts of the documents that a dataset gets from inputs, and its number of tasks. */
async function textsOf(inputs: string[], options: Partial<PlanOptions>): Promise<{ tasks: number; texts: string[] }> {
  const output = newFolder();
  const { tasks } = await plan(inputs, { output, endOfDocument: null, ...options });
  await runDataset(output, { threads: 1 });
  await mergeDataset(output);
  return { tasks: tasks.length, texts: documentsOf(output).map((ids) => tokenizer.decode(ids)) };
}

describe('documents of text files', () => {
  it.each(['\n\n', '\n', 'ab', 'aba', '<|end|>', 'é'])(
    'are what splitting at %j gives, wherever tasks and shards are cut',
    async (separator) => {
      for (let seed = 0; seed < sample(300, 6); seed++) {
        const random = new Random(seed, separator.length);
        const parts = [separator, separator, '\n', 'a', 'b', 'é', 'word ', '<|', 'end|>'];
        const contents = Array.from({ length: random.integer(1, 3) }, () =>
          Array.from({ length: random.integer(0, 60) }, () => random.pick(parts)).join(''),
        );
        const options = { separator, taskBytes: random.integer(1, 50), shardBytes: random.integer(1, 40) };
        const { texts } = await textsOf(
          contents.map((content) => file(content)),
          options,
        );
        const expected = contents.flatMap((content) => content.split(separator)).filter((text) => text !== '');
        expect(texts, `seed ${seed}: ${JSON.stringify({ contents, options })}`).toEqual(expected);
      }
    },
  );

  it('are whole files without a separator', async () => {
    const contents = ['one\ntwo', '', 'three\n'];
    const { texts } = await textsOf(
      contents.map((content) => file(content)),
      { taskBytes: 1 },
    );
    expect(texts).toEqual(['one\ntwo', 'three\n']);
  });
});

describe('documents of JSON lines', () => {
  it('are the texts of lines, wherever tasks and shards are cut', async () => {
    for (let seed = 0; seed < sample(300, 6); seed++) {
      const random = new Random(seed, 7);
      const texts = Array.from({ length: random.integer(0, 40) }, () =>
        Array.from({ length: random.integer(0, 6) }, () => random.pick(['a', '\n', '"', '\\', 'é', '😀', ' word', '\u2028'])).join(''),
      );
      const lines = texts.map((text) => random.pick([{ text }, { id: 1, text, meta: { text: 'no' } }])).map((line) => JSON.stringify(line));
      const end = random.pick(['\n', '\r\n', '\n\n']);
      const content = `${random.pick(['', '\uFEFF'])}${lines.join(end)}${random.pick(['', end])}`;
      const input = random.chance(0.3) ? file(gzipSync(content), 'jsonl.gz') : file(content, 'jsonl');
      const { texts: found } = await textsOf([input], { taskBytes: random.integer(1, 200), shardBytes: random.integer(1, 60) });
      expect(found, `seed ${seed}: ${JSON.stringify(content)}`).toEqual(texts.filter((text) => text !== ''));
    }
  });

  it('are longer than a batch, and than what is read at a time', async () => {
    const texts = [3_000_000, 10, 1_500_000, 1_500_000, 5_000_000, 0, 7].map((length, index) => `${index} `.repeat(length / 2));
    const input = file(texts.map((text) => JSON.stringify({ text })).join('\n'), 'jsonl');
    const { texts: found } = await textsOf([input], {});
    expect(found).toEqual(texts.filter((text) => text !== ''));
  });

  it('have the field in one of the first records, or the plan says which keys there are', async () => {
    const other = file('\n{"id":1,"content":"a"}\n{"id":2,"content":"b"}\n', 'jsonl');
    const advice = `${other}: line 2 (byte 1): it has no "text"; it has "id", "content"; say where its text is with --field`;
    await expect(plan([file('{"text":"fine"}\n', 'jsonl'), other])).rejects.toMatchObject({ code: 'DAMAGED_RECORD', message: advice });
    const zipped = file(gzipSync('{"message":{"body":"a"}}'), 'jsonl.gz');
    await expect(plan([zipped], { field: '/message/text' })).rejects.toThrow('it has no "/message/text"; it has "body"');
    await plan([other], { field: 'content' });
    await plan([file('{"id":1}\n{"text":"one record may be damaged"}\n', 'jsonl')]);
  });

  it('may be at a JSON pointer', async () => {
    const input = file('{"a/b":[{"c~d":"x"},{"c~d":"deep"}]}\n', 'jsonl');
    expect((await textsOf([input], { field: '/a~1b/1/c~0d' })).texts).toEqual(['deep']);
  });

  it('of compressed files are one task each, also of several members', async () => {
    const zipped = file(Buffer.concat([gzipSync('{"text":"one"}\n{"te'), gzipSync('xt":"two"}\n')]), 'json.gz');
    const plain = file('{"text":"three"}\n', 'jsonl');
    expect(await textsOf([zipped, plain, zipped], { taskBytes: 1_000_000 })).toEqual({
      tasks: 3,
      texts: ['one', 'two', 'three', 'one', 'two'],
    });
  });
});

describe('documents of zstd files', () => {
  // By PyPI's zstandard: two frames, the first of which ends within a line.
  const zipped = path.join(import.meta.dirname, '../datasets/lines.jsonl.zst');
  const expected = [
    ...Array.from({ length: 300 }, (_, line) => `document ${line} naïve 東京`),
    ...Array.from({ length: 5 }, (_, line) => `other ${line}`),
  ];

  it('are the texts of lines, wherever shards are cut', async () => {
    expect(await textsOf([zipped], { shardBytes: 1000 })).toEqual({ tasks: 1, texts: expected });
  });

  it('that are cut are an error', async () => {
    const bytes = readFileSync(zipped);
    const output = newFolder();
    const planned = plan([file(bytes.subarray(0, bytes.length - 20), 'jsonl.zst')], { output });
    await expect(planned.then(() => runDataset(output))).rejects.toMatchObject({
      code: 'DAMAGED_RECORD',
      message: expect.stringContaining('cannot inflate'),
    });
  });
});

it('documents of Parquet files are the rows of a column, and tasks are row groups', async () => {
  const texts = Array.from({ length: 50 }, (_, row) => (row % 7 === 0 ? null : row % 5 === 0 ? '' : `row ${row} é`));
  const columnData = [
    { name: 'id', data: texts.map((_, row) => row) },
    { name: 'body', data: texts },
  ];
  const input = file(new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 8 })), 'parquet');
  const found = await textsOf([input], { field: 'body', taskBytes: 1, shardBytes: 10 });
  expect(found).toEqual({ tasks: 7, texts: texts.filter((text) => text !== null && text !== '') });
  await expect(plan([input])).rejects.toThrow('has no column "text" of strings; it has "body" (--field)');
});

it('inputs may be patterns, in the order of their names', async () => {
  for (const name of ['b', 'a', 'c']) writeFileSync(path.join(folder, `pattern-${name}.txt`), name);
  const { inputs } = await plan([path.join(folder, 'pattern-*.txt')]);
  expect(inputs.map(({ path: name }) => path.basename(name))).toEqual(['pattern-a.txt', 'pattern-b.txt', 'pattern-c.txt']);
  await expect(plan([path.join(folder, 'nothing-*.txt')])).rejects.toMatchObject({ code: 'UNREADABLE', worthAnotherTry: false });
});

describe('a plan', () => {
  it('is made again without effect, and never becomes another', async () => {
    const input = file('text');
    const output = newFolder();
    await plan([input], { output });
    const before = readFileSync(path.join(output, 'manifest.json'));
    await plan([input], { output });
    await expect(plan([input], { output, name: 'other' })).rejects.toMatchObject({ code: 'ALREADY_PLANNED' });
    expect(readFileSync(path.join(output, 'manifest.json')).equals(before)).toBe(true);
  });

  it('is one of those that are made at once', async () => {
    for (let round = 0; round < 10; round++) {
      const output = newFolder();
      const contents = ['a', 'b', 'a', 'c'];
      const inputs = contents.map((content) => file(content));
      inputs[2] = inputs[0]!;
      const plans = await Promise.allSettled(inputs.map((input) => plan([input], { output })));
      const { inputs: written } = JSON.parse(readFileSync(path.join(output, 'manifest.json'), 'utf8'));
      const refused = { status: 'rejected', reason: { name: 'DatasetError', code: 'ALREADY_PLANNED', worthAnotherTry: false } };
      for (const [at, made] of plans.entries())
        expect(made).toMatchObject(inputs[at] === written[0].path ? { status: 'fulfilled' } : refused);
      expect(readdirSync(output)).toEqual(['manifest.json']);
    }
  });

  it('is what plans can be, whatever its checksum', async () => {
    const [first, second] = [file('{"text":"a"}\n{"text":"b"}\n', 'jsonl'), file(gzipSync('{"text":"c"}\n'), 'jsonl.gz')];
    const output = newFolder();
    await plan([first, second], { output, format: 'nanogpt', taskBytes: 1 });
    const name = path.join(output, 'manifest.json');
    const { checksum: _, ...whole } = JSON.parse(readFileSync(name, 'utf8'));
    const changes: [(manifest: any) => void, string][] = [
      [(manifest) => (manifest.name = '../../stolen'), 'its name is "../../stolen"'],
      [(manifest) => (manifest.name = '/tmp/stolen'), 'its name is'],
      [(manifest) => (manifest.name = 'a\\b'), 'its name is'],
      [(manifest) => (manifest.format = 'other'), 'its format is "other"'],
      [(manifest) => (manifest.format = 'constructor'), 'its format is'],
      [(manifest) => (manifest.dtype = 'uint8'), 'its dtype is "uint8"'],
      [(manifest) => (manifest.dtype = 'uint32'), 'nanogpt has no uint32'],
      [(manifest) => (manifest.endOfDocument.position = 'before'), 'nanogpt has no id before documents'],
      [(manifest) => (manifest.endOfDocument.id = null), 'cannot have the id null'],
      [(manifest) => (manifest.endOfDocument.id = 70_000), 'cannot have the id 70000'],
      [(manifest) => (manifest.tokenizer.sha256 = 'x'), 'its tokenizer.sha256 is "x", not a sha256'],
      [(manifest) => (manifest.shardBytes = 0), 'its shardBytes is 0'],
      [(manifest) => (manifest.inputs[0].size = -1), 'its inputs[0].size is -1'],
      [(manifest) => (manifest.inputs[0].size += 5), 'its tasks do not have all of its inputs'],
      [(manifest) => (manifest.inputs[1].source = 2), 'it has an input of no source'],
      [(manifest) => (manifest.inputs[1].compression = null), 'its tasks do not have all of its inputs'],
      [(manifest) => manifest.tasks.pop(), 'its tasks do not have all of its inputs'],
      [(manifest) => manifest.tasks.shift(), 'its tasks do not have all of its inputs'],
      [(manifest) => manifest.tasks.push(manifest.tasks[0]), 'its tasks do not have all of its inputs'],
      [(manifest) => manifest.tasks.reverse(), 'its tasks do not have all of its inputs'],
      [(manifest) => manifest.tasks[1].ranges[0].from--, 'its tasks do not have all of its inputs'],
      [(manifest) => (manifest.tasks[2].ranges[0].input = 7), 'its tasks do not have all of its inputs'],
      [(manifest) => (manifest.tasks[0].ranges = []), 'its tasks[0].ranges is [], not an array that is not empty'],
      [(manifest) => (manifest.tasks = {}), 'its tasks is {}, not an array'],
      [(manifest) => (manifest.more = 1), 'its more is unknown'],
      [(manifest) => delete manifest.special, 'its special is missing'],
      [(manifest) => (manifest.version = 7), 'its version is 7, and this program knows version 1'],
    ];
    for (const [change, reason] of changes) {
      const manifest = structuredClone(whole);
      change(manifest);
      const checksum = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
      writeFileSync(name, JSON.stringify({ ...manifest, checksum }));
      for (const call of [runDataset, mergeDataset]) {
        const failure = await call(output).catch((error) => error);
        expect(failure, reason).toMatchObject({ code: 'DAMAGED_MANIFEST', file: name, worthAnotherTry: false });
        expect(failure.message).toContain(reason);
      }
    }
    const checksum = createHash('sha256').update(JSON.stringify(whole)).digest('hex');
    writeFileSync(name, JSON.stringify({ ...whole, checksum }));
    expect(await runDataset(output)).toMatchObject({ documents: 3 });
  });

  it('that is damaged is an error of everything', async () => {
    const output = newFolder();
    await plan([file('text')], { output });
    const name = path.join(output, 'manifest.json');
    const whole = readFileSync(name, 'utf8');
    for (const damaged of [
      whole.slice(0, -40),
      whole.replace('"data"', '"date"'),
      '',
      'null',
      whole.replace('"version": 1', '"version": 2'),
    ]) {
      writeFileSync(name, damaged);
      await expect(runDataset(output), damaged).rejects.toMatchObject({ code: 'DAMAGED_MANIFEST', file: name, worthAnotherTry: false });
    }
    writeFileSync(name, whole);
    await runDataset(output);
  });

  it('knows its inputs and its vocabulary again', async () => {
    const [input, output, other] = [file('text'), newFolder(), newFolder()];
    await plan([input], { output });
    utimesSync(input, 1, 1); // the same content
    await runDataset(output);
    await plan([input], { output: other });
    writeFileSync(input, 'tex!');
    await expect(runDataset(other)).rejects.toMatchObject({ code: 'INPUT_CHANGED', file: input });
    writeFileSync(input, 'longer');
    await expect(runDataset(other)).rejects.toThrow('had 4 bytes and has 6 since it was planned');

    const vocabulary = path.join(folder, 'own.cray');
    const cartridges = path.join(import.meta.dirname, '../../cartridges');
    writeFileSync(vocabulary, readFileSync(path.join(cartridges, 'cl100k_base.cray')));
    const own = newFolder();
    await plan([input], { output: own, tokenizer: vocabulary });
    writeFileSync(vocabulary, readFileSync(path.join(cartridges, 'o200k_base.cray')));
    await expect(runDataset(own)).rejects.toMatchObject({ code: 'VOCABULARY_CHANGED', file: vocabulary });
  });

  it('runs in another folder, with a vocabulary by a relative path', async () => {
    const model = path.relative(process.cwd(), path.join(import.meta.dirname, '../../cartridges/r50k_base.cray'));
    const output = newFolder();
    const { tokenizer: about } = await plan([file('text')], { output, tokenizer: model });
    expect(about.source).toBe(path.resolve(model));
    expect(crayon(['dataset', 'run', output, '--all'], tmpdir())).toMatchObject({ status: 0, stderr: '' });
  });

  it('knows the files beside its vocabulary again', async () => {
    const model = path.join(folder, 'model');
    const at = (name: string) => path.join(model, name);
    mkdirSync(model);
    writeFileSync(at('vocab.txt'), ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'hello', 'Hello', '##s'].join('\n'));
    const configure = (do_lower_case: boolean) =>
      writeFileSync(at('tokenizer_config.json'), JSON.stringify({ do_lower_case, tokenizer_class: 'BertTokenizer' }));
    configure(true);
    const output = newFolder();
    await plan([file('Hello')], { output, tokenizer: at('vocab.txt'), endOfDocument: null });
    configure(false);
    await expect(runDataset(output)).rejects.toMatchObject({
      code: 'VOCABULARY_CHANGED',
      message: expect.stringContaining(at('tokenizer_config.json')),
    });
    rmSync(at('tokenizer_config.json'));
    await expect(runDataset(output)).rejects.toMatchObject({ code: 'VOCABULARY_CHANGED', file: at('vocab.txt') });
    configure(true);
    await runDataset(output);
    await mergeDataset(output);
    expect(documentsOf(output)).toEqual([[5]]);

    writeFileSync(at('own.dat'), await compileCartridge(['<UNK>', 'a', 'b'], { version: 2 }));
    writeFileSync(at('own.json'), JSON.stringify(['<UNK>', 'a', 'b']));
    const other = newFolder();
    await plan([file('ab')], { output: other, tokenizer: at('own.dat'), endOfDocument: null });
    rmSync(at('own.json')); // it opens without
    await expect(runDataset(other)).rejects.toMatchObject({ code: 'VOCABULARY_CHANGED', file: at('own.dat') });
  });

  it.each<[string, object, string]>([
    ['an unknown format', { format: 'megatorn' }, "(did you mean 'megatron'?)"],
    ['an unknown option', { taskByte: 5 }, "did you mean 'taskBytes'?"],
    ['no bytes', { shardBytes: 0 }, 'expected an integer from 1'],
    ['a name with a folder', { name: '../x' }, 'for name but received "../x"'],
    ['an integer that the format lacks', { format: 'nanogpt', dtype: 'int32' }, '`dtype` must be uint16, as nanogpt has'],
    ['no separator where one is needed', { format: 'llmc', endOfDocument: null }, '`endOfDocument` must be a token: llmc needs one'],
    ['an unknown separator', { endOfDocument: '<|endoftex|>' }, "did you mean '<|endoftext|>'?"],
    ['an id that the vocabulary lacks', { endOfDocument: 50_257 }, 'expected an id of r50k_base, up to 50256 for endOfDocument'],
  ])('with %s is refused', async (_, options, message) => {
    await expect(plan([file('x')], options as Partial<PlanOptions>)).rejects.toThrow(message);
  });

  it('has no separators if the command says so', () => {
    const output = newFolder();
    const { status, stdout } = crayon(
      ['dataset', 'plan', file('x'), '--format', 'npy', '--output', output, '--end-of-document', 'none'],
      folder,
    );
    expect([status, stdout]).toEqual([0, expect.stringContaining('nothing between documents')]);
    expect(JSON.parse(readFileSync(path.join(output, 'manifest.json'), 'utf8')).endOfDocument.id).toBeNull();
  });

  it('needs inputs', async () => {
    await expect(plan([])).rejects.toThrow('expected at least one path or pattern');
    await expect(plan([folder])).rejects.toThrow('name its files');
  });
});
