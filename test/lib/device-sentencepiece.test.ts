// Batches of SentencePiece's BPE, and of other BPE without a pretokenizer, on an accelerator, on the emulated device: the ids of
// Hugging Face's tokenizers and of the CPU, in slices of every kind, and whatever goes wrong with the device.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Tokenizer, trainBpe } from 'crayon-tokenizer';
import { describe, expect, it } from 'vitest';

import { deviceProgress, type DeviceSettings } from '../../dist/node/internals.js';
import { Random } from '../fuzz/random.mjs';
import { sample } from '../share.js';
import {
  EMULATED,
  file,
  itHasIdsOfHuggingFace,
  leaveDeviceAfterEach,
  listed,
  onDevice,
  open,
  SLICES,
  useEmulatedDevice,
} from './device-texts.js';
import { itEmulated } from './hardware.js';

const MODELS = file('test/models');
const SHARED = file('../shared/vocabularies');
interface File {
  normalizer: object | null;
  pre_tokenizer: object | null;
  added_tokens: { normalized: boolean }[];
  post_processor: object | null;
}
function changed(name: string, change: (own: File) => void = () => {}): string {
  const own = JSON.parse(readFileSync(join(MODELS, name), 'utf8')) as File;
  own.post_processor = null;
  for (const token of own.added_tokens) token.normalized = false;
  change(own);
  return JSON.stringify(own);
}
const metaspace = (scheme: string) => ({ type: 'Metaspace', replacement: '\u2581', prepend_scheme: scheme, split: false });
const FILES: Record<string, string> = {
  'Prepend and Replace, as in Llama 2': changed('llama.tokenizer.json'),
  'Replace, as in Gemma': changed('gemma.tokenizer.json'),
  'Metaspace before the first word': changed('llama.tokenizer.json', (own) =>
    Object.assign(own, { normalizer: null, pre_tokenizer: metaspace('first') }),
  ),
  'Metaspace before each text': changed('llama.tokenizer.json', (own) =>
    Object.assign(own, { normalizer: null, pre_tokenizer: metaspace('always') }),
  ),
};

const PARTS = [
  ' ',
  ' ',
  ' ',
  '  ',
  '\n',
  '\t',
  'the',
  'The',
  ' of',
  'and',
  'an',
  'ing',
  "don't",
  '3.14',
  '中',
  '国语',
  '中a国',
  '\u{20000}',
  'é',
  'e\u0301',
  'ß',
  '\u2581',
  '\u2581the',
  '\ufffd',
  '👍🏽',
  '(a)',
  '，',
  'か\u3099',
  'zzzqqq',
  '<0x41>',
  '<s>',
  '</s>',
  '<s',
  '\u0000',
  '\u2580',
  '\u2582',
];

function textsOf(seed: number, count: number, longest = 40): string[] {
  const random = new Random(seed);
  const part = () => (random.chance(0.05) ? String.fromCodePoint(random.integer(0, 0xd7ff)) : random.pick(PARTS));
  const texts = Array.from({ length: count }, () => Array.from({ length: random.integer(0, longest) }, part).join(''));
  // Pieces that are too long for the device, at every place of a text.
  const long = [50, 700, 5000].flatMap((n) => [
    'a'.repeat(n),
    `the ${'é'.repeat(n)} the`,
    ' '.repeat(n),
    '中'.repeat(n),
    `the<s>\u0000${'n'.repeat(n)}`,
    'the '.repeat(n),
  ]);
  return [...texts, '', ' ', '\n \u3000', '<s>', '<s><s> <s>the', ...long];
}

leaveDeviceAfterEach();

describe.each(Object.entries(FILES))('batches of BPE over characters, with %s', (name, json) => {
  const texts = textsOf(name.length, sample(300, 60));
  const short = texts.filter((text) => text.length < 1000);
  const opened = itHasIdsOfHuggingFace(json, texts, {
    texts: short,
    by: [0x80, 0xff, 0xc3, 0xe4, 0xf0, 0xe2, 0x96, 0x20],
    seed: name.length + 50,
  });

  it('may be one long text, which is divided where no token crosses', async () => {
    const tokenizer = opened();
    const long = short.join(' ');
    const rows = [long, `${long}<s> ${long}`, `<s>${long}`];
    const cpu = listed(tokenizer.encodeBatch(rows, { device: 'cpu', special: 'allow' }));
    useEmulatedDevice({ sliceBytes: 4096 });
    expect(listed(await onDevice(() => tokenizer.encodeBatch(rows, { ...EMULATED, special: 'allow' })))).toEqual(cpu);
    expect(deviceProgress().slices).toBeGreaterThan((4 * long.length) / 8192);
  });
});

/** Files of SentencePiece, among them published ones where ../shared exists. */
const PROTOS = ['bpe-bytes.model', 'llama2.model', 'mistral-7b-v0.1.model'].map(
  (name) => [MODELS, SHARED].map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name,
);

