// The engine, in a worker of its own: the page never waits for it. Requests are answered in order, but for those that wait themselves.

import { Tokenizer } from 'crayon-tokenizer';

import { type Blocks, blocksOf } from './blocks.js';
import { EditedText } from './edited-text.js';
import type { Edit, TokensEdited } from './edits.js';
import type {
  ChatAnswer,
  ChatRequest,
  Decoded,
  Details,
  DnaAnswer,
  DnaRequest,
  Facts,
  FileGiven,
  Message,
  PartFound,
  Request,
  SplitRequest,
  Stats,
  TokensFound,
} from './messages.js';
import { isModel } from './models.js';
import { wordsOf } from './words.js';
import type { EarlyScope } from './worker-start.js';

const scope = globalThis as unknown as EarlyScope;
/** The beginning of a long text that is encoded first, for the first screen, and how much of its end may still change. */
const HEAD = 24_576;
const UNSURE = 512;
/** Stretches of the text whose density is shown: at most so many, and each of so many tokens on average. */
const BUCKETS = 160;
const TOKENS_IN_BUCKET = 8;

let text = '';
const tokenizers = new Map<string, Promise<Tokenizer>>();
let bytesCache: { key: string; text: string; offsets: Uint32Array } | undefined;

function opened(model: string): Promise<Tokenizer> {
  let tokenizer = tokenizers.get(model);
  if (!tokenizer) {
    tokenizer = scope
      .arrive(model, (progress) => scope.postMessage({ progress }))
      .then(() => scope.sourceOf(model))
      .then((source) => Tokenizer.load(source));
    tokenizer.catch(() => tokenizers.delete(model));
    tokenizers.set(model, tokenizer);
  }
  return tokenizer;
}

const policy = (special: boolean) => ({ special: special ? ('allow' as const) : ('text' as const) });

/** Memory of its own, to be handed over. */
function own<A extends Uint32Array | Int32Array>(array: A): A {
  return array.byteLength === array.buffer.byteLength ? array : (array.slice() as A);
}

async function factsOf(model: string): Promise<Facts> {
  const tokenizer = await opened(model);
  const { kind, kernel } = tokenizer.backend;
  return {
    key: model,
    name: tokenizer.name,
    vocabularySize: tokenizer.vocabularySize,
    modelKind: tokenizer.modelKind,
    kernel: `${kind}, ${kernel}`,
    hasTemplate: await hasTemplate(tokenizer, model),
    hasChatMl: tokenizer.idOf('<|im_start|>') !== undefined,
  };
}

async function hasTemplate(tokenizer: Tokenizer, model: string): Promise<boolean> {
  const names = [...tokenizer.specialTokens.keys()];
  if (names.length === 0) return false;
  if (names.includes('<|start|>') && names.includes('<|message|>')) return true;
  if (!model.startsWith('import:') && !isModel(model)) return false;
  try {
    await tokenizer.renderChat([{ role: 'user', content: 'a' }]);
    return true;
  } catch {
    return false;
  }
}

/** Opens the files of a tokenizer that a visitor has dropped, under a key of the page's. */
async function open(key: string, files: FileGiven[]): Promise<Facts> {
  const named = (pattern: RegExp) => files.find(({ name }) => pattern.test(name));
  const config = named(/^tokenizer_config\.json$/i);
  const jinja = named(/\.jinja$/i);
  const main = files.find((file) => file !== config && file !== jinja);
  if (!main) throw new Error('Drop the tokenizer.json together with its tokenizer_config.json.');
  const decode = (file: FileGiven) => new TextDecoder().decode(file.bytes);
  const settings: Record<string, unknown> = config ? JSON.parse(decode(config)) : {};
  if (jinja) settings.chat_template = decode(jinja);
  const hasSettings = config !== undefined || jinja !== undefined;
  const tokenizer = await Tokenizer.load(main.bytes, hasSettings ? { tokenizerConfig: settings } : {});
  tokenizers.set(key, Promise.resolve(tokenizer));
  return { ...(await factsOf(key)), name: main.name };
}

async function head(model: string, special: boolean): Promise<TokensFound> {
  const tokenizer = await opened(model);
  if (text.length <= HEAD) return tokens(model, special);
  const { ids, offsets } = tokenizer.encodeWithOffsets(text.slice(0, HEAD), policy(special));
  let count = ids.length;
  while (count > 0 && (offsets[2 * count - 1] as number) > HEAD - UNSURE) count--;
  return { ids: ids.slice(0, count), offsets: offsets.slice(0, 2 * count), whole: false };
}

async function tokens(model: string, special: boolean): Promise<TokensFound> {
  const tokenizer = await opened(model);
  const { ids, offsets } = tokenizer.encodeWithOffsets(text, policy(special));
  return { ids: own(ids), offsets: own(offsets), whole: true, density: densityOf(offsets, ids.length) };
}

