// countMessages with `estimate: true`: the token counts that OpenAI reported for recorded requests, the published rules
// for images, gpt-tokenizer where its rules are the same, and requests that are invalid or built to hang.

import { countChatCompletionTokens } from 'gpt-tokenizer/model/gpt-4-turbo';
import { get_encoding } from 'tiktoken';
import { afterAll, describe, expect, it } from 'vitest';
import { type ChatMessage, type ClaudeMessage, type CountMessagesOptions, Tokenizer } from 'crayon-tokenizer';
import { Random } from '../fuzz/random.mjs';
import { recorded } from './recorded-chats.js';

const SEED = 20261203;
const o200k = await Tokenizer.load('o200k_base');
const cl100k = await Tokenizer.load('cl100k_base');
const harmony = await Tokenizer.load('o200k_harmony');
afterAll(() => [o200k, cl100k, harmony].forEach((tokenizer) => tokenizer.close()));

const of = (model: string) => (/^(?:ft:)?gpt-(?:3|4$|4-)/.test(model) ? cl100k : model.startsWith('gpt-oss') ? harmony : o200k);
const wrong = (value: unknown): any => value;
type Asked = Omit<CountMessagesOptions, 'estimate'> & { model: string };
const estimate = (messages: ChatMessage[], options: Asked) => of(options.model).countMessages(messages, { ...options, estimate: true });
const assumptionsOf = (messages: ChatMessage[], options: Asked) => {
  const assumptions: string[] = [];
  estimate(messages, { ...options, onAssumption: (each) => assumptions.push(each) });
  return assumptions;
};

describe('recorded requests', () => {
  it.each(recorded.map((request, index) => ({ ...request, index })))(
    '$index to $model ($source) had $tokens tokens',
    ({ source, index, tokens, off = 0, messages, ...options }) => {
      expect(estimate(messages, options)).toBe(tokens + off);
    },
  );

  it('are estimated to the token, all but six, which are off by one or two', () => {
    expect(recorded.length).toBe(137);
    expect(recorded.map(({ off = 0 }) => off).filter((off) => off !== 0)).toEqual([-1, -2, -2, 1, 2, -1]);
  });
});

describe('the result', () => {
  const messages = [{ role: 'user', content: 'hello world' }];
  const now = { type: 'function', function: { name: 'now', description: 'The time' } };

  it('reports that nothing was estimated if the rules are published', () => {
    expect(estimate(messages, { model: 'gpt-4o' })).toBe(9);
    expect(assumptionsOf(messages, { model: 'gpt-4o' })).toEqual([]);
    for (const options of [{ tools: [now] }, { functions: [now.function] }, { response_format: { type: 'text' } }]) {
      const tokens = o200k.countMessages(messages, { model: 'gpt-4o', ...options });
      expect(estimate(messages, { model: 'gpt-4o', ...options })).toBe(tokens);
      expect(assumptionsOf(messages, { model: 'gpt-4o', ...options })).toEqual([]);
    }
  });

  it('reports each assumption once', () => {
    const calls = (id: string) => [
      { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name: 'now', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: '12:00' },
    ];
    expect(assumptionsOf([...messages, ...calls('a'), ...calls('b')], { model: 'gpt-5', tools: [now] })).toEqual([
      'Messages to gpt-5 are counted as recorded requests to reasoning models suggest.',
      'Tool calls and their results are counted as recorded requests suggest.',
    ]);
  });

  it('is a number with and without an estimate', () => {
    for (const flag of [true, false, undefined]) {
      const count: number = o200k.countMessages(messages, { model: 'gpt-4o', estimate: flag });
      expect(count).toBe(9);
    }
    expect(() => o200k.countMessages(messages, { model: 'gpt-4o', onAssumption: wrong([]) })).toThrow(/onAssumption/);
  });
});

