// Renders chats with models' templates, and encodes them.

import { TokenizerError } from '../base/errors.js';
import type { Work } from '../base/time-slices.js';
import { encodeInSlices, locateInSlices } from '../engine/encode-in-slices.js';
import type { EngineTokenizer, Mask, Policy, TokensWithOffsets } from '../engine/engine.js';
import { SPECIAL_ALLOW } from '../tokenizer/arguments.js';
import type { ChatCall, ChatRequest, OwnTemplates } from '../tokenizer/chat.js';
import type { Chat } from '../tokenizer/chat-renderer.js';
import { inputWith } from './apply.js';
import { assistantMaskOf, byteRanges, originsOf } from './authors.js';
import { explained } from './errors.js';
import { forbidSpecialTokens, forbidSpecialTokensIn } from './forbidden.js';
import { encodingPieces, joinedText, piecesOf, textOf } from './harmony/chat.js';
import type { Rendered, Template } from './jinja/template.js';
import { compiled, controlTokens, isHarmony, type Prepared, preparing, templateFor } from './prepared.js';

export { assistantMaskOf } from './authors.js';
export { prepared } from './prepared.js';

const utf8 = new TextEncoder();

export const chat: Chat = {
  async converse(call, budget, counting) {
    if (counting) return (await import('./counted-conversation.js')).begin(call.engine, counting, budget);
    return (await import('./conversation.js')).begin(chat, call, policyOf(call), budget);
  },

  *rendering({ request, own, specialIds }) {
    if (isHarmony(request, own, specialIds)) return textOf(piecesOf(request));
    return (yield* rendering(request, own)).rendered.text;
  },

  *plainText({ request, own, specialIds }) {
    if (isHarmony(request, own, specialIds) || request.special !== 'allow') return undefined;
    return (yield* rendering(request, own)).rendered.text;
  },

  *encoding(call) {
    const { request, own, engine, specialIds } = call;
    if (isHarmony(request, own, specialIds) || request.special === 'forbid') return (yield* chat.describing(call)).ids;
    const { template, rendered } = yield* rendering(request, own);
    if (request.special === 'allow') return yield* encodeInSlices(engine, rendered.text, SPECIAL_ALLOW);
    const bytes = utf8.encode(rendered.text);
    return yield* encodeInSlices(engine, bytes, maskOf(rendered, bytes, template, engine));
  },

  *text(call) {
    const { request, own, engine, specialIds } = call;
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
    const { request, own, engine, specialIds } = call;
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
function policyOf({ request, own, engine, specialIds }: ChatCall): Policy {
  if (isHarmony(request, own, specialIds)) return new Uint32Array(0);
  const { text, name } = templateFor(request, own);
  return explained(text, name, () => {
    const template = compiled(text, name);
    inputWith([], 0, { ...request, ownVariables: own.variables });
    return request.special === 'template' ? controlTokens(template, engine) : SPECIAL_ALLOW;
  });
}

/** The ids of a chat with their offsets, in UTF-16 units of the text. */
function* tokensOf({ request, own, engine, specialIds }: ChatCall): Work<TokensWithOffsets & { rendered: Rendered }> {
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
