// The entry for browsers, web workers and edge workers: the same API as index.ts, which documents it, with the engine in WebAssembly.
//
// The engine and the built-in cartridges are JavaScript modules, imported on first use. Each import is a literal, so
// every bundler finds it and there are no separate assets to deploy.

import type { EngineTokenizer } from './engine/engine.js';
import { compileCartridgeOn } from './import/compile-cartridge.js';
import { type Host, load, loadSync } from './tokenizer/host.js';
import { bytesOfText, type EmbeddedBytes } from './open/embedded-bytes.js';
import type { LoadOptions } from './open/load-options.js';
import { tooLargeForScripts } from './open/on-web.js';
import type { LateSource, Source } from './open/source.js';
import { Tokenizer as OpenTokenizer } from './tokenizer/tokenizer.js';
import { trainBpeOn } from './train/train-bpe.js';
import type { EncodingName, ProfileName } from './vocabulary/models.js';
import { completeModules, embeddedModules } from './wasm/embedded-modules.js';
import { openThrough, recipeOf } from './wasm/on-web.js';
import { type WorkerHandle, WorkerPool } from './wasm/worker-pool.js';

export * from './exports.js';

const CARTRIDGES: Partial<Record<string, () => Promise<{ default: EmbeddedBytes }>>> = {
  r50k_base: () => import('#embedded/r50k_base'),
  p50k_base: () => import('#embedded/p50k_base'),
  cl100k_base: () => import('#embedded/cl100k_base'),
  o200k_base: () => import('#embedded/o200k_base'),
  lite: () => import('#embedded/lite'),
} satisfies Partial<Record<EncodingName | ProfileName, unknown>>;

async function loadCartridge(name: string): Promise<Uint8Array> {
  const load = CARTRIDGES[name];
  if (load) return bytesOfText((await load()).default);
  throw tooLargeForScripts(name);
}

// Most pages compile and train nothing, so the first call loads this code.
const compiler = async () => (await import('./wasm/embedded-compiler.js')).embeddedCompiler();
const trainer = async () => (await import('./wasm/embedded-compiler.js')).embeddedTrainer();

const opening = openThrough({
  ...embeddedModules,
  complete: completeModules,
  cartridge: loadCartridge,
  decoders: async () => (await import('./decode/decoder.js')).decoderOf,
  documents: () => import('./wasm/documents.js'),
  compile: async (bytes, url, options) => (await import('./import/on-web.js')).compileFileOnWeb(bytes, url, options, compiler),
});

export const compileCartridge = /* @__PURE__ */ compileCartridgeOn(async (source, options) => {
  const { compileOnWeb } = await import('./import/on-web.js');
  return compileOnWeb(source, options, { cartridge: loadCartridge, compiler });
});

export const trainBpe = /* @__PURE__ */ trainBpeOn(async (source, options) => {
  const { trainOnWeb } = await import('./train/on-web.js');
  return trainOnWeb(source, options, { compiler, trainer });
});

declare const Worker: new (script: URL, options: { type: 'module' }) => WorkerHandle;

const pools = new WeakMap<EngineTokenizer, WorkerPool>();

const host: Host = Object.assign(opening.host, {
  backgroundOf(engine) {
    const recipe = recipeOf(engine);
    if (typeof Worker === 'undefined' || !recipe) return undefined;
    let pool = pools.get(engine);
    if (!pool) {
      // Bundlers recognize exactly this expression.
      pool = new WorkerPool(engine, recipe, () => new Worker(new URL('./encode-worker.js', import.meta.url), { type: 'module' }));
      pools.set(engine, pool);
    }
    return pool;
  },
  end: (engine) => pools.get(engine)?.end(),
  async adapt(adapting, options) {
    const [{ adapt }, { run }] = await Promise.all([import('./adapt/adapt.js'), import('./import/on-web.js')]);
    return adapt(adapting, options, (job, signal) => run(job, { signal }, compiler));
  },
  chat: async () => (await import('./chat/chat.js')).chat,
} satisfies Partial<Host>);

const entry = { openSync: opening.openSync, host };

export class Tokenizer extends OpenTokenizer {
  static load(source: Source | LateSource, options?: LoadOptions): Promise<Tokenizer> {
    return load(Tokenizer, entry, source, options);
  }

  static loadSync(source: Source, options?: LoadOptions): Tokenizer {
    return loadSync(Tokenizer, entry, source, options);
  }
}