describe('tools', () => {
  const used = (schema: object, model = 'gpt-4o') =>
    estimate([], { model, tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] });
  const properties = (...list: object[]) => ({ type: 'object', properties: Object.fromEntries(list.map((p, i) => [`p${i}`, p])) });
  /** The rendered parameters of a function shown as `(_: …) => any`, in a request without messages. */
  const shown = (type: string) =>
    3 + 3 + o200k.count(`# Tools\n\n## functions\n\nnamespace functions {\n\ntype f = (_: ${type}) => any;\n\n} // namespace functions`);

  it.each<[string, object, string]>([
    ['types', properties({ type: 'integer' }, { type: 'boolean' }, {}), '{ p0?: number, p1?: boolean, p2?: any }'],
    [
      'several types',
      properties({ type: ['string', 'null'] }, { type: 'string', nullable: true }),
      '{ p0?: string | null, p1?: string | null }',
    ],
    ['required properties', { ...properties({ type: 'string' }), required: ['p0'] }, '{ p0: string }'],
    ['lists', properties({ type: 'array', items: { type: 'string' } }, { type: 'array' }), '{ p0?: string[], p1?: any[] }'],
    ['values', properties({ enum: ['a', 1, null] }, { const: 'b' }), '{ p0?: "a" | 1 | null, p1?: "b" }'],
    ['unions', properties({ oneOf: [{ type: 'string' }, { type: 'number' }] }), '{ p0?: string | number }'],
    ['intersections', properties({ allOf: [{ type: 'string' }, { type: 'number' }] }), '{ p0?: string & number }'],
    ['schemas that are true', properties(wrong(true)), '{ p0?: any }'],
    [
      'bounds and formats not at all',
      properties({ type: 'integer', minimum: 1, maximum: 5 }, { type: 'string', format: 'date', pattern: 'a' }),
      '{ p0?: number, p1?: string }',
    ],
    [
      'defaults',
      properties({ type: 'integer', default: 5 }, { type: 'string', default: 'a' }, { enum: ['b'], default: 'b' }),
      '{\np0?: number, // default: 5\np1?: string, // default: "a"\np2?: "b", // default: b\n}',
    ],
    ['descriptions', properties({ type: 'string', description: 'One.\n\nTwo.\n' }), '{\n// One.\n//\n// Two.\np0?: string,\n}'],
    ['titles', properties({ type: 'string', title: 'T' }), '{\n// T\np0?: string,\n}'],
    ['titles over descriptions', properties({ type: 'string', title: 'T', description: 'D' }), '{\n// T\n//\n// D\np0?: string,\n}'],
    ['examples', properties({ type: 'string', examples: ['a', 5] }), '{\n// Examples:\n// - "a"\np0?: string,\n}'],
    ['objects in a line', properties(properties({ type: 'string' })), '{ p0?: { p0?: string } }'],
    ['objects with a comment', properties(properties({ type: 'string', description: 'D' })), '{\np0?: {\n// D\np0?: string,\n},\n}'],
    ['references', { ...properties({ $ref: '#/$defs/a~1b' }), $defs: { 'a/b': { type: 'string' } } }, '{ p0?: string }'],
    [
      'references to themselves',
      { ...properties({ $ref: '#/$defs/a' }), $defs: { a: properties({ $ref: '#/$defs/a' }) } },
      '{ p0?: { p0?: any } }',
    ],
  ])('are shown with %s', (_, schema, type) => {
    expect(used(schema)).toBe(shown(type));
  });

  it('are shown with free text, and its grammar', () => {
    const format = { type: 'grammar', grammar: { syntax: 'regex', definition: 'a+' } };
    const tool = (custom: object) => ({ type: 'custom', custom: { name: 'sql', description: 'Runs it.', ...custom } });
    const text = (comment: string) =>
      `# Tools\n\n## functions\n\nnamespace functions {\n\n// Runs it.\n${comment}type sql = (FREEFORM) => any;\n\n} // namespace functions`;
    expect(estimate([], { model: 'gpt-5.5', tools: [tool({})] })).toBe(2 + 3 + o200k.count(text('')));
    expect(estimate([], { model: 'gpt-5.5', tools: [tool({ format })] })).toBe(2 + 3 + o200k.count(text('// a+\n')));
  });

  // gpt-tokenizer counts for every model as hmarr/openai-chat-tokens measured for gpt-3.5-turbo-0613.
  it('are counted like gpt-tokenizer for gpt-3.5-turbo-0613', () => {
    for (let index = 0; index < 150; index++) {
      const random = new Random(SEED, index);
      const word = () => `w${random.integer(0, 99)}_${random.integer(0, 9)}`;
      const list = <T>(longest: number, make: () => T) => Array.from({ length: random.integer(1, longest) }, make);
      const optional = (key: string, value: unknown) => (random.chance(0.5) ? { [key]: value } : {});
      const object = (level: number): any => {
        const named = Object.fromEntries(list(3, () => [word(), schema(level + 1)]));
        return { type: 'object', properties: named, ...optional('required', Object.keys(named).slice(0, 1)) };
      };
      const schema = (level: number): any => ({
        ...random.pick([
          () => ({ type: random.pick(['string', 'integer', 'number', 'boolean', 'null']) }),
          () => ({ type: 'string', enum: list(3, word) }),
          () => ({ type: 'array', items: level < 3 ? schema(level + 1) : { type: 'string' } }),
          () => (level < 3 ? object(level) : { type: 'string' }),
        ])(),
        ...optional('description', `${word()} ${word()}`),
      });
      const functions = list(3, () => ({ name: word(), ...optional('description', word()), parameters: object(0) }));
      const messages = [
        ...(random.chance(0.5) ? [{ role: 'system', content: word() }] : []),
        { role: 'user', content: list(20, word).join(' ') },
        { role: 'assistant', content: '', function_call: { name: word(), arguments: `{"${word()}": 1}` } },
        { role: 'function', name: word(), content: word() },
      ] as any[];
      const function_call = random.pick(['auto', 'none', { name: functions[0]!.name }]) as any;
      const peer = countChatCompletionTokens!({ messages, functions, function_call } as any);
      expect(estimate(messages, { model: 'gpt-3.5-turbo-0613', functions, function_call }), `index ${index}`).toBe(peer);
    }
  });
});

