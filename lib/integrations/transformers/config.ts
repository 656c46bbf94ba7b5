// What the files of a model say about its tokenizer, and the names of its tokens in them: `Ġworld`, `▁world`, `##ing`.

import { TokenizerError } from '../../base/errors.js';
import { checkedSpec } from '../../vocabularies/decode/decoder-spec.js';
import { TokenTexts } from '../../vocabularies/decode/token-texts.js';
import { type AddedToken, type AddedTokenJson, idsInJson, TokenNames } from '../encodings/token-names.js';
import { tokensOf, type Vocabulary } from '../../vocabularies/vocabulary.js';
import type { Side } from '../encodings/encoding-rows.js';

/** The attributes of special tokens. */
export const ROLES = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'] as const;
export type Role = (typeof ROLES)[number];

type Plain = Readonly<Record<string, unknown>>;

/** The contents of a model's files, parsed. */
export interface ModelConfig {
  /** tokenizer_config.json; undefined if there is none. */
  config: Plain | undefined;
  /** special_tokens_map.json. */
  map: Plain | undefined;
  /** `padding`, `truncation` and `added_tokens` of tokenizer.json. */
  file: { padding?: Plain | undefined; truncation?: Plain | undefined; added: readonly AddedToken[] };
  /** chat_template.jinja. */
  template: string | undefined;
}

export interface Settings {
  /** tokenizer_config.json; empty if there is none. */
  config: Plain;
  /** The texts of special tokens by their roles. */
  roles: Partial<Record<Role, string>>;
  padTypeId: number;
  paddingSide: Side;
  truncationSide: Side;
  /** Infinity where no file says it. */
  maxLength: number;
  cleansUp: boolean;
  returnsTypeIds: boolean;
  splitsSpecialTokens: boolean;
  /** Whether decoding makes spaces of `</w>`, and drops spaces at the ends, as Python's class for CLIP does. */
  spacesEndsOfWords: boolean;
  templates: Record<string, string>;
  /** What templates read besides messages. */
  variables: Record<string, string | string[]>;
}

/** Python's LARGE_INTEGER: anything above it means that there is no maximum. */
const LARGE = 1e20;

/**
 * Classes of tokenizers that return the types of tokens where a configuration does not say: the classes for which Python's transformers 5.24
 * does, as test/transformers/golden.py finds by asking each.
 */
const WITH_TYPES =
  /^(?:Bert|Canine|ConvBert|DPR(?:Context|Question)Encoder|Deberta(?:V2)?|Electra|FNet|LayoutLM(?:v2)?|Lxmert|MarkupLM|MobileBert|SqueezeBert|Tapas)Tokenizer(?:Fast)?$/;

/** `has`: whether the vocabulary has a token. */
export function settingsOf({ config, map, file, template }: ModelConfig, has: (token: string) => boolean): Settings {
  const named = (role: string) => tokenOf(config?.[role]) ?? tokenOf(map?.[role]);
  const roles: Settings['roles'] = {};
  for (const role of ROLES) {
    const token = named(role);
    if (token !== undefined) roles[role] = token;
  }
  // As Python does, where the configuration names none.
  roles.pad_token ??= textIn(file.padding, 'pad_token');
  if (roles.pad_token === undefined && config === undefined) {
    roles.pad_token = ['[PAD]', '<pad>'].find(has);
  }
  if (config === undefined) {
    roles.cls_token ??= ['[CLS]'].find(has);
    roles.sep_token ??= ['[SEP]'].find(has);
    roles.mask_token ??= ['[MASK]', '<mask>'].find(has);
  }
  const names = config?.model_input_names;
  const { model_max_length: maxLength, pad_token_type_id: padTypeId = file.padding?.pad_type_id } = config ?? {};
  return {
    config: config ?? {},
    roles,
    padTypeId: typeof padTypeId === 'number' ? padTypeId : 0,
    paddingSide:
      sideOf(config?.padding_side, 'tokenizer_config.json: padding_side') ??
      sideOf(file.padding?.direction, 'padding.direction') ??
      'right',
    truncationSide:
      sideOf(config?.truncation_side, 'tokenizer_config.json: truncation_side') ??
      sideOf(file.truncation?.direction, 'truncation.direction') ??
      'right',
    maxLength: typeof maxLength === 'number' && maxLength <= LARGE ? maxLength : Infinity,
    cleansUp: config?.clean_up_tokenization_spaces === true,
    returnsTypeIds: Array.isArray(names) ? names.includes('token_type_ids') : WITH_TYPES.test(String(config?.tokenizer_class)),
    splitsSpecialTokens: config?.split_special_tokens === true,
    spacesEndsOfWords: /^CLIPTokenizer(?:Fast)?$/.test(String(config?.tokenizer_class)),
    templates: { ...templatesOf(config?.chat_template), ...(template !== undefined && { default: template }) },
    variables: variablesOf(config, roles),
  };
}

