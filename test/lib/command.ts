// Runs the command `crayon`, in a thread that has loaded it already or as a process of its own.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

export const cli = fileURLToPath(new URL('../../dist/node/cli.js', import.meta.url));

// How Node determines the colours of a terminal (`tty.WriteStream.getColorDepth`): on a CI machine it reports "none".
const ASKED_FOR_COLOURS = new Set(
  'NO_COLOR FORCE_COLOR NODE_DISABLE_COLORS COLORTERM TERM_PROGRAM TMUX CI TF_BUILD TEAMCITY_VERSION'.split(' '),
);

/** The environment without variables that control colour: a test sets them itself. */
export function plainEnvironment(extra: Record<string, string> = {}): Record<string, string | undefined> {
  const rest = Object.entries(process.env).filter(([name]) => !ASKED_FOR_COLOURS.has(name));
  return { ...Object.fromEntries(rest), ...extra };
}

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
  bytes: Buffer;
}

/** Runs `crayon` with these arguments, in a folder, as a process of its own. */
export function crayonProcess(args: string[], cwd: string, input: string | Uint8Array = '', env: Record<string, string> = {}): Ended {
  const options = { input, cwd, env: plainEnvironment(env), maxBuffer: 2 ** 28 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], options);
  return { status, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout };
}

let thread: { worker: Worker; flag: Int32Array; answers: MessagePort } | undefined;

function startThread() {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const { port1: answers, port2 } = new MessageChannel();
  const file = fileURLToPath(new URL('command-thread.mjs', import.meta.url));
  const worker = new Worker(file, {
    workerData: { cli, flag, answers: port2 },
    transferList: [port2],
    env: plainEnvironment() as NodeJS.ProcessEnv,
    execArgv: [],
  });
  worker.unref();
  answers.unref();
  return { worker, flag, answers };
}

/** Runs `crayon` with these arguments, in a folder. Settings that are read from the environment at load time need a process. */
export function crayon(args: string[], cwd: string, input: string | Uint8Array = '', env: Record<string, string> = {}): Ended {
  if (Object.keys(env).length > 0) return crayonProcess(args, cwd, input, env);
  thread ??= startThread();
  const { worker, flag, answers } = thread;
  const before = process.cwd();
  process.chdir(cwd);
  Atomics.store(flag, 0, 0);
  worker.postMessage({ args, input });
  // The notification of the run before may come late, and ends a wait, too.
  while (Atomics.load(flag, 0) === 0 && Atomics.wait(flag, 0, 0, 120_000) === 'ok');
  process.chdir(before);
  const received = receiveMessageOnPort(answers);
  if (!received) {
    // Its answer must not become that of the next run.
    void worker.terminate();
    thread = undefined;
    throw new Error(`crayon ${args.join(' ')}: no answer`);
  }
  const { message } = received;
  if (message.failure !== undefined) throw new Error(message.failure);
  const bytes = Buffer.from(message.stdout);
  return { status: message.status, stdout: bytes.toString(), stderr: Buffer.from(message.stderr).toString(), bytes };
}

/** Whether there is a `script` that gives a program a terminal (util-linux's; others take other arguments). */
export const hasTerminal = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

/** What Node writes to a terminal: standard output and error together. Lines end in "\r\n" there. */
export function onTerminal(args: string[], cwd: string, env: Record<string, string> = {}): string {
  const quoted = [process.execPath, ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ');
  const full = plainEnvironment({ TERM: 'xterm-256color', ...env });
  const script = ['--quiet', '--return', '--command', quoted, '/dev/null'];
  return spawnSync('script', script, { cwd, env: full, input: '', encoding: 'utf8' }).stdout;
}
