// The native backend. This folder knows no other backend and no entry.
//
// The ids of short texts are written to a pooled slab, and each result is a view of part of it; longer results own a
// buffer of their exact size.

import type { Background } from '../engine/background.js';
import { EditedText } from '../engine/edited-text.js';
import type {
  BatchIds,
  BatchJob,
  Description,
  EngineTokenizer,
  EngineUnit,
  MemoryUse,
  OffsetUnit,
  PartForm,
  Policy,
  Section,
  Side,
  TextPolicy,
  TextSession,
  TokensWithOffsets,
} from '../engine/engine.js';
import type { Dat } from '../open/dat.js';
import { TokenizerError } from '../base/errors.js';
import type { Texts } from '../engine/text-rows.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../base/typed-arrays.js';
import { addon, DECODE_SKIP_SPECIAL, failed, type Handle, native, UNITS, WINDOW } from './addon.js';
import type { DeviceBatch } from '../engine/device-batch.js';
import type { AnyDevice, DeviceList } from '../engine/devices.js';
import type { AnyPaddedBatch, PadForm } from '../engine/padding.js';
import { NativeBackground } from './background.js';
import { type ByteRows, decodedOnDevice } from './device-decoding.js';
import { COUNTS, DeviceTexts, IDS } from './device-texts.js';
import { deviceList } from './devices.js';
import { Caches } from './caches.js';
import { Job, mostBytesOf, sizeOf } from './job.js';
import { NativeSession } from './session.js';
import { threadCount } from './thread-count.js';
import { markAsUntransferable } from '../open/threads.js';
import { TELLING } from '../open/foreign.js';
import { beginningOf } from '../open/regular-file.js';
import { OPEN_COPY, OPEN_DNA, OPEN_NO_CHECKSUM, openFailed, type OpenOptions, wrongClass } from '../open/open-failed.js';

export { native };

const SLAB_IDS = 16 * 1024;
/** The longest text whose ids go into a slab: at most this much of an old slab is wasted. */
const POOLED_UNITS = 4096;
/** The same with offsets: each id takes three words. */
const POOLED_WITH_OFFSETS = Math.floor(POOLED_UNITS / 3);
/** A smaller batch, in bytes, is encoded before a thread has woken up. */
const TOGETHER = 128 * 1024;
/** More tokens than a text can have. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** The most ids that one call decodes to a string; more are decoded in parts. */
const DECODE_IDS = 1024 * 1024;

let slab = new ArrayBuffer(0);
let used = 0; // words of the slab that results already use
let capacity = 0;

function renewSlab(): void {
  slab = new ArrayBuffer(SLAB_IDS * Uint32Array.BYTES_PER_ELEMENT);
  // Transferring one result must not take the others' memory with it.
  markAsUntransferable(slab);
  used = 0;
  capacity = SLAB_IDS;
}

const forgotten = new FinalizationRegistry<Handle>((handle) => addon.close(handle));

function counted(answer: number): number {
  if (answer < 0) throw failed('cannot count');
  return answer;
}

/** Units to count per call when at most `most` tokens matter: about twice as many as most texts need. */
function windowFor(most: number): number {
  return Math.min(Math.max(1024, 8 * most), WINDOW);
}

function unitNumber(unit: EngineUnit): number {
  return UNITS.indexOf(unit);
}

/** Opens a cartridge: a file by its path, or bytes, which are copied. */
export function openNative(source: string | Uint8Array, options: OpenOptions): EngineTokenizer {
  const { addon } = native();
  const flags = (options.verify === false ? OPEN_NO_CHECKSUM : 0) | (options.mmap === false ? OPEN_COPY : 0) | (options.dna ? OPEN_DNA : 0);
  const kernel = options.kernel ?? '';
  const handle = addon.load(source, options.view ?? 0, flags, kernel, options.dat);
  if (handle >= 0) return new NativeTokenizer(handle, options);
  const failure = addon.failure();
  // No other problem with a cartridge has that code.
  if (failure.code === 'INVALID_ARGUMENT' && !options.dat) throw wrongClass(source, !options.dna);
  throw openFailed(failure, {
    source,
    head: () => (typeof source === 'string' ? beginningOf(source, TELLING) : source),
    kernel,
    kernels: () => addon.kernels(),
    view: options.view,
    views: () => viewNames(source, options.dat),
    dat: options.dat,
  });
}

