// The field names for a message's reasoning.

/** Templates read the first one. */
export const REASONING = ['reasoning_content', 'thinking', 'reasoning'];
