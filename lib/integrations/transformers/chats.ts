// Chats as a model's template makes texts of them, and their ids.

import { editDistance } from '../../base/option-objects.js';
import { TokenizerError, unexpected } from '../../base/errors.js';
import { type ChatAtOnce, chatRequest, type PreparedChat } from '../../api/chat-options.js';
import { encode, encodeWithOffsets } from '../../api/encode-texts.js';
import { encodeCall, type EncodesText, type Model, Text } from './call.js';
import { adviceFor, type ApplyChatTemplateOptions, CHAT_OPTIONS, type Defaults } from './call-options.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import type { AddedToken } from '../encodings/token-names.js';
import { anyOf, longestFirst } from '../special-names.js';

/** What chats need of a model. */
export interface ChatModel extends Model {
  /** Undefined in a page, for a model without a template. */
  chat: ChatAtOnce | undefined;
}

/** The texts of chats, or what a call returns for them. Throws for options that nothing reads, or that do not go together. */
export function applyTemplate(model: ChatModel, defaults: Defaults, conversation: unknown, options: ApplyChatTemplateOptions): unknown {
  const { tokenize = true, return_dict = true, padding, truncation, max_length, return_tensor, tokenizer_kwargs, ...others } = options;
  const { sanitize_control_tokens: sanitizes, return_assistant_tokens_mask: masks, ...rest }: ApplyChatTemplateOptions = others;
  if (!Array.isArray(conversation)) throw unexpected('an array of messages', 'conversation', conversation);
  if (masks && (!tokenize || !return_dict || sanitizes || rest.continue_final_message)) {
    throw new TypeError(
      'return_assistant_tokens_mask goes with none of tokenize: false, return_dict: false, sanitize_control_tokens or continue_final_message',
    );
  }
  if (sanitizes && (!tokenize || tokenizer_kwargs?.return_offsets_mapping)) {
    throw new TypeError(
      'sanitize_control_tokens makes tokens without places: it goes with neither tokenize: false nor return_offsets_mapping',
    );
  }
  const isBatch = Array.isArray(conversation[0]);
  const rendered = (isBatch ? conversation : [conversation]).map((messages) => {
    const prepared = preparedChat(model, messages, rest);
    return (sanitizes ? markedChat(model, messages, rest, prepared.template) : prepared).render();
  });
  const texts = rendered.map(({ text }) => text);
  const text = isBatch ? texts : texts[0];
  if (!tokenize) return text;
  const types = sanitizes ? { return_token_type_ids: false } : {};
  const asked = {
    add_special_tokens: false,
    padding,
    truncation: truncation ?? false,
    max_length,
    return_tensor,
    ...types,
    ...tokenizer_kwargs,
  };
  const encodes = sanitizes ? encodesMarked(model) : masks ? encodesMasked(model, rendered) : undefined;
  const encoded = encodeCall(model, defaults, text, asked, encodes);
  return return_dict ? encoded : encoded.input_ids;
}

function preparedChat({ chat, settings }: ChatModel, messages: unknown, options: ApplyChatTemplateOptions): PreparedChat {
  const { tools, documents, chat_template, add_generation_prompt, continue_final_message, ...variables } = options;
  const { templates } = settings;
  if (!chat || (chat_template == null && Object.keys(templates).length === 0)) {
    const message = `the model has no chat template: pass one as the option chat_template to from_pretrained${chat ? ', or here' : ''}`;
    throw new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
  }
  for (const [name, list] of Object.entries({ messages, tools, documents })) {
    if (list != null && !Array.isArray(list)) throw unexpected('an array of objects', name, list);
  }
  const request = chatRequest(
    messages,
    {
      tools: (tools ?? undefined) as [] | undefined,
      documents: documents ?? undefined,
      template: chat_template ?? undefined,
      addGenerationPrompt: add_generation_prompt === true,
      continueFinalMessage: continue_final_message ?? false,
      variables,
    },
    false,
  );
  const prepared = chat.prepared(request, { templates, variables: settings.variables, problem: undefined });
  for (const name of Object.keys(variables)) {
    if (variables[name] !== undefined && !prepared.template.mentions(name)) checkVariable(name);
  }
  return prepared;
}

/** A name that takes more edits is a variable's: one published template reads `future_final_message`. */
const MAX_EDITS = 2;

/** Programs pass some variables, such as `enable_thinking`, to every template, whether it reads them or not; options do nothing there. */
function checkVariable(name: string): void {
  const advice = adviceFor(name);
  if (advice !== undefined) throw new TypeError(`unknown option '${name}': ${advice}`);
  const near = CHAT_OPTIONS.find((option) => editDistance(name.toLowerCase(), option) <= MAX_EDITS);
  if (near !== undefined) throw new TypeError(`unknown option '${name}'; did you mean '${near}'?`);
}

