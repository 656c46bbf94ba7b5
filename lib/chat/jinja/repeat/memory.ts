// Renders a template again and again, for a conversation that changes: an iteration of a loop at the top level is taken over
// from an earlier render if everything that it read there is the same.
//
// An iteration is a function of its element, of the variables around the loop, and of what its record says it has read:
// attributes of `loop` and of namespaces, elements and lengths of lists of messages. What it does is its output and its
// assignments to namespaces; everything else that a template can make never changes. Where that does not hold, as for the
// time of day or an iterator, the record is lost and the iteration runs each time. A loop that cannot be recorded runs as
// always.
//
// Where elements follow each other as before, many iterations are taken over at once (stretches.ts).
//
// Limits are charged as if everything had run. A render that fails says too little: the caller repeats it without memory.

import { spend, spent } from '../budget.js';
import { globalsAt, Namespace } from '../globals.js';
import type { Statement } from '../nodes.js';
import type { Activation } from '../runtime/activation.js';
import { Macro } from '../runtime/macro.js';
import type { LoopCode, RenderMemory } from '../runtime/memory.js';
import { setTracer } from '../runtime/tracer.js';
import { BREAK, NEXT, type Signal } from '../compile/signals.js';
import { itemsOf, Range, Sequence } from '../values/containers.js';
import { PyObject, type Value } from '../values/object.js';
import { type Str, TextBuilder } from '../values/str.js';
import { factsOf, loopFacts, type LoopFacts, type TemplateFacts } from './analysis.js';
import { type Around, type Entry, Mark } from './entry.js';
import { areMet } from './needs.js';
import { type Piece, PiecedOutput } from './pieces.js';
import { PlacedLoop } from './placed-loop.js';
import { holds, type Read, type State } from './reads.js';
import { isData, isPlain, isSameRuns, isSameValue } from './same.js';
import { sharedEnds } from './shared-ends.js';
import { append, lostStretch, repeat, type Stretch, StretchesAgain, stretchOf } from './stretches.js';
import { Trace, type Traced } from './trace.js';

const marks: Mark[] = [];

function markOf(number: number): Mark {
  return (marks[number] ??= new Mark(number));
}

/** A loop in the last render. */
interface Pass {
  readonly items: readonly Value[];
  readonly around: Around;
  /** Of the iterations that ran, from the first item on. */
  readonly stretches: readonly Stretch[];
  /** What they have written. */
  readonly pieces: readonly Piece[];
}

interface LoopMemory {
  readonly facts: LoopFacts;
  /** Distinguishes its lists from other loops'. */
  readonly number: number;
  last: Pass | undefined;
  /** The latest entries for an element, latest first. */
  entries: Map<Value, readonly Entry[]>;
}

/** The entries kept for one element: it may alternate between two. */
const MOST_ENTRIES = 3;

export class Memory implements RenderMemory {
  readonly #template: TemplateFacts;
  readonly #loops = new Map<LoopCode, LoopMemory>();
  readonly globals: ReadonlyMap<string, Value>;
  /** The messages of this render. */
  #messages: Sequence | undefined;
  #namespaces: Namespace[] = [];
  #numbers = new Map<PyObject, number>();
  readonly #globalValues: ReadonlySet<Value>;
  root = new PiecedOutput();

  constructor(
    private readonly statements: readonly Statement[],
    private readonly now: () => Date,
  ) {
    this.#template = factsOf(statements);
    this.globals = globalsAt(now);
    this.#globalValues = new Set(this.globals.values());
  }

  /** Begins a render. */
  begin(messages: Sequence): void {
    this.#messages = messages;
    this.#namespaces = [];
    this.#numbers = new Map();
    this.root = new PiecedOutput();
  }

