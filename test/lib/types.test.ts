// The declarations as users' compilers and editors read them: uses of results without a cast, completions, and that older
// versions of TypeScript can read them at all. That this file compiles is a test, too.

import { createRequire } from 'node:module';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type Adaptation,
  type AdaptedToken,
  type AsyncOptions,
  type BuiltInName,
  compileCartridge,
  type DecodedToken,
  encodingForModel,
  type Observed,
  type PaddedBatch,
  type Source,
  type StreamEncoder,
  type TokenBatch,
  Tokenizer,
} from 'crayon-tokenizer';
import { type DnaName, DnaTokenizer, reverseComplement } from 'crayon-tokenizer/dna';

const project = fileURLToPath(new URL('../../', import.meta.url));
const declarations = `${project}dist/node/index.d.ts`;

describe('results', () => {
  it('are typed arrays without shared memory', async () => {
    using tokenizer = Tokenizer.loadSync('gpt2');
    const batch = tokenizer.encodeBatch(['hello', Uint8Array.of(104)]);
    expectTypeOf(tokenizer.encode('a')).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.encodeAsync('a')).resolves.toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.countAsync('a')).resolves.toEqualTypeOf<number>();
    expectTypeOf(tokenizer.encodeBatchAsync(['a', Uint8Array.of(97)])).resolves.toEqualTypeOf<TokenBatch>();
    expectTypeOf<{ signal: AbortSignal; threads: number; special: 'allow' }>().toExtend<AsyncOptions>();
    expectTypeOf(tokenizer.encodeWithOffsets('a').ids).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.encodeWithOffsets('a').offsets).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.streamEncoder().push('a')).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.streamEncoder().push(Uint8Array.of(97))).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.streamEncoder()).toEqualTypeOf<StreamEncoder>();
    expectTypeOf(tokenizer.streamDecoder().push([1])).toEqualTypeOf<string>();
    expectTypeOf(tokenizer.streamDecoder({ stop: ['x'] }).push([1])).toEqualTypeOf<string>();
    expectTypeOf(tokenizer.streamDecoder({ perToken: true }).end()).toEqualTypeOf<DecodedToken[]>();
    expectTypeOf(tokenizer.decodeStream({ perToken: true }).readable).toEqualTypeOf<ReadableStream<DecodedToken>>();
    expectTypeOf(tokenizer.decodeStream({ stop: [] }).readable).toEqualTypeOf<ReadableStream<string>>();
    expectTypeOf(tokenizer.countBatch(['a'])).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.decodeBytes([1])).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.tokenBytes(1)).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    expectTypeOf(batch.ids).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(batch.offsets).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf(batch.row(0)).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expectTypeOf([...batch]).toEqualTypeOf<Uint32Array<ArrayBuffer>[]>();
    expectTypeOf(batch.pad().ids).toEqualTypeOf<Int32Array<ArrayBuffer>>();
    expectTypeOf(batch.pad({ type: 'bigint64' }).mask).toEqualTypeOf<BigInt64Array<ArrayBuffer>>();
    expectTypeOf<PaddedBatch['ids']>().toEqualTypeOf<Int32Array<ArrayBuffer>>();
    expectTypeOf(tokenizer.observe('a')).toEqualTypeOf<number>();
    expectTypeOf(tokenizer.observed).toEqualTypeOf<Observed>();
    expectTypeOf<ReturnType<typeof tokenizer.adapt>>().resolves.toEqualTypeOf<Adaptation>();
    expectTypeOf<Adaptation['added']>().toEqualTypeOf<readonly AdaptedToken[]>();
    expectTypeOf<AdaptedToken['bytes']>().toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    expectTypeOf<Adaptation['toCartridge']>().returns.resolves.toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    expectTypeOf(compileCartridge(['a'])).resolves.toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    // A view of the caller's data has the caller's kind of memory.
    expectTypeOf(tokenizer.truncate(new Uint8Array(1), 1)).toEqualTypeOf<Uint8Array>();

    // Indeed: none of these takes shared memory.
    const bytes = tokenizer.decodeBytes(tokenizer.encode('hello'));
    expect(await new Response(bytes).text()).toBe('hello');
    expect(new Blob([tokenizer.encode('hello'), batch.ids]).size).toBe(4 * (1 + batch.ids.length));
    expect(await crypto.subtle.digest('SHA-256', bytes)).toBeInstanceOf(ArrayBuffer);
    structuredClone(bytes, { transfer: [bytes.buffer] });
    structuredClone(0, { transfer: [tokenizer.encode('hello').slice().buffer] });
    void (() => writeFile('ids', tokenizer.encode('hello')));
  });

  it('of DNA have the requested type', () => {
    using dna = DnaTokenizer.loadSync('hyenadna');
    expectTypeOf(dna.encode('A')).toEqualTypeOf<Int32Array<ArrayBuffer>>();
    expectTypeOf(dna.encode('A', { type: 'uint8' })).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    expectTypeOf(dna.encode('A', { out: new BigInt64Array(1) })).toEqualTypeOf<BigInt64Array<ArrayBuffer>>();
    expectTypeOf(dna.encodeAsync('A', { type: 'uint16' })).resolves.toEqualTypeOf<Uint16Array<ArrayBuffer>>();
    const matrix = dna.encodeBatch(['A', Uint8Array.of(65)], { type: 'bigint64', mask: 'ids' });
    expectTypeOf(matrix.ids).toEqualTypeOf<BigInt64Array<ArrayBuffer>>();
    expectTypeOf(matrix.mask).toEqualTypeOf<BigInt64Array<ArrayBuffer>>();
    expectTypeOf(dna.encodeBatch(['A']).mask).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    expectTypeOf(dna.encodeBatch(['A'], { mask: 'none' }).mask).toEqualTypeOf<undefined>();
    expectTypeOf(reverseComplement('A')).toEqualTypeOf<string>();
    expectTypeOf(reverseComplement(Uint8Array.of(65))).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    expectTypeOf<'hyenadna' | 'nt-v2'>().toExtend<DnaName>();
    // @ts-expect-error: no such type
    expect(() => dna.encode('A', { type: 'int64' })).toThrow(TypeError);
  });

  it('and names may be any strings', () => {
    const name = String(Math.random());
    expectTypeOf(name).toExtend<Source>();
    expectTypeOf<'gpt-4o' | 'o200k_base' | 'lite'>().toExtend<BuiltInName>();
    expectTypeOf<'gpt-4*'>().not.toExtend<BuiltInName>();
    expectTypeOf(encodingForModel).toBeCallableWith(name);
    // @ts-expect-error: no number
    expectTypeOf(encodingForModel).toBeCallableWith(5);
  });
});

