// SentencePiece models whose scores, types, texts, flags and rules of normalizing were changed: those that open encode as sentencepiece
// does. With a Python that has sentencepiece 0.2.3, whose path is in CRAYON_SENTENCEPIECE_PYTHON.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Tokenizer } from 'crayon-tokenizer';

import { Random } from '../fuzz/random.mjs';
import { nastyString } from '../fuzz/strings.mjs';
import { sample } from '../share.js';

const PYTHON = process.env.CRAYON_SENTENCEPIECE_PYTHON;
const SEED = Number(process.env.CRAYON_FUZZ_SEED ?? 1);
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const MODELS = path('../models/');
const SHARED = path('../../../shared/vocabularies/');
/** Of larger models, the first pieces, which is all that most texts need. */
const MOST_PIECES = 1500;
const FILES = [
  ...readdirSync(MODELS)
    .filter((name) => name.endsWith('.model'))
    .map((name) => MODELS + name),
  ...['sp-unigram-en-1000', 'sp-unigram-ja-8000', 'llama2', 'mistral-7b-v0.1', 'nai-t5']
    .map((name) => `${SHARED}${name}.model`)
    .filter((file) => existsSync(file)),
];

/** A field of a protocol buffer: its number, its wire type, and a varint or bytes. */
type Field = [number: number, wire: number, value: bigint | Buffer];

function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number) => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const key = Number(varint());
    const wire = key & 7;
    fields.push([key >> 3, wire, wire === 0 ? varint() : take(wire === 5 ? 4 : wire === 1 ? 8 : Number(varint()))]);
  }
  return fields;
}

function varintOf(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

function bytesOf(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, wire, value]) => {
      const key = varintOf(BigInt(number * 8 + wire));
      if (typeof value === 'bigint') return [key, varintOf(value)];
      return wire === 2 ? [key, varintOf(BigInt(value.length)), value] : [key, value];
    }),
  );
}

const PIECE = 1;
const TRAINER = 2;
const NORMALIZER = 3;
const SCORES = [0, -0, -1, 1, 5, -100, -1e30, 1e30, 3.4e38, -3.4e38, NaN, Infinity, -Infinity, -5.5];

/** Sets a member of a message. */
function set(fields: Field[], number: number, wire: number, value: bigint | Buffer): void {
  const found = fields.findIndex((field) => field[0] === number);
  if (found < 0) fields.push([number, wire, value]);
  else fields[found] = [number, wire, value];
}

