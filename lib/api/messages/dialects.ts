// How chats are written for models: families with a published rule, and dialects for estimating the others.
//
// Published are section 6 of OpenAI's notebook "How to count tokens with tiktoken", for gpt-3.5-turbo, gpt-4, gpt-4o and gpt-4o-mini, which
// shows that its counts equal the API's; earlier versions of the notebook, for gpt-3.5-turbo-0301; and the Harmony format of gpt-oss
// ("OpenAI harmony response format", the same Cookbook), without what a server adds.
//
// The dialects were fitted to `prompt_tokens` of recorded requests until every count matched. Sources: the tests of
// hmarr/openai-chat-tokens and its forks by coderabbitai and petrbrzek (gpt-3.5-turbo-0613), chrisdinn/tokens
// (gpt-4-turbo), pamelafox/openai-messages-token-helper, the cassettes of pydantic-ai, opentelemetry-python-contrib,
// openllmetry, Mirascope and simonw/llm (gpt-4o to gpt-5.5), and threads of community.openai.com.

import { outOfRange, quotedName, unexpected } from '../../base/errors.js';
import { encodingForModel, ENCODINGS } from '../../vocabularies/models.js';
import type { Ledger } from './ledger.js';

/** The tokens that a model's format adds to the texts. */
export interface Dialect {
  /** Per message: its beginning, the end of its header and its end. */
  perMessage: number;
  perName: number;
  /** The beginning of the reply. */
  reply: number;
  /** The channel, in an assistant's text. */
  said: number;
  /** In a call, besides the role, the name and the arguments. */
  call: number;
  /** In a result, besides the name of the tool. */
  result: number;
  /** The channel, in parallel calls and their results. */
  channels: number;
  /** Whether tools and calls are written as for the models of June 2023. */
  isOld: boolean;
  reasons: boolean;
  isHarmony: boolean;
}

/** The notebook's rule, confirmed by recorded requests to models since November 2023. */
const CHAT: Dialect = {
  perMessage: 3,
  perName: 1,
  reply: 3,
  said: 0,
  call: 4, // " to=functions."
  result: 2, // "functions."
  channels: 0,
  isOld: false,
  reasons: false,
  isHarmony: false,
};
/** The first models that called functions. */
const OLD: Dialect = { ...CHAT, call: 3, result: 0, isOld: true };
/** The oldest snapshot ended each message with a line break, and wrote the name instead of the role. */
const OLDEST: Dialect = { ...OLD, perMessage: 4, perName: -1 };
/** Reasoning models: messages of an assistant and of tools are on a channel. */
const REASONING: Dialect = { ...CHAT, reply: 2, said: 2, call: 7, result: 5, channels: 3, reasons: true };
/** Harmony counts names together with the text around them. A call is as in the published template: `<|channel|>commentary json`. */
const HARMONY: Dialect = { ...REASONING, call: 4, result: 3, isHarmony: true };

/** Families with a rule. It also covers their snapshots and variants, except those not made for chats. */
const RULED = /^(?:ft:)?(?:gpt-3\.5-turbo|gpt-35-turbo|gpt-4|gpt-4o|gpt-4o-mini|chatgpt-4o)(?:[-:]|$)/;
const RULED_NAMES = 'gpt-3.5-turbo, gpt-4, gpt-4-turbo, gpt-4o, gpt-4o-mini and their snapshots';
/** Variants that are given more than the chat, or that take no chat at all. */
const UNRULED = /-(?:instruct|audio|realtime|search|transcribe|tts|image)/;
const NO_CHAT = /-(?:instruct|realtime|transcribe|tts|image)|^(?!(?:ft:)?(?:gpt-[345]|gpt-oss|chatgpt|codex-mini|o\d))/;

/** The dialect of a chat model, which must use the encoding being counted with. */
export function dialectOf(model: unknown, encoding: string, ledger: Ledger): Dialect {
  if (!Object.hasOwn(ENCODINGS, encoding)) {
    const instead = 'countChat and encodeChat apply the chat template of the model itself';
    throw new RangeError(
      `countMessages counts by the rules of OpenAI's models, and ${quotedName(encoding)} is not one of their encodings: ${instead}`,
    );
  }
  if (typeof model !== 'string') throw unexpected('the name of a chat model', 'model', model);
  const named = encodingForModel(model);
  const isReasoning = /^(?:ft:)?(?:o\d|gpt-5|codex-mini)/.test(model);
  if (!RULED.test(model) || UNRULED.test(model)) {
    const isHarmony = named === 'o200k_harmony';
    const elsewhere = isHarmony ? '; countChat counts chats of gpt-oss' : '';
    const rule = `a model with a published rule for counting messages (${RULED_NAMES}${elsewhere})`;
    if (named === undefined || NO_CHAT.test(model)) throw outOfRange(rule, 'model', model);
    const like = isReasoning ? 'as recorded requests to reasoning models suggest' : 'by the rule for gpt-4o';
    const how = isHarmony ? 'in Harmony, with its default system message (61 tokens) and the beginning of the answer (2)' : like;
    ledger.assume(`Messages to ${model} are counted ${how}.`, 'model', model, rule);
  }
  if (named !== encoding) throw outOfRange(`a model that uses ${encoding}`, 'model', model);
  if (model === 'gpt-3.5-turbo-0301') return OLDEST;
  if (named === 'o200k_harmony') return HARMONY;
  if (isReasoning) return REASONING;
  return /^gpt-(?:3\.5|35)-turbo(?:-16k)?-0613$|^gpt-4(?:-32k)?(?:-0[36]1[34])?$/.test(model) ? OLD : CHAT;
}
