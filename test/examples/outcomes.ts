// Runs examples: compiles them and runs them in their own process, as modules of a project that has the package installed.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { checkedModule, type Example, LINES_BEFORE, moduleOf, type Names } from './example-module.js';

export interface Outcome {
  /** Its failures: compiler errors, exceptions, values that differ from its comments. */
  problems: string[];
  /** Its output from `console.log`. */
  printed: string;
}

/** A tokenizer.json of two words. */
const WORDS = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', vocab: { '[UNK]': 0, '[PAD]': 1, hello: 2, world: 3 }, unk_token: '[UNK]' },
};

/**
 * Runs examples in `folder`, which must be inside the package so that its name resolves, and is replaced.
 * @param names the exports of the modules that examples without imports use
 */
export function outcomesOf(examples: readonly Example[], names: readonly Names[], folder: string): Outcome[] {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const modules = examples.map((example) => moduleOf(example, names));
  const sources = modules.map((module, index) => write(`${index}.mts`, module));
  const typeErrors = typeErrorsOf(sources);
  const refused = new Map<number, string>();
  const runnable = modules.flatMap((module, index) => {
    try {
      const { code, checked } = checkedModule(module);
      write(`${index}.mjs`, code);
      return [{ file: `${index}.mjs`, checked }];
    } catch (error) {
      refused.set(index, (error as Error).message);
      return [];
    }
  });
  write('examples.json', JSON.stringify(runnable));
  // Which examples read:
  write('hello.txt', 'hello world');
  write('tokenizer.json', JSON.stringify(WORDS));
  const runner = fileURLToPath(new URL('run.mjs', import.meta.url));
  const printed = execFileSync(process.execPath, ['--no-warnings', runner, folder], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 });
  const outcomes = JSON.parse(printed) as Outcome[];
  return sources.map((source, index) => {
    const problem = refused.get(index);
    const { problems, printed } = problem === undefined ? outcomes.shift()! : { problems: [problem], printed: '' };
    return { problems: [...(typeErrors.get(source) ?? []), ...problems], printed };
  });

  function write(name: string, text: string): string {
    const file = path.join(folder, name);
    fs.writeFileSync(file, text);
    return file;
  }
}

/** The compiler's messages for each file. */
function typeErrorsOf(files: string[]): Map<string, string[]> {
  const program = ts.createProgram(files, {
    noEmit: true,
    strict: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    skipLibCheck: true,
  });
  const errors = new Map(files.map((file): [string, string[]] => [file, []]));
  for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    const ofFile = file && errors.get(path.normalize(file.fileName));
    if (!ofFile) throw new Error(`the examples cannot be compiled: ${file?.fileName ?? ''} ${message}`);
    ofFile.push(`line ${file.getLineAndCharacterOfPosition(start ?? 0).line + 1 - LINES_BEFORE}: ${message}`);
  }
  return errors;
}
