// The engine in the native addon. Ids of short texts go into a pooled slab, and each result is a view of its own part of
// it; longer results own their buffer, which has their exact size.

import { markAsUntransferable } from 'node:worker_threads';

import type { Description, EngineTokenizer, Policy, Section, TextSession } from './backend.js';
import { TokenizerError } from './errors.js';
import {
  type Addon,
  DECODE_SKIP_SPECIAL,
  type Handle,
  loadAddon,
  OPEN_COPY,
  OPEN_NO_CHECKSUM,
} from './native-loader.js';

/** UTF-16 units that the addon takes in one call. */
const WINDOW = 64 * 1024;
/** Units of short strings that cross as one: more would not be faster, and from 64 Ki on V8 sets up pages for each. */
const JOINED_UNITS = 8 * 1024;
const SLAB_IDS = 16 * 1024;
/** Longest text whose ids go into a slab: what is left of an old slab, at most this much, is the waste. */
const POOLED_UNITS = 4096;
/** Ids that become one string in one call; more are decoded part by part. */
const DECODE_IDS = 1024 * 1024;

const loaded = loadAddon();

/** The addon, and where it was found; throws the loader's error if there is none. */
export function native(): { addon: Addon; path: string } {
  if ('error' in loaded) throw loaded.error;
  return loaded;
}

// The addon checks its arguments, so a placeholder is enough until `native()` has thrown the right error.
const addon = 'addon' in loaded ? loaded.addon : (undefined as unknown as Addon);

let slab = new ArrayBuffer(0);
let used = 0; // ids of the slab that have been given away
let capacity = 0;

function renewSlab(): void {
  slab = new ArrayBuffer(SLAB_IDS * Uint32Array.BYTES_PER_ELEMENT);
  // One result in a transfer list must not take the others' memory along.
  markAsUntransferable(slab);
  used = 0;
  capacity = SLAB_IDS;
}

const forgotten = new FinalizationRegistry<Handle>((handle) => addon.close(handle));

/** The error of the call that failed last. */
function failed(doing: string): TokenizerError {
  const failure = addon.failure();
  return new TokenizerError(`${doing}: ${failure.sentence}`, failure);
}

/** How to open a cartridge. */
export interface NativeOptions {
  /** The view, by name; the first one if none is named. */
  view?: string | undefined;
  /** False: read the file into private memory instead of mapping it. */
  mmap?: boolean | undefined;
  /** False: skip the checksum (never the structure). */
  verify?: boolean | undefined;
  /** The SIMD row to use. */
  kernel?: string | undefined;
  /** The model that was asked for. */
  model?: string | undefined;
}

/** Opens a cartridge: a file by its path, or bytes, which are copied. */
export function openNative(source: string | Uint8Array, options: NativeOptions): EngineTokenizer {
  const { addon } = native();
  const flags = (options.verify === false ? OPEN_NO_CHECKSUM : 0) | (options.mmap === false ? OPEN_COPY : 0);
  const kernel = options.kernel ?? process.env.CRAYON_FORCE_KERNEL ?? '';
  const handle = addon.load(source, options.view ?? 0, flags, kernel);
  if (handle < 0) throw openFailed(source, options, kernel);
  return new NativeTokenizer(handle, options.model);
}

function openFailed(source: string | Uint8Array, options: NativeOptions, kernel: string): TokenizerError {
  const failure = addon.failure();
  const what = typeof source === 'string' ? `the cartridge ${source}` : `a cartridge from ${source.length} bytes`;
  let where = '';
  switch (failure.code) {
    case 'UNKNOWN_KERNEL':
      where = ` (asked for ${JSON.stringify(kernel)}; this machine has ${addon.kernels().join(', ')})`;
      break;
    case 'UNKNOWN_VIEW':
      where = ` (asked for ${JSON.stringify(options.view)}; it has ${viewNames(source).join(', ')})`;
      break;
    case 'UNSUPPORTED_VERSION':
    case 'TRUNCATED':
    case 'CHECKSUM_MISMATCH':
    case 'CORRUPT_STRUCTURE':
    case 'MISSING_SECTION':
    case 'UNKNOWN_SECTION':
      where = ` (section ${failure.section}, position ${failure.position})`;
  }
  return new TokenizerError(`cannot open ${what}: ${failure.sentence}${where}`, failure);
}

