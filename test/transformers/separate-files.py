"""Makes separate-files.json: `python separate-files.py`, with PyPI transformers 5.24.0.

What AutoTokenizer makes of folders with a vocab.json and a merges.txt, or a vocab.txt, in place of a tokenizer.json.
"""
import json
import os
import tempfile

from transformers import AutoTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
ALPHABET = [chr(byte) if byte in VISIBLE else chr(256 + sum(other not in VISIBLE for other in range(byte))) for byte in range(256)]
MERGES = "h e|l l|he ll|hell o|Ġ w|o r|Ġw or|l d|Ġwor ld|1 2|e Ì|Ġ Ð|ĠÐ ±|# #|a i".split("|")
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", "12", "naive", "."]
MASK = {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False, "special": True}
IM = {"content": "<|im_start|>", "lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True}
TOOL = {**IM, "content": "<tool>", "special": False, "normalized": True, "rstrip": True}
QWEN = {"tokenizer_class": "Qwen2Tokenizer", "bos_token": None, "pad_token": "<|endoftext|>"}
# (files as JSON, the tokens before the alphabet); or the lines of a vocab.txt.
CASES = [
    ({"tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer"}}, []),
    ({"config.json": {"model_type": "gpt2"}}, ["<|endoftext|>"]),
    ({"tokenizer_config.json": {"tokenizer_class": "GPT2TokenizerFast", "add_bos_token": True, "add_prefix_space": True}}, ["<|endoftext|>"]),
    ({"tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}}, []),
    ({"tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer"}, "special_tokens_map.json": {"eos_token": "<end>"}}, ["<end>"]),
    ({"tokenizer_config.json": {"tokenizer_class": "RobertaTokenizer"}}, ROBERTA),
    ({"config.json": {"model_type": "roberta"}}, ROBERTA),
    ({"tokenizer_config.json": {"tokenizer_class": "BartTokenizer", "mask_token": MASK, "add_prefix_space": True}}, ROBERTA),
    ({"tokenizer_config.json": {"tokenizer_class": "RobertaTokenizer", "trim_offsets": False}}, ROBERTA[:3]),
    ({"tokenizer_config.json": QWEN}, []),
    ({"tokenizer_config.json": {**QWEN, "added_tokens_decoder": {"271": TOOL, "270": IM}}}, []),
    ({"tokenizer_config.json": {**QWEN, "additional_special_tokens": ["<|im_start|>", "<|im_end|>"]}}, ["<|im_end|>"]),
    ({"tokenizer_config.json": QWEN, "added_tokens.json": {"<|im_start|>": 271, "<a>": 270}}, []),
    ({"tokenizer_config.json": {"tokenizer_class": "BertTokenizer"}}, BERT),
    ({"tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "do_lower_case": False}}, BERT + ["Hello", "na"]),
    ({"tokenizer_config.json": {"do_lower_case": True, "model_max_length": 512}, "config.json": {"model_type": "bert"}}, BERT),
    ({"tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "pad_token": None}}, BERT),
    ({"tokenizer_config.json": {"tokenizer_class": "BertTokenizer"}, "special_tokens_map.json": {"pad_token": "[MASK]"}}, BERT),
    ({"tokenizer_config.json": {"tokenizer_class": "DistilBertTokenizer", "model_max_length": 512}}, BERT),
]
TEXTS = [
    "hello world", "Hello  world<|endoftext|> 12</s>", "a <mask> b<mask>", "hello world hello", "<s>x</s>", "don't 1212 12!\n\n ok ", "naïve e\u0301 бб ##",
    "<|im_start|>user\nhello<|im_end|> <tool>  x <a>", "[CLS] hello [MASK]", "", "<end><pad>hello",
]


def answer(files, first):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "w") as file:
                json.dump(content, file)
        if "[UNK]" in first:
            with open(os.path.join(folder, "vocab.txt"), "w") as file:
                file.write("\n".join(first) + "\n")
        else:
            tokens = [*first, *ALPHABET, *(merge.replace(" ", "") for merge in MERGES)]
            with open(os.path.join(folder, "vocab.json"), "w") as file:
                json.dump({token: id for id, token in enumerate(dict.fromkeys(tokens))}, file)
            with open(os.path.join(folder, "merges.txt"), "w") as file:
                file.write("#version: 0.2\n" + "\n".join(MERGES) + "\n")
        tokenizer = AutoTokenizer.from_pretrained(folder)
        pair = tokenizer("hello world", "hello 12")
        special = {role: token for role, token in tokenizer.special_tokens_map.items() if isinstance(token, str)}
        return {
            "files": files, "first": first, "ids": [tokenizer(text).input_ids for text in TEXTS], "pair": pair.input_ids, "special": special,
            "bare": [tokenizer(text, add_special_tokens=False).input_ids for text in TEXTS],
        }


with open(os.path.join(HERE, "separate-files.json"), "w") as file:
    json.dump({"merges": MERGES, "texts": TEXTS, "cases": [answer(*case) for case in CASES]}, file, ensure_ascii=True, separators=(",", ":"))
    file.write("\n")
