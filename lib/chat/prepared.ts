// What a chat is rendered with: harmony, or a template, which is the request's or the vocabulary's. Errors of templates become
// errors of the package here.

import { quotedName, TokenizerError } from '../base/errors.js';
import { drained, type Work } from '../base/time-slices.js';
import type { EngineTokenizer } from '../engine/engine.js';
import { type ChatCall, type ChatRequest, NO_TEMPLATE, type OwnTemplates, type PreparedChat } from '../api/chat-options.js';
import { applyingTemplate, type ChatInput, chatInput } from './apply.js';
import { speaksHarmony } from './harmony/harmony-chat.js';
import { ChatError, compileTemplate, type Rendered, type Template, TemplateError } from './jinja/template.js';

/** A chat with its template, ready to render. */
export interface Prepared {
  /** The template's name, for errors. */
  name: string;
  template: Template;
  input: ChatInput;
  rendering(): Work<Rendered>;
}

/** Whether harmony replaces a template. */
export function isHarmony({ request, templates: { templates, problem }, specialIds }: ChatCall): boolean {
  const { template, harmony } = request;
  if (template === undefined && !problem && Object.keys(templates).length === 0 && speaksHarmony(specialIds)) return true;
  if (harmony !== undefined) {
    throw new TypeError('`harmony` must be left out for a chat with a template: its options are for the vocabulary of gpt-oss without one');
  }
  return false;
}

export function* preparing({ request, templates }: Pick<ChatCall, 'request' | 'templates'>): Work<Prepared> {
  const { text, name } = templateFor(request, templates);
  const template = explained(text, name, () => compiled(text, name));
  const input = yield* explainedSteps(text, name, chatInput(request.messages, { ...request, ownVariables: templates.variables }));
  return { name, template, input, rendering: () => explainedSteps(text, name, applyingTemplate(input, { ...request, template })) };
}

/** The same at once, for drop-ins. */
export function prepared(request: ChatRequest, templates: OwnTemplates): PreparedChat {
  const { template, rendering } = drained(preparing({ request, templates }));
  return { template, render: () => drained(rendering()) };
}

/** A text without a brace, a space or other signs is a name: as a template it would be the same word for every chat. */
const NAME = /^[\w.-]+$/;
/** Published templates have up to 20,000 characters. */
const LONGEST_TEMPLATE = 1 << 20;
/** The most recently used templates: a program has one or two. */
const known = new Map<string, Template>();
const MOST_KNOWN = 8;

export function compiled(text: string, name: string): Template {
  let template = known.get(text);
  if (template) {
    // Behind all others, which go before it.
    known.delete(text);
    known.set(text, template);
    return template;
  }
  if (text.length > LONGEST_TEMPLATE) {
    const message = `cannot read ${name}: a template must have at most ${LONGEST_TEMPLATE} characters; this one has ${text.length}`;
    throw new TokenizerError(message, { code: 'INVALID_TEMPLATE', position: 0 });
  }
  template = compileTemplate(text);
  if (known.size === MOST_KNOWN) known.delete(known.keys().next().value as string);
  known.set(text, template);
  return template;
}

/** The template that the request names or contains, or that Hugging Face would choose. */
export function templateFor({ template, tools }: ChatRequest, { templates, problem }: OwnTemplates): { text: string; name: string } {
  const names = Object.keys(templates);
  const has = (name: string) => Object.hasOwn(templates, name);
  const named = (name: string) => ({ text: templates[name] as string, name: `the chat template ${quotedName(name)}` });
  if (template !== undefined) {
    if (has(template)) return named(template);
    if (!NAME.test(template)) return { text: template, name: 'the chat template' };
    if (problem) throw new TokenizerError(problem.message, problem);
    const there = names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`;
    throw invalid(`no chat template has the name ${quotedName(template)} (${there}); a template itself is more than one word`);
  }
  if (tools !== null && has('tool_use')) return named('tool_use');
  if (has('default')) return named('default');
  if (problem) throw new TokenizerError(problem.message, problem);
  if (names.length > 0) throw invalid(`expected the option template to be one of ${names.join(', ')}: none of them is the default`);
  throw invalid(
    `${NO_TEMPLATE}: pass one as the option template, or load the tokenizer.json of a model with its ` +
      'tokenizer_config.json or chat_template.jinja beside it, or in the option tokenizerConfig',
  );
}

const controls = new WeakMap<Template, WeakMap<EngineTokenizer, Uint32Array>>();

/** The control tokens of a template besides the special ones: the added tokens in its own text, except white space. */
export function controlTokens(template: Template, engine: EngineTokenizer): Uint32Array {
  let ofEngine = controls.get(template);
  if (!ofEngine) controls.set(template, (ofEngine = new WeakMap<EngineTokenizer, Uint32Array>()));
  let control = ofEngine.get(engine);
  if (!control) {
    const literals = template.literals().join('\0');
    const added = engine
      .describe()
      .addedTokens.filter((token) => !token.special && token.text.trim() !== '' && literals.includes(token.text));
    ofEngine.set(engine, (control = Uint32Array.from(added, ({ id }) => id)));
  }
  return control;
}

export function invalid(message: string): TokenizerError {
  return new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
}

/** Runs code that parses or renders a template. `name`: the template's, for errors. */
export function explained<Result>(template: string, name: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw explanationOf(error, template, name);
  }
}

function* explainedSteps<Result>(template: string, name: string, work: Work<Result>): Work<Result> {
  try {
    return yield* work;
  } catch (error) {
    throw explanationOf(error, template, name);
  }
}

function explanationOf(cause: unknown, template: string, name: string): unknown {
  if (cause instanceof ChatError) return new TokenizerError(cause.message, { code: 'TEMPLATE_REFUSED' }, { cause });
  if (!(cause instanceof TemplateError)) return cause;
  const { message, kind, line, column, pythonType } = cause;
  const location = `at line ${line}, column ${column}`;
  // The template's own message, from raise_exception.
  if (pythonType === 'TemplateError') {
    const why = message.trim() || `an exception without a message ${location}`;
    const what = `${name} refuses this chat: ${why}. Change the messages as it asks, or pass another template`;
    return new TokenizerError(what, { code: 'TEMPLATE_REFUSED' }, { cause });
  }
  const position = positionOf(template, line, column);
  if (kind === 'syntax') {
    return new TokenizerError(
      `cannot read ${name}: ${message} ${location}. Expected a template in Jinja, as chat_template of tokenizer_config.json`,
      { code: 'INVALID_TEMPLATE', position },
      { cause },
    );
  }
  const isBudget = kind === 'budget';
  const advice = isBudget
    ? 'this is more than any chat needs'
    : pythonType === 'NotImplementedError'
      ? 'write the template without it'
      : 'look at what it reads of messages, tools and variables';
  return new TokenizerError(
    `cannot render ${name}: ${message} (${pythonType}) ${location}; ${advice}`,
    { code: isBudget ? 'CHAT_BUDGET' : 'INVALID_TEMPLATE', position },
    { cause },
  );
}

/** The position in UTF-16 units of a line and column, both counted from 1. */
function positionOf(text: string, line: number, column: number): number {
  const breaks = /\r\n?|\n/g;
  for (let at = 1; at < line && breaks.exec(text); at++);
  return Math.min(breaks.lastIndex + column - 1, text.length);
}
