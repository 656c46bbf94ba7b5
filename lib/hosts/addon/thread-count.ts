// The number of threads that encode in the process.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { variable } from '../../base/environment.js';

const MOST = 256;

let known: number | undefined;

/**
 * `CRAYON_THREADS`; else the number of CPUs that this process may use, by its affinity and its control group's quota, so
 * that a container with half a CPU does not start sixty threads.
 */
export function threadCount(): number {
  known ??= Math.min(asked() ?? Math.min(availableParallelism(), quota()), MOST);
  return known;
}

function asked(): number | undefined {
  const text = variable('CRAYON_THREADS');
  if (!text) return undefined;
  if (/^[1-9][0-9]*$/.test(text)) return Number(text);
  throw new RangeError(`expected a positive integer for CRAYON_THREADS but received '${text}'`);
}

function quota(): number {
  if (process.platform !== 'linux') return Infinity;
  // Version 2 of control groups: "max 100000" or "50000 100000"; version 1: two files, -1 for none.
  const [quotaTime, period] = read('/sys/fs/cgroup/cpu.max')?.split(' ') ?? [
    read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
    read('/sys/fs/cgroup/cpu/cpu.cfs_period_us'),
  ];
  const share = Number(quotaTime) / Number(period);
  return share > 0 ? Math.max(Math.ceil(share), 1) : Infinity;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
