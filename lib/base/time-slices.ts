// Long work of this thread, done in slices with turns of the event loop in between. All such work of the thread shares one
// turn of some milliseconds, however many jobs there are: they take slices one after another.

import { untilAborted } from './abort.js';

/** Work that yields between slices of at most about a millisecond. */
export type Work<T> = Generator<undefined, T, undefined>;

/** How long the thread is blocked at a time, in milliseconds: half of a frame. */
const TIME_SLICE = 8;

interface Task {
  step(): void;
}

/** The tasks that go on, the next one first. */
const tasks = new Set<Task>();
/** How often the event loop has had its turn. */
let turns = 0;
/** Milliseconds of work since then. */
let spent = 0;

/** Whether the thread has worked long enough to give way. */
export function isTimeSliceOver(): boolean {
  return spent >= TIME_SLICE;
}

/**
 * Does work in turns; what can be done in this turn is done when the call returns, and the first slice in any case. If that
 * fails, the error is thrown here, where the stack still has the caller. When the signal is aborted, the work is ended at
 * once, through its `finally`.
 */
export function inTimeSlices<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
  let outcome = undefined as { value: T } | { error: unknown } | undefined;
  let settle = (): void => undefined;
  const value = (): T => {
    if (outcome && 'value' in outcome) return outcome.value;
    throw outcome?.error;
  };
  const task = {
    step() {
      tasks.delete(task);
      try {
        const { done, value } = work.next();
        if (done) outcome = { value };
        else tasks.add(task);
      } catch (error) {
        outcome = { error };
      }
      if (outcome) settle();
    },
  };
  const began = performance.now();
  task.step();
  spent += performance.now() - began;
  workOn();
  if (outcome) return Promise.resolve(value());

  // Even if others have asked: on an edge host their turn may never come, as the request that they belong to has ended.
  askForTurn();
  const ended = new Promise<T>((resolve, reject) => {
    settle = () => {
      try {
        resolve(value());
      } catch (error) {
        reject(error);
      }
    };
  });
  return untilAborted(signal, ended, () => {
    tasks.delete(task);
    work.return(undefined as never);
  });
}

/** Does as much as fits into what is left of this turn. */
function workOn(): void {
  if (isTimeSliceOver()) return;
  const began = performance.now();
  const before = spent;
  // A task that goes on is added again, and so comes last.
  for (const task of tasks) {
    task.step();
    spent = before + performance.now() - began;
    if (isTimeSliceOver()) break;
  }
}

/** Lets the event loop have its turn, then works on. */
function askForTurn(): void {
  const before = turns;
  const goOn = () => {
    // Node calls all who have asked before the event loop turns again: the first of them works for all.
    if (turns !== before) return;
    turns++;
    spent = 0;
    workOn();
    if (tasks.size > 0) askForTurn();
  };
  if (typeof setImmediate === 'function') setImmediate(goOn);
  else setTimeout(goOn);
}
