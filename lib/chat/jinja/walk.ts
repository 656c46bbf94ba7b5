// The names in a tree, in the order in which Jinja visits them.

import type { Block, CallArguments, Expression, Statement } from './nodes.js';

/** How a name is used: read, assigned to, or declared as a parameter. */
export type NameUse = 'load' | 'store' | 'param';

export interface Visitor {
  name(name: string, use: NameUse, at: number): void;
  /** Whether to look into a block. */
  block(node: Block): boolean;
}

export function walkAll(statements: readonly Statement[], visitor: Visitor): void {
  for (const each of statements) walk(each, visitor);
}

function walkExpressions(list: readonly Expression[], visitor: Visitor): void {
  for (const each of list) walkExpression(each, visitor);
}

function walk(node: Statement, visitor: Visitor): void {
  switch (node.kind) {
    case 'output':
      for (const item of node.items) if (item.kind !== 'data') walkExpression(item, visitor);
      break;
    case 'if':
      for (const { test, body } of node.branches) {
        walkExpression(test, visitor);
        walkAll(body, visitor);
      }
      walkAll(node.otherwise, visitor);
      break;
    case 'for':
      walkExpression(node.target, visitor, 'store');
      walkExpression(node.over, visitor);
      walkAll(node.body, visitor);
      walkAll(node.otherwise, visitor);
      if (node.test) walkExpression(node.test, visitor);
      break;
    case 'set':
      walkExpression(node.target, visitor, 'store');
      walkExpression(node.value, visitor);
      break;
    case 'set block':
      walkExpression(node.target, visitor, 'store');
      if (node.filter) walkExpression(node.filter, visitor);
      walkAll(node.body, visitor);
      break;
    case 'filter block':
      walkAll(node.body, visitor);
      walkExpression(node.filter, visitor);
      break;
    case 'call block':
    case 'macro':
      if (node.kind === 'call block') walkExpression(node.call, visitor);
      for (const name of node.names) visitor.name(name, 'param', node.at);
      walkExpressions(node.defaults, visitor);
      walkAll(node.body, visitor);
      break;
    case 'with':
      for (const target of node.targets) walkExpression(target, visitor, 'param');
      walkExpressions(node.values, visitor);
      walkAll(node.body, visitor);
      break;
    case 'block':
      if (visitor.block(node)) walkAll(node.body, visitor);
      break;
    case 'generation':
      walkAll(node.body, visitor);
      break;
    default:
  }
}

/** `use`: for the names themselves, if the expression is a target. */
export function walkExpression(node: Expression, visitor: Visitor, use: NameUse = 'load'): void {
  if (node.kind === 'name') return visitor.name(node.name, use, node.at);
  if (node.kind === 'namespace target') return visitor.name(node.name, 'load', node.at);
  for (const child of childrenOf(node)) if (child) walkExpression(child, visitor, use);
}

/** The direct subexpressions. */
function childrenOf(node: Expression): readonly (Expression | undefined)[] {
  switch (node.kind) {
    case 'tuple':
    case 'list':
    case 'concat':
      return node.items;
    case 'dict':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'slice':
      return [node.start, node.stop, node.step];
    case 'call':
      return [node.callee, ...argumentsOf(node)];
    case 'filter':
    case 'test':
      return [node.value, ...argumentsOf(node)];
    case 'condition':
      return [node.test, node.then, node.otherwise];
    case 'and':
    case 'or':
    case 'binary':
      return [node.left, node.right];
    case 'not':
    case 'negative':
    case 'positive':
    case 'attribute':
      return [node.value];
    case 'compare':
      return [node.first, ...node.rest.map(({ value }) => value)];
    case 'item':
      return [node.value, node.key];
    default:
      return [];
  }
}

function argumentsOf({ args, keywords, moreArgs, moreKeywords }: CallArguments): (Expression | undefined)[] {
  return [...args, ...keywords.map(({ value }) => value), moreArgs, moreKeywords];
}

/** The names that are read before anything is assigned to them. */
export function undeclared(statements: readonly Statement[], names: readonly string[]): Set<string> {
  const open = new Set(names);
  const found = new Set<string>();
  walkAll(statements, {
    name(name, use) {
      if (use === 'load' && open.has(name)) found.add(name);
      else open.delete(name);
    },
    block: () => false,
  });
  return found;
}
