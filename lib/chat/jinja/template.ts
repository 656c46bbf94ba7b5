// Jinja templates, rendered like Python's Jinja2 3.1.6 in the sandbox in which transformers runs chat templates.
//
// A template is untrusted code: it sees only our values, no host objects, and its work is bounded (budget.ts). Source
// becomes tokens (lexer.ts), a tree (parser.ts) and closures (compile/), which operate on values with Python's types
// (values/). Characters follow Python 3.11, which has Unicode 14.0.

import { toValue } from '../data.js';
import { Context, currentPosition, setPosition } from './activation.js';
import { drained, type Work } from '../../base/time-slices.js';
import { begin, end, type Limits, limitsFor, suspend } from './budget.js';
import { Compiler, type SteppedBody } from './compile/statements.js';
import { kindOf, PythonError, TemplateError } from './template-errors.js';
import { globalsAt } from './globals.js';
import { lineAndColumn, normalizedSource } from './lexer.js';
import type { Statement } from './nodes.js';
import { parseTemplate } from './parser.js';
import type { Value } from './values/object.js';
import { CALLER, TEMPLATE } from './values/origin.js';
import { Str, TextBuilder } from './values/text.js';

export type { Limits } from './budget.js';
export { ChatError, type ErrorKind, TemplateError } from './template-errors.js';
export type { Value } from './values/object.js';
export { CALLER, TEMPLATE } from './values/origin.js';

export interface RenderOptions {
  /** The date that `strftime_now` writes, in local time. Default: now. */
  date?: Date | undefined;
  /** The size of the input, in UTF-16 units: limits grow with it. Default 0. */
  size?: number | undefined;
  limits?: Partial<Limits> | undefined;
}

/** A rendered template, and who wrote which part of the text. */
export interface Rendered {
  text: string;
  /** Start and end of each run of text that the template wrote, in UTF-16 units, ascending and not adjacent. */
  ranges: Uint32Array;
  /** The end of each run of one origin, in UTF-16 units; together the runs cover the text. */
  ends: Uint32Array;
  /** The origin of each run: the index of a message, TEMPLATE, or CALLER for tools, documents and variables. */
  origins: Int32Array;
  /** Start and end of each `{% generation %}` in the text, in UTF-16 units, as transformers computes them. */
  generation: Uint32Array;
}

type Variables = ReadonlyMap<string, Value> | Readonly<Record<string, unknown>>;

/** A parsed template, which can be rendered any number of times. */
export class Template {
  constructor(
    private readonly source: string,
    private readonly tree: readonly Statement[],
    private readonly body: SteppedBody,
  ) {}

  /** The template's own texts: between its tags, and in its string literals. */
  literals(): string[] {
    const texts = new Set<string>();
    const see = (value: unknown): void => {
      if (Array.isArray(value)) for (const each of value) see(each);
      if (typeof value !== 'object' || value === null || value instanceof Str) return;
      const node = value as { kind?: string; text?: unknown; value?: unknown };
      if (node.kind === 'data') texts.add(node.text as string);
      else if (node.kind !== 'constant') for (const child of Object.values(node)) see(child);
      else if (node.value instanceof Str) texts.add(node.value.text);
    };
    see(this.tree);
    return [...texts];
  }

  /** Whether a name, or any text, occurs in the source. */
  mentions(text: string): boolean {
    return this.source.includes(text);
  }

  /** Whether it marks the assistant's text, with `{% generation %}`. */
  get marksGeneration(): boolean {
    return /\{%-?\s*generation\s*-?%\}/.test(this.source);
  }

  /** `variables`: by name, either values (also as a dict), or the caller's plain JavaScript data. Throws a TemplateError. */
  render(variables: Variables, options?: RenderOptions): Rendered {
    return drained(this.rendering(variables, options));
  }

  /** The same in steps, with pauses in the template's own loops. */
  *rendering(variables: Variables, { date, size = 0, limits }: RenderOptions = {}): Work<Rendered> {
    const values = variables instanceof Map ? (variables as ReadonlyMap<string, Value>) : valuesOf(variables);
    const globals = globalsAt(() => date ?? new Date());
    const root = new TextBuilder();
    const context = new Context(values, globals, root);
    let position = 0;
    let resume = () => begin(limitsFor(size, limits));
    let steps: ReturnType<SteppedBody> | undefined;
    for (let isDone: boolean | undefined = false; !isDone; ) {
      if (steps) yield;
      resume();
      setPosition(position);
      try {
        steps ??= this.body(context, root);
        isDone = steps.next().done;
        position = currentPosition();
        resume = suspend();
      } catch (error) {
        throw this.#located(error);
      } finally {
        end();
      }
    }
    return renderedOf(root, context.generation);
  }

  /** Adds line and column to an error. */
  #located(error: unknown): unknown {
    const { line, column } = lineAndColumn(this.source, currentPosition());
    if (error instanceof PythonError) {
      return new TemplateError(error.message, kindOf(error), error.pythonType, line, column, { cause: error });
    }
    // The host's stack is the final limit of recursion.
    if (error instanceof RangeError) {
      return new TemplateError('maximum recursion depth exceeded', 'budget', 'RecursionError', line, column, { cause: error });
    }
    return error;
  }
}

function valuesOf(variables: object): Map<string, Value> {
  const defined = Object.entries(variables).filter(([, data]) => data !== undefined);
  return new Map(defined.map(([name, data]) => [name, toValue(data, CALLER, name)]));
}

function renderedOf({ text, runs }: TextBuilder, generation: readonly number[]): Rendered {
  const { count } = runs;
  const ends = new Uint32Array(count);
  const origins = new Int32Array(count);
  // No two runs of the template are neighbours.
  const ranges = new Uint32Array(count + 1);
  let last = 0;
  for (let run = 0, from = 0; run < count; run++) {
    const end = runs.end(run);
    ends[run] = end;
    origins[run] = runs.origin(run);
    if (origins[run] === TEMPLATE) {
      ranges[last++] = from;
      ranges[last++] = end;
    }
    from = end;
  }
  return { text, ranges: ranges.slice(0, last), ends, origins, generation: Uint32Array.from(generation) };
}

/** Parses a template. Throws a TemplateError of kind `syntax` if Jinja2 or Python would refuse to compile it. */
export function compileTemplate(source: string): Template {
  const normalized = normalizedSource(source);
  try {
    const tree = parseTemplate(normalized);
    return new Template(normalized, tree, new Compiler(normalized).template(tree));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TemplateError('the template is nested too deeply', 'syntax', 'RecursionError', 1, 1, { cause: error });
  }
}
