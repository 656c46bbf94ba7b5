// The packed addons, of this machine and of others: each loads on every system of its platform.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Needs, needsOf, problemsOf } from '../../scripts/check-addon.mjs';
import { TARGETS } from '../../scripts/cross.mjs';
import { forgetLibc } from '../../scripts/elf.mjs';

const prebuilds = fileURLToPath(new URL('../../prebuilds', import.meta.url));
const platforms = fs.existsSync(prebuilds) ? fs.readdirSync(prebuilds) : [];
const hasTools = spawnSync('llvm-readobj', ['--version']).status === 0;

describe.skipIf(!hasTools)('the addon', () => {
  it.each(platforms)('of %s needs only what every such system has', (platform) => {
    const needs = needsOf(path.join(prebuilds, platform, 'crayon.node'));
    expect(problemsOf(platform, needs)).toEqual([]);
    expect(needs.libraries.length > 0).toBe(!platform.startsWith('linux-'));
  });

  it.runIf(process.platform === 'linux')('of Linux loads without the names of glibc libraries', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-elf-'));
    const file = path.join(folder, 'copy.node');
    try {
      fs.copyFileSync(fileURLToPath(new URL('../../build/release/crayon.node', import.meta.url)), file);
      const before = needsOf(file);
      expect(before.libraries).toContain('libc.so.6');
      expect(forgetLibc(file).sort()).toEqual(before.libraries.sort());
      const { versionsOf } = needsOf(file);
      expect(versionsOf).toHaveLength(before.versionsOf!.length);
      expect(needsOf(file)).toEqual({ ...before, libraries: [], versionsOf });
      expect(new Set(versionsOf!.filter((each) => !each.startsWith('ld-linux-')))).toEqual(new Set(['libc.so.6']));
      expect(forgetLibc(file)).toEqual([]);
      const program = `console.log(require(${JSON.stringify(file)}).kernels().length > 0)`;
      expect(spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8' }).stdout).toBe('true\n');
      expect(() => forgetLibc(fileURLToPath(import.meta.url))).toThrow('not a file of ELF');
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });

  it('that the tools cannot read is an error', () => {
    expect(() => needsOf(fileURLToPath(import.meta.url))).toThrow('llvm-readobj cannot read');
  });
});

/** Output of the tools for an addon that loads everywhere. */
const SOUND: Needs = {
  format: 'elf64-x86-64',
  architecture: 'x86_64',
  libraries: [],
  versionsOf: ['libc.so.6', 'ld-linux-x86-64.so.2'],
  exported: ['napi_register_module_v1', 'node_api_module_get_api_version_v1'],
  imported: ['napi_create_array', 'malloc'],
  oldest: '2.28',
  isSigned: false,
};
const MAC: Needs = {
  ...SOUND,
  format: 'Mach-O arm64',
  architecture: 'aarch64',
  libraries: ['/usr/lib/libSystem.B.dylib'],
  oldest: '13.0',
  isSigned: true,
};
const WINDOWS: Needs = { ...SOUND, format: 'COFF-x86-64', libraries: ['KERNEL32.dll'], oldest: '6.0' };

const UNSOUND: [platform: string, needs: Needs, problem: string][] = [
  ['linux-arm64', SOUND, 'it is for x86_64'],
  ['linux-x64', { ...SOUND, oldest: '2.34' }, 'it needs version 2.34 of the system, newer than 2.28'],
  ['linux-x64', { ...SOUND, libraries: ['libstdc++.so.6'] }, 'it needs libstdc++.so.6'],
  ['linux-x64', { ...SOUND, imported: ['_ZNSt6thread4joinEv'] }, 'it needs _ZNSt6thread4joinEv, of a library of C++'],
  ['linux-x64', { ...SOUND, exported: SOUND.exported.slice(0, 1) }, 'it does not export node_api_module_get_api_version_v1'],
  ['linux-x64', { ...SOUND, exported: [...SOUND.exported, 'crayon_pool_create'] }, 'it exports crayon_pool_create'],
  // Not on musl:
  ['linux-x64', { ...SOUND, libraries: ['ld-linux-x86-64.so.2'] }, 'it needs ld-linux-x86-64.so.2'],
  // Not in Bun on musl, and not where glibc is newer than 2.33:
  ['linux-x64', { ...SOUND, libraries: ['libc.so.6'] }, 'it needs libc.so.6'],
  ['linux-x64', { ...SOUND, versionsOf: ['libpthread.so.0'] }, 'it needs a version of libpthread.so.0, which need not be loaded'],
  ['linux-x64', { ...SOUND, imported: ['__memcpy_chk'] }, 'it needs __memcpy_chk, not known to be in glibc and musl'],
  ['linux-x64', WINDOWS, 'it is a file of COFF-x86-64, not of elf64'],
  ['darwin-arm64', { ...MAC, isSigned: false }, 'it has no signature, without which such a Mac loads nothing'],
  ['darwin-arm64', { ...MAC, oldest: '15.0' }, 'it needs version 15.0 of the system, newer than 13.0'],
  ['win32-x64', { ...WINDOWS, libraries: ['KERNEL32.dll', 'node.exe'] }, 'it needs node.exe'],
];

describe('the rules of an addon', () => {
  it('accept an addon that loads everywhere', () => {
    expect(problemsOf('linux-x64', SOUND)).toEqual([]);
    expect(problemsOf('darwin-arm64', MAC)).toEqual([]);
    expect(problemsOf('win32-x64', WINDOWS)).toEqual([]);
  });

  it.each(UNSOUND)('%s: refuse one that does not (%#)', (platform, needs, problem) => {
    expect(problemsOf(platform, needs)).toContain(problem);
  });

  it('exist for every supported platform', () => {
    for (const platform of Object.keys(TARGETS)) expect(problemsOf(platform, SOUND)).toBeInstanceOf(Array);
  });
});
