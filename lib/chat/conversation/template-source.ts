// Conversations with a template: renders with a memory of the render before, and encodes what is new.

import { SPECIAL_ALLOW } from '../../tokenizer/arguments.js';
import type { ChatRequest } from '../../tokenizer/chat.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { applyChatTemplate, ChatInput, messageOf, sizeOf, valuesOf } from '../apply.js';
import { byteRanges } from '../byte-ranges.js';
import { forbidSpecialTokens, forbidSpecialTokensIn } from '../forbidden.js';
import { Memory } from '../jinja/repeat/memory.js';
import type { Piece } from '../jinja/repeat/pieces.js';
import { isSameRuns, markData } from '../jinja/repeat/same.js';
import { sharedEnds, withMiddle } from '../jinja/repeat/shared-ends.js';
import { type Rendered, type Template, TEMPLATE } from '../jinja/template.js';
import { List } from '../jinja/values/containers.js';
import type { Dict } from '../jinja/values/dict.js';
import { Str } from '../jinja/values/str.js';
import { cuttingTokens } from './cuts.js';
import { type CutText, PieceCutter } from './pieces-to-units.js';
import type { Source, TakenMessage } from './source.js';
import type { Units } from './unit-list.js';

/** What a template's conversations share. */
export interface TemplateContext {
  readonly template: Template;
  /** Without messages. */
  readonly input: ChatInput;
  readonly request: ChatRequest;
  readonly engine: EngineTokenizer;
  readonly specialIds: ReadonlyMap<string, number>;
  /** Added tokens besides the special ones that the template's own text contains. */
  readonly control: Uint32Array;
}

/** A message as the template gets it. */
interface Given {
  readonly value: Dict;
  readonly size: number;
}

/** The texts of all messages have one origin: the ids depend only on whether the template or a caller wrote a text. */
const MESSAGE = 0;
const utf8 = new TextEncoder();

export class TemplateSource implements Source {
  readonly #given: WeakMap<TakenMessage, Given>;
  readonly #cutter: PieceCutter;
  readonly #memory: Memory;
  /** Of everything but the messages. */
  readonly #size: number;
  /** The text before. */
  #last: CutText | undefined;
  /** The messages before, and what the template got for them. */
  #before: { messages: readonly TakenMessage[]; values: readonly Dict[]; size: number } = { messages: [], values: [], size: 0 };

  constructor(
    private readonly context: TemplateContext,
    from?: TemplateSource,
  ) {
    const { template, input, engine, request } = context;
    this.#memory = from ? from.#memory.copy() : new Memory(template.statements, () => request.date ?? new Date());
    this.#given = from ? from.#given : new WeakMap();
    this.#cutter = from ? from.#cutter : new PieceCutter(cuttingTokens(engine, textsOf(context)), (piece) => this.#encoded(piece));
    if (from) this.#last = from.#last;
    let size = 0;
    for (const value of valuesOf(input, new List([]), false).values()) size += sizeOf(value);
    this.#size = size;
    // Nothing in them ever changes.
    for (const value of [input.tools, input.documents]) if (value instanceof List) markData(value);
  }

  copy(): Source {
    return new TemplateSource(this.context, this);
  }

