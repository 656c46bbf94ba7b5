// Encodes on the calling thread, in slices with other work in between: for hosts without another thread.

import type { Background, JobOptions } from './background.js';
import type { BatchIds, EngineTokenizer, PartForm, Policy, TextPolicy, TextSession, TokensWithOffsets } from './engine.js';
import { retain, release } from './retiring.js';
import { joined, type UnsharedUint32Array } from '../base/typed-arrays.js';
import { checkedTotal, failureInRow, feedTexts, isWithin, rowRangesOf, textAt, textCount, type Texts } from './text-rows.js';
import { inTimeSlices, isTimeSliceOver, type Work } from '../base/time-slices.js';
import { partOf, plainBytes } from '../base/views.js';

/** UTF-16 units or bytes to encode between two checks of the clock: a few tenths of a millisecond. */
const SLICE = 64 * 1024;
/** UTF-16 units or bytes to divide into parts between two checks of the clock: that may take a hundred times as long. */
const SPLIT_SLICE = 1024;
/** The most jobs at a time: each has a session with a cache. */
const MAX_JOBS = 16;

/** The background that uses the thread itself. It ignores `threads`. */
export function backgroundInTurns(engine: EngineTokenizer): Background {
  const start = <T>(texts: Texts, work: Work<T>, { signal }: JobOptions) => inTimeSlices(inItsSlices(engine, texts, work), signal);
  return {
    encode: (text, policy, options) => start([text], encodeInSlices(engine, text, policy), options),
    count: (text, policy, options) => start([text], count(engine, text, policy), options),
    encodeBatch: (texts, policy, options) => start(texts, encodeBatch(engine, texts, policy), options),
    split: (texts, form, policy, options) => start(texts, splitInSlices(engine, texts, form, policy), options),
  };
}

/** How many jobs of more than one slice have begun. */
let begun = 0;

/** Begins work when there is time; until then `retire` does not close the engine. Short work does not wait for long jobs. */
function* inItsSlices<T>(engine: EngineTokenizer, texts: Texts, work: Work<T>): Work<T> {
  const weight = isWithin(texts, SLICE) ? 0 : 1;
  const mustWait = () => isTimeSliceOver() || weight * begun >= MAX_JOBS;
  const isHeld = mustWait();
  if (isHeld) retain(engine);
  try {
    while (mustWait()) yield;
    begun += weight;
    try {
      return yield* work;
    } finally {
      begun -= weight;
    }
  } finally {
    if (isHeld) release(engine);
  }
}

/** A mask is for bytes. */
export function* encodeInSlices(engine: EngineTokenizer, text: string | Uint8Array, policy: TextPolicy): Work<UnsharedUint32Array> {
  if (text.length <= SLICE) {
    return engine.encode(typeof text === 'string' ? text : plainBytes(text, 'the text'), policy);
  }
  const session = engine.begin(policy, false);
  const ids: UnsharedUint32Array[] = [];
  try {
    yield* feedInSlices(session, text, () => ids.push(session.take()));
    return yield* joined(ids);
  } finally {
    session.end();
  }
}

/** With offsets in UTF-16 units. */
export function* locateInSlices(engine: EngineTokenizer, bytes: Uint8Array, policy: TextPolicy): Work<TokensWithOffsets> {
  if (bytes.length <= SLICE) return engine.encodeWithOffsets(bytes, 'utf16', policy);
  const session = engine.begin(policy, false, undefined, 'utf16');
  const [ids, offsets]: UnsharedUint32Array[][] = [[], []];
  try {
    yield* feedInSlices(session, bytes, () => {
      offsets.push(session.takeOffsets());
      ids.push(session.take());
    });
    return { ids: yield* joined(ids), offsets: yield* joined(offsets) };
  } finally {
    session.end();
  }
}

function* count(engine: EngineTokenizer, text: string | Uint8Array, policy: Policy): Work<number> {
  if (text.length <= SLICE) {
    return engine.count(typeof text === 'string' ? text : plainBytes(text, 'the text'), policy);
  }
  const session = engine.begin(policy, true);
  try {
    let sum = 0;
    yield* feedInSlices(session, text, (total) => (sum = total));
    return sum;
  } finally {
    session.end();
  }
}

function* encodeBatch(engine: EngineTokenizer, texts: Texts, policy: Policy): Work<BatchIds> {
  const totals = new Uint32Array(textCount(texts) + 1);
  const ids: UnsharedUint32Array[] = [];
  const session = engine.begin(policy, false);
  try {
    for (const { first, end, size } of rowRangesOf(texts, SLICE)) {
      if (first > 0) yield;
      let sum = totals[first] as number;
      if (size <= SLICE) {
        feedTexts(session, texts, totals, first, end);
        checkedTotal(sum + (totals[end] as number));
        for (let row = first + 1; row <= end; row++) totals[row] = (totals[row] as number) + sum;
        ids.push(session.take());
        continue;
      }
      try {
        yield* feedInSlices(session, textAt(texts, first), (total) => {
          sum += total;
          ids.push(session.take());
        });
        totals[end] = checkedTotal(sum);
      } catch (error) {
        throw failureInRow(error, first);
      }
    }
    return { ids: yield* joined(ids), totals };
  } finally {
    session.end();
  }
}

/** The numbers of the parts of each text. */
export function* splitInSlices(engine: EngineTokenizer, texts: Texts, form: PartForm, policy: Policy): Work<BatchIds> {
  const totals = new Uint32Array(textCount(texts) + 1);
  const numbers: UnsharedUint32Array[] = [];
  for (let row = 0; row + 1 < totals.length; row++) {
    const session = engine.begin(policy, false, form);
    try {
      yield* feedInSlices(session, textAt(texts, row), () => undefined, true, SPLIT_SLICE);
      const parts = session.take();
      totals[row + 1] = (totals[row] as number) + parts.length;
      numbers.push(parts);
    } catch (error) {
      throw failureInRow(error, row);
    } finally {
      session.end();
    }
  }
  return { ids: yield* joined(numbers), totals };
}

/** Feeds a text, which ends if it is the `last` part; `after` receives the session's total after each slice. */
export function* feedInSlices(
  session: TextSession,
  text: string | Uint8Array,
  after: (total: number) => unknown,
  last = true,
  slice = SLICE,
): Work<void> {
  const { length } = text;
  for (let at = 0; at < length; at += slice) {
    after(session.feed(partOf(text, at, at + slice), last && at + slice >= length));
    yield;
  }
}
