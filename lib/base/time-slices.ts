// Long work on this thread, done in slices with turns of the event loop in between. All jobs of the thread share a turn of a few
// milliseconds: they take slices one after another.

import { untilAborted } from './abort.js';

/** Work that yields between slices of at most about a millisecond. */
export type Work<T> = Generator<undefined, T, undefined>;

/** Does work without a break. */
export function drained<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** UTF-16 units, bytes or ids to process between two checks of the clock: a few tenths of a millisecond. */
export const SLICE = 64 * 1024;
/** How long to block the thread at a time, in milliseconds: half a frame. */
export const TIME_SLICE = 8;

/** The unfinished tasks, the next one first. */
const tasks = new Set<{ step(): void }>();
/** How many turns the event loop has had. */
let turns = 0;
/** Milliseconds of work in this turn. */
let spent = 0;

/** Whether the thread has worked long enough and should yield. */
export function isTimeSliceOver(): boolean {
  return spent >= TIME_SLICE;
}

/**
 * Does work in turns. The first slice, and whatever else fits into this turn, is done when the call returns. Aborting the signal ends the
 * work immediately, running its `finally`.
 */
export function inTimeSlices<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
  const task = { step: (): void => undefined };
  const ended = new Promise<T>((resolve, reject) => {
    task.step = () => {
      tasks.delete(task);
      try {
        const { done, value } = work.next();
        if (done) resolve(value);
        else tasks.add(task);
      } catch (error) {
        reject(error);
      }
    };
  });
  const began = performance.now();
  task.step();
  spent += performance.now() - began;
  workOn();
  if (!tasks.has(task)) return ended;

  // Even if others have asked: on an edge host their turn may never come, since their request has ended.
  askForTurn();
  return untilAborted(signal, ended, () => {
    tasks.delete(task);
    work.return(undefined as never);
  });
}

/** Does as much as fits into the rest of this turn. */
function workOn(): void {
  if (isTimeSliceOver()) return;
  const began = performance.now();
  const before = spent;
  // An unfinished task is added again, and so comes last.
  for (const task of tasks) {
    task.step();
    spent = before + performance.now() - began;
    if (isTimeSliceOver()) break;
  }
}

/** Lets the event loop turn, then continues the work. */
function askForTurn(): void {
  const before = turns;
  void pause().then(() => {
    // Node makes all pending calls before the event loop turns again: the first one works for all.
    if (turns !== before) return;
    turns++;
    spent = 0;
    workOn();
    if (tasks.size > 0) askForTurn();
  });
}

/** Lets the thread's other work proceed. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else if (isBrowser && typeof MessageChannel === 'function') onMessage(resolve);
    else setTimeout(resolve);
  });
}

const isBrowser = 'document' in globalThis || 'importScripts' in globalThis;

/** Calls back in a new turn of the event loop. Browsers delay the timers of hidden pages by a second, but not messages. */
function onMessage(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    port1.close();
    callback();
  });
  port1.start();
  port2.postMessage(undefined);
}
