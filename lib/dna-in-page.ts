// The entry for DNA in browsers, web workers and edge workers: the same API as dna.ts, which documents it, with the engine in
// WebAssembly, whose module the first call loads.

import { packBasesOn, reverseComplementOn, unpackBasesOn } from './dna/bases.js';
import type { DiscoverOptions } from './dna/discover.js';
import { discover, DnaTokenizer as OpenDna, load, loadSync } from './dna/dna-tokenizer.js';
import type { Maybe } from './engine/dna-engine.js';
import type { DnaHost, DnaLoadOptions, DnaSource } from './dna/dna-sources.js';
import type { UpstreamEncode } from './dna/upstream.js';
import { TokenizerError, unexpected } from './base/errors.js';
import { bytesOfText } from './vocabularies/open/embedded-bytes.js';
import type { LoadOptions } from './vocabularies/open/load-options.js';
import { findOnWeb, tooLargeForScripts } from './vocabularies/open/sources-in-page.js';
import type { WasmModule } from './vocabularies/open/source.js';
import { FASTA, FASTQ } from './engine/record-parser.js';
import { type LoadRecords, type ReadFasta, type ReadFastq, readRecordsOn } from './dna/records/read-records.js';
import { checkSource } from './dna/records/sources.js';
import { compileWasmDna, openWasmDna, wasmBases } from './hosts/module/module-dna.js';
import { embeddedModules } from './hosts/module/embedded-modules.js';
import type { WasmBytes } from './hosts/module/module.js';
import { loadModule, type Modules, moduleIfHere } from './hosts/module/modules.js';

export * from './dna-exports.js';

/** The module for DNA, embedded in JavaScript and loaded when first needed. */
const modules: Modules = {
  name: 'dna',
  async packaged(kernel): Promise<WasmBytes> {
    const { default: text } = await (kernel === 'simd128' ? import('#embedded/dna') : import('#embedded/dna-scalar'));
    return bytesOfText(text);
  },
};

/** The module of the last vocabulary, which also works on bases. */
let loaded: WasmModule | undefined;
const bases = /* @__PURE__ */ wasmBases(() => loaded);

function withModule<T>({ wasm, kernel, backend }: LoadOptions, use: (module: WasmModule) => T): Maybe<T> {
  if (backend === 'native') throw unexpected("'wasm', as pages have no addon,", 'backend', backend);
  const module = moduleIfHere(wasm, kernel, modules) ?? loadModule(wasm, kernel, modules);
  const used = (module: WasmModule) => use((loaded = module));
  return module instanceof Promise ? module.then(used) : used(module);
}

const host: DnaHost = {
  kind: 'wasm',
  compile: (parts, options) => withModule(options, (module) => compileWasmDna(module, parts)),
  open(source, options, policies) {
    const { bytes } = findOnWeb(source, (name) => {
      throw tooLargeForScripts(name);
    });
    const settings = { ...options, dna: true };
    const open = (bytes: Uint8Array) => withModule(options, (module) => openWasmDna(module, bytes, settings, policies, bases));
    return bytes instanceof Promise ? bytes.then(open) : open(bytes);
  },
  async openBpe(vocabulary, options) {
    const [{ embeddedCompiler }, { openWasm }] = await Promise.all([
      import('./hosts/module/embedded-compiler.js'),
      import('./hosts/module/module-tokenizer.js'),
    ]);
    const [compiler, module] = await Promise.all([embeddedCompiler(), loadModule(undefined, options.kernel, embeddedModules)]);
    const bytes = compiler.compile(vocabulary, 'full');
    if ('code' in bytes) throw new TokenizerError(`cannot compile: ${bytes.sentence}`, bytes);
    return openWasm(module, bytes, { kernel: options.kernel });
  },
};

const loadRecords: LoadRecords = async () => {
  const [{ recordsOnWeb }, { wasmRecords }] = await Promise.all([
    import('./dna/records/records-in-page.js'),
    import('./hosts/module/module-records.js'),
  ]);
  return recordsOnWeb(async (wasm) => wasmRecords(await loadModule(wasm, undefined, modules)));
};

export const readFasta: ReadFasta = /* @__PURE__ */ readRecordsOn(FASTA, loadRecords, checkSource);
export const readFastq: ReadFastq = /* @__PURE__ */ readRecordsOn(FASTQ, loadRecords, checkSource);
export const reverseComplement = /* @__PURE__ */ reverseComplementOn(bases);
export const packBases = /* @__PURE__ */ packBasesOn(bases);
export const unpackBases = /* @__PURE__ */ unpackBasesOn(bases);

export class DnaTokenizer extends OpenDna {
  static load(source: DnaSource, options?: DnaLoadOptions): Promise<DnaTokenizer> {
    return load(DnaTokenizer, host, source, options);
  }

  static loadSync(source: DnaSource, options?: DnaLoadOptions): DnaTokenizer {
    return loadSync(DnaTokenizer, host, source, options);
  }

  static discover(encodeFn: UpstreamEncode | object, options?: DiscoverOptions): Promise<DnaTokenizer> {
    return discover(DnaTokenizer, host, encodeFn, options);
  }
}