function textOf(piece: Buffer): string {
  return (fieldsOf(piece).find(([number]) => number === 1)?.[2] ?? '').toString();
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function mutated(model: readonly Field[], random: Random): Buffer {
  const fields = model.map((field): Field => [...field]);
  const pieces = fields.flatMap(([number], index) => (number === PIECE ? [index] : []));
  const change = (number: number, edit: (message: Field[]) => void) => {
    const field = fields.find((each) => each[0] === number);
    if (!field) return;
    const message = fieldsOf(field[2] as Buffer);
    edit(message);
    field[2] = bytesOf(message);
  };
  for (let edits = random.integer(1, 4); edits > 0; edits--) {
    const [one, other] = [fields[random.pick(pieces)] as Field, fields[random.pick(pieces)] as Field];
    const piece = fieldsOf(one[2] as Buffer);
    const flag = BigInt(random.integer(0, 2));
    switch (random.integer(0, 8)) {
      case 0:
        set(piece, 2, 5, float(random.pick(SCORES)));
        break;
      case 1: {
        const score = fieldsOf(other[2] as Buffer).find(([number]) => number === 2);
        if (score) set(piece, 2, 5, score[2]);
        break;
      }
      case 2:
        set(piece, 3, 0, BigInt(random.integer(0, 7)));
        break;
      case 3: {
        const text = textOf(one[2] as Buffer);
        const texts = [
          `${text}a`,
          ` ${text}`,
          `${text} `,
          text.slice(1),
          text + text,
          `\u2581${text}`,
          text.replace('\u2581', ' '),
          'ab',
          '\u2581\u2581',
          '<s>',
          'é',
          '<0x41>',
          text.toUpperCase(),
        ];
        set(piece, 1, 2, Buffer.from(random.pick(texts)));
        break;
      }
      case 4: // the model, byte_fallback, treat_whitespace_as_suffix
        change(TRAINER, (message) =>
          random.chance(0.3) ? set(message, 3, 0, BigInt(random.integer(1, 5))) : set(message, random.pick([24, 35]), 0, flag),
        );
        break;
      case 5: // add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces
        change(NORMALIZER, (message) => set(message, random.integer(3, 6), 0, flag));
        break;
      case 6: // the rules
        change(NORMALIZER, (message) => {
          const rules = message.find(([number]) => number === 2);
          if (!rules || (rules[2] as Buffer).length < 8) return;
          const bytes = Buffer.from(rules[2] as Buffer);
          if (random.chance(0.5)) bytes[random.integer(0, bytes.length)]! ^= 1 << random.integer(0, 8);
          rules[2] = random.chance(0.9) ? bytes : bytes.subarray(0, random.integer(0, bytes.length));
        });
        break;
      default:
        one[2] = random.chance(0.5) ? Buffer.from(other[2] as Buffer) : Buffer.alloc(0);
        continue;
    }
    one[2] = bytesOf(piece);
  }
  return bytesOf(fields.filter(([number, , value]) => number !== PIECE || (value as Buffer).length > 0));
}

const TEXTS = [
  'hello world',
  '  a  b ',
  '\u2581x',
  '日本語のテキスト',
  'ｶﾞｷﾞ①',
  'the quick brown fox',
  ' ',
  'é\u0301',
  '<s> <unk> <0x41>',
  '\t\n',
  'aaaaaaaa   bbbb',
];

describe.skipIf(!PYTHON)('a mutated model', () => {
  it('encodes as sentencepiece does, if both open it', { timeout: 7_200_000 }, async () => {
    process.env.CRAYON_CACHE_DIR = '';
    const python = spawn(PYTHON as string, [path('../models/encode.py')], { stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
    const models = FILES.map((file) => {
      let pieces = 0;
      return fieldsOf(readFileSync(file)).filter(([number]) => number !== PIECE || pieces++ < MOST_PIECES);
    });
    const tried = { both: 0, refusedByBoth: 0, refusedByOne: 0 };
    for (let index = 0; index < sample(20_000, 200); index++) {
      const random = new Random(SEED, index);
      const model = random.pick(models);
      const words = model
        .flatMap(([number, , value]) => (number === PIECE ? [textOf(value as Buffer).replaceAll('\u2581', ' ')] : []))
        .filter((word) => word.trim() !== '');
      const bytes = mutated(model, random);
      // The engine replaces U+0000 where sentencepiece ends the text.
      const texts = [
        ...TEXTS,
        ...Array.from({ length: 6 }, (_, part) =>
          nastyString(SEED + part, index, words)
            .toWellFormed()
            .slice(0, 200)
            .replaceAll('\0', ''),
        ),
      ];
      python.stdin.write(`${JSON.stringify({ model: bytes.toString('base64'), texts })}\n`);
      const { ids } = JSON.parse((await lines.next()).value as string) as { ids?: number[][] };
      const tokenizer = await Tokenizer.load(new Uint8Array(bytes)).catch(() => undefined);
      tried[ids && tokenizer ? 'both' : ids || tokenizer ? 'refusedByOne' : 'refusedByBoth']++;
      if (ids && tokenizer) {
        for (const [at, text] of texts.entries())
          expect([...tokenizer.encode(text)], `seed ${SEED}, model ${index}, ${JSON.stringify(text)}`).toEqual(ids[at]);
      }
      tokenizer?.close();
    }
    python.stdin.end();
    console.log(JSON.stringify(tried));
  });
});
