// A worker: takes tasks from the queue. Start as many as there are cores, on machines that share the folder of the dataset. End them
// as you like: the queue gives the task of one that is gone to another, which goes on behind its last whole shard.
//
//     REDIS_URL=redis://queue:6379 node worker.mjs

import { UnrecoverableError, Worker } from 'bullmq';
import { DatasetError, mergeDataset, runDataset } from 'crayon-tokenizer/dataset';
import { connection, LOCK, QUEUE } from './queue.mjs';

async function work(job) {
  const { folder, task, of } = job.data;
  try {
    if (job.name === 'run') return await runDataset(folder, { task, of, threads: 1 });
    const [failure] = Object.values(await job.getIgnoredChildrenFailures());
    if (failure !== undefined) throw new UnrecoverableError(failure);
    return await mergeDataset(folder);
  } catch (error) {
    if (error instanceof DatasetError && !error.worthAnotherTry) throw new UnrecoverableError(error.message);
    throw error;
  }
}

// A task may lose any number of workers: that is no fault of its own.
const worker = new Worker(QUEUE, work, { connection, lockDuration: LOCK, stalledInterval: LOCK, maxStalledCount: 1_000_000 });
worker.on('active', ({ name, data: { folder, task = '' } }) => console.log(`${name} ${folder} ${task}`));
worker.on('failed', (job, error) => console.error(`${job?.name} ${job?.data.folder} ${job?.data.task ?? ''}: ${error.message}`));
worker.on('error', (error) => console.error(error.message));
