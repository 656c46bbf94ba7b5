// Compiles for callers that are synchronous: a script of its own, since it has the tools for patterns, which are late elsewhere.

import type { UnsharedUint8Array } from '../../base/typed-arrays.js';
import type { Compiler } from '../../engine/compiler.js';
import { beginJob, type CompileJob, finishedBytes } from './compile-job.js';
import * as tools from './pattern-tools.js';

/** The bytes of the cartridge of a `tokenizer.json`. Throws a TokenizerError for one that no cartridge can hold. */
export function compiledAtOnce(compiler: Compiler, job: CompileJob): UnsharedUint8Array {
  return finishedBytes(
    beginJob(compiler, job, () => undefined),
    tools,
  );
}
