// The script of trainBpe's worker in browsers.

import { type TrainAnswer, type TrainRequest, TrainSession } from './training/train-session.js';
import { embeddedTrainer } from './hosts/module/embedded-compiler.js';

interface WorkerScope {
  postMessage(message: TrainAnswer | 'loaded', transfer: ArrayBufferLike[]): void;
  onmessage: ((event: { data: TrainRequest }) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

const session = new TrainSession({ factory: embeddedTrainer }, (answer) => {
  const learned = typeof answer === 'object' && 'learned' in answer ? answer.learned : undefined;
  const arrays = learned ? [learned.bytes, learned.offsets, learned.merges] : [];
  scope.postMessage(
    answer,
    arrays.map(({ buffer }) => buffer),
  );
});

scope.onmessage = ({ data }) => session.request(data);
scope.postMessage('loaded', []);
