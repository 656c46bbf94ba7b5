// The drop-ins in their users' environments: in pages, built by the common bundlers and run in Chromium; in edge workers;
// in Node, as both kinds of modules. And the download size of each in a page.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import zlib from 'node:zlib';
import * as esbuild from 'esbuild';
import * as jsTiktoken from 'js-tiktoken';
import { Miniflare } from 'miniflare';
import { type Browser, chromium } from 'playwright';
import * as tiktoken from 'tiktoken';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
import { BUNDLERS, bundlers } from './bundlers.js';
import { FILE, say } from './drop-ins/huggingface-calls.js';
import { TEXT } from './drop-ins/text.js';
import { visit } from './page.js';

const folder = inject('folder');
const sources = path.join(folder, 'drop-ins');
const require = createRequire(import.meta.url);
const ENCODINGS = ['gpt2', 'r50k_base', 'p50k_base', 'p50k_edit', 'cl100k_base', 'o200k_base'] as const;

beforeAll(() => fs.cpSync(new URL('drop-ins', import.meta.url), sources, { recursive: true }));

const known = new Map<string, number[]>();

/** The reference's ids for the text, with special tokens as tokens. */
function idsOf(name: tiktoken.TiktokenEncoding): number[] {
  const found = known.get(name);
  if (found !== undefined) return found;
  const reference = tiktoken.get_encoding(name);
  const ids = [...reference.encode(TEXT, 'all')];
  reference.free();
  known.set(name, ids);
  return ids;
}

let answers: object | undefined;

/** The expected answers of all.js, by the packages that the drop-ins replace. */
function expectedOfAll(): object {
  answers ??= answersOfPackages();
  return answers;
}

function answersOfPackages(): object {
  const each = Object.fromEntries(ENCODINGS.map((name) => [name, { ids: idsOf(name), text: TEXT }]));
  const chat = [{ role: 'user', content: 'hello' }] as const;
  const gpt4 = tiktoken.encoding_for_model('gpt-4');
  const [stable, completions] = gpt4.encode_with_unstable('hello fanta') as [number[], number[][]];
  gpt4.free();
  const gpt2 = tiktoken.get_encoding('gpt2');
  const lengths = gpt2.token_byte_values().map(({ length }) => length);
  gpt2.free();
  return {
    tiktoken: each,
    jsTiktoken: each,
    gptTokenizer: { p50k_edit: idsOf('p50k_edit'), cl100k_base: idsOf('cl100k_base'), o200k_base: idsOf('o200k_base') },
    decoded: TEXT,
    chunks: [24912, 2375],
    chat: require('gpt-tokenizer/encoding/cl100k_base').encodeChat(chat, 'gpt-4'),
    chatCount: require('gpt-tokenizer/model/gpt-3.5-turbo').countTokens(chat),
    rank: 'hello',
    added: jsTiktoken.getEncoding('cl100k_base', { '<|x|>': 300_000 }).encode('hi<|x|>', 'all'),
    unstable: { stable, completions: completions.map(String).sort() },
    tokens: lengths.length,
    longest: Math.max(...lengths),
  };
}

const EXPECTED_OF_LITE = {
  ours: idsOf('r50k_base'),
  theirs: idsOf('r50k_base'),
  ranksLength: require('js-tiktoken/ranks/r50k_base').bpe_ranks.length,
  compiled: [258, 111, 32, 258, 1000],
  compiledToo: [258, 111, 32, 258],
  missing: "the vocabulary cl100k_base is not in this script; import 'crayon-tokenizer/inline/cl100k_base' to add it",
  later: [15339, 1917],
  checked: [15339, 1917],
  rank: 'hello',
};

const NO_FILES = 'pages have no files;';
const EXPECTED_OF_HUGGING_FACE = {
  said: await say(require('tokenizers')),
  read: `cannot read tokenizer.json: ${NO_FILES} fetch its text and pass it to Tokenizer.fromString()`,
  write: `cannot write tokenizer.json: ${NO_FILES} take the text of Tokenizer.toString()`,
};

const EXPECTED_OF_REQUIRED = { cl100k_base: [15339, 1917], gpt2: [31373, 995], count: 2 };

