// Renders chats with models' templates, encodes them, and tells who wrote which bytes and tokens.

import { TokenizerError } from '../base/errors.js';
import type { Work } from '../base/time-slices.js';
import type { UnsharedInt32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { encodeInSlices, locateInSlices } from '../engine/encode-in-slices.js';
import type { EngineTokenizer, Mask, Policy, TokensWithOffsets } from '../engine/engine.js';
import { SPECIAL_ALLOW } from '../api/arguments.js';
import type { ChatCall, ChatRequest, OwnTemplates } from '../api/chat-options.js';
import type { Chat } from '../api/host.js';
import { inputWith } from './apply.js';
import { explained } from './chat-errors.js';
import { forbidSpecialTokens, forbidSpecialTokensIn } from './forbidden.js';
import { encodingPieces, joinedText, piecesOf, textOf } from './harmony/harmony-chat.js';
import { CALLER, type Rendered, type Template, TEMPLATE } from './jinja/template.js';
import { compiled, controlTokens, isHarmony, type Prepared, preparing, templateFor } from './prepared.js';

export { prepared } from './prepared.js';

const utf8 = new TextEncoder();

export const chat: Chat = {
  async converse(call, budget, counting) {
    const { countedConversation, renderedConversation } = await import('./template-conversation.js');
    return counting ? countedConversation(call.engine, counting, budget) : renderedConversation(chat, call, policyOf(call), budget);
  },

  *rendering({ request, templates: own, specialIds }) {
    if (isHarmony(request, own, specialIds)) return textOf(piecesOf(request));
    return (yield* rendering(request, own)).rendered.text;
  },

  *plainText({ request, templates: own, specialIds }) {
    if (isHarmony(request, own, specialIds) || request.special !== 'allow') return undefined;
    return (yield* rendering(request, own)).rendered.text;
  },

  *encoding(call) {
    const { request, templates: own, engine, specialIds } = call;
    if (isHarmony(request, own, specialIds) || request.special === 'forbid') return (yield* chat.describing(call)).ids;
    const { template, rendered } = yield* rendering(request, own);
    if (request.special === 'allow') return yield* encodeInSlices(engine, rendered.text, SPECIAL_ALLOW);
    const bytes = utf8.encode(rendered.text);
    return yield* encodeInSlices(engine, bytes, maskOf(rendered, bytes, template, engine));
  },

  *text(call) {
    const { request, templates: own, engine, specialIds } = call;
    if (isHarmony(request, own, specialIds)) {
      const pieces = piecesOf(request);
      if (request.special === 'forbid') yield* encodingPieces(pieces, engine, specialIds, true);
      return joinedText(pieces, engine);
    }
    if (request.special === 'forbid') return { text: (yield* tokensOf(call)).rendered.text, policy: SPECIAL_ALLOW, separators: 0 };
    const { template, rendered } = yield* rendering(request, own);
    const { text, ranges } = rendered;
    if (request.special === 'allow') return { text, policy: SPECIAL_ALLOW, separators: 0 };
    return { text, ranges, policy: controlTokens(template, engine), separators: 0 };
  },

  *describing(call) {
    const { request, templates: own, engine, specialIds } = call;
    if (isHarmony(request, own, specialIds)) {
      if (request.assistantMask) throw unmarked('harmony does not mark what the assistant writes: there is no assistantMask');
      return yield* encodingPieces(piecesOf(request), engine, specialIds, request.special === 'forbid');
    }
    const { ids, offsets, rendered } = yield* tokensOf(call);
    return {
      ids,
      ...(request.origins && { origins: yield* originsOf(offsets, rendered) }),
      ...(request.assistantMask && { assistantMask: assistantMaskOf(offsets, rendered) }),
    };
  },
};

function unmarked(message: string): TokenizerError {
  return new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
}

function* rendering(request: ChatRequest, own: OwnTemplates): Work<Prepared & { rendered: Rendered }> {
  const chosen = yield* preparing(request, own);
  return { ...chosen, rendered: yield* chosen.rendering() };
}

/** How the texts of a conversation are encoded, whose options are checked without messages. */
function policyOf({ request, templates: own, engine, specialIds }: ChatCall): Policy {
  if (isHarmony(request, own, specialIds)) return new Uint32Array(0);
  const { text, name } = templateFor(request, own);
  return explained(text, name, () => {
    const template = compiled(text, name);
    inputWith([], 0, { ...request, ownVariables: own.variables });
    return request.special === 'template' ? controlTokens(template, engine) : SPECIAL_ALLOW;
  });
}

/** The ids of a chat with their offsets, in UTF-16 units of the text. */
function* tokensOf({ request, templates: own, engine, specialIds }: ChatCall): Work<TokensWithOffsets & { rendered: Rendered }> {
  const { special, assistantMask } = request;
  const chosen = yield* preparing(request, own);
  if (assistantMask && !chosen.template.marksGeneration)
    throw unmarked(`${chosen.name} does not mark what the assistant writes: it has no {% generation %}`);
  if (special === 'forbid') forbidSpecialTokens(chosen.input, specialIds);
  const rendered = yield* chosen.rendering();
  const bytes = utf8.encode(rendered.text);
  const policy: Policy | Mask = special === 'template' ? maskOf(rendered, bytes, chosen.template, engine) : SPECIAL_ALLOW;
  const tokens = yield* locateInSlices(engine, bytes, policy);
  if (special === 'forbid') forbidSpecialTokensIn(tokens, rendered, specialIds);
  return { ...tokens, rendered };
}

/**
 * Where the template wrote the text, and which tokens besides the special ones count as its control tokens there: the added
 * tokens in its own text, except white space, as in transformers' sanitize_control_tokens.
 */
function maskOf({ ranges, text }: Rendered, bytes: Uint8Array, template: Template, engine: EngineTokenizer): Mask {
  return { control: controlTokens(template, engine), ranges: byteRanges(ranges, text, bytes.length) };
}

/** Tokens between two pauses. */
const TOKENS_AT_ONCE = 1 << 16;

/**
 * The message of each token, TEMPLATE or CALLER. A token with several authors counts as its first message's; without a
 * message, as the caller's if any of it is the caller's.
 */
export function* originsOf(offsets: Uint32Array, { ends, origins }: Rendered): Work<UnsharedInt32Array> {
  const result = new Int32Array(offsets.length / 2).fill(TEMPLATE);
  let run = 0;
  for (let token = 0; token < result.length; token++) {
    if (token % TOKENS_AT_ONCE === TOKENS_AT_ONCE - 1) yield;
    const [from, to] = [offsets[2 * token] as number, offsets[2 * token + 1] as number];
    while (run < ends.length - 1 && (ends[run] as number) <= from) run++;
    for (let at = run; at < ends.length; at++) {
      const origin = origins[at] as number;
      if (origin >= 0) {
        result[token] = origin;
        break;
      }
      if (origin === CALLER) result[token] = CALLER;
      if ((ends[at] as number) >= to) break;
    }
  }
  return result;
}

/**
 * 1 for the tokens that the assistant wrote, as transformers 5.24 computes it: those that overlap a `{% generation %}` span. A token
 * without text overlaps none. `generation`: start and end of each span, ascending, as the tokens are, so that one pass finds all.
 */
export function assistantMaskOf(offsets: Uint32Array, { generation }: Pick<Rendered, 'generation'>): UnsharedUint8Array {
  const mask = new Uint8Array(offsets.length / 2);
  for (let token = 0, span = 0; token < mask.length; token++) {
    const [from, to] = [offsets[2 * token] as number, offsets[2 * token + 1] as number];
    while (span < generation.length && from >= (generation[span + 1] as number)) span += 2;
    if (span === generation.length) break;
    if (to > (generation[span] as number)) mask[token] = 1;
  }
  return mask;
}

/** Converts ranges in UTF-16 units to ranges in UTF-8 bytes. `size`: the length of the whole text in bytes. */
export function byteRanges(ranges: Uint32Array, text: string, size: number): Uint32Array {
  if (size === text.length) return ranges;
  let [unit, byte] = [0, 0];
  return ranges.map((end) => {
    for (; unit < end; unit++) {
      const code = text.charCodeAt(unit);
      // Each half of a surrogate pair counts for two of its four bytes.
      byte += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    }
    return byte;
  });
}
