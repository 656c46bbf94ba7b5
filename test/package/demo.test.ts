// The table that `npm start` ends with.

import { expect, it, vi } from 'vitest';

import { demonstrate } from '../../scripts/demo.mjs';

it('npm start shows every encoding on every kind of text, all of which decode unchanged', async () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await demonstrate({ milliseconds: 0 });
  const table = print.mock.calls.map(([text]) => String(text)).join('\n');
  print.mockRestore();
  for (const encoding of ['cl100k_base', 'o200k_base', 'p50k_base', 'r50k_base', 'lite', 'standard']) {
    const rows = table.split('\n').filter((line) => line.startsWith(`${encoding} `));
    expect(rows.length, encoding).toBeGreaterThan(3);
    for (const row of rows) expect(row).toMatch(/ yes *$/);
  }
});
