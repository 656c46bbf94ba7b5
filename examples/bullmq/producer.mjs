// Queues the tasks of a planned dataset, and its merging behind them; waits for that. With `npm install crayon-tokenizer bullmq ioredis`:
//
//     crayon dataset plan "data/*.jsonl.gz" -m gpt-4o --format megatron --output /shared/tokens
//     node producer.mjs /shared/tokens
//
// To queue a dataset twice does no harm: receipts in its folder say what is done, and that is not repeated.

import { resolve } from 'node:path';
import { FlowProducer, QueueEvents } from 'bullmq';
import { datasetStatus } from 'crayon-tokenizer/dataset';
import { connection, QUEUE } from './queue.mjs';

const folder = resolve(process.argv[2] ?? '.');
const { tasks, begun, waiting } = await datasetStatus(folder);

const opts = { attempts: 10, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: { age: 3600 } };
const flows = new FlowProducer({ connection });
const { job } = await flows.add({
  name: 'merge',
  queueName: QUEUE,
  data: { folder },
  opts,
  children: [...begun, ...waiting].map((task) => ({
    name: 'run',
    queueName: QUEUE,
    data: { folder, task, of: tasks },
    opts: { ...opts, ignoreDependencyOnFailure: true },
  })),
});

const events = new QueueEvents(QUEUE, { connection });
try {
  const { documents, tokens } = await job.waitUntilFinished(events);
  console.log(`${folder}: ${documents} documents, ${tokens} tokens`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
await events.close();
await flows.close();
