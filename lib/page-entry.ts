// The WebAssembly backend on hosts without files: opens sources found by vocabularies/open/sources-in-page.ts, and records how a worker can
// open the same. Entries pass their modules and cartridges.

import { isDat, type ListText, readDat } from './vocabularies/open/dat.js';
import type { CompileOptions } from './vocabularies/import/compile-cartridge.js';
import { isCompiledFile, isCompiledLocation } from './vocabularies/open/foreign.js';
import { checkNotCompiled, checkNoUnknownId, type LoadOptions, inPlaceOf, loadOptions } from './vocabularies/open/load-options.js';
import { type CartridgeLoader, findOnWeb, type Found } from './vocabularies/open/sources-in-page.js';
import { arrived, isLate, type LateSource, type Source, type WasmModule } from './vocabularies/open/source.js';
import { decoderIn, DECODERS_MISSING, type MakeDecoding } from './vocabularies/metadata.js';
import type { EngineTokenizer } from './engine/engine.js';
import { unexpected } from './base/errors.js';
import { bytesOf, isPromise } from './base/views.js';
import type { Host, OpenDocument } from './api/host.js';
import type * as Documents from './page-documents.js';
import { openWasm, type WasmTokenizer } from './hosts/module/module-tokenizer.js';
import { completeModule, loadModule, type Modules, modulesFor, modulesToCompileWith, moduleIfHere } from './hosts/module/modules.js';
import type { WorkerRecipe } from './hosts/module/worker-job.js';

/** What an entry provides: modules and the built-in cartridges. */
export interface Web extends Modules {
  cartridge: CartridgeLoader;
  /** Loads the code for vocabularies that have a decoder. Undefined if none can be opened. */
  decoders?: () => Promise<MakeDecoding>;
  /** Loads the code for documents. Undefined if none can be opened. */
  documents?: () => Promise<typeof Documents>;
  /** Compiles a JSON or rank file to a cartridge; undefined if the host does not compile. */
  compile?: (bytes: Uint8Array, url: string | undefined, options: Compiling) => Promise<Uint8Array>;
}

/** The compile-related options. */
type Compiling = Pick<CompileOptions, 'pretokenizer' | 'specialTokens' | 'tokenizerConfig'>;

/** How an entry opens sources. */
export interface Opening {
  /** Opens any source. What a vocabulary needs and has not been loaded is put here. */
  host: Pick<Host, 'open'> & { decoderOf?: MakeDecoding; openDocument?: OpenDocument };
  /** Only sources that can be opened synchronously. */
  openSync(source: Source, options?: LoadOptions): EngineTokenizer;
}

