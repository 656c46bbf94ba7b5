// The native backend. This folder knows no other backend and no entry.
//
// The ids of short texts are written to a pooled slab, and each result is a view of part of it; longer results own a
// buffer of their exact size.

import type { Background } from '../../engine/background.js';
import type { DeviceBatch } from '../../engine/device-batch.js';
import type { AnyDevice, DeviceList } from '../../engine/devices.js';
import { EditedText } from '../../engine/edited-text.js';
import type {
  BatchIds,
  BatchJob,
  EngineTokenizer,
  EngineUnit,
  MemoryUse,
  OffsetUnit,
  Policy,
  TextPolicy,
  TokensWithOffsets,
} from '../../engine/engine.js';
import { openTokenizer } from '../../vocabularies/open/open-tokenizer.js';
import type { AnyPaddedBatch, PadForm } from '../../engine/padding.js';
import { UNITS } from '../../engine/binding.js';
import { beginText, ownBytes } from '../../engine/session.js';
import type { Texts } from '../../engine/text-rows.js';
import { idleOf, type Open, HostTokenizer, releaseEncoder } from '../../engine/host-tokenizer.js';
import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../../base/typed-arrays.js';
import { readDat } from '../../vocabularies/open/dat.js';
import { TELLING } from '../../vocabularies/open/foreign.js';
import { checkNoUnknownId, type LoadOptions } from '../../vocabularies/open/load-options.js';
import { type Cartridge, datOf, outOfArchive } from '../../vocabularies/open/sources-in-node.js';
import type { OpenOptions } from '../../vocabularies/open/open-failed.js';
import { beginningOf } from '../../io/regular-file.js';
import { markAsUntransferable } from '../../vocabularies/open/threads.js';
import { addon, DECODE_SKIP_SPECIAL, failed, type Handle, native, newIds, WINDOW } from './addon.js';
import { NativeBackground } from './addon-background.js';
import { Caches } from './caches.js';
import { type ByteRows, decodedOnDevice } from './device-decoding.js';
import { COUNTS, DeviceTexts, IDS } from './device-texts.js';
import { deviceList } from './addon-devices.js';
import { Job, mostBytesOf, sizeOf } from './addon-job.js';
import { threadCount } from './thread-count.js';
import { variable } from '../../base/environment.js';

const SLAB_IDS = 16 * 1024;
/** The longest text whose ids go into a slab: at most this much of an old slab is wasted. */
const POOLED_UNITS = 4096;
/** The same with offsets: each id takes three words. */
const POOLED_WITH_OFFSETS = Math.floor(POOLED_UNITS / 3);
/** The most ids that a unit or byte of nearly all longer texts has. */
const LIKELY_IDS = 0.5;
/** A smaller batch, in bytes, is encoded before a thread has woken up. */
const TOGETHER = 128 * 1024;
/** The most ids that one call decodes to a string; more are decoded in parts. */
const DECODE_IDS = 1024 * 1024;

let slab = new ArrayBuffer(0);
let usedWords = 0; // words of the slab that results already use
let capacity = 0;

function renewSlab(): void {
  slab = new ArrayBuffer(SLAB_IDS * Uint32Array.BYTES_PER_ELEMENT);
  // Transferring one result must not take the others' memory with it.
  markAsUntransferable(slab);
  usedWords = 0;
  capacity = SLAB_IDS;
}

/** Makes room for `count` ids in the slab. */
function makeRoom(count: number): void {
  if (usedWords + count > capacity || slab.byteLength === 0) renewSlab();
}

/** The next ids in the slab. */
function takeIds(count: number): UnsharedUint32Array {
  if (count === 0) return new Uint32Array(0);
  const at = usedWords;
  usedWords += count;
  return new Uint32Array(slab, at * Uint32Array.BYTES_PER_ELEMENT, count);
}

const registry = new FinalizationRegistry<Open>(release);

function release(open: Open): void {
  for (const encoder of open.encoders) releaseEncoder(open, encoder);
  addon.tokenizerRelease(open.tokenizer);
  addon.cartridgeRelease(open.cartridge);
  addon.trim(open.tokenizer, 0); // the pool's encoders of closed tokenizers
}

/** Opens a resolved source: a file, which is mapped, or bytes, which are copied. `dna`: whether it must be a vocabulary of DNA. */
export function openNativeFile({ source, view, model }: Cartridge, options: LoadOptions, dna = false): EngineTokenizer {
  const kernel = options.kernel ?? variable('CRAYON_FORCE_KERNEL');
  const beside = datOf(source, options);
  if (!beside) checkNoUnknownId(options);
  const dat = beside && readDat(beside);
  return openNative(outOfArchive(source), { ...options, kernel, view: options.view ?? view, model, dat, dna });
}

function openNative(source: string | Uint8Array, options: OpenOptions): EngineTokenizer {
  const { addon } = native();
  const head = () => (typeof source === 'string' ? beginningOf(source, TELLING) : source);
  return new NativeTokenizer(openTokenizer(addon, source, options, { name: source, head, kernels: () => addon.kernels() }), options);
}

/** The process's threads, for an engine of this backend. */
export function nativeBackground(engine: EngineTokenizer): Background | undefined {
  return engine instanceof NativeTokenizer ? engine.background : undefined;
}

let handleOf: (engine: EngineTokenizer) => Handle;

class NativeTokenizer extends HostTokenizer {
  readonly kind = 'native';
  readonly #tokenizer: Handle;
  readonly #caches: Caches;
  readonly #documents = new Set<Handle>();
  #background: Background | undefined;
  #deviceTexts: DeviceTexts | undefined;

