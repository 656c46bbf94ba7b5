// Batches of WordPiece on an accelerator, on the emulated device: the ids of Hugging Face's tokenizers, in slices of every kind, and
// whatever goes wrong with the device.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { Tokenizer } from 'crayon-tokenizer';
import { describe, expect, it } from 'vitest';

import { deviceProgress, type DeviceSettings, nativeCompiler, packTokens } from '../../dist/node/internals.js';
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
  rowsOf,
  useEmulatedDevice,
} from './device-texts.js';
import { itEmulated } from './hardware.js';

const { Tokenizer: HuggingFace } = createRequire(import.meta.url)('tokenizers') as typeof import('tokenizers');

interface File {
  normalizer: object | null;
  pre_tokenizer: object | null;
  added_tokens: object[];
  post_processor: object | null;
  model: Record<string, unknown> & { vocab: Record<string, number> };
}
const OF_BERT = JSON.parse(readFileSync(file('test/models/bert.tokenizer.json'), 'utf8')) as File;
const bert = (change: (own: File) => void = () => {}): string => {
  const own = structuredClone(OF_BERT);
  own.post_processor = null;
  change(own);
  return JSON.stringify(own);
};
const FILES: Record<string, string> = {
  BertNormalizer: bert(),
  'BertNormalizer, which leaves letters as they are': bert(
    (own) => (own.normalizer = { ...own.normalizer, lowercase: false, strip_accents: false }),
  ),
  'BertNormalizer, which takes nothing out': bert((own) => (own.normalizer = { ...own.normalizer, clean_text: false })),
  'BertNormalizer without ideographs': bert((own) => (own.normalizer = { ...own.normalizer, handle_chinese_chars: false })),
  'NFD, Lowercase and StripAccents': bert(
    (own) => (own.normalizer = { type: 'Sequence', normalizers: ['NFD', 'Lowercase', 'StripAccents'].map((type) => ({ type })) }),
  ),
  'no normalizer': bert((own) => (own.normalizer = null)),
  'no normalizer, with words between whitespace': bert((own) =>
    Object.assign(own, { normalizer: null, pre_tokenizer: { type: 'WhitespaceSplit' } }),
  ),
  WordLevel: bert((own) => (own.model = { type: 'WordLevel', unk_token: '[UNK]', vocab: own.model.vocab })),
};

const SPACES = [' ', ' ', ' ', '  ', '\n', '\t', '\r\n', '\u00a0', '\u3000', '\u2028', '\u0085'];
const WORDS = [
  'the',
  'The',
  'and',
  'an',
  'Caf\u00e9',
  'e\u0301',
  '\u00c5ngstr\u00f6m',
  'hello',
  'of-the',
  "don't",
  '3.14',
  '中',
  '国语',
  '中a国',
  '\u{20000}',
  '\u0301',
  'İ',
  'ß',
  'Σ',
  'x\u0000y',
  '\ufffd',
  '\u200b',
  '\u00ad',
  '👍🏽',
  '(a)',
  '，',
  '「か」',
  'か\u3099',
  'zzzqqq',
  '[MASK]',
  '[SEP',
  '\u1fef',
  '#',
  '##ing',
];

function textsOf(seed: number, count: number, longest = 40): string[] {
  const random = new Random(seed);
  const part = () =>
    random.chance(0.05) ? String.fromCodePoint(random.integer(0, 0xd7ff)) : random.pick(random.pick([SPACES, WORDS, WORDS]));
  const texts = Array.from({ length: count }, () => Array.from({ length: random.integer(0, longest) }, part).join(''));
  return [
    ...texts,
    '',
    ' ',
    '\n \u3000',
    ...[99, 100, 101, 5000].flatMap((n) => [
      'a'.repeat(n),
      `the ${'é'.repeat(n)} the`,
      ' '.repeat(n),
      '中'.repeat(n),
      `e${'\u0301'.repeat(n)} a`,
    ]),
  ];
}

leaveDeviceAfterEach();

describe.each(Object.entries(FILES))('batches of WordPiece, with %s', (name, json) => {
  const texts = textsOf(name.length, sample(300, 60));
  const opened = itHasIdsOfHuggingFace(json, texts, {
    texts,
    by: [0x80, 0xff, 0xc3, 0xe4, 0xf0, 0xe3, 0xbf, 0x20],
    seed: name.length + 50,
  });

  it('may be one long text, which is divided between words', async () => {
    const tokenizer = opened();
    useEmulatedDevice({ sliceBytes: 4096 });
    const long = texts.join(' ');
    const cpu = listed(tokenizer.encodeBatch([long, `${long}[MASK] ${long}`], { device: 'cpu', special: 'allow' }));
    expect(listed(await onDevice(() => tokenizer.encodeBatch([long, `${long}[MASK] ${long}`], { ...EMULATED, special: 'allow' })))).toEqual(
      cpu,
    );
    if (!name.startsWith('NFD')) expect(deviceProgress().slices).toBeGreaterThan((3 * long.length) / 8192);
  });
});

