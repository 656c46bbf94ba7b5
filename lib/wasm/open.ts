// Opens cartridges in instances.

import { CACHE_BYTES } from '../engine/cache-limits.js';
import type { EngineTokenizer } from '../engine/engine.js';
import type { Dat } from '../open/dat.js';
import { OPEN_NO_CHECKSUM, openFailed, type OpenOptions, wrongClass } from '../open/open-failed.js';
import type { WasmModule } from '../open/source.js';
import type { TokenizerError } from '../base/errors.js';
import { WasmCore } from './core.js';
import { descriptionOf, NO_ID, viewNames } from './description.js';
import { type WasmOptions, WasmTokenizer } from './engine.js';
import { wasmKernels } from './module.js';

const DNA_SECTION = 17;
const METADATA_SECTION = 1;
/** In the metadata, of a decoder's pattern (lib/decode/spec.ts); quotes of a text in JSON have backslashes. */
const A_PROGRAM = '"Program":[';
const MAX_CARTRIDGE = 0x7fffffff;

/** Opens a cartridge from its bytes, which are copied, in a new instance. `path`: the file of the bytes, if any. */
export function openWasm(module: WasmModule, bytes: Uint8Array, options: WasmOptions, path?: string): EngineTokenizer {
  const core = new WasmCore(module, options.host);
  try {
    const cartridge = openCartridge(core, bytes, options, path);
    const view = findView(core, cartridge, bytes, options.view, path);
    const tokenizer = createTokenizer(core, cartridge, view, bytes, options.kernel ?? '', path);
    const isDna = core.cString(core.engine.crayon_tokenizer_model(tokenizer)) === 'dna';
    if (isDna !== (options.dna ?? false)) throw wrongClass(path ?? bytes, isDna);
    if (!isDna) {
      const cacheBytes = Math.max(Math.min(options.cacheBytes ?? CACHE_BYTES.page, CACHE_BYTES.page), 1);
      core.engine.crayon_tokenizer_cache_limit(tokenizer, BigInt(cacheBytes));
    }
    const open = { core, cartridge, tokenizer, view };
    if (!('crayon_regex_matches' in core.engine) && descriptionOf(open).metadata.includes(A_PROGRAM)) {
      const sentence = 'its decoder has a pattern, which this build of the engine cannot match';
      throw refused(core, { code: 'FEATURE_MISSING', sentence, section: METADATA_SECTION, position: 0 }, bytes, path);
    }
    return new WasmTokenizer(open, options);
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