  units(messages: readonly TakenMessage[]): Units {
    const before = this.#before;
    const ends = sharedEnds(messages, before.messages);
    const [start, end] = ends;
    const made = messages.slice(start, messages.length - end).map((each) => this.#givenFor(each));
    let { size } = before;
    for (const gone of before.messages.slice(start, before.messages.length - end)) size -= this.#givenFor(gone).size;
    for (const each of made) size += each.size;
    const values = withMiddle(
      before.values,
      ends,
      made.map(({ value }) => value),
    );
    this.#before = { messages, values, size };
    const pieces = this.context.request.continueFinalMessage === false ? this.#rendered(values, size) : this.#continued(values);
    this.#last = this.#cutter.units(this.#known(pieces), this.#last);
    return this.#last;
  }

  /** The same list, in which pieces like those of the text before are these: what is around the loops is written anew each time. */
  #known(pieces: Piece[]): readonly Piece[] {
    const last = this.#last?.pieces ?? [];
    const moved = last.length - pieces.length;
    const take = (index: number, from: number) => {
      const [piece, known] = [pieces[index] as Piece, last[from]];
      if (piece === known) return true;
      if (!known || !isSamePiece(piece, known)) return false;
      pieces[index] = known;
      return true;
    };
    let start = 0;
    while (start < pieces.length && take(start, start)) start++;
    let end = pieces.length;
    while (end > start && take(end - 1, end - 1 + moved)) end--;
    for (let index = start; index < end; index++) take(index, index) || take(index, index + moved);
    return pieces;
  }

  #givenFor(message: TakenMessage): Given {
    let given = this.#given.get(message);
    if (!given) {
      const value = messageOf(message.data, MESSAGE, 'messages');
      if (this.context.request.special === 'forbid')
        forbidSpecialTokens(withMessages(this.context.input, [value]), this.context.specialIds);
      markData(value);
      this.#given.set(message, (given = { value, size: sizeOf(value) }));
    }
    return given;
  }

  #rendered(values: readonly Dict[], size: number): Piece[] {
    const { template, input, request } = this.context;
    const messages = new List(values);
    this.#memory.begin(messages);
    template.renderWith(this.#memory, valuesOf(input, messages, request.addGenerationPrompt), this.#size + size);
    return this.#memory.root.pieces();
  }

  /** Continuing marks the last message, and looks at the whole text. */
  #continued(values: readonly Dict[]): Piece[] {
    const { template, input, request } = this.context;
    const whole = withMessages(input, [...values]);
    const { text, ends, origins } = applyChatTemplate(whole, { ...request, template });
    return [{ text, runs: Array.from(ends).flatMap((end, index) => [end, origins[index] as number]) }];
  }

  #encoded(piece: Piece): Uint32Array {
    const { request, engine, specialIds, control } = this.context;
    const { text, runs } = piece;
    if (request.special === 'allow') return engine.encode(text, SPECIAL_ALLOW);
    const bytes = utf8.encode(text);
    if (request.special === 'forbid') {
      const tokens = engine.encodeBytesWithOffsets(bytes, 'utf16', SPECIAL_ALLOW);
      forbidSpecialTokensIn(tokens, writtenIn(piece), specialIds);
      return tokens.ids;
    }
    const ranges: number[] = [];
    for (let i = 0, from = 0; i < runs.length; from = runs[i] as number, i += 2)
      if (runs[i + 1] === TEMPLATE) ranges.push(from, runs[i] as number);
    return engine.encodeBytes(bytes, { control, ranges: byteRanges(Uint32Array.from(ranges), text, bytes.length) });
  }
}

function withMessages({ tools, documents, variables, ownVariables }: ChatInput, messages: Dict[]): ChatInput {
  return new ChatInput(new List(messages), tools, documents, variables, ownVariables);
}

function isSamePiece(a: Piece, b: Piece): boolean {
  return a.text === b.text && isSameRuns(a.runs, b.runs);
}

/** Everything that a template can write as its own text: its literals, and the vocabulary's variables. */
function textsOf({ template, input }: TemplateContext): string {
  const own = [...input.ownVariables.values()].flatMap((value) => (value instanceof Str ? [value.text] : []));
  return [...template.literals(), ...own].join('\0');
}

/** A piece as the checks of forbidden tokens see a chat. */
function writtenIn({ text, runs }: Piece): Rendered {
  const ends = runs.filter((_, index) => index % 2 === 0);
  const origins = runs.filter((_, index) => index % 2 === 1);
  return {
    text,
    ends: Uint32Array.from(ends),
    origins: Int32Array.from(origins),
    ranges: new Uint32Array(0),
    generation: new Uint32Array(0),
  };
}