/** How many characters a token has, in each of equal stretches of the text. */
function densityOf(offsets: Uint32Array, count: number): Float32Array<ArrayBuffer> {
  const buckets = Math.min(BUCKETS, Math.floor(count / TOKENS_IN_BUCKET));
  const density = new Float32Array(buckets);
  if (buckets === 0) return density;
  const counts = new Uint32Array(buckets);
  for (let token = 0; token < count; token++) {
    const bucket = Math.min(buckets - 1, Math.floor(((offsets[2 * token] as number) / text.length) * buckets));
    counts[bucket] = (counts[bucket] as number) + 1;
  }
  const length = text.length / buckets;
  for (let bucket = 0; bucket < buckets; bucket++) density[bucket] = length / Math.max(1, counts[bucket] as number);
  return density;
}

/** The text that is edited, if it is long: with a vocabulary, as it was after the last edit. */
let edited: { key: string; text: string; tokens: EditedText } | undefined;
const withDocuments = new Set<string>();

/**
 * Documents are in a larger module, which is loaded with the first edit of a long text. It takes the place of the smaller one, which is
 * closed: two would have the vocabulary in memory twice. Undefined where the module cannot be loaded, such as without a connection.
 */
async function openedWithDocuments(model: string): Promise<Tokenizer | undefined> {
  const before = await opened(model);
  if (withDocuments.has(model)) return before;
  try {
    const tokenizer = await Tokenizer.load(await scope.sourceOf(model), { documents: true });
    tokenizers.set(model, Promise.resolve(tokenizer));
    withDocuments.add(model);
    before.close();
    return tokenizer;
  } catch {
    return undefined;
  }
}

/** Changes the text; tells what has changed of the tokens, or that all of them have to be asked for. */
async function edit(model: string, special: boolean, change: Edit): Promise<TokensEdited | undefined> {
  const before = text;
  setText(before.slice(0, change.start) + change.inserted + before.slice(change.end));
  const key = `${model} ${special}`;
  if (model.startsWith('import:')) return undefined;
  const tokenizer = await openedWithDocuments(model);
  if (!tokenizer) return undefined;
  if (edited?.key === key && edited.text === before) {
    edited.text = text;
    return edited.tokens.edit(change, text);
  }
  edited?.tokens.close();
  edited = undefined;
  edited = { key, text, tokens: new EditedText(tokenizer, text, policy(special).special) };
  return undefined;
}

function density(): Float32Array | undefined {
  return edited?.text === text ? densityOf(edited.tokens.tokens.offsets, edited.tokens.tokens.ids.length) : undefined;
}

async function count(model: string, special: boolean): Promise<number> {
  return (await opened(model)).count(text, policy(special));
}

function stats(): Stats {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair is two of the four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3;
  }
  return { bytes, units: text.length };
}

/** The ids that a visitor has written, as text. */
async function decode(model: string, ids: number[]): Promise<Decoded> {
  const tokenizer = await opened(model);
  const decoded = tokenizer.decode(ids);
  const again = tokenizer.encode(decoded, { special: 'allow' });
  return { text: decoded, same: again.length === ids.length && again.every((id, index) => id === ids[index]) };
}

async function inspect(model: string, first: number, end: number, special: boolean): Promise<Details[]> {
  const tokenizer = await opened(model);
  if (bytesCache?.key !== `${model}${special}` || bytesCache.text !== text) {
    const { offsets } = tokenizer.encodeWithOffsets(text, { ...policy(special), unit: 'bytes' });
    bytesCache = { key: `${model}${special}`, text, offsets };
    idsCache = undefined;
  }
  idsCache ??= tokenizer.encode(text, policy(special)).slice();
  return Array.from({ length: end - first }, (_, index) => {
    const id = (idsCache as Uint32Array)[first + index] as number;
    const [from, to] = (bytesCache as { offsets: Uint32Array }).offsets.subarray(2 * (first + index), 2 * (first + index) + 2);
    return { ...describe(tokenizer, id), fromByte: from as number, toByte: to as number };
  });
}
let idsCache: Uint32Array | undefined;

/** The same for tokens that are not of the text, by their ids. */
async function lookUp(model: string, ids: number[]): Promise<Details[]> {
  const tokenizer = await opened(model);
  return ids.map((id) => describe(tokenizer, id));
}

