// Renders chats with the templates of models, and encodes them.

import { SPECIAL_ALLOW, SPECIAL_AS_TEXT } from '../tokenizer/arguments.js';
import type { Chat, ChatRequest, OwnTemplates, Plain } from '../tokenizer/chat.js';
import type { EngineTokenizer } from '../tokenizer/engine.js';
import { quotedName, TokenizerError } from '../tokenizer/errors.js';
import type { UnsharedUint32Array } from '../tokenizer/typed-arrays.js';
import { continued } from './continued.js';
import { forbidSpecial, type HiddenChat, SpecialFinder } from './hidden.js';
import { renderTemplate } from './jinja.js';

export const chat: Chat = {
  render: (request, own) => render(request, own, templateFor(request, own)),

  encode(request, own, engine, specialIds) {
    const template = templateFor(request, own);
    if (request.special === 'allow') return engine.encode(render(request, own, template), SPECIAL_ALLOW);
    const finder = finderOf(specialIds);
    if (request.special === 'forbid') forbidSpecial(finder.first(request));
    const strings = [template.text, ...stringsIn([own.variables, request.variables])];
    const hidden = finder.hide(request, strings);
    if (!hidden) return engine.encode(render(request, own, template), SPECIAL_ALLOW);
    return encodeHidden(render(hidden.request, own, template), hidden, engine, new Set(specialIds.values()));
  },
};

const finders = new WeakMap<ReadonlyMap<string, number>, SpecialFinder>();

function finderOf(specialIds: ReadonlyMap<string, number>): SpecialFinder {
  let finder = finders.get(specialIds);
  if (!finder) finders.set(specialIds, (finder = new SpecialFinder(specialIds.keys())));
  return finder;
}

interface Template {
  text: string;
  /** For errors. */
  name: string;
}

/** The template that the request names or is, or that Hugging Face would choose. */
function templateFor({ template, tools }: ChatRequest, { templates, problem }: OwnTemplates): Template {
  const names = Object.keys(templates);
  const has = (name: string) => Object.hasOwn(templates, name);
  const own = (name: string) => ({ text: templates[name] as string, name: `the chat template ${quotedName(name)}` });
  if (template !== undefined) {
    if (has(template)) return own(template);
    if (template.includes('{') || template === '') return { text: template, name: 'the chat template' };
    if (problem) throw new TokenizerError(problem.message, problem);
    const known = names.length === 0 ? 'there are none' : `there are: ${names.join(', ')}`;
    throw missing(`no chat template has the name ${quotedName(template)} (${known})`);
  }
  if (tools && has('tool_use')) return own('tool_use');
  if (has('default')) return own('default');
  if (problem) throw new TokenizerError(problem.message, problem);
  if (names.length > 0) throw missing(`expected the option template to be one of ${names.join(', ')}: none of them is the default`);
  throw missing(
    'the vocabulary has no chat template: pass one as the option template, or load the tokenizer.json of a model with its ' +
      'tokenizer_config.json or chat_template.jinja beside it, or in the option tokenizerConfig',
  );
}

function missing(message: string): TokenizerError {
  return new TokenizerError(message, { code: 'INVALID_TEMPLATE' });
}

function render(request: ChatRequest, own: OwnTemplates, template: Template): string {
  const { tools, documents, addGenerationPrompt, continueFinalMessage, variables, date } = request;
  const last = continueFinalMessage ? continued(request.messages) : undefined;
  const messages = last?.messages ?? request.messages;
  const given = { messages, tools, documents, add_generation_prompt: addGenerationPrompt };
  const size = messages.length + (tools?.length ?? 0) + (documents?.length ?? 0);
  const rendered = renderTemplate({ ...template, variables: { ...own.variables, ...variables, ...given }, size, date });
  return last ? last.cut(rendered) : rendered;
}

/** The special tokens that are left are the template's: what is between them is text. */
function encodeHidden(rendered: string, { reveal }: HiddenChat, engine: EngineTokenizer, special: ReadonlySet<number>): UnsharedUint32Array {
  const { ids, offsets } = engine.encodeWithOffsets(rendered, 'utf16', SPECIAL_ALLOW);
  const out: number[] = [];
  let end = 0;
  const addText = (to: number) => {
    if (to > end) for (const id of engine.encode(reveal(rendered.slice(end, to)), SPECIAL_AS_TEXT)) out.push(id);
  };
  ids.forEach((id, index) => {
    if (!special.has(id)) return;
    addText(offsets[2 * index] as number);
    out.push(id);
    end = offsets[2 * index + 1] as number;
  });
  addText(rendered.length);
  return Uint32Array.from(out);
}

function stringsIn(value: Plain): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
