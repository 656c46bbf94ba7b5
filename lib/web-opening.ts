// Opening where there are no files: names stand for cartridges that the entry brings, everything else is bytes or comes
// over the network.

import { bytesOf, tagOf } from './arguments.js';
import type { EngineTokenizer } from './backend.js';
import { isDat, listPlace, type ListText, namesDat, readDat } from './dat.js';
import { TokenizerError, unexpected } from './errors.js';
import { arrived, isLate, isPromise, type LateSource } from './late-source.js';
import { checkNoUnknownId, checkOptions, type LoadOptions } from './load-options.js';
import type { Open } from './loaded-tokenizer.js';
import { builtInNamed, unknownName } from './models.js';
import type { Source } from './sources.js';
import { openWasm } from './wasm-backend.js';
import { loadModule, type Modules, moduleIfHere } from './wasm-loader.js';
import type { WasmModule } from './wasm-module.js';
import type { WorkerRecipe } from './worker-pool.js';

/** What an entry brings: modules, and the cartridge of a name (of BuiltIn). */
export interface Web extends Modules {
  cartridge(name: string): Uint8Array | Promise<Uint8Array>;
}

/** The bytes of a cartridge, here or on their way, and what the source says of its view. */
export interface Found {
  bytes: Uint8Array | Promise<Uint8Array>;
  view?: string;
  model?: string | undefined;
  /** The built-in encoding or profile that it is. */
  name?: string;
  /** Of a version 2 file: the list beside it, if it has one. */
  list?: Promise<ListText | undefined>;
}

/** Opens what an entry can: `later` takes anything, `now` what is at hand. */
export function openThrough(web: Web): { later: Open; now(source: Source, options?: LoadOptions): EngineTokenizer } {
  return {
    async later(source, options = {}) {
      checkWebOptions(options);
      // The module comes while the cartridge comes.
      const module = loadModule(options.wasm, options.kernel, web);
      module.catch(() => undefined);
      const found = find(isLate(source) ? await arrived(source as LateSource) : source, web);
      return openFound(found, await found.bytes, await module, options, await found.list);
    },
    now(source, options = {}) {
      checkWebOptions(options);
      const found = find(source, web);
      const { bytes } = found;
      if (isPromise(bytes)) {
        bytes.then(undefined, () => undefined);
        throw notHere('a cartridge', 'source');
      }
      const module = moduleIfHere(options.wasm, options.kernel, web);
      if (!module) throw notHere('a WebAssembly module', 'wasm');
      return openFound(found, bytes, module, options);
    },
  };
}

const recipes = new WeakMap<EngineTokenizer, WorkerRecipe>();

/** How a worker opens the same as an engine that was opened here. */
export function recipeOf(engine: EngineTokenizer): WorkerRecipe | undefined {
  return recipes.get(engine);
}

function openFound(
  found: Found,
  bytes: Uint8Array,
  module: WasmModule,
  options: LoadOptions,
  list?: ListText,
): EngineTokenizer {
  const { verify, kernel } = options;
  const view = options.view ?? found.view;
  const dat = isDat(bytes) ? readDat({ list, unknownId: options.unknownId }) : undefined;
  if (!dat) checkNoUnknownId(options);
  const engine = openWasm(module, bytes, { kernel, verify, view, model: found.model, dat });
  // A worker needs no list of tokens: it gives ids.
  const recipe = { kernel, verify, view, unknownId: dat?.unknownId, wasm: module };
  recipes.set(engine, { source: found.name ?? bytes, options: recipe });
  return engine;
}

function notHere(what: string, name: string): TypeError {
  return new TypeError(
    `expected ${what} that is at hand for ${name}, as loadSync needs it: await Tokenizer.load(), ` +
      "or import 'crayon-tokenizer/inline/o200k_base', which brings all in one script",
  );
}

function checkWebOptions(options: LoadOptions): void {
  checkOptions(options);
  if (options.backend === 'native') throw unexpected("'wasm', which is what runs here,", 'backend', options.backend);
}

/** Finds what a source is; throws a TypeError, or a TokenizerError for an unknown name. */
export function find(source: Source, web: Pick<Web, 'cartridge'>): Found {
  if (typeof source === 'string') return findString(source, web);
  if (source instanceof URL || tagOf(source) === 'URL') return foundAt((source as URL).href);
  const bytes = bytesOf(source, 'source');
  if (bytes) return { bytes };
  throw unexpected('an encoding, a model, a URL, the bytes of a cartridge, a Response or a Blob', 'source', source);
}

function findString(source: string, web: Pick<Web, 'cartridge'>): Found {
  if (source === '') throw unexpected('the name of an encoding or model, or a URL,', 'source', source);
  const named = builtInNamed(source);
  if (named) {
    const { cartridge, view, model } = named;
    return { bytes: web.cartridge(cartridge), view, name: view, model };
  }
  if (/\/|\.(?:cray|dat)$/i.test(source)) return foundAt(source);
  throw new TokenizerError(unknownName(source, []), { code: 'FILE_NOT_FOUND' });
}

/** What is at a URL: beside a `.dat`, the list of its tokens. */
function foundAt(place: string): Found {
  if (!namesDat(place)) return { bytes: fetched(place) };
  const list = fetchedList(listPlace(place));
  list.catch(() => undefined); // it is waited for behind the bytes, which may fail first
  return { bytes: fetched(place), list };
}

/** Undefined if there is none. */
async function fetchedList(file: string): Promise<ListText | undefined> {
  const response = await fetch(file);
  if (response.status === 404 || response.status === 410) return undefined;
  if (!response.ok) throw new Error(`cannot load the tokens from ${file}: ${response.status} ${response.statusText}`);
  return { text: await response.text(), file };
}

/** The error for a cartridge that no entry for browsers has. */
export function tooLargeForScripts(name: string): TokenizerError {
  const place = `cartridges/${name}.cray`;
  const message = `the cartridge ${name} is too large for a script; load it by a URL of the package's ${place}`;
  return new TokenizerError(message, { code: 'FILE_NOT_FOUND' });
}

async function fetched(place: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(place);
  } catch (cause) {
    const message = `cannot load a cartridge from ${place}: ${(cause as Error).message}`;
    throw new TokenizerError(message, { code: 'FILE_UNREADABLE' }, { cause });
  }
  return bytesOf(await arrived(response), 'source') as Uint8Array;
}
