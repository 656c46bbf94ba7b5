// The ids of the tokens that begin and end a text, pad it, and stand for unknown text.

import type { Description } from '../engine/engine.js';
import { isEncodingName } from './models.js';

export interface TokenRoles {
  bos?: number | undefined;
  eos?: number | undefined;
  pad?: number | undefined;
  unk?: number | undefined;
}

/** The roles in the metadata; else the published encodings' roles, and longest match's unknown id. */
export function tokenRolesOf(
  { name, vocabularySize, unknownId }: Description,
  metadata: Readonly<Record<string, unknown>>,
  specialIds: ReadonlyMap<string, number>,
): TokenRoles {
  const given = Object(metadata.roles) as Record<string, unknown>;
  const idOf = (role: string) => {
    const id = Object.hasOwn(given, role) ? given[role] : undefined;
    return typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < vocabularySize ? id : undefined;
  };
  return {
    bos: idOf('bos'),
    eos: idOf('eos') ?? (isEncodingName(name) ? specialIds.get('<|endoftext|>') : undefined),
    pad: idOf('pad'),
    unk: idOf('unk') ?? unknownId,
  };
}
