// Reads what an object says about its tokenizer, after DNATok's Algorithm 1. The object is an embedder (a model with a tokenizer) or a
// tokenizer, with properties as in Python and JavaScript libraries, in snake_case and camelCase. It is not trusted: a property whose code
// fails counts as absent, and so does a token name that maps to the unknown id, as many tokenizers do with unknown names.

import { isPromise, typedArrayKind } from '../base/views.js';
import type { DnaDiscovery } from './dna-sources.js';
import type { UpstreamEncode, UpstreamIds } from './upstream.js';

/** Findings that need no ids. */
export interface EmbedderFacts extends Pick<DnaDiscovery, 'padId' | 'unknownId' | 'modelLength' | 'side'> {
  /** Undefined if there is no tokenizer. */
  encode: UpstreamEncode | undefined;
  specialTokens: Map<string, number>;
  reasons: string[];
}

type Properties = Record<string, unknown>;

const PAD_IDS = ['pad_id', 'pad_token_id'];
const UNKNOWN_IDS = ['unk_id', 'unk_token_id', 'unknown_token_id'];
const PAD_NAMES = ['[PAD]', '<pad>', 'PAD', 'pad'];
const UNKNOWN_NAMES = ['[UNK]', '<unk>', 'UNK', 'unk'];
const LENGTHS = ['model_max_length', 'max_position_embeddings', 'max_seq_len'];
/** Hugging Face tokenizers without a known length report 1e30. */
const MOST_LENGTH = 1_000_000;
const ROLES = ['pad', 'unk', 'mask', 'cls', 'sep', 'bos', 'eos'];
const MOST_ID = 0x7fffffff;

/** Reads the argument of `discover`. */
export function readEmbedder(source: unknown): EmbedderFacts {
  const found: EmbedderFacts = {
    encode: undefined,
    padId: undefined,
    unknownId: undefined,
    modelLength: undefined,
    side: undefined,
    specialTokens: new Map(),
    reasons: [],
  };
  const tokenizer = tokenizerOf(source);
  found.encode = tokenizer && encodeOf(tokenizer);
  const config = objectIn(source, 'config');
  const places: [string, Properties | undefined][] = [
    ['the object', source === tokenizer ? undefined : (source as Properties)],
    ['the tokenizer', tokenizer],
    ['the config of the object', config],
  ];
  found.unknownId = idOf(found, 'unknownId', places, UNKNOWN_IDS, tokenizer, UNKNOWN_NAMES, undefined);
  found.padId = idOf(found, 'padId', places, PAD_IDS, tokenizer, PAD_NAMES, found.unknownId);
  for (const [where, place] of places) {
    if (!place) continue;
    for (const name of LENGTHS) {
      const length = numberIn(place, name);
      if (found.modelLength !== undefined || length === undefined || length < 1 || length > MOST_LENGTH) continue;
      found.modelLength = length;
      found.reasons.push(`modelLength ${length}: ${name} of ${where}`);
    }
    const side = valueIn(place, 'padding_side');
    if (found.side === undefined && (side === 'left' || side === 'right')) {
      found.side = side;
      found.reasons.push(`side '${side}': padding_side of ${where}`);
    }
  }
  if (tokenizer) addSpecialTokens(found, tokenizer);
  return found;
}

/** The tokenizer of an object, or the object itself if it encodes. */
function tokenizerOf(source: unknown): Properties | undefined {
  if (typeof source !== 'function' && (typeof source !== 'object' || source === null)) return undefined;
  const member = objectIn(source, 'tokenizer');
  const tokenizer = member ? (objectIn(member, 'tokenizer') ?? member) : (source as Properties);
  return encodeOf(tokenizer) ? tokenizer : member && encodeOf(member) ? member : undefined;
}

