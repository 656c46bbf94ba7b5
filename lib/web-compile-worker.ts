// What compileCartridge does in a worker of a browser: the job is the only message that comes.

import { answerTo, type CompileAnswer, type CompileJob } from './compile-job.js';
import { embeddedCompiler } from './embedded-compiler.js';

interface WorkerScope {
  postMessage(message: CompileAnswer, transfer?: ArrayBufferLike[]): void;
  onmessage: ((event: { data: CompileJob }) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = async ({ data }) => {
  const answer = await answerTo(embeddedCompiler, data, (progress) => scope.postMessage({ progress }));
  scope.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer] : []);
};
