// The script of the threads started by train/in-node.ts.

import { parentPort, workerData } from 'node:worker_threads';

import { trainerOn } from './engine/trainer.js';
import { native } from './native/addon.js';
import { readInParts } from './open/regular-file.js';
import { checkpoints } from './train/checkpoint-file.js';
import type { WorkMessage } from './open/threads.js';
import type { TrainThreadData } from './train/in-node.js';
import { type TrainAnswer, type TrainRequest, TrainSession } from './train/session.js';
import { moduleNow } from './wasm/module.js';
import { wasmTrainer } from './wasm/trainer.js';

const { module } = workerData as TrainThreadData;

function send(message: WorkMessage<TrainAnswer>): void {
  const learned = typeof message === 'object' && 'learned' in message ? message.learned : undefined;
  const arrays = learned ? [learned.bytes, learned.offsets, learned.merges] : [];
  parentPort?.postMessage(
    message,
    arrays.map(({ buffer }) => buffer as ArrayBuffer),
  );
}

const factory = () => (module === undefined ? trainerOn(() => native().addon) : wasmTrainer(moduleNow(module)));
const session = new TrainSession({ factory, read: readInParts, checkpoints }, send);
parentPort?.on('message', (request: TrainRequest) => session.request(request));
send('loaded');
