// Datasets whose files are damaged: each call that reads them gives what it would have given, or an error that names the file.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { TokenizerError } from 'crayon-tokenizer';
import {
  DatasetError,
  type DatasetFormat,
  datasetStatus,
  mergeDataset,
  planDataset,
  runDataset,
  verifyDataset,
} from 'crayon-tokenizer/dataset';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { Random } from '../fuzz/random.mjs';
import { SHARE, sample } from '../share.js';
import { type Damage, damagesOf } from './damages.js';

let folder: string;
const inputs: Record<string, string> = {};
beforeAll(() => {
  // In memory where that is possible: thousands of datasets are written and flushed.
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  folder = mkdtempSync(path.join(memory, 'crayon-test-'));
  const texts = Array.from({ length: 8 }, (_, row) => `document ${row} ${'of a few words '.repeat(row % 4)}`);
  texts[7] = texts[3]!; // a duplicate
  const lines = texts.map((text) => `${JSON.stringify({ text })}\n`).join('');
  const write = (name: string, content: string | Uint8Array) => writeFileSync((inputs[name] = path.join(folder, name)), content);
  write('plain.jsonl', lines);
  write('zipped.jsonl.gz', gzipSync(lines));
  write('separated.txt', texts.join('\n\n'));
  write('rows.parquet', new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'text', data: texts }], rowGroupSize: 4 })));
  inputs['lines.jsonl.zst'] = path.join(import.meta.dirname, '../datasets/lines.jsonl.zst');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a folder, by their paths in it. */
type Files = Map<string, Buffer>;

function filesOf(output: string): Files {
  const names = readdirSync(output, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    names.filter((name) => statSync(path.join(output, name)).isFile()).map((name) => [name, readFileSync(path.join(output, name))]),
  );
}

/** Makes the folder have these files, and no others. */
function restore(output: string, files: Files, now: Files = filesOf(output)): void {
  for (const name of now.keys()) if (!files.has(name)) rmSync(path.join(output, name));
  for (const [name, bytes] of files) {
    if (now.get(name)?.equals(bytes)) continue;
    mkdirSync(path.dirname(path.join(output, name)), { recursive: true });
    writeFileSync(path.join(output, name), bytes);
  }
}

/** What no file of a dataset has. */
const OTHER_JSON = ['{}', 'null', '[]', '"x"', '{"version":2}'];

const STAGES = {
  run: (output: string) => runDataset(output, { threads: 1 }),
  status: datasetStatus,
  verify: verifyDataset,
  merge: mergeDataset,
};
type Stage = keyof typeof STAGES;

/** What the calls give for a dataset that is not damaged. */
interface Undamaged {
  files: Files;
  answers: Partial<Record<Stage, unknown>>;
  /** When all of it is done and merged. */
  merged: Files;
}

const tried = { files: 0, damages: 0, stages: 0, errors: 0, right: 0 };
afterAll(() => {
  if (SHARE === 1) console.log(`damaged datasets: ${JSON.stringify(tried)}`);
});

/** Whether a failure says which file to look at. */
function names(error: unknown, file: string): boolean {
  if (error instanceof DatasetError) return error.file?.endsWith(file) === true && error.message.includes(file);
  return error instanceof TokenizerError && error.message.includes(file);
}

/** Calls a stage with a damaged file: an error that names it, or everything as if it were whole. */
async function check(output: string, stage: Stage, file: string, damage: Damage, { files, answers, merged }: Undamaged, context: string) {
  const whole = files.get(file) as Buffer;
  const bytes = damage.apply(Buffer.from(whole));
  if (bytes?.equals(whole)) return;
  const about = `${context}: ${stage} after ${file}: ${damage.name}`;
  if (bytes) writeFileSync(path.join(output, file), bytes);
  else rmSync(path.join(output, file));
  tried.stages++;
  try {
    const answer = await STAGES[stage](output);
    const isLost = damage.name === 'removed' && stage === 'status'; // says so by its numbers
    if (isLost) expect(answer, about).not.toEqual(file.startsWith('shards') ? answers[stage] : {});
    else expect(answer, about).toEqual(answers[stage]);
    if (stage === 'run') await mergeDataset(output);
    if (stage === 'run' || stage === 'merge') {
      const now = filesOf(output);
      for (const [name, expected] of merged) {
        if (name.startsWith('shards/') && (stage === 'merge' || (name === file && name.endsWith('.hashes')))) continue; // not read
        if (name === file && name.endsWith('.json'))
          expect(JSON.parse(String(now.get(name))), about).toEqual(JSON.parse(String(expected))); // white space
        else expect(now.get(name)?.equals(expected), `${about}: ${name}`).toBe(true);
      }
    }
    tried.right++;
  } catch (error) {
    if (!names(error, file))
      throw error instanceof DatasetError || error instanceof TokenizerError ? new Error(`${about}: ${error.message}`) : error;
    tried.errors++;
    const finished = [...filesOf(output)].filter(([name]) => !files.has(name) && !name.startsWith('shards/'));
    expect(
      finished.map(([name]) => name),
      `${about}: written`,
    ).toEqual([]);
  }
  restore(output, files);
}