function viewNames(source: string | Uint8Array): string[] {
  const handle = addon.load(source, 0, 0, '');
  const views = addon.describe(handle)?.views ?? [];
  addon.close(handle);
  return views;
}

class NativeTokenizer implements EngineTokenizer {
  readonly kind = 'native';
  readonly model: string | undefined;
  #handle: Handle;

  constructor(handle: Handle, model: string | undefined) {
    this.#handle = handle;
    this.model = model;
    forgotten.register(this, handle, this);
  }

  encode(text: string, policy: Policy): Uint32Array {
    const { length } = text;
    if (length > WINDOW) return this.#encodeInParts(text, policy);
    const at = this.#place(length);
    const count = addon.encode(this.#handle, text, slab, at, policy);
    return count < 0 ? this.#beyondSlab(count) : this.#view(at, count);
  }

  encodeBytes(bytes: Uint8Array, policy: Policy): Uint32Array {
    const at = this.#place(bytes.length);
    const count = addon.encodeBytes(this.#handle, bytes, slab, at, policy);
    return count < 0 ? this.#beyondSlab(count) : this.#view(at, count);
  }

  count(text: string, policy: Policy): number {
    if (text.length > WINDOW) return this.#countInParts(text, policy);
    const count = addon.count(this.#handle, text, policy);
    if (count < 0) throw failed('cannot count');
    return count;
  }

  countBytes(bytes: Uint8Array, policy: Policy): number {
    const count = addon.countBytes(this.#handle, bytes, policy);
    if (count < 0) throw failed('cannot count');
    return count;
  }

  begin(policy: Policy, counting: boolean): TextSession {
    const session = addon.begin(this.#handle, policy, counting);
    if (session < 0) throw failed('cannot encode');
    return new NativeSession(this, session);
  }

  decode(ids: Uint32Array, skipSpecial: boolean): string {
    if (ids.length > DECODE_IDS) return this.#decodeInParts(ids, skipSpecial);
    const flags = skipSpecial ? DECODE_SKIP_SPECIAL : 0;
    const text = addon.decode(this.#handle, ids, flags);
    if (text === undefined) throw failed('cannot decode');
    return text;
  }

  decodeBytes(ids: Uint32Array, skipSpecial: boolean): Uint8Array {
    const flags = skipSpecial ? DECODE_SKIP_SPECIAL : 0;
    const length = addon.decodeLength(this.#handle, ids, flags);
    if (length < 0) throw failed('cannot decode');
    const bytes = new Uint8Array(length);
    if (addon.decodeInto(this.#handle, ids, bytes, flags) < 0) throw failed('cannot decode');
    return bytes;
  }

  tokenBytes(id: number): Uint8Array | undefined {
    const bytes = addon.tokenBytes(this.#handle, id);
    if (bytes === undefined && addon.failure().code !== 'INVALID_ID') throw failed('cannot look up a token');
    return bytes;
  }

  idOf(bytes: Uint8Array): number | undefined {
    const id = addon.idOf(this.#handle, bytes);
    if (id === -1) throw failed('cannot look up a token');
    return id < 0 ? undefined : id;
  }

  describe(): Description {
    const description = addon.describe(this.#handle);
    if (!description) throw failed('cannot describe the tokenizer');
    return description;
  }

  sections(): Section[] {
    const sections = addon.sections(this.#handle);
    if (!sections) throw failed('cannot read the section table');
    return sections;
  }

  retire(): void {
    // It stays registered: its sessions may be forgotten, too, before they end.
    addon.retire(this.#handle);
  }

  close(): void {
    forgotten.unregister(this);
    addon.close(this.#handle);
  }

  /** Where in the slab the ids of a text go: the end of it, which has no room, for a long one. */
  #place(length: number): number {
    if (length > POOLED_UNITS) return capacity;
    if (used + length > capacity || slab.byteLength === 0) renewSlab();
    return used;
  }

  #view(at: number, count: number): Uint32Array {
    if (count === 0) return new Uint32Array(0);
    used = at + count;
    return new Uint32Array(slab, at * Uint32Array.BYTES_PER_ELEMENT, count);
  }

  #beyondSlab(answer: number): Uint32Array {
    if (answer === -1) throw failed('cannot encode');
    const ids = new Uint32Array(-2 - answer);
    addon.takeOverflow(ids);
    return ids;
  }

  #encodeInParts(text: string, policy: Policy): Uint32Array {
    const session = this.begin(policy, false);
    try {
      session.feed(text, true);
      return session.take();
    } finally {
      session.end();
    }
  }

  #countInParts(text: string, policy: Policy): number {
    const session = this.begin(policy, true);
    try {
      return session.feed(text, true);
    } finally {
      session.end();
    }
  }

  #decodeInParts(ids: Uint32Array, skipSpecial: boolean): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let text = '';
    for (let at = 0; at < ids.length; at += DECODE_IDS) {
      const bytes = this.#decodePart(ids, at, skipSpecial);
      try {
        text += decoder.decode(bytes, { stream: true });
      } catch (error) {
        // The only failure of `+=`: decodeBytes can still give this text.
        const message = `cannot decode ${ids.length} ids: their text is longer than a string can be`;
        throw new TokenizerError(message, { code: 'TEXT_TOO_LONG' }, { cause: error });
      }
    }
    return text + decoder.decode();
  }

  #decodePart(ids: Uint32Array, at: number, skipSpecial: boolean): Uint8Array {
    try {
      return this.decodeBytes(ids.subarray(at, at + DECODE_IDS), skipSpecial);
    } catch (error) {
      if (!(error instanceof TokenizerError && error.code === 'INVALID_ID')) throw error;
      throw new TokenizerError(error.message, { code: error.code, position: at + error.position });
    }
  }
}

class NativeSession implements TextSession {
  readonly #tokenizer: NativeTokenizer; // kept reachable as long as the session is
  readonly #handle: Handle;
  #gathered = 0;

  constructor(tokenizer: NativeTokenizer, handle: Handle) {
    this.#tokenizer = tokenizer;
    this.#handle = handle;
  }

  feed(text: string | Uint8Array, last: boolean): number {
    if (typeof text === 'string') {
      let at = 0;
      for (; text.length - at > WINDOW; at += WINDOW) {
        this.#check(addon.feed(this.#handle, text.slice(at, at + WINDOW), false));
      }
      return this.#check(addon.feed(this.#handle, at === 0 ? text : text.slice(at), last));
    }
    return this.#check(addon.feedBytes(this.#handle, text, last));
  }

  // Short strings cross together: joining them costs less than a call, or a look into the array by the addon, for each.
  feedStrings(texts: readonly string[], totals: Uint32Array): number {
    for (let first = 0; first < texts.length; ) {
      let units = 0;
      let last = first;
      for (; last < texts.length; last++) {
        const { length } = texts[last] as string;
        if (units + length > JOINED_UNITS) break;
        totals[last + 1] = length;
        units += length;
      }
      if (last > first) {
        const joined = texts.slice(first, last).join('');
        this.#checkRow(addon.feedJoined(this.#handle, joined, totals, first, last));
        first = last;
      } else {
        totals[first + 1] = this.#feedRow(texts[first] as string, first);
        first++;
      }
    }
    return this.#gathered;
  }

  feedRows(bytes: Uint8Array, offsets: Uint32Array, totals: Uint32Array): number {
    return this.#checkRow(addon.feedRows(this.#handle, bytes, offsets, totals));
  }

  take(): Uint32Array {
    const ids = new Uint32Array(this.#gathered);
    this.#gathered = 0;
    if (addon.take(this.#handle, ids) < 0) throw failed('cannot encode');
    return ids;
  }

  end(): void {
    addon.end(this.#handle);
    void this.#tokenizer;
  }

  /** Feeds a row that is too long to be joined with others. */
  #feedRow(text: string, row: number): number {
    try {
      const total = this.feed(text, true);
      if (total <= 0xffffffff) return total;
      throw new TokenizerError('the batch has more than 4294967295 tokens', { code: 'TEXT_TOO_LONG' });
    } catch (error) {
      if (!(error instanceof TokenizerError)) throw error;
      const { code, position } = error;
      throw new TokenizerError(`cannot encode row ${row}: ${error.message}`, { code, position, row });
    }
  }

  #checkRow(total: number): number {
    if (total >= 0) return this.#check(total);
    const failure = addon.failure();
    throw new TokenizerError(`cannot encode row ${failure.row}: ${failure.sentence}`, failure);
  }

  #check(total: number): number {
    if (total < 0) throw failed('cannot encode');
    this.#gathered = total;
    return total;
  }
}
