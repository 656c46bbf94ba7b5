// How the drop-ins compile in pages: the module that compiles also opens the result.

import type { Compiler } from '../../engine/compiler.js';
import build from '#embedded/build';
import { bytesOfText } from '../../vocabularies/open/embedded-bytes.js';
import type { WasmModule } from '../../vocabularies/open/source.js';
import { wasmCompiler } from '../../hosts/module/module-compiler.js';
import { moduleNow } from '../../hosts/module/module.js';
import type { Decoders } from '../../vocabularies/metadata.js';
import { openedBy } from './opening-in-page.js';

let module: WasmModule | undefined;
const moduleOnce = () => (module ??= moduleNow(bytesOfText(build)));

/** Opens vocabularies. `decoders`: opens a vocabulary that has a decoder. */
export const openBy = (decoders?: Decoders) => openedBy(moduleOnce, decoders);

export const open = /* @__PURE__ */ openBy();

let pageCompiler: Compiler | undefined;

/** Compiles on this thread. */
export function compiler(): Compiler {
  pageCompiler ??= wasmCompiler(moduleOnce());
  return pageCompiler;
}
