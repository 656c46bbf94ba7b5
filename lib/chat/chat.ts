// Renders chats with models' templates, and encodes them.

import { SPECIAL_ALLOW } from '../tokenizer/arguments.js';
import { type ChatCall, type ChatRequest, NO_TEMPLATE, type OwnTemplates } from '../tokenizer/chat.js';
import type { Chat } from '../tokenizer/chat-renderer.js';
import type { Conversation, ConversationHold } from '../tokenizer/conversation.js';
import type { BudgetOptions } from '../tokenizer/conversation-options.js';
import type { EngineTokenizer, Mask, Policy, TokensWithOffsets } from '../engine/engine.js';
import { quotedName, TokenizerError, unexpected } from '../base/errors.js';
import { applyChatTemplate, chatInput, continuing } from './apply.js';
import { byteRanges } from './byte-ranges.js';
import { explained, missing } from './failures.js';
import { rareStatements } from './jinja/compile/rarely.js';
import { clock, rare } from './jinja/rarely.js';
import { rareTags } from './jinja/tags.js';
import { compileTemplate, type Rendered, type Template } from './jinja/template.js';
import { tables } from './jinja/unicode/characters.js';
import { jsonInput } from './json-input.js';
import { MissingPart, Part } from './parts.js';
import { speaksHarmony } from './speaks-harmony.js';
import type { Prepared, Steps } from './steps.js';

/** Parts that load with the first chat that needs them. */
const harmony = new Part<typeof import('./harmony/chat.js')>();
const description = new Part<typeof import('./described.js')>();
const forbidding = new Part<typeof import('./forbidden.js')>();
const unmasking = new Part<typeof import('./unmasked.js')>();
harmony.loadBy(() => import('./harmony/chat.js'));
description.loadBy(() => import('./described.js'));
forbidding.loadBy(() => import('./forbidden.js'));
unmasking.loadBy(() => import('./unmasked.js'));
continuing.loadBy(() => import('./continued.js'));
jsonInput.loadBy(() => import('./json.js'));
clock.loadBy(() => import('./jinja/time.js'));
tables.loadBy(() => import('./jinja/unicode/tables.js'));
rare.loadBy(async () => (await allRare()).contents);
rareStatements.loadBy(async () => (await allRare()).statements);
rareTags.loadBy(async () => (await allRare()).tags);

/** A template that uses one rare part usually uses others. */
async function allRare() {
  const all = await import('./jinja/rare.js');
  rare.install(all.contents);
  rareStatements.install(all.statements);
  rareTags.install(all.tags);
  return all;
}

export const chat: Chat = {
  async supply(error) {
    if (!(error instanceof MissingPart)) return false;
    await error.supply();
    return true;
  },

  converse,

  render: (request, own, specialIds) =>
    isHarmony(request, own, specialIds) ? textOfHarmony(request) : prepared(request, own).render().text,

  encode(request, own, engine, specialIds) {
    if (isHarmony(request, own, specialIds)) return encodedHarmony(request, engine, specialIds).ids;
    const chosen = prepared(request, own);
    if (request.special === 'forbid') return tokensOf(chosen, request, engine, specialIds).ids;
    const rendered = chosen.render();
    if (request.special === 'allow') return engine.encode(rendered.text, SPECIAL_ALLOW);
    const bytes = utf8.encode(rendered.text);
    return engine.encodeBytes(bytes, maskOf(rendered, bytes, chosen.template, engine));
  },

  count({ request, own, engine, specialIds }) {
    // Without ids, unless parts of the text must be hidden, or are encoded alone.
    const isText = request.special === 'allow' && !isHarmony(request, own, specialIds);
    if (isText) return engine.count(prepared(request, own).render().text, SPECIAL_ALLOW);
    return chat.encode(request, own, engine, specialIds).length;
  },

  unmasked: (call) => unmasking.contents.unmaskedChat(call, steps),

  describe(request, own, engine, specialIds) {
    if (isHarmony(request, own, specialIds)) {
      if (request.assistantMask)
        throw new TokenizerError('harmony does not mark what the assistant writes: there is no assistantMask', {
          code: 'INVALID_TEMPLATE',
        });
      return encodedHarmony(request, engine, specialIds);
    }
    const chosen = prepared(request, own);
    if (request.assistantMask && !chosen.template.marksGeneration) {
      throw new TokenizerError(`${chosen.name} does not mark what the assistant writes: it has no {% generation %}`, {
        code: 'INVALID_TEMPLATE',
      });
    }
    const { assistantMaskOf, originsOf } = description.contents;
    const { ids, offsets, rendered } = tokensOf(chosen, request, engine, specialIds);
    return {
      ids,
      ...(request.origins && { origins: originsOf(offsets, rendered) }),
      ...(request.assistantMask && { assistantMask: assistantMaskOf(offsets, rendered) }),
    };
  },
};

