// The browser benchmarks find this package in its checkout.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, inject, it } from 'vitest';

const harness = fileURLToPath(new URL('../../bench/browser/run.mjs', import.meta.url));
const noChromium = inject('noChromium');

it.skipIf(noChromium !== '')('the contender crayon encodes in Chromium', { timeout: 240_000 }, () => {
  const wanted = ['--only', 'exactness', '--contenders', 'crayon', '--texts', 'json', '--encodings', 'r50k_base'];
  const report = execFileSync(process.execPath, [harness, '--quick', '--no-save', ...wanted], { encoding: 'utf8' });
  expect(report).toMatch(/\| 'hi' +\| +exact \|/);
  expect(report).not.toContain('not exact');
});