describe('WordPiece on a device', () => {
  const texts = textsOf(9, 60);

  it('pads, and keeps matrices, with the ids around each text', async () => {
    const json = JSON.stringify(OF_BERT);
    using tokenizer = await open(json);
    const reference = HuggingFace.fromString(json);
    reference.setPadding({ padId: 0 });
    reference.setTruncation(16);
    const rows = await reference.encodeBatch(texts, { addSpecialTokens: true });
    const pad = { length: 16, truncate: true, padId: 0 };
    for (const settings of [{}, { sliceBytes: 4096 }] as DeviceSettings[]) {
      useEmulatedDevice(settings);
      const options = { ...EMULATED, special: 'allow', addSpecialTokens: true } as const;
      const padded = await onDevice(() => tokenizer.encodeBatch(texts, { ...options, pad }));
      expect([...padded.ids]).toEqual(rows.flatMap((row) => row.getIds()));
      expect([...padded.mask]).toEqual(rows.flatMap((row) => row.getAttentionMask()));
      const kept = tokenizer.encodeBatch(texts, { ...options, pad, resident: true });
      const host = kept.toHost();
      expect(Array.from(host.ids as Int32Array)).toEqual([...padded.ids]);
      kept.free();
    }
  });

  it("is left to the CPU by 'auto'", async () => {
    using tokenizer = await open(FILES.BertNormalizer!);
    useEmulatedDevice({}, '', 'cuda');
    const large = ['the '.repeat(2 ** 21)];
    await onDevice(() => tokenizer.encodeBatchAsync(large), 0);
    await onDevice(() => tokenizer.encodeBatchAsync(['the'], { device: 'cuda' }));
  });

  it('is normalized by several threads, with the ids of one', async () => {
    using tokenizer = await open(FILES.BertNormalizer!);
    const long = texts.join(' ').repeat(20);
    const batch = [...texts, long, '', long, ...texts];
    const expected = listed(tokenizer.encodeBatch(batch, { device: 'cpu', special: 'text' }));
    useEmulatedDevice();
    for (const threads of [1, 2, 3]) {
      expect(listed(await onDevice(() => tokenizer.encodeBatchAsync(batch, { ...EMULATED, special: 'text', threads })))).toEqual(expected);
    }
    expect(listed(await onDevice(() => tokenizer.encodeBatch(batch, { ...EMULATED, special: 'text' })))).toEqual(expected);
  });

  itEmulated.each(['copy', 'launch', 'lost', 'allocation'] as const)('is done by the CPU after a fault of %s', async (fault) => {
    using tokenizer = await open(FILES.BertNormalizer!);
    const expected = listed(tokenizer.encodeBatch(texts, { device: 'cpu', special: 'allow' }));
    for (const number of [1, 3, 6, 10, 14, 18, 22, 30, 38, 46]) {
      useEmulatedDevice({ sliceBytes: 4096 }, `${fault}=${number}`);
      expect(listed(tokenizer.encodeBatch(texts, { ...EMULATED, special: 'allow' }))).toEqual(expected);
    }
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('has the errors of the CPU', async () => {
    useEmulatedDevice();
    // Without an id for unknown words, which files of Hugging Face always have.
    const views = [{ name: 'own', scanner: 'bert', tokens: packTokens([]) }];
    const wordPiece = { prefix: '##', mostCharacters: 100, wholeWords: false };
    const { bytes, offsets } = rowsOf(['the', 'a', '##n', '.']);
    using known = await Tokenizer.load(
      nativeCompiler().compile({ model: 'wordpiece', bytes, offsets, wordPiece, metadata: '{}', views }, 'full') as Uint8Array,
    );
    expect(listed(await onDevice(() => known.encodeBatch(['the ann.', ''], EMULATED)))).toEqual([[0, 1, 2, 2, 3], []]);
    for (const batch of [
      ['the', 'a \u0634'],
      ['zz\ufffd', 'a'],
    ]) {
      let error: Error | undefined;
      try {
        known.encodeBatch(batch, { device: 'cpu' });
      } catch (thrown) {
        error = thrown as Error;
      }
      expect(error).toMatchObject({ code: 'UNKNOWN_CHARACTER' });
      expect(() => known.encodeBatch(batch, EMULATED)).toThrow(error);
    }
    using tokenizer = await open(FILES.BertNormalizer!);
    expect(() => tokenizer.encodeBatch(['a [MASK]'], { ...EMULATED, special: 'forbid' })).toThrow(
      expect.objectContaining({ code: 'SPECIAL_FORBIDDEN' }),
    );
  });

  it('needs the words of BERT or those between whitespace, and tokens that are found in raw text', async () => {
    useEmulatedDevice();
    using pattern = await open(bert((own) => (own.pre_tokenizer = { type: 'Whitespace' })));
    expect(pattern.backend.unavailable.emulated).toBe('devices have no kernels for WordPiece with the pretokenizer pattern');
    using whole = await open(bert((own) => (own.pre_tokenizer = null)));
    expect(whole.backend.unavailable.emulated).toBe('devices have no kernels for WordPiece without a pretokenizer');
    const late = { id: 1200, content: 'zz', single_word: false, lstrip: false, rstrip: false, normalized: true, special: false };
    using normalizing = await open(bert((own) => own.added_tokens.push(late)));
    expect(() => normalizing.encodeBatch(['a'], EMULATED)).toThrow(expect.objectContaining({ code: 'DEVICE_UNSUPPORTED' }));
    using long = await open(bert((own) => (own.model.max_input_chars_per_word = 1025)));
    expect(() => long.encodeBatch(['a'], EMULATED)).toThrow(expect.objectContaining({ code: 'DEVICE_UNSUPPORTED' }));
    expect(long.encodeBatch(['a'])).toHaveLength(1);
  });
});
