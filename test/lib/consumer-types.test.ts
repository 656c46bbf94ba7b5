// The declarations as seen by programs compiled for ES2020 with their packages' types checked, too (`skipLibCheck:
// false`): with the library of the browser or of Node, and with both ways of resolving a package.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(createRequire(import.meta.url).resolve('@arethetypeswrong/core'));
/** Without generic typed arrays. */
const older = require('typescript') as typeof ts;

const PROGRAM = `
import { Tokenizer, trainBpe, type SplitOptions, type TextPart } from 'crayon-tokenizer';
import { DnaTokenizer, readFasta } from 'crayon-tokenizer/dna';
import { Tokenizer as InWasm } from 'crayon-tokenizer/wasm';
import { encode } from 'crayon-tokenizer/gpt-tokenizer';
import { get_encoding } from 'crayon-tokenizer/tiktoken';
import { getEncoding } from 'crayon-tokenizer/js-tiktoken';
const options: SplitOptions = { maxTokens: 8, separators: 'text' };
export async function parts(text: string): Promise<TextPart[]> {
  const tokenizer = await Tokenizer.load('o200k_base');
  for (const { id, bytes } of tokenizer.tokens()) if (bytes.length > 100) return [];
  const count: number = await tokenizer.countChat([{ role: 'user', content: text }]);
  const plain: string[] = tokenizer.split(text, { ...options, withOffsets: false });
  return tokenizer.split(text, { maxTokens: count + plain.length, separators: ['. ', ' '], withOffsets: true });
}
export { DnaTokenizer, encode, get_encoding, getEncoding, InWasm, readFasta, trainBpe };
export const wrong: string = Tokenizer.loadSync('gpt2').count('a');
`;

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'crayon-test-')));
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
  symlinkSync(project, join(folder, 'node_modules', 'crayon-tokenizer'));
  symlinkSync(join(project, 'node_modules', '@types', 'node'), join(folder, 'node_modules', '@types', 'node'));
  for (const name of ['user.ts', 'user.mts', 'user.cts']) writeFileSync(join(folder, name), PROGRAM);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { ModuleKind, ModuleResolutionKind } = ts;
const NODE = { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext };
const BUNDLER = { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler };

const PAGE = { lib: ['lib.es2020.d.ts', 'lib.dom.d.ts'], types: [] };
const SERVER = { lib: ['lib.es2020.d.ts'], types: ['node'] };

it.each<[string, string, typeof ts, ts.CompilerOptions]>([
  ['nodenext, with @types/node', 'user.mts', ts, { ...NODE, ...SERVER }],
  ['bundler, with the DOM', 'user.ts', ts, { ...BUNDLER, ...PAGE, customConditions: ['browser'] }],
  ['bundler, with the DOM and an older compiler', 'user.ts', older, { ...BUNDLER, ...PAGE }],
])(
  '%s',
  (_, name, compiler, options) => {
    const file = join(folder, name);
    const all = {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2020,
      skipLibCheck: false,
      typeRoots: [join(folder, 'node_modules', '@types')],
      ...options,
    };
    const program = compiler.createProgram([file], all as never);
    // The declarations of TypeScript and @types are not ours, and take long to check.
    const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/typescript/lib/') && !fileName.includes('/@types/'));
    const found = [
      ...program.getGlobalDiagnostics(),
      ...own.flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]),
    ];
    const messages = found.map(
      ({ messageText, file }) => `${file?.fileName}: ${compiler.flattenDiagnosticMessageText(messageText as never, ' ')}`,
    );
    expect(own.length).toBeGreaterThan(8);
    // The last line is wrong on purpose, to notice a program that the compiler never read.
    expect(messages).toEqual([`${file}: Type 'number' is not assignable to type 'string'.`]);
  },
  120_000,
);
