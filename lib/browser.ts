// The entry for browsers, web workers and edge workers: the same API as index.ts, which documents it, with the engine in WebAssembly.
//
// The engine and the built-in cartridges are JavaScript modules, imported on first use. Each import is a literal, so
// every bundler finds it and there are no separate assets to deploy.

import type { EngineTokenizer } from './engine/engine.js';
import { compileCartridgeOn } from './vocabularies/import/compile-cartridge.js';
import { type Host, load, loadSync } from './api/host.js';
import { bytesOfText, type EmbeddedBytes } from './vocabularies/open/embedded-bytes.js';
import type { LoadOptions } from './vocabularies/open/load-options.js';
import { tooLargeForScripts } from './vocabularies/open/sources-in-page.js';
import type { LateSource, Source } from './vocabularies/open/source.js';
import { Tokenizer as OpenTokenizer } from './api/tokenizer.js';
import { trainBpeOn } from './training/train-bpe.js';
import type { EncodingName, ProfileName } from './vocabularies/models.js';
import { completeModules, embeddedModules } from './hosts/module/embedded-modules.js';
import { openThrough, recipeOf } from './page-entry.js';
import { type WorkerHandle, WorkerPool } from './hosts/module/worker-pool.js';

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
const compiler = async () => (await import('./hosts/module/embedded-compiler.js')).embeddedCompiler();
const trainer = async () => (await import('./hosts/module/embedded-compiler.js')).embeddedTrainer();

const opening = openThrough({
  ...embeddedModules,
  complete: completeModules,
  cartridge: loadCartridge,
  decoders: async () => (await import('./vocabularies/decode/decoder.js')).decoderOf,
  documents: () => import('./page-documents.js'),
  compile: async (bytes, url, options) =>
    (await import('./vocabularies/import/compile-in-page.js')).compileFileOnWeb(bytes, url, options, compiler),
});

export const compileCartridge = /* @__PURE__ */ compileCartridgeOn(async (source, options) => {
  const { compileOnWeb } = await import('./vocabularies/import/compile-in-page.js');
  return compileOnWeb(source, options, { cartridge: loadCartridge, compiler });
});

export const trainBpe = /* @__PURE__ */ trainBpeOn(async (source, options) => {
  const { trainOnWeb } = await import('./training/train-in-page.js');
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
    const [{ adapt }, { run }] = await Promise.all([
      import('./training/adapt/adapt.js'),
      import('./vocabularies/import/compile-in-page.js'),
    ]);
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
