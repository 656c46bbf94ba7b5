// What a chat is rendered with: harmony, or a template, which is the request's or the vocabulary's.

import { quotedName, TokenizerError, unexpected } from '../base/errors.js';
import { drained, type Work } from '../base/time-slices.js';
import type { EngineTokenizer } from '../engine/engine.js';
import { type ChatRequest, NO_TEMPLATE, type OwnTemplates, type PreparedChat } from '../api/chat-options.js';
import { applyingTemplate, type ChatInput, chatInput } from './apply.js';
import { explained, explainedSteps, missing } from './chat-errors.js';
import { speaksHarmony } from './harmony/harmony-chat.js';
import { compileTemplate, type Rendered, type Template } from './jinja/template.js';

/** A chat with its template, ready to render. */
export interface Prepared {
  /** The template's name, for errors. */
  name: string;
  template: Template;
  input: ChatInput;
  rendering(): Work<Rendered>;
}

/** Whether harmony replaces a template. */
export function isHarmony(
  { template, harmony }: ChatRequest,
  { templates, problem }: OwnTemplates,
  specialIds: ReadonlyMap<string, number>,
): boolean {
  if (template === undefined && !problem && Object.keys(templates).length === 0 && speaksHarmony(specialIds)) return true;
  if (harmony !== undefined)
    throw unexpected('nothing, since the chat has a template or its vocabulary is not the one of gpt-oss,', 'harmony', harmony);
  return false;
}

export function* preparing(request: ChatRequest, own: OwnTemplates): Work<Prepared> {
  const { text, name } = templateFor(request, own);
  const template = explained(text, name, () => compiled(text, name));
  const input = yield* explainedSteps(text, name, chatInput(request.messages, { ...request, ownVariables: own.variables }));
  return { name, template, input, rendering: () => explainedSteps(text, name, applyingTemplate(input, { ...request, template })) };
}

/** The same at once, for drop-ins. */
export function prepared(request: ChatRequest, own: OwnTemplates): PreparedChat {
  const { template, rendering } = drained(preparing(request, own));
  return { template, render: () => drained(rendering()) };
}

/** Published ones have up to 20,000 characters. */
const LONGEST_TEMPLATE = 1 << 20;
/** The most recently used templates: a program has one or two. */
const known = new Map<string, Template>();
const MOST_KNOWN = 8;

export function compiled(text: string, name: string): Template {
  let template = known.get(text);
  if (template) return template;
  if (text.length > LONGEST_TEMPLATE) {
    const message = `cannot read ${name}: it has ${text.length} characters, and at most ${LONGEST_TEMPLATE} are read`;
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
  const own = (name: string) => ({ text: templates[name] as string, name: `the chat template ${quotedName(name)}` });
  if (template !== undefined) {
    if (has(template)) return own(template);
    if (template.includes('{') || template === '') return { text: template, name: 'the chat template' };
    if (problem) throw new TokenizerError(problem.message, problem);
    const there = names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`;
    throw missing(`no chat template has the name ${quotedName(template)} (${there})`);
  }
  if (tools !== null && has('tool_use')) return own('tool_use');
  if (has('default')) return own('default');
  if (problem) throw new TokenizerError(problem.message, problem);
  if (names.length > 0) throw missing(`expected the option template to be one of ${names.join(', ')}: none of them is the default`);
  throw missing(
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
