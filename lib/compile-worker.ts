// The script of the threads started by compile/node-thread.ts: the job is the only message it receives.

import { parentPort } from 'node:worker_threads';

import { answerTo } from './import/job.js';
import type { CompileThreadData, CompileThreadMessage } from './import/node-thread.js';
import { nativeCompiler } from './native/compiler.js';
import { wasmCompiler } from './wasm/compiler.js';
import { moduleNow } from './wasm/module.js';

function send(message: CompileThreadMessage): void {
  const bytes = typeof message === 'object' && 'bytes' in message ? message.bytes : undefined;
  parentPort?.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : []);
}

parentPort?.once('message', async ({ job, module }: CompileThreadData) => {
  const compiler = () => (module === undefined ? nativeCompiler() : wasmCompiler(moduleNow(module)));
  send(await answerTo(compiler, job, (progress) => send({ progress })));
});
send('loaded');
