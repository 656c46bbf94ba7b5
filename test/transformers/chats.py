"""Makes chats.json: `python chats.py [CHATS-OF-EACH-MODEL]`, with PyPI transformers 5.24.0, tokenizers 0.23.3 and jinja2.

Random calls of apply_chat_template with sanitize_control_tokens and return_assistant_tokens_mask, and what Python returns. The contents of
messages are pieces of control tokens, whole ones, and text.
"""
import json
import os
import random
import sys

from transformers import PreTrainedTokenizerFast

HERE = os.path.dirname(os.path.abspath(__file__))
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 80
RANDOM = random.Random(20261129)
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False}
WORDS = {
    "added_tokens": [
        {"id": 7, "content": "<end>", "normalized": False, "special": True, **FLAGS},
        {"id": 8, "content": "<think>", "normalized": False, "special": False, **FLAGS},
        {"id": 9, "content": "<end>x", "normalized": False, "special": False, **FLAGS},
        # Plain text makes it, too.
        {"id": 2, "content": "y", "normalized": False, "special": False, **FLAGS},
    ],
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "x": 1, "y": 2, "end": 3, "<": 4, ">": 5, "think": 6}},
}
MODELS = {
    "words": {"pad_token": "<end>", "eos_token": "<end>"},
    "listed": {"pad_token": "<end>", "eos_token": "<end>", "chat_control_tokens": ["<end>x", "y"]},
    "bert": {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"},
    "llama": {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<unk>", "truncation_side": "left", "padding_side": "left"},
    "gpt": {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
}
TEMPLATES = [
    "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{{ eos_token }}{% endfor %}",
    "{{ bos_token }}{% for m in messages %}<{{ m.role }}>\n{% if m.role == 'assistant' %}{% generation %}{{ m.content }}\n{% endgeneration %}{% else %}{{ m.content }} {% endif %}<think>{{ '[SEP]' }}{% endfor %}{{ more }}",
    "{% for m in messages %}{{ m.content.split('<think>')[-1] | trim }}</s>{{ (tools or [{}])[0].name }}{{ (documents or [{}])[0].text }}{% endfor %}",
]
PIECES = [
    "<end>", "<end>x", "<en", "d>", "<think>", "</s>", "<s>", "[SEP]", "[MASK]", "<unk>", "<pad>", " ", "  ", "\n", "x", "y", "hello ", "the text", "é", "👍", "\U000f0000", "\U000f0001", "", "<end>x<end>",
]


def text(most=6):
    return "".join(RANDOM.choice(PIECES) for _ in range(RANDOM.randint(0, most)))


def chat():
    return [{"role": RANDOM.choice(["user", "assistant", "assistant", "<end>"]), "content": text()} for _ in range(RANDOM.randint(1, 4))]


def opened(name):
    if name in ("words", "listed"):
        path = os.path.join(HERE, "../../build/words.tokenizer.json")
        file = {"version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None, "decoder": None, **WORDS}
        with open(path, "w", encoding="utf-8") as out:
            json.dump(file, out)
    else:
        path = os.path.join(HERE, f"../models/{name}.tokenizer.json")
    return PreTrainedTokenizerFast(tokenizer_file=path, **MODELS[name])


def main():
    cases = []
    for name in MODELS:
        tokenizer = opened(name)
        for index in range(COUNT):
            sanitizes = index % 2 == 0
            template = RANDOM.randrange(3 if sanitizes else 2)
            options = {"sanitize_control_tokens" if sanitizes else "return_assistant_tokens_mask": True}
            if RANDOM.random() < 0.3:
                options.update(truncation=True, max_length=RANDOM.choice([1, 3, 8, 20]))
            if RANDOM.random() < 0.3:
                options["padding"] = RANDOM.choice([True, "max_length"])
                options["max_length"] = options.get("max_length", 24)
            if RANDOM.random() < 0.3:
                options["tools"] = [{"name": text(3)}]
            if RANDOM.random() < 0.3:
                options["documents"] = [{"text": text(3)}]
            if RANDOM.random() < 0.3:
                options["more"] = text(3)
            messages = [chat() for _ in range(RANDOM.randint(1, 3))] if RANDOM.random() < 0.3 else chat()
            case = {"model": name, "template": template, "messages": messages, "options": options}
            try:
                result = tokenizer.apply_chat_template(messages, chat_template=TEMPLATES[template], **options)
                if result["input_ids"] == []:  # Python then returns no mask, and does not pad.
                    continue
                case["expected"] = {column: result[column] for column in ("input_ids", "attention_mask", "assistant_masks") if column in result}
            except Exception as error:
                case["error"] = f"{type(error).__name__}: {error}"
            cases.append(case)
    with open(os.path.join(HERE, "chats.json"), "w", encoding="utf-8") as out:
        lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases)
        head = json.dumps({"words": WORDS, "configs": MODELS, "templates": TEMPLATES}, ensure_ascii=False)[:-1]
        out.write(f'{head},"cases":[\n{lines}\n]}}\n')
    errors = [case["error"] for case in cases if "error" in case]
    print(f"{len(cases)} chats, of which {len(errors)} fail: {sorted(set(errors))[:5]}")


main()
