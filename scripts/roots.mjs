/**
 * Roots for chroot: a program in a folder with the libraries that it needs of a small distribution, and nothing else. Each function
 * returns the command that runs the program in there.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Missing, wheel, within } from './fetched.mjs';
import { outputOf } from './process.mjs';

const PROGRAM = '/usr/program';

/** A program of this machine, with its libraries. @returns {string[]} */
export function layGlibc(folder, program) {
  const listed = outputOf('ldd', [program]);
  if (listed === undefined) throw new Missing('ldd');
  const libraries = [...listed.matchAll(/(?:=> |^\s*)(\/\S+) \(/gm)].map((match) => match[1]);
  for (const file of libraries) {
    fs.mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    fs.copyFileSync(file, path.join(folder, file));
  }
  layProgram(folder, program);
  return [PROGRAM];
}

/** A program of Alpine, with musl and libstdc++. @returns {string[]} */
export function layMusl(folder, program) {
  const loader = '/lib/ld-musl-x86_64.so.1';
  if (!fs.existsSync(loader)) throw new Missing("musl's loader (Debian: musl)");
  const libraries = path.join(folder, 'usr', 'lib');
  for (const name of ['lib', 'usr/lib']) fs.mkdirSync(path.join(folder, name), { recursive: true });
  fs.copyFileSync(loader, path.join(folder, loader));
  fs.symlinkSync(loader, path.join(folder, 'lib', 'libc.musl-x86_64.so.1'));
  // Debian's musl is older than the relocations that newer builds of libstdc++ have; this one lacks two functions.
  const old = path.join(wheel('contourpy==1.0.7', 'musllinux_1_1_x86_64', '3.11'), 'contourpy.libs');
  const wanted = matchesOf(program, /(lib(?:stdc\+\+|gcc_s)[\w-]*\.so[.\d]*)/g);
  for (const file of fs.readdirSync(old)) {
    const stem = file.startsWith('libgcc') ? 'libgcc_s' : 'libstdc++';
    for (const name of [file, ...wanted.filter((each) => each.startsWith(stem))])
      fs.copyFileSync(path.join(old, file), path.join(libraries, name));
  }
  const source = path.join(folder, 'lacking.c');
  fs.writeFileSync(
    source,
    'void abort(void);\n' +
      'void _ZSt28__throw_bad_array_new_lengthv(void) { abort(); }\n' +
      'void _ZSt21__glibcxx_assert_failPKciS0_S0_(void) { abort(); }\n',
  );
  within(folder, 'cc', ['-shared', '-fPIC', '-nostdlib', '-o', path.join(libraries, 'lacking.so'), source]);
  layProgram(folder, program);
  return [loader, '--preload', '/usr/lib/lacking.so', PROGRAM];
}

function layProgram(folder, program) {
  fs.mkdirSync(path.join(folder, path.dirname(PROGRAM)), { recursive: true });
  fs.copyFileSync(program, path.join(folder, PROGRAM));
}

/** What a program names among the libraries that it needs. */
function matchesOf(program, pattern) {
  return [...(outputOf('readelf', ['-d', program]) ?? '').matchAll(pattern)].map((match) => match[1]);
}
