/**
 * Timers and the few statistics used here. Times are nanoseconds in JavaScript numbers.
 *
 * A time is wall-clock time minus the time this thread waited for a CPU while other processes ran (on Linux, from
 * /proc/self/task/<thread>/schedstat), so that a busy machine costs its caches and clock rate, but not whole time slices.
 */
import fs from 'node:fs';

const origin = process.hrtime.bigint();

/** Nanoseconds of the monotonic clock. */
export function now() {
  return Number(process.hrtime.bigint() - origin);
}

const schedule = openSchedule();
const scheduleText = Buffer.alloc(128);

function openSchedule() {
  try {
    return fs.openSync(`/proc/self/task/${process.pid}/schedstat`);
  } catch {
    return null;
  }
}

/** Nanoseconds that this thread has waited for a CPU so far: the second number of its schedstat. */
function queued() {
  if (schedule === null) return 0;
  const length = fs.readSync(schedule, scheduleText, 0, scheduleText.length, 0);
  return Number(scheduleText.toString('latin1', 0, length).split(' ', 2)[1]);
}

/** @returns {() => number} begins a time; the function returned ends it */
export function timer() {
  const waited = queued();
  const begin = now();
  return () => {
    const spent = now() - begin;
    return Math.max(1, spent - (queued() - waited));
  };
}

/** Nanoseconds of one call of `work`. */
export function timed(work) {
  const end = timer();
  work();
  return end();
}

export function median(values) {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Megabytes (1,000,000 bytes) a second. */
export function mbps(bytes, nanoseconds) {
  return (bytes * 1000) / nanoseconds;
}

/**
 * Passes of `work` for about `budget` nanoseconds, at least `least`, each timed. The first one is discarded if there are
 * at least three: the CPU's caches still hold the previous contender's data.
 * @returns {number[]} nanoseconds
 */
export function passes(work, budget, least = 1) {
  const times = [];
  let spent = 0;
  do {
    const time = timed(work);
    times.push(time);
    spent += time;
  } while (spent < budget || times.length < least);
  return times.length >= 3 ? times.slice(1) : times;
}

/** Nanoseconds of one call of `work`, which is too short for the clock: the median of batches of about 1 ms. */
export function shortCall(work, budget) {
  let calls = 1;
  const batch = () => {
    for (let call = 0; call < calls; call++) work();
  };
  for (let spent = timed(batch); spent < 1e6; spent = timed(batch)) {
    calls = Math.ceil(calls * Math.min(16, Math.max(1.5, 1.2e6 / spent)));
  }
  return median(passes(batch, budget, 5)) / calls;
}

let walked;

/** Fills the CPU's caches with other data: reads and writes 64 MB. */
export function evictCaches() {
  walked ??= new Uint8Array(64 << 20);
  for (let index = 0; index < walked.length; index += 64) walked[index]++;
}
