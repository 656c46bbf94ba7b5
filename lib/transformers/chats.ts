// Chats as the text that a model's template makes of them.

import { TokenizerError } from '../base/errors.js';
import { chatRequest } from '../tokenizer/chat.js';
import type { Chat } from '../tokenizer/chat-renderer.js';
import type { Settings } from './config.js';
import type { ApplyChatTemplateOptions } from './options.js';

/** With them, texts would be harmony's where no template is. */
const NO_SPECIAL_TOKENS: ReadonlyMap<string, number> = new Map();

/** The text of a chat. `chat`: undefined if the model has no template. */
export function renderedChat(
  chat: Chat | undefined,
  { templates, variables: known }: Pick<Settings, 'templates' | 'variables'>,
  messages: unknown,
  options: ApplyChatTemplateOptions,
): string {
  const { tools, documents, chat_template, add_generation_prompt, continue_final_message, ...variables } = options;
  if (!chat) {
    const message = 'the model has no chat template: pass one as from_pretrained(source, { chat_template })';
    throw new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
  }
  const request = chatRequest(
    messages,
    {
      template: chat_template ?? undefined,
      tools: tools ?? undefined,
      documents: documents ?? undefined,
      addGenerationPrompt: add_generation_prompt ?? undefined,
      continueFinalMessage: continue_final_message ?? undefined,
      variables,
    },
    false,
  );
  return chat.render(request, { templates, variables: known, problem: undefined }, NO_SPECIAL_TOKENS);
}