  /** Another with the same contents. */
  copy(): Memory {
    const copy = new Memory(this.statements, this.now);
    for (const [code, loop] of this.#loops) copy.#loops.set(code, { ...loop, entries: new Map(loop.entries) });
    return copy;
  }

  loop(code: LoopCode, activation: Activation, over: Value): boolean | undefined {
    if (!(over instanceof Sequence || over instanceof Range)) return undefined;
    let memory = this.#loops.get(code);
    if (!memory) {
      const facts = loopFacts(code, this.#template);
      this.#loops.set(code, (memory = { facts, number: this.#loops.size, last: undefined, entries: new Map() }));
    }
    if (!memory.facts.isTraceable) return undefined;
    const lists = new Map<string, Sequence>();
    const around = this.#around(memory, activation, lists);
    if (!around) return undefined;
    return this.#run(code, memory, activation, { items: over instanceof Sequence ? over.elements : itemsOf(over), around, lists });
  }

  /** The variables around a loop; undefined if one of them is not data and changes. */
  #around(memory: LoopMemory, activation: Activation, lists: Map<string, Sequence>): Around | undefined {
    const values: Around[number][] = [];
    for (const { name, read } of memory.facts.outer) {
      const value = read(activation);
      if (value instanceof Sequence) this.#watch(value, `${memory.number} ${name}`, lists);
      else if (value instanceof Namespace) this.#number(value);
      if (!this.#isKnown(value, activation)) return undefined;
      const number = value instanceof PyObject ? this.#numbers.get(value) : undefined;
      values.push(number === undefined ? value : markOf(number));
    }
    this.#namespaces.forEach((namespace, number) => {
      for (const { key, value } of namespace.attributes.entries())
        if (value instanceof Sequence) this.#watch(value, `${memory.number} ${number}.${(key as Str).text}`, lists);
    });
    const { last } = memory;
    const isSame = last?.around.length === values.length && values.every((value, index) => isSameAround(value, last.around[index]));
    return isSame ? (last as Pass).around : values;
  }

  /** Numbers namespaces in the order in which loops can first read them. */
  #number(namespace: Namespace): void {
    if (this.#numbers.has(namespace)) return;
    this.#numbers.set(namespace, this.#namespaces.length);
    this.#namespaces.push(namespace);
  }

  /** Gives a list that contains messages a name, under which its reads are recorded. */
  #watch(list: Sequence, name: string, lists: Map<string, Sequence>): void {
    const { elements } = list;
    if (list !== this.#messages && !isData(elements[0]) && !isData(elements.at(-1))) return;
    list.source ??= name;
    lists.set(list.source, list);
  }

  #isKnown(value: Value | undefined, activation: Activation): boolean {
    if (!(value instanceof PyObject)) return true;
    if (value instanceof Sequence && value.source !== undefined) return true;
    if (value instanceof Macro) return value.definedIn === activation;
    return this.#numbers.has(value) || this.#globalValues.has(value) || isPlain(value);
  }

  #run(code: LoopCode, memory: LoopMemory, activation: Activation, { items, around, lists }: Begun): boolean {
    const { last } = memory;
    const namespaces = this.#namespaces;
    const loop = new PlacedLoop(items);
    let entered = -1;
    const enter = () => {
      if (entered === loop.place) return;
      entered = loop.place;
      code.assign(activation, items[entered] as Value);
      code.enter(activation);
    };
    const state: State = { activation, loop, namespaces, lists, enter };
    const traced = this.#traced(memory.facts, state);
    const stretches: Stretch[] = [];
    const pieces: Piece[] = [];
    let isEmpty = true;
    let at = 0;
    let length = 0;
    let signal = NEXT as Signal;
    const add = (stretch: Stretch) => {
      append(stretches, stretch);
      at += stretch.size;
      length += stretch.length;
    };
    const take = (stretch: Stretch, written: readonly Piece[], pieceAt: number) => {
      repeat(stretch, namespaces);
      for (let i = 0; i < stretch.pieces; i++) pieces.push(written[pieceAt + i] as Piece);
      if (stretch.completes) isEmpty = false;
      add(stretch);
    };
    const canTake = ({ needs, size }: Stretch) => needs !== undefined && areMet(needs, at, at + size, state);
    const one = () => {
      const item = items[at] as Value;
      loop.place = at;
      const known = memory.entries.get(item);
      const found = known && stillTrue(known, around, state);
      if (found) {
        const entry = observedNow(found, state, traced);
        if (entry && entry !== found) memory.entries.set(item, known.with(known.indexOf(found), entry));
        ({ signal } = found);
        const stretch = stretchOf(entry ?? found, at, items);
        return take(entry ? stretch : { ...stretch, needs: undefined }, [found.piece], 0);
      }
      enter();
      const made = this.#record(code, traced, around, known);
      ({ signal } = made);
      if (signal === NEXT) isEmpty = false;
      if (made.piece.text !== '') pieces.push(made.piece);
      add(made.reads ? stretchOf(made as Entry, at, items) : lostStretch(made.piece.text));
      if (made.reads) memory.entries.set(item, [made as Entry, ...(known ?? []).slice(0, MOST_ENTRIES - 1)]);
    };
    if (code.slot !== undefined) activation.slots[code.slot] = loop;
    const [start, end] = last?.around === around ? sharedEnds(items, last.items) : [0, 0];
    const again = (from: number, to: number, shift: number) => {
      if (from === to || !last) return;
      const ahead = new StretchesAgain(last.stretches, shift, from, to);
      while (at < to && signal !== BREAK) {
        const next = ahead.take(at, canTake);
        if (next) take(next.stretch, last.pieces, next.pieceAt);
        else one();
      }
    };
    again(0, start, 0);
    while (at < items.length - end && signal !== BREAK) one();
    if (signal !== BREAK) again(items.length - end, items.length, items.length - (last?.items.length ?? 0));
    this.root.append(pieces, length);
    memory.last = { items, around, stretches, pieces };
    forget(memory);
    return isEmpty;
  }

  #traced(facts: LoopFacts, { activation, lists }: State): Traced {
    return {
      facts,
      activation,
      numberOf: (namespace) => this.#numbers.get(namespace),
      isList: (name) => {
        const value = facts.outer.find((each) => each.name === name)?.read(activation);
        return value instanceof Sequence && value.source !== undefined && lists.has(value.source);
      },
    };
  }

  /** Runs an iteration. Without `reads`, it cannot be repeated. */
  #record(
    code: LoopCode,
    traced: Traced,
    around: Around,
    known: readonly Entry[] = [],
  ): Omit<Entry, 'reads'> & { reads: readonly Read[] | undefined } {
    const { activation } = traced;
    const before = spent();
    spend(1);
    const trace = new Trace(traced);
    const out = new TextBuilder();
    activation.out = out;
    setTracer(trace);
    let signal: Signal;
    try {
      signal = code.run(activation);
    } finally {
      setTracer(undefined);
      activation.out = this.root;
    }
    const after = spent();
    const { text, runs } = out;
    const piece = known.find((each) => each.piece.text === text && isSameRuns(each.piece.runs, runs))?.piece ?? { text, runs };
    return {
      around,
      reads: trace.isLost ? undefined : trace.reads,
      writes: trace.writes,
      piece,
      signal,
      cost: { steps: after.steps - before.steps, units: after.units - before.units },
    };
  }
}

