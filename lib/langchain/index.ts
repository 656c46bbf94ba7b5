// `crayon-tokenizer/langchain`: any model's tokenizer in LangChain.

export { countTokensWith, type LanguageModel } from './count-tokens.js';
export { TokenTextSplitter, type TokenTextSplitterFields } from './token-text-splitter.js';
