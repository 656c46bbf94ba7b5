// What the tree of a template tells about its loops, before anything runs.

import type { Expression, Macro, Statement } from '../nodes.js';
import type { LoopCode } from '../runtime/memory.js';
import type { Activation } from '../runtime/activation.js';
import { Str } from '../values/str.js';
import type { Value } from '../values/object.js';
import { childrenOf, walkAll } from '../walk.js';

/** A template's macros, and whether anything in it is beyond the records of a render. */
export interface TemplateFacts {
  readonly isTraceable: boolean;
  /** All names in the macros. */
  readonly macroNames: ReadonlySet<string>;
}

/** Blocks see variables by name, and autoescaping is a state that records do not have. */
const UNTRACEABLE = new Set(['block', 'autoescape', 'other template']);

export function factsOf(statements: readonly Statement[]): TemplateFacts {
  const nodes = nodesIn(statements);
  const macros = nodes.filter((node): node is Macro => node.kind === 'macro');
  return {
    isTraceable: !nodes.some(({ kind }) => UNTRACEABLE.has(kind)),
    macroNames: namesIn(macros).all,
  };
}

/** Reads the value of a variable around a loop. */
type Reader = (activation: Activation) => Value | undefined;

export interface LoopFacts {
  readonly isTraceable: boolean;
  /** Everything around the loop that its body can read, by name. */
  readonly outer: readonly { name: string; read: Reader }[];
  /** The names that iterations assign. */
  readonly assigned: ReadonlySet<string>;
}

export function loopFacts({ node, frame }: LoopCode, { isTraceable, macroNames }: TemplateFacts): LoopFacts {
  const { all, assigned } = namesIn(node.body);
  const targets = namesIn([{ ...node, body: [], otherwise: [] }]).assigned;
  for (const name of macroNames) all.add(name);
  const outer = [...all]
    .filter((name) => name !== 'loop' && !(targets.has(name) && !macroNames.has(name)))
    .map((name): { name: string; read: Reader } => {
      const variable = frame.scope.find(name);
      return { name, read: variable ? frame.reader(variable) : ({ context }) => context.resolve(name) };
    });
  return {
    isTraceable: isTraceable && !all.has('self') && !all.has('super') && isOrdinary(nodesIn(node.body)),
    outer,
    assigned,
  };
}

/** No macros, whose variables are the iteration's, and of `loop` only attributes. */
function isOrdinary(nodes: readonly AnyNode[]): boolean {
  let loops = 0;
  for (const node of nodes) {
    if (node.kind === 'macro') return false;
    if (node.kind === 'name' && node.name === 'loop') loops++;
    if (node.kind === 'attribute' && node.value.kind === 'name' && node.value.name === 'loop') loops--;
  }
  return loops === 0;
}

/** Whether an expression has the same value throughout an iteration, unless a namespace changes: it can be computed at its start. */
export function isSteady(node: Expression, assigned: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case 'constant':
      return true;
    case 'name':
      return !assigned.has(node.name);
    case 'attribute':
    case 'negative':
    case 'not':
    case 'item':
    case 'binary':
    case 'compare':
      return childrenOf(node).every((child) => child === undefined || (child.kind !== 'slice' && isSteady(child, assigned)));
    case 'filter':
      return isLength(node) && isSteady(node.value as Expression, assigned);
    default:
      return false;
  }
}

function isLength(node: Expression): boolean {
  return (
    node.kind === 'filter' &&
    (node.name === 'length' || node.name === 'count') &&
    node.value !== undefined &&
    node.args.length + node.keywords.length === 0 &&
    !node.moreArgs &&
    !node.moreKeywords
  );
}

const COUNTS = new Set(['index', 'index0', 'revindex', 'revindex0', 'length', 'depth', 'depth0']);

/**
 * Whether an expression is whole numbers that only grow or shrink by others, so that computing it never fails: of `loop`,
 * and of the lengths of `lists`.
 */
export function isCount(node: Expression, isList: (name: string) => boolean): boolean {
  switch (node.kind) {
    case 'constant':
      return typeof node.value === 'number';
    case 'negative':
      return isCount(node.value, isList);
    case 'binary':
      return (node.operator === '+' || node.operator === '-') && isCount(node.left, isList) && isCount(node.right, isList);
    case 'attribute':
      return node.value.kind === 'name' && node.value.name === 'loop' && COUNTS.has(node.name);
    case 'filter':
      return isLength(node) && node.value?.kind === 'name' && isList(node.value.name);
    default:
      return false;
  }
}

function namesIn(statements: readonly Statement[]): { all: Set<string>; assigned: Set<string> } {
  const [all, assigned] = [new Set<string>(), new Set<string>()];
  walkAll(statements, {
    name(name, use) {
      all.add(name);
      if (use !== 'load') assigned.add(name);
    },
    block: () => true,
  });
  return { all, assigned };
}

type AnyNode = Statement | Expression;

/** All nodes in a tree. */
function nodesIn(tree: unknown, found: AnyNode[] = []): AnyNode[] {
  if (Array.isArray(tree)) for (const each of tree) nodesIn(each, found);
  else if (typeof tree === 'object' && tree !== null && !(tree instanceof Str)) {
    if ('kind' in tree) found.push(tree as AnyNode);
    if (!('kind' in tree && tree.kind === 'constant')) for (const child of Object.values(tree)) nodesIn(child, found);
  }
  return found;
}
