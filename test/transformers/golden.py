"""Makes golden.json: `python golden.py`, with PyPI transformers 5.24.0 and tokenizers 0.23.3.

Random calls of Python's tokenizers for the small vocabularies of test/models, and what they return. Offsets of Python are those of
code points; here they are UTF-16 units, as JavaScript counts.
"""
import importlib
import inspect
import json
import os
import random
import re
import shutil
import tempfile

from transformers import AutoTokenizer, PreTrainedTokenizerFast
from transformers.models.auto import tokenization_auto

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "../models")
CONFIGS = {
    "bert": {
        "tokenizer_class": "BertTokenizer", "model_max_length": 24, "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]",
        "sep_token": "[SEP]", "mask_token": "[MASK]", "clean_up_tokenization_spaces": True, "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
    },
    "t5": {"pad_token": "<unk>", "eos_token": "</s>", "unk_token": "<unk>", "model_max_length": 17, "model_input_names": ["input_ids", "attention_mask"]},
    "xlm-roberta": {"pad_token": "<unk>", "eos_token": "</s>", "unk_token": "<unk>", "padding_side": "left", "model_max_length": 1e30},
    "llama": {"bos_token": "<s>", "unk_token": "<unk>", "pad_token": "<unk>", "padding_side": "left", "truncation_side": "left"},
    "falcon": {"pad_token": ">>TITLE<<", "eos_token": ">>TITLE<<", "model_max_length": 20},
    "gpt": {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "truncation_side": "left"},
    "clip": {
        "tokenizer_class": "CLIPTokenizer", "pad_token": "<|endoftext|>", "bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>",
        "unk_token": "<|endoftext|>", "model_max_length": 77,
    },
}
WORDS = (
    "the of and tokenizer Tokens hello world encode text file a I it's don't can't 12 3.14 naïve façade é ﬁ Привет мир 日本語 テキスト "
    "今天 한국어 ภาษาไทย 👍🏽 𝒳 , . ! ? ( ) [ ] \" ' - … “quoted” CamelCase snake_case https://example.org/x?y=1 \t \n \u00a0 [SEP] <s> </s> [MASK] <unk>"
).split(" ")
TEMPLATE = (
    "{{ cls_token }}{% if tools %}tools: {{ tools | tojson }}\n{% endif %}{% for document in documents or [] %}{{ document.title }}: {{ document.text }}\n{% endfor %}"
    "{% for message in messages %}<{{ message.role }}> {{ message.content }}{{ sep_token }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% if thinking %} hm{% endif %}{% endif %}"
)
CHAT = [
    {"role": "system", "content": "hello world"},
    {"role": "user", "content": "encode the text [SEP] naïve"},
    {"role": "assistant", "content": "it's a file "},
]
TOOLS = [{"type": "function", "function": {"name": "f", "description": "naïve", "parameters": {"type": "object", "properties": {}}}}]
CHAT_OPTIONS = [
    {}, {"add_generation_prompt": True}, {"add_generation_prompt": True, "thinking": True}, {"continue_final_message": True},
    {"tools": TOOLS}, {"documents": [{"title": "one", "text": "the text"}]},
]
# Classes that only older versions have, and files still name.
OLD = ["Electra", "Ernie", "LayoutLM", "Lxmert", "Realm", "Retribert", "VisualBert"]
RANDOM = random.Random(20261127)


# Falcon's vocabulary here lacks bytes, after which Python's offsets are those of other characters.
model = ""


def text(least=0):
    separator = RANDOM.choice([" ", " ", " ", "", "  "])
    return separator.join(RANDOM.choice(WORDS) for _ in range(RANDOM.randint(least, RANDOM.choice([3, 8, 24]))))


def options(has_pair):
    made = {}
    if RANDOM.random() < 0.6:
        made["padding"] = RANDOM.choice([True, "max_length", "longest", False])
    if RANDOM.random() < 0.7:
        made["truncation"] = RANDOM.choice([True, "longest_first", "only_first", "only_second", False])
    if RANDOM.random() < 0.7:
        made["max_length"] = RANDOM.choice([4, 5, 6, 7, 8, 10, 12, 16, 31])
    if RANDOM.random() < 0.4:
        made["return_overflowing_tokens"] = True
        if RANDOM.random() < 0.7:
            made["stride"] = RANDOM.choice([1, 2, 3])
    for name, chance in [("add_special_tokens", 0.2), ("return_attention_mask", 0.1)]:
        if RANDOM.random() < chance:
            made[name] = False
    for name, chance in [("return_token_type_ids", 0.4), ("return_special_tokens_mask", 0.4), ("return_offsets_mapping", 0.5), ("split_special_tokens", 0.2)]:
        if RANDOM.random() < chance:
            made[name] = True
    if model == "falcon":
        made.pop("return_offsets_mapping", None)
    if RANDOM.random() < 0.2:
        made["padding_side"] = RANDOM.choice(["left", "right"])
    if RANDOM.random() < 0.1:
        made["pad_to_multiple_of"] = RANDOM.choice([4, 8])
    return made


def units(texts, mapping):
    """Offsets in UTF-16 units. `texts`: that of each token."""
    def unit(text, at):
        return len(text[:at].encode("utf-16-le")) // 2
    return [[unit(text, start), unit(text, end)] for text, (start, end) in zip(texts, mapping)]


