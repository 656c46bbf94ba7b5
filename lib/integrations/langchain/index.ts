/**
 * Any model's tokenizer in LangChain: a splitter of texts, and counts of its models.
 *
 * @module crayon-tokenizer/langchain
 */

export { countTokensWith, type LanguageModel } from './count-tokens.js';
export { TokenTextSplitter, type TokenTextSplitterFields } from './token-text-splitter.js';
