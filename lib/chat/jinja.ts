// Renders a template of Jinja: the only file that uses @huggingface/jinja (`#jinja`), which is what Hugging Face's own library for
// JavaScript renders with, and the dialect that the templates of models are written in.
//
// A template is a program by others, so it gets plain data alone, no object of the host, and its work is bounded: so many
// steps, and no value that is larger than any prompt. What is beyond is refused, after some seconds at worst.

import { Environment, Interpreter, parse, tokenize } from '#jinja';

import { TokenizerError } from '../tokenizer/errors.js';

/** Those of a loop take up to 5 µs each (November 2026). Published templates take some 100 for a message or tool. */
const MOST_STEPS = 200_000;
const MOST_STEPS_EACH = 1000;
/** Of one string, in UTF-16 units, or of one list. */
const LONGEST_STRING = 1 << 28;
const LONGEST_LIST = 1 << 20;
/** Published ones have up to 20,000 characters. */
const LONGEST_TEMPLATE = 1 << 20;

type Program = ReturnType<typeof parse>;

/** What the template itself says with `raise_exception`. */
class Refusal extends Error {}
/** A bound that it passes. */
class Excess extends Error {}

class BoundedInterpreter extends Interpreter {
  #steps = 0;
  readonly #most: number;

  constructor(environment: Environment, most: number) {
    super(environment);
    this.#most = most;
  }

  override evaluate(...args: Parameters<Interpreter['evaluate']>): ReturnType<Interpreter['evaluate']> {
    if (++this.#steps > this.#most) throw new Excess(`more than ${this.#most} steps`);
    const result = super.evaluate(...args);
    const value: unknown = result?.value;
    if (typeof value === 'string' && value.length > LONGEST_STRING) throw new Excess(`a text of more than ${LONGEST_STRING} characters`);
    if (Array.isArray(value) && value.length > LONGEST_LIST) throw new Excess(`a list of more than ${LONGEST_LIST} elements`);
    return result;
  }
}

/** Those that have been used last: a program has one or two. */
const parsed = new Map<string, Program>();
const MOST_PARSED = 8;

/** What to render: `name` is that of the template, for errors, and `size` how many messages, tools and documents there are. */
export interface Rendering {
  text: string;
  name: string;
  variables: Record<string, unknown>;
  size: number;
  date: Date | undefined;
}

/** The text that a template makes of its variables. */
export function renderTemplate({ text, name, variables, size, date }: Rendering): string {
  const program = programOf(text, name);
  const environment = new Environment();
  const all = { ...globals(date), ...variables };
  for (const [variable, value] of Object.entries(all)) environment.set(variable, value);
  try {
    return new BoundedInterpreter(environment, MOST_STEPS + MOST_STEPS_EACH * size).run(program).value as string;
  } catch (cause) {
    const { message } = cause as Error;
    if (cause instanceof Refusal) {
      const what = `${name} refuses this chat: ${message}. Change the messages as it says, or pass another template`;
      throw new TokenizerError(what, { code: 'TEMPLATE_REFUSED' }, { cause });
    }
    const advice = cause instanceof Excess ? 'this is more than any chat needs' : 'look at what it reads of messages, tools and variables';
    throw new TokenizerError(`cannot render ${name}: ${message}; ${advice}`, { code: 'INVALID_TEMPLATE' }, { cause });
  }
}

function programOf(template: string, name: string): Program {
  let program = parsed.get(template);
  if (program) return program;
  if (template.length > LONGEST_TEMPLATE) {
    const message = `cannot read ${name}: it has ${template.length} characters, and at most ${LONGEST_TEMPLATE} are read`;
    throw new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
  }
  try {
    // As Hugging Face does.
    program = parse(tokenize(template, { lstrip_blocks: true, trim_blocks: true }));
  } catch (cause) {
    const message = `cannot read ${name}: ${(cause as Error).message}. Expected a template in Jinja, as chat_template of tokenizer_config.json`;
    throw new TokenizerError(message, { code: 'INVALID_TEMPLATE', position: placeOf(template) }, { cause });
  }
  if (parsed.size === MOST_PARSED) parsed.delete(parsed.keys().next().value as string);
  parsed.set(template, program);
  return program;
}

/** Where the tag begins at which reading fails, since the parser does not say: it is asked again, and looked at. */
function placeOf(template: string): number {
  // In comments there is no tag.
  const source = template.replace(/\{#[^]*?#\}/g, (comment) => ' '.repeat(comment.length));
  const tags = Array.from(source.matchAll(/\{[{%]/g), ({ index }) => index);
  let tokens: ReturnType<typeof tokenize>;
  try {
    tokens = tokenize(source);
  } catch {
    return tags[readable(source, tags) - 1] ?? 0;
  }
  let last = 0;
  const watched = new Proxy(tokens, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) last = Math.max(last, Number(key));
      return Reflect.get(target, key) as unknown;
    },
  });
  try {
    parse(watched);
  } catch {
    const seen = tokens.slice(0, last + 1).filter(({ type }) => type === 'OpenStatement' || type === 'OpenExpression');
    return tags[seen.length - 1] ?? 0;
  }
  return 0;
}

/** How many tags there are up to the one that cannot be split into tokens. */
function readable(source: string, tags: readonly number[]): number {
  let good = 0;
  let bad = tags.length;
  while (good + 1 < bad) {
    const middle = (good + bad) >>> 1;
    if (canTokenize(source.slice(0, tags[middle]))) good = middle;
    else bad = middle;
  }
  return bad;
}

function canTokenize(text: string): boolean {
  try {
    tokenize(text);
    return true;
  } catch {
    return false;
  }
}

function globals(date: Date | undefined): Record<string, unknown> {
  return {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    range,
    strftime_now: (format: unknown) => strftime(date ?? new Date(), String(format)),
    raise_exception: (reason: unknown) => {
      throw new Refusal(String(reason));
    },
  };
}

/** Python's. */
function range(first: number, last?: number, step = 1): number[] {
  const [from, to] = last === undefined ? [0, first] : [first, last];
  const count = Math.ceil((to - from) / step);
  if (step === 0 || !Number.isFinite(count)) throw new Error('range expects integers, and a step that is not 0');
  if (count > LONGEST_LIST) throw new Excess(`a list of more than ${LONGEST_LIST} elements`);
  return Array.from({ length: Math.max(0, count) }, (_, index) => from + index * step);
}

/** The part of Python's that templates use, in English as there. */
function strftime(date: Date, format: string): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const inWords = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-US', options).format(date);
  const parts: Record<string, () => string> = {
    Y: () => String(date.getFullYear()),
    y: () => two(date.getFullYear() % 100),
    m: () => two(date.getMonth() + 1),
    d: () => two(date.getDate()),
    b: () => inWords({ month: 'short' }),
    B: () => inWords({ month: 'long' }),
    a: () => inWords({ weekday: 'short' }),
    A: () => inWords({ weekday: 'long' }),
    H: () => two(date.getHours()),
    I: () => two(date.getHours() % 12 || 12),
    p: () => (date.getHours() < 12 ? 'AM' : 'PM'),
    M: () => two(date.getMinutes()),
    S: () => two(date.getSeconds()),
    '%': () => '%',
  };
  return format.replace(/%([a-zA-Z%])/g, (all, letter: string) => parts[letter]?.() ?? all);
}
