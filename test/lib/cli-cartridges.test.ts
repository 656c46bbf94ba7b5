// `crayon inspect` and `crayon verify`: what they report for intact cartridges, and that they notice damaged ones.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCartridge, trainBpe } from 'crayon-tokenizer';
import { DnaTokenizer } from 'crayon-tokenizer/dna';

import { type CompilerHost, compilerOn } from '../../lib/engine/compiler.js';
import { nativeCompiler, packTokens, withHiddenTokens } from '../../dist/node/internals.js';
import { PROFILES, profileTokens } from '../golden/longest-match.mjs';
import { loadTiktoken } from '../golden/references.mjs';
import { byteCharacter } from './byte-character.js';
import { checksumOf, openCartridge } from './cartridge-reader.mjs';
import { crayon as run } from './command.js';
import { MODELS } from './naive-dna.js';
import { SHARE } from '../share.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const cartridge = (name: string) => `${project}cartridges/${name}.cray`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crayon-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const crayon = (...args: string[]) => run(args, folder);

interface Section {
  id: number;
  name: string;
  mustUnderstand: boolean;
  offset: number;
  length: number;
  share: number;
}

/** The section table, read according to FORMAT.md. */
function sectionsOf(file: Buffer): Omit<Section, 'name' | 'share'>[] {
  return Array.from({ length: file.readUInt16LE(14) }, (_, row) => {
    const field = (index: number) => file.readUInt32LE(64 + 16 * row + 4 * index);
    return { id: field(0), mustUnderstand: (field(1) & 1) === 1, offset: field(2), length: field(3) };
  });
}

/** A copy of a cartridge with some bytes changed; `sealed`: with the matching checksum. */
function altered(name: string, file: string, change: (bytes: Buffer) => void, sealed = false): string {
  const bytes = readFileSync(cartridge(name));
  change(bytes);
  if (sealed) bytes.writeBigUInt64LE(checksumOf(bytes), 24);
  writeFileSync(join(folder, file), bytes);
  return file;
}

/** Turns the token "hello" of r50k_base into "jello", which is not in the vocabulary. */
function damageToken(bytes: Buffer): void {
  const { offset } = sectionsOf(bytes).find(({ id }) => id === 6)!;
  const offsets = sectionsOf(bytes).find(({ id }) => id === 5)!.offset;
  const id = openCartridge(bytes).idOf(new TextEncoder().encode('hello'));
  bytes[offset + bytes.readUInt32LE(offsets + 4 * id)] = 0x6a;
}

/** A 6-mer by its number: A0 T1 C2 G3. */
function kmerText(index: number): string {
  return Array.from({ length: 6 }, (_, at) => 'ATCG'[Math.floor(index / 4 ** (5 - at)) % 4]).join('');
}

async function cartridgeOfModel(name: string): Promise<string> {
  const file = join(folder, `${name}.cray`);
  writeFileSync(file, await compileCartridge(`${project}test/models/${name}`));
  return file;
}

/** A cartridge of a tokenizer.json with a pattern, a template, and ids in another order than its merges; a token that is a single word has the general path. */
async function importedCartridge(single_word: boolean): Promise<string> {
  const trained = await trainBpe('low lower lowest', { vocabularySize: 260, specialTokens: ['<s>'], pretokenizer: String.raw`\w+|\W` });
  const json = trained.toTokenizerJson() as {
    model: { vocab: Record<string, number> };
    added_tokens: { single_word: boolean }[];
    post_processor: object;
  };
  json.added_tokens[0]!.single_word = single_word;
  const { vocab } = json.model;
  const [one, other] = Object.keys(vocab).slice(-2) as [string, string];
  [vocab[one], vocab[other]] = [vocab[other]!, vocab[one]!];
  const single = [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }];
  const special_tokens = { '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] } };
  json.post_processor = { type: 'TemplateProcessing', single, pair: [], special_tokens };
  const file = join(folder, `imported-${single_word}.cray`);
  writeFileSync(file, await compileCartridge(new TextEncoder().encode(JSON.stringify(json))));
  return file;
}