describe.skipIf(inject('noChromium') !== '')('in Chromium', () => {
  let browser: Browser;
  let expectedOfAllPages: object;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGUMENTS });
    expectedOfAllPages = expectedOfAll();
  });
  afterAll(() => browser?.close());

  describe.each(bundlers())('bundled by %s', (name) => {
    const visited = async (app: string) => {
      const out = path.join(folder, `drop-ins-${name}-${path.parse(app).name}`);
      await BUNDLERS[name]!(path.join(sources, app), out);
      return visit(browser, out);
    };

    it('return the same as the packages they replace', async () => {
      const { outcome, asked, lost, errors } = await visited('all.js');
      expect({ outcome, lost, errors }).toEqual({ outcome: expectedOfAllPages, lost: [], errors: [] });
      expect(asked.filter((file) => !/(^|\.js)$/.test(file))).toEqual([]);
    });

    it('start without vocabularies, name the missing one, and load it later', async () => {
      const { outcome, asked, lost, errors } = await visited('lite.js');
      expect({ outcome, lost, errors }).toEqual({ outcome: EXPECTED_OF_LITE, lost: [], errors: [] });
      expect(asked.filter((file) => /o200k|p50k/.test(file))).toEqual([]);
    });

    it('compile a tokenizer.json, and say the same of texts as npm tokenizers', async () => {
      const { outcome, asked, lost, errors } = await visited('huggingface.js');
      expect({ outcome, lost, errors }).toEqual({ outcome: EXPECTED_OF_HUGGING_FACE, lost: [], errors: [] });
      expect(asked.filter((file) => /k_base/.test(file))).toEqual([]);
    });
  });

  it.each(['webpack', 'esbuild', 'Vite'])('bundled by %s, can be required', async (name) => {
    const out = path.join(folder, `drop-ins-${name}-required`);
    await BUNDLERS[name]!(path.join(sources, 'required.cjs'), out);
    const { outcome, lost, errors } = await visit(browser, out);
    expect({ outcome, lost, errors }).toEqual({ outcome: EXPECTED_OF_REQUIRED, lost: [], errors: [] });
  });
});

describe('the download of a page', () => {
  const ALL = ['cl100k_base', 'o200k_base', 'p50k_base', 'r50k_base'];
  it.each<[entry: string, vocabularies: string[], kilobytes: number]>([
    ['tiktoken', ALL, 1558],
    ['tiktoken/init', ALL, 1558],
    ['tiktoken/lite', [], 295],
    ['tiktoken/lite/init', [], 295],
    ['js-tiktoken', ALL, 1555],
    ['js-tiktoken/lite', [], 292.5],
    // Modules that nobody imports without `js-tiktoken/lite`: alone they are no smaller.
    ['js-tiktoken/lite, js-tiktoken/ranks/cl100k_base', ['cl100k_base'], 599],
    ['js-tiktoken/ranks/gpt2', ['r50k_base'], 436.5],
    ['js-tiktoken/ranks/p50k_edit', ['p50k_base'], 436.5],
    ['js-tiktoken/ranks/cl100k_base', ['cl100k_base'], 594.5],
    ['js-tiktoken/ranks/o200k_base', ['o200k_base'], 948.5],
    ['gpt-tokenizer', ['o200k_base'], 786],
    ['gpt-tokenizer/encoding/gpt2', ['r50k_base'], 274],
    ['gpt-tokenizer/encoding/p50k_edit', ['p50k_base'], 274],
    ['gpt-tokenizer/encoding/cl100k_base', ['cl100k_base'], 432.5],
    ['gpt-tokenizer/encoding/o200k_harmony', ['o200k_base'], 786],
    ['gpt-tokenizer/model/gpt-4', ['cl100k_base'], 435.5],
    ['gpt-tokenizer/GptEncoding', [], 124.5],
    ['gpt-tokenizer/resolveEncoding', ALL, 1378.5],
    ['gpt-tokenizer/resolveEncodingAsync', [], 117.5],
    // What compiles, or opens what was compiled, is downloaded when a model is opened: transformers.test.ts measures that.
    ['transformers', [], 75],
    ['transformers/tokenizers', [], 389.5],
    ['gpt-tokenizer/models', [], 8.5],
    ['huggingface', [], 69],
    ['gpt-tokenizer/mapping', [], 3],
  ])('for %s: the vocabularies %j, at most %i KB', async (entry, vocabularies, kilobytes) => {
    const { metafile, outputFiles } = await esbuild.build({
      stdin: {
        contents: entry
          .split(', ')
          .map((each, index) => `export * as m${index} from 'crayon-tokenizer/${each}';`)
          .join('\n'),
        resolveDir: sources,
      },
      outdir: sources,
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'esnext',
      minify: true,
      metafile: true,
      write: false,
    });
    // Dynamic imports are downloaded on demand.
    const sent = new Set(Object.keys(metafile.outputs).filter((file) => path.basename(file) === 'stdin.js'));
    for (const file of sent) {
      for (const { kind, path: other } of metafile.outputs[file]!.imports) if (kind === 'import-statement') sent.add(other);
    }
    const inputs = [...sent].flatMap((file) => Object.entries(metafile.outputs[file]!.inputs));
    const found = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 1000).map(([file]) => path.parse(file));
    const embedded = found.filter(({ dir }) => dir.endsWith('embedded')).map(({ name }) => name);
    expect(embedded.filter((name) => name.includes('k_base')).sort()).toEqual(vocabularies);
    const files = outputFiles.filter(({ path: file }) => [...sent].some((each) => path.basename(each) === path.basename(file)));
    expect(files.length).toBe(sent.size);
    const size = files.reduce((sum, { contents }) => sum + zlib.gzipSync(contents, { level: 9 }).length, 0);
    console.log(`${entry}: ${(size / 1000).toFixed(1)} KB`);
    expect(size).toBeLessThanOrEqual(kilobytes * 1000);
    expect(files.map(({ text }) => text).join('\n')).not.toMatch(/\bBuffer\.(?:from|alloc)|\bprocess\.env|["']node:/);
  });
});

it('in workerd, with the engine as an imported module', async () => {
  const modules: { type: 'ESModule' | 'CompiledWasm'; path: string; contents: string | Uint8Array }[] = [];
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(sources, 'edge.js')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'esnext',
    conditions: ['workerd', 'worker', 'browser'],
    loader: { '.wasm': 'copy' },
    assetNames: '[name]',
    outdir: sources,
  });
  for (const { path: file, contents, text } of outputFiles) {
    const isWasm = file.endsWith('.wasm');
    modules.push({ type: isWasm ? 'CompiledWasm' : 'ESModule', path: path.basename(file), contents: isWasm ? contents : text });
  }
  modules.sort((a, b) => a.type.localeCompare(b.type)).sort((a) => (a.type === 'ESModule' ? -1 : 1));
  const worker = new Miniflare({ modules, compatibilityDate: '2026-04-01' });
  try {
    const response = await worker.dispatchFetch('http://localhost/');
    expect(await response.json()).toEqual({ o200k_base: idsOf('o200k_base'), r50k_base: idsOf('r50k_base') });
  } finally {
    await worker.dispose();
  }
});

