// Encodes on the calling thread, one slice at a time, with other work in between: for hosts without another thread.

import type { Background, JobOptions } from './background.js';
import type { BatchIds, EngineTokenizer, PartForm, Policy, TextPolicy, TextSession, TokensWithOffsets } from './engine.js';
import { retain, release } from './references.js';
import { joined, type UnsharedUint32Array } from '../base/typed-arrays.js';
import { isWithin, partOf, portionsOf } from './portions.js';
import { checkedTotal, failureInRow, feedTexts, textAt, textCount, type Texts } from './text-rows.js';
import { inTimeSlices, isTimeSliceOver, type Work } from '../base/time-slices.js';
import { plainBytes } from '../base/views.js';

/** UTF-16 units or bytes to encode between two checks of the clock: a few tenths of a millisecond. */
const SLICE = 64 * 1024;
/** The same where a text is cut into parts, which may take a hundred times as long. */
const SPLIT_SLICE = 1024;
/** Ids to take from a session at a time, and to join together. */
const TAKEN = 256 * 1024;
/** The most simultaneous jobs: each has a session with its own cache. */
const MOST_BEGUN = 16;

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

/** A mask is for bytes. */
export function encodeInSlices(engine: EngineTokenizer, text: string, policy: Policy): Work<UnsharedUint32Array>;
export function encodeInSlices(engine: EngineTokenizer, text: Uint8Array, policy: TextPolicy): Work<UnsharedUint32Array>;
export function encodeInSlices(engine: EngineTokenizer, text: string | Uint8Array, policy: Policy): Work<UnsharedUint32Array>;
export function* encodeInSlices(engine: EngineTokenizer, text: string | Uint8Array, policy: TextPolicy): Work<UnsharedUint32Array> {
  if (text.length <= SLICE) {
    return engine.encode(typeof text === 'string' ? text : plainBytes(text, 'the text'), policy);
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

/** The numbers of the parts of each text. */
export function* splitInSlices(engine: EngineTokenizer, texts: Texts, form: PartForm, policy: Policy): Work<BatchIds> {
  const totals = new Uint32Array(textCount(texts) + 1);
  const numbers: UnsharedUint32Array[] = [];
  for (let row = 0; row + 1 < totals.length; row++) {
    const session = engine.begin(policy, false, form);
    try {
      yield* feedInSlices(session, textAt(texts, row), () => undefined, SPLIT_SLICE);
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

/** Feeds a separate text; `after` receives each total. */
function* feedInSlices(session: TextSession, text: string | Uint8Array, after: (total: number) => void, slice = SLICE): Work<void> {
  const { length } = text;
  for (let at = 0; at < length; at += slice) {
    after(session.feed(partOf(text, at, at + slice), at + slice >= length));
    yield;
  }
}

/** Collects a session's ids, many at a time, so that copying all of them does not block the thread. */
class Gathered {
  readonly #session: TextSession;
  readonly #parts: UnsharedUint32Array[] = [];
  /** How many have been taken. */
  taken = 0;
  /** How many there are in total. */
  sum = 0;

  constructor(session: TextSession) {
    this.#session = session;
  }

  /** Takes the available ids if they are many. `total` is the session's. */
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
