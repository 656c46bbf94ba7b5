// What the threads that run tasks and the one that started them tell each other.

import { TokenizerError } from '../../base/errors.js';
import { DatasetError } from '../dataset-error.js';
import type { DatasetManifest } from '../manifest.js';
import type { TaskSums } from '../receipts.js';
import type { BatchAmounts } from '../run-task.js';

/** What a thread is started with. */
export interface ThreadData {
  manifest: DatasetManifest;
  folder: string;
  cacheBytes: number | undefined;
  skipDamaged: boolean;
}

/** To a thread: a task and the threads to encode it with; to end the task that is running; to end. */
export type ThreadRequest = { task: number; threads: number } | 'abort' | 'end';

/** From a thread: a batch that has been encoded; or how its task ended. */
export type ThreadAnswer = { batch: BatchAmounts } | { done: TaskSums } | { failure: Failure };

/** An error as a message: `postMessage` would drop its class and its properties. */
export interface Failure {
  kind: 'dataset' | 'tokenizer' | 'other';
  message: string;
  name: string;
  stack: string | undefined;
  details: ConstructorParameters<typeof DatasetError>[1] | ConstructorParameters<typeof TokenizerError>[1] | undefined;
  cause: Failure | undefined;
}

export function asMessage(error: unknown): Failure {
  const { message, name, stack, cause } = error instanceof Error ? error : new Error(String(error));
  const about = { message, name, stack, cause: cause === undefined ? undefined : asMessage(cause) };
  if (error instanceof DatasetError) {
    const { code, file, line, byte, worthAnotherTry } = error;
    return { kind: 'dataset', ...about, details: { code, file, line, byte, worthAnotherTry } };
  }
  if (error instanceof TokenizerError) {
    const { code, position, section, row } = error;
    return { kind: 'tokenizer', ...about, details: { code, position, section, row } };
  }
  return { kind: 'other', ...about, details: undefined };
}

/** The error again. Its stack is the one of the thread. */
export function asError({ kind, message, name, stack, details, cause }: Failure): Error {
  const options = cause && { cause: asError(cause) };
  const error =
    kind === 'dataset'
      ? new DatasetError(message, details as ConstructorParameters<typeof DatasetError>[1], options)
      : kind === 'tokenizer'
        ? new TokenizerError(message, details as ConstructorParameters<typeof TokenizerError>[1], options)
        : Object.defineProperty(new Error(message, options), 'name', { value: name, configurable: true, writable: true });
  return Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
}
