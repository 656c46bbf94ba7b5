// The addon is built on a new Linux and must load on an old one; native/addon/linux/old_glibc.cpp makes that possible.

import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { missingOnOldLinux } from './old-glibc.js';

const project = fileURLToPath(new URL('../..', import.meta.url));
const isLinux = process.platform === 'linux';
const hasObjdump = spawnSync('objdump', ['--version']).status === 0;

const prebuilds = path.join(project, 'prebuilds');
const addons = [
  'build/release/crayon.node',
  ...(fs.existsSync(prebuilds) ? fs.readdirSync(prebuilds) : [])
    .filter((platform) => platform.startsWith('linux-'))
    .map((platform) => `prebuilds/${platform}/crayon.node`),
];

/** The output of objdump, which also reads files of other architectures. */
function objdump(file: string): string {
  return execFileSync('objdump', ['-p', '-T', path.join(project, file)], { encoding: 'utf8' });
}

describe.skipIf(!isLinux || !hasObjdump)('on an old Linux', () => {
  it.each(addons)('%s finds all its symbols', (file) => {
    const printed = objdump(file);
    expect(printed).toMatch(/required from libc\./);
    expect(printed).toContain('*UND*');
    expect(missingOnOldLinux(printed)).toEqual([]);
  });

  it('an addon with threads and exceptions loads and works too', () => {
    execFileSync('cmake', ['--build', path.join(project, 'build/release'), '--target', 'old_glibc_probe']);
    const probe = 'build/release/old_glibc_probe.node';
    const printed = objdump(probe);
    expect(printed).toMatch(/\bpthread_create\b/);
    expect(missingOnOldLinux(printed)).toEqual([]);
    const script = `process.stdout.write(JSON.stringify(require(${JSON.stringify(path.join(project, probe))}).run()))`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '""', stderr: '' });
  });
});

// Lines of objdump from addons that do not load there.
const UNDEFINED = '0000000000000000      DF *UND*\t0000000000000000';
const MUST_FAIL = [
  ['  NEEDED               libstdc++.so.6', 'libstdc++.so.6'],
  ['  NEEDED               libgcc_s.so.1', 'libgcc_s.so.1'],
  ['    0x069691b3 0x00 07 GLIBC_2.33', 'GLIBC_2.33'],
  ['    0x0297f861 0x00 05 GLIBCXX_3.4.11', 'GLIBCXX_3.4.11'],
  ['    0x09691974 0x00 02 GLIBC_PRIVATE', 'GLIBC_PRIVATE'],
  [`${UNDEFINED} (GLIBC_2.29) posix_spawn`, 'posix_spawn (GLIBC_2.29)'],
  [`${UNDEFINED} (GLIBC_3.0) from_the_future`, 'from_the_future (GLIBC_3.0)'],
  [`${UNDEFINED} (CXXABI_1.3.9) _ZdlPvm`, '_ZdlPvm (CXXABI_1.3.9)'],
  [`${UNDEFINED}  GLIBC_2.34  pthread_create`, 'pthread_create (GLIBC_2.34)'],
] as const;

const MAY_BE = [
  '  NEEDED               libc.so.6',
  '  NEEDED               libc.musl-x86_64.so.1',
  '  NEEDED               ld-linux-x86-64.so.2',
  '    0x06969194 0x00 02 GLIBC_2.14',
  '    0x06969198 0x00 02 GLIBC_2.28',
  `${UNDEFINED} (GLIBC_2.2.5) pthread_create`,
  `${UNDEFINED}  Base        napi_create_function`,
  '0000000000000000  w   D  *UND*\t0000000000000000  Base        __gmon_start__',
];

describe('a line of objdump', () => {
  it.each(MUST_FAIL)('that an old Linux cannot satisfy is reported: %s', (line, what) => {
    expect(missingOnOldLinux(`${MAY_BE.join('\n')}\n${line}\n`)).toEqual([what]);
  });

  it.each(MAY_BE)('that it can satisfy is not reported: %s', (line) => {
    expect(missingOnOldLinux(`${line}\n`)).toEqual([]);
  });
});
