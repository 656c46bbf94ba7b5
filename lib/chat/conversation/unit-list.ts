// The ids of a chat as a list of units, of which a change replaces some.

import type { TextChange } from '../../engine/edited-text.js';

/** A part of a chat's text that is encoded on its own. Never changes. */
export interface Unit {
  readonly text: string;
  readonly ids: Uint32Array;
  /** Who wrote which part, as in a piece of a template's output. */
  readonly runs?: readonly number[];
}

/** The units of a text. `like`: as many at the start as are known to be those of another. */
export interface Units {
  readonly units: readonly Unit[];
  readonly like?: { readonly units: readonly Unit[]; readonly count: number } | undefined;
}

const SMALLEST = 1024;

export class UnitList {
  #units: readonly Unit[] = [];
  #ids = new Uint32Array(0);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  slice(from: number, to: number): Uint32Array<ArrayBuffer> {
    return this.#ids.slice(from, Math.min(to, this.#count));
  }

  text(): string {
    return this.#units.map(({ text }) => text).join('');
  }

  copy(): UnitList {
    const copy = new UnitList();
    copy.#units = this.#units;
    copy.#ids = this.slice(0, this.#count);
    copy.#count = this.#count;
    return copy;
  }

  /** Replaces everything, and tells which ids have changed. */
  replace({ units: next, like }: Units): TextChange {
    const before = this.#units;
    const most = Math.min(before.length, next.length);
    let start = like?.units === before ? like.count : 0;
    let from = 0;
    if (start > 0) {
      from = this.#count;
      for (let i = start; i < before.length; i++) from -= (before[i] as Unit).ids.length;
    }
    for (; start < most && before[start] === next[start]; start++) from += (next[start] as Unit).ids.length;
    let end = 0;
    let after = 0;
    for (; end < most - start && before[before.length - 1 - end] === next[next.length - 1 - end]; end++)
      after += (next[next.length - 1 - end] as Unit).ids.length;
    const inserted = joined(next.slice(start, next.length - end));
    let removed = this.#count - from - after;
    const old = this.#ids.subarray(from, from + removed);
    const shorter = Math.min(removed, inserted.length);
    let same = 0;
    while (same < shorter && old[same] === inserted[same]) same++;
    let sameAfter = 0;
    while (sameAfter < shorter - same && old[removed - 1 - sameAfter] === inserted[inserted.length - 1 - sameAfter]) sameAfter++;
    from += same;
    removed -= same + sameAfter;
    const changed = inserted.subarray(same, inserted.length - sameAfter);
    this.#splice(from, removed, changed);
    this.#units = next;
    return { from, removed, inserted: changed.length };
  }

  #splice(from: number, removed: number, inserted: Uint32Array): void {
    const count = this.#count - removed + inserted.length;
    if (count > this.#ids.length) {
      const larger = new Uint32Array(Math.max(SMALLEST, count + (count >>> 1)));
      larger.set(this.#ids.subarray(0, from));
      larger.set(this.#ids.subarray(from + removed, this.#count), from + inserted.length);
      this.#ids = larger;
    } else {
      this.#ids.copyWithin(from + inserted.length, from + removed, this.#count);
    }
    this.#ids.set(inserted, from);
    this.#count = count;
  }
}

function joined(units: readonly Unit[]): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(units.reduce((sum, { ids }) => sum + ids.length, 0));
  let at = 0;
  for (const { ids } of units) {
    all.set(ids, at);
    at += ids.length;
  }
  return all;
}