/** How it encodes a sequence, including the ids around it. */
function encodeOf(tokenizer: Properties): UpstreamEncode | undefined {
  const encode = functionIn(tokenizer, 'encode');
  if (encode) {
    // This package's tokenizers add nothing around a text by default.
    const isOurs = valueIn(tokenizer, Symbol.toStringTag as never) === 'Tokenizer' || functionIn(tokenizer, 'toCartridge') !== undefined;
    return (sequence) => idsIn(isOurs ? encode(sequence, { addSpecialTokens: true }) : encode(sequence)) as UpstreamIds;
  }
  if (typeof tokenizer === 'function') {
    const call = tokenizer as unknown as (sequence: string) => unknown;
    return (sequence) => idsIn(call(sequence)) as UpstreamIds;
  }
  // Evo 2's byte tokenizer has this method; its tokens are ids.
  const tokenize = functionIn(tokenizer, 'tokenize');
  return tokenize && ((sequence) => idsIn(tokenize(sequence)) as UpstreamIds);
}

/** The ids in an answer: a list, or an object with one, such as an encoding or a tensor. Anything else is returned as it is. */
function idsIn(answer: unknown): unknown {
  if (isPromise(answer)) return answer.then(idsIn);
  if (Array.isArray(answer)) return answer.length === 1 && isListLike(answer[0]) ? idsIn(answer[0]) : answer;
  if (typeof answer !== 'object' || answer === null || typedArrayKind(answer) !== undefined) return answer;
  const get = functionIn(answer, 'getIds');
  if (get) return idsIn(get());
  for (const name of ['ids', 'input_ids', 'data']) {
    const value = valueIn(answer, name);
    if (value !== undefined) return idsIn(value);
  }
  return answer;
}

function isListLike(value: unknown): boolean {
  return Array.isArray(value) || typedArrayKind(value) !== undefined;
}

/** An id from the properties that give it, else by token names. */
function idOf(
  { reasons }: EmbedderFacts,
  field: string,
  places: readonly [string, Properties | undefined][],
  properties: readonly string[],
  tokenizer: Properties | undefined,
  names: readonly string[],
  unknownId: number | undefined,
): number | undefined {
  for (const [where, place] of places) {
    for (const name of place ? properties : []) {
      const id = numberIn(place as Properties, name);
      if (!isId(id)) continue;
      reasons.push(`${field} ${id}: ${name} of ${where}`);
      return id;
    }
  }
  for (const name of tokenizer ? names : []) {
    const id = tokenIdIn(tokenizer as Properties, name);
    if (id === undefined || id === unknownId) continue;
    reasons.push(`${field} ${id}: the token '${name}' of the tokenizer`);
    return id;
  }
  return undefined;
}

/** Special tokens by their roles, or as the tokenizer lists them. An id keeps its first name. */
function addSpecialTokens({ specialTokens, reasons, unknownId }: EmbedderFacts, tokenizer: Properties): void {
  const known = new Set<number>();
  const add = (name: unknown, id: number | undefined) => {
    if (typeof name !== 'string' || name === '' || !isId(id) || known.has(id) || specialTokens.has(name)) return;
    known.add(id);
    specialTokens.set(name, id);
  };
  for (const role of ROLES) {
    const token = valueIn(tokenizer, `${role}_token`);
    const name = typeof token === 'string' ? token : valueIn(token, 'content');
    if (typeof name !== 'string') continue;
    const id = numberIn(tokenizer, `${role}_token_id`) ?? tokenIdIn(tokenizer, name);
    if (role === 'unk' || id !== unknownId) add(name, id);
  }
  const names = valueIn(tokenizer, 'all_special_tokens');
  const ids = valueIn(tokenizer, 'all_special_ids');
  if (Array.isArray(names) && Array.isArray(ids) && names.length === ids.length) names.forEach((name, index) => add(name, ids[index]));
  const tokens = valueIn(tokenizer, 'specialTokens');
  if (tokens instanceof Map) for (const [name, id] of tokens) add(name, id as number);
  if (specialTokens.size > 0) reasons.push(`special tokens ${[...specialTokens.keys()].join(', ')}: of the tokenizer`);
}