describe('editors', () => {
  it.each([
    ['Tokenizer.load', "Tokenizer.load('|')"],
    ['Tokenizer.loadSync', "Tokenizer.loadSync('|')"],
    ['swap', "declare const tokenizer: Tokenizer; tokenizer.swap('|')"],
    ['using', "declare const tokenizer: Tokenizer; tokenizer.using('|', () => 1)"],
    ['compileCartridge', "compileCartridge('|')"],
    ['encodingForModel', "encodingForModel('|')"],
  ])('complete the names that %s takes', (call, line) => {
    const names = completions(line);
    const models = ['gpt-5', 'gpt-4o', 'gpt-4o-mini', 'gpt-3.5-turbo', 'o3', 'text-embedding-3-small', 'gpt-oss-20b'];
    expect(names).toEqual(expect.arrayContaining(models));
    if (call !== 'encodingForModel') {
      expect(names).toEqual(expect.arrayContaining(['o200k_base', 'cl100k_base', 'gpt2', 'lite', 'standard']));
    }
    expect(names.filter((name) => name.includes('*'))).toEqual([]);
  });

  it('complete the policies of special tokens', () => {
    const names = completions("declare const tokenizer: Tokenizer; tokenizer.encode('', { special: '|' })");
    expect(names.sort()).toEqual(['allow', 'forbid', 'text']);
  });

  it('offer only existing names', () => {
    for (const name of completions("Tokenizer.load('|')")) {
      using tokenizer = Tokenizer.loadSync(name);
      expect(tokenizer.vocabularySize).toBeGreaterThan(0);
    }
  });
});

