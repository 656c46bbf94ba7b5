// encodePipeline with a background that the test answers for, in Node.

import { expect, it, onTestFinished } from 'vitest';
import { Tokenizer, TokenizerError } from 'crayon-tokenizer';
import { hostOf } from '../../dist/node/internals.js';

/** Too long to be encoded at once. */
const LONG = 'hello world, how are you? '.repeat(3000);

it('encodePipeline has at most four texts encoded by other threads at a time, and keeps their order', async () => {
  using tokenizer = await Tokenizer.load('o200k_base');
  const waiting: { text: string; done: (ids: Uint32Array) => void; fail: (error: Error) => void }[] = [];
  const host = hostOf(tokenizer);
  const { backgroundOf } = host;
  onTestFinished(() => void (host.backgroundOf = backgroundOf));
  const encode = (text: string) => new Promise<never>((done, fail) => waiting.push({ text, done: done as never, fail }));
  host.backgroundOf = () => ({ encode }) as never;
  const texts = Array.from({ length: 7 }, (_, index) => `${index} ${LONG}`);
  const { readable, writable } = tokenizer.encodePipeline();
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  const turn = () => new Promise((done) => setTimeout(done, 20));
  /** Until this many have started, plus some time for more. */
  const started = async (count: number) => {
    while (waiting.length < count) await turn();
    await turn();
  };
  for (const text of [...texts, 'short']) writer.write(text).catch(() => undefined);
  const read = Array.from(texts, () => reader.read());
  await started(4);
  expect(waiting.map(({ text }) => text)).toEqual(texts.slice(0, 4));
  for (const index of [3, 1, 2]) waiting[index]!.done(Uint32Array.of(index));
  await started(4);
  expect(waiting).toHaveLength(4);
  waiting[0]!.done(Uint32Array.of(0));
  for (let index = 0; index < 4; index++) {
    expect((await read[index])!.value).toEqual({ id: index, inputIds: Uint32Array.of(index), length: 1 });
  }
  await started(7);
  expect(waiting.map(({ text }) => text)).toEqual(texts);
  // A failure is reported once all before it have finished.
  waiting[5]!.fail(new TokenizerError('', { code: 'SPECIAL_FORBIDDEN', position: 7 }));
  waiting[6]!.fail(new Error('later'));
  await turn();
  waiting[4]!.done(Uint32Array.of(4));
  expect((await read[4])!.value!.id).toBe(4);
  await expect(read[5]).rejects.toMatchObject({
    code: 'SPECIAL_FORBIDDEN',
    row: 5,
    position: 7,
    message: expect.stringMatching(/^texts\[5\] holds /),
  });
  await expect(read[6]).rejects.toMatchObject({ row: 5 });
});