/** A cartridge of BPE over characters, which has hidden tokens. */
function characterCartridge(): string {
  const texts = ['<unk>', 'a', 'é', 'aé'];
  const { bytes, offsets, merges } = withHiddenTokens({
    texts,
    merges: Uint32Array.of(1, 2),
    unmatched: [],
    byteIds: undefined,
    unknownId: 0,
    fusesUnknown: false,
    limit: texts.length,
  });
  const views = [{ name: 'characters', scanner: 'none', tokens: packTokens([]) }];
  const compiled = nativeCompiler().compile({ bytes, offsets, model: 'bpe', merges, metadata: '{"name":"characters"}', views }, 'full');
  if ('sentence' in compiled) throw new Error(compiled.sentence);
  const file = join(folder, 'characters.cray');
  writeFileSync(file, compiled);
  return file;
}

describe('crayon inspect', () => {
  it('names the sections and where they are', () => {
    const file = readFileSync(cartridge('r50k_base'));
    const { status, stdout } = crayon('inspect', '--json', 'r50k_base');
    const facts = JSON.parse(stdout) as { sections: Section[] };
    expect(status).toBe(0);
    expect(facts).toMatchObject({ file: cartridge('r50k_base'), bytes: file.length, checksum: 'matches', model: 'bpe' });
    expect(facts.sections.map(({ name: _, share: __, ...row }) => row)).toEqual(sectionsOf(file));
    const format = readFileSync(`${project}cartridges/FORMAT.md`, 'utf8');
    for (const { id, name, length, share } of facts.sections) {
      expect(format).toMatch(new RegExp(`\\*?\\b${id} ${name}\\b`));
      expect(share).toBeCloseTo(length / file.length, 12);
    }
  });

  it('knows every section of the format by its name', async () => {
    // FORMAT.md names them in "**7 Name.**", in "**5 Name, 6 Name.**" and in the rows "| 7 Name | …" of tables.
    const format = readFileSync(`${project}cartridges/FORMAT.md`, 'utf8');
    const headings = /^(?:\* )?\*\*(\d+ [A-Z][^*,]*(?:, \d+ [A-Z][^*,]*)*?)\.?\*\*|^\| (\d+ [A-Z]\w+) \|/gm;
    const named = Array.from(format.matchAll(headings), ([, heading, cell]) => (heading ?? cell!).split(', ')).flat();
    const names = new Map(named.map((text) => [text.replace(/ .*/, ''), text.replace(/^\d+ |\.$/g, '')]));
    // Every section number in the layout has a name in the document.
    const layout = readFileSync(`${project}native/include/crayon/layout/cartridge.h`, 'utf8');
    const numbers = Array.from(/enum SectionId[^{]*\{([^}]*)\}/.exec(layout)![1]!.matchAll(/= (\d+)/g), ([, id]) => Number(id));
    expect([...names.keys()].map(Number).sort((a, b) => a - b)).toEqual(numbers.sort((a, b) => a - b));
    const shown = new Map<string, string>();
    // Imported ones have patterns, ids that differ from ranks, templates, and the characters of words; BPE over characters
    // hides tokens. WordPiece and Unigram have normalizer programs, and pieces with equal scores.
    const models = await Promise.all(
      ['bert.tokenizer.json', 't5.tokenizer.json', 'bpe-equals.model'].map((name) => cartridgeOfModel(name)),
    );
    const others = [await importedCartridge(true), await importedCartridge(false), characterCartridge(), ...models];
    for (const file of [...['r50k_base', 'r50k_base.slim', 'lite', 'lite.slim', 'nt-v2'].map(cartridge), ...others]) {
      const { sections } = JSON.parse(crayon('inspect', '--json', file).stdout) as { sections: Section[] };
      for (const { id, name } of sections) shown.set(String(id), name);
    }
    // A section that none of these files has needs another file here.
    const byNumber = (entries: Map<string, string>) => [...entries].sort(([a], [b]) => Number(a) - Number(b));
    expect(byNumber(shown)).toEqual(byNumber(names));
  });

  it('gives licence, source, views and added tokens', () => {
    const { metadata, views } = JSON.parse(crayon('inspect', '--json', 'gpt-4o').stdout) as {
      metadata: object;
      views: { name: string; addedTokens: object[] }[];
    };
    const recipe = JSON.parse(readFileSync(`${project}cartridges/recipes/o200k_base.json`, 'utf8')) as {
      source: { licence: string; sha256: string };
    };
    const { licence, sha256 } = recipe.source;
    expect(metadata).toMatchObject({ name: 'o200k_base', licence, sourceSha256: sha256 });
    expect(views).toMatchObject([
      {
        name: 'o200k_base',
        pretokenizer: 'o200k',
        vocabularySize: 200019,
        addedTokens: [
          { text: '<|endoftext|>', id: 199999, special: true },
          { text: '<|endofprompt|>', id: 200018, special: true },
        ],
      },
      { name: 'o200k_harmony', vocabularySize: 201088 },
    ]);
    // 16 by name, and 200013 to 201087.
    expect(views[1]!.addedTokens).toHaveLength(16 + 1075);
  });

  it('describes a DNA vocabulary', async () => {
    using dna = await DnaTokenizer.load('nt-v1', { suffix: ['<eos>'] });
    writeFileSync(join(folder, 'nt.cray'), dna.toCartridge());
    for (const [source, suffix] of [
      ['nt-v1', []],
      ['nt.cray', ['<eos>']],
    ] as const) {
      const { status, stdout } = crayon('inspect', '--json', source);
      expect(status).toBe(0);
      const { ids, before } = MODELS['nt-v1']!;
      const specialTokens = { '<unk>': 0, '<pad>': 1, '<mask>': 2, '<cls>': 3, '<eos>': 4105, '<bos>': 4106 };
      expect(before).toEqual([specialTokens['<cls>']]);
      expect(JSON.parse(stdout)).toMatchObject({
        checksum: 'matches',
        model: 'dna',
        dna: {
          unit: 'kmer',
          k: 6,
          bases: ids,
          specialTokens,
          unknownId: 0,
          padId: 1,
          side: 'right',
          prefix: ['<cls>'],
          suffix,
          policies: { lowerCase: 'reject', ambiguous: 'reject', n: 'keep', tail: 'single' },
        },
        metadata: { name: 'nt-v1' },
        views: [{ name: 'nt-v1', pretokenizer: 'none', vocabularySize: 4107 }],
      });
      expect(JSON.parse(stdout).samples.at(1)).toEqual({ id: 274, text: kmerText(274 - 4) });
    }
    const { stdout } = crayon('inspect', 'caduceus');
    expect(stdout).toMatch(/^model: dna\ndna:\n {2}unit: byte\n/m);
    expect(stdout).toContain('    lowerCase: normalize\n');
    expect(stdout).toContain('  suffix: [SEP]\n');
    expect(stdout).toMatch(/^ +17 {2}DNA +at /m);
  });

  it('describes a DNA vocabulary with a wrong checksum, and fails', () => {
    const file = altered('nt-v2', 'differs.cray', (bytes) => {
      const { offset } = sectionsOf(bytes).find(({ id }) => id === 6)!;
      bytes[offset + 5] = 0x54; // a T in the first k-mer
    });
    const { status, stdout } = crayon('inspect', '--json', file);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ checksum: 'differs', dna: { k: 6 } });
  });

  it('samples tokens evenly from the vocabulary, including the first and the last', async () => {
    const { samples } = JSON.parse(crayon('inspect', '--json', 'cl100k_base').stdout) as {
      samples: { id: number; text?: string; hex?: string }[];
    };
    const reference = await loadTiktoken('cl100k_base');
    const vocabulary = reference.vocabulary();
    expect(samples[0]).toEqual({ id: 0, text: '!' });
    expect(samples.at(-1)).toEqual({ id: 100276, text: '<|endofprompt|>' });
    for (const { id, text, hex } of samples.slice(0, -1)) {
      expect(text === undefined ? Buffer.from(hex!, 'hex') : Buffer.from(text)).toEqual(Buffer.from(vocabulary[id]!));
    }
    expect(samples.length).toBeGreaterThan(10);
    reference.free();
  });

  it('shows each token of a small vocabulary once', () => {
    writeFileSync(join(folder, 'small.json'), '["a", "b", "ab"]');
    crayon('compile', 'small.json', '-o', 'small.dat');
    const { samples } = JSON.parse(crayon('inspect', '--json', 'small.dat').stdout) as { samples: object[] };
    expect(samples).toEqual([
      { id: 0, text: 'a' },
      { id: 1, text: 'b' },
      { id: 2, text: 'ab' },
    ]);
    expect(crayon('inspect', 'small.dat').stdout).toContain('\nmetadata: none\nviews:\n  default: no pretokenizer, ');
  });

  it('writes the same for people', () => {
    const { status, stdout } = crayon('inspect', 'r50k_base');
    expect(status).toBe(0);
    expect(stdout).toContain('checksum: matches\n');
    expect(stdout).toContain('licence: MIT\n');
    expect(stdout).toContain('<|endoftext|> 50256\n');
    expect(stdout).toMatch(/^ +12 {2}Trie +at [0-9a-f]{8} +[\d,]+ bytes +\d+\.\d %$/m);
    expect(stdout).toMatch(/^ +13 {2}Crossings +at [0-9a-f]{8} +[\d,]+ bytes +\d+\.\d %$/m);
    expect(stdout).toMatch(/^ +0 {2}"!"$/m);
  });

  it('describes a file with a wrong checksum, and fails', () => {
    const file = altered('r50k_base', 'damaged.cray', damageToken);
    const { status, stdout } = crayon('inspect', file);
    expect(status).toBe(1);
    expect(stdout).toContain('checksum: differs\n');
    expect(stdout).toContain('  12  Trie');
  });

  it('reports where a file is invalid', () => {
    writeFileSync(join(folder, 'short.cray'), readFileSync(cartridge('r50k_base')).subarray(0, 1000));
    const { status, stdout } = crayon('inspect', '--json', 'short.cray');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      bytes: 1000,
      checksum: 'not checked',
      refusal: { code: 'TRUNCATED', section: 'Header and section table', position: 1000 },
    });
  });

  it('fails for a missing file', () => {
    const failing = (part: string) => ({ status: 1, stdout: '', stderr: expect.stringContaining(part) as string });
    expect(crayon('inspect', 'missing.cray')).toMatchObject(failing('missing.cray'));
    expect(crayon('inspect', 'o200k_bse')).toMatchObject(failing('did you mean'));
    expect(crayon('inspect')).toMatchObject({ status: 2, stdout: '' });
  });
});

