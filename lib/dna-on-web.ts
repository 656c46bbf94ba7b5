// DNA in pages, loaded by the first `DnaTokenizer.load`.

import { useForBases } from './dna/bases.js';
import { discover } from './dna/discover.js';
import type { DiscoverOptions } from './dna/discover.js';
import type { DnaHost, Maybe } from './dna/engine.js';
import { type DnaSource, openDna } from './dna/open.js';
import type { DnaLoadOptions } from './dna/load-options.js';
import type { OpenedDna } from './dna/opened.js';
import { bytesOfText } from './open/embedded-bytes.js';
import type { LoadOptions } from './open/load-options.js';
import { findOnWeb, tooLargeForScripts } from './open/on-web.js';
import type { WasmModule } from './open/wasm-source.js';
import { TokenizerError, unexpected } from './base/errors.js';
import { wasmBases } from './wasm/bases.js';
import { compileWasmDna, openWasmDna } from './wasm/dna.js';
import { embeddedCompiler } from './wasm/embedded-compiler.js';
import { embeddedModules } from './wasm/embedded-modules.js';
import { openWasm } from './wasm/open.js';
import { loadModule, type Modules, moduleIfHere } from './wasm/modules.js';

const dnaModules: Modules = {
  name: 'dna',
  async own(kernel) {
    const { default: text } = await (kernel === 'simd128' ? import('./embedded/dna.js') : import('./embedded/dna-scalar.js'));
    return bytesOfText(text);
  },
};

/** Compiles the module once; it then handles all work on bases. */
function moduleFor({ wasm, kernel, backend }: LoadOptions): Maybe<WasmModule> {
  if (backend === 'native') throw unexpected("'wasm', which is what runs here,", 'backend', backend);
  return moduleIfHere(wasm, kernel, dnaModules) ?? loadModule(wasm, kernel, dnaModules);
}

let ofBases: WasmModule | undefined;

function withModule<T>(options: LoadOptions, use: (module: WasmModule) => T): Maybe<T> {
  const module = moduleFor(options);
  const used = (module: WasmModule) => {
    if (module !== ofBases) useForBases(wasmBases(() => module));
    ofBases = module;
    return use(module);
  };
  return module instanceof Promise ? module.then(used) : used(module);
}

const host: DnaHost = {
  kind: 'wasm',
  compile: (parts, options) => withModule(options, (module) => compileWasmDna(module, parts)),
  open(source, options, policies) {
    const { bytes } = findOnWeb(source, (name) => {
      throw tooLargeForScripts(name);
    });
    const open = (bytes: Uint8Array) => withModule(options, (module) => openWasmDna(module, bytes, { ...options, dna: true }, policies));
    return bytes instanceof Promise ? bytes.then(open) : open(bytes);
  },
  async openBpe(vocabulary, options) {
    const [compiler, module] = await Promise.all([embeddedCompiler(), loadModule(undefined, options.kernel, embeddedModules)]);
    const bytes = compiler.compile(vocabulary, 'full');
    if ('code' in bytes) throw new TokenizerError(`cannot compile: ${bytes.sentence}`, bytes);
    return openWasm(module, bytes, { kernel: options.kernel });
  },
};

/** Opens a source for `DnaTokenizer.load`. */
export function open(source: DnaSource, options: DnaLoadOptions | undefined): Maybe<OpenedDna> {
  return openDna(host, source, options);
}

/** The work of `DnaTokenizer.discover`. */
export function discoverHere(encodeFn: unknown, options: DiscoverOptions | undefined): Promise<OpenedDna> {
  return discover(host, encodeFn, options);
}