const FORMATS: DatasetFormat[] = ['megatron', 'nanogpt', 'llmc', 'datatrove', 'mds', 'npy', 'arrow', 'parquet'];
const INPUTS = ['plain.jsonl', 'zipped.jsonl.gz', 'lines.jsonl.zst', 'separated.txt', 'rows.parquet'];
/** All pairs; the first of them have each format and each input. */
const PAIRS = Array.from(
  { length: FORMATS.length * INPUTS.length },
  (_, at) => [FORMATS[at % FORMATS.length]!, INPUTS[at % INPUTS.length]!] as const,
);

it.each(PAIRS.slice(0, sample(PAIRS.length, FORMATS.length)))(
  'damage to files of %s of %s is told, or does no harm',
  async (format, input) => {
    const seed = PAIRS.findIndex(([one, other]) => one === format && other === input);
    const random = new Random(seed, 55);
    const output = path.join(folder, `${format}-${input}`);
    const separator = input.endsWith('.txt') ? '\n\n' : undefined;
    const shards = input.endsWith('.zst') ? { taskBytes: 2000, shardBytes: 4000 } : { taskBytes: 200, shardBytes: 150 };
    await planDataset([inputs[input]!], { output, format, tokenizer: 'r50k_base', countDuplicates: true, separator, ...shards });
    const run = await STAGES.run(output);
    const merge = await mergeDataset(output);
    const merged = filesOf(output);
    const whole = {
      files: merged,
      merged,
      answers: { run, merge, status: await datasetStatus(output), verify: await verifyDataset(output) },
    };
    // As if the last process had been killed before its last shard, and nobody had merged.
    const last = [...merged.keys()]
      .filter((name) => name.endsWith('.ids'))
      .at(-1)!
      .slice(0, -4);
    const left = new Map(
      [...merged].filter(([name]) => name === 'manifest.json' || (name.startsWith('shards/') && !name.startsWith(last))),
    );
    restore(output, left);
    const begun = { files: left, merged, answers: { run, status: await datasetStatus(output) } };
    for (const [state, undamaged] of Object.entries({ whole, begun })) {
      restore(output, undamaged.files);
      const damages = [...undamaged.files].flatMap(([file, bytes]) => {
        const places = seed === 0 && state === 'whole' && file.endsWith('.json') ? bytes.length : 20;
        return [...damagesOf(bytes.length, places, random, file.endsWith('.json') ? OTHER_JSON : [])].map((damage) => ({ file, damage }));
      });
      tried.files += undamaged.files.size;
      for (let left = sample(damages.length, 20); left > 0; left--) {
        const [{ file, damage }] = damages.splice(random.below(damages.length), 1) as [(typeof damages)[0]];
        tried.damages++;
        for (const stage of Object.keys(undamaged.answers) as Stage[])
          await check(output, stage, file, damage, undamaged, `seed ${seed}, ${state}`);
      }
    }
  },
);

it('damage to files of many parts is told', async () => {
  const random = new Random(58);
  const input = path.join(folder, 'large.txt');
  writeFileSync(input, Array.from({ length: 400 }, () => ' a'.repeat(random.integer(1, 30_000))).join('\n\n'));
  const output = path.join(folder, 'large');
  await planDataset([input], { output, format: 'npy', tokenizer: 'r50k_base', separator: '\n\n', shardBytes: 8 * 2 ** 20 });
  await STAGES.run(output);
  const merge = await mergeDataset(output);
  const merged = filesOf(output);
  const undamaged = { files: merged, merged, answers: { merge, verify: await verifyDataset(output) } };
  const large = [...merged].filter(([, { length }]) => length > 4 * 2 ** 20);
  expect(large.map(([name]) => name)).toEqual(['data.npy', 'shards/000000-00000.ids']);
  for (const [file, { length }] of large) {
    for (const damage of damagesOf(length, sample(60, 1), random)) {
      tried.damages++;
      for (const stage of ['merge', 'verify'] as const) await check(output, stage, file, damage, undamaged, 'large');
    }
  }
});
