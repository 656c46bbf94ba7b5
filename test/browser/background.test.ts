// Encoding in the background of a page: by its workers, or by the page itself in turns if none starts.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

const LONG = 'hello world, 東京 — naïve café 😀\n'.repeat(30_000);
const TEXTS = [...Array.from({ length: 20_000 }, (_, row) => `row ${row}`), LONG, '', new TextEncoder().encode(LONG)];

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Counts the started workers. */
function watchWorkers(): { started: number } {
  const seen = { started: 0 };
  const { Worker: Genuine } = globalThis as unknown as { Worker: new (script: URL, options: object) => object };
  vi.stubGlobal(
    'Worker',
    class extends Genuine {
      constructor(script: URL, options: object) {
        super(script, options);
        seen.started++;
      }
    },
  );
  vi.stubGlobal('navigator', { hardwareConcurrency: 4 });
  return seen;
}

async function expectSame(tokenizer: Tokenizer): Promise<void> {
  const expected = tokenizer.encodeBatch(TEXTS);
  const [batch, ids, count] = await Promise.all([
    tokenizer.encodeBatchAsync(TEXTS),
    tokenizer.encodeAsync(LONG),
    tokenizer.countAsync(LONG),
  ]);
  const [one, row] = [ids, expected.row(20_000)];
  expect(batch.ids.length).toBe(expected.ids.length);
  expect(batch.ids.every((id, index) => id === expected.ids[index])).toBe(true);
  expect(batch.offsets.every((offset, index) => offset === expected.offsets[index])).toBe(true);
  expect(one.length === row.length && one.every((id, index) => id === row[index])).toBe(true);
  expect(count).toBe(row.length);
}

describe('in the background of a page', () => {
  it('workers return the same ids as the page', async () => {
    const seen = watchWorkers();
    using tokenizer = await Tokenizer.load('o200k_base');
    await expectSame(tokenizer);
    expect(seen.started).toBe(3);
    const forbidden = tokenizer.encodeBatchAsync([LONG, `${LONG}<|endoftext|>`], { special: 'forbid' });
    await expect(forbidden).rejects.toMatchObject({ code: 'SPECIAL_FORBIDDEN', row: 1, position: LONG.length });
  });

  it('a signal aborts their work, and they continue with other jobs', async () => {
    watchWorkers();
    using tokenizer = await Tokenizer.load('o200k_base');
    const controller = new AbortController();
    const aborted = tokenizer.encodeAsync(LONG.repeat(20), { signal: controller.signal });
    setTimeout(() => controller.abort('enough'), 50);
    await expect(aborted).rejects.toBe('enough');
    await expectSame(tokenizer);
  });

  it('the page works without workers', async () => {
    vi.stubGlobal('Worker', undefined);
    using tokenizer = await Tokenizer.load('o200k_base');
    await expectSame(tokenizer);
  });

  it('closing the tokenizer rejects unfinished jobs', async () => {
    watchWorkers();
    const tokenizer = await Tokenizer.load('o200k_base');
    const jobs = [tokenizer.encodeAsync(LONG.repeat(20)), tokenizer.encodeBatchAsync(TEXTS)];
    tokenizer.close();
    for (const job of jobs) await expect(job).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