/** The chat with marks around the control tokens in what the caller passes. */
function markedChat(
  model: ChatModel,
  messages: unknown,
  options: ApplyChatTemplateOptions,
  template: PreparedChat['template'],
): PreparedChat {
  const marked = markerOf(controlTokensOf(model.added, model.settings.config.chat_control_tokens, () => template.literals()));
  const { chat_template, continue_final_message, ...inputs } = options;
  return preparedChat(model, marked(messages), { ...(marked(inputs) as object), chat_template, continue_final_message });
}

/** Encodes texts with marks. */
function encodesMarked({ vocabulary, added }: ChatModel): EncodesText {
  let texts: MarkedTexts | undefined;
  const wordAt = () => {
    throw new TypeError('sanitize_control_tokens encodes a text in segments, which have no word_ids');
  };
  return (text, _, special) => {
    texts ??= new MarkedTexts(vocabulary, added, special);
    return { ids: texts.encode(text), tokenAt: () => '', wordAt, offsetsAt: () => [0, 0] };
  };
}

function encodesMasked(model: ChatModel, rendered: readonly ReturnType<PreparedChat['render']>[]): EncodesText {
  return (text, index, special) => {
    const encoded = encodeWithOffsets(model.vocabulary, text, { special });
    return new Text(model, text, special, encoded, model.chat?.assistantMaskOf(encoded.offsets, rendered[index]!));
  };
}

// Python's sanitize_control_tokens, as in transformers 5.24 (utils/chat_template_utils.py): marks go around the control tokens in the
// caller's strings, the template is rendered with these, and the text is encoded in segments, those between marks without added tokens.
// So only whole control tokens are text, and keys of objects are not looked at. Where the template must write every control token
// itself, `encodeChat` with `special: 'template'` follows each character instead.

/** Characters for private use, which no text of the caller keeps. */
const START = '\u{f0000}';
const END = '\u{f0001}';
const MARKS = /[\u{f0000}\u{f0001}]/gu;

/**
 * The control tokens of a template: the special ones, and the ones that the configuration lists; without a list, the added tokens in the
 * template's own texts, except white space, which templates contain as text.
 */
function controlTokensOf(added: readonly AddedToken[], listed: unknown, literals: () => string[]): string[] {
  const inTemplate = Array.isArray(listed) ? undefined : literals().join('\0');
  const isControl = ({ content, special }: AddedToken) =>
    special || (inTemplate === undefined ? (listed as unknown[]).includes(content) : content.trim() !== '' && inTemplate.includes(content));
  return added.filter(isControl).map(({ content }) => content);
}

/** Plain data whose strings have marks around control tokens. */
function markerOf(controls: readonly string[]): (value: unknown) => unknown {
  const control = new RegExp(anyOf(longestFirst(controls)), 'gu');
  const marked = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(MARKS, '').replace(control, `${START}$&${END}`);
    if (Array.isArray(value)) return value.map(marked);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, marked(each)]));
  };
  return marked;
}

/** Encodes texts with marks. `added`: all added tokens. */
class MarkedTexts {
  readonly #marked: RegExp;
  readonly #plain: (text: string) => Uint32Array;
  readonly #whole: (text: string) => Uint32Array;
  readonly #line: Uint32Array;
  readonly #idOf: ReadonlyMap<string, number>;

  constructor(vocabulary: Vocabulary, added: readonly AddedToken[], special: 'allow' | 'text') {
    this.#marked = new RegExp(`${START}(${anyOf(longestFirst(added.map(({ content }) => content)))})${END}|[${START}${END}]`, 'u');
    const { engine } = vocabulary;
    // Tokens count as control tokens in no part of the text.
    const none = { control: Uint32Array.from(added, ({ id }) => id), ranges: new Uint32Array(0) };
    const utf8 = new TextEncoder();
    this.#plain = (text) => engine.encode(utf8.encode(text), none);
    this.#whole = (text) => encode(vocabulary, text, { special });
    this.#line = this.#whole('\n');
    this.#idOf = new Map(added.map(({ content, id }) => [content, id]));
  }

  encode(text: string): Uint32Array {
    // A text, a token, a text, …, a text; undefined in place of the token for a mark alone, which still separates.
    const segments = text.split(this.#marked) as (string | undefined)[];
    const ids = [...this.#whole(segments[0] ?? '')];
    for (let at = 1; at < segments.length; at++) {
      const segment = segments[at];
      if (!segment) continue;
      const isToken = at % 2 === 1;
      const segmentIds = this.#behindLine(segment, isToken ? this.#plain : this.#whole);
      if (isToken && segmentIds.includes(this.#idOf.get(segment) as number)) {
        throw new TypeError(
          `sanitize_control_tokens cannot make text of ${JSON.stringify(segment)}: the vocabulary makes the token of plain text`,
        );
      }
      for (const id of segmentIds) ids.push(id);
    }
    return Uint32Array.from(ids);
  }

  /** The ids of a text in the middle of another: SentencePiece adds a space where one begins. */
  #behindLine(text: string, encode: (text: string) => Uint32Array): Uint32Array {
    const ids = encode(`\n${text}`);
    return this.#line.every((id, at) => ids[at] === id) ? ids.subarray(this.#line.length) : encode(text);
  }
}
