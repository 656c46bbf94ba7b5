// SentencePiece models as protocol buffers, written from their schema, sentencepiece_model.proto.

export const PIECE = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 };

export interface ProtoPiece {
  text: string;
  score: number;
  type: number;
}

export interface ProtoOptions {
  model?: number;
  byteFallback?: boolean;
  dummyPrefix?: boolean;
  removesSpaces?: boolean;
  charsmap?: Uint8Array;
  denormalizer?: { charsmap: Uint8Array };
}

/** A field: a varint, a float, or bytes. */
type Field = [number: number, value: number | Float32Array | Uint8Array];

export function modelProto(pieces: readonly ProtoPiece[], options: ProtoOptions = {}): Uint8Array {
  const { model = 1, byteFallback = false, dummyPrefix = true, removesSpaces = true, charsmap = new Uint8Array(), denormalizer } = options;
  const fields: Field[] = pieces.map(({ text, score, type }) => [
    1,
    message([
      [1, Buffer.from(text)],
      [2, Float32Array.of(score)],
      [3, type],
    ]),
  ]);
  fields.push([
    2,
    message([
      [3, model],
      [35, Number(byteFallback)],
    ]),
  ]);
  fields.push([
    3,
    message([
      [2, charsmap],
      [3, Number(dummyPrefix)],
      [4, Number(removesSpaces)],
    ]),
  ]);
  if (denormalizer) fields.push([5, message([[2, denormalizer.charsmap]])]);
  return message(fields);
}

export function message(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number << 3), varint(value)];
      if (value instanceof Float32Array) return [varint((number << 3) | 5), Buffer.from(value.buffer)];
      return [varint((number << 3) | 2), varint(value.length), Buffer.from(value)];
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