describe.each(PROTOS.map((path) => path.split('/').at(-1) as string))('batches of %s', (name) => {
  const path = PROTOS.find((each) => each.endsWith(name)) as string;

  it.skipIf(!existsSync(path))('have the ids of the CPU', async () => {
    using tokenizer = await open(readFileSync(path));
    const texts = [
      ...textsOf(name.length, sample(600, 100)),
      readFileSync(file('README.md'), 'utf8'),
      readFileSync(file('test/lib/device-sentencepiece.test.ts'), 'utf8'),
    ];
    const options = { special: 'allow' } as const;
    const cpu = listed(tokenizer.encodeBatch(texts, { ...options, device: 'cpu' }));
    for (const [settings, faults] of SLICES) {
      useEmulatedDevice(settings.memoryBudget ? { memoryBudget: 6000 } : settings, faults);
      expect(listed(await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, ...options })))).toEqual(cpu);
    }
  });
});

describe('BPE without a pretokenizer on a device', () => {
  const texts = textsOf(9, 60).filter((text) => text.length < 3000);
  const json = FILES['Prepend and Replace, as in Llama 2']!;

  it('may be over bytes, without a normalizer', async () => {
    const trained = await trainBpe(textsOf(3, 200), { vocabularySize: 500, pretokenizer: 'none' });
    using tokenizer = await Tokenizer.load(await trained.toCartridge());
    const cpu = listed(tokenizer.encodeBatch(texts, { device: 'cpu', special: 'text' }));
    for (const [settings, faults] of SLICES) {
      useEmulatedDevice(settings, faults);
      expect(listed(await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, special: 'text' })))).toEqual(cpu);
    }
  });

  it('pads, counts, and keeps matrices, with the ids around each text', async () => {
    using tokenizer = await open(readFileSync(join(MODELS, 'llama.tokenizer.json')));
    const options = { special: 'text', addSpecialTokens: true } as const;
    const pad = { length: 16, truncate: true, padId: 0 };
    const cpu = tokenizer.encodeBatch(texts, { ...options, device: 'cpu', pad });
    for (const settings of [{}, { sliceBytes: 4096 }] as DeviceSettings[]) {
      useEmulatedDevice(settings);
      const padded = await onDevice(() => tokenizer.encodeBatch(texts, { ...EMULATED, ...options, pad }));
      expect([...padded.ids]).toEqual([...cpu.ids]);
      expect([...padded.mask]).toEqual([...cpu.mask]);
      const kept = tokenizer.encodeBatch(texts, { ...EMULATED, ...options, pad, resident: true });
      expect(Array.from(kept.toHost().ids as Int32Array)).toEqual([...cpu.ids]);
      kept.free();
    }
  });

  it("is given to a device by 'auto' in batches of 4 MB", async () => {
    using tokenizer = await open(json);
    useEmulatedDevice({}, '', 'cuda');
    await onDevice(() => tokenizer.encodeBatchAsync(['the '.repeat(2 ** 18)]), 0);
    const large = ['the '.repeat(2 ** 20 + 1)];
    const cpu = listed(tokenizer.encodeBatch(large, { device: 'cpu' }));
    expect(listed(await onDevice(() => tokenizer.encodeBatchAsync(large)))).toEqual(cpu);
  });

  it('leaves to the CPU a batch with a piece after a token that is too long for the device', async () => {
    using tokenizer = await open(json);
    const batch = ['the', `<s>${'n'.repeat(5000)}`, 'the'];
    const cpu = listed(tokenizer.encodeBatch(batch, { device: 'cpu', special: 'allow' }));
    useEmulatedDevice();
    expect(listed(await onDevice(() => tokenizer.encodeBatch(batch, { ...EMULATED, special: 'allow' }), 0))).toEqual(cpu);
    expect(listed(await onDevice(() => tokenizer.encodeBatch(batch.slice(0, 1), { ...EMULATED, special: 'allow' })))).toEqual(
      cpu.slice(0, 1),
    );
  });

  itEmulated.each(['copy', 'launch', 'lost', 'allocation'] as const)('is done by the CPU after a fault of %s', async (fault) => {
    using tokenizer = await open(json);
    const expected = listed(tokenizer.encodeBatch(texts, { device: 'cpu', special: 'allow' }));
    for (const number of [1, 3, 6, 10, 14, 18, 22, 30, 38, 46]) {
      useEmulatedDevice({ sliceBytes: 4096 }, `${fault}=${number}`);
      expect(listed(tokenizer.encodeBatch(texts, { ...EMULATED, special: 'allow' }))).toEqual(expected);
    }
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('needs tokens for all bytes, one order of merging, and a normalizer that changes spaces alone', async () => {
    useEmulatedDevice();
    for (const name of ['bpe-symbols.model', 'bpe-equals.model', 'char.model']) {
      using tokenizer = await open(readFileSync(join(MODELS, name)));
      expect(tokenizer.backend.unavailable.emulated, name).toBe(
        'devices have kernels for BPE without a pretokenizer only where each byte is a token, no two tokens have the same score, and a normalizer changes nothing but spaces',
      );
    }
    using late = await open(changed('llama.tokenizer.json', (own) => (own.added_tokens[2]!.normalized = true)));
    expect(() => late.encodeBatch(['a'], { ...EMULATED, special: 'allow' })).toThrow(
      expect.objectContaining({ code: 'DEVICE_UNSUPPORTED' }),
    );
    expect(late.encodeBatch(['a'], { ...EMULATED, special: 'text' })).toHaveLength(1);
  });
});
