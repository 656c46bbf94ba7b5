// A tokenizer of the WebAssembly backend. This folder knows no other backend and no entry.
//
// Each has its own instance, released when it is closed or garbage-collected: a trap ends only that tokenizer, and memory that
// has grown is released.

import type { EngineTokenizer, MemoryUse, OffsetUnit, Policy, TextPolicy } from '../../engine/engine.js';
import type { EditedText } from '../../engine/edited-text.js';
import type { Handle } from '../../engine/functions.js';
import { idleOf, type Open, HostTokenizer, type TokenizerEngine } from '../../engine/host-tokenizer.js';
import { TokenizerError } from '../../base/errors.js';
import type { UnsharedUint32Array, UnsharedUint8Array } from '../../base/typed-arrays.js';
import { openFailed, type OpenOptions } from '../../vocabularies/open/open-failed.js';
import { openTokenizer } from '../../vocabularies/open/open-tokenizer.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import { CACHE_BYTES } from '../../engine/host-tokenizer.js';
import { descriptionOf } from '../../engine/description.js';
import { Arena } from './arena.js';
import { WINDOW, WasmCore, type WasmHost } from './core.js';
import { decodeText, decodeToBytes } from './decode-in-module.js';
import type { openText, TextLender } from './module-documents.js';
import { cartridgesIn } from './functions/cartridges.js';
import { encodingIn } from './functions/encoding.js';
import { limitsIn } from './functions/limits.js';
import { tokenizersIn } from './functions/tokenizers.js';
import { countWhole, encodeWhole, feedString } from './hot-calls.js';
import { wasmKernels } from './module.js';

/** The policy that treats special tokens as ordinary text. */
const AS_TEXT = 0;
/** The longest text, in UTF-16 units, whose ids are cached, and the most texts in that cache. */
const WORD = 5;
const MOST_WORDS = 2048;

/** How a tokenizer is opened. `texts`: the code that edits texts, which pages load for the first tokenizer that is loaded for documents. */
export interface WasmOptions extends OpenOptions {
  texts?: (() => typeof openText | undefined) | undefined;
  host?: WasmHost | undefined;
}

const METADATA_SECTION = 1;
/** In the metadata, of a decoder's pattern (lib/vocabularies/decode/decoder-spec.ts); quotes of a text in JSON have backslashes. */
const A_PROGRAM = '"Program":[';

/** Opens a cartridge from its bytes, which are copied, in a new instance. `path`: the file of the bytes, if any. */
export function openWasm(module: WasmModule, bytes: Uint8Array, options: WasmOptions, path?: string): EngineTokenizer {
  const core = new WasmCore(module, options.host);
  const engine = engineIn(core);
  const about = { name: path ?? bytes, head: () => bytes, kernels: wasmKernels };
  const open = openTokenizer(engine, bytes, options, about);
  if (!options.dna) {
    if (!('crayon_encoder_begin' in core.engine))
      throw new TypeError('expected a module for text, such as crayon-tokenizer/core.wasm, for wasm but received that for DNA');
    const cacheBytes = Math.min(options.cacheBytes ?? CACHE_BYTES.page, CACHE_BYTES.page);
    engine.tokenizerCacheLimit(open.tokenizer, Math.max(cacheBytes, 1));
  }
  if (!('crayon_regex_matches' in core.engine) && descriptionOf(engine, open).metadata.includes(A_PROGRAM)) {
    const sentence = 'its decoder has a pattern, which this build of the engine cannot match';
    const failure = { code: 'FEATURE_MISSING', sentence, section: METADATA_SECTION, position: 0 } as const;
    throw openFailed(failure, { ...about, source: about.name, kernel: '', view: undefined, views: () => [] });
  }
  return new WasmTokenizer(core, open, options);
}

/** The functions of an instance. */
function engineIn(core: WasmCore): TokenizerEngine {
  const arena = new Arena(core);
  const feedUtf16 = (encoder: Handle, text: string, last: number) => arena.call(() => arena.count(feedString(core, encoder, text, last)));
  return Object.assign(arena, cartridgesIn(arena), encodingIn(arena), limitsIn(arena), tokenizersIn(arena), {
    encoderFeedUtf16: feedUtf16,
  });
}

let insideOf: (engine: EngineTokenizer) => { core: WasmCore; tokenizer: number };

