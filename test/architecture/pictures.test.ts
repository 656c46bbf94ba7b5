// The pictures of the README and the site are those of the reports and of the package's ids: no figure in them is typed.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';

// @ts-ignore: a script
import { pictures } from '../../bench/chart.mjs';
// @ts-ignore: a script
import { readmePicture } from '../../scripts/token-picture.mjs';

const read = (file: string) => fs.readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('pictures', () => {
  it.each(Object.entries<string>(pictures()))('%s.svg is drawn from the newest reports (npm run bench:chart)', (name, svg) =>
    expect(read(`bench/results/${name}.svg`)).toBe(svg),
  );

  it('tokens.svg has the ids of the package (node scripts/token-picture.mjs)', async () =>
    expect(read('docs/public/tokens.svg')).toBe(await readmePicture()));

  it('are light and dark by themselves, and load nothing', () => {
    for (const file of ['bench/results/hero.svg', 'docs/public/tokens.svg']) {
      expect(read('README.md')).toContain(file);
      expect(read(file)).toContain('prefers-color-scheme: dark');
      expect(read(file)).not.toMatch(/<script|<image|href|url\(|@import/);
    }
  });
});