describe('calls', () => {
  const call = (id: string, input: string) => ({ id, type: 'function', function: { name: 'f', arguments: input } });
  const said = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls: wrong(tool_calls) });
  const told = (id: string, content: any) => ({ role: 'tool', tool_call_id: id, content });
  const tokens = (...messages: ChatMessage[]) => estimate(messages, { model: 'gpt-4o' });

  it('have their arguments as compact JSON, or unchanged if they are not JSON', () => {
    expect(tokens(said(call('a', '{ "a" : [ 1,  2 ] }')))).toBe(tokens(said(call('a', '{"a":[1,2]}'))));
    expect(tokens(said(call('a', '{ not JSON')))).toBe(3 + 3 + 1 + 4 + 1 + o200k.count('{ not JSON'));
  });

  it('of custom tools have their text', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'f', input: '{ "a" : 1 }' } };
    expect(tokens(said(custom))).toBe(3 + 3 + 1 + 4 + 1 + o200k.count('{ "a" : 1 }'));
  });

  it('made in parallel have results in ASCII only', () => {
    // community.openai.com/t/1375117: three results of 1000 times 테스트 took 39,235 tokens, and those of "test " 3,191.
    const three = (text: string) => {
      const results = ['a', 'b', 'c'].map((id) => told(id, text));
      return tokens(said(call('a', '{}'), call('b', '{}'), call('c', '{}')), ...results);
    };
    // The post omits the surrounding text, so a tenth may be missing.
    const near = (counted: number, recorded: number) => {
      expect(counted / recorded).toBeGreaterThan(0.9);
      expect(counted / recorded).toBeLessThan(1.1);
    };
    near(three('테스트 '.repeat(1000)), 39_235);
    near(three('test '.repeat(1000)), 3191);
    near(tokens(said(call('a', '{}')), told('a', '테스트 '.repeat(1000))), 1121);
  });

  it('are answered in any order, in parts, by other tools than called, or not at all', () => {
    const both = said(call('a', '{}'), call('b', '{}'));
    const all = tokens(both, told('a', 'one'), told('b', 'two'));
    expect(tokens(both, told('b', 'two'), told('a', 'one'))).toBe(all);
    expect(
      tokens(
        both,
        told('a', [
          { type: 'text', text: 'o' },
          { type: 'text', text: 'ne' },
        ]),
        told('b', 'two'),
      ),
    ).toBe(all);
    expect(tokens(both)).toBeLessThan(tokens(both, told('a', 'one')));
    expect(tokens(told('a', 'one'))).toBe(3 + 3 + 2 + o200k.count('tool') + 1);
    expect(tokens({ ...told('a', 'one'), name: 'f' })).toBe(3 + 3 + 2 + 1 + 1);
  });

  it('may return deeply nested values', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(tokens(said(call('a', deep), call('b', deep)), told('a', deep), told('b', '1'))).toBeGreaterThan(100);
  });

  it('may have repeated ids', () => {
    const pair = [said(call('a', '{}')), told('a', 'one')];
    expect(tokens(...pair, ...pair) - tokens(...pair)).toBe(tokens(...pair) - 3);
  });

  it('may accompany a refusal', () => {
    expect(tokens({ role: 'assistant', refusal: 'no' })).toBe(3 + 3 + 1 + 1);
    expect(tokens({ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] })).toBe(3 + 3 + 1 + 1);
  });
});

