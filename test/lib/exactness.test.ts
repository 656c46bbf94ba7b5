// The ids equal the reference's, on every committed fixture and every text of the shared corpora. The reference's output
// is committed as digests (golden/), so whole corpora compare in seconds; the fixtures are also encoded by the live
// reference.

import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { corpora, sha256, textOf } from '../corpora.mjs';
import { contenderOf } from '../fuzz/contenders.mjs';
import { differenceOn, escaped, firstDifference, report, utf8Of } from '../fuzz/differential.mjs';
import { digestOf, fixtures, hasLongPieces, prefixOf, readGolden } from '../golden/goldens.mjs';
import { DISTINCT_ENCODINGS, ENCODINGS, loadTiktoken } from '../golden/references.mjs';
import { SHARE } from '../share.js';

type Row = [tokens: number, digest: string];
interface Golden {
  fixtures: Record<string, Row>;
  corpora: Record<string, Row>;
  prefixes: Record<string, [units: number, ...Row]>;
  longPieces: Record<string, Row>;
}

/** In bytes. Longer texts only add length. */
const LONGEST_IN_A_SAMPLE = 4e6;

/** In bytes: in a sample, longer texts meet one rank list each, in turn. */
const LONG_IN_A_SAMPLE = 250_000;

/** The encodings for a text, and those for which everything derived from its ids is also tested. */
function namesFor(size: number, index: number): { names: readonly string[]; followed: readonly string[] } {
  if (SHARE === 1 || size <= LONG_IN_A_SAMPLE) return { names: ENCODINGS, followed: DISTINCT_ENCODINGS };
  const one = [DISTINCT_ENCODINGS[index % DISTINCT_ENCODINGS.length]!];
  return { names: one, followed: one };
}

const goldens: Record<string, Golden> = {};
const tokenizers: Record<string, Tokenizer> = {};
const texts = readGolden('texts') as { fixtures: Record<string, Row>; corpora: Record<string, Row> };

beforeAll(async () => {
  for (const name of ENCODINGS) {
    // o200k_harmony differs from o200k_base only in special tokens.
    goldens[name] = readGolden(name === 'o200k_harmony' ? 'o200k_base' : name);
    tokenizers[name] = await Tokenizer.load(name);
  }
});

afterAll(() => Object.values(tokenizers).forEach((tokenizer) => tokenizer.close()));

/** The golden ids of each encoding for a text. */
function rowsOf(text: string, names: readonly string[]): Record<string, Row> {
  return Object.fromEntries(
    names.map((name): [string, Row] => {
      const ids = tokenizers[name].encode(text);
      return [name, [ids.length, digestOf(ids)]];
    }),
  );
}

/** The first difference from the live reference of a text that failed its golden, for the message. */
async function firstDifferenceOf(text: string, name: string): Promise<string> {
  const reference = await loadTiktoken(name);
  const [actual, expected] = [tokenizers[name].encode(text), reference.encode(text)];
  const index = firstDifference(actual, expected);
  if (index < 0) return `${name}: no difference from the live reference: do the goldens belong to this text?`;
  const before = textOf(tokenizers[name].decodeBytes(expected.slice(0, index))).length;
  const around = escaped(text.slice(Math.max(0, before - 40), before + 40));
  return `${name}: id ${index} is ${actual[index]}, expected ${expected[index]}, at unit ${before}: …${around}…`;
}

/** Fails with the position of the first difference if the ids of a text are not the golden ones. */
async function expectGolden(
  text: string,
  goldenRow: (golden: Golden) => Row,
  { names = ENCODINGS, locate = true }: { names?: readonly string[]; locate?: boolean } = {},
) {
  const expected = Object.fromEntries(names.map((name) => [name, goldenRow(goldens[name])]));
  const actual = rowsOf(text, names);
  const wrong = names.filter((name) => String(actual[name]) !== String(expected[name]));
  const differences: string[] = [];
  for (const name of locate ? wrong : []) differences.push(await firstDifferenceOf(text, name));
  expect(actual, differences.join('\n')).toEqual(expected);
}

/** Properties that follow from correct ids: counts, the ids of the bytes, and the decoded text. */
function expectConsistent(bytes: Uint8Array, names: readonly string[]) {
  const text = textOf(bytes);
  const utf8 = utf8Of(text);
  const valid = Buffer.compare(utf8, bytes) === 0;
  for (const name of names) {
    const tokenizer = tokenizers[name];
    const ids = tokenizer.encode(text);
    expect(tokenizer.count(text), name).toBe(ids.length);
    expect(Buffer.compare(tokenizer.decodeBytes(ids), utf8), name).toBe(0);
    const fromBytes = tokenizer.encode(bytes);
    // Bytes decode unchanged, valid or not; valid ones have the ids of the string.
    if (valid) expect(firstDifference(fromBytes, ids), name).toBe(-1);
    else expect(Buffer.compare(tokenizer.decodeBytes(fromBytes), bytes), name).toBe(0);
  }
}

