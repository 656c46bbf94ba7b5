/** Timers and the few statistics that are used here. Times are nanoseconds in JavaScript numbers, exact up to 104 days. */

/** Nanoseconds of the monotonic clock. */
export function now() {
  return Number(process.hrtime.bigint() - origin);
}
const origin = process.hrtime.bigint();

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
 * Passes of `work` for about `budget` nanoseconds, at least `least`, each timed. The first one is not counted where there
 * are at least three: whoever ran before has left the CPU's caches to others.
 * @returns {number[]} nanoseconds
 */
export function passes(work, budget, least = 1) {
  const times = [];
  const begin = now();
  let before = begin;
  do {
    work();
    const after = now();
    times.push(after - before);
    before = after;
  } while (before - begin < budget || times.length < least);
  return times.length >= 3 ? times.slice(1) : times;
}

/**
 * Nanoseconds of one call of `work`, which is too short for the clock: the median of batches of about 1 ms.
 */
export function shortCall(work, budget) {
  let calls = 1;
  for (;;) {
    const begin = now();
    for (let call = 0; call < calls; call++) work();
    const spent = now() - begin;
    if (spent >= 1e6) break;
    calls = Math.ceil(calls * Math.min(16, Math.max(1.5, 1.2e6 / Math.max(spent, 1))));
  }
  const batch = () => {
    for (let call = 0; call < calls; call++) work();
  };
  return median(passes(batch, budget, 5)) / calls;
}

let walked;

/** Fills the CPU's caches with something else: reads and writes 64 MB. */
export function evictCaches() {
  walked ??= new Uint8Array(64 << 20);
  for (let index = 0; index < walked.length; index += 64) walked[index]++;
}
