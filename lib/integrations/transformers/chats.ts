// Chats as a model's template makes texts of them, and their ids.

import { editDistance } from '../../base/option-objects.js';
import { TokenizerError, unexpected } from '../../base/errors.js';
import { type ChatAtOnce, chatRequest, type PreparedChat } from '../../api/chat-options.js';
import { encodeWithOffsets } from '../../api/encode-texts.js';
import { called, type EncodesText, type Model, Text } from './call.js';
import { adviceFor, type ApplyChatTemplateOptions, CHAT_OPTIONS, type Defaults } from './call-options.js';
import { controlTokensOf, markerOf, MarkedTexts } from './sanitized.js';

/** What chats need of a model. */
export interface ChatModel extends Model {
  /** Undefined in a page, for a model without a template. */
  chat: ChatAtOnce | undefined;
}

/** The texts of chats, or what a call returns for them. Throws for options that nothing reads, or that do not go together. */
export function appliedTemplate(model: ChatModel, defaults: Defaults, conversation: unknown, options: ApplyChatTemplateOptions): unknown {
  const { tokenize = true, return_dict = true, padding, truncation, max_length, return_tensor, tokenizer_kwargs, ...others } = options;
  const { sanitize_control_tokens: sanitizes, return_assistant_tokens_mask: masks, ...rest } = others;
  const given: ApplyChatTemplateOptions = rest;
  if (!Array.isArray(conversation)) throw unexpected('an array of messages', 'conversation', conversation);
  if (masks && (!tokenize || !return_dict || sanitizes || given.continue_final_message)) {
    const others = 'tokenize: false, return_dict: false, sanitize_control_tokens or continue_final_message';
    throw new TypeError(`return_assistant_tokens_mask goes with none of ${others}`);
  }
  if (sanitizes && (!tokenize || tokenizer_kwargs?.return_offsets_mapping)) {
    throw new TypeError(
      'sanitize_control_tokens makes tokens without places: it goes with neither tokenize: false nor return_offsets_mapping',
    );
  }
  const isBatch = Array.isArray(conversation[0]);
  const rendered = (isBatch ? conversation : [conversation]).map((messages) => {
    const prepared = preparedChat(model, messages, given);
    return (sanitizes ? markedChat(model, messages, given, prepared.template) : prepared).render();
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
  const own = sanitizes ? encodesMarked(model) : masks ? encodesMasked(model, rendered) : undefined;
  const encoded = called(model, defaults, text, asked, own);
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

/** Names that take more edits are those of variables: one published template reads `future_final_message`. */
const MOST_EDITS = 2;

/** Programs pass some variables, such as `enable_thinking`, to every template, whether it reads them or not; options do nothing there. */
function checkVariable(name: string): void {
  const advice = adviceFor(name);
  if (advice !== undefined) throw new TypeError(`unknown option '${name}': ${advice}`);
  const near = CHAT_OPTIONS.find((option) => editDistance(name.toLowerCase(), option) <= MOST_EDITS);
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

/** Encodes texts with such marks. */
function encodesMarked({ vocabulary, added }: ChatModel): EncodesText {
  let texts: MarkedTexts | undefined;
  const wordAt = () => {
    throw new TypeError('sanitize_control_tokens encodes a text in pieces, which have no word_ids');
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