describe('in Node', () => {
  it.each(['all.js', 'lite.js'])('%s gives the same answers', (app) => {
    const program = path.join(sources, `${path.parse(app).name}-in-node.mjs`);
    fs.writeFileSync(program, `import './${app}';\nconsole.log(JSON.stringify(await globalThis.outcome));\n`);
    fs.writeFileSync(path.join(sources, 'package.json'), '{ "type": "module" }');
    const printed = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8', maxBuffer: 1 << 26 }));
    // In Node all vocabularies are available.
    expect(printed).toEqual(app === 'all.js' ? expectedOfAll() : { ...EXPECTED_OF_LITE, missing: [15339, 1917] });
  });

  it('huggingface.js gives the same answers, and reads and writes files', () => {
    const program = `const { say } = await import('./drop-ins/huggingface-calls.js');
      const { FILE } = await import('./drop-ins/huggingface-calls.js');
      const both = [await import('crayon-tokenizer/huggingface'), (await import('node:module')).createRequire(import.meta.url)('crayon-tokenizer/huggingface')];
      both[0].Tokenizer.fromString(JSON.stringify(FILE)).save('saved.json');
      const file = both[1].Tokenizer.fromFile('saved.json').toString();
      console.log(JSON.stringify({ said: await Promise.all(both.map(say)), file: JSON.parse(file) }));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8', cwd: folder });
    expect(JSON.parse(printed)).toEqual({ said: [EXPECTED_OF_HUGGING_FACE.said, EXPECTED_OF_HUGGING_FACE.said], file: FILE });
  });

  it('required.cjs gives the same answers', () => {
    const source = `require(${JSON.stringify(path.join(sources, 'required.cjs'))}); console.log(JSON.stringify(globalThis.outcome));`;
    expect(JSON.parse(execFileSync(process.execPath, ['--eval', source], { encoding: 'utf8' }))).toEqual(EXPECTED_OF_REQUIRED);
  });
});
