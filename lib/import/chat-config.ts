// What a model's `tokenizer_config.json` and `chat_template.jinja` say of chats: its templates, and the tokens that they name.

import { Place } from './place.js';

/** In characters, of one template or of all texts of the variables together. Published ones have up to 20,000. */
const LONGEST = 1 << 20;
const MOST_TEMPLATES = 64;

/** As Hugging Face passes them to templates. */
const TOKENS = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'];

/** Templates by their names, and what they read besides the messages. */
export interface ImportedChat {
  templates: Record<string, string>;
  variables: Record<string, string | string[]>;
}

/**
 * `config`: a tokenizer_config.json, parsed; `file`: its name, for errors. `jinja`: the text of a chat_template.jinja, which
 * goes before the default template of the config. Undefined if there is no template.
 */
export function readChatConfig(config: unknown, file: string, jinja?: string): ImportedChat | undefined {
  const root = new Place(config, '', file);
  if (!root.isNone) root.object();
  const templates = templatesOf(root.at('chat_template'));
  if (jinja !== undefined) templates.default = jinja;
  return Object.keys(templates).length === 0 ? undefined : { templates, variables: variablesOf(root) };
}

/** The name of the model that a tokenizer_config.json is of, without that of its organization; undefined if it has none. */
export function nameInConfig(config: unknown): string | undefined {
  const { value } = new Place(config, '', '').at('name_or_path');
  return typeof value === 'string' && value.length <= 200 ? /^(?:\w[\w.-]*\/)?(\w[\w.-]*)$/.exec(value)?.[1] : undefined;
}

/** A text is the default one; a list has names. */
function templatesOf(place: Place): Record<string, string> {
  const templates: [string, string][] = [];
  if (place.isNone) return {};
  if (typeof place.value === 'string') templates.push(['default', templateOf(place)]);
  else {
    if (!Array.isArray(place.value)) place.malformed('a string, or a list of templates with names');
    const list = place.elements();
    if (list.length > MOST_TEMPLATES) place.unsupported(`${list.length} templates are too many: at most ${MOST_TEMPLATES} are supported`);
    for (const each of list) {
      each.object();
      const name = each.at('name').text();
      if (templates.some(([other]) => other === name)) each.at('name').malformed('each name once');
      templates.push([name, templateOf(each.at('template'))]);
    }
  }
  return Object.fromEntries(templates);
}

function templateOf(place: Place): string {
  const text = place.text();
  if (text.length > LONGEST) place.unsupported(`${text.length} characters are too many: at most ${LONGEST} are supported`);
  return text;
}

/** The named tokens of the file; those that are null are not there for a template. */
function variablesOf(root: Place): ImportedChat['variables'] {
  const variables: [string, string | string[]][] = [];
  for (const name of TOKENS) if (!root.at(name).isNone) variables.push([name, tokenOf(root.at(name))]);
  const more = root.at('additional_special_tokens');
  if (!more.isNone && more.list().length > 0) variables.push(['additional_special_tokens', more.elements().map(tokenOf)]);
  // Newer files name tokens of their own.
  const extra = root.at('extra_special_tokens');
  if (!extra.isNone && !Array.isArray(extra.value)) {
    for (const name of Object.keys(extra.object())) variables.push([name, tokenOf(extra.at(name))]);
  }
  const size = variables.flatMap(([name, value]) => [name, value].flat()).reduce((sum, text) => sum + text.length, 0);
  if (size > LONGEST) root.unsupported(`its special tokens have ${size} characters, which are too many`);
  return Object.fromEntries(variables);
}

/** A text, or an object that has it. */
function tokenOf(place: Place): string {
  return typeof place.value === 'string' ? place.value : (place.object(), place.at('content').text());
}
