// The constants of the drop-in module: names of special tokens, and two settings.

/** Stands for every special token of an encoding, as `allowedSpecial` or `disallowedSpecial`. */
export const ALL_SPECIAL_TOKENS = 'all';

/** What gpt-tokenizer begins with; there is no such cache here. */
export const DEFAULT_MERGE_CACHE_SIZE = 100_000;

/** Ends a text. */
export const EndOfText = '<|endoftext|>';
/** Ends a prompt. */
export const EndOfPrompt = '<|endofprompt|>';
/** Filling in the middle: begins what stands before. */
export const FimPrefix = '<|fim_prefix|>';
/** Filling in the middle: begins what is to be filled in. */
export const FimMiddle = '<|fim_middle|>';
/** Filling in the middle: begins what stands behind. */
export const FimSuffix = '<|fim_suffix|>';
/** Chats: begins a message. */
export const ImStart = '<|im_start|>';
/** Chats: ends a message. */
export const ImEnd = '<|im_end|>';
/** Chats: stands between role and content. */
export const ImSep = '<|im_sep|>';
/** Harmony: begins a text. */
export const HarmonyStartOfText = '<|startoftext|>';
/** Harmony: begins a message. */
export const HarmonyStart = '<|start|>';
/** Harmony: ends a message. */
export const HarmonyEnd = '<|end|>';
/** Harmony: begins the content of a message. */
export const HarmonyMessage = '<|message|>';
/** Harmony: begins the name of a channel. */
export const HarmonyChannel = '<|channel|>';
/** Harmony: ends the last message of an answer. */
export const HarmonyReturn = '<|return|>';
/** Harmony: begins the format of a content. */
export const HarmonyConstrain = '<|constrain|>';
/** Harmony: ends a call of a tool. */
export const HarmonyCall = '<|call|>';
