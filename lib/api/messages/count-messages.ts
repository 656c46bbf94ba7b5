// Counts the tokens of a chat in a request to OpenAI. A request fully covered by published rules is counted by them
// (dialects.ts, request-tools.ts, images.ts); anything else is an error, or an estimate that states its assumptions.
//
// The estimate writes the text that a model reads, as far as recorded requests reveal it, and counts it: tools as TypeScript after the
// first system message, calls with their arguments as compact JSON, parallel calls as one call of a tool "multi_tool_use.parallel" with
// one list of results, the schema of a reply as JSON below "# Response Formats". A constant, fitted to the requests, stands for text that
// they do not reveal.

import { unexpected } from '../../base/errors.js';
import { checkedBoolean, checkOptionNames } from '../../base/option-objects.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { count } from '../encode-texts.js';
import { assumeCalls, callsOf, countBatch, countCall, countResult, nameTokens, type Request } from './calls.js';
import { type Fields, isEmpty, itemsOf, knownFieldsOf, stringOf } from './request-checks.js';
import { dialectOf } from './dialects.js';
import { countAudio, countImage } from './images.js';
import { type Ledger, ledgerOf } from './ledger.js';
import { COUNT_OPTIONS } from './request.js';
import { countClaude, isClaude } from './claude.js';
import { countSetup, type Options } from './request-tools.js';

// prettier-ignore
const MESSAGE = ['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'function_call', 'refusal', 'audio', 'annotations'];
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
const PART = ['type', 'text', 'refusal', 'image_url', 'input_audio', 'file'];

/** See `Tokenizer.countMessages` for the contract. */
export function countMessages(vocabulary: Vocabulary, messages: unknown, countOptions: unknown): number {
  const options: Options = countOptions ?? {};
  checkOptionNames(options, COUNT_OPTIONS);
  const { name } = vocabulary.description;
  const { model = vocabulary.engine.model ?? (name === 'o200k_harmony' ? 'gpt-oss-120b' : undefined), onAssumption } = options;
  if (onAssumption !== undefined && typeof onAssumption !== 'function') throw unexpected('a function', 'onAssumption', onAssumption);
  const estimate = checkedBoolean(options.estimate, 'estimate');
  const ledger = ledgerOf((text) => count(vocabulary, text), estimate);
  const tokens = isClaude(model)
    ? countClaude(messages, options, model, name, ledger)
    : countOpenAi(messages, options, model, name, ledger);
  for (const assumption of ledger.assumptions) onAssumption?.(assumption);
  return tokens;
}

function countOpenAi(messages: unknown, options: Options, model: unknown, name: string, ledger: Ledger): number {
  if (!isEmpty(options.system)) throw new TypeError('`system` must be left out, except for Claude: pass a message with the role system');
  const dialect = dialectOf(model, name, ledger);
  const request: Request = {
    model: model as string,
    imageSizes: options.imageSizes,
    dialect,
    ledger,
    system: undefined,
    calls: new Map(),
    batches: [],
    lastAnswer: -1,
  };
  if (dialect.isHarmony && Array.isArray(messages)) {
    request.lastAnswer = messages.findLastIndex((message) => message?.role === 'assistant' && isEmpty(message.tool_calls));
  }
  let tokens = dialect.reply;
  for (const [message, path, index] of itemsOf(messages, 'messages')) tokens += countMessage(message, request, path, index);
  for (const batch of request.batches) tokens += countBatch(batch, request);
  return tokens + countSetup(options, request);
}

function countMessage(item: unknown, request: Request, where: string, index: number): number {
  const { dialect, ledger } = request;
  const message = knownFieldsOf(item, where, MESSAGE);
  const { name } = message;
  const role = roleOf(message, where);
  const isSystem = role === 'system' || role === 'developer';
  // The parts of a text are counted separately, but anything written after a system message follows all of them.
  let text = '';
  let content = 0;
  for (const part of partsOf(message.content, `${where}.content`)) {
    if (typeof part !== 'string') content += countPart(part.fields, request, part.path);
    else {
      content += ledger.count(part);
      if (isSystem || !isEmpty(message.tool_call_id)) text += part;
    }
  }
  content += countRefusal(message.refusal, ledger, `${where}.refusal`);
  if (!isEmpty(message.audio)) throw new RangeError(`\`${where}.audio\` cannot be counted: leave out the audio of an assistant`);
  if (!isEmpty(message.annotations)) {
    ledger.assume('Annotations are not shown to the model.', `${where}.annotations`, message.annotations);
  }
  if (!isEmpty(message.tool_call_id)) return countResult(message, text, content, request, where);
  if (role === 'function') {
    assumeCalls(ledger, `${where}.role`, role);
    return dialect.perMessage + nameTokens(stringOf(name, `${where}.name`), 'result', request) + content;
  }
  if (isSystem) request.system ??= text;
  const calls = callsOf(message, request, where);
  // Text beside calls is a message of its own, which in harmony goes with a later answer; without text there are only the calls.
  let tokens = 0;
  if (calls.length === 0 || (content > 0 && index >= request.lastAnswer)) {
    tokens += dialect.perMessage + ledger.count(role) + content + (role === 'assistant' ? dialect.said : 0);
    if (!isEmpty(name)) tokens += dialect.perName + ledger.count(stringOf(name, `${where}.name`));
  }
  if (calls.length > 1 && !dialect.isHarmony) {
    for (const call of calls) call.isBatched = true;
    request.batches.push(calls);
  } else for (const call of calls) tokens += countCall(call, request);
  return tokens;
}

/** The role of a message; a result must name its call. */
function roleOf({ role: value, tool_call_id }: Fields, where: string): string {
  const role = stringOf(value, `${where}.role`);
  if (!ROLES.includes(role)) throw unexpected(`one of ${ROLES.join(', ')}`, `${where}.role`, role);
  if (role === 'tool') stringOf(tool_call_id, `${where}.tool_call_id`);
  return role;
}

/** The texts of a message's content, and its other parts. */
function* partsOf(content: unknown, where: string): Generator<string | { fields: Fields; path: string }> {
  if (typeof content === 'string') yield content;
  else if (Array.isArray(content)) {
    for (const [part, path] of itemsOf(content, where)) {
      const fields = knownFieldsOf(part, path, PART);
      if (fields.type === 'text' && !fields.refusal) yield stringOf(fields.text, `${path}.text`);
      else yield { fields, path };
    }
  } else if (!isEmpty(content)) throw unexpected('a string or a list of parts', where, content);
}

function countPart({ type, refusal, image_url, input_audio }: Fields, request: Request, path: string): number {
  const { ledger, model, imageSizes } = request;
  switch (type) {
    case 'refusal':
      return countRefusal(stringOf(refusal, `${path}.refusal`), ledger, `${path}.refusal`);
    case 'image_url':
      return countImage(image_url, model, imageSizes, ledger, `${path}.image_url`);
    case 'input_audio':
      return countAudio(input_audio, ledger, `${path}.input_audio`);
    case 'file':
      throw new RangeError(`\`${path}\` cannot be counted: what a server reads in a file is not known; leave it out`);
    default:
      throw unexpected("'text', 'refusal', 'image_url' or 'input_audio'", `${path}.type`, type);
  }
}

function countRefusal(refusal: unknown, ledger: Ledger, where: string): number {
  if (isEmpty(refusal)) return 0;
  ledger.assume('A refusal is counted like text.', where, refusal);
  return ledger.count(stringOf(refusal, where));
}
