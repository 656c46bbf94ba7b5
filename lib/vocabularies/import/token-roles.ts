// Finds the tokens that begin and end a text, pad it, and stand for unknown text.
//
// The files beside a tokenizer.json name them by their texts. For roles that neither file names, the tokenizer.json itself counts: its
// post-processor, if it puts one id before a text or after it, the unknown token of its model, and a token that is called [PAD] or <pad>.

import type { JsonNode } from './json-node.js';
import { tokenOf } from './chat-config.js';
import type { Template } from './post-processor.js';

const ROLES = ['bos', 'eos', 'pad', 'unk'] as const;
export type TokenRole = (typeof ROLES)[number];

/** The ids of tokens by their roles, as the metadata of a cartridge has them (cartridges/FORMAT.md, section 4). */
export type TokenRoles = Partial<Record<TokenRole, number>>;

/** The texts of the tokens by their roles; null for a role to which a file assigns no token. */
export type NamedTokens = Partial<Record<TokenRole, string | null>> & {
  /** The tokens that `add_bos_token` and `add_eos_token` put around a text, for a vocabulary that does not define this itself. */
  around?: ('bos' | 'eos')[];
};

/**
 * `config`: a tokenizer_config.json; `map`: a special_tokens_map.json, for roles that the config lacks. Undefined without either.
 */
export function namedTokensOf(config: JsonNode | undefined, map: JsonNode | undefined): NamedTokens | undefined {
  if (!config && !map) return undefined;
  const named: NamedTokens = {};
  for (const role of ROLES) {
    const node = [config, map].map((file) => file?.at(`${role}_token`)).find((each) => each?.kind !== undefined);
    if (node) named[role] = node.isNone ? null : tokenOf(node);
  }
  const around = (['bos', 'eos'] as const).filter((role) => config && isAdded(config.at(`add_${role}_token`)));
  if (around.length > 0) named.around = around;
  return named;
}

function isAdded(node: JsonNode): boolean {
  return node.kind === 'boolean' && node.boolean();
}

/** The roles that a vocabulary defines itself. */
export interface OwnRoles {
  /** The id of the token with a text, if there is one. */
  idOf(text: string): number | undefined;
  /** Ids around a text, if they mark its beginning and end. */
  around?: Template | undefined;
  /** The texts of tokens that have roles in all vocabularies of the kind. */
  names?: NamedTokens | undefined;
}

/** The roles of ids. A token that the vocabulary does not have has none. */
export function rolesOf(named: NamedTokens | undefined, { idOf, around, names }: OwnRoles): TokenRoles {
  const roles: TokenRoles = {};
  const [before, after] = named ? [] : [around?.prefix, around?.suffix];
  if (before?.length === 1) roles.bos = before[0];
  if (after?.length === 1) roles.eos = after[0];
  for (const role of ROLES) {
    const text = named?.[role] === undefined ? names?.[role] : named[role];
    if (typeof text !== 'string') continue;
    const id = idOf(text);
    if (id !== undefined) roles[role] = id;
  }
  // BERT's and T5's names for it.
  if (!named && names?.pad === undefined) {
    const pad = idOf('[PAD]') ?? idOf('<pad>');
    if (pad !== undefined) roles.pad = pad;
  }
  return roles;
}
