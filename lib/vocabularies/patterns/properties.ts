// The names that a pattern can use with \p{…}, [[:…:]] and escapes, with Oniguruma's meanings in UTF-8.

import { characters, codePoints, type CodePoints, complement, NONE, union } from './code-points.js';
import { BINARY_RUNS, CATEGORIES, CATEGORY_RUNS, SCRIPT_RUNS, SCRIPTS } from './unicode-16-0.js';

/** The runs of a table (unicode-16-0.ts): the first and last code point of each, and its value. */
export function* runsOf(runs: string): Generator<[first: number, last: number, value: number]> {
  let begin = 0;
  for (const [, length, value] of runs.matchAll(/([0-9a-z]+)([A-Z]+)/g)) {
    const end = begin + parseInt(length!, 36);
    // A is 0, Z is 25, AA is 26.
    yield [begin, end - 1, Array.from(value!).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1];
    begin = end;
  }
}

/** The set of each value of a property, by the index in the list of names, from 1 on. */
function setsOf(runs: string): CodePoints[] {
  const ranges: [number, number][][] = [];
  for (const [first, last, value] of runsOf(runs)) (ranges[value] ??= []).push([first, last]);
  return Array.from(ranges, (each) => each ?? NONE);
}

/** General categories and groups of them, with their long names. */
const CATEGORY_NAMES =
  'C=Other Cc=Control Cf=Format Cn=Unassigned Co=Private_Use Cs=Surrogate L=Letter LC=Cased_Letter Ll=Lowercase_Letter ' +
  'Lm=Modifier_Letter Lo=Other_Letter Lt=Titlecase_Letter Lu=Uppercase_Letter M=Mark Mc=Spacing_Mark Me=Enclosing_Mark ' +
  'Mn=Nonspacing_Mark N=Number Nd=Decimal_Number Nl=Letter_Number No=Other_Number P=Punctuation Pc=Connector_Punctuation ' +
  'Pd=Dash_Punctuation Pe=Close_Punctuation Pf=Final_Punctuation Pi=Initial_Punctuation Po=Other_Punctuation ' +
  'Ps=Open_Punctuation S=Symbol Sc=Currency_Symbol Sk=Modifier_Symbol Sm=Math_Symbol So=Other_Symbol Z=Separator ' +
  'Zl=Line_Separator Zp=Paragraph_Separator Zs=Space_Separator';

const plain = (name: string) => name.toLowerCase().replace(/[ _-]/g, '');

let known: Map<string, CodePoints> | undefined;

/** Keyed by names in lower case, without spaces, hyphens and underscores. */
function properties(): Map<string, CodePoints> {
  if (known) return known;
  const sets = new Map<string, CodePoints>();
  const category = setsOf(CATEGORY_RUNS);
  const byName = new Map(CATEGORIES.split(' ').map((name, index) => [name, category[index + 1]!]));
  byName.set('Cn', category[0]!);
  const of = (...names: string[]) => union(...names.map((name) => byName.get(name)!));
  for (const [short, long] of CATEGORY_NAMES.split(' ').map((names) => names.split('=') as [string, string])) {
    const parts = short === 'LC' ? ['Lu', 'Ll', 'Lt'] : [...byName.keys()].filter((name) => name.startsWith(short));
    const set = of(...parts);
    sets.set(plain(short), set).set(plain(long), set);
  }
  const script = setsOf(SCRIPT_RUNS);
  for (const [index, name] of SCRIPTS.split(' ').entries()) sets.set(plain(name), script[index + 1]!);
  for (const [name, runs] of Object.entries(BINARY_RUNS)) sets.set(plain(name), setsOf(runs)[1]!);

  // POSIX brackets, with their Unicode meanings.
  const alphabetic = sets.get('alphabetic')!;
  const space = sets.get('whitespace')!;
  const graph = complement(union(space, of('Cc', 'Cn', 'Cs')));
  for (const [name, set] of Object.entries({
    alpha: alphabetic,
    alnum: union(alphabetic, of('Nd')),
    ascii: codePoints([0, 0x7f]),
    any: codePoints([0, 0x10ffff]),
    assigned: complement(of('Cn')),
    blank: union(of('Zs'), characters('\t')),
    cntrl: of('Cc'),
    digit: of('Nd'),
    graph,
    lower: sets.get('lowercase')!,
    print: union(graph, of('Zs')),
    punct: of('Pc', 'Pd', 'Ps', 'Pe', 'Pi', 'Pf', 'Po'),
    space,
    upper: sets.get('uppercase')!,
    word: union(alphabetic, of('Mn', 'Mc', 'Me', 'Nd', 'Pc')),
    xdigit: codePoints([0x30, 0x39], [0x41, 0x46], [0x61, 0x66]),
  })) {
    sets.set(name, set);
  }
  return (known = sets);
}

/** The code points with a property; undefined for an unknown name, and for blocks and rare properties, which no published pattern uses. */
export function property(name: string): CodePoints | undefined {
  return properties().get(plain(name));
}

/** The code points of a POSIX bracket: the property of that name, with symbols added in [[:punct:]]. */
export function posixBracket(name: string): CodePoints | undefined {
  return name === 'punct' ? union(property('punct')!, property('symbol')!) : property(name);
}

/** \w and \p{word} outside a class, where Oniguruma counts Latin-1 superscripts and fractions as word characters. */
export function bareWord(): CodePoints {
  return union(property('word')!, characters('\u00b2\u00b3\u00b9\u00bc\u00bd\u00be'));
}

/** Whether a name means word characters, which are those of `bareWord` outside a class. */
export function isWord(name: string): boolean {
  return plain(name) === 'word';
}

/** The names of [[:…:]], without `ascii`. */
export const POSIX = 'alnum alpha blank cntrl digit graph lower print punct space upper xdigit word'.split(' ');

// Word characters, \w in the patterns of Hugging Face tokenizers: Unicode 16.0's, plus the two joiners.

const JOINERS = codePoints([0x200c, 0x200d]);

/** First and last code point of each range, ascending. */
export function wordRanges(): Uint32Array {
  return Uint32Array.from(union(property('word')!, JOINERS).flat());
}
