// examples/bullmq: a producer and workers over Redis. Workers are killed at random, and the result is that of tiktoken.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sample } from '../share.js';
import { examples, PlannedDataset } from './dataset.js';

const WORKERS = 3;
/** How many workers are killed in each place. */
const LIVES = sample(30, 1);
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const program = (name: string) => join(examples, 'bullmq', name);

type Started = ReturnType<PlannedDataset['start']>;

describe.skipIf(!hasRedis)('a queue', () => {
  let dataset: PlannedDataset;
  let redis: Started;
  let env: NodeJS.ProcessEnv;
  const started: Started[] = [];
  const start = (name: string, ...args: string[]) => {
    const process_ = dataset.start(process.execPath, [program(name), ...args], env);
    started.push(process_);
    return process_;
  };

  beforeEach(async () => {
    dataset = await PlannedDataset.of({ documents: sample(20_000, 1000), taskBytes: 40_960, shardBytes: 4096 });
    const socket = join(dataset.folder, 'redis.sock');
    redis = dataset.start('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', dataset.folder]);
    while (!existsSync(socket)) await after(10);
    env = dataset.environment({ REDIS_URL: socket, TASK_LOCK: '300' });
  });
  afterEach(async () => {
    for (const { child } of [...started, redis]) child.kill('SIGKILL');
    await Promise.all([...started, redis].map(({ ended }) => ended));
    dataset.remove();
  });

  it('merges to the ids of tiktoken, although workers are killed with a task in hand', async () => {
    const seed = Date.now() & 0xffff;
    console.log(`seed ${seed}`);
    let state = seed;
    const below = (limit: number) => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) % limit;
    const producer = start('producer.mjs', 'tokens');
    let hasEnded = false;
    let killed = 0;
    /** Workers one after the other, until the producer has ended. */
    const keepAWorker = async () => {
      for (let lives = 0; !hasEnded; lives++) {
        const { child, ended } = start('worker.mjs');
        const isMortal = lives < LIVES;
        if (isMortal) await Promise.race([once(child.stdout, 'data'), producer.ended]).then(() => after(below(60)));
        else await Promise.race([ended, producer.ended]);
        if (child.kill('SIGKILL') && isMortal && !hasEnded) killed++;
        await ended;
      }
    };
    const workers = Array.from({ length: WORKERS }, keepAWorker);
    const { status, output } = await producer.ended;
    hasEnded = true;
    await Promise.all(workers);
    expect(status, output).toBe(0);
    expect(dataset.merged()).toEqual(dataset.expected());
    expect(killed).toBeGreaterThanOrEqual(WORKERS);
    expect(await timesTakenOver()).toBeGreaterThan(0);
  });

  it('fails at once where no other try helps, and says why', async () => {
    writeFileSync(join(dataset.folder, '0.jsonl'), '{"id":0}\n');
    const producer = start('producer.mjs', 'tokens');
    start('worker.mjs');
    const { status, output } = await producer.ended;
    expect(status).toBe(1);
    expect(output).toMatch(/0\.jsonl/);
  });

  /** How often a task was given to another worker. */
  async function timesTakenOver(): Promise<number> {
    const queue = new Queue('tokenize', { connection: { url: env.REDIS_URL as string } });
    const jobs = await queue.getJobs(['completed']);
    await queue.close();
    return jobs.reduce((sum, { stalledCounter }) => sum + stalledCounter, 0);
  }
});
