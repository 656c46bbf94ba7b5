import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);

/** The installed version of a package, whether or not it exports its package.json. */
export function packageVersion(name) {
  for (const folder of require.resolve.paths(name)) {
    const file = path.join(folder, name, 'package.json');
    if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')).version;
  }
  throw new Error(`${name} is not installed`);
}
