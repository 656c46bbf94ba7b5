// The script of the threads started by import/in-node.ts: the job is the only message it receives.

import { parentPort } from 'node:worker_threads';

import type { CompileThreadData } from './import/in-node.js';
import { answerTo, type CompileAnswer } from './import/job.js';
import type { WorkMessage } from './open/threads.js';
import { nativeCompiler } from './native/compiler.js';
import { wasmCompiler } from './wasm/compiler.js';
import { moduleNow } from './wasm/module.js';

function send(message: WorkMessage<CompileAnswer>): void {
  const bytes = typeof message === 'object' && 'bytes' in message ? message.bytes : undefined;
  parentPort?.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : []);
}

parentPort?.once('message', async ({ job, module }: CompileThreadData) => {
  const compiler = () => (module === undefined ? nativeCompiler() : wasmCompiler(moduleNow(module)));
  send(await answerTo(compiler, job, (progress) => send({ progress })));
});
send('loaded');