/** What a loop runs over, and what is around it. */
interface Begun {
  items: readonly Value[];
  around: Around;
  lists: ReadonlyMap<string, Sequence>;
}

function isSameAround(now: Around[number], before: Around[number] | undefined): boolean {
  if (now === before) return true;
  if (now instanceof Mark || before instanceof Mark) return false;
  if (now instanceof Macro) return before instanceof Macro && now.definition === before.definition;
  return isSameValue(now, before);
}

/** The entry whose reads give the same now. */
function stillTrue(entries: readonly Entry[], around: Around, state: State): Entry | undefined {
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as Entry;
    if (entry.around === around && areAll(entry.reads, state)) return entry;
  }
  return undefined;
}

/**
 * An entry that is true, with what its comparisons read now; undefined if that cannot be recorded. They may have had the
 * same results with other numbers, and needs (needs.ts) have to be of one place and time.
 */
function observedNow(entry: Entry, state: State, traced: Traced): Entry | undefined {
  if (areExact(entry.reads, state)) return entry;
  const reads: Read[] = [];
  for (const read of entry.reads) {
    if (read.kind !== 'comparison') reads.push(read);
    else {
      state.enter();
      const parts = new Trace(traced).partsOf(read);
      if (!parts) return undefined;
      reads.push({ ...read, parts });
    }
  }
  return { ...entry, reads };
}

/** Whether reads give the same, and comparisons with the same operands. */
function areExact(reads: readonly Read[], state: State): boolean {
  return reads.every((read) => (read.kind === 'comparison' ? areExact(read.parts, state) : holds(read, state)));
}

function areAll(reads: readonly Read[], state: State): boolean {
  for (let i = 0; i < reads.length; i++) if (!holds(reads[i] as Read, state)) return false;
  return true;
}

/** Drops the entries for elements that are gone, once they are many. */
function forget(memory: LoopMemory): void {
  const { items } = memory.last as Pass;
  if (memory.entries.size < 2 * items.length + 100) return;
  const all = memory.entries;
  memory.entries = new Map();
  for (const item of items) {
    const known = all.get(item);
    if (known) memory.entries.set(item, known);
  }
}
