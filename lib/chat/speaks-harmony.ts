// Detects vocabularies for harmony, the format of gpt-oss.

const CONTROL_TOKENS = ['<|start|>', '<|end|>', '<|message|>', '<|channel|>', '<|constrain|>', '<|return|>', '<|call|>'];

/** True for the vocabulary of gpt-oss. */
export function speaksHarmony(specialIds: ReadonlyMap<string, number>): boolean {
  return CONTROL_TOKENS.every((token) => specialIds.has(token));
}
