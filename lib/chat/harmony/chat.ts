// Chats for vocabularies with harmony's control tokens and no template.

import { SPECIAL_AS_TEXT, SPECIAL_FORBID } from '../../tokenizer/arguments.js';
import type { ChatRequest } from '../../tokenizer/chat.js';
import type { EngineTokenizer } from '../../engine/engine.js';
import { TokenizerError, unexpected } from '../../base/errors.js';
import { CALLER, TEMPLATE } from '../jinja/values/origin.js';
import { parseJson } from '../json.js';
import { messagesOf } from './conversation.js';
import { isList, isObject, type Json, jsonOf } from './json.js';
import { type Piece, renderHarmony } from './render.js';
import { functionsOf, withFunctions } from './tools.js';

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
  const { messages, added } = withFunctions(given, requestedFunctions(request));
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

/**
 * The ids of a chat, and the origin of each. Texts never become control tokens, whatever they contain; with `forbid`, a
 * text that contains one is an error (SPECIAL_FORBIDDEN).
 */
export function encodePieces(
  pieces: readonly Piece[],
  engine: EngineTokenizer,
  specialIds: ReadonlyMap<string, number>,
  forbid: boolean,
): { ids: Uint32Array<ArrayBuffer>; origins: Int32Array<ArrayBuffer> } {
  const parts = pieces.map((piece) =>
    'control' in piece ? Uint32Array.of(specialIds.get(piece.control) as number) : encoded(piece, engine, forbid),
  );
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

function encoded({ text, origin }: { text: string; origin: number }, engine: EngineTokenizer, forbid: boolean): Uint32Array {
  try {
    return engine.encode(text, forbid ? SPECIAL_FORBID : SPECIAL_AS_TEXT);
  } catch (error) {
    if (!forbid || !(error instanceof TokenizerError) || origin < 0) throw error;
    throw new TokenizerError(`${error.message}, in messages[${origin}]`, error);
  }
}

export function requestedFunctions({ tools }: ChatRequest): Json | undefined {
  return tools === null ? undefined : functionsOf(listOf(tools, 'tools'));
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
