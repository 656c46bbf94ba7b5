// Runs the command `crayon`, as a process of its own.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const cli = fileURLToPath(new URL('../../dist/node/cli.js', import.meta.url));

// What Node asks for the colours of a terminal (`tty.WriteStream.getColorDepth`): on a machine of CI it says "none".
const ASKED_FOR_COLOURS = new Set(
  'NO_COLOR FORCE_COLOR NODE_DISABLE_COLORS COLORTERM TERM_PROGRAM TMUX CI TF_BUILD TEAMCITY_VERSION'.split(' '),
);

/** The environment without what says how to colour: a test says that itself. */
export function plainEnvironment(extra: Record<string, string> = {}): Record<string, string | undefined> {
  const rest = Object.entries(process.env).filter(([name]) => !ASKED_FOR_COLOURS.has(name));
  return { ...Object.fromEntries(rest), ...extra };
}

/** Runs `crayon` with these arguments, in a folder. */
export function crayon(args: string[], cwd: string, input: string | Uint8Array = '', env: Record<string, string> = {}) {
  const options = { input, cwd, env: plainEnvironment(env), maxBuffer: 2 ** 28 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], options);
  return { status, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout };
}

/** Whether there is a `script` that gives a program a terminal (that of util-linux; others take other arguments). */
export const hasTerminal = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

/** What Node writes to a terminal, standard output and error together. Lines end in "\r\n" there. */
export function onTerminal(args: string[], cwd: string, env: Record<string, string> = {}): string {
  const quoted = [process.execPath, ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ');
  const full = plainEnvironment({ TERM: 'xterm-256color', ...env });
  const script = ['--quiet', '--return', '--command', quoted, '/dev/null'];
  return spawnSync('script', script, { cwd, env: full, input: '', encoding: 'utf8' }).stdout;
}
