// The names in a tree, in the order in which Jinja visits them: that of the members of each node, as the parser makes them.

import type { Block, Expression, Statement } from './nodes.js';

/** How a name is used: read, assigned to, or declared as a parameter. */
export type NameUse = 'load' | 'store' | 'param';

export interface Visitor {
  name(name: string, use: NameUse, at: number): void;
  /** Whether to look into a block; false without this. */
  block?(node: Block): boolean;
}

type Members = Record<string, unknown> & { kind?: string; name: string; names: readonly string[]; at: number };

/** `use`: of the names themselves, if it is a target. */
export function walk(tree: readonly Statement[] | Expression, visitor: Visitor, use: NameUse = 'load'): void {
  visit(tree, visitor, use);
}

function visit(value: unknown, visitor: Visitor, use: NameUse): void {
  if (Array.isArray(value)) for (const each of value) visit(each, visitor, use);
  else if (typeof value === 'object' && value !== null) visitNode(value as Members, visitor, use);
}

function visitNode(node: Members, visitor: Visitor, use: NameUse): void {
  const { kind, name, at } = node;
  if (kind === 'name') return visitor.name(name, use, at);
  if (kind === 'namespace target') return visitor.name(name, 'load', at);
  if (kind === 'constant' || (kind === 'block' && !visitor.block?.(node as unknown as Block))) return;
  for (const member in node) {
    if (member === 'names') for (const parameter of node.names) visitor.name(parameter, 'param', at);
    else visit(node[member], visitor, member === 'target' ? 'store' : member === 'targets' ? 'param' : use);
  }
}

/** The names that are read before anything is assigned to them. */
export function undeclared(statements: readonly Statement[], names: readonly string[]): Set<string> {
  const open = new Set(names);
  const found = new Set<string>();
  walk(statements, {
    name(name, use) {
      if (use === 'load' && open.has(name)) found.add(name);
      else open.delete(name);
    },
  });
  return found;
}
