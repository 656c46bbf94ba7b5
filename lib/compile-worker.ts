// What compileCartridge does on a thread of its own in Node: the job comes with the thread.

import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

import { answerTo, type CompileAnswer, type CompileJob } from './compile-job.js';
import type { Compiler } from './compiler.js';
import { nativeCompiler } from './native-compiler.js';
import { wasmCompiler } from './wasm-compiler.js';
import { moduleNow } from './wasm-module.js';

/** The job, and who does it: the addon, or the module at a path. */
export interface CompileThreadData {
  job: CompileJob;
  module: string | undefined;
}

const { job, module } = workerData as CompileThreadData;

function compiler(): Compiler {
  return module === undefined ? nativeCompiler() : wasmCompiler(moduleNow(readFileSync(module)));
}

function send(answer: CompileAnswer): void {
  parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer as ArrayBuffer] : []);
}

send(await answerTo(compiler, job, (progress) => send({ progress })));