/** A text, or an object that has it. */
function tokenOf(token: unknown): string | undefined {
  return typeof token === 'string' ? token : textIn(token, 'content');
}

function textIn(object: unknown, key: string): string | undefined {
  const value = (Object(object) as Record<string, unknown>)[key];
  return typeof value === 'string' ? value : undefined;
}

function sideOf(side: unknown, where: string): Side | undefined {
  if (side === undefined || side === null) return undefined;
  const lower = String(side).toLowerCase();
  if (lower === 'left' || lower === 'right') return lower;
  throw new TokenizerError(`cannot read ${where}: expected 'left' or 'right' but found ${JSON.stringify(side)}`, {
    code: 'CORRUPT_STRUCTURE',
  });
}

/** A text is the default one; a list has names. */
function templatesOf(template: unknown): Record<string, string> {
  if (typeof template === 'string') return { default: template };
  if (!Array.isArray(template)) return {};
  return Object.fromEntries(
    template.flatMap((each) => {
      const [name, text] = [textIn(each, 'name'), textIn(each, 'template')];
      return name === undefined || text === undefined ? [] : [[name, text] as const];
    }),
  );
}

function variablesOf(config: Plain | undefined, roles: Settings['roles']): Settings['variables'] {
  const variables: Settings['variables'] = {};
  for (const [role, token] of Object.entries(roles)) if (token !== undefined) variables[role] = token;
  const more = config?.additional_special_tokens;
  if (Array.isArray(more) && more.length > 0) variables.additional_special_tokens = more.flatMap((each) => tokenOf(each) ?? []);
  const extra = config?.extra_special_tokens;
  if (typeof extra === 'object' && extra !== null && !Array.isArray(extra)) {
    for (const [name, value] of Object.entries(extra)) {
      const token = tokenOf(value);
      if (token !== undefined) variables[name] = token;
    }
  }
  return variables;
}

interface Parsed {
  added_tokens?: AddedTokenJson[];
  model?: { vocab?: Record<string, number> | [string, number][] };
}

/** `spelled`: how texts spell the added tokens that the normalizer changes. Python names these tokens so. */
export function namesInJson(text: string, spelled?: ReadonlyMap<number, string>): TokenNames {
  const { added_tokens, model } = JSON.parse(text.replace(/^\ufeff/, '')) as Parsed;
  return new TokenNames(idsInJson(model?.vocab ?? {}), added_tokens, spelled);
}

/** The same of a cartridge, which has the bytes of tokens and how a decoder reads them. */
export function namesInCartridge(vocabulary: Vocabulary, spelled?: ReadonlyMap<number, string>): TokenNames {
  const { engine, metadata } = vocabulary;
  const { decoder } = metadata;
  // Without one, decoding joins the bytes of byte-level tokens.
  const texts = new TokenTexts(engine, decoder ? checkedSpec(decoder, engine) : { form: 'byte-level', steps: [] });
  return new TokenNames(
    Array.from(tokensOf(vocabulary), ({ id }) => [texts.of(id, 0), id]),
    [],
    spelled,
  );
}