describe('images', () => {
  const url = 'https://example.org/a.png';
  const image = (detail?: string, address = url): ChatMessage => ({
    role: 'user',
    content: [{ type: 'image_url', image_url: { url: address, detail } }],
  });
  /** The tokens of an image alone. */
  const tokens = (model: string, width: number, height: number, detail?: string) =>
    estimate([image(detail)], { model, imageSizes: { [url]: { width, height } } }) -
    estimate(
      [image(detail)].map((m) => ({ ...m, content: '' })),
      { model },
    );

  it.each<[string, number, number, string, number]>([
    // OpenAI, "Images and vision": the examples.
    ['gpt-4o', 1024, 1024, 'high', 765],
    ['gpt-4o', 2048, 4096, 'high', 1105],
    ['gpt-4o', 4096, 8192, 'low', 85],
    ['gpt-4o-mini', 1024, 1024, 'high', 2833 + 4 * 5667],
    ['gpt-4o-mini', 10, 10, 'low', 2833],
    ['gpt-4.1', 512, 512, 'high', 85 + 170],
    ['gpt-4.5-preview', 512, 512, 'low', 85],
    ['gpt-4-turbo', 512, 513, 'high', 85 + 2 * 170],
    ['o1', 1024, 1024, 'high', 75 + 4 * 150],
    ['o3', 1024, 1024, 'low', 75],
    ['gpt-5', 1024, 1024, 'high', 70 + 4 * 140],
    ['gpt-5-chat-latest', 1024, 1024, 'low', 70],
    ['gpt-5.1', 1024, 1024, 'high', 70 + 4 * 140],
    ['gpt-4.1-mini', 1024, 1024, 'high', Math.ceil(1024 * 1.62)],
    ['gpt-4.1-mini', 1800, 2400, 'high', Math.ceil(1452 * 1.62)],
    ['gpt-4.1-nano', 1800, 2400, 'auto', Math.ceil(1452 * 2.46)],
    ['o4-mini', 1024, 1024, 'high', Math.ceil(1024 * 1.72)],
    ['gpt-5.4-mini', 1024, 1024, 'high', Math.ceil(1024 * 1.62)],
    ['gpt-5.4', 1024, 1024, 'high', 1024],
    // The limits of the same guide: 2500 patches, 10,000 and 6000 px, none.
    ['gpt-5.4', 2048, 2048, 'high', 2500],
    ['gpt-5.4', 6400, 32, 'original', 188],
    ['gpt-5.4', 3200, 3200, 'original', 10_000],
    ['gpt-5.4', 4000, 4000, 'original', 10_000],
    ['gpt-5.4', 4000, 4000, 'auto', 2500],
    ['gpt-5.5', 4000, 4000, 'auto', 10_000],
    ['gpt-5.6-sol', 6400, 6400, 'auto', 40_000],
    ['gpt-5.6-sol', 6400, 6400, 'high', 2500],
    // community.openai.com/t/1281361, /t/1230130: as billed.
    ['gpt-4.1', 2049, 513, 'high', 1445],
    ['gpt-4.1', 2050, 513, 'high', 765],
    ['gpt-4.1', 1800, 2400, 'high', 765],
    // community.openai.com/t/1344040: as billed.
    ['gpt-5-mini', 256, 256, 'high', 77],
    ['gpt-5-mini', 512, 512, 'high', 308],
    ['gpt-5-mini', 768, 1024, 'high', 922],
    ['gpt-5-mini', 1280, 720, 'high', 1104],
    ['gpt-5-mini', 1024, 1024, 'high', 1229],
    ['gpt-5-mini', 2048, 768, 'high', 1844],
    ['gpt-5-nano', 1800, 1200, 'high', 2304],
  ])('to %s of %i × %i in %s detail', (model, width, height, detail, expected) => {
    expect(tokens(model, width, height, detail)).toBe(expected);
  });

  it('never exceed the patch limit, whatever their shape', () => {
    for (let index = 0; index < 2000; index++) {
      const random = new Random(SEED, index);
      const side = () => Math.round(2 ** (random.integer(0, 1400) / 100));
      const patches = tokens('gpt-5.4', side(), side(), 'high');
      expect(patches).toBeGreaterThanOrEqual(1);
      expect(patches).toBeLessThanOrEqual(2500);
    }
  });

  const bytes = (...list: (number | string)[]) =>
    Buffer.concat(list.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))));
  const data = (kind: string, content: Buffer) => `data:image/${kind};base64,${content.toString('base64')}`;
  const rest = 'x'.repeat(100);
  // 1000 × 600 in each format, built by hand, and one-pixel pictures that browsers are tested with.
  it.each([
    ['PNG', data('png', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 0, 0, 3, 232, 0, 0, 2, 88, rest)), 4],
    ['GIF', data('gif', bytes('GIF89a', 232, 3, 88, 2, rest)), 4],
    ['JPEG', data('jpeg', bytes('\xff\xd8\xff\xe0\0\x04ab\xff\xdb\0\x03c\xff\xff\xc2\0\x11\x08', 2, 88, 3, 232, rest)), 4],
    [
      'JPEG after an EXIF of 64 KB',
      data('jpeg', bytes(`\xff\xd8\xff\xe1\xff\xff${'e'.repeat(65533)}\xff\xc0\0\x11\x08`, 2, 88, 3, 232, rest)),
      4,
    ],
    ['WebP, lossy', data('webp', bytes('RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a', 232, 3, 88, 2, rest)), 4],
    ['WebP, lossless', data('webp', bytes('RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f', 231, 195, 149, 0, rest)), 4],
    ['WebP, extended', data('webp', bytes('RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0', 231, 3, 0, 87, 2, 0, rest)), 4],
    ['a GIF of a pixel', 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 1],
    ['a lossy WebP of a pixel', 'data:image/webp;base64,UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=', 1],
    ['a lossless WebP of a pixel', 'data:image/webp;base64,UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 1],
  ])('are measured in a data URL: %s', (_, address, tiles) => {
    const counted = o200k.countMessages([image('high', address)], { model: 'gpt-4o' });
    expect(counted).toBe(3 + 3 + 1 + 85 + tiles * 170);
  });

  it.each([
    ['no image', data('png', bytes('hello'))],
    ['no bytes', 'data:image/png;base64,'],
    ['no base64', 'data:image/png;base64,iVBORw0KGgo*****************************'],
    ['text', 'data:image/svg+xml,<svg/>'],
    ['a header that ends', data('png', bytes('\x89PNG\r\n\x1a\n'))],
    ['a width of nothing', data('gif', bytes('GIF89a', 0, 0, 88, 2))],
    ['segments without an end', data('jpeg', bytes('\xff\xd8' + '\xff\xe0\0\x02'.repeat(500_000)))],
    ['a server', 'https://example.org/other.png'],
  ])('are taken as 1024 × 1024 if their size is unknown: %s', (_, address) => {
    expect(() => o200k.countMessages([image('high', address)], { model: 'gpt-4o' })).toThrow(RangeError);
    expect(estimate([image('high', address)], { model: 'gpt-4o' })).toBe(3 + 3 + 1 + 765);
    expect(assumptionsOf([image('high', address)], { model: 'gpt-4o' })).toEqual([
      'Images of unknown size are counted as 1024 × 1024 pixels.',
    ]);
  });

  it('are counted by the published rule alone', () => {
    const imageSizes = { [url]: { width: 1024, height: 1024 } };
    expect(o200k.countMessages([image('high')], { model: 'gpt-4o', imageSizes })).toBe(7 + 765);
    expect(o200k.countMessages([image('low')], { model: 'gpt-4o' })).toBe(7 + 85);
  });

  it.each(['gpt-3.5-turbo', 'gpt-4', 'o1-mini', 'o3-mini', 'gpt-oss-20b'])('are refused for %s', (model) => {
    expect(() => estimate([image('low')], { model })).toThrow('expected a model that takes images for model');
  });

  it.each(['gpt-4o', 'gpt-5-mini', 'gpt-5.5'])('without a detail have detail auto: %s', (model) => {
    const imageSizes = { [url]: { width: 1500, height: 700 } };
    const auto = estimate([image('auto')], { model, imageSizes });
    for (const image_url of [{ url }, { url, detail: undefined }, { url, detail: null }]) {
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
      expect(estimate(messages, { model, imageSizes })).toEqual(auto);
    }
    const unsaid = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    expect(() => o200k.countMessages(unsaid, { model: 'gpt-4o', imageSizes })).toThrow(
      "image_url.detail` must be 'low' or 'high', unless you set `estimate: true`; received undefined",
    );
  });

  it('require a detail that the model supports', () => {
    expect(() => estimate([image('huge')], { model: 'gpt-4o' })).toThrow(
      "expected 'low', 'high' or 'auto' for messages[0].content[0].image_url.detail",
    );
    expect(() => estimate([image('original')], { model: 'gpt-5-mini' })).toThrow(TypeError);
    expect(() => estimate([image('huge')], { model: 'gpt-5.5' })).toThrow("expected 'low', 'high', 'original' or 'auto' for");
  });

  it.each([
    [{ width: 0, height: 1 }, RangeError],
    [{ width: 1.5, height: 1 }, RangeError],
    [{ width: '5', height: 1 }, TypeError],
    [5, TypeError],
  ])('require positive sizes: %j', (size, kind) => {
    expect(() => estimate([image('high')], { model: 'gpt-4o', imageSizes: { [url]: wrong(size) } })).toThrow(kind);
  });
});

