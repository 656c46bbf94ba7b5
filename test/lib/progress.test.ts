// Progress bars end with the work that they show, and long work says without a terminal how far it is.

import { SingleBar } from 'cli-progress';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Progress } from '../../lib/cli/output/terminal.js';

const loaded = () => import('cli-progress').then(() => new Promise((resolve) => setTimeout(resolve, 20)));
let started: number;
let stopped: number;
beforeEach(() => {
  [started, stopped] = [0, 0];
  vi.spyOn(SingleBar.prototype, 'start').mockImplementation(() => void started++);
  vi.spyOn(SingleBar.prototype, 'stop').mockImplementation(() => void stopped++);
  vi.spyOn(SingleBar.prototype, 'update').mockImplementation(() => undefined);
  for (const stream of [process.stdout, process.stderr]) Object.defineProperty(stream, 'isTTY', { value: true, configurable: true });
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const stream of [process.stdout, process.stderr]) delete (stream as Partial<NodeJS.WriteStream>).isTTY;
});

it('much progress before the bar is loaded shows one bar', async () => {
  const bar = new Progress(100, true, { patience: 0 });
  for (let done = 0; done < 10; done++) void bar.add(1);
  await loaded();
  await bar.add(1);
  expect(started).toBe(1);
  bar.end();
  expect(stopped).toBe(1);
});

it('a bar is not shown if the work ends while it is loaded, nor afterwards', async () => {
  const bar = new Progress(100, true, { patience: 0 });
  void bar.add(1);
  bar.end();
  await loaded();
  await bar.add(1);
  expect(started).toBe(0);
});

it.each([true, false])('without a terminal, work of hours writes a line a minute, if it is wanted: %s', async (wanted) => {
  delete (process.stderr as Partial<NodeJS.WriteStream>).isTTY;
  const written: unknown[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => Boolean(written.push(line)));
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const progress = new Progress(1000, wanted, { log: true });
  for (let second = 1; second <= 150; second++) {
    clock.mockReturnValue(second * 1000);
    await progress.add(1, `; ${second} documents`);
  }
  const lines = ['crayon: 6 %, 16 min left; 60 documents\n', 'crayon: 12 %, 15 min left; 120 documents\n'];
  expect(written).toEqual(wanted ? lines : []);
  expect(started).toBe(0);
});
