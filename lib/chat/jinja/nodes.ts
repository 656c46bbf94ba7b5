// The tree of a template.

import type { BinaryOperator } from './values/operators.js';
import type { Value } from './values/object.js';

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

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

export interface Name extends Node {
  kind: 'name';
  name: string;
}
/** `namespace.attribute` as the target of an assignment. */
export interface NamespaceTarget extends Node {
  kind: 'namespace target';
  name: string;
  attribute: string;
}
export interface Constant extends Node {
  kind: 'constant';
  value: Value;
}
export interface TupleNode extends Node {
  kind: 'tuple';
  items: Expression[];
}
export interface SliceNode extends Node {
  kind: 'slice';
  start: Expression | undefined;
  stop: Expression | undefined;
  step: Expression | undefined;
}
export interface CallNode extends Node, CallArguments {
  kind: 'call';
  callee: Expression;
}
export interface FilterNode extends Node, CallArguments {
  kind: 'filter';
  name: string;
  /** Undefined if a block's content is assigned. */
  value: Expression | undefined;
}
export interface TestNode extends Node, CallArguments {
  kind: 'test';
  name: string;
  value: Expression;
}

export type Expression =
  | Name
  | NamespaceTarget
  | Constant
  | TupleNode
  | SliceNode
  | CallNode
  | FilterNode
  | TestNode
  | (Node & { kind: 'list'; items: Expression[] })
  | (Node & { kind: 'dict'; entries: { key: Expression; value: Expression }[] })
  | (Node & { kind: 'condition'; test: Expression; then: Expression; otherwise: Expression | undefined })
  | (Node & { kind: 'and' | 'or'; left: Expression; right: Expression })
  | (Node & { kind: 'not' | 'negative' | 'positive'; value: Expression })
  | (Node & { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression })
  | (Node & { kind: 'concat'; items: Expression[] })
  | (Node & { kind: 'compare'; first: Expression; rest: { operator: Comparison; value: Expression }[] })
  | (Node & { kind: 'attribute'; value: Expression; name: string })
  | (Node & { kind: 'item'; value: Expression; key: Expression });

export type Target = Name | NamespaceTarget | TupleNode;

export interface Data extends Node {
  kind: 'data';
  text: string;
}
export interface Output extends Node {
  kind: 'output';
  items: (Expression | Data)[];
}
export interface If extends Node {
  kind: 'if';
  branches: { at: number; test: Expression; body: Statement[] }[];
  otherwise: Statement[];
}
export interface For extends Node {
  kind: 'for';
  target: Target;
  over: Expression;
  test: Expression | undefined;
  isRecursive: boolean;
  body: Statement[];
  otherwise: Statement[];
}
export interface Parameters {
  names: string[];
  /** For the last parameters. */
  defaults: Expression[];
}
export interface Macro extends Node, Parameters {
  kind: 'macro';
  name: string;
  body: Statement[];
}
export interface CallBlock extends Node, Parameters {
  kind: 'call block';
  call: CallNode;
  body: Statement[];
}
export interface Block extends Node {
  kind: 'block';
  name: string;
  isScoped: boolean;
  isRequired: boolean;
  body: Statement[];
}
export interface With extends Node {
  kind: 'with';
  targets: Target[];
  values: Expression[];
  body: Statement[];
}

export type Statement =
  | Output
  | If
  | For
  | Macro
  | CallBlock
  | Block
  | With
  | (Node & { kind: 'set'; target: Target; value: Expression })
  | (Node & { kind: 'set block'; target: Target; filter: FilterNode | undefined; body: Statement[] })
  | (Node & { kind: 'filter block'; filter: FilterNode; body: Statement[] })
  | (Node & { kind: 'autoescape'; value: Expression; body: Statement[] })
  | (Node & { kind: 'generation'; body: Statement[] })
  | (Node & { kind: 'break' | 'continue' })
  /** `extends`, `include` and `import`: there are no other templates to load. */
  | (Node & { kind: 'other template'; template: Expression; names: string[] });