describe('audio', () => {
  const sound = (format: string, content: Buffer): ChatMessage => ({
    role: 'user',
    content: [{ type: 'input_audio', input_audio: { data: content.toString('base64'), format } }],
  });

  it('takes ten tokens a second', () => {
    const wav = Buffer.alloc(44 + 3 * 48_000);
    wav.writeUInt32LE(48_000, 28);
    expect(estimate([sound('wav', wav)], { model: 'gpt-4o-audio-preview' })).toBe(7 + 31);
    expect(estimate([sound('mp3', Buffer.alloc(32_000))], { model: 'gpt-4o-audio-preview' })).toBe(7 + 21);
    expect(estimate([sound('wav', Buffer.alloc(5))], { model: 'gpt-4o-audio-preview' })).toBe(7 + 1);
  });
});

describe('gpt-oss', () => {
  // OpenAI Cookbook, "OpenAI harmony response format": the complete example of a conversation with tools, without the
  // chain of thought, with medium effort, the default there, and with the call as the published chat template writes it.
  const EXAMPLE = `<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.
Knowledge cutoff: 2024-06
Current date: 2025-06-28

Reasoning: medium

# Valid channels: analysis, commentary, final. Channel must be included for every message.
Calls to these tools must go to the commentary channel: 'functions'.<|end|><|start|>developer<|message|># Instructions

Use a friendly tone.

# Tools

## functions

namespace functions {

// Gets the location of the user.
type get_location = () => any;

// Gets the current weather in the provided location.
type get_current_weather = (_: {
// The city and state, e.g. San Francisco, CA
location: string,
format?: "celsius" | "fahrenheit", // default: celsius
}) => any;

// Gets the current weather in the provided list of locations.
type get_multiple_weathers = (_: {
// List of city and state, e.g. ["San Francisco, CA", "New York, NY"]
locations: string[],
format?: "celsius" | "fahrenheit", // default: celsius
}) => any;

} // namespace functions<|end|><|start|>user<|message|>What is the weather like in SF?<|end|><|start|>assistant to=functions.get_current_weather<|channel|>commentary json<|message|>{"location":"San Francisco"}<|call|><|start|>functions.get_current_weather to=assistant<|channel|>commentary<|message|>{"sunny": true, "temperature": 20}<|end|><|start|>assistant`;

  it('has as many tokens as the published example', () => {
    const encoding = get_encoding('o200k_base');
    const specials = EXAMPLE.split(/<\|\w+\|>/);
    const expected = specials.length - 1 + specials.reduce((sum, text) => sum + encoding.encode(text, [], []).length, 0);
    encoding.free();
    const format = { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' };
    const tool = (name: string, description: string, properties?: object, required?: string[]) => ({
      type: 'function',
      function: { name, description, ...(properties && { parameters: { type: 'object', properties, required } }) },
    });
    const location = { type: 'string', description: 'The city and state, e.g. San Francisco, CA' };
    const list = 'List of city and state, e.g. ["San Francisco, CA", "New York, NY"]';
    const locations = { type: 'array', items: { type: 'string' }, description: list };
    const several = 'Gets the current weather in the provided list of locations.';
    const tools = [
      tool('get_location', 'Gets the location of the user.'),
      tool('get_current_weather', 'Gets the current weather in the provided location.', { location, format }, ['location']),
      tool('get_multiple_weathers', several, { locations, format }, ['locations']),
    ];
    const call = { id: 'a', type: 'function', function: { name: 'get_current_weather', arguments: '{"location":"San Francisco"}' } };
    const messages = [
      { role: 'system', content: 'Use a friendly tone.' },
      { role: 'user', content: 'What is the weather like in SF?' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: '{"sunny": true, "temperature": 20}' },
    ];
    expect(estimate(messages, { model: 'gpt-oss-120b', tools })).toBe(expected);
  });
});

describe('Claude', () => {
  const model = 'claude-opus-4-6';
  const claude = (messages: ClaudeMessage[], options: object = {}) => o200k.countMessages(messages, { model, estimate: true, ...options });
  const user = (...content: object[]): ClaudeMessage[] => [{ role: 'user', content }];
  const of = (...blocks: object[]) => claude(user(...blocks)) - claude(user());

  // The examples of Anthropic's guide "Token counting".
  it('has about as many tokens as the published examples', () => {
    expect(claude([{ role: 'user', content: 'Hello, Claude' }], { system: 'You are a scientist' })).toBe(14);
    const location = { type: 'string', description: 'The city and state, e.g. San Francisco, CA' };
    const input_schema = { type: 'object', properties: { location }, required: ['location'] };
    const tools = [{ name: 'get_weather', description: 'Get the current weather in a given location', input_schema }];
    const counted = claude([{ role: 'user', content: "What's the weather like in San Francisco?" }], { tools });
    expect(Math.abs(counted / 403 - 1)).toBeLessThan(0.03);
    expect(claude([], { tools, tool_choice: { type: 'any' } })).toBe(claude([], { tools }) - 346 + 313);
  });

  it('counts blocks', () => {
    const text = { type: 'text', text: 'hello world', cache_control: { type: 'ephemeral' } };
    expect(of(text)).toBe(2);
    expect(of({ type: 'thinking', thinking: 'hello world', signature: 'x' })).toBe(2);
    expect(of({ type: 'tool_use', id: 'a', name: 'look', input: { a: 1 } })).toBe(o200k.count('look') + o200k.count('{"a":1}'));
    expect(of({ type: 'tool_result', tool_use_id: 'a' }, { type: 'tool_result', tool_use_id: 'b', content: [text, text] })).toBe(4);
    expect(of({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello world' } })).toBe(2);
    expect(claude([], { system: [text, text] })).toBe(claude([]) + 4);
    for (const name of ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5', 'us.anthropic.claude-sonnet-4-20250514-v1:0']) {
      expect(claude(user(text), { model: name })).toBe(claude(user(text)));
    }
    const assumptions: string[] = [];
    const other = { type: 'search_result', title: 'hello' };
    claude(user(other, other), { onAssumption: (each: string) => assumptions.push(each) });
    expect(assumptions).toEqual([
      `No tokenizer of Claude is published: texts to ${model} are counted with o200k_base.`,
      'Blocks of other types are counted as JSON.',
    ]);
  });

  it('counts images by their size', () => {
    const imageSizes = { a: { width: 750, height: 100 }, b: { width: 3136, height: 100 }, c: { width: 5000, height: 5000 } };
    const sized = (url: string) => claude(user({ type: 'image', source: { type: 'url', url } }), { imageSizes }) - claude(user());
    expect(['a', 'b', 'c', 'd'].map(sized)).toEqual([100, Math.ceil((1568 * 50) / 750), 1600, 1600]);
    // A PNG of 300 by 250.
    const data = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x2c\0\0\0\xfa\x08', 'latin1').toString('base64');
    expect(of({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })).toBe(100);
  });

  it('is refused without an estimate, and in shapes that it does not have', () => {
    const refuses = (messages: unknown, options: object, message: string | RegExp) =>
      expect(() => o200k.countMessages(wrong(messages), options as any)).toThrow(message);
    refuses([], { model }, /^`model` must be a model with a published tokenizer, unless you set `estimate: true`/);
    refuses([], { model: 'gpt-4o', system: 'x' }, /^`system` must be left out, except for Claude/);
    refuses([{ role: 'system', content: 'x' }], { model, estimate: true }, /messages\[0\]\.role/);
    refuses(user({ text: 'x' }), { model, estimate: true }, /messages\[0\]\.content\[0\]\.type/);
    refuses([{ role: 'user', content: 5 }], { model, estimate: true }, /messages\[0\]\.content/);
    const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: '' } };
    refuses(user(pdf), { model, estimate: true }, /messages\[0\]\.content\[0\]` cannot be counted/);
  });
});

describe('an invalid request', () => {
  const options = { model: 'gpt-4o', estimate: true } as const;
  const count =
    (messages: unknown, more: object = {}) =>
    () =>
      o200k.countMessages(wrong(messages), { ...options, ...more } as any);
  const tools = (schema: unknown) => ({ tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] });
  const user = { role: 'user', content: 'a' };

  it.each<[string, () => unknown, string]>([
    ['an option', () => o200k.countMessages([], wrong({ modle: 'gpt-4o' })), "unknown option 'modle'; did you mean 'model'?"],
    [
      'an option unlike any',
      () => o200k.countMessages([], wrong({ qqqqqq: 1 })),
      "unknown option 'qqqqqq' (there are: model, tools, system, functions, tool_choice, function_call, response_format, imageSizes, estimate, onAssumption)",
    ],
    [
      'options that are an array',
      () => o200k.countMessages([], wrong(['gpt-4o'])),
      'expected an object for options but received an array of 1',
    ],
    [
      'options that are a set',
      () => o200k.countMessages([], wrong(new Set(['gpt-4o']))),
      'expected an object for options but received an instance of Set',
    ],
    [
      'an estimate of yes',
      () => o200k.countMessages([], wrong({ model: 'gpt-4o', estimate: 'yes' })),
      'expected a boolean for estimate but received "yes"',
    ],
    [
      'a field of a message',
      count([{ ...user, contnet: 'b' }]),
      '`messages[0].contnet` is not a field of a request; did you mean content?',
    ],
    ['a field of a part', count([{ role: 'user', content: [{ type: 'text', text: 'a', txet: 'b' }] }]), 'messages[0].content[0].txet'],
    [
      'a field of a call',
      count([{ role: 'assistant', tool_calls: [{ type: 'function', fucntion: {} }] }]),
      '`messages[0].tool_calls[0].fucntion` is not a field of a request; did you mean function?',
    ],
    [
      'a field of a function',
      count([], { functions: [{ name: 'f', paramters: {} }] }),
      '`functions[0].paramters` is not a field of a request; did you mean parameters?',
    ],
    [
      'a role that is none',
      () => o200k.countMessages(wrong([{ role: 'usr', content: 'a' }]), { model: 'gpt-4o' }),
      'expected one of system, developer, user, assistant, tool, function for messages[0].role but received "usr"',
    ],
    [
      'a result of no call',
      () => o200k.countMessages([{ role: 'tool', content: 'a' }], { model: 'gpt-4o' }),
      'expected a string for messages[0].tool_call_id but received undefined',
    ],
    [
      'a part of another kind',
      count([{ role: 'user', content: [{ type: 'video' }] }]),
      "expected 'text', 'refusal', 'image_url' or 'input_audio' for messages[0].content[0].type",
    ],
    [
      'a call without arguments',
      count([{ role: 'assistant', tool_calls: [{ function: { name: 'f' } }] }]),
      'expected a string for messages[0].tool_calls[0].function.arguments',
    ],
    [
      'a call of another kind',
      count([{ role: 'assistant', tool_calls: [{ type: 'x' }] }]),
      "expected 'function' or 'custom' for messages[0].tool_calls[0].type",
    ],
    ['calls that are no list', count([{ role: 'assistant', tool_calls: {} }]), 'expected an array for messages[0].tool_calls'],
    ['a hole in a list', count(new Array(1_000_000_000)), 'expected an object for messages[0] but received undefined'],
    ['a schema that is a list', count([user], tools([])), 'expected an object for tools[0].function.parameters'],
    ['a reference to nothing', count([], tools({ properties: { a: { $ref: '#/$defs/a' } } })), 'expected a reference that leads somewhere'],
    [
      'a reference to elsewhere',
      count([], tools({ properties: { a: { $ref: 'https://example.org' } } })),
      'expected a reference within the schema',
    ],
    [
      'a form of another kind',
      count([], { response_format: { type: 'xml' } }),
      "expected 'text', 'json_object' or 'json_schema' for response_format.type",
    ],
  ])('is a TypeError: %s', (_, wrong, message) => {
    expect(wrong).toThrow(TypeError);
    expect(wrong).toThrow(message);
  });

  const cyclic: any = { type: 'object', properties: {} };
  cyclic.properties.self = cyclic;
  const deep: any = { type: 'string' };
  const nested = Array.from({ length: 20_000 }).reduce<any>((items) => ({ type: 'array', items }), deep);
  const doubled = Array.from({ length: 40 }).reduce<any>((a) => ({ type: 'object', properties: { a, b: a } }), deep);
  const form = (schema: object) => ({ response_format: { type: 'json_schema', json_schema: { name: 'f', schema } } });
  it.each<[string, () => unknown, string]>([
    [
      'a file',
      count([{ role: 'user', content: [{ type: 'file', file: {} }] }]),
      '`messages[0].content[0]` cannot be counted: what a server reads in a file is not known; leave it out',
    ],
    [
      'audio of an assistant',
      count([{ role: 'assistant', audio: { id: 'a' } }]),
      '`messages[0].audio` cannot be counted: leave out the audio of an assistant',
    ],
    ['another tool', count([], { tools: [{ type: 'web_search' }] }), "expected 'function' or 'custom' for tools[0].type"],
    ['a schema that holds itself', count([], tools(cyclic)), '`tools[0].function.parameters` must have at most 100 levels'],
    ['a schema of 20,000 levels', count([], tools({ properties: { nested } })), 'must have at most 100 levels'],
    ['a schema that doubles 40 times', count([], tools(doubled)), 'must have at most 100000 values'],
    [
      'a schema with endless values',
      count([], tools({ properties: { a: { enum: new Array(1_000_000_000) } } })),
      'must have at most 100000 values',
    ],
    [
      'a schema that requires endlessly',
      count([], tools({ properties: { a: {} }, required: new Array(1_000_000_000) })),
      'must have at most 100000 values',
    ],
    ['a form that holds itself', count([], form(cyclic)), 'expected a schema that JSON can hold for response_format.json_schema.schema'],
    ['a form of 20,000 levels', count([], form(nested)), 'expected a schema that JSON can hold'],
    ['a form that doubles 40 times', count([], form(doubled)), 'expected a schema that JSON can hold'],
  ])('is a RangeError: %s', (_, wrong, message) => {
    expect(wrong).toThrow(RangeError);
    expect(wrong).toThrow(message);
  });

  it('passes on what a getter throws', () => {
    const message = {
      role: 'user',
      get content(): string {
        throw new Error('mine');
      },
    };
    expect(count([message])).toThrow('mine');
  });
});
