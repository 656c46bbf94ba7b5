// What consecutive iterations need at the place of the first, so that all of them read what they have read before.
//
// Iterations read `loop`, attributes of namespaces and elements of lists (reads.ts). If the same elements come one after
// the other again, most of these reads give the same wherever that is, and the others say something of the first place
// only:
//
//   element              a            b                        needs of both, at the place of a
//   reads                loop.last    loop.index0 > ns.n       at least 2 elements follow
//   has read             false        true, with 5 > 3         ns.n less than its index by 0 or more (b's is 1 more, and > needs 1)
//
// Needs are sufficient, not necessary: where they are not met, iterations are looked at one by one. They are met by the
// reads themselves, and joining adds nothing but shifts:
//
// 1. Of one iteration: each read is implied by its need. An attribute of `loop` is a bound of the index, of the number of
//    elements after it, or of their number. A comparison is a bound of the difference between an attribute and the index
//    (comparisons.ts), or else all reads that it has made.
// 2. Of two stretches, the second after the first: let the needs of both be met, the second's `size` further on. A need of
//    the second that speaks of the index or of what follows, shifted by `size`, speaks of the first place. An attribute
//    that the first stretch assigns has at the second's place the value that it has in this render, where the needs of both
//    are met: nothing is needed but that a difference from the index stays in its bounds, which is a bound of the index.
//    What it does not assign is as at the first place. Neighbours inside are elements of the stretch.
//
// For 2, both stretches are of one render: needs say what iterations read now, not what they once read with the same results.

import type { Sequence } from '../values/containers.js';
import type { Value } from '../values/object.js';
import { ANY, type Bounds, both, isIn, shifted } from './bounds.js';
import { differenceBounds } from './comparisons.js';
import type { Write } from './entry.js';
import type { Read, State } from './reads.js';
import { isSameValue } from './same.js';

export interface Needs {
  /** Of the index of the first element. */
  readonly index: Bounds;
  /** Of the number of elements after the first. */
  readonly after: Bounds;
  /** Of the number of all elements. */
  readonly length: Bounds;
  readonly attributes: readonly AttributeNeed[];
  readonly lists: readonly ListNeed[];
  /** The elements before the first and after the last; undefined inside: there is none. */
  readonly before: { readonly item: Value | undefined } | undefined;
  readonly next: { readonly item: Value | undefined } | undefined;
}

/** Of an attribute of a namespace before the first iteration. */
interface AttributeNeed {
  readonly namespace: number;
  readonly name: string;
  readonly exact: { readonly value: Value | undefined } | undefined;
  /** Of the difference between a whole number and the first index. */
  readonly difference: Bounds;
}

/** An element of a list, or its length. */
type ListNeed = Extract<Read, { kind: 'element' | 'length' }>;

interface Gathered {
  index: Bounds;
  after: Bounds;
  length: Bounds;
  attributes: AttributeNeed[];
  lists: ListNeed[];
  before: Needs['before'];
  next: Needs['next'];
}

/** What one iteration needs; undefined where only looking at its reads can tell. */
export function needsOf(reads: readonly Read[], at: number, items: readonly Value[]): Needs | undefined {
  const needs: Gathered = { index: ANY, after: ANY, length: ANY, attributes: [], lists: [], before: undefined, next: undefined };
  return gather(reads, at, items, needs) ? needs : undefined;
}

