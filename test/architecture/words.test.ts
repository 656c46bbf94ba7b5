// The names in the sources say what a thing is: ARCHITECTURE.md has the words. Words for a bit of text are few, and a
// participle or an adverb alone names nothing.

import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readSources, type Source } from './dependencies.js';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Not the name of anything. */
const NAMELESS = new Set(['given', 'own', 'made', 'most', 'kept', 'here']);
/** Words for a bit of text besides those of ARCHITECTURE.md, wherever they stand in a name. */
const OTHER_WORDS = new Set([
  'stretch',
  'stretches',
  'portion',
  'portions',
  'fragment',
  'fragments',
  'excerpt',
  'excerpts',
  'snippet',
  'snippets',
]);

/** The words of a name: `textPortion` and `text_portion` have two. */
const wordsOf = (name: string): string[] => name.split(/_|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase());

const isBanned = (name: string): boolean => NAMELESS.has(name) || wordsOf(name).some((word) => OTHER_WORDS.has(word));

/** The names that a TypeScript source declares. */
function declaredIn({ path, text }: Source): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const { name } = node as ts.NamedDeclaration;
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) && !ts.isPropertyAccessExpression(node)) {
      names.push(name.text.replace(/^#/, ''));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return names;
}

/** The names in a C++ source, without those in comments, strings and lines of the preprocessor. */
function namesIn({ text }: Source): string[] {
  const code = text.replace(/\/\*[^]*?\*\/|\/\/.*|R"(\w*)\([^]*?\)\1"|"(?:\\.|[^"\\\n])*"/g, ' ').replace(/^\s*#.*$/gm, ' ');
  return code.match(/\b[A-Za-z_]\w*/g) ?? [];
}

const bannedIn = (sources: Source[], namesOf: (source: Source) => string[]): string[] =>
  sources.flatMap((source) => [...new Set(namesOf(source).filter(isBanned))].map((name) => `${source.path}: ${name}`));

describe('names', () => {
  it('of lib are nouns and verbs', () => {
    expect(bannedIn(readSources(project, ['lib'], /\.ts$/), declaredIn)).toEqual([]);
  });

  it('of the engine and the plugins are, too', () => {
    expect(bannedIn(readSources(project, ['native', 'gpu'], /\.(?:h|cuh|cpp|cu|def)$/), namesIn)).toEqual([]);
  });

  it('in comments exist: a name that is banned is one of before', () => {
    const sources = readSources(project, ['lib', 'native', 'gpu'], /\.(?:ts|h|cuh|cpp|cu|def)$/);
    expect(bannedIn(sources, ({ text }) => [...text.matchAll(/(?:\/\/|\*|^).*?`(\w+)`/gm)].map(([, name]) => name!))).toEqual([]);
  });

  it('are found wherever they are declared', () => {
    const source = {
      path: 'a.ts',
      text: 'const { most, text: kept } = f((given) => given); class A { #own = 1; made(): void {} textPortion?: 1 }',
    };
    expect(declaredIn(source).filter(isBanned)).toEqual(['most', 'kept', 'given', 'own', 'made', 'textPortion']);
    expect(namesIn({ path: 'a.cpp', text: '// most\nu32 most = kStretchBytes; /* own */ "given"' })).toEqual([
      'u32',
      'most',
      'kStretchBytes',
    ]);
    expect(isBanned('kStretchBytes')).toBe(true);
  });
});
