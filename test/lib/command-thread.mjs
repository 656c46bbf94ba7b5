// Runs the command `crayon` again and again in one thread, for tests of its answers rather than of its process, since
// starting a process takes most of the time. The command's module is evaluated anew for each run.

import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const { cli, flag, answers } = workerData;

// Through these, the thread that started this one asks the streams for more, including the streams that replace them.
const asked = Object.getOwnPropertySymbols(Object.getPrototypeOf(process.stdout)).filter(({ description }) =>
  description?.startsWith('kStdio'),
);

/** A stream that replaces one of the process. */
function collected() {
  const chunks = [];
  const stream = new Writable({
    decodeStrings: true,
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  for (const symbol of asked) stream[symbol] = () => undefined;
  return { stream, bytes: () => Buffer.concat(chunks) };
}

/** As much at a time as a pipe delivers. */
function* asOfPipe(bytes) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function replace(name, value) {
  Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
}

let runs = 0;
parentPort.on('message', async ({ args, input }) => {
  const [out, error] = [collected(), collected()];
  replace('stdin', Readable.from(asOfPipe(Buffer.from(input)), { objectMode: false }));
  replace('stdout', out.stream);
  replace('stderr', error.stream);
  process.argv = [process.execPath, cli, ...args];
  process.exitCode = undefined;
  let failure;
  try {
    await import(`${pathToFileURL(cli)}?run=${runs++}`);
  } catch (thrown) {
    failure = String(thrown?.stack ?? thrown);
  }
  answers.postMessage({ status: process.exitCode ?? 0, stdout: out.bytes(), stderr: error.bytes(), failure });
  process.exitCode = undefined;
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
});
