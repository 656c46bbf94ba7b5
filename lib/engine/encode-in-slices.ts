// Encodes on the calling thread, a slice at a time, with other work in between: where there is no other thread.

import type { Background, JobOptions } from './background.js';
import type { BatchIds, EngineTokenizer, Policy, TextSession } from './engine.js';
import { retain, release } from './references.js';
import { joined } from '../base/joined.js';
import { isWithin, partOf, portionsOf } from './portions.js';
import { checkedTotal, failureInRow, feedTexts, textAt, textCount, type Texts } from './text-rows.js';
import { inTimeSlices, isTimeSliceOver, type Work } from '../base/time-slices.js';
import { plainBytes } from '../base/views.js';
import type { UnsharedUint32Array } from '../base/typed-arrays.js';

/** UTF-16 units or bytes that are encoded between two looks at the clock: some tenths of a millisecond. */
const SLICE = 64 * 1024;
/** Ids that are taken from a session together, and joined in one go. */
const TAKEN = 256 * 1024;
/** Jobs that go on at the same time: each has a session, with a cache of its own. */
const MOST_BEGUN = 16;

/** The background that is the thread itself. It ignores `threads`. */
export function backgroundInTurns(engine: EngineTokenizer): Background {
  const start = <T>(texts: Texts, work: Work<T>, { signal }: JobOptions) => inTimeSlices(inItsSlices(engine, texts, work), signal);
  return {
    encode: (text, policy, options) => start([text], encode(engine, text, policy), options),
    count: (text, policy, options) => start([text], count(engine, text, policy), options),
    encodeBatch: (texts, policy, options) => start(texts, encodeBatch(engine, texts, policy), options),
  };
}

/** How many jobs of more than a slice have begun. */
let begun = 0;

/** Begins work when there is time; `retire` does not close the engine before. What is short waits for nothing long. */
function* inItsSlices<T>(engine: EngineTokenizer, texts: Texts, work: Work<T>): Work<T> {
  const weight = isWithin(texts, SLICE) ? 0 : 1;
  const mustWait = () => isTimeSliceOver() || weight * begun >= MOST_BEGUN;
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

function* encode(engine: EngineTokenizer, text: string | Uint8Array, policy: Policy): Work<UnsharedUint32Array> {
  if (text.length <= SLICE) {
    return typeof text === 'string' ? engine.encode(text, policy) : engine.encodeBytes(plainBytes(text, 'the text'), policy);
  }
  const session = engine.begin(policy, false);
  try {
    const gathered = new Gathered(session);
    yield* feedInSlices(session, text, (total) => gathered.take(total));
    return yield* gathered.all();
  } finally {
    session.end();
  }
}

function* count(engine: EngineTokenizer, text: string | Uint8Array, policy: Policy): Work<number> {
  if (text.length <= SLICE) {
    return typeof text === 'string' ? engine.count(text, policy) : engine.countBytes(plainBytes(text, 'the text'), policy);
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
  const session = engine.begin(policy, false);
  try {
    const gathered = new Gathered(session);
    for (const { first, end, size } of portionsOf(texts, SLICE)) {
      if (first > 0) yield;
      if (size > SLICE) {
        try {
          yield* feedInSlices(session, textAt(texts, first), (total) => gathered.take(total));
          totals[end] = checkedTotal(gathered.sum);
        } catch (error) {
          throw failureInRow(error, first);
        }
        continue;
      }
      const before = gathered.taken; // which the session's totals lack
      feedTexts(session, texts, totals, first, end);
      const total = totals[end] as number;
      checkedTotal(before + total);
      if (before > 0) for (let row = first; row < end; row++) totals[row + 1] = before + (totals[row + 1] as number);
      gathered.take(total);
    }
    return { ids: yield* gathered.all(), totals };
  } finally {
    session.end();
  }
}

/** Feeds a text of its own; `after` hears of each total. */
function* feedInSlices(session: TextSession, text: string | Uint8Array, after: (total: number) => void): Work<void> {
  const { length } = text;
  for (let at = 0; at < length; at += SLICE) {
    after(session.feed(partOf(text, at, at + SLICE), at + SLICE >= length));
    yield;
  }
}

/** The ids that a session gathers, taken from it many at a time, so that no copy of all of them blocks the thread. */
class Gathered {
  readonly #session: TextSession;
  readonly #parts: UnsharedUint32Array[] = [];
  /** How many have been taken. */
  taken = 0;
  /** How many there are. */
  sum = 0;

  constructor(session: TextSession) {
    this.#session = session;
  }

  /** Takes what there is if it is much. `total` is the session's. */
  take(total: number): void {
    this.sum = this.taken + total;
    if (total >= TAKEN) this.#take();
  }

  *all(): Work<UnsharedUint32Array> {
    this.#take();
    return yield* joined(this.#parts);
  }

  #take(): void {
    this.#parts.push(this.#session.take());
    this.taken = this.sum;
  }
}