function gather(reads: readonly Read[], at: number, items: readonly Value[], into: Gathered): boolean {
  for (const read of reads) {
    switch (read.kind) {
      case 'loop':
        if (!gatherPlace(read.name, at, items, into)) return false;
        break;
      case 'attribute': {
        const { namespace, name, value } = read;
        into.attributes = withNeed(into.attributes, { namespace, name, exact: { value }, difference: ANY });
        break;
      }
      case 'element':
      case 'length':
        into.lists.push(read);
        break;
      case 'comparison': {
        const found = differenceBounds(read, at);
        if (found) into.attributes = withNeed(into.attributes, { ...found, exact: undefined });
        else if (!gather(read.parts, at, items, into)) return false;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

/** An attribute of `loop`. */
function gatherPlace(name: string, at: number, items: readonly Value[], into: Gathered): boolean {
  const after = items.length - 1 - at;
  switch (name) {
    case 'index':
    case 'index0':
      into.index = [at, at];
      return true;
    case 'first':
      into.index = both(into.index, at === 0 ? [0, 0] : [1, Infinity]);
      return true;
    case 'last':
      into.after = both(into.after, after === 0 ? [0, 0] : [1, Infinity]);
      return true;
    case 'revindex':
    case 'revindex0':
      into.after = [after, after];
      return true;
    case 'length':
      into.length = [items.length, items.length];
      return true;
    case 'previtem':
      into.before = { item: items[at - 1] };
      return true;
    case 'nextitem':
      into.next = { item: items[at + 1] };
      return true;
    default:
      // `depth` and `depth0` never change, and what `loop` does not have, it never has.
      return true;
  }
}

/** The needs of two stretches, of which the first has `size` iterations and assigns `writes`. */
export function joinedNeeds(first: Needs, second: Needs, size: number, writes: readonly Write[]): Needs {
  let attributes = first.attributes as AttributeNeed[];
  let index = both(first.index, shifted(second.index, -size));
  for (const need of second.attributes) {
    const write = writes.find(({ namespace, name }) => namespace === need.namespace && name === need.name);
    const [low, high] = need.difference;
    if (!write) attributes = withNeed(attributes, { ...need, difference: shifted(need.difference, size) });
    else if (need.difference !== ANY) index = both(index, [(write.value as number) - size - high, (write.value as number) - size - low]);
  }
  const lists = first.lists.length === 0 ? second.lists : second.lists.length === 0 ? first.lists : [...first.lists, ...second.lists];
  return {
    index,
    after: both(first.after, shifted(second.after, size)),
    length: both(first.length, second.length),
    attributes,
    lists,
    before: first.before,
    next: second.next,
  };
}

/** Whether needs are met by iterations from one index on, to another (not included). */
export function areMet(needs: Needs, from: number, to: number, { loop: { items }, namespaces, lists }: State): boolean {
  const { index, after, length, attributes, before, next } = needs;
  if (!isIn(index, from) || !isIn(after, items.length - 1 - from) || !isIn(length, items.length)) return false;
  if ((before && before.item !== items[from - 1]) || (next && next.item !== items[to])) return false;
  for (let i = 0; i < attributes.length; i++) {
    const { namespace, name, exact, difference } = attributes[i] as AttributeNeed;
    const value = namespaces[namespace]?.attributes.getText(name);
    if (exact && !isSameValue(value, exact.value)) return false;
    if (difference !== ANY && !(typeof value === 'number' && isIn(difference, value - from))) return false;
  }
  return areThere(needs.lists, lists);
}

function areThere(needs: readonly ListNeed[], lists: ReadonlyMap<string, Sequence>): boolean {
  for (let i = 0; i < needs.length; i++) {
    const need = needs[i] as ListNeed;
    const elements = lists.get(need.list)?.elements;
    if (!elements) return false;
    if (need.kind === 'length') {
      if (elements.length !== need.value) return false;
    } else if (elements[need.index < 0 ? need.index + elements.length : need.index] !== need.value) return false;
  }
  return true;
}

/** Needs with one more, joined to that of the same attribute. Never changes the list. */
function withNeed(needs: AttributeNeed[], more: AttributeNeed): AttributeNeed[] {
  const at = needs.findIndex(({ namespace, name }) => namespace === more.namespace && name === more.name);
  if (at < 0) return [...needs, more];
  const known = needs[at] as AttributeNeed;
  return needs.with(at, { ...known, exact: known.exact ?? more.exact, difference: both(known.difference, more.difference) });
}
