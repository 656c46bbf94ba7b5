// Checks harmony messages: the shape in which openai-harmony writes a conversation to JSON, with its defaults for absent
// members. `null` means absent.

import { unexpected } from '../../base/errors.js';
import { isList, isObject, type Json } from './harmony-json.js';
import type { Said } from './harmony-tools.js';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof ROLES)[number];

const EFFORTS = ['Low', 'Medium', 'High'] as const;

export interface Message {
  /** The caller's name for it: `messages[0]`. */
  path: string;
  /** As of `Said`. */
  origin: number;
  role: Role;
  name: string | null;
  contents: Content[];
  channel: string | null;
  recipient: string | null;
  contentType: string | null;
}

export type Content = TextContent | SystemContent | DeveloperContent;

export interface TextContent {
  type: 'text';
  text: string;
}

export interface SystemContent {
  type: 'system_content';
  identity: string | null;
  effort: (typeof EFFORTS)[number] | null;
  startDate: string | null;
  knowledgeCutoff: string | null;
  channels: { names: string[]; areRequired: boolean } | null;
  namespaces: Namespace[];
}

export interface DeveloperContent {
  type: 'developer_content';
  instructions: string | null;
  namespaces: Namespace[];
}

/** Tools grouped under one name. */
export interface Namespace {
  /** The key it is listed under; namespaces are sorted by it. */
  key: string;
  name: string;
  description: string | null;
  tools: Tool[];
}

export interface Tool {
  name: string;
  description: string;
  /** A JSON schema. */
  parameters: Json;
}

const IDENTITY = 'You are ChatGPT, a large language model trained by OpenAI.';
const KNOWLEDGE_CUTOFF = '2024-06';
const CHANNELS = ['analysis', 'commentary', 'final'];

/** The members of an object, read by type; errors name the path. */
class Members {
  readonly #members: ReadonlyMap<string, Json>;

  constructor(
    value: Json | undefined,
    readonly path: string,
  ) {
    if (!isObject(value)) throw unexpected('an object', path, inspectable(value));
    this.#members = value;
  }

  /** Throws for members that nothing reads: they would be lost, unless they are empty. */
  only(names: readonly string[], what: string): void {
    for (const [name, value] of this.#members) {
      if (!names.includes(name) && value !== null && !(isList(value) && value.length === 0))
        throw new TypeError(`\`${this.path}.${name}\` is unknown: ${what} has ${names.join(', ')}; remove the member`);
    }
  }

  get(name: string): Json | undefined {
    return this.#members.get(name);
  }

  text(name: string): string {
    const value = this.#members.get(name);
    if (typeof value !== 'string') throw this.wrong('a string', name);
    return value;
  }

  /** `absent`: the value if the member is missing. */
  textOrNull(name: string, absent: string | null = null): string | null {
    const value = this.#members.get(name);
    if (value === undefined) return absent;
    return value === null ? null : this.text(name);
  }

  list(name: string): readonly Json[] {
    const value = this.#members.get(name);
    if (!isList(value)) throw this.wrong('an array', name);
    return value;
  }

