// What the cases of differences.json are asked of, and their answers as text.

/** As in differences.py. */
export const CONFIGS = {
  bert: {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 24,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: '[MASK]',
  },
  llama: { tokenizer_class: 'PreTrainedTokenizerFast', bos_token: '<s>', unk_token: '<unk>' },
  clip: { tokenizer_class: 'CLIPTokenizer', pad_token: '<|endoftext|>', unk_token: '<|endoftext|>', eos_token: '<|endoftext|>' },
};

/** A tokenizer whose calls return lists, unless they ask for something else. */
export function withLists(tokenizer) {
  return new Proxy(tokenizer, {
    apply: (_, __, [text, options]) => tokenizer(text, { return_tensor: false, ...options }),
    get: (_, key) => (typeof tokenizer[key] === 'function' ? tokenizer[key].bind(tokenizer) : tokenizer[key]),
  });
}

/** The result of an expression in which `tokenizer` occurs, or its failure, on one line. */
export function answerOf(expression, tokenizer) {
  try {
    return JSON.stringify(new Function('tokenizer', `return ${expression}`)(tokenizer)) ?? 'undefined';
  } catch (error) {
    return `${error.name}: ${error.message.split('\n')[0]}`;
  }
}
