// Chats, by the templates of models.

import { fromCallSite } from '../../base/errors.js';
import type { UnsharedUint32Array } from '../../base/typed-arrays.js';
import { release, retain } from '../../engine/references.js';
import {
  type ChatCall,
  chatRequest,
  type EncodeChatOptions,
  type EncodedChat,
  ownTemplates,
  type RenderChatOptions,
  type TemplateMessage,
} from '../chat.js';
import type { Chat } from '../chat-renderer.js';
import type { Conversation } from '../conversation.js';
import { type ConversationOptions, conversationOptions } from '../conversation-options.js';
import { hostOf } from './background.js';
import { HealingTokenizer } from './healing.js';
import { engineOf, vocabularyOf } from './open-tokenizer.js';

let inChat: <Result>(
  tokenizer: ChatTokenizer,
  messages: readonly TemplateMessage[] | string,
  options: EncodeChatOptions | undefined,
  entry: (...args: never[]) => unknown,
  ask: (chat: Chat, call: ChatCall) => Result | Promise<Result>,
) => Promise<Result>;

/** A tokenizer that also renders and encodes chats. */
export class ChatTokenizer extends HealingTokenizer {
  static {
    inChat = (tokenizer, messages, options, entry, ask) => tokenizer.#ofChat(messages, options, true, entry, ask);
  }

  /**
   * The text of a chat as the model's own template writes it, like Hugging Face's `apply_chat_template` without tokenizing. A
   * cartridge has the templates of its `tokenizer.json` if a `tokenizer_config.json` or `chat_template.jinja` lay beside it;
   * otherwise pass `template`. The text equals Python Jinja2's, character by character. The first call loads the renderer.
   *
   * Messages, tools, documents and variables are data or JSON text. In JSON text, numbers are as in Python: `1.0` is a float,
   * and integers have any size. In data, an integral number is an integer.
   *
   * A template is a program. It sees only plain data, and its steps, memory and time are bounded, but an untrusted one can
   * still write anything into the prompt and take a second to do so. Throws `TEMPLATE_REFUSED` if the template raises an
   * exception, as many do for an unexpected order of roles, `CHAT_BUDGET` if it takes more than
   * a chat needs, and `INVALID_TEMPLATE` if there is no template or it has an error.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}\n{% endfor %}';
   * await tokenizer.renderChat([{ role: 'user', content: ' hello ' }], { template }); // '[user] hello\n'
   * ```
   */
  async renderChat(messages: readonly TemplateMessage[] | string, options?: RenderChatOptions): Promise<string> {
    return this.#ofChat(messages, options, false, ChatTokenizer.prototype.renderChat, (chat, { request, own, specialIds }) =>
      chat.render(request, own, specialIds),
    );
  }

  /**
   * The ids of a chat: the text of `renderChat`, with special tokens as tokens and nothing added around it, like Hugging
   * Face's `apply_chat_template`.
   *
   * By default, as in Hugging Face, a special token typed into a message is a token too: `<|im_end|>` ends the message, and
   * a system message can follow. For untrusted texts use `special: 'template'`, which makes tokens only of the template's
   * own special tokens, or `'forbid'`. With `origins` or `assistantMask` the result is an object.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * await tokenizer.encodeChat([{ role: 'user', content: 'hello' }], { template }); // Uint32Array [24912, 199999]
   * ```
   */
  encodeChat(
    messages: readonly TemplateMessage[] | string,
    options: EncodeChatOptions & ({ origins: true } | { assistantMask: true }),
  ): Promise<EncodedChat>;
  encodeChat(
    messages: readonly TemplateMessage[] | string,
    options?: EncodeChatOptions & { origins?: false | undefined; assistantMask?: false | undefined },
  ): Promise<UnsharedUint32Array>;
  encodeChat(messages: readonly TemplateMessage[] | string, options?: EncodeChatOptions): Promise<UnsharedUint32Array | EncodedChat>;
  async encodeChat(messages: readonly TemplateMessage[] | string, options?: EncodeChatOptions): Promise<UnsharedUint32Array | EncodedChat> {
    const ask = (chat: Chat, { request, own, engine, specialIds }: ChatCall): UnsharedUint32Array | EncodedChat =>
      request.origins || request.assistantMask
        ? chat.describe(request, own, engine, specialIds)
        : chat.encode(request, own, engine, specialIds);
    return this.#ofChat(messages, options, true, ChatTokenizer.prototype.encodeChat, ask);
  }

  /**
   * The number of ids of a chat: the length of `encodeChat`'s result with the same options, without producing the ids.
   * `countMessages` uses OpenAI's rules instead, for models without a published template.
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * await tokenizer.countChat([{ role: 'user', content: 'hello' }], { template }); // 2
   * ```
   */
  async countChat(messages: readonly TemplateMessage[], options?: EncodeChatOptions): Promise<number> {
    return this.#ofChat(messages, options, true, ChatTokenizer.prototype.countChat, (chat, call) => chat.count(call));
  }

  /**
   * A chat that changes message by message, without messages at first. Its ids are always those of `encodeChat` with the same
   * options, and a change costs about as much as its messages: it renders and encodes only what has changed, with templates
   * whose loops depend on little else. Loads the renderer; after that, the conversation's methods are synchronous.
   *
   * The conversation keeps the current vocabulary, whatever `swap` does later; after the tokenizer's `close`, calls throw
   * (`CLOSED`).
   *
   * @example
   * ```ts
   * const template = '{% for m in messages %}{{ m.content }}<|endoftext|>{% endfor %}';
   * using chat = await tokenizer.conversation({ template });
   * chat.add({ role: 'user', content: 'hello' }); // { from: 0, removed: 0, inserted: 2 }
   * chat.count; // 2
   * ```
   */
  async conversation(options?: ConversationOptions): Promise<Conversation> {
    const explained = fromCallSite(ChatTokenizer.prototype.conversation);
    let checked: ReturnType<typeof conversationOptions>;
    try {
      checked = conversationOptions(options);
    } catch (error) {
      throw explained(error);
    }
    return this.#ofChat([], checked.chat, true, ChatTokenizer.prototype.conversation, (chat, call) => {
      const { engine } = call;
      const hold = { retain: () => retain(engine), release: () => release(engine), isClosed: () => engine.isClosed };
      return chat.converse(call, checked.own, hold);
    });
  }

  /** Reads everything before waiting: the messages and the vocabulary may change meanwhile. */
  async #ofChat<Result>(
    messages: readonly TemplateMessage[] | string,
    options: EncodeChatOptions | undefined,
    encodes: boolean,
    entry: (...args: never[]) => unknown,
    ask: (chat: Chat, call: ChatCall) => Result | Promise<Result>,
  ): Promise<Result> {
    const explained = fromCallSite(entry);
    try {
      const vocabulary = vocabularyOf(this);
      const engine = engineOf(this);
      const call = {
        own: ownTemplates(vocabulary, engine),
        request: chatRequest(messages, options, encodes),
        specialIds: vocabulary.specialIds,
      };
      const { chat } = hostOf(this);
      if (!chat) throw new Error("chats need what renders them: import 'crayon-tokenizer' instead");
      retain(engine);
      try {
        const loaded = await chat();
        for (;;) {
          try {
            return await ask(loaded, { ...call, engine });
          } catch (error) {
            if (!(await loaded.supply(error))) throw error;
          }
        }
      } finally {
        release(engine);
      }
    } catch (error) {
      throw explained(error);
    }
  }
}

// For other modules of the package.
export {
  /** Renders a chat; `ask` makes something of it. Errors begin at the caller of `entry`. */
  inChat,
};
