// examples/gnu-parallel: with GNU parallel where it is, and with xargs.

import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examples, PlannedDataset } from './dataset.js';

const SCRIPT = join(examples, 'gnu-parallel/tokenize.sh');
const hasParallel = /^GNU/.test(spawnSync('parallel', ['--version'], { encoding: 'utf8' }).stdout ?? '');

describe.skipIf(process.platform === 'win32')('processes of one machine', () => {
  let dataset: PlannedDataset;
  beforeEach(async () => {
    dataset = await PlannedDataset.of({ documents: 200 });
    // The first process of task 1 is killed.
    dataset.crayonBehind(`case "$*" in *"--task 1") mkdir "${dataset.folder}/killed" 2> /dev/null && kill -KILL $$;; esac`);
  });
  afterEach(() => dataset.remove());

  it.skipIf(!hasParallel)('are started again by GNU parallel', async () => {
    const { status, output } = await dataset.start('bash', [SCRIPT, 'tokens', '2']).ended;
    expect(status, output).toBe(0);
    expect(existsSync(join(dataset.folder, 'killed'))).toBe(true);
    expect(dataset.merged()).toEqual(dataset.expected());
  });

  it('fail with xargs, and go on when the script is started again', async () => {
    for (const name of ['bash', 'mkdir', 'seq', 'xargs']) symlinkSync(programPath(name), join(dataset.programs, name));
    const start = () => dataset.start('bash', [SCRIPT, 'tokens', '2'], { ...dataset.environment(), PATH: dataset.programs }).ended;
    const first = await start();
    expect(first.status, first.output).not.toBe(0);
    expect(existsSync(join(dataset.dataset, 'data.bin'))).toBe(false);
    const second = await start();
    expect(second.status, second.output).toBe(0);
    expect(dataset.merged()).toEqual(dataset.expected());
  });
});

function programPath(name: string): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) as string;
}
