// Kernels are compiled for instruction sets that not every machine has. If several files define the same inline function,
// the linker keeps one copy; if it kept a kernel's, the whole engine would use that kernel's instructions. So a kernel
// must not define anything that another file also defines.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const objects = fileURLToPath(new URL('../../build/release/CMakeFiles/crayon_core.dir/native/src', import.meta.url));
const files = fs.existsSync(objects)
  ? fs
      .readdirSync(objects, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.o'))
      .sort()
  : [];
const isKernel = (file: string) => /\bkernel_(?!scalar)\w+\.cpp\.o$/.test(file);

/** The functions and data that each file exposes to the linker, by file. */
function definers(): Map<string, string[]> {
  const args = ['--defined-only', '--extern-only', '--format=posix', '--print-file-name', ...files];
  const printed = execFileSync('nm', args, { cwd: objects, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const found = new Map<string, string[]>();
  for (const line of printed.trim().split('\n')) {
    const [, file, name] = /^(.+\.o): (\S+) /.exec(line)!;
    found.set(name!, [...(found.get(name!) ?? []), file!]);
  }
  return found;
}

it.skipIf(process.platform !== 'linux')('a kernel defines nothing that another file defines too', () => {
  expect(files.filter(isKernel).length).toBeGreaterThan(0);
  const shared = [...definers()].filter(([, names]) => names.length > 1 && names.some(isKernel));
  expect(shared).toEqual([]);
});
