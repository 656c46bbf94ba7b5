// The WebAssembly backend. This folder knows no other backend and no entry.
//
// Each tokenizer has its own instance, released when the tokenizer is closed or garbage-collected: a trap ends only
// that tokenizer, and memory that has grown is released.

import type {
  Description,
  EngineTokenizer,
  EngineUnit,
  MemoryUse,
  OffsetUnit,
  Policy,
  Section,
  TextPolicy,
  TextSession,
  TokensWithOffsets,
} from '../engine/engine.js';
import type { EditedText } from '../engine/edited-text.js';
import type { Dat } from '../open/dat.js';
import { TokenizerError } from '../base/errors.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { copyOfIds } from './id-slab.js';
import { OPEN_NO_CHECKSUM, openFailed, type OpenOptions, wrongClass } from '../open/open-failed.js';
import { WINDOW, WINDOW_BYTES, WasmCore } from './core.js';
import { decodeText, decodeToBytes } from './decode.js';
import type { TextLender, WasmText } from './edited-text.js';
import { WasmEncoder } from './encoder.js';
import { fitStart, splitParts } from './fit.js';
import type { WasmModule } from '../open/wasm-source.js';
import { hasVectors } from './module.js';
import { type EncoderLender, type Gathering, WasmSession } from './session.js';

/** More tokens than a text can have. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** The policy that treats special tokens as ordinary text. */
const AS_TEXT = 0;
/** The longest text, in UTF-16 units, whose ids are cached, and the most texts in that cache. */
const WORD = 5;
const MOST_WORDS = 2048;
const ADDED_SPECIAL = 1;
const ADDED_STRIPS = 4 | 8;
const ADDED_SINGLE_WORD = 16;
const ADDED_NORMALIZED = 2;
const ADDED_NEVER_FOUND = 32;
const NO_ID = 0xffffffff;
const DNA_SECTION = 17;
const MAX_CARTRIDGE = 0x7fffffff;

/** Opens a cartridge from its bytes, which are copied, in a new instance. `path`: the file of the bytes, if any. */
export function openWasm(module: WasmModule, bytes: Uint8Array, options: OpenOptions, path?: string): EngineTokenizer {
  const core = new WasmCore(module);
  try {
    const cartridge = openCartridge(core, bytes, options, path);
    const view = findView(core, cartridge, bytes, options.view, path);
    const tokenizer = createTokenizer(core, cartridge, view, bytes, options.kernel ?? '', path);
    const isDna = core.cString(core.engine.crayon_tokenizer_model(tokenizer)) === 'dna';
    if (isDna !== (options.dna ?? false)) throw wrongClass(path ?? bytes, isDna);
    if (options.cacheBytes !== undefined) core.engine.crayon_tokenizer_cache_limit(tokenizer, BigInt(Math.max(options.cacheBytes, 1)));
    return new WasmTokenizer({ core, cartridge, tokenizer, view }, options);
  } catch (error) {
    throw core.caught(error);
  }
}

/** Opens a cartridge in an instance. `path`: the file that the bytes were read from, if any. */
export function openCartridge(core: WasmCore, bytes: Uint8Array, options: OpenOptions, path: string | undefined): number {
  if (bytes.length > MAX_CARTRIDGE) {
    const failure = { code: 'FILE_TOO_LARGE', sentence: 'the file is larger than a cartridge may be (2 GiB)' } as const;
    throw refused(core, { ...failure, section: 0, position: 0 }, bytes, path);
  }
  const flags = options.verify === false ? OPEN_NO_CHECKSUM : 0;
  const { dat } = options;
  const status = core.withBytes(bytes, (at) =>
    dat
      ? openDat(core, at, bytes.length, flags, dat)
      : core.engine.crayon_cartridge_open_bytes(at, bytes.length, flags, core.out, core.result),
  );
  if (status === 0) return core.outWord(0);
  const failure = core.failure();
  // Only the module for DNA knows this section.
  if (failure.code === 'UNKNOWN_SECTION' && failure.section === DNA_SECTION) throw wrongClass(path ?? bytes, true);
  throw refused(core, failure, bytes, path, { dat });
}

