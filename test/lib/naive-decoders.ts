// Decoders like those of Hugging Face tokenizers 0.23.2 (tokenizers/src/decoders, transcribed step by step over lists of
// tokens), and the random vocabularies, chains and ids for comparing them.

import { byteCharacter } from './byte-character.js';

export interface Json {
  [key: string]: any;
}

/** The reference panics here, so there is no result to compare. */
export class Panic extends Error {}

const BYTES = new Map(Array.from({ length: 256 }, (_, byte) => [byteCharacter(byte), byte]));

/** The reference's `decode`: a decoder applied to the texts of tokens. */
export function naiveDecode(decoder: Json | null, tokens: string[]): string {
  return decoder === null ? tokens.join(' ') : decodeChain(decoder, tokens).join('');
}

function decodeChain(decoder: Json, tokens: string[]): string[] {
  switch (decoder.type) {
    case 'Sequence':
      return decoder.decoders.reduce((made: string[], each: Json) => decodeChain(each, made), tokens);
    case 'ByteLevel': {
      const bytes = tokens.flatMap((token) => {
        const own = [...token].map((character) => BYTES.get(character));
        return own.includes(undefined) ? [...new TextEncoder().encode(token)] : (own as number[]);
      });
      return [new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))];
    }
    case 'WordPiece':
      return tokens.map((token, index) => {
        let text = token;
        if (index > 0) text = text.startsWith(decoder.prefix) ? text.slice(decoder.prefix.length) : ` ${text}`;
        return decoder.cleanup ? cleanup(text) : text;
      });
    case 'Metaspace':
      return tokens.map((token, index) =>
        [...token]
          .map((character) =>
            character !== decoder.replacement ? character : index === 0 && decoder.prepend_scheme !== 'never' ? '' : ' ',
          )
          .join(''),
      );
    case 'ByteFallback': {
      const made: string[] = [];
      let run: number[] = [];
      const end = () => {
        if (run.length === 0) return;
        try {
          made.push(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(run)));
        } catch {
          made.push(...run.map(() => '\ufffd'));
        }
        run = [];
      };
      for (const token of tokens) {
        const digits = /^<0x([0-9a-fA-F]{2}|\+[0-9a-fA-F])>$/.exec(token);
        if (digits) {
          run.push(parseInt(digits[1]!, 16));
        } else {
          end();
          made.push(token);
        }
      }
      end();
      return made;
    }
    case 'Fuse':
      return [tokens.join('')];
    case 'Strip':
      return tokens.map((token) => {
        const characters = [...token];
        let start = 0;
        for (let i = 0; i < Math.min(characters.length, decoder.start); i++) {
          if (characters[i] !== decoder.content) break;
          start = i + 1;
        }
        let stop = characters.length;
        for (let i = 0; i < decoder.stop; i++) {
          const index = characters.length - i - 1;
          if (index < 0) throw new Panic();
          if (characters[index] !== decoder.content) break;
          stop = index;
        }
        if (start > stop) throw new Panic();
        return characters.slice(start, stop).join('');
      });
    case 'Replace': {
      const { String: text, Regex: regex } = decoder.pattern;
      if (text) return tokens.map((token) => token.split(text).join(decoder.content));
      return tokens.map((token) => {
        // No empty match follows another at once, and an empty text has none.
        let last = -1;
        const by = (match: string, ...rest: unknown[]) => {
          const at = rest.find((each) => typeof each === 'number')!;
          if (match === '' && (at === last || token === '')) return '';
          last = at + match.length;
          return decoder.content;
        };
        return token.replace(new RegExp(regex ?? '', 'gu'), by);
      });
    }
    case 'BPEDecoder':
      return tokens.map((token, index) => rustReplace(token, decoder.suffix, index === tokens.length - 1 ? '' : ' '));
    case 'CTC':
      return tokens
        .filter((token, index) => index === 0 || token !== tokens[index - 1])
        .map((token) => {
          const text = rustReplace(token, decoder.pad_token, '');
          return decoder.cleanup ? rustReplace(cleanup(text), decoder.word_delimiter_token, ' ') : text;
        })
        .filter((text) => text !== '');
  }
  throw new TypeError(decoder.type);
}

function rustReplace(text: string, what: string, by: string): string {
  if (what !== '') return text.split(what).join(by);
  return by + [...text].map((character) => character + by).join('');
}

function cleanup(text: string): string {
  let cleaned = text;
  const rules = [
    ' .',
    '.',
    ' ?',
    '?',
    ' !',
    '!',
    ' ,',
    ',',
    " ' ",
    "'",
    " n't",
    "n't",
    " 'm",
    "'m",
    ' do not',
    " don't",
    " 's",
    "'s",
    " 've",
    "'ve",
    " 're",
    "'re",
  ];
  for (let i = 0; i < rules.length; i += 2) cleaned = cleaned.split(rules[i]!).join(rules[i + 1]!);
  return cleaned;
}

