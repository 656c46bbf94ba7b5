// Renders chats with models' templates, and encodes them.

import { TokenizerError } from '../base/errors.js';
import type { EngineTokenizer, Mask, Policy, TokensWithOffsets } from '../engine/engine.js';
import { SPECIAL_ALLOW } from '../tokenizer/arguments.js';
import type { ChatCall, ChatRequest } from '../tokenizer/chat.js';
import type { Chat } from '../tokenizer/chat-renderer.js';
import { inputWith } from './apply.js';
import { assistantMaskOf, byteRanges, originsOf } from './authors.js';
import { explained } from './errors.js';
import { forbidSpecialTokens, forbidSpecialTokensIn } from './forbidden.js';
import { encodePieces, joinedText, piecesOf, textOf } from './harmony/chat.js';
import type { Rendered, Template } from './jinja/template.js';
import { compiled, controlTokens, isHarmony, type Prepared, prepared, templateFor } from './prepared.js';

export { assistantMaskOf } from './authors.js';
export { prepared } from './prepared.js';

const utf8 = new TextEncoder();

export const chat: Chat = {
  async converse(call, budget, counting) {
    if (counting) return (await import('./counted-conversation.js')).begin(call.engine, counting, budget);
    return (await import('./conversation.js')).begin(chat, call, policyOf(call), budget);
  },

  render: (request, own, specialIds) =>
    isHarmony(request, own, specialIds) ? textOf(piecesOf(request)) : prepared(request, own).render().text,

  encode(request, own, engine, specialIds) {
    if (isHarmony(request, own, specialIds)) return encodedHarmony(request, engine, specialIds).ids;
    const chosen = prepared(request, own);
    if (request.special === 'forbid') return tokensOf(chosen, request, engine, specialIds).ids;
    const rendered = chosen.render();
    if (request.special === 'allow') return engine.encode(rendered.text, SPECIAL_ALLOW);
    const bytes = utf8.encode(rendered.text);
    return engine.encodeBytes(bytes, maskOf(rendered, bytes, chosen.template, engine));
  },

  count({ request, own, engine, specialIds }) {
    // Without ids, unless parts of the text must be hidden, or are encoded alone.
    const isText = request.special === 'allow' && !isHarmony(request, own, specialIds);
    if (isText) return engine.count(prepared(request, own).render().text, SPECIAL_ALLOW);
    return chat.encode(request, own, engine, specialIds).length;
  },

  text({ request, own, engine, specialIds }) {
    const isForbidden = request.special === 'forbid';
    if (isHarmony(request, own, specialIds)) {
      const pieces = piecesOf(request);
      if (isForbidden) encodePieces(pieces, engine, specialIds, true);
      return joinedText(pieces, engine);
    }
    const chosen = prepared(request, own);
    const { text, ranges } = isForbidden ? tokensOf(chosen, request, engine, specialIds).rendered : chosen.render();
    if (request.special !== 'template') return { text, policy: SPECIAL_ALLOW, separators: 0 };
    return { text, ranges, policy: controlTokens(chosen.template, engine), separators: 0 };
  },

  describe(request, own, engine, specialIds) {
    if (isHarmony(request, own, specialIds)) {
      if (request.assistantMask)
        throw new TokenizerError('harmony does not mark what the assistant writes: there is no assistantMask', {
          code: 'INVALID_TEMPLATE',
        });
      return encodedHarmony(request, engine, specialIds);
    }
    const chosen = prepared(request, own);
    if (request.assistantMask && !chosen.template.marksGeneration) {
      throw new TokenizerError(`${chosen.name} does not mark what the assistant writes: it has no {% generation %}`, {
        code: 'INVALID_TEMPLATE',
      });
    }
    const { ids, offsets, rendered } = tokensOf(chosen, request, engine, specialIds);
    return {
      ids,
      ...(request.origins && { origins: originsOf(offsets, rendered) }),
      ...(request.assistantMask && { assistantMask: assistantMaskOf(offsets, rendered) }),
    };
  },
};

/** How the texts of a conversation are encoded, whose options are checked without messages. */
function policyOf({ request, own, engine, specialIds }: ChatCall): Policy {
  if (isHarmony(request, own, specialIds)) return new Uint32Array(0);
  const { text, name } = templateFor(request, own);
  return explained(text, name, () => {
    const template = compiled(text, name);
    inputWith([], { ...request, ownVariables: own.variables });
    return request.special === 'template' ? controlTokens(template, engine) : SPECIAL_ALLOW;
  });
}

function encodedHarmony(request: ChatRequest, engine: EngineTokenizer, specialIds: ReadonlyMap<string, number>) {
  return encodePieces(piecesOf(request), engine, specialIds, request.special === 'forbid');
}

/** The ids of a chat with their offsets, in UTF-16 units of the text. */
function tokensOf(
  chosen: Prepared,
  { special }: ChatRequest,
  engine: EngineTokenizer,
  specialIds: ReadonlyMap<string, number>,
): TokensWithOffsets & { rendered: Rendered } {
  if (special === 'forbid') forbidSpecialTokens(chosen.input, specialIds);
  const rendered = chosen.render();
  const bytes = utf8.encode(rendered.text);
  const policy: Policy | Mask = special === 'template' ? maskOf(rendered, bytes, chosen.template, engine) : SPECIAL_ALLOW;
  const tokens = engine.encodeBytesWithOffsets(bytes, 'utf16', policy);
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
