// The parameters of a macro, and the attributes that expose them to templates.

import { Tuple } from '../values/containers.js';
import type { Value } from '../values/object.js';
import { ofTemplate } from '../values/str.js';

/** The parameters of a macro. */
export interface MacroShape {
  /** Undefined for the body of a call block. */
  name: string | undefined;
  parameters: readonly string[];
  usesCaller: boolean;
  usesKeywords: boolean;
  usesVarargs: boolean;
}

export function macroAttribute(
  { name: own, parameters, usesCaller, usesKeywords, usesVarargs }: MacroShape,
  name: string,
): Value | undefined {
  switch (name) {
    case 'name':
      return own === undefined ? null : ofTemplate(own);
    case 'arguments':
      return new Tuple(parameters.map(ofTemplate));
    case 'catch_kwargs':
      return usesKeywords;
    case 'catch_varargs':
      return usesVarargs;
    case 'caller':
      return usesCaller;
    default:
      return undefined;
  }
}
