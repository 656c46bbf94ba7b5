// Conversations in harmony: what a message becomes does not depend on the others, except for what all of them decide together.

import { SPECIAL_AS_TEXT, SPECIAL_FORBID } from '../../tokenizer/arguments.js';
import type { ChatRequest } from '../../tokenizer/chat.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { requestedFunctions, textOf } from '../harmony/chat.js';
import { checkMessage, type Message, messageOf } from '../harmony/conversation.js';
import { type Json, jsonOf } from '../harmony/json.js';
import { type Decisions, declaresFunctions, droppedBefore, isDropped, type Piece, piecesOf, withEnd } from '../harmony/render.js';
import { declaring, withFunctions } from '../harmony/tools.js';
import { type MadeOf, madeAgain, NOTHING_MADE } from './made-again.js';
import type { Source, TakenMessage } from './source.js';
import type { Unit, Units } from './unit-list.js';

/** What a chat becomes, step by step. */
interface Steps {
  readonly jsons: MadeOf<TakenMessage, Json>;
  readonly messages: MadeOf<Json, Message>;
  readonly declares: MadeOf<Message, boolean>;
  readonly decisions: Decisions;
  /** Undefined for a message that is dropped. */
  readonly pieces: MadeOf<Message, readonly Piece[] | undefined>;
  readonly units: MadeOf<readonly Piece[], Unit>;
}

const FIRST: Steps = {
  jsons: NOTHING_MADE,
  messages: NOTHING_MADE,
  declares: NOTHING_MADE,
  decisions: { hasFunctions: false, dropped: 0 },
  pieces: NOTHING_MADE,
  units: NOTHING_MADE,
};

/** The pieces of a message, by whether any message declares functions. */
type Written = [without: readonly Piece[] | undefined, withFunctions: readonly Piece[] | undefined];

export class HarmonySource implements Source {
  readonly #jsons = new WeakMap<TakenMessage, Json>();
  readonly #messages = new WeakMap<object, Message>();
  readonly #declaring = new WeakMap<object, Json>();
  readonly #written = new WeakMap<Message, Written>();
  readonly #units = new WeakMap<readonly Piece[], Unit>();
  /** Of the chat before. */
  #last: Steps = FIRST;
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

  units(messages: readonly TakenMessage[]): Units {
    const { addGenerationPrompt, continueFinalMessage, harmony: { dropAnalysis = true, training = false } = {} } = this.request;
    this.#functions ??= { json: requestedFunctions(this.request) };
    const last = this.#last;
    const options = { addGenerationPrompt, continueFinalMessage: continueFinalMessage !== false, dropAnalysis, forTraining: training };
    const jsons = madeAgain(last.jsons, messages, (each) => this.#jsonOf(each));
    const given = withFunctions(jsons.made, this.#functions.json, (message, functions, name) => this.#declared(message, functions, name));
    const all = madeAgain(last.messages, given.messages, (each) => this.#messageOf(each as ReadonlyMap<string, Json>));
    const declares = madeAgain(last.declares, all.made, declaresFunctions);
    const decisions = { hasFunctions: declares.made.includes(true), dropped: droppedBefore(all.made, options) };
    const isSame = decisions.hasFunctions === last.decisions.hasFunctions && decisions.dropped === last.decisions.dropped;
    const pieces = madeAgain(isSame ? last.pieces : FIRST.pieces, all.made, (each, index) =>
      isDropped(each, index, decisions) ? undefined : this.#piecesOf(each, decisions.hasFunctions),
    );
    const written = pieces.made.filter((each) => each !== undefined);
    const units = madeAgain(last.units, withEnd(written, all.made.at(-1), options), (each) => this.#unitOf(each));
    this.#last = { jsons, messages: all, declares, decisions, pieces, units };
    return { units: units.made };
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
    checkMessage(message);
    const written = remembered(this.#written, message, (): Written => [undefined, undefined]);
    return (written[Number(hasFunctions)] ??= [...piecesOf(message, 0, hasFunctions)]);
  }

  /** One unit of a message's pieces, which are encoded apart. */
  #unitOf(pieces: readonly Piece[]): Unit {
    return remembered(this.#units, pieces, () => {
      const parts = pieces.map((each) => this.#idsOf(each));
      const ids = new Uint32Array(parts.reduce((sum, each) => sum + each.length, 0));
      let at = 0;
      for (const each of parts) {
        ids.set(each, at);
        at += each.length;
      }
      return { text: textOf(pieces), ids };
    });
  }

  #idsOf(piece: Piece): Uint32Array {
    if ('control' in piece) return Uint32Array.of(this.specialIds.get(piece.control) as number);
    const { text } = piece;
    return this.engine.encode(text, this.request.special === 'forbid' ? SPECIAL_FORBID : SPECIAL_AS_TEXT);
  }
}

function remembered<Key extends object, Made>(known: WeakMap<Key, Made>, key: Key, make: () => Made): Made {
  let made = known.get(key);
  if (made === undefined) known.set(key, (made = make()));
  return made;
}
