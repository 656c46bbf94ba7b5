/**
 * The ingredients of the fuzz strings: each writes one short piece of text that some tokenizer once got wrong, or that
 * sits on an edge of the patterns. All are functions of a `Random` alone.
 */

const SPACES = [' ', ' ', ' ', '\t', '\n', '\r', '\v', '\f', '\x85', '\xa0', '\u1680', '\u2000', '\u2009', '\u200a', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000'];
/** Code points that are white space in some language or library but not in the patterns. */
const NOT_SPACES = ['\u180e', '\ufeff', '\u200b', '\u2060', '\x1c', '\x1d', '\x1e', '\x1f', '\0', '\xad', '\u2800', '\u3164'];
const ENDINGS = ['s', 't', 're', 've', 'm', 'll', 'd', 'ſ', 'l', 'r', 'v', 'x', 'ss', 'rE', 'vE'];
const ZEROS = [0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xe50, 0x1040, 0x17e0, 0xff10, 0x104a0, 0x11066, 0x1d7ce, 0x1e950, 0x1fbf0];
const OTHER_NUMBERS = ['²', '³', '¹', '½', '¾', '①', '㊿', 'Ⅷ', 'ⅷ', '〇', '𐄇', '𒐀', '🄀', '𑁒', '፲', '௧'];
const MARKS = ['\u0300', '\u0301', '\u0308', '\u0327', '\u0345', '\u0483', '\u0591', '\u064b', '\u0670', '\u093e', '\u094d', '\u0e31', '\u0f71', '\u1ab0', '\u20d0', '\u20dd', '\u302a', '\u3099', '\ufe0e', '\ufe0f', '\ufe20', '\u{101fd}', '\u{11000}', '\u{16af0}', '\u{1d165}', '\u{e0100}', '\u{1e8d0}'];
const UPPER = 'AEZÀÉŒΑΩЖЯԱႠᎠᲐẞℂⅭＡ𐐀𞤀𝐀𐲀'.match(/./gsu);
const LOWER = 'aezßàéœſαωςжяաაᏸ℮ⅽａ𐐨𞤢𝐚𐳀'.match(/./gsu);
const TITLE = 'ǅǈǋǲᾈᾨῼ'.match(/./gsu);
const MODIFIER = 'ʰˆˠʹͺՙـ々〱ーｰๆໆ៷ᴬⁿₐꜗꟸ𖭀'.match(/./gsu);
const OTHER = 'ªºƻǀאبあア中文字가힣가กखཀᚠ𐎀𓀀𠀀𠮷𪛖ﷺ'.match(/./gsu);
const PUNCTUATION = [...'!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~', "'", '’', '“', '«', '…', '—', '。', '،', '؟', '।', '¿', '§', '©', '€', '→', '∑', '█', '\u200d', '\u{1f9ff}'];
const EMOJI = ['😀', '❤️', '👩', '👨', '👧', '👦', '🧑', '🚀', '🌈', '🏳️', '☠️', '👍', '✊', '🦟', '🫠', '🪿', '⌚', '☎', '🀄'];
const TONES = ['🏻', '🏼', '🏽', '🏾', '🏿'];
const WORDS = ['the', 'and', 'tokenizer', 'Hello', 'world', 'I', 'don', 'you', 'naïve', 'Straße', 'être', 'мир', 'Привет', 'γειά', 'שלום', 'مرحبا', 'नमस्ते', 'สวัสดี', '你好', '世界', '東京', 'こんにちは', 'カタカナ', '안녕하세요', 'việt', 'İstanbul', 'HTTP', 'getElementById', 'XMLHttpRequest', 'snake_case', 'SCREAMING', 'iPhone', 'antidisestablishmentarianism', 'a', 'of', 'ing', 'tion'];
const CODE = ['def f(x):\n    return x', 'if (a && b) {\n', '}\n', '\t\t', '    ', '=>', '!==', '/* ', ' */', '// ', '/**\n * ', '#include <', '::', '->', '();', '[0]', '0x1F', '1e-9', '\\n', '\\u0041', '"key": ', '"value",\n', '[1,2,3]', '{"a":{"b":null}}', '</div>', '<br/>', '&amp;', '${x}', '%s', '|---|', '```js\n', '**', '# ', '- [ ] ', 'https://', 'example.org/a?b=c&d=%20', 'C:\\Users\\', '../', '@param', '$$', '\r\n', ';\n\n', '===', '----------------', '________', '............', '~~~', '://'];
const SPECIALS = ['<|endoftext|>', '<|endofprompt|>', '<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>', '<|start|>', '<|end|>', '<|message|>', '<|channel|>', '<|return|>', '<|call|>', '<|constrain|>', '<|startoftext|>', '<|reserved_200013|>', '<|im_start|>', '<|', '|>', '<|end', 'oftext|>', '<|endoftext', '<|endoftext|', '<<|endoftext|>>', '<|ENDOFTEXT|>'];
/** First code points of ranges unassigned in Unicode 16, some of them assigned later. */
const UNASSIGNED = [0x378, 0x530, 0x88f, 0xa7dd, 0xa7f1, 0x20c1, 0x2fe0, 0x1095c, 0x10ec8, 0x11b60, 0x11de0, 0x16ea0, 0x16ff4, 0x18cff, 0x1ccfa, 0x1cec0, 0x1e6c0, 0x1f6d8, 0x1fa58, 0x1fadd, 0x2b73a, 0x323b0, 0x3347a, 0x40000, 0xe0080];
const NONCHARACTERS = ['\ufffe', '\uffff', '\ufdd0', '\u{1fffe}', '\u{10ffff}', '\ufffd', '\ue000', '\u{f0000}', '\u{100000}'];

const anyLetter = [...UPPER, ...LOWER, ...TITLE, ...MODIFIER, ...OTHER];
const many = (random, limit, write) => Array.from({ length: random.length(limit) }, write).join('');
const randomCase = (random, text) => Array.from(text, (c) => (random.chance(0.5) ? c.toUpperCase() : c)).join('');
const ascii = (random, alphabet, limit) => many(random, limit, () => random.pick(alphabet));

/** @type {Record<string, (random: import('./random.mjs').Random) => string>} */
export const INGREDIENTS = {
  spaces: (r) => many(r, 12, () => r.pick(SPACES)),
  plainSpaces: (r) => ' '.repeat(r.length(40)),
  notSpaces: (r) => many(r, 3, () => r.pick(r.chance(0.5) ? NOT_SPACES : SPACES)),
  lineEnds: (r) => many(r, 8, () => r.pick(['\n', '\r', '\r\n', '\n\n', ' \n', '\n ', '/', '\n/', '\t'])),
  slashes: (r) => r.pick(PUNCTUATION) + many(r, 5, () => r.pick(['/', '\n', '\r', '/\n', '\n/'])),
  contraction: (r) => r.pick(['', 'he', 'HE', 'y', 'é', 'Ж', '語', '3', ' ', '\n']) + r.pick(["'", "'", "'", '’', "''"]) + randomCase(r, r.pick(ENDINGS)),
  contractions: (r) => many(r, 4, () => `${r.pick(['', 'y', 'I', 'don'])}'${randomCase(r, r.pick(ENDINGS))}`),
  digits: (r) => ascii(r, '0123456789', 20),
  otherDigits: (r) => {
    const zero = r.pick(ZEROS);
    return many(r, 8, () => (r.chance(0.9) ? String.fromCodePoint(zero + r.integer(0, 9)) : r.pick(OTHER_NUMBERS)));
  },
  marks: (r) => r.pick([...PUNCTUATION, ...anyLetter, ' ', '\n', '1', '']) + many(r, 5, () => r.pick(MARKS)),
  emoji: (r) => many(r, 5, () => r.pick(EMOJI) + (r.chance(0.3) ? r.pick(TONES) : '') + (r.chance(0.5) ? '\u200d' : '')),
  flags: (r) => many(r, 5, () => String.fromCodePoint(0x1f1e6 + r.integer(0, 25))),
  loneSurrogates: (r) => many(r, 3, () => String.fromCharCode(r.integer(0xd800, 0xdfff))),
  unassigned: (r) => many(r, 4, () => String.fromCodePoint(r.pick(UNASSIGNED) + r.integer(0, 3))),
  noncharacters: (r) => r.pick(NONCHARACTERS),
  letters: (r) => many(r, 12, () => r.pick(anyLetter)),
  cases: (r) => many(r, 12, () => r.pick(r.pick([UPPER, LOWER, TITLE, MODIFIER, OTHER, MARKS]))),
  asciiCases: (r) => ascii(r, 'aAbBcCxXyYzZ', 16),
  upperThenLower: (r) => many(r, 6, () => r.pick(UPPER)) + many(r, 6, () => r.pick(LOWER)),
  punctuation: (r) => many(r, 10, () => r.pick(PUNCTUATION)),
  spacedPunctuation: (r) => many(r, 5, () => ' ' + r.pick(PUNCTUATION)),
  word: (r) => (r.chance(0.7) ? ' ' : '') + r.pick(WORDS),
  words: (r) => many(r, 8, () => r.pick([' ', ' ', '', '  ', '\n']) + r.pick(WORDS)),
  shouted: (r) => ' ' + randomCase(r, r.pick(WORDS)),
  randomLetters: (r) => ascii(r, 'abcdefghijklmnopqrstuvwxyz', 60),
  fewLetters: (r) => ascii(r, r.pick(['ab', 'aab', 'abc', 'aA', 'st', 'er', 'in', 'ao', 'lI', 'éa', '的一']), 60),
  base64: (r) => ascii(r, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 80),
  code: (r) => many(r, 6, () => r.pick(CODE)),
  specials: (r) => many(r, 3, () => r.pick(SPECIALS)),
  run: (r) => r.pick([...PUNCTUATION, ...anyLetter, ...SPACES, '0', 'a', 'ab', 'aA', '😀']).repeat(r.length(100)),
  latin1: (r) => many(r, 10, () => String.fromCharCode(r.integer(0x80, 0xff))),
  controls: (r) => many(r, 5, () => String.fromCharCode(r.integer(0, 0x1f))),
  basicPlane: (r) => many(r, 8, () => String.fromCharCode(r.integer(0, 0xffff))),
  anyCodePoint: (r) => many(r, 8, () => String.fromCodePoint(r.integer(0, 0x10ffff))),
  manyScripts: (r) => many(r, 8, () => String.fromCodePoint(r.pick([r.integer(0x80, 0x24ff), r.integer(0x2c00, 0x33ff), r.integer(0xa000, 0xabff), r.integer(0x10000, 0x1ffff)]))),
  han: (r) => many(r, 20, () => String.fromCodePoint(r.chance(0.8) ? r.integer(0x4e00, 0x5fff) : r.integer(0x3041, 0x30fe))),
  hangul: (r) => many(r, 12, () => String.fromCodePoint(r.integer(0xac00, 0xd7a3))),
  damagedUtf8: (r) => new TextDecoder().decode(Uint8Array.from({ length: r.length(12) }, () => r.pick([0x41, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xf0, 0x9f, 0xed, 0xff]))),
};
