// The constants of the drop-in module: names of special tokens, and two settings.

/** Stands for every special token of an encoding, as `allowedSpecial` or `disallowedSpecial`. */
export const ALL_SPECIAL_TOKENS = 'all';

/** What gpt-tokenizer begins with; there is no such cache here. */
export const DEFAULT_MERGE_CACHE_SIZE = 100_000;

export const EndOfText = '<|endoftext|>';
export const EndOfPrompt = '<|endofprompt|>';
export const FimPrefix = '<|fim_prefix|>';
export const FimMiddle = '<|fim_middle|>';
export const FimSuffix = '<|fim_suffix|>';
export const ImStart = '<|im_start|>';
export const ImEnd = '<|im_end|>';
export const ImSep = '<|im_sep|>';
export const HarmonyStartOfText = '<|startoftext|>';
export const HarmonyStart = '<|start|>';
export const HarmonyEnd = '<|end|>';
export const HarmonyMessage = '<|message|>';
export const HarmonyChannel = '<|channel|>';
export const HarmonyReturn = '<|return|>';
export const HarmonyConstrain = '<|constrain|>';
export const HarmonyCall = '<|call|>';
