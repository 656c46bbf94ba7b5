// Models of a few nodes as the bytes of an .onnx file: the embeddings of a row's ids, or their mean without padding; and two
// models of random weights that take time.
//
// The format is Protocol Buffers; the field numbers come from onnx.proto.

const FLOAT = 1;
const INT64 = 7;
const INT_ATTRIBUTE = 2;
const INTS_ATTRIBUTE = 7;

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

const join = (parts) => Buffer.concat(parts.map((part) => Buffer.from(part)));
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
    ...Object.entries(attributes).map(([name, value]) =>
      Array.isArray(value)
        ? message(5, field(1, name), ...value.map((each) => field(8, each)), field(20, INTS_ATTRIBUTE))
        : message(5, field(1, name), field(3, value), field(20, INT_ATTRIBUTE)),
    ),
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
    ...each.map(([name, { table, width }]) =>
      tensor(`${name} table`, FLOAT, width === 1 ? [table.length] : [table.length / width, width], table),
    ),
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

/** Collects nodes and random weights; `embedded` are the embeddings of `input_ids`, [rows, length, width]. */
class Layers {
  nodes = [];
  weights = [];
  #state = 1;

  constructor(vocabularySize, width) {
    this.embedded = this.add('Gather', [this.weight([vocabularySize, width]), 'input_ids']);
  }

  /** Numbers around 0, so small that the sum of `dims[1]` products stays small. */
  weight(dims) {
    const size = dims.reduce((product, dim) => product * dim);
    const data = Float32Array.from({ length: size }, () => {
      this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
      return (this.#state / 2 ** 31 - 1) / Math.sqrt(dims.at(-1));
    });
    return this.constant(dims, data);
  }

  constant(dims, data) {
    const name = `constant${this.weights.length}`;
    this.weights.push(tensor(name, FLOAT, dims, data));
    return name;
  }

  add(type, inputs, attributes, output = `node${this.nodes.length}`) {
    this.nodes.push(node(type, inputs, output, attributes));
    return output;
  }

  /** The file of a model whose output is the mean of `last` over an axis. */
  file(last, axis, width) {
    this.add('ReduceMean', [last], { axes: [axis], keepdims: 0 }, 'embedding');
    const ends = [value(11, 'input_ids', INT64, ['rows', 'length']), value(12, 'embedding', FLOAT, ['rows', width])];
    const graph = message(7, ...this.nodes, field(2, 'random'), ...this.weights, ...ends);
    return join([field(1, 8), graph, message(8, field(1, ''), field(2, 17))]);
  }
}

/**
 * Dilated convolutions of 9 ids with residuals, random weights. Input `input_ids`, int64 of [rows, length]; output `embedding`, float of
 * [rows, width].
 * @param {{ vocabularySize: number, width: number, layers: number }} size
 * @returns {Uint8Array}
 */
export function convolutional({ vocabularySize, width, layers }) {
  const model = new Layers(vocabularySize, width);
  let last = model.add('Transpose', [model.embedded], { perm: [0, 2, 1] });
  for (let layer = 0; layer < layers; layer++) {
    const dilation = 2 ** layer;
    const convolved = model.add('Conv', [last, model.weight([width, width, 9])], {
      dilations: [dilation],
      pads: [4 * dilation, 4 * dilation],
    });
    last = model.add('Add', [last, model.add('Relu', [convolved])]);
  }
  return model.file(last, 2, width);
}

/**
 * Layers of self-attention (one head) and of a feed-forward network four times as wide; otherwise as `convolutional`.
 * @param {{ vocabularySize: number, width: number, layers: number }} size
 * @returns {Uint8Array}
 */
export function transformer({ vocabularySize, width, layers }) {
  const model = new Layers(vocabularySize, width);
  const ones = model.constant([width], new Float32Array(width).fill(1));
  const scale = model.constant([1], Float32Array.of(1 / Math.sqrt(width)));
  const times = (input, columns, rows = width) => model.add('MatMul', [input, model.weight([rows, columns])]);
  const normal = (input) => model.add('LayerNormalization', [input, ones]);
  let last = model.embedded;
  for (let layer = 0; layer < layers; layer++) {
    const input = normal(last);
    const keys = model.add('Transpose', [times(input, width)], { perm: [0, 2, 1] });
    const scores = model.add('Softmax', [model.add('Mul', [model.add('MatMul', [times(input, width), keys]), scale])]);
    const attention = times(model.add('MatMul', [scores, times(input, width)]), width);
    last = model.add('Add', [last, attention]);
    const inner = model.add('Relu', [times(normal(last), 4 * width)]);
    last = model.add('Add', [last, times(inner, width, 4 * width)]);
  }
  return model.file(last, 1, width);
}
