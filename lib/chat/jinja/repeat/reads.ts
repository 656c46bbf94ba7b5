// What an iteration has read, and whether reading it again gives the same.

import type { Expression } from '../nodes.js';
import type { Activation } from '../runtime/activation.js';
import type { Namespace } from '../globals.js';
import { truthy } from '../values/compare.js';
import type { Sequence } from '../values/containers.js';
import type { Value } from '../values/object.js';
import type { PlacedLoop } from './placed-loop.js';
import { isSameValue } from './same.js';

/** What can differ between two renders, at the beginning of an iteration. */
export interface State {
  readonly activation: Activation;
  readonly loop: PlacedLoop;
  /** The namespaces by their numbers. */
  readonly namespaces: readonly Namespace[];
  /** The lists that can change, by name. */
  readonly lists: ReadonlyMap<string, Sequence>;
  /** Sets the variables of the iteration. */
  enter(): void;
}

export type Read =
  /** An attribute of `loop`. */
  | { kind: 'loop'; name: string; value: Value | undefined }
  | { kind: 'element'; list: string; index: number; value: Value | undefined }
  | { kind: 'length'; list: string; value: number }
  | { kind: 'all'; list: string; value: readonly Value[] }
  | { kind: 'attribute'; namespace: number; name: string; value: Value | undefined }
  /** A comparison, of which only the result matters. `parts`: what it has read. */
  | { kind: 'comparison'; node: Expression; evaluate: (activation: Activation) => Value; value: boolean; parts: readonly Read[] };

/** Whether a read gives the same. */
export function holds(read: Read, state: State): boolean {
  const { loop, lists } = state;
  switch (read.kind) {
    case 'attribute':
      return isSameValue(state.namespaces[read.namespace]?.attributes.getText(read.name), read.value);
    case 'loop':
      return isSameValue(loop.current(read.name), read.value);
    case 'element':
      return isSameValue(elementOf(lists.get(read.list), read.index), read.value);
    case 'length':
      return lists.get(read.list)?.elements.length === read.value;
    case 'all': {
      const elements = lists.get(read.list)?.elements;
      return elements?.length === read.value.length && elements.every((each, index) => each === read.value[index]);
    }
    default:
      try {
        state.enter();
        return truthy(read.evaluate(state.activation)) === read.value;
      } catch {
        return false;
      }
  }
}

export function elementOf(list: Sequence | undefined, index: number): Value | undefined {
  return list?.elements[index < 0 ? index + list.elements.length : index];
}
