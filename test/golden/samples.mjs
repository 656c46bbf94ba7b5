/**
 * The texts with which `crayon verify` checks that an installed package gives the reference's ids, and `crayon bench`
 * measures. They and the reference's results go into the package as lib/cli/samples.ts, written by derive.mjs: for each
 * encoding and text the beginning of the ids' digest, and for each encoding the tokens that are
 * text but do not encode to themselves.
 */
import { digestOf } from './goldens.mjs';
import { ENCODINGS, loadTiktoken, versionOf } from './references.mjs';

/** Texts of many kinds, written for this purpose: human writing, program output, and text that trips tokenizers up. */
const TEXTS = [
  '',
  'hello world',
  'The lighthouse keeper wrote down the weather every evening for thirty-one years. When the notebooks were found, in a trunk under the stairs, nobody could read his hand; but the numbers were clear enough, and they said that the winters of his youth had been colder than anyone remembered.',
  "It's what we'd said they'll do, isn't it? I'm sure you've heard; SHE'S LEFT, HE'D KNOWN, and the ship’s crew weren’t told.",
  'Chapter 1\n\nIn which nothing happens.\n\n\nChapter 2\n\n   In which it happens again,   with spaces.\n\t\tTabs too.\t\n \n',
  'one\r\ntwo\r\n\r\nthree\rfour\n\rfive \r\n',
  '0 10 100 1000 10000 3.14159 2,718,281 0xFF 1e-9 2026-11-21T08:15:30Z +44 20 7946 0958 ½ ² ⅷ ٣٤ 一二三',
  '     leading, trailing and     inner blanks     ',
  ' \u00a0\u2003\u3000\u200b\ufeff|',
  'Der Fluß fließt südwärts; die Straße läuft quer dazu. Übermäßige Größenänderungen führen zu Fehlern.',
  'L’été dernier, j’ai vu à Genève un œuf de pâques cassé, et ç’a été tout. « Où est-ce ? » demanda-t-elle.',
  '¿Cuándo empezó el año? Mañana, dijo el niño pingüino, y se fue corriendo por la montaña.',
  'Ночью шёл снег, и к утру все дороги исчезли. Почтальон пришёл пешком, без писем, но с новостями.',
  'Το πλοίο έφυγε νωρίς το πρωί, και κανείς δεν κατάλαβε ότι ο καπετάνιος έλειπε.',
  '清晨的市场里挤满了人，卖鱼的老人说今天的潮水比往年都高，所以价格也高。',
  '駅前の古い喫茶店では、雨の日だけコーヒーが半額になる。カウンターの猫は何も言わない。',
  '비가 오는 날이면 할머니는 창가에 앉아 오래된 편지를 다시 읽으셨다.',
  'في المساء يجتمع الصيادون على الرصيف ويحكون قصصًا عن السمكة التي أفلتت.',
  'הספרן הזקן ידע היכן נמצא כל ספר, אבל לא זכר את שמו של אף קורא.',
  'गाँव के बीच एक पुराना बरगद है, जिसकी छाया में पंचायत बैठती है और बच्चे खेलते हैं।',
  'แมวตัวเล็กนั่งอยู่บนกำแพงและมองดูฝนที่ตกลงมาตลอดทั้งบ่าย',
  'Con đường làng dẫn qua cánh đồng lúa chín, nơi lũ trẻ thả diều mỗi buổi chiều.',
  '😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇨🇭🇯🇵 ❤️‍🔥 5️⃣ ☕️ 🫠 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𓂀 ﷽ ①②③',
  'e\u0301 versus \u00e9; a\u0308\u0304\u0327 n\u0303 \u0915\u094d\u0937 \u1100\u1161\u11a8 \ufb01 \u01c5',
  'function median(values) {\n  const sorted = [...values].sort((a, b) => a - b);\n  return sorted[sorted.length >> 1] ?? NaN; // upper one of two\n}\n',
  'def walk(root):\n    """Yields every path below `root`, deepest first."""\n    for entry in sorted(root.iterdir(), reverse=True):\n        if entry.is_dir():\n            yield from walk(entry)\n        yield entry\n',
  '#include <vector>\n\ntemplate <class T>\n[[nodiscard]] constexpr auto sum(std::vector<T> const& v) noexcept -> T {\n\tT total{};\n\tfor (auto&& x : v) total += x;\n\treturn total;\n}\n',
  "SELECT c.name, COUNT(*) AS orders FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.country <> 'CH' GROUP BY 1 HAVING COUNT(*) >= 10;",
  '{"id": 4711, "tags": ["a", "b\\n", null], "nested": {"π": 3.14, "empty": {}, "url": "https://example.org/a?b=c&d=%20#e"}}',
  '<!doctype html>\n<p class="note">Fish &amp; chips, <a href="/menu#today">today only</a>!</p>\n<!-- TODO -->\n',
  '| id | name |\n|---:|------|\n| 1 | *one* |\n\n- [x] done\n- [ ] `not yet`\n\n> ## Why?\n\n---\n',
  '$ git log --oneline | head -n 3\n4f2a9c1 Fix the fix\n$ echo "$HOME" && exit 0\n',
  'ERROR 2026-11-21 08:15:30,123 [worker-7] o.e.q.Queue: job 0000042 failed after 3 attempts (java.lang.IllegalStateException: null)\n\tat org.example.Queue.poll(Queue.java:118)\n',
  'camelCaseWords, PascalCaseWords, snake_case_words, kebab-case-words, SCREAMING_SNAKE, HTMLParserFactory2, iPhone15ProMax',
  '!!! ??? ... --- *** ### /// \\\\\\ ((([[[{{{}}}]]])) <<<>>> ~~~ ``` """ \'\'\' ;;; :::: ,,,, @@@ %%% ^^^ &&& ||| ++= != === => -> ::',
  '//////////\n// a comment\n/////\n\n//\n/* */ https://a/b//c///\n',
  '<|endoftext|> <|endofprompt|> <|im_start|>user<|im_end|> <|fim_prefix|>',
  'TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcms7IHRvbyBtYW55IGNvb2tzIHNwb2lsIHRoZSBicm90aC4K9f8eA0xQ==',
  '3b2e9d7c 5f1a-4c3e 9b8d7f6e5d4c3b2a1908f7e6d5c4b3a2 sha256:e3b0c44298fc1c149afbf4c8996fb924',
  'a'.repeat(300),
  ' '.repeat(200) + '\n'.repeat(50) + '=-'.repeat(60),
  'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch, Donaudampfschifffahrtsgesellschaft, pneumonoultramicroscopicsilicovolcanoconiosis',
  '\u0000\u0001\u001b[31mred\u001b[0m\u007f\u0085\u2028\u2029\ufffd\ufffe',
  'Summarise the minutes below in three sentences. Keep every decision, drop every joke, and do not invent names.\n\n"We agreed to move the launch to Thursday," said Ada, "if the pump is fixed."\n"It is fixed," said Ravi. (It was not.)\n',
];