/** The typed code, in a file of one editor, which keeps the declarations it has read. */
const typed = { file: `${project}test/lib/typed.ts`, text: '', version: 0 };
let editor: ts.LanguageService | undefined;

function startEditor(): ts.LanguageService {
  const { file } = typed;
  return ts.createLanguageService({
    getCompilationSettings: () => OPTIONS,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? `${typed.version}` : '1'),
    getScriptSnapshot: (name) => {
      const content = name === file ? typed.text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
  });
}

/** The completions at the bar in a line of code. */
function completions(line: string): string[] {
  const text = `import { compileCartridge, encodingForModel, Tokenizer } from '../../dist/node/index.js';\n${line}`;
  typed.text = text.replace('|', '');
  typed.version++;
  editor ??= startEditor();
  const found = editor.getCompletionsAtPosition(typed.file, text.indexOf('|'), undefined);
  return found?.entries.map(({ name }) => name) ?? [];
}

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
};

/** Typical user code. The results have the array types of the compiler's version. */
const USER = `
import { compileCartridge, Tokenizer, TokenBatch, type Source } from '${declarations.replace('.d.ts', '.js')}';
const source: Source = 'gpt-4o';
using tokenizer = Tokenizer.loadSync(source);
const ids: Uint32Array = tokenizer.encode('a');
const text: string = tokenizer.decode(ids);
const bytes: Uint8Array = tokenizer.decodeBytes(ids);
const batch: TokenBatch = tokenizer.encodeBatch([text, bytes], { special: 'allow' });
const mask: Int32Array = batch.pad().mask;
const wide: BigInt64Array = batch.pad({ type: 'bigint64' }).ids;
const cartridge: Promise<Uint8Array> = compileCartridge(['a', bytes]);
const count: Promise<number> = tokenizer.using('lite', (other) => other.count('a'));
for (const row of batch) row.fill(0);
const wrong: string[] = [ids, bytes, mask, wide, batch.ids, tokenizer.encodeWithOffsets('a').offsets];
`;

describe('a compiler', () => {
  // The oldest that knows the conditions of package.json and \`using\` is 5.2; this one is the last before typed arrays
  // got a type for their memory.
  const require = createRequire(createRequire(import.meta.url).resolve('@arethetypeswrong/core'));
  const older = require('typescript') as typeof ts;

  it.each([
    ['of this project', ts, 'ArrayBuffer'],
    ['without generic typed arrays', older, undefined],
  ])('%s reads the declarations', (_, compiler, memory) => {
    const file = `${project}test/lib/user.ts`;
    const host = compiler.createCompilerHost(OPTIONS);
    const { fileExists, getSourceFile } = host;
    host.fileExists = (name) => name === file || fileExists.call(host, name);
    host.getSourceFile = (name, target, ...rest) =>
      name === file ? compiler.createSourceFile(name, USER, target) : getSourceFile.call(host, name, target, ...rest);
    const options = { ...OPTIONS, lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'] };
    const program = compiler.createProgram([file], options, host);
    // The declarations of TypeScript and @types are not ours, and take long to check.
    const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'));
    expect(own.map(({ fileName }) => fileName)).toContain(declarations);
    const messages = [
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...own.flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]),
    ].map(({ messageText, file }) => `${file?.fileName}: ${compiler.flattenDiagnosticMessageText(messageText, ' ')}`);
    const array = (name: string) => (memory === undefined ? name : `${name}<${memory}>`);
    // Only the last line is wrong, and each message names the result's type.
    const kinds = ['Uint32Array', 'Uint8Array', 'Int32Array', 'BigInt64Array', 'Uint32Array', 'Uint32Array'];
    const declared = kinds.map((kind, index) => (index < 4 && memory !== undefined ? `${kind}<ArrayBufferLike>` : array(kind)));
    expect(messages).toEqual(declared.map((kind) => `${file}: Type '${kind}' is not assignable to type 'string'.`));
  });
});
