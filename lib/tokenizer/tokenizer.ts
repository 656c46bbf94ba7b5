// The public API. This folder uses no Node modules and no WebAssembly, and imports only types from outside.
//
// The class is the same on every backend: it checks arguments, turns failures into errors that name the argument, and
// delegates to the engine. Its methods are in the classes that it extends (`api`), one concept a file.

import { fromCaller, type TokenizerError } from '../base/errors.js';
import { engineOf, exchangeEngine, retire, vocabularyOf, whyClosed } from './api/open-tokenizer.js';
import { StreamingTokenizer } from './api/streams.js';
import { countMessages } from './messages/count-messages.js';
import type { ChatMessage, CountMessagesOptions, MessageEstimate } from './messages/request.js';

/**
 * An open vocabulary: text to token ids and back.
 *
 * It can be used until `close()`; after that every member but `close` throws a {@link TokenizerError} with the code
 * `CLOSED`. The garbage collector closes an unreachable instance.
 */
export class Tokenizer extends StreamingTokenizer {
  /**
   * The number of tokens a chat takes in a request to OpenAI (Chat Completions), by OpenAI's published rules: for messages
   * to gpt-3.5-turbo, gpt-4, gpt-4o and gpt-4o-mini, for simple tools with some of these, and for images of known size.
   * OpenAI calls these counts estimates, which can change with the model. Special tokens in texts are ordinary text.
   *
   * Anything else, such as later models, tool calls and nested schemas, throws a `RangeError`. With `estimate: true` it is
   * counted by a model of what OpenAI's servers add, fitted to requests with recorded usage, and the result lists the
   * assumptions. It reproduces 131 of 137 such requests exactly and misses the others by 1 or 2 tokens; expect larger
   * errors for models and fields outside that set. A request fully covered by the published rules is counted by them
   * either way.
   *
   * @example
   * ```ts
   * const messages = [{ role: 'user', content: 'hello world' }];
   * tokenizer.countMessages(messages, { model: 'gpt-4o' }); // 9
   * tokenizer.countMessages(messages, { model: 'gpt-5' }); // throws RangeError
   * tokenizer.countMessages(messages, { model: 'gpt-5', estimate: true }).tokens; // 8
   * ```
   */
  countMessages(messages: readonly ChatMessage[], options: CountMessagesOptions & { estimate: true }): MessageEstimate;
  countMessages(messages: readonly ChatMessage[], options?: CountMessagesOptions & { estimate?: false | undefined }): number;
  countMessages(messages: readonly ChatMessage[], options?: CountMessagesOptions): number | MessageEstimate;
  countMessages(messages: readonly ChatMessage[], options?: CountMessagesOptions): number | MessageEstimate {
    try {
      return countMessages(messages, options, this, engineOf(this).model);
    } catch (error) {
      throw fromCaller(error, Tokenizer.prototype.countMessages);
    }
  }
}

export { engineOf, exchangeEngine, retire, vocabularyOf, whyClosed };
