// Shared code of the Node entries: `crayon-tokenizer`, whose engine is the addon or WebAssembly, and `crayon-tokenizer/wasm`,
// which names no addon module. Each passes its backends and gets the functions to export and the hosts of its classes.

import { type CompileCartridge, compileCartridgeOn, type CompileOptions } from './vocabularies/import/compile-cartridge.js';
import type { Compiler } from './engine/compiler.js';
import { decoderOf } from './vocabularies/decode/decoder.js';
import type { EngineTokenizer } from './engine/engine.js';
import { files } from './api/file/encode-file.js';
import { arrived, atOnce, isLate, type LateSource, type Source } from './vocabularies/open/source.js';
import { inPlaceOfKept, keepFullLater } from './vocabularies/open/built-in.js';
import { explainUnopened, resolveSource } from './vocabularies/open/sources-in-node.js';
import { isCompiledSource, refuseCompiled } from './vocabularies/open/foreign.js';
import { checkNotCompiled, type KindOf, type LoadOptions, inPlaceOf, loadOptions } from './vocabularies/open/load-options.js';
import type { Host } from './api/host.js';
import { openDocument } from './api/text-document.js';
import { bytesOf } from './base/views.js';
import { type TrainBpe, trainBpeOn } from './training/train-bpe.js';
import { buildModulePath, openWasmFile, wasmCompilerHere } from './hosts/module/modules-in-node.js';

/** The parts of the addon that an entry uses. */
export interface NativeBackend {
  compiler(): Compiler;
  openFile: typeof openWasmFile;
  backgroundOf: NonNullable<Host['backgroundOf']>;
  threads(): number;
}

export interface Backends {
  /** Absent where the addon is never used. */
  native?: NativeBackend;
  kindOf: KindOf;
}

type Opened = EngineTokenizer | Promise<EngineTokenizer>;

/** The functions that an entry exports, and what its classes open vocabularies with. */
export interface NodeEntry {
  compileCartridge: CompileCartridge;
  trainBpe: TrainBpe;
  /** Opens an available source synchronously. */
  openSync(source: Source, options?: LoadOptions): EngineTokenizer;
  host: Host;
}

export function nodeEntry({ native, kindOf }: Backends): NodeEntry {
  const nativeFor = (options: Pick<LoadOptions, 'backend'>, before?: EngineTokenizer) =>
    kindOf(options, before) === 'native' ? native : undefined;
  const compilerFor = (backend: NativeBackend | undefined) => ({
    native: backend?.compiler,
    module: buildModulePath,
    compiler: backend?.compiler ?? wasmCompilerHere,
  });

  function openHere(source: Source, callOptions?: LoadOptions, before?: EngineTokenizer): Opened {
    const options = inPlaceOf(before, loadOptions(callOptions, source));
    refuseCompiled(source);
    checkNotCompiled(options);
    const openFile = nativeFor(options, before)?.openFile ?? openWasmFile;
    const cartridge = resolveSource(source);
    try {
      const opened = openFile(cartridge, options);
      if (cartridge.slim?.path === cartridge.source) keepFullLater(cartridge.slim, expanding(options, before));
      return opened;
    } catch (error) {
      const instead = inPlaceOfKept(cartridge.source, cartridge.slim);
      if (instead !== undefined) return openFile({ ...cartridge, source: instead }, options);
      throw explainUnopened(error, cartridge);
    }
  }

  /** Expands a slim cartridge to a full one, on another thread. */
  function expanding(options: LoadOptions, before: EngineTokenizer | undefined) {
    return async (path: string) => {
      const { expandCartridge } = await import('./vocabularies/import/compile-in-node.js');
      return expandCartridge(path, compilerFor(nativeFor(options, before)));
    };
  }

  async function openLater(late: Source | LateSource, options: LoadOptions, before?: EngineTokenizer): Promise<EngineTokenizer> {
    const source = isLate(late) ? await arrived(late) : (bytesOf(late, 'source')?.slice() ?? late);
    if (!isCompiledSource(source)) return openHere(source, options, before);
    const { loadVocabulary } = await import('./vocabularies/import/compile-in-node.js');
    const { pretokenizer, specialTokens, tokenizerConfig, ...opening } = options;
    const compiling = { pretokenizer, specialTokens, tokenizerConfig } as CompileOptions;
    return loadVocabulary(source, compiling, compilerFor(nativeFor(options, before)), (cartridge) => openHere(cartridge, opening, before));
  }

  function open(source: Source | LateSource, options?: LoadOptions, before?: EngineTokenizer): Opened {
    if (!isLate(source) && !isCompiledSource(source)) return openHere(source, options, before);
    const copied = loadOptions(options, source); // the caller may change them before the source arrives
    kindOf(copied, before); // a backend that the entry lacks is an error at once
    return openLater(source, copied, before);
  }

  return {
    compileCartridge: compileCartridgeOn(async (source, options) => {
      const backend = nativeFor(options);
      // Most programs compile nothing, so the first call loads the code.
      const { compileInNode } = await import('./vocabularies/import/compile-in-node.js');
      const kind = backend ? 'native' : 'wasm';
      return compileInNode(source, options, {
        ...compilerFor(backend),
        open: (cartridge) => atOnce(openHere(cartridge, { backend: kind })),
      });
    }),
    trainBpe: trainBpeOn(async (source, options) => {
      const backend = nativeFor(options);
      const { trainInNode } = await import('./training/train-in-node.js');
      return trainInNode(source, options, { ...compilerFor(backend), threads: backend?.threads ?? (() => 1) });
    }),
    openSync: (source, options) => atOnce(openHere(source, options)),
    host: {
      open,
      decoderOf,
      ...(native && { backgroundOf: native.backgroundOf }),
      files,
      async adapt(adapting, options) {
        const [{ adapt }, { run }] = await Promise.all([
          import('./training/adapt/adapt.js'),
          import('./vocabularies/import/compile-in-node.js'),
        ]);
        const compiler = compilerFor(adapting.engine.kind === 'native' ? native : undefined);
        return adapt(adapting, options, (job, signal) => run(job, { signal }, compiler));
      },
      chat: async () => (await import('./chat/chat.js')).chat,
      openDocument,
    },
  };
}