function openDat(core: WasmCore, at: number, length: number, flags: number, dat: Dat): number {
  const { bytes, offsets, unknown = NO_ID } = dat;
  const { engine, out, result } = core;
  const offsetBytes = new Uint8Array(offsets.buffer, offsets.byteOffset, offsets.byteLength);
  return core.withBytes(bytes, (bytesAt) =>
    core.withBytes(offsetBytes, (offsetsAt) =>
      engine.crayon_cartridge_open_dat_bytes(at, length, flags, bytesAt, bytes.length, offsetsAt, offsets.length - 1, unknown, out, result),
    ),
  );
}

function findView(core: WasmCore, cartridge: number, bytes: Uint8Array, name: string | undefined, path: string | undefined): number {
  if (name === undefined) return 0;
  const views = viewNames(core, cartridge);
  const view = views.indexOf(name);
  if (view >= 0) return view;
  const failure = { code: 'UNKNOWN_VIEW', sentence: 'the cartridge has no view of that name', section: 0, position: 0 } as const;
  throw refused(core, failure, bytes, path, { view: name, views });
}

function createTokenizer(
  core: WasmCore,
  cartridge: number,
  view: number,
  bytes: Uint8Array,
  kernel: string,
  path: string | undefined,
): number {
  const name = new TextEncoder().encode(kernel);
  const status = core.withBytes(name, (at) => core.engine.crayon_tokenizer_create(cartridge, view, at, name.length, core.out, core.result));
  if (status !== 0) throw refused(core, core.failure(), bytes, path, { kernel });
  return core.outWord(0);
}

function refused(
  core: WasmCore,
  failure: ReturnType<WasmCore['failure']>,
  bytes: Uint8Array,
  path: string | undefined,
  asked: { kernel?: string; view?: string; views?: string[]; dat?: Dat | undefined } = {},
): TokenizerError {
  core.checkAlive();
  return openFailed(failure, {
    source: path ?? bytes,
    head: () => bytes,
    kernel: asked.kernel ?? '',
    kernels: wasmKernels,
    view: asked.view,
    views: () => asked.views ?? [],
    dat: asked.dat,
  });
}

/** The kernels that this host can run, best first: each is a separate module. */
export function wasmKernels(): string[] {
  return hasVectors() ? ['simd128', 'scalar'] : ['scalar'];
}

function viewNames(core: WasmCore, cartridge: number): string[] {
  const names: string[] = [];
  for (;;) {
    const at = core.engine.crayon_cartridge_view_name(cartridge, names.length, core.out);
    if (at === 0) return names;
    names.push(core.utf8(at, core.outWord(0)));
  }
}

/** An open tokenizer's objects in the engine. They are released together with the instance. */
interface Open {
  core: WasmCore;
  cartridge: number;
  tokenizer: number;
  view: number;
}

let openText: typeof WasmText.open | undefined;

/** Enables `edit`. Pages load the code for it with the first tokenizer that is loaded for documents. */
export function useTexts(open: typeof WasmText.open): void {
  openText = open;
}

/** Whether an engine has documents, but not the code for them. */
export function lacksTexts(engine: EngineTokenizer): boolean {
  return openText === undefined && hasDocuments(insideOf(engine).core);
}

/** The small module for pages has none. */
function hasDocuments(core: WasmCore): boolean {
  return typeof core.engine.crayon_document_create === 'function';
}

let insideOf: (engine: EngineTokenizer) => { core: WasmCore; tokenizer: number };

class WasmTokenizer implements EngineTokenizer, EncoderLender {
  readonly #textLender: TextLender = { edit: (work) => this.#with(work) };

  static {
    insideOf = (engine) => (engine as WasmTokenizer).#live();
  }

