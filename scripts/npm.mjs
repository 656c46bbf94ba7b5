/** Running npm from the developer loop. */
import { outputOf, run } from './process.mjs';

/** Runs npm. */
export function npm(args, options = {}) {
  const [command, ...before] = npmCommand();
  run(command, [...before, ...args], { quiet: true, ...options });
}

/** What npm prints, as outputOf. */
export function npmOutput(args) {
  const [command, ...before] = npmCommand();
  return outputOf(command, [...before, ...args]);
}

/** It has started us more often than not; its own path is the one that works here. */
function npmCommand() {
  const own = process.env.npm_execpath;
  if (own?.endsWith('.js')) return [process.execPath, own];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}