interface View {
  name: string;
  tokens: number;
  holes: number;
  encodeToThemselves: number;
  cut: number[];
  cutInsideCharacters: number;
  changedByNormalizer: number;
  addedTokens: number;
  samples: number | null;
  failures: number;
  messages: string[];
}

interface Verified {
  ok: boolean;
  cartridges: { file: string; ok: boolean; checksum: string; refusal?: object; reports: View[]; error?: string }[];
}

function verified(...args: string[]): { status: number | null; stderr: string } & Verified {
  const { status, stdout, stderr } = crayon('verify', '--json', ...args);
  return { status, stderr, ...(JSON.parse(stdout) as Verified) };
}

describe('crayon verify', () => {
  it.skipIf(SHARE < 1)('finds no fault in the cartridges of the package', async () => {
    const { status, ok, cartridges } = verified();
    expect(status).toBe(0);
    expect(ok).toBe(true);
    const all = cartridges.flatMap(({ reports }) => reports);
    const models = Object.entries(MODELS).map(
      ([name, { ids }]) => [name, Object.keys(ids).length + (name.startsWith('nt-v') && name !== 'nt-v3' ? 4 ** 6 : 0)] as const,
    );
    for (const [name, tokens] of models)
      expect(all.find((view) => view.name === name)).toMatchObject({ tokens, encodeToThemselves: tokens, failures: 0 });
    const profiles = all.filter(({ name }) => PROFILES.includes(name));
    expect(profiles.map(({ name }) => name)).toEqual(PROFILES.flatMap((name) => [name, name]));
    for (const view of profiles) {
      const { length } = profileTokens(view.name);
      expect(view).toMatchObject({ tokens: length, holes: 0, encodeToThemselves: length, addedTokens: 0, failures: 0 });
    }
    const views = all.filter(({ name }) => !PROFILES.includes(name) && !Object.hasOwn(MODELS, name));
    expect(views.map(({ name }) => name).sort()).toEqual(
      ['cl100k_base', 'gpt2', 'o200k_base', 'o200k_harmony', 'p50k_base', 'p50k_edit', 'r50k_base'].flatMap((name) => [name, name]), // full and slim
    );
    for (const view of views) {
      const { name, tokens, holes, encodeToThemselves, cut, cutInsideCharacters, addedTokens } = view;
      const reference = await loadTiktoken(name);
      const vocabulary = reference.vocabulary();
      const special = Object.values(reference.specialTokens);
      const ids = new Set([...vocabulary.keys()].filter((id) => vocabulary[id] !== undefined));
      expect(tokens, name).toBe(ids.size);
      expect(addedTokens, name).toBe(special.length);
      expect(holes, name).toBe(Math.max(...special, vocabulary.length - 1) + 1 - new Set([...ids, ...special]).size);
      expect(encodeToThemselves + cut.length + cutInsideCharacters, name).toBe(tokens);
      expect(view.changedByNormalizer, name).toBe(0);
      const parts = [...ids].filter((id) => !isText(vocabulary[id]!));
      expect(cutInsideCharacters, name).toBeLessThan(parts.length);
      expect(view, name).toMatchObject({ failures: 0, messages: [], samples: expect.any(Number) });
      reference.free();
    }
    // " I'" and lines of slashes are two pieces each of this pattern, so no text gives these tokens by itself.
    const o200k = views.find(({ name }) => name === 'o200k_base')!;
    expect(o200k.cut.slice(0, 4)).toEqual([3413, 3914, 24091, 48235]);
  });

  it('reports it for people', () => {
    const { status, stdout } = crayon('verify', 'gpt2');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok .*r50k_base\.cray: [\d,]+ bytes, checksum matches, structure sound\n/);
    expect(stdout).toMatch(/^ok +r50k_base: 50,256 tokens, 1 added\n/m);
    expect(stdout).toMatch(/(\d+) of \1 sample texts have the ids of tiktoken \d/);
  });

  it('counts the tokens that are not normalized, so that the sum fits', async () => {
    const vocab: Record<string, number> = Object.fromEntries(Array.from({ length: 256 }, (_, byte) => [byteCharacter(byte), byte]));
    // U+0301, é as two characters, the Ångström sign, which NFC maps to Å, and é as one character.
    const merged = [
      [0xcc, 0x81],
      [0x65, 0xcc, 0x81],
      [0xe2, 0x84],
      [0xe2, 0x84, 0xab],
      [0xc3, 0xa9],
    ];
    const shown = (bytes: number[]) => bytes.map(byteCharacter).join('');
    for (const bytes of merged) vocab[shown(bytes)] = Object.keys(vocab).length;
    const merges = [
      [[0xcc], [0x81]],
      [[0x65], [0xcc, 0x81]],
      [[0xe2], [0x84]],
      [[0xe2, 0x84], [0xab]],
      [[0xc3], [0xa9]],
    ].map((pair) => pair.map(shown).join(' '));
    const json = {
      added_tokens: [],
      normalizer: { type: 'NFC' },
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      model: { type: 'BPE', vocab, merges },
    };
    writeFileSync(join(folder, 'nfc.cray'), await compileCartridge(new TextEncoder().encode(JSON.stringify(json))));
    const { status, cartridges } = verified('./nfc.cray');
    const { tokens, encodeToThemselves, cut, cutInsideCharacters, changedByNormalizer } = cartridges[0]!.reports[0]!;
    const changed = merged.filter(
      (bytes) => isText(Uint8Array.from(bytes)) && Buffer.from(bytes).toString() !== Buffer.from(bytes).toString().normalize('NFC'),
    );
    expect({ status, changedByNormalizer }).toEqual({ status: 0, changedByNormalizer: changed.length });
    expect(changed.length).toBe(2);
    expect(encodeToThemselves + cut.length + cutInsideCharacters + changedByNormalizer).toBe(tokens);
    expect(crayon('verify', './nfc.cray').stdout).toContain('            2 are changed by the normalizer\n');
  });

  it('tells how to compile files that are not cartridges', () => {
    writeFileSync(join(folder, 'tokenizer.json'), '{}');
    const advice = 'is not a cartridge: crayon compile tokenizer.json -o NAME.cray makes one of it';
    expect(crayon('verify', 'tokenizer.json')).toMatchObject({ status: 1, stderr: `crayon: tokenizer.json: ${advice}\n` });
  });

  it('notices a replaced token', () => {
    const { status, ok, cartridges } = verified(altered('r50k_base', 'damaged.cray', damageToken));
    expect(status).toBe(1);
    expect(ok).toBe(false);
    expect(cartridges[0]).toMatchObject({ ok: false, checksum: 'differs' });
    for (const { messages } of cartridges[0]!.reports) {
      expect(messages[0]).toMatch(/^token \d+, "jello", is found as no token$/);
    }
    // The same with a matching checksum.
    const sealed = verified(altered('r50k_base', 'sealed.cray', damageToken, true));
    expect(sealed).toMatchObject({ status: 1, cartridges: [{ ok: false, checksum: 'matches' }] });
    const { stdout } = crayon('verify', 'sealed.cray');
    expect(stdout).toMatch(/^FAILED .*checksum matches, structure sound\nFAILED +r50k_base/);
  });

  it('reports where the structure is damaged', () => {
    const header = altered('r50k_base', 'broken.cray', (bytes) => bytes.writeUInt8(1, 63), true);
    const { status, cartridges } = verified(header);
    expect(status).toBe(1);
    expect(cartridges[0]).toMatchObject({
      checksum: 'matches',
      refusal: { code: 'CORRUPT_STRUCTURE', section: 'Header and section table' },
      reports: [],
    });
    const trie = altered(
      'r50k_base',
      'trie.cray',
      (bytes) => {
        const { offset } = sectionsOf(bytes).find(({ id }) => id === 12)!;
        bytes.writeUInt32LE(7, offset);
      },
      true,
    );
    expect(verified(trie).cartridges[0]).toMatchObject({ refusal: { code: 'CORRUPT_STRUCTURE', section: 'Trie' } });
  });

  it('notices a vocabulary under the name of another', () => {
    const addon = createRequire(import.meta.url)(process.env.CRAYON_ADDON || `${project}build/release/crayon.node`);
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const offsets = Uint32Array.from({ length: 257 }, (_, index) => index);
    const compile = (name: string) =>
      compilerOn(() => ({ engine: addon }) as CompilerHost).compile(
        { bytes, offsets, model: 'bpe', metadata: '{}', views: [{ name, scanner: 'cl100k', tokens: packTokens([]) }] },
        'full',
      ) as Uint8Array;
    writeFileSync(join(folder, 'bytes.cray'), compile('bytes'));
    const reports = [{ name: 'bytes', tokens: 256, samples: null }];
    expect(verified('bytes.cray')).toMatchObject({ status: 0, cartridges: [{ reports }] });
    expect(crayon('verify', 'bytes.cray').stdout).toContain('the package has no reference ids for it');
    writeFileSync(join(folder, 'forged.cray'), compile('cl100k_base'));
    const { status, cartridges } = verified('forged.cray');
    expect(status).toBe(1);
    const [view] = cartridges[0]!.reports as [View];
    // The empty text has the same ids: none.
    expect(view.samples).toBe(1);
    expect(view.messages[0]).toMatch(/^sample text 1, "hello world", has other ids than tiktoken/);
  });

  it('continues after a file that cannot be opened', () => {
    const { status, stderr, cartridges } = verified('missing.cray', 'r50k_base');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^crayon: missing\.cray: .*no file exists/);
    expect(cartridges.map(({ ok }) => ok)).toEqual([false, true]);
  });
});

function isText(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).equals(Buffer.from(Buffer.from(bytes).toString()));
}
