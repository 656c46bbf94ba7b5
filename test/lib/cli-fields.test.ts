// Numbers in the command's output, beside those of Intl.

import { expect, it } from 'vitest';

import { inThousands } from '../../lib/cli/output/fields.js';

it('separates thousands', () => {
  const reference = new Intl.NumberFormat('en');
  const numbers = [0, 1, 12, 999, 1000, 1001, 99_999, 100_000, 999_999, 1_000_000, 1_234_567, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER];
  expect(numbers.map(inThousands)).toEqual(numbers.map((number) => reference.format(number)));
});