def call(tokenizer, given, pair, made):
    try:
        result = tokenizer(given, pair, **made)
    except (Exception, BaseException) as error:  # A panic of Rust is no Exception.
        if isinstance(error, KeyboardInterrupt):
            raise
        return {"error": type(error).__name__}
    expected = dict(result)
    if "offset_mapping" in expected:
        is_flat = isinstance(given, str) and not made.get("return_overflowing_tokens")
        rows = [expected["offset_mapping"]] if is_flat else expected["offset_mapping"]
        samples = expected.get("overflow_to_sample_mapping", range(len(rows)))
        mapped = []
        for index, (row, sample) in enumerate(zip(rows, samples)):
            both = [given if isinstance(given, str) else given[sample], (pair if isinstance(pair, (str, type(None))) else pair[sample]) or ""]
            sequences = result.encodings[index].sequence_ids
            mapped.append(units([both[each or 0] for each in sequences], row))
        expected["offset_mapping"] = mapped[0] if is_flat else mapped
    count = len(result.encodings)
    words, sequences = [[getattr(result, name)(index) for index in range(count)] for name in ["word_ids", "sequence_ids"]]
    return {"expected": expected, "words": words, "sequences": sequences}


def classes():
    """Whether each class of tokenizers returns the types of tokens by default: classes by their attribute, and other names that files
    may have by what AutoTokenizer opens for them."""
    base, found = PreTrainedTokenizerFast.__mro__[1], {}
    models = os.path.dirname(os.path.dirname(tokenization_auto.__file__))
    for folder in sorted(os.listdir(models)):
        for file in sorted(os.listdir(os.path.join(models, folder))) if os.path.isdir(os.path.join(models, folder)) else []:
            if not re.fullmatch(r"tokenization_\w+\.py", file):
                continue
            try:
                module = importlib.import_module(f"transformers.models.{folder}.{file[:-3]}")
            except (ImportError, NameError):  # Of those that need another package; none of these returns types.
                continue
            for name, each in vars(module).items():
                if inspect.isclass(each) and issubclass(each, base) and name.endswith(("Tokenizer", "TokenizerFast")):
                    found[name] = "token_type_ids" in each.model_input_names
    with open(tokenization_auto.__file__, encoding="utf-8") as source:
        others = set(re.findall(r'"(\w+Tokenizer)(?:Fast)?"', source.read())) | {f"{name}Tokenizer" for name in OLD}
    for name in sorted(others - set(found) - {"AutoTokenizer"}):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(MODELS, "bert.tokenizer.json"), os.path.join(folder, "tokenizer.json"))
            with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as out:
                json.dump({**{key: value for key, value in CONFIGS["bert"].items() if key != "model_input_names"}, "tokenizer_class": name}, out)
            try:
                found[name] = "token_type_ids" in AutoTokenizer.from_pretrained(folder)("hello")
            except (Exception, BaseException):  # Not a class for such a file; or a panic of Rust.
                continue
    # It opens two others and has no files of its own.
    found.pop("RagTokenizer", None)
    return dict(sorted(found.items()))


def opened(name, config):
    """As the file says; CLIP, by its class, which decodes in its own way."""
    path = os.path.join(MODELS, f"{name}.tokenizer.json")
    if name != "clip":
        return PreTrainedTokenizerFast(tokenizer_file=path, **{key: value for key, value in config.items() if key != "tokenizer_class"})
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, os.path.join(folder, "tokenizer.json"))
        with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as out:
            json.dump(config, out)
        return AutoTokenizer.from_pretrained(folder)


def main():
    global model
    cases, decoded, tokenized = [], [], []
    for name, config in CONFIGS.items():
        model = name
        tokenizer = opened(name, config)
        for _ in range(60):
            is_batch = RANDOM.random() < 0.5
            has_pair = RANDOM.random() < 0.4
            count = RANDOM.randint(1, 4)
            given = [text() for _ in range(count)] if is_batch else text()
            pair = ([text() for _ in range(count)] if is_batch else text(1)) if has_pair else None
            chosen = options(has_pair)
            case = {"model": name, "text": given, "options": chosen, **call(tokenizer, given, pair, chosen)}
            if pair is not None:
                case["pair"] = pair
            cases.append(case)
        for _ in range(8):
            one, other = text(), text(1)
            ids = tokenizer.encode(one)
            for chosen in [{}, {"skip_special_tokens": True}, {"clean_up_tokenization_spaces": RANDOM.random() < 0.5}]:
                decoded.append({"model": name, "ids": ids, "options": chosen, "text": tokenizer.decode(ids, **chosen)})
            tokenized.append({"model": name, "text": one, "tokens": tokenizer.tokenize(one)})
            tokenized.append({"model": name, "text": one, "pair": other, "tokens": tokenizer.tokenize(one, pair=other, add_special_tokens=True)})
    chats = []
    bert = opened("bert", CONFIGS["bert"])
    for chosen in CHAT_OPTIONS:
        conversation = CHAT[:-1] if chosen.get("add_generation_prompt") else CHAT
        text_of = bert.apply_chat_template(conversation, chat_template=TEMPLATE, tokenize=False, **chosen)
        ids = dict(bert.apply_chat_template(conversation, chat_template=TEMPLATE, truncation=True, max_length=40, padding="max_length", **chosen))
        chats.append({"messages": conversation, "options": chosen, "text": text_of, "encoded": ids})
    with open(os.path.join(HERE, "golden.json"), "w", encoding="utf-8") as out:
        json.dump({"configs": CONFIGS, "calls": cases, "decoded": decoded, "tokenized": tokenized, "template": TEMPLATE, "chats": chats, "classes": classes()}, out, ensure_ascii=False, separators=(",", ":"))
    failures = sum("error" in case for case in cases)
    print(f"{len(cases)} calls, of which {failures} fail; {len(decoded)} decoded, {len(tokenized)} tokenized")


main()
