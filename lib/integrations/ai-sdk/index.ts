/**
 * Prompts of the AI SDK, counted and kept within a budget.
 *
 * @module crayon-tokenizer/ai-sdk
 */

export { type CountPromptOptions, countPrompt, type PromptCount } from './count-prompt.js';
export type { PromptFile, PromptMessage, PromptParams } from './count-prompt.js';
export { type TokenBudget, type TokenBudgetOptions, tokenBudget, type TrimmedPrompt } from './token-budget.js';
