/**
 * The Python that renders expected results: a virtual environment in build/chat-reference with the versions below, created
 * on first use if Python 3.11 and PyPI are available. `referencePython()` explains what is missing.
 *
 *     node test/chat/reference/environment.mjs      creates it and prints the path of its Python
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isMain, root } from '../../../scripts/process.mjs';

/** The installed packages, besides their dependencies. Goldens record the versions that made them. */
const PACKAGES = ['jinja2==3.1.6', 'markupsafe==3.0.4', 'transformers==5.24.*', 'tokenizers==0.23.*', 'openai-harmony==0.0.8'];

/** The version whose Unicode tables and messages the goldens use. */
const PYTHON = '3.11';

const home = path.join(root, 'build', 'chat-reference');
const python = path.join(home, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const complete = path.join(home, 'packages.txt');

/** @typedef {{ python: string } | { missing: string }} Reference */

/** @type {Reference | undefined} */
let found;

/** The reference's Python, installed now if necessary; or what is missing. @returns {Reference} */
export function referencePython() {
  found ??= prepared();
  return found;
}

/** @returns {Reference} */
function prepared() {
  const wanted = PACKAGES.join('\n');
  if (fs.existsSync(complete) && fs.readFileSync(complete, 'utf8') === wanted) return { python };
  const base = ['python3.11', 'python3', 'python'].find((name) => versionOf(name) === PYTHON);
  if (base === undefined) return { missing: `Python ${PYTHON}` };
  fs.rmSync(home, { recursive: true, force: true });
  const steps = [
    [base, ['-m', 'venv', home]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]],
  ];
  for (const [command, args] of steps) {
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) return { missing: `packages of PyPI (${stderr?.trim().split('\n').at(-1) ?? `no ${command}`})` };
  }
  fs.writeFileSync(complete, wanted);
  return { python };
}

/** @param {string} name */
function versionOf(name) {
  const { status, stdout } = spawnSync(name, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

if (isMain(import.meta.url)) {
  const reference = referencePython();
  console.log('missing' in reference ? `missing: ${reference.missing}` : reference.python);
  process.exitCode = 'missing' in reference ? 1 : 0;
}
