// What conversations need. They render without waiting, so `installParts` comes first.

export { Conversation } from '../../tokenizer/conversation.js';
export { conversationOptions } from '../../tokenizer/conversation-options.js';
export { installParts } from '../all-parts.js';
export { HarmonySource } from './harmony-source.js';
export { State } from './state.js';
export { TemplateSource } from './template-source.js';
