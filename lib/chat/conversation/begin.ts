// Begins conversations. They render without waiting, so all parts are installed first.

import type { ChatCall, ChatRequest, ChatState } from '../../tokenizer/chat.js';
import type { Chat } from '../../tokenizer/chat-renderer.js';
import { Conversation, type ConversationHold } from '../../tokenizer/conversation.js';
import type { BudgetOptions } from '../../tokenizer/conversation-options.js';
import { installParts } from '../all-parts.js';
import { inputWith } from '../apply.js';
import { explained } from '../failures.js';
import type { Steps } from '../steps.js';
import { HarmonySource } from './harmony-source.js';
import { State } from './state.js';
import { TemplateSource } from './template-source.js';

export function begin(chat: Chat, call: ChatCall, budget: BudgetOptions, hold: ConversationHold, steps: Steps): Conversation {
  installParts();
  return new Conversation(stateOf(chat, call, steps), budget, hold);
}

function stateOf(chat: Chat, { request, own, engine, specialIds }: ChatCall, steps: Steps): ChatState {
  const whole = {
    text: (messages: ChatRequest['messages']) => chat.render({ ...request, messages }, own, specialIds),
    ids: (messages: ChatRequest['messages']) => chat.encode({ ...request, messages }, own, engine, specialIds),
  };
  if (steps.isHarmony(request, own, specialIds)) return new State(new HarmonySource(request, engine, specialIds), whole);
  const { text, name } = steps.templateFor(request, own);
  return explained(text, name, () => {
    const template = steps.compiled(text, name);
    const input = inputWith([], { ...request, ownVariables: own.variables });
    const control = steps.controlTokens(template, engine);
    return new State(new TemplateSource({ template, input, request, engine, specialIds, control }), whole);
  });
}
