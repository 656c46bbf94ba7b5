// Estimates requests to Claude, in the shape of Anthropic's Messages API. No tokenizer of Claude is published, so texts are counted with the
// one at hand. Published are what tools add and what images take (Anthropic's guides "Pricing" and "Vision", 2026), and the count of two
// requests (guide "Token counting"), to which the tokens around messages were fitted.

import { unexpected } from '../../base/errors.js';
import { imageSizeOf } from './images.js';
import type { Ledger } from './ledger.js';
import { fieldsOf, isEmpty, itemsOf, stringOf } from './request-checks.js';
import type { Options } from './request-tools.js';

/** Names of Anthropic, and of others who serve Claude. */
const CLAUDE = /(?:^|[./])claude-/;
/** Around a message, and at the beginning of the answer. */
const PER_MESSAGE = 4;
const REPLY = 3;
/** The system prompt for tools: where the model may choose, and where it must use one. */
const TOOLS = 346;
const FORCED_TOOLS = 313;
/** An image is scaled to fit this length and this number of tokens. */
const LONG_SIDE = 1568;
const IMAGE = 1600;
const PIXELS_PER_TOKEN = 750;

export function isClaude(model: unknown): model is string {
  return typeof model === 'string' && CLAUDE.test(model);
}

/** The tokens of a request, with an assumption for the ledger. */
export function countClaude(messages: unknown, options: Options, model: string, encoding: string, ledger: Ledger): number {
  const assumption = `No tokenizer of Claude is published: texts to ${model} are counted with ${encoding}.`;
  ledger.assume(assumption, 'model', model, 'a model with a published tokenizer');
  const { system, tools, tool_choice, imageSizes } = options;
  const { count } = ledger;
  const json = (value: unknown) => count(JSON.stringify(value) ?? '');

  function countContent(content: unknown, where: string): number {
    if (isEmpty(content)) return 0;
    if (typeof content === 'string') return count(content);
    if (!Array.isArray(content)) throw unexpected('a string or a list of blocks', where, content);
    return content.reduce<number>((tokens, block, index) => tokens + countBlock(block, `${where}[${index}]`), 0);
  }

  function countBlock(block: unknown, where: string): number {
    const { type, ...fields } = fieldsOf(block, where);
    switch (stringOf(type, `${where}.type`)) {
      case 'text':
        return count(stringOf(fields.text, `${where}.text`));
      case 'thinking':
        return count(stringOf(fields.thinking, `${where}.thinking`));
      case 'tool_use':
        return count(stringOf(fields.name, `${where}.name`)) + json(fields.input);
      case 'tool_result':
        return countContent(fields.content, `${where}.content`);
      case 'image':
        return countImage(fieldsOf(fields.source, `${where}.source`));
      case 'document': {
        const { type: kind, data, content } = fieldsOf(fields.source, `${where}.source`);
        if (kind === 'text') return count(stringOf(data, `${where}.source.data`));
        if (kind === 'content') return countContent(content, `${where}.source.content`);
        throw new RangeError(`\`${where}\` cannot be counted: what a server reads in a file is not known; leave it out`);
      }
    }
    ledger.assumptions.add('Blocks of other types are counted as JSON.');
    return json(fields);
  }

  function countImage({ url, media_type, data }: { [name: string]: unknown }): number {
    const size = imageSizeOf(isEmpty(url) ? `data:${media_type};base64,${data}` : String(url), imageSizes);
    if (!size) {
      ledger.assumptions.add(`Images of unknown size take ${IMAGE.toLocaleString('en')} tokens.`);
      return IMAGE;
    }
    const scale = Math.min(1, LONG_SIDE / Math.max(size.width, size.height));
    return Math.min(IMAGE, Math.ceil((size.width * size.height * scale ** 2) / PIXELS_PER_TOKEN));
  }

  let tokens = REPLY + countContent(system, 'system');
  for (const [message, path] of itemsOf(messages, 'messages')) {
    const { role, content } = fieldsOf(message, path);
    if (role !== 'user' && role !== 'assistant') throw unexpected("'user' or 'assistant'", `${path}.role`, role);
    tokens += PER_MESSAGE + countContent(content, `${path}.content`);
  }
  if (isEmpty(tools)) return tokens;
  const { type } = isEmpty(tool_choice) ? { type: 'auto' } : fieldsOf(tool_choice, 'tool_choice');
  tokens += type === 'any' || type === 'tool' ? FORCED_TOOLS : TOOLS;
  for (const [tool, path] of itemsOf(tools, 'tools')) tokens += json(fieldsOf(tool, path));
  return tokens;
}
