// Opens a cartridge, and one of its views as a tokenizer: checks what both hosts check.

import type { Failure, TokenizerError } from '../../base/errors.js';
import type { Dat } from '../../engine/compiler.js';
import { OPEN_COPY, OPEN_NO_CHECKSUM, openFailed, type OpenOptions, type Refused, wrongClass } from './open-failed.js';
import { NO_ID, viewNames } from '../../engine/description.js';
import type { CartridgeFunctions, Handle, NativeFunctions } from '../../engine/functions.js';
import type { Open, TokenizerEngine } from '../../engine/host-tokenizer.js';

const MAX_CARTRIDGE = 0x7fffffff;
/** The section of DNA, which only the module for DNA knows. */
const DNA_SECTION = 17;

type OpeningFunctions = CartridgeFunctions & Partial<NativeFunctions>;

/** Opens a cartridge; a handle, or -1. Bytes are copied. Only the addon opens files. */
export function openCartridge(engine: OpeningFunctions, source: string | Uint8Array, flags: number, dat: Dat | undefined): Handle {
  const { bytes, offsets, unknown = NO_ID } = dat ?? {};
  if (bytes && offsets) {
    if (typeof source !== 'string') return engine.cartridgeOpenDatBytes(source, flags, bytes, offsets, unknown);
    return engine.cartridgeOpenDatFile?.(source, flags, bytes, offsets, unknown) ?? -1;
  }
  if (typeof source !== 'string') return engine.cartridgeOpenBytes(source, flags);
  return engine.cartridgeOpenFile?.(source, flags) ?? -1;
}

/**
 * Opens a source's view. `name`: a path, or bytes, by which errors name it. `head`: its first bytes, if they can be read. `release`:
 * frees what has been opened before a failure.
 */
export function openTokenizer(
  engine: TokenizerEngine,
  source: string | Uint8Array,
  options: OpenOptions,
  { name, head, kernels }: { name: string | Uint8Array } & Pick<Refused, 'head' | 'kernels'>,
): Open {
  const { dat, kernel = '', dna = false } = options;
  const refused = (failure: Failure, views: string[] = []): TokenizerError =>
    openFailed(failure, { source: name, head, kernel, kernels, view: options.view, views: () => views, dat });
  if (typeof source !== 'string' && source.length > MAX_CARTRIDGE) {
    throw refused(failureOf('FILE_TOO_LARGE', 'the file is larger than a cartridge may be (2 GiB)'));
  }
  const flags = (options.verify === false ? OPEN_NO_CHECKSUM : 0) | (options.mmap === false && typeof source === 'string' ? OPEN_COPY : 0);
  const cartridge = openCartridge(engine, source, flags, dat);
  if (cartridge < 0) {
    const failure = engine.failure();
    if (failure.code === 'UNKNOWN_SECTION' && failure.section === DNA_SECTION) throw wrongClass(name, true);
    throw refused(failure);
  }
  let tokenizer = -1;
  try {
    const views = options.view === undefined ? [] : viewNames(engine, cartridge);
    const view = options.view === undefined ? 0 : views.indexOf(options.view);
    if (view < 0) throw refused(failureOf('UNKNOWN_VIEW', 'the cartridge has no view of that name'), views);
    tokenizer = engine.tokenizerCreate(cartridge, view, kernel);
    if (tokenizer < 0) throw refused(engine.failure());
    // A vocabulary of DNA opens only if DNA is requested.
    const isDna = engine.tokenizerModel(tokenizer) === 'dna';
    if (isDna !== dna) throw wrongClass(name, isDna);
    return { engine, cartridge, tokenizer, view, idle: undefined, encoders: new Set() };
  } catch (error) {
    if (tokenizer >= 0) engine.tokenizerRelease(tokenizer);
    engine.cartridgeRelease(cartridge);
    throw error;
  }
}

function failureOf(code: Failure['code'], sentence: string): Failure {
  return { code, sentence, section: 0, position: 0 };
}
