/** A Python with peers from PyPI: an environment in a folder of build, created once for each state of its requirements. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OF_THE_RACE = fileURLToPath(new URL('requirements.txt', import.meta.url));

/**
 * Creates the environment unless it exists.
 * @param {string} folder the location
 * @param {string} requirements its packages; default the peers of the race
 * @returns {{ python: string } | { missing: string }} or why there is none
 */
export function pythonWithPeers(folder, requirements = OF_THE_RACE) {
  const hash = createHash('sha256').update(fs.readFileSync(requirements)).digest('hex').slice(0, 12);
  const environment = path.join(folder, `python-${hash}`);
  const python = path.join(environment, 'bin', 'python');
  const done = path.join(environment, 'complete');
  if (fs.existsSync(done)) return { python };
  fs.rmSync(environment, { recursive: true, force: true });
  console.log('installing the peers from PyPI (once)');
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', environment],
    [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', '-r', requirements],
  ]) {
    const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (error?.code === 'ENOENT') return { missing: `there is no ${command}` };
    if (status !== 0) return { missing: `${path.basename(command)} ${args[1]} failed: ${stderr.trim().split('\n').at(-1)}` };
  }
  fs.writeFileSync(done, '');
  return { python };
}
