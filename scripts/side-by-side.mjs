/**
 * Runs jobs, each a process of its own, as many at a time as there is room for. A job waits for those that it needs and
 * for what another one is using; of those that may start, the first in the list does.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

/**
 * @typedef {object} Job
 * @property {string} name
 * @property {string[]} [needs] names of jobs that have to succeed before; those that are not in the list have done so
 * @property {string[]} [uses] what it cannot share: no two jobs that use the same run at a time
 * @property {string[]} command the program and its arguments
 * @property {Record<string, string>} [env] added to this process's environment
 */
/** @typedef {{ job: Job, code: number, output: string, seconds: number, failedNeed?: string }} Ended */

/**
 * @param {Job[]} jobs
 * @param {object} options
 * @param {number} options.atOnce how many run side by side
 * @param {boolean} [options.isShown] whether their output goes straight to this process's, in place of `onEnd`
 * @param {(ended: Ended) => void} options.onEnd gets every job once, in the order in which they end
 */
export async function runSideBySide(jobs, { atOnce, isShown = false, onEnd }) {
  /** @type {Map<Job, { process: import('node:child_process').ChildProcess, output: () => string }>} */
  const running = new Map();
  const waiting = new Set(jobs);
  const failed = new Set();
  const stop = (signal) => {
    // Their output so far is the only sign of how far they got.
    for (const [job, { process: child, output }] of running) {
      stopGroup(child, signal);
      console.log(`\n=== ${job.name}, stopped by ${signal}\n\n${output()}`);
    }
    process.exit(1);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const isFree = (job) => !(job.uses ?? []).some((each) => [...running.keys()].some((other) => other.uses?.includes(each)));
  const isReady = (job) => !(job.needs ?? []).some((need) => [...waiting, ...running.keys()].some((other) => other.name === need));

  await new Promise((resolve) => {
    const next = () => {
      for (const job of waiting) {
        const failedNeed = job.needs?.find((need) => failed.has(need));
        if (failedNeed === undefined) continue;
        waiting.delete(job);
        failed.add(job.name);
        onEnd({ job, code: 1, output: '', seconds: 0, failedNeed });
        return next();
      }
      for (const job of waiting) {
        if (running.size >= atOnce) break;
        if (isReady(job) && isFree(job)) start(job);
      }
      if (running.size === 0) resolve();
    };
    const start = (job) => {
      waiting.delete(job);
      const started = performance.now();
      const { child, output } = isShown ? spawnShown(job) : spawnLogged(job);
      running.set(job, { process: child, output });
      const end = (code) => {
        if (!running.delete(job)) return;
        if (code !== 0) failed.add(job.name);
        onEnd({ job, code, output: output(), seconds: (performance.now() - started) / 1000 });
        next();
      };
      child.once('error', () => end(1)).once('close', (code) => end(code ?? 1));
    };
    next();
  });
  process.off('SIGINT', stop).off('SIGTERM', stop);
}

/** Starts a job that writes where this process does. */
function spawnShown({ command: [program, ...args], env }) {
  const stdio = ['ignore', 'inherit', 'inherit'];
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, stdio, detached: true });
  return { child, output: () => '' };
}

/** Starts a job with both of its output streams in one file, so that their lines stay in order. */
function spawnLogged({ name, command: [program, ...args], env }) {
  const log = path.join(root, 'build', 'test', `${name}.log`);
  fs.mkdirSync(path.dirname(log), { recursive: true });
  const out = fs.openSync(log, 'w');
  const stdio = ['ignore', out, out];
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, stdio, detached: true });
  fs.closeSync(out);
  return { child, output: () => fs.readFileSync(log, 'utf8') };
}

/** A job leads a process group, so that its children end with it. */
function stopGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}
