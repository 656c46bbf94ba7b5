// Chats for vocabularies with harmony's control tokens and no template.

import { TokenizerError, unexpected } from '../../base/errors.js';
import type { Work } from '../../base/time-slices.js';
import type { UnsharedInt32Array, UnsharedUint32Array } from '../../base/typed-arrays.js';
import { encodeInSlices } from '../../engine/encode-in-slices.js';
import type { AddedToken, EngineTokenizer } from '../../engine/engine.js';
import { SPECIAL_AS_TEXT, SPECIAL_FORBID } from '../../api/arguments.js';
import type { ChatRequest, ChatText } from '../../api/chat-options.js';
import { CALLER, TEMPLATE } from '../jinja/values/origin.js';
import { parseJson } from '../data.js';
import { messagesOf } from './harmony-messages.js';
import { isList, isObject, type Json, jsonOf } from './harmony-json.js';
import { type Piece, renderHarmony } from './render-harmony.js';
import { functionsOf, withFunctions } from './harmony-tools.js';

/** The control tokens and texts of a chat. Throws a TypeError or RangeError for input that is not harmony. */
export function piecesOf(request: ChatRequest): Piece[] {
  const { addGenerationPrompt, continueFinalMessage, harmony: { dropAnalysis = true, training = false } = {} } = request;
  if (!isNothing(request.documents)) throw unexpected('nothing, since harmony has no documents,', 'documents', request.documents);
  const variables = jsonOf(typeof request.variables === 'string' ? parseJson(request.variables) : request.variables, 'variables', -1);
  const [variable] = isObject(variables) ? variables.keys() : [];
  if (variable !== undefined) throw unexpected('nothing, since no template reads it,', `variables.${variable}`, request.variables);
  if (typeof continueFinalMessage === 'string') throw unexpected('a boolean', 'continueFinalMessage', continueFinalMessage);
  if (training && (addGenerationPrompt || continueFinalMessage)) {
    throw unexpected('false together with harmony.training', addGenerationPrompt ? 'addGenerationPrompt' : 'continueFinalMessage', true);
  }
  const given = listOf(request.messages, 'messages');
  if (continueFinalMessage && given.length === 0) throw unexpected('a message to continue', 'messages', request.messages);
  const { messages, added } = withFunctions(given, request.tools === null ? undefined : functionsOf(listOf(request.tools, 'tools')));
  const pieces = renderHarmony(messagesOf(messages, added), {
    addGenerationPrompt,
    continueFinalMessage,
    dropAnalysis,
    forTraining: training,
  });
  return added === undefined
    ? pieces
    : pieces.map((piece) => ('control' in piece ? piece : { ...piece, origin: originBefore(piece.origin, added) }));
}

/** The origin in the caller's messages, which do not include the one at `added`. */
function originBefore(origin: number, added: number): number {
  return origin === added ? CALLER : origin > added ? origin - 1 : origin;
}

/** The text for `renderChat`, with control tokens written out. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => ('control' in piece ? piece.control : piece.text)).join('');
}

/** Pieces that are encoded between two pauses. */
const PIECES_AT_ONCE = 64;

/**
 * The ids of a chat, and the origin of each. Texts never become control tokens, whatever they contain; with `forbid`, a
 * text that contains one is an error (SPECIAL_FORBIDDEN).
 */
export function* encodingPieces(
  pieces: readonly Piece[],
  engine: EngineTokenizer,
  specialIds: ReadonlyMap<string, number>,
  forbid: boolean,
): Work<{ ids: UnsharedUint32Array; origins: UnsharedInt32Array }> {
  const parts: Uint32Array[] = [];
  for (const piece of pieces) {
    parts.push('control' in piece ? Uint32Array.of(specialIds.get(piece.control) as number) : yield* encoding(piece, engine, forbid));
    if (parts.length % PIECES_AT_ONCE === 0) yield;
  }
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const [ids, origins] = [new Uint32Array(total), new Int32Array(total)];
  let at = 0;
  parts.forEach((part, index) => {
    const piece = pieces[index] as Piece;
    ids.set(part, at);
    origins.fill('control' in piece ? TEMPLATE : piece.origin, at, (at += part.length));
  });
  return { ids, origins };
}

/** Of each vocabulary: none if it does not encode the text between them alone. */
const specialTokens = new WeakMap<EngineTokenizer, readonly AddedToken[]>();

function separatingTokens(engine: EngineTokenizer): readonly AddedToken[] {
  const { addedTokens, model, normalizer } = engine.describe();
  const tokens = addedTokens.filter(({ neverFound }) => !neverFound);
  const arePlain = tokens.every(({ special, strips, singleWord }) => special && !strips && !singleWord);
  return arePlain && model === 'bpe' && normalizer === '' ? tokens : [];
}

/**
 * A chat as one text, of which the control tokens are the template's. Where two texts meet, which are encoded apart, another special
 * token is put between them. Undefined for a vocabulary that does not encode the text between its special tokens alone.
 */
export function joinedText(pieces: readonly Piece[], engine: EngineTokenizer): ChatText | undefined {
  let tokens = specialTokens.get(engine);
  if (!tokens) specialTokens.set(engine, (tokens = separatingTokens(engine)));
  if (tokens.length === 0) return undefined;
  const written = new Set(pieces.map((piece) => ('control' in piece ? piece.control : '')));
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
  for (const piece of pieces) {
    if ('control' in piece) write(piece.control);
    else if (piece.text !== '') {
      if (text.length > (ranges.at(-1) ?? 0)) {
        if (!between) return undefined;
        write(between.text);
        separators++;
      }
      text += piece.text;
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

/** Whether documents are absent or empty. */
function isNothing(documents: ChatRequest['documents']): boolean {
  return documents === null || listOf(documents, 'documents').length === 0;
}

const CONTROL_TOKENS = ['<|start|>', '<|end|>', '<|message|>', '<|channel|>', '<|constrain|>', '<|return|>', '<|call|>'];

/** True for the vocabulary of gpt-oss. */
export function speaksHarmony(specialIds: ReadonlyMap<string, number>): boolean {
  return CONTROL_TOKENS.every((token) => specialIds.has(token));
}
