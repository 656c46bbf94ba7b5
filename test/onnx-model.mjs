// Models of a few nodes as the bytes of an .onnx file: the embeddings of a row's ids, or their mean without padding.
//
// The format is Protocol Buffers; the field numbers come from onnx.proto.

const FLOAT = 1;
const INT64 = 7;
const INT_ATTRIBUTE = 2;

/** A field: a varint, or bytes, text or a message with their length. */
function field(number, value) {
  if (typeof value === 'number') return join([varint(number << 3), varint(value)]);
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return join([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value) {
  const bytes = [];
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, value]);
}

const join = (parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const message = (number, ...fields) => field(number, join(fields));

function tensor(name, type, dims, data) {
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return message(5, ...dims.map((dim) => field(1, dim)), field(2, type), field(8, name), field(9, raw));
}

function node(type, inputs, output, attributes = {}) {
  return message(
    1,
    ...inputs.map((input) => field(1, input)),
    field(2, output),
    field(4, type),
    ...Object.entries(attributes).map(([name, value]) => message(5, field(1, name), field(3, value), field(20, INT_ATTRIBUTE))),
  );
}

function value(number, name, type, dims) {
  const shape = message(2, ...dims.map((dim) => message(1, field(2, dim))));
  return message(number, field(1, name), message(2, message(1, field(1, type), shape)));
}

/**
 * Input `input_ids`, int64 of [rows, length]; outputs by their names, each float of [rows, length, width] from a table of its own, or of
 * [rows, length] where the width is 1.
 * @param {Record<string, { table: Float32Array, width: number }>} outputs
 * @returns {Uint8Array}
 */
export function embeddings(outputs) {
  const each = Object.entries(outputs);
  const graph = message(
    7,
    ...each.map(([name]) => node('Gather', [`${name} table`, 'input_ids'], name)),
    field(2, 'embeddings'),
    ...each.map(([name, { table, width }]) => tensor(`${name} table`, FLOAT, width === 1 ? [table.length] : [table.length / width, width], table)),
    value(11, 'input_ids', INT64, ['rows', 'length']),
    ...each.map(([name, { width }]) => value(12, name, FLOAT, width === 1 ? ['rows', 'length'] : ['rows', 'length', 'width'])),
  );
  return join([field(1, 8), graph, message(8, field(1, ''), field(2, 13))]);
}

/**
 * Inputs `input_ids` and `attention_mask`, both int64 of [rows, length]; one output, float of [rows, width].
 * @param {Float32Array} table
 * @param {number} width
 * @param {string} [output]
 * @returns {Uint8Array}
 */
export function meanEmbedding(table, width, output = 'embedding') {
  const graph = message(
    7,
    node('Gather', ['table', 'input_ids'], 'each'),
    node('Cast', ['attention_mask'], 'weights', { to: FLOAT }),
    node('Unsqueeze', ['weights', 'last'], 'column'),
    node('Mul', ['each', 'column'], 'weighted'),
    node('ReduceSum', ['weighted', 'middle'], 'sum', { keepdims: 0 }),
    node('ReduceSum', ['column', 'middle'], 'count', { keepdims: 0 }),
    node('Div', ['sum', 'count'], output),
    field(2, 'mean'),
    tensor('table', FLOAT, [table.length / width, width], table),
    tensor('last', INT64, [1], BigInt64Array.of(2n)),
    tensor('middle', INT64, [1], BigInt64Array.of(1n)),
    value(11, 'input_ids', INT64, ['rows', 'length']),
    value(11, 'attention_mask', INT64, ['rows', 'length']),
    value(12, output, FLOAT, ['rows', 'width']),
  );
  return join([field(1, 8), graph, message(8, field(1, ''), field(2, 13))]);
}
