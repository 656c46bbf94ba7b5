/**
 * `node cluster.mjs BACKEND`: the check in concurrent processes of a cluster, and in concurrent worker threads. Reports
 * like check.mjs.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const check = fileURLToPath(new URL('check.mjs', import.meta.url));
const args = process.argv.slice(2);

cluster.setupPrimary({ exec: check, args, silent: true });
const processes = await Promise.all(
  Array.from({ length: 3 }, async () => {
    const worker = cluster.fork();
    let said = '';
    worker.process.stdout.on('data', (data) => (said += data));
    worker.process.stderr.on('data', (data) => (said += data));
    // A cluster process waits for more work.
    worker.process.stdout.once('data', () => worker.disconnect());
    await once(worker, 'exit');
    return said;
  }),
);

const threads = await Promise.all(
  Array.from({ length: 3 }, async () => {
    const worker = new Worker(check, { argv: args, stdout: true });
    let said = '';
    worker.stdout.on('data', (data) => (said += data));
    await once(worker, 'exit');
    return said;
  }),
);

const failed = [...processes, ...threads].filter((said) => !said.includes('"ok":true'));
if (failed.length > 0) process.exitCode = 1;
console.log(failed.length > 0 ? failed.join('\n') : JSON.stringify({ ok: true, processes: processes.length, threads: threads.length }));