describe('committed fixtures', () => {
  const files = fixtures();

  it('are all in the goldens, and unchanged since', () => {
    expect(files.length).toBeGreaterThan(40);
    const actual = files.map(({ name, path }) => [name, [fs.statSync(path).size, sha256(fs.readFileSync(path))]]);
    expect(Object.fromEntries(actual)).toEqual(texts.fixtures);
  });

  it.each(files)('$name has the golden ids', async ({ name, path }) => {
    const text = textOf(fs.readFileSync(path));
    await expectGolden(text, (golden) => golden.fixtures[name]);
  });

  it.each(files)('$name is consistent', ({ path }) => {
    const bytes = fs.readFileSync(path);
    expectConsistent(bytes, ENCODINGS);
    for (const name of ENCODINGS) {
      const tokenizer = tokenizers[name];
      expect(tokenizer.count(bytes), name).toBe(tokenizer.encode(bytes).length);
      expect(tokenizer.decode(tokenizer.encode(textOf(bytes))), name).toBe(textOf(bytes));
    }
  });

  it.each(ENCODINGS)('have the ids of the live reference: %s', async (name) => {
    const reference = await loadTiktoken(name);
    const contender = contenderOf(tokenizers[name]);
    for (const file of files) {
      const text = textOf(fs.readFileSync(file.path));
      if (differenceOn(text, contender, reference) === null) continue;
      expect.fail(report({ encoding: name, text, contender, reference, origin: `fixtures/${file.name}` }));
    }
  });
});

const files = corpora({ assembled: true });
if (files === null) {
  console.log(`SKIPPED: ${Object.keys(texts.corpora).length} corpus files, their folder ../shared/corpora is absent`);
}

describe.skipIf(files === null)('shared corpora', { timeout: 300_000 }, () => {
  it('are the ones that the goldens were derived from', () => {
    const actual = (files ?? []).map(({ name, bytes, sha256 }) => [name, [bytes, sha256]]);
    expect(Object.fromEntries(actual)).toEqual(texts.corpora);
  });

  const withIndex = (files ?? []).map((file, index) => ({ ...file, ...namesFor(file.bytes, index) }));

  it.for(withIndex.filter(({ name }) => !hasLongPieces(name)))(
    '$name',
    async ({ name, path, bytes: size, assembled, names, followed }, { skip }) => {
      if (SHARE < 1 && size > LONGEST_IN_A_SAMPLE) skip('it is encoded by npm run test:long');
      const bytes = fs.readFileSync(path);
      // Assembled texts only add length: other views of the same ranks test nothing new on them.
      await expectGolden(textOf(bytes), (golden) => golden.corpora[name], {
        names: assembled ? names.filter((each) => DISTINCT_ENCODINGS.includes(each)) : names,
      });
      if (!assembled) expectConsistent(bytes, followed);
    },
  );

  it.each(withIndex.filter(({ name }) => hasLongPieces(name)))('$name', async ({ name, path, names, followed }) => {
    const bytes = fs.readFileSync(path);
    const text = textOf(bytes);
    const units = goldens.o200k_base.prefixes[name][0];
    await expectGolden(prefixOf(text, units), ({ prefixes }) => prefixes[name].slice(1) as Row, { names });
    // The live reference would take hours on the whole text, so no difference is located.
    await expectGolden(text, (golden) => golden.longPieces[name], { names, locate: false });
    expectConsistent(bytes, followed);
  });
});

describe.skipIf(files === null)('edge cases of the shared corpora', { timeout: 300_000 }, () => {
  const lines = (name: string) => {
    const file = files?.find((each) => each.name === name);
    return fs
      .readFileSync(file?.path ?? '', 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  };
  const replay = async (strings: string[], origin: string) => {
    for (const name of ENCODINGS) {
      const reference = await loadTiktoken(name);
      const contender = contenderOf(tokenizers[name]);
      strings.forEach((text, index) => {
        if (differenceOn(text, contender, reference) === null) return;
        expect.fail(report({ encoding: name, text, contender, reference, origin: `${origin}, string ${index}` }));
      });
    }
  };

  it('edge_strings.jsonl: every string alone', async () => {
    const strings = lines('H_edge/edge_strings.jsonl').map((line) => JSON.parse(line).text as string);
    expect(strings.length).toBeGreaterThan(4000);
    await replay(strings, 'edge_strings.jsonl');
  });

  it('blns.json: every string alone', async () => {
    const strings = JSON.parse(lines('H_edge/blns.json').join('\n')) as string[];
    expect(strings.length).toBeGreaterThan(400);
    await replay(strings, 'blns.json');
  });

  it('invalid_utf8.jsonl: bytes decode exactly, and valid ones have the ids of the string', () => {
    let [valid, invalid] = [0, 0];
    for (const line of lines('H_edge/invalid_utf8.jsonl')) {
      const row = JSON.parse(line) as { hex: string; valid: boolean; replace: string };
      const bytes = Uint8Array.from(Buffer.from(row.hex, 'hex'));
      for (const name of ENCODINGS) {
        const tokenizer = tokenizers[name];
        const ids = tokenizer.encode(bytes);
        expect(Buffer.from(tokenizer.decodeBytes(ids)).toString('hex'), `${name} ${row.hex}`).toBe(row.hex);
        expect(tokenizer.count(bytes), `${name} ${row.hex}`).toBe(ids.length);
        // Decoding to a string replaces invalid UTF-8 as in the corpus, by maximal subparts.
        expect(tokenizer.decode(ids), `${name} ${row.hex}`).toBe(row.replace);
        if (row.valid) expect([...ids], `${name} ${row.hex}`).toEqual([...tokenizer.encode(row.replace)]);
      }
      if (row.valid) valid++;
      else invalid++;
    }
    expect(valid).toBeGreaterThan(0);
    expect(invalid).toBeGreaterThan(1000);
  });
});
