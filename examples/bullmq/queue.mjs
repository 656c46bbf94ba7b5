// What producer and workers share: where Redis is, and what the queue is called.

export const QUEUE = 'tokenize';

/** @type {import('bullmq').ConnectionOptions} */
export const connection = { url: process.env.REDIS_URL ?? 'redis://localhost:6379', maxRetriesPerRequest: null };

/** Milliseconds without a sign of life from a worker, after which another gets its task. */
export const LOCK = Number(process.env.TASK_LOCK ?? 30_000);
