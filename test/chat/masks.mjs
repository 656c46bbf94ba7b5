/** Chats whose ids are marked where the assistant wrote them, like transformers' return_assistant_tokens_mask. */
import fs from 'node:fs';
import { conversation } from './conversations.mjs';

export const SEED = 23;
export const COUNT = 40;
/** The number of handwritten chats, which come first. */
export const BY_HAND = 10;

/** @typedef {'bytes' | 'words'} Kind of vocabulary */

/** A vocabulary of words, whose pretokenizer drops white space. @returns {object} a tokenizer.json */
function wordVocabulary() {
  const vocab = Object.fromEntries(['?', 'hello', 'hell', 'x', 'é', 'W', 'h', '|', 'u', 'user', 'assistant'].map((word, id) => [word, id]));
  return {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    post_processor: null,
    pre_tokenizer: { type: 'BertPreTokenizer' },
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '?' },
  };
}

/** @param {Kind} kind @returns {object} a tokenizer.json */
export function vocabulary(kind) {
  return kind === 'words' ? wordVocabulary() : byteVocabulary();
}

/**
 * A byte-level vocabulary without a pretokenizer, so that merges cross from the template's text into the assistant's.
 * @returns {object} a tokenizer.json
 */
function byteVocabulary() {
  const letterOf = [];
  for (let byte = 0, next = 256; byte < 256; byte++) {
    const isVisible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    letterOf.push(String.fromCharCode(isVisible ? byte : next++));
  }
  const vocab = Object.fromEntries(letterOf.map((letter, byte) => [letter, byte]));
  const pair = (a, b) => [...[a, b].map((text) => Array.from(new TextEncoder().encode(text), (byte) => letterOf[byte]).join(''))];
  const merges = [
    pair('\n', 'h'),
    pair('\n', '<'),
    pair('h', 'e'),
    pair('l', 'l'),
    pair('he', 'll'),
    pair('hell', 'o'),
    pair('\n', '\n'),
    pair('i', 's'),
    pair('>', '\n'),
    pair('t', '\n'),
    pair('\n', ' '),
    pair('\n', 'W'),
  ];
  for (const [a, b] of merges) vocab[a + b] = Object.keys(vocab).length;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  const added = ['<|im_start|>', '<|im_end|>', '<s>', '</s>'];
  return {
    version: '1.0',
    added_tokens: added.map((content, index) => ({ id: Object.keys(vocab).length + index, content, ...flags })),
    normalizer: null,
    post_processor: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: { type: 'BPE', vocab, merges: merges.map(([a, b]) => `${a} ${b}`) },
  };
}

const SMALL =
  '{% for m in messages %}{{ m.role }}\n{% if m.role == "assistant" %}{% generation %}{{ m.content }}{% endgeneration %}{% else %}{{ m.content }}{% endif %}\n{% endfor %}';

/** Spans at the beginning and end of the text, beside each other, and around white space of the template's. */
const EDGES = [
  '{% for m in messages %}{% if m.role == "assistant" %}{% generation %}{{ m.content }}{% endgeneration %}{% else %}|u|{{ m.content }}{% endif %}{% endfor %}',
  '{% for m in messages %}{% if m.role == "assistant" %}{% generation %} {{ m.content }}\n{% endgeneration %}{% else %}{{ m.content }}{% endif %}{% endfor %}',
  '{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}',
];
const CONTENTS = ['hello', '', 'é', '🙂', '\nhello\n', ' ', 'W', 'h', 'x ', ' hell', '  \n', 'hello x'];

/** Templates that mark the assistant's text, and chats in JSON text. @returns {[source: string, chat: string, kind: Kind][]} */
export function markedChats() {
  const source = fs.readFileSync(new URL('templates/chatml-tools.jinja', import.meta.url), 'utf8');
  const said = (content) =>
    `{"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": ${JSON.stringify(content)}}, {"role": "user", "content": "hell"}, {"role": "assistant", "content": "x"}]}`;
  const byHand = ['hello', '', 'é', '🙂', '\nhello\n', ' ', 'W', '\n', '<|im_end|>', 'h'].map((content) => [SMALL, said(content), 'bytes']);
  // Continued chats have no mask; the texts of these are mostly letters.
  const generated = Array.from({ length: COUNT }, (_, index) => [source, conversation(SEED, index), 'bytes']).filter(
    ([, chat]) => !chat.includes('"continueFinalMessage"'),
  );
  const edges = EDGES.flatMap((template) =>
    CONTENTS.flatMap((content, index) =>
      [1, 2, 5].flatMap((step) => {
        const other = CONTENTS[(index + step) % CONTENTS.length];
        const messages = [
          ['assistant', content],
          ['user', other],
          ['assistant', other],
          ['assistant', content],
          ['user', content],
        ].map(([role, text]) => ({ role, content: text }));
        return ['bytes', 'words'].flatMap((kind) =>
          [messages, messages.slice(1), messages.slice(1, 4)].map((chat) => [template, JSON.stringify({ messages: chat }), kind]),
        );
      }),
    ),
  );
  return /** @type {[string, string, Kind][]} */ ([...byHand, ...generated, ...edges]);
}
