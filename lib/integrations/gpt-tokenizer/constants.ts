// The constants of the drop-in module: names of special tokens, and two settings.

/** Stands for every special token of an encoding, as `allowedSpecial` or `disallowedSpecial`. */
export const ALL_SPECIAL_TOKENS = 'all';

/** The default in gpt-tokenizer; this package has no such cache. */
export const DEFAULT_MERGE_CACHE_SIZE = 100_000;

/** Ends a text. */
export const EndOfText = '<|endoftext|>';
/** Ends a prompt. */
export const EndOfPrompt = '<|endofprompt|>';
/** Fill in the middle: begins the prefix. */
export const FimPrefix = '<|fim_prefix|>';
/** Fill in the middle: begins the part to be filled in. */
export const FimMiddle = '<|fim_middle|>';
/** Fill in the middle: begins the suffix. */
export const FimSuffix = '<|fim_suffix|>';
/** Chats: begins a message. */
export const ImStart = '<|im_start|>';
/** Chats: ends a message. */
export const ImEnd = '<|im_end|>';
/** Chats: separates role and content. */
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
/** Harmony: begins the content type. */
export const HarmonyConstrain = '<|constrain|>';
/** Harmony: ends a tool call. */
export const HarmonyCall = '<|call|>';