  wrong(expected: string, name: string): TypeError {
    return unexpected(expected, `${this.path}.${name}`, inspectable(this.#members.get(name)));
  }
}

/** Throws for content that cannot be rendered. OpenAI's renderer accepts it in messages that it drops. */
export function checkMessage({ path, role, name, contents }: Message): void {
  if (role === 'tool' && name === null) throw unexpected('the name of the tool', `${path}.name`, null);
  const at = contents.findIndex(({ type }) => type !== 'text' && type !== `${role}_content`);
  if (at >= 0) throw unexpected(`a content for the role ${role}`, `${path}.content[${at}].type`, contents[at]?.type);
}

export function messageOf({ json, origin }: Said): Message {
  const path = origin < 0 ? 'tools' : `messages[${origin}]`;
  const members = new Members(json, path);
  members.only(['role', 'name', 'content', 'channel', 'recipient', 'content_type'], 'a message of harmony');
  const role = ROLES.find((each) => each === members.get('role'));
  if (role === undefined) throw members.wrong(`one of ${ROLES.join(', ')}`, 'role');
  return {
    path,
    origin,
    role,
    name: members.textOrNull('name'),
    contents: contentsOf(members),
    channel: members.textOrNull('channel'),
    recipient: members.textOrNull('recipient'),
    contentType: members.textOrNull('content_type'),
  };
}

function contentsOf(message: Members): Content[] {
  const content = message.get('content');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!isList(content)) throw message.wrong('a string or an array of contents', 'content');
  return content.map((each, index) => contentOf(new Members(each, `${message.path}.content[${index}]`)));
}

function contentOf(members: Members): Content {
  switch (members.get('type')) {
    case 'text':
      return { type: 'text', text: members.text('text') };
    case 'system_content':
      return systemContent(members);
    case 'developer_content':
      return developerContent(members);
    default:
      throw members.wrong("'text', 'system_content' or 'developer_content'", 'type');
  }
}

function systemContent(members: Members): SystemContent {
  members.only(
    ['type', 'model_identity', 'reasoning_effort', 'conversation_start_date', 'knowledge_cutoff', 'channel_config', 'tools'],
    'system_content',
  );
  const effort = members.textOrNull('reasoning_effort', 'Medium');
  const known = effort === null ? null : EFFORTS.find((each) => each === effort);
  if (known === undefined) throw members.wrong("'Low', 'Medium' or 'High'", 'reasoning_effort');
  return {
    type: 'system_content',
    identity: members.textOrNull('model_identity', IDENTITY),
    effort: known,
    startDate: members.textOrNull('conversation_start_date'),
    knowledgeCutoff: members.textOrNull('knowledge_cutoff', KNOWLEDGE_CUTOFF),
    channels: channelsOf(members),
    namespaces: namespacesOf(members),
  };
}

function channelsOf(content: Members): SystemContent['channels'] {
  const config = content.get('channel_config');
  if (config === undefined) return { names: CHANNELS, areRequired: true };
  if (config === null) return null;
  const members = new Members(config, `${content.path}.channel_config`);
  const names = members.list('valid_channels').map((each) => {
    if (typeof each !== 'string') throw members.wrong('an array of strings', 'valid_channels');
    return each;
  });
  const areRequired = members.get('channel_required');
  if (typeof areRequired !== 'boolean') throw members.wrong('a boolean', 'channel_required');
  return { names, areRequired };
}

function developerContent(members: Members): DeveloperContent {
  members.only(['type', 'instructions', 'tools'], 'developer_content');
  return { type: 'developer_content', instructions: members.textOrNull('instructions'), namespaces: namespacesOf(members) };
}

/** In the order of their keys. */
function namespacesOf(content: Members): Namespace[] {
  const tools = content.get('tools');
  if (tools === undefined || tools === null) return [];
  if (!isObject(tools)) throw content.wrong('an object of namespaces', 'tools');
  return Array.from(tools, ([key, each]) => namespaceOf(key, new Members(each, `${content.path}.tools.${key}`))).sort((a, b) =>
    byCodePoints(a.key, b.key),
  );
}

function namespaceOf(key: string, members: Members): Namespace {
  const tools = members.list('tools').map((each, index) => toolOf(new Members(each, `${members.path}.tools[${index}]`)));
  return { key, name: members.text('name'), description: members.textOrNull('description'), tools };
}

function toolOf(members: Members): Tool {
  const parameters = members.get('parameters') ?? null;
  if (parameters !== null && !isObject(parameters)) throw members.wrong('a JSON schema', 'parameters');
  return { name: members.text('name'), description: members.text('description'), parameters };
}

/** JavaScript compares UTF-16 units, in which U+10000 comes before U+FFFF. */
function byCodePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((each, index) => each !== right[index]);
  if (at < 0) return left.length - right.length;
  return at >= right.length ? 1 : (left[at]!.codePointAt(0) as number) - (right[at]!.codePointAt(0) as number);
}

/** The value as errors show it. */
function inspectable(value: Json | undefined): unknown {
  return isObject(value) ? Object.fromEntries(value) : value;
}