  readonly kind = 'wasm';
  readonly model: string | undefined;
  readonly cacheBytes: number | undefined;
  #open: Open | undefined;
  /** The encoder that one-shot calls use, with its warm cache, and that a session borrows. */
  #idle: WasmEncoder | undefined;
  readonly #sessions = new Set<WasmSession>();
  /** A cache of the ids of very short texts, with special tokens as ordinary text. */
  readonly #words = new Map<string, Uint32Array>();
  #isRetired = false;
  /** Opens the same in an instance that has documents, and what has been opened. */
  readonly #openWhole: OpenOptions['whole'];
  #whole: EngineTokenizer | undefined;

  constructor(open: Open, { model, cacheBytes, whole }: OpenOptions) {
    this.#openWhole = whole;
    this.#open = open;
    this.model = model;
    this.cacheBytes = cacheBytes;
  }

  get isClosed(): boolean {
    return this.#open === undefined;
  }

  encode(text: string, policy: Policy): UnsharedUint32Array {
    const encoder = this.#encoder();
    try {
      const { length } = text;
      if (length > WINDOW) return this.#encodeLong(text, policy);
      if (length <= WORD && policy === AS_TEXT) {
        const known = this.#wordIds(encoder, text);
        return copyOfIds(known, 0, known.length);
      }
      encoder.begin(policy);
      encoder.feedWhole(text);
      return encoder.readWhole();
    } catch (error) {
      throw encoder.core.caught(error);
    }
  }

  encodeBytes(bytes: Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    return this.#encodeLong(bytes, policy);
  }

  count(text: string, policy: Policy): number {
    if (text.length <= WORD && policy === AS_TEXT) return this.#with((encoder) => this.#wordIds(encoder, text).length);
    return this.countUpTo(text, NO_LIMIT, policy);
  }

  countBytes(bytes: Uint8Array, policy: TextPolicy): number {
    return this.countBytesUpTo(bytes, NO_LIMIT, policy);
  }

  countUpTo(text: string, most: number, policy: Policy): number {
    const { length } = text;
    if (length > windowFor(most)) return this.#countInParts(text, most, policy);
    const encoder = this.#encoder();
    try {
      encoder.begin(policy);
      encoder.feedWhole(text);
      return encoder.count(0, most);
    } catch (error) {
      throw encoder.core.caught(error);
    }
  }

  countBytesUpTo(bytes: Uint8Array, most: number, policy: TextPolicy): number {
    return this.#countInParts(bytes, most, policy);
  }

  encodeWithOffsets(text: string, unit: EngineUnit, policy: Policy): TokensWithOffsets {
    return this.#locate(text, unit, policy);
  }

  encodeBytesWithOffsets(bytes: Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    return this.#locate(bytes, unit, policy);
  }

  fit(bytes: Uint8Array, last: boolean, limit: number, unit: OffsetUnit, policy: Policy): number | undefined {
    return this.#with((encoder) => fitStart(encoder, policy, bytes, last, limit, unit));
  }

  split(bytes: Uint8Array, last: boolean, limit: number, overlap: number, unit: OffsetUnit, policy: Policy): Uint32Array {
    return this.#with((encoder) => splitParts(encoder, policy, bytes, last, limit, overlap, unit));
  }

  begin(policy: Policy, counting: boolean): TextSession {
    return this.#begin(policy, { counting });
  }

  edit(policy: Policy, unit: OffsetUnit): EditedText {
    return this.#ask(({ core, tokenizer }) => {
      if (openText && hasDocuments(core)) return openText(this.#textLender, core, tokenizer, policy, unit);
      this.#whole ??= this.#openWhole?.();
      if (this.#whole) return this.#whole.edit(policy, unit);
      throw new TokenizerError(
        'cannot open a document: the WebAssembly module of this tokenizer has none; load the tokenizer with { documents: true }',
        { code: 'FEATURE_MISSING' },
      );
    });
  }

