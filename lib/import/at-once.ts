// Compiles without waiting, with all modules here: for callers that are synchronous.

import * as general from './general.js';
import { atOnce } from '../compile/steps.js';
import * as regex from '../patterns/regex.js';
import * as tables from '../patterns/tables.js';
import * as words from '../patterns/words.js';
import type { UnsharedUint8Array } from '../base/typed-arrays.js';
import type { Compiler } from '../compile/compiler.js';
import { type CompileJob, runJob } from './job.js';

/** The bytes of the cartridge of a `tokenizer.json`. Throws a TokenizerError for one that no cartridge can hold. */
export function compiledAtOnce(compiler: Compiler, job: CompileJob): UnsharedUint8Array {
  return atOnce(
    runJob(compiler, job, () => undefined),
    { general, regex, tables, words },
  );
}
