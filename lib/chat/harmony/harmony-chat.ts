// Chats for vocabularies with harmony's control tokens and no template.

import { TokenizerError, unexpected } from '../../base/errors.js';
import type { Work } from '../../base/time-slices.js';
import { concatenated, type UnsharedInt32Array, type UnsharedUint32Array } from '../../base/typed-arrays.js';
import { encodeInSlices } from '../../engine/encode-in-slices.js';
import type { AddedToken, EngineTokenizer } from '../../engine/engine.js';
import { SPECIAL_AS_TEXT, SPECIAL_FORBID } from '../../api/arguments.js';
import type { ChatRequest, ChatText } from '../../api/chat-options.js';
import { TEMPLATE } from '../jinja/values/origin.js';
import { parseJson } from '../data.js';
import { messageOf } from './harmony-messages.js';
import { isList, isObject, type Json, jsonOf } from './harmony-json.js';
import { type HarmonyItem, renderHarmony } from './render-harmony.js';
import { functionsOf, saidBy, withFunctions } from './harmony-tools.js';

/** The control tokens and texts of a chat. Throws a TypeError or RangeError for input that is not harmony. */
export function harmonyItems(request: ChatRequest): HarmonyItem[] {
  const { addGenerationPrompt, continueFinalMessage, harmony: { dropAnalysis = true, training = false } = {} } = request;
  if (request.documents !== null && listOf(request.documents, 'documents').length > 0) {
    throw new TypeError('`documents` must be left out: harmony has none; put the texts into a message');
  }
  const variables = jsonOf(typeof request.variables === 'string' ? parseJson(request.variables) : request.variables, 'variables', -1);
  const [variable] = isObject(variables) ? variables.keys() : [];
  if (variable !== undefined) throw new TypeError(`\`variables.${variable}\` must be left out: in harmony no template reads variables`);
  if (typeof continueFinalMessage === 'string') throw unexpected('a boolean', 'continueFinalMessage', continueFinalMessage);
  if (training && (addGenerationPrompt || continueFinalMessage)) {
    throw unexpected('false together with harmony.training', addGenerationPrompt ? 'addGenerationPrompt' : 'continueFinalMessage', true);
  }
  const list = listOf(request.messages, 'messages');
  if (continueFinalMessage && list.length === 0) throw unexpected('a message to continue', 'messages', request.messages);
  const functions = request.tools === null ? undefined : functionsOf(listOf(request.tools, 'tools'));
  const said = withFunctions(saidBy(list, dropAnalysis), functions);
  return renderHarmony(said.map(messageOf), { addGenerationPrompt, continueFinalMessage, dropAnalysis, forTraining: training });
}

/** The text for `renderChat`, with control tokens written out. */
export function textOfItems(items: readonly HarmonyItem[]): string {
  return items.map((item) => ('control' in item ? item.control : item.text)).join('');
}

/** Items that are encoded between two pauses. */
const ITEMS_AT_ONCE = 64;

/**
 * The ids of a chat, and the origin of each. Texts never become control tokens, whatever they contain; with `forbid`, a
 * text that contains one is an error (SPECIAL_FORBIDDEN).
 */
export function* encodingItems(
  items: readonly HarmonyItem[],
  engine: EngineTokenizer,
  specialIds: ReadonlyMap<string, number>,
  forbid: boolean,
): Work<{ ids: UnsharedUint32Array; origins: UnsharedInt32Array }> {
  const parts: Uint32Array[] = [];
  for (const item of items) {
    parts.push('control' in item ? Uint32Array.of(specialIds.get(item.control) as number) : yield* encoding(item, engine, forbid));
    if (parts.length % ITEMS_AT_ONCE === 0) yield;
  }
  const ids = concatenated(Uint32Array, parts);
  const origins = new Int32Array(ids.length);
  let at = 0;
  items.forEach((item, index) => {
    origins.fill('control' in item ? TEMPLATE : item.origin, at, (at += (parts[index] as Uint32Array).length));
  });
  return { ids, origins };
}

/** The special tokens of a vocabulary; none if it does not encode the text between them alone. */
function separatingTokens(engine: EngineTokenizer): readonly AddedToken[] {
  const { addedTokens, model, normalizer } = engine.describe();
  const tokens = addedTokens.filter(({ neverFound }) => !neverFound);
  const arePlain = tokens.every(({ special, strips, singleWord }) => special && !strips && !singleWord);
  return arePlain && model === 'bpe' && normalizer === '' ? tokens : [];
}

/**
 * A chat as one text, whose control tokens are the template's. Two neighbouring texts are encoded apart, so another special token is
 * put between them. Undefined for a vocabulary that does not encode the text between its special tokens alone.
 */
export function joinedText(items: readonly HarmonyItem[], engine: EngineTokenizer): ChatText | undefined {
  const tokens = separatingTokens(engine);
  if (tokens.length === 0) return undefined;
  const written = new Set(items.map((item) => ('control' in item ? item.control : '')));
  const between = tokens.find((token) => !written.has(token.text));
  const ranges: number[] = [];
  let text = '';
  let separators = 0;
  const write = (control: string) => {
    if (ranges.at(-1) === text.length) ranges.pop();
    else ranges.push(text.length);
    ranges.push(text.length + control.length);
    text += control;
  };
  for (const item of items) {
    if ('control' in item) write(item.control);
    else if (item.text !== '') {
      if (text.length > (ranges.at(-1) ?? 0)) {
        if (!between) return undefined;
        write(between.text);
        separators++;
      }
      text += item.text;
    }
  }
  return { text, ranges: Uint32Array.from(ranges), policy: new Uint32Array(0), separator: between?.id, separators };
}

function* encoding({ text, origin }: { text: string; origin: number }, engine: EngineTokenizer, forbid: boolean): Work<Uint32Array> {
  try {
    return yield* encodeInSlices(engine, text, forbid ? SPECIAL_FORBID : SPECIAL_AS_TEXT);
  } catch (error) {
    if (!forbid || !(error instanceof TokenizerError) || origin < 0) throw error;
    throw new TokenizerError(`${error.message}, in messages[${origin}]`, error);
  }
}

/** Data, or JSON text. */
function listOf(list: unknown, name: string): readonly Json[] {
  const json = jsonOf(typeof list === 'string' ? parseJson(list) : list, name, -1);
  if (!isList(json)) throw unexpected('an array of objects', name, list);
  return json;
}

const CONTROL_TOKENS = ['<|start|>', '<|end|>', '<|message|>', '<|channel|>', '<|constrain|>', '<|return|>', '<|call|>'];

/** True for the vocabulary of gpt-oss. */
export function speaksHarmony(specialIds: ReadonlyMap<string, number>): boolean {
  return CONTROL_TOKENS.every((token) => specialIds.has(token));
}