  decode(ids: Uint32Array, skipSpecial: boolean): string {
    const { core, tokenizer } = this.#live();
    try {
      return decodeText(core, tokenizer, ids, skipSpecial);
    } catch (error) {
      throw core.caught(error);
    }
  }

  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array {
    return this.#ask(({ core, tokenizer }) => decodeToBytes(core, tokenizer, ids, skipSpecial));
  }

  tokenBytes(id: number): UnsharedUint8Array | undefined {
    return this.#ask(({ core, tokenizer }) => {
      const at = core.engine.crayon_tokenizer_token_bytes(tokenizer, id, core.out) >>> 0;
      return at === 0 ? undefined : core.bytes.slice(at, at + core.outWord(0));
    });
  }

  idOf(bytes: Uint8Array): number | undefined {
    return this.#ask(({ core, tokenizer }) => {
      if (bytes.length > WINDOW_BYTES) return undefined; // no token is that long
      core.textBytes.set(bytes);
      return idOrNone(core.engine.crayon_tokenizer_id_of(tokenizer, core.text, bytes.length));
    });
  }

  describe(): Description {
    return this.#ask(({ core, cartridge, tokenizer, view }) => {
      const { engine } = core;
      const views = viewNames(core, cartridge);
      return {
        name: views[view] as string,
        views,
        vocabularySize: engine.crayon_tokenizer_vocabulary_size(tokenizer) >>> 0,
        model: core.cString(engine.crayon_tokenizer_model(tokenizer)),
        scanner: core.cString(engine.crayon_tokenizer_scanner(tokenizer)),
        normalizer: core.cString(engine.crayon_tokenizer_normalizer(tokenizer)),
        unknownId: idOrNone(engine.crayon_tokenizer_unknown_id(tokenizer)),
        unknownUnit: engine.crayon_tokenizer_unknown_bytes(tokenizer) ? 'byte' : undefined,
        kernel: core.cString(engine.crayon_tokenizer_kernel(tokenizer)),
        metadata: core.utf8(engine.crayon_cartridge_metadata(cartridge, core.out), core.outWord(0)),
        addedTokens: addedTokens(core, tokenizer),
        ...template(core, tokenizer),
      };
    });
  }

  sections(): Section[] {
    return this.#ask(({ core, cartridge }) => {
      const sections: Section[] = [];
      while (core.engine.crayon_cartridge_section(cartridge, sections.length, core.out) !== 0) {
        const [id, flags, offset, length] = [0, 1, 2, 3].map((index) => core.outWord(index)) as [number, number, number, number];
        sections.push({ id, flags, offset, length });
      }
      return sections;
    });
  }

  memory(): MemoryUse {
    const whole = this.#whole?.memory().private ?? 0;
    return { mapped: 0, private: this.#live().core.engine.memory.buffer.byteLength + whole, caches: 0 };
  }

  /** A module's memory cannot shrink. */
  trim(): void {
    this.#live();
  }

  retire(): void {
    this.#isRetired = true;
    if (this.#sessions.size === 0) this.close();
  }

  close(): void {
    for (const session of this.#sessions) session.abandon();
    this.#sessions.clear();
    this.#words.clear();
    this.#idle = undefined;
    this.#open = undefined;
    this.#whole?.close();
  }

  giveBack(session: WasmSession, encoder: WasmEncoder): void {
    if (!this.#sessions.delete(session)) return;
    if (this.#idle) this.#quietly(encoder);
    else this.#idle = encoder;
    if (this.#isRetired && this.#sessions.size === 0) this.close();
  }

  /** The ids of a word, cached: calling the engine again takes longer than a lookup. */
  #wordIds(encoder: WasmEncoder, word: string): Uint32Array {
    const known = this.#words.get(word);
    if (known) return known;
    encoder.begin(AS_TEXT);
    encoder.feedWhole(word);
    const ids = encoder.readWhole();
    if (this.#words.size === MOST_WORDS) this.#words.clear();
    this.#words.set(word, ids);
    return ids;
  }

  /** Releases an encoder that is no longer needed; an instance that has trapped releases nothing. */
  #quietly(encoder: WasmEncoder): void {
    try {
      encoder.release();
    } catch (error) {
      encoder.core.caught(error);
    }
  }

  #live(): Open {
    const open = this.#open;
    if (!open) throw new TokenizerError('the tokenizer has been closed', { code: 'CLOSED' });
    open.core.checkAlive();
    return open;
  }

  #encoder(): WasmEncoder {
    const idle = this.#idle;
    if (idle) {
      idle.core.checkAlive();
      return idle;
    }
    return this.#ask(({ core, tokenizer }) => {
      this.#idle = new WasmEncoder(core, tokenizer);
      return this.#idle;
    });
  }

  #ask<T>(answer: (open: Open) => T): T {
    const open = this.#live();
    try {
      return answer(open);
    } catch (error) {
      throw open.core.caught(error);
    }
  }

  #with<T>(work: (encoder: WasmEncoder) => T): T {
    const encoder = this.#encoder();
    try {
      return work(encoder);
    } catch (error) {
      throw encoder.core.caught(error);
    }
  }

  #begin(policy: TextPolicy, gathering: Gathering): WasmSession {
    return this.#with((encoder) => {
      const session = new WasmSession(this, encoder, policy, gathering);
      this.#idle = undefined;
      this.#sessions.add(session);
      return session;
    });
  }

  #encodeLong(text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    return this.#with((encoder) => {
      encoder.begin(policy);
      return encoder.encodeLong(text);
    });
  }

  #countInParts(text: string | Uint8Array, most: number, policy: TextPolicy): number {
    const session = this.#begin(policy, { counting: true });
    try {
      let total = 0;
      for (let at = 0; total < most; ) {
        const end = Math.min(at + windowFor(most - total), text.length);
        const part = typeof text === 'string' ? text.slice(at, end) : text.subarray(at, end);
        const isEnd = end === text.length;
        total = session.feed(part, isEnd, most);
        if (isEnd) break;
        at = end;
      }
      return total;
    } finally {
      session.end();
    }
  }

  #locate(text: string | Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    const session = this.#begin(policy, { counting: false, unit });
    try {
      session.feed(text, true);
      return { offsets: session.takeOffsets(), ids: session.take() };
    } finally {
      session.end();
    }
  }
}

