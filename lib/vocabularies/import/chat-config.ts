// Reads chat templates, and the tokens that they name, from a model's `tokenizer_config.json` and `chat_template.jinja`.

import { TokenizerError } from '../../base/errors.js';
import type { JsonNode } from './json-node.js';

/** In characters, of one template, and of all texts of the variables together. Published ones have up to 20,000. */
const LONGEST = 1 << 20;
/** Of all templates together. */
const LONGEST_TOGETHER = 1 << 22;
const MOST_TEMPLATES = 64;
/** Published files have up to a hundred. */
const MOST_NAMES = 1 << 10;

/** As Hugging Face passes them to templates. */
const TOKENS = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];

/** Templates by their names, and the variables that they read besides the messages. */
export interface ImportedChat {
  templates: Record<string, string>;
  variables: Record<string, string | string[]>;
}

/** The text of a chat_template.jinja, and its path, for errors. */
export interface TemplateFile {
  text: string;
  path: string;
}

/**
 * `config`: a tokenizer_config.json. `jinja` goes before the default template of the config. Undefined if there is no template.
 */
export function readChatConfig(config: JsonNode | undefined, jinja?: TemplateFile): ImportedChat | undefined {
  config?.object();
  const templates = config ? templatesOf(config.at('chat_template')) : {};
  if (jinja) {
    const { length } = jinja.text;
    if (length > LONGEST) {
      const message = `cannot import ${jinja.path}: ${tooLong(length)}`;
      throw new TokenizerError(message, { code: 'BUILD_FAILED' });
    }
    templates.default = jinja.text;
  }
  return Object.keys(templates).length === 0 ? undefined : { templates, variables: config ? variablesOf(config) : {} };
}

/** The name of the model in a tokenizer_config.json, without its organization; undefined if it has none. */
export function nameInConfig(config: JsonNode | undefined): string | undefined {
  const name = config?.at('name_or_path');
  const value = name?.kind === 'string' ? name.text() : '';
  return value.length <= 200 ? /^(?:\w[\w.-]*\/)?(\w[\w.-]*)$/.exec(value)?.[1] : undefined;
}

/** A text is the default one; a list has names. */
function templatesOf(node: JsonNode): Record<string, string> {
  const templates: [string, string][] = [];
  if (node.isNone) return {};
  if (node.kind === 'string') templates.push(['default', templateOf(node)]);
  else {
    if (node.kind !== 'list') node.malformed('a string, or a list of templates with names');
    const list = node.few();
    if (list.length > MOST_TEMPLATES) node.unsupported(`${list.length} templates are too many: at most ${MOST_TEMPLATES} are supported`);
    for (const each of list) {
      each.object();
      const name = each.at('name').text();
      if (templates.some(([other]) => other === name)) each.at('name').malformed('each name once');
      templates.push([name, templateOf(each.at('template'))]);
    }
    const size = templates.reduce((sum, [, { length }]) => sum + length, 0);
    if (size > LONGEST_TOGETHER) node.unsupported(`${size} characters together are too many: at most ${LONGEST_TOGETHER} are supported`);
  }
  return Object.fromEntries(templates);
}

function templateOf(node: JsonNode): string {
  const text = node.text();
  if (text.length > LONGEST) node.unsupported(tooLong(text.length));
  return text;
}

function tooLong(length: number): string {
  return `${length} characters are too many: at most ${LONGEST} are supported`;
}

/** The named tokens of the file; a template does not see those that are null. */
function variablesOf(root: JsonNode): ImportedChat['variables'] {
  const variables: [string, string | string[]][] = [];
  for (const name of TOKENS) if (!root.at(name).isNone) variables.push([name, tokenOf(root.at(name))]);
  const more = root.at('additional_special_tokens');
  if (!more.isNone && more.few().length > 0) variables.push(['additional_special_tokens', more.few().map(tokenOf)]);
  // Newer files add names for tokens.
  const extra = root.at('extra_special_tokens');
  if (!extra.isNone && extra.kind !== 'list') {
    const names = extra.keys();
    if (names.length > MOST_NAMES) extra.unsupported(`more than ${MOST_NAMES} names of tokens are not supported`);
    for (const name of names) variables.push([name, tokenOf(extra.at(name))]);
  }
  const texts = variables.flatMap(([name, value]) => [name, value].flat());
  const size = texts.reduce((sum, text) => sum + text.length, 0);
  if (size > LONGEST) root.unsupported(`its special tokens have ${size} characters, which are too many`);
  return Object.fromEntries(variables);
}

/** A text, or an object that contains it. */
export function tokenOf(node: JsonNode): string {
  if (node.kind === 'string') return node.text();
  node.object();
  return node.at('content').text();
}
