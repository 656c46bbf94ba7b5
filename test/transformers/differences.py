"""Adds to differences.json what Python's transformers answer: `python differences.py`, with PyPI transformers 5.24.0."""
import json
import os

from transformers import AutoTokenizer
import tempfile
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
# As in differences.test.ts.
CONFIGS = {
    "bert": {"tokenizer_class": "BertTokenizer", "model_max_length": 24, "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"},
    "llama": {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "unk_token": "<unk>"},
    "clip": {"tokenizer_class": "CLIPTokenizer", "pad_token": "<|endoftext|>", "unk_token": "<|endoftext|>", "eos_token": "<|endoftext|>"},
}


def answer(case):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(HERE, f"../models/{case['model']}.tokenizer.json"), os.path.join(folder, "tokenizer.json"))
        with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as out:
            json.dump({**CONFIGS[case["model"]], **case.get("config", {})}, out)
        tokenizer = AutoTokenizer.from_pretrained(folder)
        try:
            return json.dumps(eval(case["py"], {"tokenizer": tokenizer}), ensure_ascii=False, separators=(",", ":"))
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def main():
    path = os.path.join(HERE, "differences.json")
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    for case in cases:
        case["python"] = answer(case)
    with open(path, "w", encoding="utf-8") as out:
        json.dump(cases, out, ensure_ascii=False, indent=2)
        out.write("\n")


main()