/** A tokenizer's instance, and its address there. */
export { insideOf };

function idOrNone(id: number): number | undefined {
  return id >>> 0 === NO_ID ? undefined : id >>> 0;
}

/** Units to count per call when at most `most` tokens matter: about twice as many as most texts need. */
function windowFor(most: number): number {
  return Math.min(Math.max(1024, 8 * most), WINDOW);
}

function template(core: WasmCore, tokenizer: number): Pick<Description, 'prefix' | 'suffix'> {
  const at = core.engine.crayon_tokenizer_template(tokenizer, core.out);
  const [before, after] = [core.outWord(0), core.outWord(1)];
  const ids = Array.from(new Uint32Array(core.bytes.buffer, at, before + after));
  return { prefix: ids.slice(0, before), suffix: ids.slice(before) };
}

function addedTokens(core: WasmCore, tokenizer: number): Description['addedTokens'] {
  const tokens: Description['addedTokens'] = [];
  for (;;) {
    const at = core.engine.crayon_tokenizer_added_token(tokenizer, tokens.length, core.out);
    if (at === 0) return tokens;
    const has = (flag: number) => (core.outWord(2) & flag) !== 0;
    tokens.push({
      text: core.utf8(at, core.outWord(0)),
      id: core.outWord(1),
      special: has(ADDED_SPECIAL),
      ...(has(ADDED_STRIPS) && { strips: true }),
      ...(has(ADDED_SINGLE_WORD) && { singleWord: true }),
      ...(has(ADDED_NORMALIZED) && { normalized: true }),
      ...(has(ADDED_NEVER_FOUND) && { neverFound: true }),
    });
  }
}
