// Opens a model's tokenizer from its files.

import { unexpected } from '../../base/errors.js';
import { checkOptionNames, optionNames } from '../../base/option-objects.js';
import { ChangedTokens, type TokenNames } from '../encodings/token-names.js';
import { chatAtOnce, Tokenizer } from '#host';
import { vocabularyOf } from '../../api/tokenizer.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { type ModelConfig, namesInCartridge, namesInJson, settingsOf } from './config.js';
import type { TensorClass } from './encoded.js';
import { type ModelFiles, readModel } from './model-files.js';
import { PreTrainedTokenizer } from './pretrained-tokenizer.js';
import { templatesIn } from './components.js';

/**
 * Options of `from_pretrained`.
 *
 * @example
 * ```ts
 * import type { FromPretrainedOptions } from 'crayon-tokenizer/transformers';
 *
 * const options: FromPretrainedOptions = { chat_template: '{{ messages[0].content }}' };
 * ```
 */
export interface FromPretrainedOptions<Tensor = never> {
  /** The class of the tensors that calls return: of transformers.js, of onnxruntime, your own. Default: calls return lists. */
  Tensor?: TensorClass<Tensor> | undefined;
  /** The model's template for chats, in place of the one in its files. */
  chat_template?: string | undefined;
  /** Options of downloads, as transformers.js has them. Nothing is downloaded: they change nothing. */
  progress_callback?: unknown;
  config?: unknown;
  cache_dir?: unknown;
  local_files_only?: unknown;
  revision?: unknown;
}

const OPTIONS = optionNames<FromPretrainedOptions>({
  Tensor: true,
  chat_template: true,
  progress_callback: true,
  config: true,
  cache_dir: true,
  local_files_only: true,
  revision: true,
});

/**
 * Where the folders of models are: with `localModelPath`, `from_pretrained('org/name')` opens the folder `org/name` in it, or below
 * that URL. Other members are those of transformers.js, and change nothing: nothing is downloaded from a hub.
 *
 * @example
 * ```ts
 * import { env } from 'crayon-tokenizer/transformers';
 *
 * env.localModelPath = './models';
 * ```
 */
export const env: { localModelPath?: string | undefined; [name: string]: unknown } = {};

/** A name on the hub, as Hugging Face allows it. */
const HUB_NAME = /^(?:\w[\w.-]*\/)?\w[\w.-]*$/;

/** A source, in the folder of models if it is a name. */
function localPath<Source>(source: Source | string): Source | string {
  const { localModelPath } = env;
  if (localModelPath === undefined || typeof source !== 'string' || !HUB_NAME.test(source)) return source;
  if (typeof localModelPath !== 'string') throw unexpected('a string', 'env.localModelPath', localModelPath);
  return `${localModelPath.replace(/\/$/, '')}/${source}`;
}

/**
 * Opens tokenizers.
 *
 * @example
 * ```ts
 * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
 *
 * const vocab = { '[UNK]': 0, hello: 1, world: 2 };
 * const file = { model: { type: 'WordLevel', unk_token: '[UNK]', vocab }, pre_tokenizer: { type: 'Whitespace' } };
 * const tokenizer = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
 * tokenizer('hello world').input_ids; // [1, 2]
 * ```
 */
// biome-ignore lint/complexity/noStaticOnlyClass: transformers has this class.
export class AutoTokenizer {
  /**
   * Opens a model's tokenizer: from a folder, or from the path of a `tokenizer.json`, with what lies beside it
   * (`tokenizer_config.json`, `special_tokens_map.json`, `chat_template.jinja`); in pages, from their URL; or from the contents
   * of these files, or a cartridge of the first. In Node, an older model's folder may have a `vocab.json` and a `merges.txt`, or a
   * `vocab.txt` of BERT, in place of a `tokenizer.json`. A model's name on a hub is looked for in `env.localModelPath`; nothing is
   * downloaded.
   *
   * @example
   * ```ts
   * import { AutoTokenizer } from 'crayon-tokenizer/transformers';
   *
   * const model = { type: 'WordLevel', unk_token: '?', vocab: { '?': 0, hello: 1 } };
   * const file = { model, pre_tokenizer: { type: 'Whitespace' } };
   * const tokenizer = await AutoTokenizer.from_pretrained({ 'tokenizer.json': file });
   * tokenizer.encode('hello'); // [1]
   * ```
   */
  static async from_pretrained<Tensor = never>(
    source: string | URL | ModelFiles | ArrayBuffer | Uint8Array,
    options: FromPretrainedOptions<Tensor> = {},
  ): Promise<PreTrainedTokenizer<Tensor>> {
    checkOptionNames(options, OPTIONS);
    const { Tensor, chat_template } = options;
    if (Tensor !== undefined && typeof Tensor !== 'function') throw unexpected('a class', 'Tensor', Tensor);
    if (chat_template !== undefined && typeof chat_template !== 'string') throw unexpected('a string', 'chat_template', chat_template);
    const model = await readModel(localPath(source));
    const tokenizer = await Tokenizer.load(model.vocabulary);
    const vocabulary = vocabularyOf(tokenizer);
    if (!model.vocabularyText) model.file = fileOfCartridge(vocabulary);
    const settings = settingsOf(model, (token) => tokenizer.idOf(token) !== undefined);
    const { vocabularyText: text, file } = model;
    const changed = new ChangedTokens(vocabulary, file.added);
    let read: TokenNames | undefined;
    const names = () => (read ??= text ? namesInJson(text(), changed.names) : namesInCartridge(vocabulary, changed.names));
    const { roles } = settings;
    if (!model.config) {
      for (const role of ['bos', 'eos', 'unk'] as const) {
        const id = tokenizer[`${role}TokenId`];
        if (id !== undefined) roles[`${role}_token`] ??= names().nameOf(id);
      }
    }
    // As in transformers.js.
    roles.pad_token ??= roles.eos_token;
    if (chat_template !== undefined) settings.templates = { default: chat_template };
    const chat = await chatAtOnce(Object.keys(settings.templates).length > 0);
    return new PreTrainedTokenizer({
      tokenizer,
      vocabulary,
      templates: templatesIn(vocabulary),
      settings,
      added: file.added,
      changed,
      names,
      chat,
      Tensor,
    });
  }
}

/** What a cartridge keeps of the file that it was made of. */
function fileOfCartridge({ description, metadata }: Vocabulary): ModelConfig['file'] {
  const { padding, truncation } = metadata as Pick<ModelConfig['file'], 'padding' | 'truncation'>;
  const added = description.addedTokens.map(({ id, text, special }) => ({ id, content: text, special }));
  return { padding: padding ?? undefined, truncation: truncation ?? undefined, added };
}
