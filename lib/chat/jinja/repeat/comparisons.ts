// Comparisons of an iteration's index with a number of a namespace, as in `loop.index0 > ns.last_query_index`.
//
// The result depends only on the difference between the number and the index, and on which side of a threshold, or whether
// on it, that is. So it is the same for all differences on the side, and a bound stands for the comparison.

import type { Comparison, Expression } from '../nodes.js';
import type { Bounds } from './bounds.js';
import type { Read } from './reads.js';

type Compared = Extract<Read, { kind: 'comparison' }>;

/** The results for operands of which the left one is less, equal and greater. */
const RESULTS: Partial<Record<Comparison, readonly [boolean, boolean, boolean]>> = {
  '<': [true, false, false],
  '<=': [true, true, false],
  '==': [false, true, false],
  '!=': [true, false, true],
  '>=': [false, true, true],
  '>': [false, false, true],
};

/** A sum of a constant, the iteration's index and an attribute, each taken some times. */
interface Sum {
  constant: number;
  index: number;
  attribute: number;
  /** The attribute's name. */
  name: string | undefined;
}

/**
 * The attribute that a comparison of the iteration with index `at` has read, and the differences between it and the index
 * with which the result is the same; undefined for comparisons of other forms.
 */
export function differenceBounds(
  { node, parts }: Compared,
  at: number,
): { namespace: number; name: string; difference: Bounds } | undefined {
  let read: Extract<Read, { kind: 'attribute' }> | undefined;
  let isPlaced = false;
  for (const part of parts) {
    if (part.kind === 'attribute' && !read) read = part;
    else if (part.kind === 'loop' && (part.name === 'index' || part.name === 'index0')) isPlaced = true;
    else return undefined;
  }
  // Without a read of `loop`, the name is that of a loop inside.
  if (!read || !isPlaced || typeof read.value !== 'number') return undefined;
  const form = formOf(node);
  if (!form || form.name !== read.name) return undefined;
  const { results, sign, threshold } = form;
  const { namespace, name, value } = read;
  // With the difference above the threshold, the left operand is the greater one if the attribute is on the left.
  const [below, above] = sign > 0 ? [results[0], results[2]] : [results[2], results[0]];
  return { namespace, name, difference: sideOf(value - at, threshold, [below, results[1], above]) };
}

/** The numbers around one with the same result, of the results below, on and above a threshold. */
function sideOf(number: number, threshold: number, [below, on, above]: readonly [boolean, boolean, boolean]): Bounds {
  const result = number < threshold ? below : number > threshold ? above : on;
  const isBelow = number < threshold || (below === result && on === result);
  const isAbove = number > threshold || (above === result && on === result);
  const low = isBelow ? -Infinity : on === result ? threshold : threshold + 1;
  const high = isAbove ? Infinity : on === result ? threshold : threshold - 1;
  return [low, high];
}

interface Form {
  readonly results: readonly [boolean, boolean, boolean];
  /** 1 if the attribute is on the left, -1 if it is on the right. */
  readonly sign: 1 | -1;
  /** The difference between attribute and index with which both operands are equal. */
  readonly threshold: number;
  readonly name: string;
}

const forms = new WeakMap<Expression, Form | null>();

function formOf(node: Expression): Form | undefined {
  let form = forms.get(node);
  if (form === undefined) forms.set(node, (form = findForm(node) ?? null));
  return form ?? undefined;
}

function findForm(node: Expression): Form | undefined {
  if (node.kind !== 'compare' || node.rest.length !== 1) return undefined;
  const [{ operator, value }] = node.rest as [(typeof node.rest)[0]];
  const results = RESULTS[operator];
  const sum: Sum = { constant: 0, index: 0, attribute: 0, name: undefined };
  if (!results || !add(sum, node.first, 1) || !add(sum, value, -1) || sum.name === undefined) return undefined;
  const { constant, index, attribute, name } = sum;
  // Left minus right: sign * (attribute - index) + constant.
  if (Math.abs(attribute) !== 1 || index !== -attribute) return undefined;
  const sign = attribute as 1 | -1;
  const threshold = -sign * constant;
  return Number.isSafeInteger(threshold) ? { results, sign, threshold, name } : undefined;
}

/** Adds an expression, `times` times; false if it is no such sum. */
function add(sum: Sum, node: Expression, times: number): boolean {
  switch (node.kind) {
    case 'constant':
      if (!Number.isSafeInteger(node.value)) return false;
      sum.constant += times * (node.value as number);
      return true;
    case 'negative':
      return add(sum, node.value, -times);
    case 'binary':
      if (node.operator !== '+' && node.operator !== '-') return false;
      return add(sum, node.left, times) && add(sum, node.right, node.operator === '+' ? times : -times);
    case 'attribute':
      if (node.value.kind !== 'name') return false;
      if (node.value.name === 'loop') {
        if (node.name !== 'index' && node.name !== 'index0') return false;
        sum.index += times;
        if (node.name === 'index') sum.constant += times;
        return true;
      }
      if (sum.name !== undefined) return false;
      sum.name = node.name;
      sum.attribute += times;
      return true;
    default:
      return false;
  }
}
