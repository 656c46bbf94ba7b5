// Conversations in harmony: what a message becomes does not depend on the others, except for what all of them decide together.

import { SPECIAL_AS_TEXT, SPECIAL_FORBID } from '../../tokenizer/arguments.js';
import type { ChatRequest } from '../../tokenizer/chat.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { requestedFunctions } from '../harmony/chat.js';
import { type Message, messageOf } from '../harmony/conversation.js';
import { type Json, jsonOf } from '../harmony/json.js';
import { type Piece, piecesOf, renderHarmony } from '../harmony/render.js';
import { declaring, withFunctions } from '../harmony/tools.js';
import type { Source, TakenMessage } from './source.js';
import type { Unit } from './unit-list.js';

/** The pieces of a message, by whether any message declares functions. */
type Written = [without: readonly Piece[] | undefined, withFunctions: readonly Piece[] | undefined];

export class HarmonySource implements Source {
  readonly #jsons = new WeakMap<TakenMessage, Json>();
  readonly #messages = new WeakMap<object, Message>();
  readonly #declaring = new WeakMap<object, Json>();
  readonly #written = new WeakMap<Message, Written>();
  readonly #units = new WeakMap<Piece, Unit>();
  /** Of control tokens and short texts, which are the same in all messages. */
  readonly #shared = new Map<string, Unit>();
  #functions: { json: Json | undefined } | undefined;

  constructor(
    private readonly request: ChatRequest,
    private readonly engine: EngineTokenizer,
    private readonly specialIds: ReadonlyMap<string, number>,
  ) {}

  /** Everything known is about messages that never change. */
  copy(): Source {
    return this;
  }

  units(messages: readonly TakenMessage[]): readonly Unit[] {
    const { addGenerationPrompt, continueFinalMessage, harmony: { dropAnalysis = true, training = false } = {} } = this.request;
    this.#functions ??= { json: requestedFunctions(this.request) };
    const jsons = messages.map((each) => this.#jsonOf(each));
    const given = withFunctions(jsons, this.#functions.json, (message, functions, name) => this.#declared(message, functions, name));
    const options = { addGenerationPrompt, continueFinalMessage: continueFinalMessage !== false, dropAnalysis, forTraining: training };
    const all = given.messages.map((each) => this.#messageOf(each as ReadonlyMap<string, Json>));
    return renderHarmony(all, options, (message, _, hasFunctions) => this.#piecesOf(message, hasFunctions)).map((each) =>
      this.#unitOf(each),
    );
  }

  #jsonOf(message: TakenMessage): Json {
    return remembered(this.#jsons, message, () => jsonOf(message.data, 'messages'));
  }

  #messageOf(json: ReadonlyMap<string, Json>): Message {
    return remembered(this.#messages, json, () => messageOf(json, 'messages'));
  }

  #declared(message: ReadonlyMap<string, Json>, functions: Json, name: string): Json {
    return remembered(this.#declaring, message, () => declaring(message, functions, name));
  }

  #piecesOf(message: Message, hasFunctions: boolean): readonly Piece[] {
    const written = remembered(this.#written, message, (): Written => [undefined, undefined]);
    return (written[Number(hasFunctions)] ??= [...piecesOf(message, 0, hasFunctions)]);
  }

  #unitOf(piece: Piece): Unit {
    return remembered(this.#units, piece, () => {
      if ('text' in piece)
        return piece.text.length > MOST_SHARED ? this.#encoded(piece.text) : this.#sharedUnit(`text ${piece.text}`, piece.text, false);
      return this.#sharedUnit(`control ${piece.control}`, piece.control, true);
    });
  }

  #sharedUnit(key: string, text: string, isControl: boolean): Unit {
    let unit = this.#shared.get(key);
    if (!unit) {
      unit = isControl ? { text, ids: Uint32Array.of(this.specialIds.get(text) as number) } : this.#encoded(text);
      if (this.#shared.size < MOST_KEPT) this.#shared.set(key, unit);
    }
    return unit;
  }

  #encoded(text: string): Unit {
    return { text, ids: this.engine.encode(text, this.request.special === 'forbid' ? SPECIAL_FORBID : SPECIAL_AS_TEXT) };
  }
}

/** Roles, channels and recipients are shorter. */
const MOST_SHARED = 40;
const MOST_KEPT = 500;

function remembered<Key extends object, Made>(known: WeakMap<Key, Made>, key: Key, make: () => Made): Made {
  let made = known.get(key);
  if (made === undefined) known.set(key, (made = make()));
  return made;
}