export class WasmTokenizer extends HostTokenizer {
  readonly kind = 'wasm';
  /** Undefined once it is closed, so that its instance can be collected. */
  #core: WasmCore | undefined;
  /** A cache of the ids of very short texts, with special tokens as ordinary text. */
  readonly #words = new Map<string, Uint32Array>();
  /** Opens the same in an instance that has documents, and what has been opened. */
  readonly #openWhole: OpenOptions['whole'];
  #whole: EngineTokenizer | undefined;
  readonly #texts: WasmOptions['texts'];
  readonly #textLender: TextLender = {
    check: () => void this.live(),
    encoder: () => idleOf(this.live()),
    documents: new Set(),
  };

  static {
    insideOf = (engine) => {
      const { tokenizer } = (engine as WasmTokenizer).live();
      return { core: (engine as WasmTokenizer).#core as WasmCore, tokenizer };
    };
  }

  constructor(core: WasmCore, open: Open, options: WasmOptions) {
    super(open, options);
    this.#core = core;
    this.#texts = options.texts;
    this.#openWhole = options.whole;
  }

  protected override encodeWhole(open: Open, text: string | Uint8Array, policy: TextPolicy): UnsharedUint32Array {
    if (text.length > WINDOW) return this.encodeInWindows(text, policy);
    const core = this.#core as WasmCore;
    core.checkAlive();
    try {
      if (text.length <= WORD && policy === AS_TEXT && typeof text === 'string') {
        const known = this.#wordIds(open, text);
        return core.ids.copy(known, 0, known.length);
      }
      return encodeWhole(core, open.engine, open.idle ?? idleOf(open), text, policy);
    } catch (error) {
      throw core.caught(error);
    }
  }

  protected override countWhole(open: Open, text: string | Uint8Array, policy: TextPolicy, limit: number): number {
    const core = this.#core as WasmCore;
    core.checkAlive();
    try {
      if (text.length <= WORD && policy === AS_TEXT && typeof text === 'string') {
        return Math.min(this.#wordIds(open, text).length, limit);
      }
      return countWhole(core, open.engine, open.idle ?? idleOf(open), text, policy, limit);
    } catch (error) {
      throw core.caught(error);
    }
  }

  /** Whether its module has documents: the small one for pages has none. */
  get hasDocuments(): boolean {
    this.live();
    return 'crayon_document_create' in (this.#core as WasmCore).engine;
  }

  edit(policy: Policy, unit: OffsetUnit): EditedText {
    const { tokenizer } = this.live();
    const open = this.hasDocuments ? this.#texts?.() : undefined;
    if (open) return open(this.#textLender, this.#core as WasmCore, tokenizer, policy, unit);
    this.#whole ??= this.#openWhole?.();
    if (this.#whole) return this.#whole.edit(policy, unit);
    throw new TokenizerError(
      'cannot open a document: the WebAssembly module of this tokenizer has none; load the tokenizer with { documents: true }',
      { code: 'FEATURE_MISSING' },
    );
  }

  decode(ids: Uint32Array, skipSpecial: boolean): string {
    return this.#ask((core, tokenizer) => decodeText(core, tokenizer, ids, skipSpecial));
  }

  decodeBytes(ids: Uint32Array, skipSpecial: boolean): UnsharedUint8Array {
    return this.#ask((core, tokenizer) => decodeToBytes(core, tokenizer, ids, skipSpecial));
  }

  memory(): MemoryUse {
    const whole = this.#whole?.memory().private ?? 0;
    return { mapped: 0, private: this.#ask((core) => core.engine.memory.buffer.byteLength) + whole, caches: 0 };
  }

  /** A module's memory cannot shrink. */
  trim(): void {
    this.live();
  }

  /** Its objects go with the instance. */
  protected override release(): void {
    this.#core = undefined;
    this.#textLender.documents.clear();
    this.#words.clear();
    this.#whole?.close();
  }

  /** Throws, too, if the instance has stopped. */
  protected override live(): Open {
    const open = super.live();
    this.#core?.checkAlive();
    return open;
  }

  /** The ids of a word, cached: calling the engine again takes longer than a lookup. */
  #wordIds(open: Open, word: string): Uint32Array {
    const known = this.#words.get(word);
    if (known) return known;
    const ids = encodeWhole(this.#core as WasmCore, open.engine, open.idle ?? idleOf(open), word, AS_TEXT);
    if (this.#words.size === MOST_WORDS) this.#words.clear();
    this.#words.set(word, ids);
    return ids;
  }

  #ask<T>(answer: (core: WasmCore, tokenizer: Handle) => T): T {
    const { tokenizer } = this.live();
    const core = this.#core as WasmCore;
    try {
      return answer(core, tokenizer);
    } catch (error) {
      throw core.caught(error);
    }
  }
}

/** A tokenizer's instance, and its address there. */
export { insideOf };