/** The interface of `test/fuzz/random.mjs`. */
interface Source {
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

const PARTS = [
  'a',
  'b',
  'ab',
  '\u2581',
  '\u2581',
  '\u2581\u2581',
  ' ',
  '<0x41>',
  '<0xE2>',
  '<0x96>',
  '<0x81>',
  '<0xc3>',
  '<0xA9>',
  '<0xFF>',
  '<0x+5>',
  '<0x5>',
  '<0xzz>',
  '##',
  '##',
  '</w>',
  '</w>',
  '.',
  ',',
  '?',
  '!',
  "'",
  " ' ",
  "n't",
  "'m",
  'do not',
  ' do not',
  "'s",
  "'ve",
  "'re",
  '\u00e9',
  '|',
  '<pad>',
  '\u0120',
  '\u00e2',
  '\u0138',
  '\u00c3',
  '\u00a9',
  '\u{1f600}',
  '\ufffd',
  '\ufeff',
  '\n',
  'x1',
  '12',
];

/** Distinct texts of tokens. */
export function randomTokens(random: Source): string[] {
  const tokens = new Set<string>();
  for (let count = random.integer(3, 40); count > 0; count--) {
    let token = '';
    for (let parts = random.chance(0.6) ? 1 : random.integer(1, 4); parts > 0; parts--) token += random.pick(PARTS);
    tokens.add(token);
  }
  return [...tokens];
}

const TEXTS = ['a', 'ab', '\u2581', ' ', '##', '</w>', '<', '<0x41>', '\u00e9', 'aa', '\ufffd'];

/** A single step, not a Sequence. */
export function randomStep(random: Source): Json {
  switch (random.integer(0, 11)) {
    case 0:
      return { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true };
    case 1:
      return { type: 'WordPiece', prefix: random.pick(['##', '##', 'a', '']), cleanup: random.chance(0.6) };
    case 2:
      return {
        type: 'Metaspace',
        replacement: random.pick(['\u2581', '\u2581', 'a', '\u{1f600}']),
        prepend_scheme: random.pick(['always', 'first', 'never']),
        split: true,
      };
    case 3:
    case 4:
      return { type: 'ByteFallback' };
    case 5:
    case 6:
      return { type: 'Fuse' };
    case 7:
      return {
        type: 'Strip',
        content: random.pick([' ', '\u2581', 'a', '\u{1f600}']),
        start: random.integer(0, 3),
        stop: random.chance(0.7) ? 0 : random.integer(1, 3),
      };
    case 8:
      return {
        type: 'Replace',
        pattern: { String: random.pick([...TEXTS, '']) },
        content: random.pick(['', ' ', 'b', 'aa', '<0xC3>', '$&']),
      };
    case 9:
      return {
        type: 'Replace',
        pattern: {
          Regex: random.pick([
            'a+',
            ' {2,}',
            '[ab]',
            '(a|ab)b?',
            '\u2581',
            '[^a]',
            'a(?=b)',
            'b*',
            '',
            '(?<=a|\u2581)b',
            '(?!a)',
            '(?<! )a|x*',
          ]),
        },
        content: random.pick(['', ' ', '$1']),
      };
    case 10:
      return { type: 'BPEDecoder', suffix: random.pick(['</w>', 'a', '']) };
    default:
      return {
        type: 'CTC',
        pad_token: random.pick(['<pad>', 'a', '']),
        word_delimiter_token: random.pick(['|', 'a']),
        cleanup: random.chance(0.6),
      };
  }
}

/** The decoders of published files, with tokens that exercise them. */
export const PUBLISHED: readonly (Json | null)[] = [
  null,
  {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  {
    type: 'Sequence',
    decoders: [{ type: 'Replace', pattern: { String: '\u2581' }, content: ' ' }, { type: 'ByteFallback' }, { type: 'Fuse' }],
  },
  { type: 'Metaspace', replacement: '\u2581', str_rep: '\u2581', add_prefix_space: true },
  { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'never', split: false },
  { type: 'WordPiece', prefix: '##', cleanup: true },
  { type: 'WordPiece', prefix: '##', cleanup: false },
  { type: 'BPEDecoder', suffix: '</w>' },
  { type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|', cleanup: true },
  { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
  {
    type: 'Sequence',
    decoders: [
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
];

/** A decoder: a published one, or a random chain. */
export function randomDecoder(random: Source): Json | null {
  if (random.chance(0.3)) return random.pick(PUBLISHED);
  const decoders = Array.from({ length: random.integer(1, 5) }, () => randomStep(random));
  if (decoders.length === 1 && random.chance(0.5)) return decoders[0]!;
  return { type: 'Sequence', decoders: random.chance(0.2) ? [{ type: 'Sequence', decoders }] : decoders };
}

/** Lists of ids below `count`: none, one, runs of one, and others. */
export function randomIds(random: Source, count: number): number[] {
  const ids: number[] = [];
  for (let left = random.chance(0.1) ? random.integer(0, 1) : random.integer(1, 24); left > 0; left--) {
    const isRepeated = ids.length > 0 && random.chance(0.2);
    ids.push(isRepeated ? ids.at(-1)! : random.integer(0, count - 1));
  }
  return ids;
}
