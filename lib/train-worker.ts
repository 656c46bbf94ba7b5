// The script of the threads started by training/train-in-node.ts.

import { parentPort, workerData } from 'node:worker_threads';

import { trainerOn } from './engine/trainer.js';
import { native } from './hosts/addon/addon.js';
import { readInParts } from './io/regular-file.js';
import { checkpoints } from './training/checkpoint-file.js';
import type { WorkMessage } from './vocabularies/open/threads.js';
import type { TrainThreadData } from './training/train-in-node.js';
import { type TrainAnswer, type TrainRequest, TrainSession } from './training/train-session.js';
import { moduleNow } from './hosts/module/module.js';
import { wasmTrainer } from './hosts/module/module-trainer.js';

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
