// The tree of a template. `walk` visits its names in Jinja's order, which is the order in which the parser fills the members of a node.

import type { Value } from './values/object.js';
import type { BinaryOperator, Comparison } from './values/operators.js';

/** `at`: the position in the source, in UTF-16 units, whose line Jinja reports for the node. */
interface Node {
  readonly at: number;
}

/** The arguments of a call, a test or a filter. */
export interface CallArguments {
  args: Expression[];
  keywords: { name: string; value: Expression }[];
  /** `*args` and `**keywords` */
  moreArgs: Expression | undefined;
  moreKeywords: Expression | undefined;
}

export type Name = Node & { kind: 'name'; name: string };
/** `namespace.attribute` as the target of an assignment. */
export type NamespaceTarget = Node & { kind: 'namespace target'; name: string; attribute: string };
export type TupleNode = Node & { kind: 'tuple'; items: Expression[] };
export type Target = Name | NamespaceTarget | TupleNode;

type Part = Expression | undefined;
export type SliceNode = Node & { kind: 'slice'; start: Part; stop: Part; step: Part };
export type CallNode = Node & CallArguments & { kind: 'call'; callee: Expression };
/** `value`: undefined if a block's content is assigned. */
export type FilterNode = Node & CallArguments & { kind: 'filter'; name: string; value: Part };
export type TestNode = Node & CallArguments & { kind: 'test'; name: string; value: Expression };

export type Expression =
  | Target
  | SliceNode
  | CallNode
  | FilterNode
  | TestNode
  | (Node & { kind: 'constant'; value: Value })
  | (Node & { kind: 'list'; items: Expression[] })
  | (Node & { kind: 'dict'; entries: { key: Expression; value: Expression }[] })
  | (Node & { kind: 'condition'; test: Expression; then: Expression; otherwise: Part })
  | (Node & { kind: 'and' | 'or'; left: Expression; right: Expression })
  | (Node & { kind: 'not' | 'negative' | 'positive'; value: Expression })
  | (Node & { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression })
  | (Node & { kind: 'concat'; items: Expression[] })
  | (Node & { kind: 'compare'; first: Expression; rest: { operator: Comparison; value: Expression }[] })
  | (Node & { kind: 'attribute'; value: Expression; name: string })
  | (Node & { kind: 'item'; value: Expression; key: Expression });

export type Data = Node & { kind: 'data'; text: string };
export type Output = Node & { kind: 'output'; items: (Expression | Data)[] };
export type If = Node & { kind: 'if'; branches: { at: number; test: Expression; body: Statement[] }[]; otherwise: Statement[] };
export type For = Node & {
  kind: 'for';
  target: Target;
  over: Expression;
  body: Statement[];
  otherwise: Statement[];
  test: Part;
  isRecursive: boolean;
};
/** `defaults`: for the last parameters. */
export type Parameters = { names: string[]; defaults: Expression[] };
export type Macro = Node & Parameters & { kind: 'macro'; name: string; body: Statement[] };
export type CallBlock = Node & Parameters & { kind: 'call block'; call: CallNode; body: Statement[] };
export type With = Node & { kind: 'with'; targets: Target[]; values: Expression[]; body: Statement[] };
export type Assignment = Node & { kind: 'set'; target: Target; value: Expression };
export type SetBlock = Node & { kind: 'set block'; target: Target; filter: FilterNode | undefined; body: Statement[] };
export type FilterBlock = Node & { kind: 'filter block'; filter: FilterNode; body: Statement[] };
export type Generation = Node & { kind: 'generation'; body: Statement[] };

export type Statement =
  | Output
  | If
  | For
  | Macro
  | CallBlock
  | With
  | Assignment
  | SetBlock
  | FilterBlock
  | Generation
  | (Node & { kind: 'break' | 'continue' });

/** How a name is used: read, assigned to, or declared as a parameter. */
export type NameUse = 'load' | 'store' | 'param';

/** Is told of each name in a tree, and of the position in the source. */
export type SeeName = (name: string, use: NameUse, at: number) => void;

type Members = Record<string, unknown> & { kind?: string; name: string; names: readonly string[]; at: number };

/** `use`: of the names themselves, if it is a target. */
export function walk(tree: readonly Statement[] | Expression, see: SeeName, use: NameUse = 'load'): void {
  visit(tree, see, use);
}

function visit(value: unknown, see: SeeName, use: NameUse): void {
  if (Array.isArray(value)) for (const each of value) visit(each, see, use);
  else if (typeof value === 'object' && value !== null) visitNode(value as Members, see, use);
}

function visitNode(node: Members, see: SeeName, use: NameUse): void {
  const { kind, name, at } = node;
  if (kind === 'name') return see(name, use, at);
  if (kind === 'namespace target') return see(name, 'load', at);
  if (kind === 'constant') return;
  for (const member in node) {
    if (member === 'names') for (const parameter of node.names) see(parameter, 'param', at);
    else visit(node[member], see, member === 'target' ? 'store' : member === 'targets' ? 'param' : use);
  }
}

/** Those of the names that are read before anything is assigned to them, and where. */
export function undeclared(statements: readonly Statement[], names: readonly string[]): Map<string, number> {
  const open = new Set(names);
  const found = new Map<string, number>();
  walk(statements, (name, use, at) => {
    if (use === 'load' && open.has(name)) found.set(name, at);
    open.delete(name);
  });
  return found;
}
