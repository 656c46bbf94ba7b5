// The documentation of lib/ as the compiler sees it: the examples in its comments, and the exports under each of the
// package's paths.

import path from 'node:path';
import ts from 'typescript';
import { PUBLIC } from '../../scripts/entries.mjs';
import { type Example, isComplete, type Names } from './example-module.js';
import { fencesOf } from './fences.js';

/** An example of a doc comment. */
export interface DocExample extends Example {
  /** Relative to the project. */
  file: string;
  /** The first line of code, in the file, counted from 1. */
  line: number;
}

/** An export of the package, or a member of one. */
export interface Documented {
  /** For example `Tokenizer.encode`. */
  name: string;
  /** A constant documents itself by its value; everything else is called, read or written as a type. */
  kind: 'constant' | 'type' | 'other';
  hasExample: boolean;
}

/** Reads lib/ with its build options. */
export function programOf(project: string): ts.Program {
  const { config } = ts.readConfigFile(path.join(project, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, project);
  return ts.createProgram(fileNames, options);
}

/** The files of a program below a folder. */
function filesBelow(program: ts.Program, folder: string): ts.SourceFile[] {
  return program.getSourceFiles().filter(({ fileName }) => !path.relative(folder, fileName).startsWith('..'));
}

/** The examples of all doc comments below a folder of the project, including those of private symbols. */
export function examplesOf(program: ts.Program, project: string, folder: string): DocExample[] {
  return filesBelow(program, path.join(project, folder)).flatMap((source) => {
    const comments = new Set<ts.JSDoc>();
    const visit = (node: ts.Node): void => {
      if (ts.isJSDoc(node)) comments.add(node);
      else node.getChildren(source).forEach(visit);
    };
    visit(source);
    const tags = [...comments].flatMap((comment) => [...(comment.tags ?? [])]).filter(isExample);
    const examples = tags.map((tag) => exampleOf(tag, source, project));
    if (!examples[0]?.file.startsWith('lib/integrations/')) return examples;
    const continued = examples.find(({ code }) => isComplete(code))?.code;
    return examples.map((example) => ({ ...example, continued }));
  });
}

function isExample(tag: ts.JSDocTag): boolean {
  return tag.tagName.text === 'example';
}

function exampleOf(tag: ts.JSDocTag, source: ts.SourceFile, project: string): DocExample {
  const file = path.relative(project, source.fileName).split(path.sep).join('/');
  const start = tag.getStart(source);
  const line = source.getLineAndCharacterOfPosition(start).line;
  const text = source.text.slice(start, tag.end).replace(/^[ \t]*\*\/?[ ]?/gm, '');
  const [fence, ...others] = fencesOf(text).filter(({ language }) => language === 'ts');
  if (!fence || others.length > 0) throw new Error(`${file}:${line + 1}: an example is one block of ts`);
  return { file, line: line + fence.line, code: fence.code };
}

/** The modules of lib/ that the package exports, by their path in it: `.`, `./tiktoken` … */
export const ENTRIES = new Map(Object.entries<string>(PUBLIC).map(([name, source]) => [name, `lib/${source}.ts`]));

/** What a module exports, and the members of its classes. */
export function exportsOf(program: ts.Program, file: string): Documented[] {
  const checker = program.getTypeChecker();
  return symbolsOf(program, file).flatMap(({ name, symbol }) => {
    if (!symbol.declarations?.some(isPublic)) return [];
    const itself = documented(name, symbol, checker);
    return symbol.flags & ts.SymbolFlags.Class ? [itself, ...membersOf(name, symbol, checker)] : [itself];
  });
}

/** The names that a module exports. */
export function namesOf(program: ts.Program, file: string, module: string): Names {
  const symbols = symbolsOf(program, file);
  const names = (isValue: boolean) =>
    symbols.filter(({ symbol }) => ((symbol.flags & ts.SymbolFlags.Value) !== 0) === isValue).map(({ name }) => name);
  return { module, values: names(true), types: names(false) };
}

function symbolsOf(program: ts.Program, file: string): { name: string; symbol: ts.Symbol }[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not a module of the program`);
  return checker.getExportsOfModule(module).map((exported) => ({
    name: exported.name,
    symbol: exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported,
  }));
}

function membersOf(className: string, symbol: ts.Symbol, checker: ts.TypeChecker): Documented[] {
  const statics = checker.getTypeOfSymbol(symbol).getProperties();
  const members = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
  const constructor = symbol.members?.get(ts.InternalSymbolName.Constructor);
  return [...statics, ...members, ...(constructor ? [constructor] : [])]
    .filter((member) => member.declarations?.some(isPublic))
    .map((member) => documented(`${className}.${nameOf(member)}`, member, checker));
}

/** Documented for users: not private, not internal, not part of the language. */
function isPublic(declaration: ts.Declaration): boolean {
  if (declaration.getSourceFile().isDeclarationFile) return false;
  if (ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) return false;
  const name = ts.getNameOfDeclaration(declaration);
  if (name && ts.isPrivateIdentifier(name)) return false;
  return !ts.getJSDocTags(declaration).some((tag) => tag.tagName.text === 'internal');
}

/** Symbols such as `[Symbol.dispose]` are called `__@dispose@12` inside the compiler. */
function nameOf(member: ts.Symbol): string {
  return member.name.replace(/^__@(\w+)@\d+$/, '[Symbol.$1]').replace(/^__constructor$/, 'constructor');
}

function documented(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): Documented {
  const declarations = sourceOf(symbol, checker).declarations ?? [];
  const hasExample = declarations.some((declaration) => ts.getJSDocTags(declaration).some(isExample));
  return { name, kind: kindOf(symbol, checker), hasExample };
}

function kindOf(symbol: ts.Symbol, checker: ts.TypeChecker): Documented['kind'] {
  const { Property, Type, Value, Variable } = ts.SymbolFlags;
  if (symbol.flags & Type && !(symbol.flags & Value)) return 'type';
  if (!(symbol.flags & (Variable | Property))) return 'other';
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
  return type.getCallSignatures().length > 0 ? 'other' : 'constant';
}

/** The names that an example imports from a part of the package: `tiktoken`, `gpt-tokenizer`. */
export function importsFrom(part: string, code: string): string[] {
  const { statements } = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest);
  return statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier, importClause }) => {
    const [name, first] = (moduleSpecifier as ts.StringLiteral).text.split('/');
    const bindings = importClause?.namedBindings;
    if (name !== 'crayon-tokenizer' || first !== part || !bindings || !ts.isNamedImports(bindings)) return [];
    return bindings.elements.map((element) => element.name.text);
  });
}

/** `const { encode } = api` has the example of `api.encode`. */
function sourceOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  const declaration = symbol.valueDeclaration;
  if (!declaration || !ts.isBindingElement(declaration)) return symbol;
  return checker.getTypeAtLocation(declaration.parent).getProperty((declaration.propertyName ?? declaration.name).getText()) ?? symbol;
}
