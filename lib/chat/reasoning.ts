// What a message's reasoning may be called.

/** The first is what templates read. */
export const REASONING = ['reasoning_content', 'thinking', 'reasoning'];