export function openThrough(web: Web): Opening {
  let texts: typeof Documents.openText | undefined;
  async function opened(found: Found, bytes: Uint8Array, module: WasmModule, options: LoadOptions, list?: ListText) {
    const engine = await openedIn(found, bytes, module, options, list);
    try {
      if (web.decoders && !host.decoderOf && hasDecoder(engine)) host.decoderOf = await web.decoders();
      if (web.documents && options.documents && (engine as WasmTokenizer).hasDocuments) {
        ({ openDocument: host.openDocument, openText: texts } = await web.documents());
      }
      return engine;
    } catch (error) {
      engine.close();
      throw error;
    }
  }
  async function openedIn(found: Found, bytes: Uint8Array, module: WasmModule, options: LoadOptions, list?: ListText) {
    try {
      return openFound(found, bytes, module, options, list);
    } catch (error) {
      const others = modulesFor(error, options.wasm, web);
      if (!others) throw error;
      return openFound(found, bytes, await loadModule(undefined, options.kernel, others), options, list);
    }
  }
  function openedNow(found: Found, bytes: Uint8Array, module: WasmModule, options: LoadOptions) {
    const engine = openedNowIn(found, bytes, module, options);
    if (!web.decoders || host.decoderOf || !hasDecoder(engine)) return engine;
    engine.close();
    throw new TypeError(DECODERS_MISSING);
  }
  function openedNowIn(found: Found, bytes: Uint8Array, module: WasmModule, options: LoadOptions) {
    try {
      return openFound(found, bytes, module, options);
    } catch (error) {
      const others = modulesFor(error, options.wasm, web);
      const other = others && moduleIfHere(undefined, options.kernel, others);
      if (!other) throw error;
      return openFound(found, bytes, other, options);
    }
  }
  function openFound(found: Found, bytes: Uint8Array, module: WasmModule, options: LoadOptions, list?: ListText): EngineTokenizer {
    const { verify, kernel, cacheBytes } = options;
    const view = options.view ?? found.view;
    const dat = isDat(bytes) ? readDat({ list, unknownId: options.unknownId, unknownUnit: options.unknownUnit }) : undefined;
    if (!dat) checkNoUnknownId(options);
    const whole = () => {
      const other = completeModule(options.wasm, kernel, web);
      return other && openWasm(other, bytes, { kernel, verify, cacheBytes, view, dat, texts: () => texts });
    };
    const engine = openWasm(module, bytes, { kernel, verify, cacheBytes, view, model: found.model, dat, whole, texts: () => texts });
    // A worker returns ids, so it needs no list of tokens.
    recipes.set(engine, { module, bytes, options: { kernel, verify, cacheBytes, view }, unknown: dat?.unknown });
    return engine;
  }
  const host: Opening['host'] = {
    async open(source, callOptions, before) {
      const options = inPlaceOf(before, webOptions(callOptions, source));
      // The module and the cartridge load in parallel. What is compiled is opened by the module that compiles: a page downloads one.
      const passed = isLate(source) ? undefined : bytesOf(source, 'source');
      const needsAll = options.documents || (passed && web.compile && isCompiledFile(passed));
      const modules = needsAll ? modulesToCompileWith(options.wasm, web) : web;
      const module = loadModule(options.wasm, options.kernel, modules);
      module.catch(() => undefined);
      const found = findOnWeb(isLate(source) ? await arrived(source as LateSource) : source, web.cartridge);
      const bytes = await found.bytes;
      const isCompiled = isCompiledFile(bytes) || (found.url !== undefined && isCompiledLocation(found.url));
      if (!web.compile || !isCompiled) {
        checkNotCompiled(options);
        return opened(found, bytes, await module, options, await found.list);
      }
      const { pretokenizer, specialTokens, tokenizerConfig } = options as Compiling;
      const compiled = await web.compile(bytes, found.url, { pretokenizer, specialTokens, tokenizerConfig });
      return opened(found, compiled, await module, options, await found.list);
    },
  };
  return {
    host,
    openSync(source, callOptions) {
      const options = webOptions(callOptions, source);
      checkNotCompiled(options);
      const found = findOnWeb(source, web.cartridge);
      const { bytes } = found;
      if (isPromise(bytes)) {
        bytes.then(undefined, () => undefined);
        throw notHere('a cartridge', 'source');
      }
      const modules = options.documents ? modulesToCompileWith(options.wasm, web) : web;
      const module = moduleIfHere(options.wasm, options.kernel, modules);
      if (!module) throw notHere('a WebAssembly module', 'wasm');
      return openedNow(found, bytes, module, options);
    },
  };
}

const recipes = new WeakMap<EngineTokenizer, WorkerRecipe>();

/** How a worker can open the tokenizer opened here. */
export function recipeOf(engine: EngineTokenizer): WorkerRecipe | undefined {
  return recipes.get(engine);
}

/** Whether a vocabulary has a decoder. */
function hasDecoder(engine: EngineTokenizer): boolean {
  try {
    return decoderIn(engine.describe().metadata) !== undefined;
  } catch {
    return false; // unreadable metadata is an error only when needed
  }
}

function notHere(what: string, name: string): TypeError {
  return new TypeError(
    `expected ${what} that is already here for ${name}, as loadSync needs it: await Tokenizer.load(), ` +
      "or import 'crayon-tokenizer/inline/o200k_base', which has all in one script",
  );
}

function webOptions(callOptions: LoadOptions | undefined, source: unknown): LoadOptions {
  const options = loadOptions(callOptions, source);
  if (options.backend === 'native') throw unexpected("'wasm', as pages have no addon,", 'backend', options.backend);
  return options;
}
