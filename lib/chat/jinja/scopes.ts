// Resolves names to variables.
//
// Jinja compiles a template to Python, where each scope has its own variables. A name that a scope reads but does not assign is
// a variable of the enclosing scope, or is looked up in the context when the scope is entered. Scopes of one Python function
// (the template, a macro, a recursive loop) share its frame. The rules follow jinja2.idtracking, since templates depend on
// them: an assignment in a loop is gone after it, and a macro sees later assignments.

import { type Expression, type If, type NameUse, type Statement, walk } from './nodes.js';

/** A Python function: the variables of a call. */
export class FunctionScope {
  /** By level and name. */
  readonly #variables: Map<string, Variable>[] = [];
  size = 0;

  constructor(readonly outer: FunctionScope | undefined) {}

  variable(level: number, name: string): Variable {
    const ofLevel = (this.#variables[level] ??= new Map());
    let variable = ofLevel.get(name);
    if (!variable) ofLevel.set(name, (variable = { scope: this, slot: this.size++ }));
    return variable;
  }
}

export interface Variable {
  readonly scope: FunctionScope;
  readonly slot: number;
}

/** The initial value of a variable when its scope is entered. */
export type Load =
  /** Set by the code that enters the scope. */
  { kind: 'param' } | { kind: 'resolve'; name: string } | { kind: 'alias'; of: Variable } | { kind: 'undefined' };

export class Scope {
  readonly #variables = new Map<string, Variable>();
  readonly loads = new Map<Variable, Load>();
  readonly #stores = new Set<string>();
  readonly #level: number;

  /** `base`: the scope of which this is a branch, in addition to that scope's own names. */
  constructor(
    readonly owner: FunctionScope,
    readonly parent: Scope | undefined,
    private readonly base?: Scope,
  ) {
    this.#level = parent ? parent.#level + 1 : 0;
  }

  /** An inner scope, of the same function or of another. */
  inner(owner = this.owner): Scope {
    return new Scope(owner, this);
  }

  /** A variable of this scope itself. */
  #variable(name: string): Variable | undefined {
    return this.#variables.get(name) ?? (this.base ? this.base.#variable(name) : undefined);
  }

  #hasStored(name: string): boolean {
    return this.#stores.has(name) || (this.base ? this.base.#hasStored(name) : false);
  }

  find(name: string): Variable | undefined {
    return this.#variable(name) ?? this.parent?.find(name);
  }

  #define(name: string, load: Load): Variable {
    const variable = this.owner.variable(this.#level, name);
    this.#variables.set(name, variable);
    this.loads.set(variable, load);
    return variable;
  }

  declare(name: string): Variable {
    this.#stores.add(name);
    return this.#define(name, { kind: 'param' });
  }

  #load(name: string): void {
    if (!this.find(name)) this.#define(name, { kind: 'resolve', name });
  }

  #store(name: string): void {
    this.#stores.add(name);
    if (this.#variable(name)) return;
    const outer = this.parent?.find(name);
    this.#define(name, outer ? { kind: 'alias', of: outer } : { kind: 'undefined' });
  }

  /** Records the names in an expression. */
  expression(node: Expression | undefined, use: NameUse = 'load'): void {
    if (node) walk(node, (name, use) => this.#see(name, use), use);
  }

  #see(name: string, use: NameUse): void {
    if (use === 'param') this.declare(name);
    else if (use === 'store') this.#store(name);
    else this.#load(name);
  }

  statements(list: readonly Statement[]): void {
    for (const each of list) this.#statement(each);
  }

  /** Does not descend into statements with their own scopes. */
  #statement(node: Statement): void {
    switch (node.kind) {
      case 'output':
        for (const item of node.items) if (item.kind !== 'data') this.expression(item);
        break;
      case 'if':
        this.#branches(node.branches, node.otherwise);
        break;
      case 'for':
        this.expression(node.over);
        break;
      case 'set':
        this.expression(node.value);
        this.expression(node.target, 'store');
        break;
      case 'set block':
        this.expression(node.target, 'store');
        break;
      case 'filter block':
        this.expression(node.filter);
        break;
      case 'macro':
        this.#store(node.name);
        break;
      case 'call block':
        this.expression(node.call);
        break;
      case 'with':
        for (const value of node.values) this.expression(value);
        break;
      default:
    }
  }

  /** A name assigned in one branch keeps its previous value in the others. */
  #branches([first, ...others]: If['branches'], otherwise: readonly Statement[]): void {
    this.expression(first?.test);
    const branch = (fill: (scope: Scope) => void) => {
      const scope = new Scope(this.owner, this.parent, this);
      fill(scope);
      return scope;
    };
    const all = [branch((scope) => scope.statements(first?.body ?? []))];
    if (others.length > 0) {
      all.push(
        branch((scope) => {
          for (const other of others) scope.#branches([other], []);
        }),
      );
    }
    if (otherwise.length > 0) all.push(branch((scope) => scope.statements(otherwise)));
    this.#update(all);
  }

  #update(branches: readonly Scope[]): void {
    const stores = new Set<string>();
    for (const branch of branches) for (const name of branch.#stores) if (!this.#hasStored(name)) stores.add(name);
    for (const branch of branches) {
      for (const [name, variable] of branch.#variables) this.#variables.set(name, variable);
      for (const [variable, load] of branch.loads) this.loads.set(variable, load);
      for (const name of branch.#stores) this.#stores.add(name);
    }
    for (const name of stores) {
      const outer = this.parent?.find(name);
      this.loads.set(this.find(name) as Variable, outer ? { kind: 'alias', of: outer } : { kind: 'resolve', name });
    }
  }
}
