/**
 * Where the browser of the tests and benchmarks is: the system's Chromium or Chrome, or what CHROMIUM names.
 */
import fs from 'node:fs';
import path from 'node:path';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const MAC = ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

/** Launch options for `playwright`. Containers have no user namespaces and a small /dev/shm. */
export const CHROMIUM_ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];

/** @returns {string | undefined} the path of the program, whether or not it can start */
export function chromiumPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const paths = PROGRAMS.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...paths, ...MAC].find((program) => fs.existsSync(program));
}
