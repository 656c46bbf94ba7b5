// Chats as the text that a model's template makes of them.

import { TokenizerError } from '../base/errors.js';
import { nearNames } from '../base/near-names.js';
import { chatRequest } from '../tokenizer/chat.js';
import type { Chat, PreparedChat } from '../tokenizer/chat-renderer.js';
import { adviceFor } from './call-options.js';
import type { Settings } from './config.js';
import { type ApplyChatTemplateOptions, CHAT_OPTIONS } from './options.js';

/** A chat, ready to render. Throws for a model without a template, and for options that nothing reads. */
export function preparedChat(
  chat: Chat,
  { templates, variables: known }: Pick<Settings, 'templates' | 'variables'>,
  messages: unknown,
  options: ApplyChatTemplateOptions,
): PreparedChat {
  const { tools, documents, chat_template, add_generation_prompt, continue_final_message, ...variables } = options;
  if (chat_template == null && Object.keys(templates).length === 0) {
    const message = 'the model has no chat template: pass one as the option chat_template, here or to from_pretrained';
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
  const prepared = chat.prepare(request, { templates, variables: known, problem: undefined });
  for (const name of Object.keys(variables)) {
    if (variables[name] !== undefined && !prepared.template.mentions(name)) checkVariable(name);
  }
  return prepared;
}

/** Names that differ by more are those of variables: `tools_in_user_message`. */
const MOST_DIFFERENT = 3;

/** Programs pass some variables, such as `enable_thinking`, to every template, whether it reads them or not; options do nothing there. */
function checkVariable(name: string): void {
  const advice = adviceFor(name);
  if (advice !== undefined) throw new TypeError(`unknown option '${name}': ${advice}`);
  const near = nearNames(name, CHAT_OPTIONS).find((option) => Math.abs(option.length - name.length) <= MOST_DIFFERENT);
  if (near !== undefined) throw new TypeError(`unknown option '${name}'; did you mean '${near}'?`);
}