  static {
    handleOf = (engine) => (engine as NativeTokenizer).#tokenizer;
  }

  constructor(open: Open, options: OpenOptions) {
    super(open, options);
    this.#tokenizer = open.tokenizer;
    this.#caches = new Caches(open, options.cacheBytes);
    registry.register(this, open, this);
  }

  protected override encodeWhole(open: Open, text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    const { length } = text;
    if (length > POOLED_UNITS) {
      this.prepare(length);
      return encodeLong(open, text, policy);
    }
    makeRoom(length);
    const count = addon.encode(open.idle ?? idleOf(open), text, slab, usedWords, policy);
    if (count === -1) throw failed('cannot encode');
    return count >= 0 ? takeIds(count) : encodeLong(open, text, policy);
  }

  protected override prepare(size: number): void {
    this.#caches.prepare(size);
  }

  protected override countWhole(open: Open, text: string | Uint8Array, policy: TextPolicy, limit: number): number {
    const count = addon.count(open.idle ?? idleOf(open), text, limit, policy);
    if (count < 0) throw failed('cannot count');
    return count;
  }

  override encodeWithOffsets(text: string | Uint8Array, unit: EngineUnit, policy: TextPolicy): TokensWithOffsets {
    const open = this.live();
    const { length } = text;
    if (length > POOLED_WITH_OFFSETS) return super.encodeWithOffsets(text, unit, policy);
    makeRoom(3 * length);
    const count = addon.encodeWithOffsets(open.idle ?? idleOf(open), text, slab, usedWords, UNITS.indexOf(unit), policy);
    if (count === -1) throw failed('cannot encode');
    return count < 0 ? super.encodeWithOffsets(text, unit, policy) : { ids: takeIds(count), offsets: takeIds(2 * count) };
  }

  encodeTogether(texts: Texts, policy: Policy, counting: boolean, { threads, device, cacheBytes }: BatchJob): BatchIds | undefined {
    const batch = this.deviceTexts.run(texts, policy, counting ? COUNTS : IDS, device);
    if (batch) return batch;
    const maxThreads = threads ?? threadCount();
    const bytes = mostBytesOf(texts);
    const cacheLimit = this.#caches.limitFor(cacheBytes, sizeOf(texts));
    if (bytes < TOGETHER || (maxThreads === 1 && cacheLimit === 0)) return undefined;
    const job = new Job(this.#tokenizer, {
      policy,
      counting,
      apart: !counting,
      threads: maxThreads,
      bytes,
      cacheLimit,
      caches: this.#caches,
    });
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
    return (this.#deviceTexts ??= new DeviceTexts(this, this.#tokenizer));
  }

  /** Encodes for this tokenizer while the thread does other work. */
  get background(): Background {
    return (this.#background ??= new NativeBackground(this, this.#tokenizer, this.deviceTexts, this.#caches));
  }

  edit(policy: Policy, unit: OffsetUnit): EditedText {
    const open = this.live();
    // The tokenizer is there to be reachable as long as the text is.
    const owner = {
      engine: addon,
      get encoder() {
        return idleOf(open);
      },
      documents: this.#documents,
      tokenizer: this,
    };
    return EditedText.open(owner, this.#tokenizer, policy, unit);
  }

  decode(ids: Uint32Array, skipSpecial: boolean): string {
    if (ids.length > DECODE_IDS) return this.#decodeInParts(ids, skipSpecial);
    const flags = skipSpecial ? DECODE_SKIP_SPECIAL : 0;
    const text = addon.decode(this.#tokenizer, ids, flags);
    if (text === undefined) throw failed('cannot decode');
    return text;
  }

  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array {
    const flags = skipSpecial ? DECODE_SKIP_SPECIAL : 0;
    const length = addon.decodeLength(this.#tokenizer, ids, flags);
    if (length < 0) throw failed('cannot decode');
    const bytes = new Uint8Array(length);
    if (addon.decodeInto(this.#tokenizer, ids, bytes, flags) < 0) throw failed('cannot decode');
    return bytes;
  }

  decodeRows(ids: Uint32Array, offsets: Uint32Array, skipSpecial: boolean, device: AnyDevice): ByteRows | undefined {
    return decodedOnDevice(this.#tokenizer, ids, offsets, skipSpecial ? DECODE_SKIP_SPECIAL : 0, device);
  }

  memory(): MemoryUse {
    this.live();
    return this.#caches.memory();
  }

  trim(): void {
    this.live();
    this.#caches.trim();
  }

  protected override release(open: Open): void {
    registry.unregister(this);
    for (const document of this.#documents) addon.documentRelease(document);
    this.#documents.clear();
    release(open);
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

/** The ids of a text that are too many for the slab. */
function encodeLong(open: Open, text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array {
  const encoder = open.idle ?? idleOf(open);
  beginText(addon, encoder, policy);
  const { length } = text;
  const likely = WINDOW + length * LIKELY_IDS;
  let count = 0;
  if (typeof text !== 'string') count = addon.gather(encoder, ownBytes(text), true, likely);
  for (let at = 0; typeof text === 'string' && at < length && count >= 0; at += WINDOW) {
    count = addon.gather(encoder, text.slice(at, at + WINDOW), at + WINDOW >= length, likely);
  }
  if (count < 0) throw failed('cannot encode');
  const ids = newIds(count);
  if (addon.gathered(ids) < 0) throw failed('cannot encode');
  return ids;
}

/** The addon's handle for a tokenizer of this backend. */
export { handleOf };
