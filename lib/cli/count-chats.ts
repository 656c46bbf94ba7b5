// `crayon count --chat`: counts chats in JSON with the model's template or, for OpenAI models, by the API's rules.

import type { ChatMessage, CountMessagesOptions, EncodeChatOptions, TemplateMessage, Tokenizer } from '../index.js';
import { TokenizerError } from '../base/errors.js';
import { printable } from '../base/text-encodings.js';
import { NO_TEMPLATE } from '../api/chat-options.js';
import { encodingForModel, ENCODINGS } from '../vocabularies/models.js';
import { InputError } from './command-errors.js';
import { textChunksOf } from './input/file-arguments.js';

/** An API request; for a file that is a list of messages, only these. */
interface ChatFile {
  messages: readonly TemplateMessage[];
  model?: unknown;
  tools?: EncodeChatOptions['tools'];
  system?: CountMessagesOptions['system'];
  documents?: EncodeChatOptions['documents'];
  functions?: CountMessagesOptions['functions'];
  tool_choice?: CountMessagesOptions['tool_choice'];
  function_call?: CountMessagesOptions['function_call'];
  response_format?: CountMessagesOptions['response_format'];
  add_generation_prompt?: boolean;
  chat_template_kwargs?: EncodeChatOptions['variables'];
}

/** The command line's options for chats. */
export interface ChatOptions {
  model: string | undefined;
  /** Undefined: as `countChat`. */
  special: 'text' | 'allow' | 'forbid' | string[] | undefined;
  estimate: boolean;
  generationPrompt: boolean;
}

/** A count, and its assumptions. */
export interface ChatCount {
  tokens: number;
  bytes: number;
  assumptions?: string[];
}

export async function countChatOf(tokenizer: Tokenizer, file: string, options: ChatOptions): Promise<ChatCount> {
  const { chat, bytes } = await readChat(file);
  try {
    const isHarmony = tokenizer.name === 'o200k_harmony';
    const isOpenAi = Object.hasOwn(ENCODINGS, tokenizer.name) && (!isHarmony || options.estimate);
    const counted = isOpenAi ? byRules(tokenizer, chat, options) : await byTemplate(tokenizer, chat, options, isHarmony);
    return { ...counted, bytes };
  } catch (error) {
    if (error instanceof TokenizerError && error.message.startsWith(NO_TEMPLATE)) throw new InputError(withoutTemplate(tokenizer));
    // Errors in messages name the path within the file.
    if (error instanceof TypeError || error instanceof RangeError) throw new InputError(error.message);
    throw error;
  }
}

/** What the user can do about a missing template. */
function withoutTemplate({ name }: Tokenizer): string {
  return (
    `cannot be counted: ${name} has no chat template. Add --encoding FILE, the tokenizer.json of a model with its ` +
    'tokenizer_config.json or chat_template.jinja beside it, or a cartridge made from them with crayon compile; for models of ' +
    'OpenAI, --model NAME'
  );
}

function byRules(tokenizer: Tokenizer, chat: ChatFile, { model: named, estimate }: ChatOptions): Omit<ChatCount, 'bytes'> {
  const model = named ?? chat.model ?? (tokenizer.name === 'o200k_harmony' ? 'gpt-oss-120b' : undefined);
  if (typeof model !== 'string')
    throw new InputError(
      'says no "model", whose rules it would be counted by: add --model NAME, or --encoding FILE of a model with a chat template',
    );
  const encoding = encodingForModel(model);
  if (named === undefined && encoding !== undefined && encoding !== tokenizer.name) {
    throw new InputError(`is for ${model}, which uses ${encoding}: add --model ${model}`);
  }
  const { tools, system, functions, tool_choice, function_call, response_format } = chat as ChatFile & CountMessagesOptions;
  const request = { model, tools, system, functions, tool_choice, function_call, response_format };
  const messages = chat.messages as readonly ChatMessage[];
  const assumptions: string[] = [];
  const tokens = tokenizer.countMessages(messages, { ...request, estimate, onAssumption: (each) => assumptions.push(each) });
  return estimate ? { tokens, assumptions } : { tokens };
}

const ONLY_MESSAGES =
  'Only the messages are counted. --estimate adds what servers of gpt-oss do: a system message, and the beginning of the answer.';

async function byTemplate(
  tokenizer: Tokenizer,
  chat: ChatFile,
  { special, generationPrompt }: ChatOptions,
  isHarmony: boolean,
): Promise<Omit<ChatCount, 'bytes'>> {
  const { messages, tools, documents, add_generation_prompt: asked, chat_template_kwargs: variables } = chat;
  const tokens = await tokenizer.countChat(messages, {
    tools,
    documents,
    variables,
    addGenerationPrompt: generationPrompt || asked === true,
    special: special === 'text' ? 'template' : special === 'forbid' ? 'forbid' : 'allow',
  });
  const hasSystem = messages.some((message) => (message as { role?: unknown } | null)?.role === 'system');
  return isHarmony && !hasSystem ? { tokens, assumptions: [ONLY_MESSAGES] } : { tokens };
}

async function readChat(file: string): Promise<{ chat: ChatFile; bytes: number }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of textChunksOf(file)) chunks.push(Uint8Array.from(chunk));
  const text = Buffer.concat(chunks);
  const value = parsed(text.toString());
  if (Array.isArray(value)) return { chat: { messages: value as TemplateMessage[] }, bytes: text.length };
  if (typeof value === 'object' && value !== null && Array.isArray((value as ChatFile).messages))
    return { chat: value as ChatFile, bytes: text.length };
  throw new InputError('is not a chat: expected a list of messages in JSON, or an object with "messages"');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`is not JSON: ${printable((error as Error).message)}`);
  }
}
