// What a tokenizer.json says about the lengths of its sequences: `truncation` and `padding`.
//
// Encoding ignores both, as does the reference once they are switched off. They are kept in the metadata of the cartridge, in
// the words of the file, for those who make batches.

import type { JsonNode } from './json-node.js';

/** As in the file, and checked; what the file leaves out is left out. */
export interface Limits {
  truncation?: Record<string, unknown> | undefined;
  padding?: Record<string, unknown> | undefined;
}

export function limitsOf(root: JsonNode): Limits {
  return {
    truncation: objectOf(root.at('truncation'), { direction: text, max_length: length, strategy: text, stride: length }),
    padding: objectOf(root.at('padding'), {
      strategy: (node) => (node.kind === 'object' ? { Fixed: length(node.at('Fixed')) } : text(node)),
      direction: text,
      pad_to_multiple_of: length,
      pad_id: id,
      pad_type_id: id,
      pad_token: text,
    }),
  };
}

/** Fields that the reference reads without a default. */
const REQUIRED = ['max_length', 'strategy', 'stride', 'pad_id', 'pad_type_id', 'pad_token'];

function objectOf(node: JsonNode, fields: Record<string, (node: JsonNode) => unknown>): Record<string, unknown> | undefined {
  if (node.isNone) return undefined;
  node.object();
  const object: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(fields)) {
    const value = node.at(name);
    if (!value.isNone || REQUIRED.includes(name)) object[name] = read(value);
  }
  return object;
}

const text = (node: JsonNode) => node.text();
const length = (node: JsonNode) => node.id(2 ** 53);
const id = (node: JsonNode) => node.id(2 ** 32);
