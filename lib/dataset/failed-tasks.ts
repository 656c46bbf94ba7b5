// Tasks that failed while others were done.

import { DatasetError, type DatasetErrorCode } from './dataset-error.js';

/** Of the input or the shards of one task: others may have nothing to do with it. */
const OF_ONE_TASK: ReadonlySet<DatasetErrorCode> = new Set(['DAMAGED_RECORD', 'DAMAGED_SHARD', 'INPUT_CHANGED', 'UNREADABLE']);
/** The most tasks to name. */
const NAMED = 5;

export class FailedTasks {
  readonly #failures: { task: number; error: DatasetError }[] = [];

  /** Keeps a failure for the end; throws it if the other tasks would fail too. */
  add(task: number, error: unknown): void {
    if (!(error instanceof DatasetError) || !OF_ONE_TASK.has(error.code)) throw error;
    this.#failures.push({ task, error });
  }

  /** Throws the failure of the first task, if there is one. It names the others. */
  throwFirst(): void {
    const [first, ...others] = this.#failures.sort((one, other) => one.task - other.task);
    if (!first) return;
    if (others.length === 0) throw first.error;
    const { message, code, file, line, byte } = first.error;
    const names = `${others
      .slice(0, NAMED)
      .map(({ task }) => task)
      .join(', ')}${others.length > NAMED ? ' …' : ''}`;
    const more = others.length === 1 ? `task ${names} has failed too` : `${others.length} other tasks have failed too: ${names}`;
    const worthAnotherTry = this.#failures.some(({ error }) => error.worthAnotherTry);
    throw new DatasetError(`${message}; ${more}`, { code, file, line, byte, worthAnotherTry }, { cause: first.error });
  }
}
