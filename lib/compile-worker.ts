// The script of the threads started by vocabularies/import/compile-in-node.ts: the job is the only message it receives.

import { parentPort } from 'node:worker_threads';

import type { CompileThreadData } from './vocabularies/import/compile-in-node.js';
import { answerTo, type CompileAnswer } from './vocabularies/import/compile-job.js';
import type { WorkMessage } from './vocabularies/open/threads.js';
import { nativeCompiler } from './hosts/addon/addon-compiler.js';
import { wasmCompiler } from './hosts/module/module-compiler.js';
import { moduleNow } from './hosts/module/module.js';

function send(message: WorkMessage<CompileAnswer>): void {
  const bytes = typeof message === 'object' && 'bytes' in message ? message.bytes : undefined;
  parentPort?.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : []);
}

parentPort?.once('message', async ({ job, module }: CompileThreadData) => {
  const compiler = () => (module === undefined ? nativeCompiler() : wasmCompiler(moduleNow(module)));
  send(await answerTo(compiler, job, (progress) => send({ progress })));
});
send('loaded');