/** The id of a token by name, as libraries provide it. */
function tokenIdIn(tokenizer: Properties, name: string): number | undefined {
  for (const method of ['token_to_id', 'convert_tokens_to_ids']) {
    const id = answerOf(tokenizer, method, name);
    if (isId(id)) return id;
  }
  const vocabularies = [
    answerOf(tokenizer, 'get_vocab'),
    valueIn(tokenizer, 'vocab'),
    valueIn(objectIn(tokenizer, 'model'), 'tokens_to_ids'),
  ];
  for (const vocabulary of vocabularies) {
    if (typeof vocabulary !== 'object' || vocabulary === null) continue;
    const id = vocabulary instanceof Map ? vocabulary.get(name) : Object.hasOwn(vocabulary, name) && (vocabulary as Properties)[name];
    if (isId(id)) return id;
  }
  return undefined;
}

function answerOf(object: Properties, method: string, ...args: unknown[]): unknown {
  try {
    return functionIn(object, method)?.(...args);
  } catch {
    return undefined;
  }
}

function isId(id: unknown): id is number {
  return typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= MOST_ID;
}

function numberIn(object: Properties, name: string): number | undefined {
  const value = valueIn(object, name);
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function objectIn(object: unknown, name: string): Properties | undefined {
  const value = valueIn(object, name);
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? (value as Properties) : undefined;
}

function functionIn(object: unknown, name: string): ((...args: unknown[]) => unknown) | undefined {
  const value = valueIn(object, name);
  return typeof value === 'function' ? (...args) => value.apply(object, args) : undefined;
}

/** A property by its name, in snake_case or camelCase. */
function valueIn(object: unknown, name: string): unknown {
  if (object === undefined || object === null) return undefined;
  for (const each of typeof name === 'string' ? [name, inCamelCase(name)] : [name]) {
    try {
      const value = (object as Properties)[each];
      if (value !== undefined && value !== null) return value;
    } catch {
      // The property does not exist.
    }
  }
  return undefined;
}

function inCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Asks a tokenizer; undefined if it rejects the sequence. */
type Ask = (sequence: string) => Promise<number[] | undefined>;

/** How N and non-base letters are encoded. `k`: bases per token. `ask`: returns ids without the ids around a sequence. */
export async function readLetters(
  ask: Ask,
  k: number,
  known: number | undefined,
): Promise<{ n: DnaDiscovery['n']; unknownId: number | undefined; reasons: string[] }> {
  const whole = 'A'.repeat(k);
  const reasons: string[] = [];
  const between = async (letter: string): Promise<number[] | undefined> => {
    const ids = await ask(`${whole}${letter}${whole}`);
    return ids?.slice(1, Math.max(1, ids.length - 1));
  };
  const [first, second, n] = [await between('J'), await between('O'), await between('N')];
  let unknownId = known;
  if (unknownId === undefined && first?.length === 1 && second?.length === 1 && first[0] === second[0]) {
    [unknownId] = first;
    reasons.push(`unknownId ${unknownId}: what becomes of J and of O`);
  }
  const run = k > 1 ? await ask('N'.repeat(k)) : undefined;
  const say = (what: DnaDiscovery['n'], why: string) => {
    reasons.push(`n '${what}': ${why}`);
    return { n: what, unknownId, reasons };
  };
  if (run?.length === 1 && run[0] !== unknownId) return say('kmer', `${'N'.repeat(k)} has the id ${run[0]}`);
  if (n === undefined) return say('refused', 'the tokenizer refuses a sequence with N');
  if (n.length === 1) return say(n[0] === unknownId ? 'unknown' : 'token', `N has the id ${n[0]}`);
  return say('other', `N between ${whole} and ${whole} has ${n.length} ids`);
}
