// What is used of @huggingface/jinja, whose own types NodeNext cannot read (its imports have no extensions). The bundler
// puts that package in the place of `#jinja`.

declare module '#jinja' {
  interface Token {
    value: string;
    type: string;
  }
  interface Program {
    body: unknown[];
  }
  /** A value of a template. */
  interface RuntimeValue {
    type: string;
    value: unknown;
  }
  export class Environment {
    set(name: string, value: unknown): RuntimeValue;
  }
  export class Interpreter {
    constructor(environment: Environment);
    run(program: Program): RuntimeValue;
    evaluate(statement: object | undefined, environment: Environment): RuntimeValue;
  }
  export function tokenize(source: string, options?: { lstrip_blocks?: boolean; trim_blocks?: boolean }): Token[];
  export function parse(tokens: Token[]): Program;
}
