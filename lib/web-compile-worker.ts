// The script of compileCartridge's worker in browsers: the job is the only message it receives.

import { answerTo, type CompileAnswer, type CompileJob } from './vocabularies/import/compile-job.js';
import { embeddedCompiler } from './hosts/module/embedded-compiler.js';

interface WorkerScope {
  postMessage(message: CompileAnswer, transfer?: ArrayBufferLike[]): void;
  onmessage: ((event: { data: CompileJob }) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = async ({ data }) => {
  const answer = await answerTo(embeddedCompiler, data, (progress) => scope.postMessage({ progress }));
  scope.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer] : []);
};
