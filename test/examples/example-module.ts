// An example as a module: as the compiler sees it, and as it runs, with every value in its comments checked.
//
// An example with imports is a complete module. Any other continues one: in lib/integrations the first complete example of its file, elsewhere
// the package's first example, and it may use the exports of that one and of `crayon-tokenizer/dna`, and an open `tokenizer` of o200k_base.

import ts from 'typescript';
import { expectationOf } from './expectation.js';

/** The exports of one of the package's modules. */
export interface Names {
  module: string;
  values: readonly string[];
  types: readonly string[];
}

/** Lines that precede an example's first one in its module. */
export const LINES_BEFORE = 1;

/** An example, and the one in its file that it continues, if any. */
export interface Example {
  code: string;
  continued?: string | undefined;
}

/** Whether an example has imports, and so is a complete module. */
export function isComplete(code: string): boolean {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest);
  return source.statements.some((statement) => ts.isImportDeclaration(statement));
}

/** The module of an example. */
export function moduleOf({ code, continued }: Example, modules: readonly Names[]): string {
  if (isComplete(code)) return `\n${code}\nexport {};\n`;
  if (continued !== undefined) return `${onOneLine(continued)} {\n${code}\n}\nexport {};\n`;
  const imports = modules.map(
    ({ module, values, types }) => `import { ${[...values, ...types.map((name) => `type ${name}`)].join(', ')} } from '${module}';`,
  );
  const before = `${imports.join(' ')} const tokenizer = await Tokenizer.load('o200k_base'); {`;
  return `${before}\n${code}\n}\n`;
}

/** Without the comments at the ends of lines. */
function onOneLine(code: string): string {
  return code.replace(/ *\/\/ .*$/gm, '').replaceAll('\n', ' ');
}

/** The same for running: `checked` are the lines that must have called `check` (test/examples/run.mjs) by its end. */
export function checkedModule(module: string): { code: string; checked: number[] } {
  const source = ts.createSourceFile('example.ts', module, ts.ScriptTarget.Latest, true);
  const edits: { at: number; end: number; text: string }[] = [];
  const checked: number[] = [];

  const visit = (node: ts.Node): void => {
    const [comment] = (ts.isStatement(node) && ts.getTrailingCommentRanges(module, node.end)) || [];
    if (comment?.kind === ts.SyntaxKind.SingleLineCommentTrivia && !endsInStatement(node)) {
      const line = source.getLineAndCharacterOfPosition(comment.pos).line - LINES_BEFORE + 1;
      edits.push(checkOf(node, line, module.slice(comment.pos + 2, comment.end).trim(), source));
      checked.push(line);
    } else ts.forEachChild(node, visit);
  };
  visit(source);

  let code = module;
  for (const { at, end, text } of edits.reverse()) code = code.slice(0, at) + text + code.slice(end);
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return { code: ts.transpileModule(code, { compilerOptions }).outputText, checked };
}

/** Whether a statement ends in another one, which then owns the comment. */
function endsInStatement(node: ts.Node): boolean {
  const last = ts.isIfStatement(node) ? (node.elseStatement ?? node.thenStatement) : ts.isIterationStatement(node, false) && node.statement;
  return last !== false && !ts.isBlock(last);
}

function checkOf(node: ts.Node, line: number, comment: string, source: ts.SourceFile) {
  const expectation = expectationOf(comment);
  if (!expectation) throw new Error(`line ${line}: what is behind the statement is not a value: ${comment}`);
  const expected = 'value' in expectation ? `{ value: ${expectation.value} }` : JSON.stringify(expectation);
  if (ts.isExpressionStatement(node)) {
    const text = node.expression.getText(source);
    const check = awaits(node.expression) ? `await check(${line}, async () => (${text})` : `check(${line}, () => (${text})`;
    return { at: node.getStart(source), end: node.end, text: `${check}, ${expected});` };
  }
  const [declaration, ...others] = ts.isVariableStatement(node) ? node.declarationList.declarations : [];
  if (declaration && others.length === 0 && ts.isIdentifier(declaration.name)) {
    return { at: node.end, end: node.end, text: ` check(${line}, () => ${declaration.name.text}, ${expected});` };
  }
  throw new Error(`line ${line}: what is before the comment has no value: ${comment}`);
}

/** Whether an expression awaits something outside its functions. */
function awaits(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node)) return true;
  return !ts.isFunctionLike(node) && (ts.forEachChild(node, awaits) ?? false);
}
