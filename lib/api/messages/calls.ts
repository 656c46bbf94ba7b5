// Tool calls and their results in a chat's messages. No rule is published except for Harmony. A call is a message from
// the assistant to the tool, and a result is a message from the tool; both name the tool. Parallel calls are one call of a
// tool "multi_tool_use.parallel". Their results are a list in which all non-ASCII characters are escaped, which takes
// many tokens (community.openai.com/t/1375117).

import { unexpected } from '../../base/errors.js';
import { type Fields, isEmpty, itemsOf, knownFieldsOf, parsed, spacedJson, stringOf } from './request-checks.js';
import type { Dialect } from './dialects.js';
import type { Ledger } from './ledger.js';

/** The state of counting a request, including what messages leave to be counted after them. */
export interface Request {
  readonly model: string;
  /** Sizes of images by URL, from the user. */
  readonly imageSizes: unknown;
  readonly dialect: Dialect;
  readonly ledger: Ledger;
  /** The text of the first system message, after which tools and the response format are written. */
  system: string | undefined;
  /** The calls so far, by id. */
  readonly calls: Map<unknown, Call>;
  /** Parallel calls. */
  readonly batches: Call[][];
  /** In harmony, the last message of the assistant without calls. */
  lastAnswer: number;
}

/** A tool call. */
export interface Call {
  readonly name: string;
  readonly input: string;
  /** Whether the input is free text instead of JSON. */
  readonly isCustom: boolean;
  /** Whether it is a parallel call, whose result is counted with the others'. */
  isBatched: boolean;
  result?: string;
}

const CALL = ['id', 'type', 'function', 'custom', 'index'];
const BATCH_OF_CALLS = 6; // " to=multi_tool_use.parallel"
const BATCH_OF_RESULTS = 10;
/** The same for the models of June 2023. */
const OLD_BATCH_OF_CALLS = 3;

/** Records that counting a call or a result is an estimate. */
export function assumeCalls(ledger: Ledger, where: string, received: unknown): void {
  ledger.assume('Tool calls and their results are counted as recorded requests suggest.', where, received);
}

/** The calls in a message, remembered for their results. */
export function callsOf({ tool_calls, function_call }: Fields, request: Request, where: string): Call[] {
  const calls: Call[] = [];
  if (!isEmpty(tool_calls)) {
    assumeCalls(request.ledger, `${where}.tool_calls`, tool_calls);
    for (const [item, path] of itemsOf(tool_calls, `${where}.tool_calls`)) {
      const { id, type = 'function', function: called, custom } = knownFieldsOf(item, path, CALL);
      const isCustom = type === 'custom';
      if (!isCustom && type !== 'function') throw unexpected("'function' or 'custom'", `${path}.type`, type);
      const call = callOf(isCustom ? custom : called, isCustom ? 'input' : 'arguments', `${path}.${type}`);
      request.calls.set(id, call);
      calls.push(call);
    }
  }
  if (!isEmpty(function_call)) {
    assumeCalls(request.ledger, `${where}.function_call`, function_call);
    calls.push(callOf(function_call, 'arguments', `${where}.function_call`));
  }
  return calls;
}

function callOf(called: unknown, field: 'input' | 'arguments', where: string): Call {
  const fields = knownFieldsOf(called, where, ['name', field]);
  const name = stringOf(fields.name, `${where}.name`);
  return { name, input: stringOf(fields[field], `${where}.${field}`), isCustom: field === 'input', isBatched: false };
}

/** A message with the role "tool"; the result of a parallel call is counted with the others. */
export function countResult(message: Fields, text: string, content: number, request: Request, where: string): number {
  const { tool_call_id, name } = message;
  const id = stringOf(tool_call_id, `${where}.tool_call_id`);
  assumeCalls(request.ledger, `${where}.tool_call_id`, id);
  const call = request.calls.get(id);
  if (call?.isBatched) {
    call.result = text;
    return 0;
  }
  const called = call?.name ?? (isEmpty(name) ? 'tool' : stringOf(name, `${where}.name`));
  return request.dialect.perMessage + nameTokens(called, 'result', request) + content;
}

/** The header of a call or result, which names the tool. */
export function nameTokens(name: string, kind: 'call' | 'result', { dialect, ledger }: Request): number {
  if (!dialect.isHarmony) return dialect[kind] + ledger.count(name);
  // Harmony's format is known, so the name is counted together with the text around it.
  return dialect[kind] + ledger.count(kind === 'call' ? ` to=functions.${name}` : `functions.${name} to=assistant`);
}

/** A single call. */
export function countCall({ name, input, isCustom }: Call, request: Request): number {
  const { dialect, ledger } = request;
  const isShownAsGiven = isCustom || dialect.isOld || dialect.isHarmony;
  const header = dialect.perMessage + ledger.count('assistant') + nameTokens(name, 'call', request);
  return header + ledger.count(isShownAsGiven ? input : compact(input));
}

/** Parallel calls and their results. */
export function countBatch(calls: readonly Call[], { dialect, ledger: { count } }: Request): number {
  const { isOld } = dialect;
  const used = (read: (input: string) => unknown) => ({
    tool_uses: calls.map(({ name, input, isCustom }) => ({
      recipient_name: isOld ? name : `functions.${name}`,
      parameters: isCustom ? input : read(input),
    })),
  });
  const write = isOld ? spacedJson : (value: unknown) => JSON.stringify(value);
  const text = written(
    () => write(used(parsed)),
    () => write(used(String)),
  );
  const header = dialect.perMessage + count('assistant') + (isOld ? OLD_BATCH_OF_CALLS : BATCH_OF_CALLS);
  const tokens = header + dialect.channels + count(text);
  const results = calls.flatMap(({ result }) => (result === undefined ? [] : [result]));
  if (results.length === 0) return tokens;
  const texts = results.map((result) =>
    written(
      () => spacedJson(parsed(result)),
      () => spacedJson(result),
    ),
  );
  return tokens + BATCH_OF_RESULTS + dialect.channels + count(`[${texts.join(', ')}]`);
}

/** The result of `first`, unless that is not JSON or is nested too deeply to be written. */
function written(first: () => string, otherwise: () => string): string {
  try {
    return first();
  } catch {
    return otherwise();
  }
}

function compact(input: string): string {
  return written(
    () => JSON.stringify(JSON.parse(input)),
    () => input,
  );
}