function describe(tokenizer: Tokenizer, id: number): Details {
  const bytes = tokenizer.tokenBytes(id);
  const special = [...tokenizer.specialTokens].some(([, other]) => other === id);
  return { id, hex: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')), special };
}

async function chat({ model, messages, template, addGenerationPrompt, billed }: ChatRequest): Promise<ChatAnswer> {
  const tokenizer = await opened(model);
  if (billed !== '') return countedChat(tokenizer, messages, billed);
  const options = { addGenerationPrompt, ...(template === '' ? {} : { template }) };
  const rendered = await tokenizer.renderChat(messages, options);
  const { ids, origins } = await tokenizer.encodeChat(messages, { ...options, origins: true });
  const perMessage = messages.map(() => 0);
  let ofTemplate = 0;
  for (const origin of origins as Int32Array) {
    if (origin >= 0) perMessage[origin] = (perMessage[origin] as number) + 1;
    else ofTemplate++;
  }
  const offsets = offsetsIn(rendered, ids, tokenizer);
  return {
    rendered,
    ids: own(ids.slice()),
    offsets,
    origins: Array.from(origins as Int32Array),
    perMessage,
    ofTemplate,
    published: undefined,
  };
}

/** A request to OpenAI's API: what its messages cost, and the tokens of their roles and texts. The template itself is not published. */
function countedChat(tokenizer: Tokenizer, messages: Message[], billed: string): ChatAnswer {
  let estimated = false;
  const onAssumption = () => (estimated = true);
  const counted = (some: Message[]) =>
    tokenizer.countMessages(some as Parameters<Tokenizer['countMessages']>[0], { model: billed, estimate: true, onAssumption });
  const tokens = counted(messages);
  const reply = counted([]);
  const perMessage = messages.map((message) => counted([message]) - reply);
  let rendered = '';
  const ids: number[] = [];
  const offsets: number[] = [];
  const origins: number[] = [];
  messages.forEach(({ role, content }, index) => {
    for (const part of [role, content]) {
      const found = tokenizer.encodeWithOffsets(part);
      for (const id of found.ids) ids.push(id);
      for (const offset of found.offsets) offsets.push(rendered.length + offset);
      for (let token = 0; token < found.ids.length; token++) origins.push(index);
      rendered += `${part}\n`;
    }
  });
  const withoutText = tokens - ids.length;
  const published = { tokens, estimated, reply };
  const found = { ids: Uint32Array.from(ids), offsets: Uint32Array.from(offsets), origins };
  return { rendered, ...found, perMessage, ofTemplate: withoutText, published };
}

/**
 * Where the tokens of a conversation are: the tokenizer's offsets in the rendered text, if that has the same ids. It has others where a
 * message writes a special token that stays text: then each token is where its own bytes are.
 */
function offsetsIn(rendered: string, ids: Uint32Array, tokenizer: Tokenizer): Uint32Array<ArrayBuffer> {
  const found = tokenizer.encodeWithOffsets(rendered, { special: 'allow' });
  const isSame = found.ids.length === ids.length && found.ids.every((id, index) => id === ids[index]);
  if (isSame) return own(found.offsets) as Uint32Array<ArrayBuffer>;
  const bytes = new TextEncoder().encode(rendered);
  // The position behind the character that a byte is of.
  const ends = new Uint32Array(bytes.length + 1);
  let byte = 0;
  let unit = 0;
  for (const character of rendered) {
    const code = character.codePointAt(0) as number;
    unit += character.length;
    for (const end = byte + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4); byte < end; ) ends[++byte] = unit;
  }
  const offsets = new Uint32Array(2 * ids.length);
  let at = 0;
  ids.forEach((id, token) => {
    const start = ends[at] as number;
    for (const each of tokenizer.tokenBytes(id)) if (bytes[at++] !== each) throw new Error('The places of these tokens are not known.');
    offsets.set([start, ends[at] as number], 2 * token);
  });
  if (at !== bytes.length) throw new Error('The places of these tokens are not known.');
  return offsets;
}

async function split({ model, maxTokens, overlap, separators, special }: SplitRequest): Promise<PartFound[]> {
  const tokenizer = await opened(model);
  const parts = tokenizer.split(text, {
    maxTokens,
    overlap,
    ...(separators === '' ? {} : { separators }),
    withOffsets: true,
    ...policy(special),
  });
  return parts.map(({ start, end, tokens: counted }) => ({ start, end, tokens: counted }));
}

function setText(given: string): void {
  text = given;
  bytesCache = undefined;
  idsCache = undefined;
}

const methods = {
  load: async (model: string): Promise<void> => void (await opened(model)),
  words: (): Promise<number | undefined> => wordsOf(() => text),
  setText,
  edit,
  density,
  facts: factsOf,
  open,
  head,
  tokens,
  count,
  stats,
  blocks: (): Blocks => blocksOf(text),
  inspect,
  lookUp,
  decode,
  chat,
  split,
  // Loaded when it is asked for: the first count does without it.
  dna: async (request: DnaRequest): Promise<DnaAnswer> => (await import('./dna.js')).dna(request),
};

export type Methods = typeof methods;

/** Those that wait, for a file or for others: nothing waits for them. */
const WAITING = new Set<string>(['load', 'words']);

let last: Promise<unknown> = Promise.resolve();
const answer = ({ id, method, args }: Request) => {
  const answered = async () => {
    try {
      const result = await (methods[method] as (...given: unknown[]) => unknown)(...args);
      scope.postMessage({ id, result }, transferable(result));
    } catch (error) {
      scope.postMessage({ id, failure: (error as Error).message });
    }
  };
  if (WAITING.has(method)) void answered();
  else last = last.then(answered);
};

function transferable(result: unknown): Transferable[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return [];
  const buffers = Object.values(result)
    .filter((value) => ArrayBuffer.isView(value))
    .map(({ buffer }) => buffer as ArrayBuffer);
  return [...new Set(buffers)];
}

// The vocabulary that the page begins with is opened before it is asked for.
void opened('o200k_base');
scope.onmessage = ({ data }) => answer(data);
for (const request of scope.early ?? []) answer(request);
