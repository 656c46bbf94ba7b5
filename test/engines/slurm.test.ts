// examples/slurm: the script as Slurm runs it, in a process for each task of the array.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examples, PlannedDataset } from './dataset.js';

const COUNT = 3;
const SCRIPT = join(examples, 'slurm/tokenize.sbatch');

describe.skipIf(process.platform === 'win32')('an array', () => {
  let dataset: PlannedDataset;
  beforeAll(async () => {
    dataset = await PlannedDataset.of();
    dataset.program('scontrol', `echo "$@" >> "${dataset.folder}/scontrol"`);
  });
  beforeEach(() => {
    rmSync(join(dataset.folder, 'scontrol'), { force: true });
    dataset.crayonBehind('');
  });
  afterAll(() => dataset.remove());

  const start = (task: number, restarts?: number) => {
    const variables = {
      SLURM_ARRAY_JOB_ID: '42',
      SLURM_ARRAY_TASK_ID: String(task),
      SLURM_ARRAY_TASK_COUNT: String(COUNT),
      SLURM_ARRAY_TASK_MIN: '0',
      SLURM_CPUS_PER_TASK: '1',
      ...(restarts === undefined ? {} : { SLURM_RESTART_COUNT: String(restarts) }),
    };
    return dataset.start('bash', [SCRIPT, 'tokens'], dataset.environment(variables));
  };
  const asked = () => (existsSync(join(dataset.folder, 'scontrol')) ? readFileSync(join(dataset.folder, 'scontrol'), 'utf8') : '');

  it('queues a task again that meets its time limit, and ends its process', async () => {
    dataset.crayonBehind(`echo $$ > "${dataset.folder}/pid"; exec sleep 60`);
    const { child, ended } = start(1);
    while (!existsSync(join(dataset.folder, 'pid'))) await after(10);
    await after(50); // for the shell to write it
    child.kill('SIGTERM');
    expect((await ended).status).toBe(143);
    expect(asked()).toBe('requeue 42_1\n');
    expect(() => process.kill(Number(readFileSync(join(dataset.folder, 'pid'), 'utf8')), 0)).toThrow('ESRCH');
  });

  it('queues a task again whose failure may pass, a limited number of times', async () => {
    dataset.crayonBehind('exit 3');
    expect((await start(2, 49).ended).status).toBe(3);
    expect(asked()).toBe('requeue 42_2\n');
    expect((await start(2, 50).ended).status).toBe(3);
    expect(asked()).toBe('requeue 42_2\n');
  });

  it('leaves other failures to people', async () => {
    dataset.crayonBehind('exit 1');
    expect((await start(0).ended).status).toBe(1);
    expect(asked()).toBe('');
  });

  it('merges to the ids of tiktoken', async () => {
    const runs = Array.from({ length: COUNT }, (_, task) => start(task).ended);
    expect((await Promise.all(runs)).map(({ status, output }) => [status, output.split(':')[0]])).toEqual([
      [0, expect.stringMatching(/task/)],
      [0, expect.stringMatching(/task/)],
      [0, expect.stringMatching(/task/)],
    ]);
    await dataset.merge();
    expect(dataset.merged()).toEqual(dataset.expected());
  });
});
