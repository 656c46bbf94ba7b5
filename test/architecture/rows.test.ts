// The instruction-set rows are compiled with flags that not every machine can run. The linker keeps one copy of an inline
// function that several files define: were it a row's, the whole engine would run those instructions. So a row may define
// nothing that another file defines too.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const objects = fileURLToPath(new URL('../../build/release/CMakeFiles/crayon_core.dir/native/src', import.meta.url));
const files = fs.existsSync(objects)
  ? fs.readdirSync(objects, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.o')).sort()
  : [];
const isRow = (file: string) => /\brow_(?!scalar)\w+\.cpp\.o$/.test(file);

/** The functions and data that a file defines for the linker to see. */
function definedBy(file: string): string[] {
  const printed = execFileSync('nm', ['--defined-only', '--extern-only', '--format=posix', path.join(objects, file)], { encoding: 'utf8' });
  return printed.trim().split('\n').map((line) => line.split(' ')[0]!);
}

it.skipIf(process.platform !== 'linux')('a row defines nothing that another file defines too', () => {
  expect(files.filter(isRow).length).toBeGreaterThan(0);
  const definers = new Map<string, string[]>();
  for (const file of files) {
    for (const name of definedBy(file)) definers.set(name, [...(definers.get(name) ?? []), file]);
  }
  const shared = [...definers].filter(([, names]) => names.length > 1 && names.some(isRow));
  expect(shared).toEqual([]);
});
