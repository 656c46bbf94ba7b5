// Conversations in gpt-oss's format, "harmony", as OpenAI's renderer openai-harmony writes them:
//
//   <|start|>user<|message|>What is 2 + 2?<|end|>
//   <|start|>assistant<|channel|>analysis<|message|>Easy.<|end|>
//   <|start|>assistant<|channel|>final<|message|>4<|end|>
//
// The tokens in angle brackets are control tokens. Everything between them is ordinary text, encoded on its own:
// whatever a message says, it cannot end itself.

import { TEMPLATE } from '../jinja/values/origin.js';
import { checkMessage, type Content, type Message, type Namespace, type SystemContent } from './harmony-messages.js';
import { typeOfSchema } from './harmony-tools.js';

/** A control token, or a text that is encoded by itself, with the index of its message, or TEMPLATE. */
export type HarmonyItem = { control: string } | { text: string; origin: number };

export interface RenderOptions {
  /** Whether the text ends with the beginning of the assistant's answer. */
  addGenerationPrompt: boolean;
  /** Whether the end of the last message is left out. */
  continueFinalMessage: boolean;
  /** Whether the analysis before the first final answer is dropped, once the assistant has ended with one. */
  dropAnalysis: boolean;
  /** Whether a final answer at the end ends with `<|return|>`, as in training. */
  forTraining: boolean;
}

const CONSTRAIN = '<|constrain|>';

export function renderHarmony(messages: readonly Message[], options: RenderOptions): HarmonyItem[] {
  const { addGenerationPrompt, continueFinalMessage, forTraining } = options;
  const hasFunctions = messages.some(declaresFunctions);
  const dropped = droppedBefore(messages, options);
  const items: HarmonyItem[] = [];
  messages.forEach((message, index) => {
    if (index < dropped && message.channel === 'analysis') return;
    checkMessage(message);
    items.push(...itemsOf(message, hasFunctions));
  });
  const last = messages.at(-1);
  if (continueFinalMessage) items.pop();
  else if (forTraining && last?.role === 'assistant' && last.channel === 'final') items[items.length - 1] = { control: '<|return|>' };
  if (addGenerationPrompt) items.push({ control: '<|start|>' }, { text: 'assistant', origin: TEMPLATE });
  return items;
}

/** Analysis before this index is dropped: up to the first final message, if the assistant's last one is final. */
function droppedBefore(messages: readonly Message[], { dropAnalysis }: RenderOptions): number {
  const last = dropAnalysis ? messages.findLast(({ role }) => role === 'assistant') : undefined;
  return last?.channel === 'final' ? messages.findIndex(({ channel }) => channel === 'final') : 0;
}

function declaresFunctions({ contents }: Message): boolean {
  return contents.some(
    (content) =>
      content.type === 'developer_content' && content.namespaces.some(({ key, tools }) => key === 'functions' && tools.length > 0),
  );
}

function* itemsOf(message: Message, hasFunctions: boolean): Generator<HarmonyItem> {
  const { origin, role, name, recipient, channel, contentType, contents } = message;
  yield { control: '<|start|>' };
  if (role === 'tool') yield { text: name as string, origin };
  else yield { text: role, origin: TEMPLATE };
  if (role !== 'tool' && name !== null) yield { text: `:${name}`, origin };
  if (recipient !== null && recipient !== 'all') yield { text: ` to=${recipient}`, origin };
  if (channel !== null) {
    yield { control: '<|channel|>' };
    yield { text: channel, origin };
  }
  if (contentType?.startsWith(CONSTRAIN)) {
    yield { text: ' ', origin: TEMPLATE };
    yield { control: CONSTRAIN };
    yield { text: contentType.slice(CONSTRAIN.length), origin };
  } else if (contentType !== null) yield { text: ` ${contentType}`, origin };
  yield { control: '<|message|>' };
  for (const content of contents) yield { text: textOf(content, hasFunctions), origin };
  yield { control: role === 'assistant' && recipient !== null ? '<|call|>' : '<|end|>' };
}

function textOf(content: Content, hasFunctions: boolean): string {
  if (content.type === 'text') return content.text;
  const tools = content.namespaces.length > 0 ? [toolsSection(content.namespaces)] : [];
  if (content.type === 'system_content') return sections([...aboutModel(content), ...tools, ...aboutChannels(content, hasFunctions)]);
  return sections([...(content.instructions === null ? [] : ['# Instructions', content.instructions]), ...tools]);
}

function aboutModel({ identity, knowledgeCutoff, startDate, effort }: SystemContent): string[] {
  const lines = [
    ...(identity === null ? [] : [identity]),
    ...(knowledgeCutoff === null ? [] : [`Knowledge cutoff: ${knowledgeCutoff}`]),
    ...(startDate === null ? [] : [`Current date: ${startDate}`]),
  ];
  return [...(lines.length > 0 ? [lines.join('\n')] : []), ...(effort === null ? [] : [`Reasoning: ${effort.toLowerCase()}`])];
}

function aboutChannels({ channels }: SystemContent, hasFunctions: boolean): string[] {
  if (!channels || channels.names.length === 0) return [];
  const required = channels.areRequired ? ' Channel must be included for every message.' : '';
  const calls = hasFunctions ? "\nCalls to these tools must go to the commentary channel: 'functions'." : '';
  return [`# Valid channels: ${channels.names.join(', ')}.${required}${calls}`];
}

function toolsSection(namespaces: readonly Namespace[]): string {
  return sections(['# Tools', ...namespaces.map(namespaceText)]);
}

function namespaceText({ name, description, tools }: Namespace): string {
  const lines = description === null ? [] : linesOf(description);
  if (tools.length === 0) return [`## ${name}\n`, ...lines].join('\n');
  const declared = tools.flatMap((tool) => {
    const argument = tool.parameters === null ? '' : `_: ${typeOfSchema(tool.parameters, '')}`;
    return [...comments(linesOf(tool.description)), `type ${tool.name} = (${argument}) => any;\n`];
  });
  return [`## ${name}\n`, ...comments(lines), `namespace ${name} {\n`, ...declared, `} // namespace ${name}`].join('\n');
}

function comments(lines: readonly string[]): string[] {
  return lines.map((line) => `// ${line}`);
}

/** Splits lines like Rust's `lines`: at `\n` and `\r\n`, without an empty line at the end. */
function linesOf(text: string): string[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => line.replace(/\r?\n$/, ''));
}

function sections(parts: readonly string[]): string {
  return parts.join('\n\n');
}
