// examples/ray and examples/spark: for `npm run test:long`, on machines whose Python has these packages. CRAYON_ENGINES_PYTHON names it.

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SHARE } from '../share.js';
import { crayonProgram, examples, referenceIds, someTexts } from './dataset.js';

const PYTHON = process.env.CRAYON_ENGINES_PYTHON ?? 'python3';
const has = (...modules: string[]) =>
  SHARE === 1 && spawnSync(PYTHON, ['-c', `import ${modules.join(', ')}`], { timeout: 120_000 }).status === 0;
const FILES = 4;
/** Milliseconds for a run: it takes about 20 seconds on two idle cores. */
const PATIENCE = 240_000;
const texts = someTexts(2000);
const expected = new Map(referenceIds(texts).map((ids, index) => [texts[index]!, ids]));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
  mkdirSync(join(folder, 'data'));
  for (let file = 0; file < FILES; file++) {
    const own = texts.filter((_, index) => index % FILES === file);
    writeFileSync(join(folder, 'data', `${file}.jsonl`), own.map((text) => `${JSON.stringify({ text })}\n`).join(''));
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs an example; the first process of crayon kills this one. Its output goes to a file: the daemons of Ray and Spark inherit it, and a
 * pipe would stay open as long as any of them lives. They are in its process group, of which nothing is left afterwards.
 */
async function run(script: string, args: string[], killed: '$$' | '$PPID', env: Record<string, string> = {}): Promise<void> {
  const programs = join(folder, 'bin');
  const log = join(folder, 'log');
  crayonProgram(programs, `mkdir "${folder}/killed" 2> /dev/null && kill -KILL ${killed}`);
  const output = openSync(log, 'w');
  const child = spawn(PYTHON, [join(examples, script), ...args], {
    cwd: folder,
    env: { ...process.env, PATH: `${programs}:${process.env.PATH}`, PYSPARK_PYTHON: PYTHON, ...env },
    stdio: ['ignore', output, output],
    detached: true,
  });
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject).once('exit', (status, signal) => resolve(status ?? signal));
  });
  const late = new AbortController();
  try {
    const status = await Promise.race([ended, after(PATIENCE, 'late', { signal: late.signal })]);
    expect(status, readFileSync(log, 'utf8').slice(-4000)).toBe(0);
    expect(existsSync(join(folder, 'killed'))).toBe(true);
  } finally {
    late.abort();
    closeSync(output);
    if (child.pid) endGroup(child.pid);
  }
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
}

/** The ids of each text in files of Parquet. */
async function tokens(): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const name of readdirSync(join(folder, 'tokens')).filter((each) => each.endsWith('.parquet'))) {
    const bytes = readFileSync(join(folder, 'tokens', name));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    for (const { text, ids } of await parquetReadObjects({ file, compressors })) found.set(text, ids);
  }
  return found;
}

describe.skipIf(!has('ray', 'pyarrow'))('Ray', () => {
  it(
    'adds the ids of tiktoken, although an actor is killed',
    async () => {
      await run('ray/add_ids.py', [join(folder, 'data'), join(folder, 'tokens'), '-e', 'gpt2'], '$PPID', {
        RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO: '0',
      });
      expect(await tokens()).toEqual(expected);
    },
    2 * PATIENCE,
  );
});

describe.skipIf(!has('pyspark', 'pandas', 'pyarrow'))('Spark', () => {
  it.each([
    ['pipe', '$$'],
    ['map', '$PPID'],
  ] as const)(
    'adds the ids of tiktoken by %s, although a process is killed',
    async (way, killed) => {
      // Two cores, and four tries for each task. Spark's snappy takes a machine for one of musl that has musl, too.
      await run('spark/add_ids.py', [way, join(folder, 'data'), join(folder, 'tokens'), '-e', 'gpt2'], killed, {
        PYSPARK_SUBMIT_ARGS: '--master local[2,4] --conf spark.sql.parquet.compression.codec=gzip pyspark-shell',
      });
      expect(await tokens()).toEqual(expected);
    },
    2 * PATIENCE,
  );
});