function viewNames(source: string | Uint8Array, dat: Dat | undefined): string[] {
  const handle = addon.load(source, 0, 0, '', dat);
  const views = addon.describe(handle)?.views ?? [];
  addon.close(handle);
  return views;
}

/** The process's threads, for an engine of this backend. */
export function nativeBackground(engine: EngineTokenizer): Background | undefined {
  return engine instanceof NativeTokenizer ? engine.background : undefined;
}

let handleOf: (engine: EngineTokenizer) => Handle;

class NativeTokenizer implements EngineTokenizer {
  readonly kind = 'native';
  readonly model: string | undefined;
  readonly cacheBytes: number | undefined;
  isClosed = false;
  #handle: Handle;
  readonly #caches: Caches;
  readonly #documents = new Set<Handle>();
  #background: Background | undefined;
  #deviceTexts: DeviceTexts | undefined;

  static {
    handleOf = (engine) => (engine as NativeTokenizer).#handle;
  }

  constructor(handle: Handle, { model, cacheBytes }: OpenOptions) {
    this.#handle = handle;
    this.#caches = new Caches(handle, cacheBytes);
    this.cacheBytes = cacheBytes;
    this.model = model;
    forgotten.register(this, handle, this);
  }

  encode(text: string, policy: Policy): UnsharedUint32Array {
    const { length } = text;
    if (length > WINDOW) return this.#encodeInParts(text, policy);
    const at = this.#slabOffset(length);
    const count = addon.encode(this.#handle, text, slab, at, policy);
    return count < 0 ? this.#beyondSlab(count) : this.#view(at, count);
  }

  encodeBytes(bytes: Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    const at = this.#slabOffset(bytes.length);
    const count = addon.encodeBytes(this.#handle, bytes, slab, at, policy);
    return count < 0 ? this.#beyondSlab(count) : this.#view(at, count);
  }

  count(text: string, policy: Policy): number {
    if (text.length > WINDOW) return this.#countInParts(text, policy);
    return counted(addon.count(this.#handle, text, NO_LIMIT, policy));
  }

  countBytes(bytes: Uint8Array, policy: TextPolicy): number {
    return this.countBytesUpTo(bytes, NO_LIMIT, policy);
  }

  countUpTo(text: string, most: number, policy: Policy): number {
    const { length } = text;
    if (length <= windowFor(most)) return counted(addon.count(this.#handle, text, most, policy));
    const session = this.#begin(policy, true);
    try {
      let total = 0;
      for (let at = 0; at < length && total < most; ) {
        const end = Math.min(at + windowFor(most - total), length);
        total = counted(addon.feed(session, text.slice(at, end), end === length, most));
        at = end;
      }
      return total;
    } finally {
      addon.end(session);
    }
  }

  countBytesUpTo(bytes: Uint8Array, most: number, policy: TextPolicy): number {
    return counted(addon.countBytes(this.#handle, bytes, most, policy));
  }

  encodeWithOffsets(text: string, unit: EngineUnit, policy: Policy): TokensWithOffsets {
    if (text.length > POOLED_WITH_OFFSETS) return this.#locateInParts(text, unit, policy);
    const at = this.#slabOffset(3 * text.length);
    const count = addon.encodeWithOffsets(this.#handle, text, slab, at, unitNumber(unit), policy);
    return count < 0 ? this.#locateBeyondSlab(count, text, unit, policy) : this.#viewWithOffsets(at, count);
  }

  encodeBytesWithOffsets(bytes: Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    if (bytes.length > POOLED_WITH_OFFSETS) return this.#locateInParts(bytes, unit, policy);
    const at = this.#slabOffset(3 * bytes.length);
    const count = addon.encodeBytesWithOffsets(this.#handle, bytes, slab, at, unitNumber(unit), policy);
    return count < 0 ? this.#locateBeyondSlab(count, bytes, unit, policy) : this.#viewWithOffsets(at, count);
  }

  fit(part: string | Uint8Array, whole: boolean, limit: number, side: Side, policy: Policy): number | undefined {
    const isString = typeof part === 'string';
    const given = isString && part.length > WINDOW ? new TextEncoder().encode(part) : part;
    const kept = addon.fit(this.#handle, given, whole, limit, side === 'left' ? 1 : 0, unitNumber(isString ? 'utf16' : 'bytes'), policy);
    if (kept === -1) throw failed('cannot cut the text');
    return kept < 0 ? undefined : kept;
  }

  encodeTogether(texts: Texts, policy: Policy, counting: boolean, { threads, device, cacheBytes }: BatchJob): BatchIds | undefined {
    const made = this.deviceTexts.run(texts, policy, counting ? COUNTS : IDS, device);
    if (made) return made;
    const most = threads ?? threadCount();
    const bytes = mostBytesOf(texts);
    const cacheLimit = this.#caches.limitFor(cacheBytes, sizeOf(texts));
    if (bytes < TOGETHER || (most === 1 && cacheLimit === 0)) return undefined;
    const job = new Job(this.#handle, { policy, counting, threads: most, bytes, cacheLimit, caches: this.#caches });
    try {
      return job.run(texts, counting);
    } finally {
      job.release();
    }
  }

  encodePadded(texts: Texts, policy: Policy, form: PadForm, device?: AnyDevice): AnyPaddedBatch | BatchIds | undefined {
    return this.deviceTexts.run(texts, policy, this.deviceTexts.padded(form), device);
  }

  encodeKept(texts: Texts, policy: Policy, form: PadForm, device?: AnyDevice): DeviceBatch {
    return this.deviceTexts.keep(texts, policy, form, device);
  }

  whyNotOnDevices(): string | undefined {
    return this.deviceTexts.unsupported();
  }

  devices(): DeviceList {
    return deviceList(this.deviceTexts.unsupported());
  }

  /** Its accelerator batches. */
  get deviceTexts(): DeviceTexts {
    return (this.#deviceTexts ??= new DeviceTexts(this, this.#handle));
  }

  /** Encodes for this tokenizer while the thread does other work. */
  get background(): Background {
    return (this.#background ??= new NativeBackground(this, this.#handle, this.deviceTexts, this.#caches));
  }

  begin(policy: TextPolicy, counting: boolean, form?: PartForm, unit?: EngineUnit): TextSession {
    const session = new NativeSession(this, this.#begin(policy, counting, unit && unitNumber(unit)));
    if (!form) return session;
    try {
      session.cut(form);
    } catch (error) {
      session.end();
      throw error;
    }
    return session;
  }

  edit(policy: Policy, unit: OffsetUnit): EditedText {
    // The tokenizer is there to be reachable as long as the text is.
    const owner = { engine: addon, encoder: this.#handle, documents: this.#documents, tokenizer: this };
    return EditedText.open(owner, this.#handle, policy, unit);
  }

  decode(ids: Uint32Array, skipSpecial: boolean): string {
    if (ids.length > DECODE_IDS) return this.#decodeInParts(ids, skipSpecial);
    const flags = skipSpecial ? DECODE_SKIP_SPECIAL : 0;
    const text = addon.decode(this.#handle, ids, flags);
    if (text === undefined) throw failed('cannot decode');
    return text;
  }

  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array {
    const flags = skipSpecial ? DECODE_SKIP_SPECIAL : 0;
    const length = addon.decodeLength(this.#handle, ids, flags);
    if (length < 0) throw failed('cannot decode');
    const bytes = new Uint8Array(length);
    if (addon.decodeInto(this.#handle, ids, bytes, flags) < 0) throw failed('cannot decode');
    return bytes;
  }

  decodeRows(ids: Uint32Array, offsets: Uint32Array, skipSpecial: boolean, device: AnyDevice): ByteRows | undefined {
    return decodedOnDevice(this.#handle, ids, offsets, skipSpecial ? DECODE_SKIP_SPECIAL : 0, device);
  }

  tokenBytes(id: number): UnsharedUint8Array | undefined {
    const bytes = addon.tokenBytes(this.#handle, id);
    if (bytes === undefined && addon.failure().code !== 'INVALID_ID') throw failed('cannot look up a token');
    return bytes;
  }

  idOf(bytes: Uint8Array): number | undefined {
    const id = addon.idOf(this.#handle, bytes);
    if (id === -1) throw failed('cannot look up a token');
    return id < 0 ? undefined : id;
  }

  matches(program: Uint32Array, text: string): Uint32Array {
    const matches = addon.regexMatches(program, new TextEncoder().encode(text));
    if (!matches) throw failed('cannot decode');
    return matches;
  }

  describe(): Description {
    const description = addon.describe(this.#handle);
    if (description) return description;
    // Whatever the call was, a closed tokenizer is mostly noticed here.
    throw this.isClosed ? new TokenizerError('the tokenizer has been closed', { code: 'CLOSED' }) : failed('cannot describe the tokenizer');
  }

  sections(): Section[] {
    const sections = addon.sections(this.#handle);
    if (!sections) throw failed('cannot read the section table');
    return sections;
  }

  memory(): MemoryUse {
    return this.#caches.memory();
  }

  trim(): void {
    this.#caches.trim();
  }

  retire(): void {
    // It stays registered: its sessions, too, may be garbage-collected before they end.
    addon.retire(this.#handle);
  }

  close(): void {
    this.isClosed = true;
    forgotten.unregister(this);
    for (const document of this.#documents) addon.documentRelease(document);
    this.#documents.clear();
    addon.close(this.#handle);
  }

  /** The offset in the slab for the ids of a text; for a long text its end, where nothing fits. */
  #slabOffset(length: number): number {
    if (length > POOLED_UNITS) return capacity;
    if (used + length > capacity || slab.byteLength === 0) renewSlab();
    return used;
  }

  #view(at: number, count: number): UnsharedUint32Array {
    if (count === 0) return new Uint32Array(0);
    used = at + count;
    return new Uint32Array(slab, at * Uint32Array.BYTES_PER_ELEMENT, count);
  }

  #beyondSlab(answer: number): UnsharedUint32Array {
    if (answer === -1) throw failed('cannot encode');
    const ids = new Uint32Array(-2 - answer);
    addon.takeOverflow(ids);
    return ids;
  }

  #viewWithOffsets(at: number, count: number): TokensWithOffsets {
    const ids = this.#view(at, count);
    return { ids, offsets: this.#view(at + count, 2 * count) };
  }

  #locateBeyondSlab(answer: number, text: string | Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    if (answer === -1) throw failed('cannot encode');
    return this.#locateInParts(text, unit, policy);
  }

  #locateInParts(text: string | Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    const session = new NativeSession(this, this.#begin(policy, false, unitNumber(unit)));
    try {
      session.feed(text, true);
      const offsets = session.takeOffsets();
      return { ids: session.take(), offsets };
    } finally {
      session.end();
    }
  }

  #begin(policy: TextPolicy, counting: boolean, unit?: number): Handle {
    const session = addon.begin(this.#handle, policy, counting, unit);
    if (session < 0) throw failed('cannot encode');
    return session;
  }

  #encodeInParts(text: string, policy: Policy): UnsharedUint32Array {
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
        // `+=` can fail only for this reason; decodeBytes can still return the text.
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

/** The addon's handle for a tokenizer of this backend. */
export { handleOf };
