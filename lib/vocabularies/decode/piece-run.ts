// The common chains in one pass: one table lookup and one copy per id, into bytes that become one string.

import { BYTE, COPIED, type PieceTable, SKIPPED, UNKNOWN } from './piece-table.js';

/** A growing output buffer. A call borrows it while it runs. */
export class Output {
  bytes = new Uint8Array(1 << 14);
  view = new DataView(this.bytes.buffer);
  length = 0;

  /** Makes room for `more` further bytes. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  put(addition: Uint8Array): void {
    this.reserve(addition.length + COPIED);
    this.bytes.set(addition, this.length);
    this.length += addition.length;
  }
}

/** One text, whose ids may arrive in chunks. */
export class PieceRun {
  readonly #table: PieceTable;
  readonly #raw: boolean;
  /** Whether there has been no token yet. */
  #isFirst = true;
  /** Bytes of an unfinished run. */
  #run: number[] = [];

  /** `raw`: keeps invalid UTF-8 bytes. */
  constructor(table: PieceTable, raw: boolean) {
    this.#table = table;
    this.#raw = raw;
  }

  /** Whether what the next id adds depends on nothing before it. */
  get isSettled(): boolean {
    return !this.#isFirst && this.#run.length === 0;
  }

  push(ids: Uint32Array, output: Output): void {
    let at = 0;
    while (at < ids.length) {
      if (this.isSettled) at = this.#fast(ids, at, output);
      if (at < ids.length) at = this.#slowly(ids, at, output);
    }
  }

  end(output: Output): void {
    this.#endRun(output);
  }

  /** Handles known ids that are not bytes. Returns where that ends. */
  #fast(ids: Uint32Array, begin: number, output: Output): number {
    const { starts, lengths, view, longest } = this.#table;
    const { length: limit } = lengths;
    const { length: end } = ids;
    let at = begin;
    while (at < end) {
      // This many fit, however long they are.
      output.reserve(longest + COPIED);
      const outView = output.view;
      const safe = output.bytes.length - longest - COPIED;
      let to = output.length;
      let length = 0;
      while (at < end && to <= safe) {
        const id = ids[at] as number;
        length = id < limit ? (lengths[id] as number) : UNKNOWN;
        if (length < 0) break;
        const from = starts[id] as number;
        // Copies eight bytes at a time, regardless of what follows: a loop over bytes takes ten times as long.
        let copied = 0;
        do {
          outView.setUint32(to + copied, view.getUint32(from + copied));
          outView.setUint32(to + copied + 4, view.getUint32(from + copied + 4));
          copied += COPIED;
        } while (copied < length);
        to += length;
        at++;
      }
      output.length = to;
      if (length < 0) {
        if (length !== SKIPPED) return at;
        at++;
      }
    }
    return at;
  }

  /** Handles at least one id, and the whole of a run of bytes. Returns where the rest begins. */
  #slowly(ids: Uint32Array, begin: number, output: Output): number {
    const table = this.#table;
    for (let at = begin; at < ids.length; at++) {
      const id = ids[at] as number;
      let length = id < table.lengths.length ? (table.lengths[id] as number) : UNKNOWN;
      if (length === UNKNOWN) length = table.learn(id, at);
      if (length === SKIPPED) continue;
      if (this.#isFirst && this.#run.length === 0) {
        const first = table.first(id, at);
        if (first) {
          this.#isFirst = table.keepsFirst(id, at, first);
          output.put(first);
          return at + 1;
        }
        this.#run.push(table.firstByte(id, at));
      } else if (length === BYTE) {
        this.#run.push(table.starts[id] as number);
      } else {
        this.#endRun(output);
        return at;
      }
    }
    return ids.length;
  }

  #endRun(output: Output): void {
    if (this.#run.length === 0) return;
    output.put(this.#table.ofRun(this.#run, this.#raw, this.#isFirst));
    this.#run = [];
    this.#isFirst = false;
  }
}
