// trainBpe in browsers: in a worker, or in the page if none starts; the same result as in Node.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { Tokenizer, trainBpe, type TrainOptions, type TrainProgress } from 'crayon-tokenizer';

import { trainNaively } from '../lib/naive-trainer.js';

const WORDS = ['low', 'lower', 'lowest', 'newer', 'wider'];
const TEXT = Array.from({ length: 300 }, (_, at) => WORDS[(at * at) % 5]).join(' ');
const OPTIONS: TrainOptions = { vocabularySize: 275, pretokenizer: 'gpt2', specialTokens: ['<|end|>'] };

const pieces = TEXT.match(/ ?\w+/g)!;
const expected = trainNaively(pieces, {
  vocabularySize: 275,
  minFrequency: 2,
  maxTokenLength: 65_535,
  tieBreak: 'huggingface',
  initialAlphabet: 'bytes',
  specialTokens: ['<|end|>'],
});

type Worker = new (script: URL, options: object) => object;
const { Worker: Genuine } = globalThis as unknown as { Worker: Worker };

afterEach(() => vi.unstubAllGlobals());

describe('trainBpe', () => {
  it('trains in a worker', async () => {
    const started: URL[] = [];
    vi.stubGlobal(
      'Worker',
      class extends Genuine {
        constructor(script: URL, options: object) {
          super(script, options);
          started.push(script);
        }
      },
    );
    const told: TrainProgress[] = [];
    const trained = await trainBpe(TEXT, { ...OPTIONS, onProgress: (progress) => told.push(progress) });
    expect(started.map(String)).toEqual([expect.stringContaining('web-train-worker')]);
    expect(trained.merges).toEqual(expected.merges);
    expect(told.at(-1)).toMatchObject({ stage: 'merge', done: expected.merges.length });
    using tokenizer = await Tokenizer.load(await trained.toCartridge());
    expect(tokenizer.decode(tokenizer.encode('lowest of all<|end|>', { special: 'allow' }))).toBe('lowest of all<|end|>');
    const { dat } = await (await trainBpe(TEXT, { vocabularySize: 270, pretokenizer: null })).toDat();
    using longest = await Tokenizer.load(dat);
    expect(longest.modelKind).toBe('longest-match');
  });

  it.each([
    ['there are no workers', undefined],
    [
      'none can be started',
      class {
        constructor() {
          throw new Error('no');
        }
      },
    ],
    [
      'its script is not there',
      class extends Genuine {
        constructor(_: URL, options: object) {
          super(new URL('/no-such-script.js', location.href), options);
        }
      },
    ],
  ])('works without a worker if %s', async (_, stub) => {
    vi.stubGlobal('Worker', stub);
    const stream = new Blob([TEXT]).stream();
    expect((await trainBpe(stream, OPTIONS)).merges).toEqual(expected.merges);
  });

  it('fetches a URL', async () => {
    vi.stubGlobal('fetch', async () => new Response(TEXT));
    expect((await trainBpe(new URL('https://example.org/text'), OPTIONS)).merges).toEqual(expected.merges);
    vi.stubGlobal('fetch', async () => new Response('', { status: 404, statusText: 'gone' }));
    await expect(trainBpe(new URL('https://example.org/text'), OPTIONS)).rejects.toThrow('cannot load https://example.org/text: 404 gone');
  });

  it('stops when its signal is aborted', async () => {
    const reason = new Error('enough');
    for (const stub of [Genuine, undefined]) {
      vi.stubGlobal('Worker', stub);
      const controller = new AbortController();
      const onProgress = () => controller.abort(reason);
      await expect(trainBpe(TEXT, { ...OPTIONS, signal: controller.signal, onProgress })).rejects.toBe(reason);
    }
  });

  it('refuses file paths', async () => {
    await expect(trainBpe({ files: 'text.txt' }, OPTIONS)).rejects.toThrow('for source but received an instance of Object');
    await expect(trainBpe(TEXT, { ...OPTIONS, checkpoint: 'x' })).rejects.toThrow('`checkpoint` must be left out');
    await expect(trainBpe(TEXT, { ...OPTIONS, backend: 'native' })).rejects.toThrow("received 'native'");
  });
});