const steps: Steps = { isHarmony, templateFor, compiled, prepared, controlTokens, harmony, forbidding };

async function converse(call: ChatCall, budget: BudgetOptions, hold: ConversationHold): Promise<Conversation> {
  // Conversations change without waiting for parts.
  const [{ begin }] = await Promise.all([import('./conversation/begin.js'), harmony.load(), forbidding.load()]);
  return begin(chat, call, budget, hold, steps);
}

function textOfHarmony(request: ChatRequest): string {
  const { piecesOf, textOf } = harmony.contents;
  return textOf(piecesOf(request));
}

function encodedHarmony(request: ChatRequest, engine: EngineTokenizer, specialIds: ReadonlyMap<string, number>) {
  const { encodePieces, piecesOf } = harmony.contents;
  return encodePieces(piecesOf(request), engine, specialIds, request.special === 'forbid');
}

/** Whether harmony replaces a template. */
function isHarmony(
  { template, harmony }: ChatRequest,
  { templates, problem }: OwnTemplates,
  specialIds: ReadonlyMap<string, number>,
): boolean {
  if (template === undefined && !problem && Object.keys(templates).length === 0 && speaksHarmony(specialIds)) return true;
  if (harmony !== undefined)
    throw unexpected('nothing, since the chat has a template or its vocabulary is not the one of gpt-oss,', 'harmony', harmony);
  return false;
}

const utf8 = new TextEncoder();

export function prepared(request: ChatRequest, own: OwnTemplates): Prepared {
  const { text, name } = templateFor(request, own);
  return explained(text, name, () => {
    const template = compiled(text, name);
    const input = chatInput(request.messages, { ...request, ownVariables: own.variables });
    return { name, template, input, render: () => explained(text, name, () => applyChatTemplate(input, { ...request, template })) };
  });
}

/** Published ones have up to 20,000 characters. */
const LONGEST_TEMPLATE = 1 << 20;
/** The most recently used templates: a program has one or two. */
const known = new Map<string, Template>();
const MOST_KNOWN = 8;

function compiled(text: string, name: string): Template {
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
function templateFor({ template, tools }: ChatRequest, { templates, problem }: OwnTemplates): { text: string; name: string } {
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

/** The ids of a chat with their offsets, in UTF-16 units of the text. */
function tokensOf(
  chosen: Prepared,
  { special }: ChatRequest,
  engine: EngineTokenizer,
  specialIds: ReadonlyMap<string, number>,
): TokensWithOffsets & { rendered: Rendered } {
  if (special === 'forbid') forbidding.contents.forbidSpecialTokens(chosen.input, specialIds);
  const rendered = chosen.render();
  const bytes = utf8.encode(rendered.text);
  const policy: Policy | Mask = special === 'template' ? maskOf(rendered, bytes, chosen.template, engine) : SPECIAL_ALLOW;
  const tokens = engine.encodeBytesWithOffsets(bytes, 'utf16', policy);
  if (special === 'forbid') forbidding.contents.forbidSpecialTokensIn(tokens, rendered, specialIds);
  return { ...tokens, rendered };
}

const controls = new WeakMap<Template, WeakMap<EngineTokenizer, Uint32Array>>();

/**
 * Where the template wrote the text, and which tokens besides the special ones count as its control tokens there: the added
 * tokens in its own text, except white space, as in transformers' sanitize_control_tokens.
 */
function maskOf({ ranges, text }: Rendered, bytes: Uint8Array, template: Template, engine: EngineTokenizer): Mask {
  return { control: controlTokens(template, engine), ranges: byteRanges(ranges, text, bytes.length) };
}

function controlTokens(template: Template, engine: EngineTokenizer): Uint32Array {
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