/** Tokens that are text but do not encode to themselves, by the reference. */
function cutTokens(reference) {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const cut = [];
  reference.vocabulary().forEach((token, id) => {
    let text;
    try {
      text = utf8.decode(token);
    } catch {
      return; // the reference accepts only text
    }
    const ids = reference.encode(text);
    if (ids.length !== 1 || ids[0] !== id) cut.push(id);
  });
  return cut;
}

/** @returns {Promise<string>} the source of lib/cli/samples.ts */
export async function samplesModule() {
  const encodings = [];
  for (const name of ENCODINGS) {
    const reference = await loadTiktoken(name);
    const samples = TEXTS.map((text) => digestOf(reference.encode(text)).slice(0, 8)).join('');
    const cut = cutTokens(reference).join(', ');
    encodings.push(`    ${name}: {\n      cut: [${cut}],\n      samples: '${samples}',\n    },\n`);
    reference.free();
  }
  const texts = TEXTS.map((text) => `  ${JSON.stringify(text)},\n`).join('');
  return [
    '// Generated by test/golden/samples.mjs ("npm run golden -- --samples").\n\n',
    '/** Texts of many kinds. */\n',
    `export const SAMPLE_TEXTS: readonly string[] = [\n${texts}];\n\n`,
    '/** What the reference makes of them, by encoding. */\n',
    'export const REFERENCE: {\n  name: string;\n',
    '  encodings: Record<string, {\n',
    '    /** Ids of the tokens that are text and do not encode to themselves. */\n    cut: readonly number[];\n',
    '    /** For each text 8 digits of the sha256 of the ids as little-endian u32. */\n',
    '    samples: string;\n  }>;\n} = {\n',
    `  name: 'tiktoken ${versionOf('tiktoken')}',\n  encodings: {\n${encodings.join('')}  },\n};\n`,
  ].join('');
}
