"""What Nucleotide Transformer's and HyenaDNA's own tokenizers make of sequences, for test/lib/dna-reference.test.ts.

    python reference.py make           writes reference.json beside this file: seeded sequences and their ids
    python reference.py ask < input    answers {"model": name, "sequences": [...]} with their ids as JSON

The first is transformers' EsmTokenizer with the vocabulary files of the models, rebuilt by their rule; the second a tokenizer of
characters with the special tokens of HyenaDNA's CharacterTokenizer. transformers 5 forgets `lstrip` of special tokens, with which
that one was made and which 4 applies: it is given as an added token here, which both apply.
"""

import itertools
import json
import os
import random
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import transformers  # noqa: E402

SEED = 20261123
SPECIALS = {
    "nt": ["<unk>", "<pad>", "<mask>", "<cls>", "<eos>", "<bos>"],
    "hyenadna": ["[CLS]", "[SEP]", "[BOS]", "[MASK]", "[PAD]", "[UNK]"],
}
SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
NO_SPACES = "\u200b\u180e\ufeff\x00\x1b\x7f"


def nucleotide_transformer(name):
    kmers = ["".join(each) for each in itertools.product("ATCG", repeat=6)]
    if name == "nt-v1":
        tokens = ["<unk>", "<pad>", "<mask>", "<cls>", *kmers, *"ATCGN", "<eos>", "<bos>"]
    else:
        tokens = [*SPECIALS["nt"], *kmers, *"ATCGN"]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "vocab.txt")
        with open(file, "w") as out:
            out.write("\n".join(tokens))
        return transformers.EsmTokenizer(file, eos_token=None)


class Characters(transformers.PreTrainedTokenizer):
    def __init__(self):
        names = ["[CLS]", "[SEP]", "[BOS]", "[MASK]", "[PAD]", "[RESERVED]", "[UNK]", *"ACGTN"]
        self.ids = {name: at for at, name in enumerate(names)}
        mask = transformers.AddedToken("[MASK]", lstrip=True, rstrip=False, special=True, normalized=False)
        super().__init__(
            bos_token="[BOS]", eos_token="[SEP]", sep_token="[SEP]", cls_token="[CLS]", pad_token="[PAD]", unk_token="[UNK]",
            mask_token=mask, added_tokens_decoder={3: mask}, padding_side="left",
        )

    vocab_size = property(lambda self: len(self.ids))

    def get_vocab(self):
        return dict(self.ids)

    def _tokenize(self, text, **_):
        return list(text)

    def _convert_token_to_id(self, token):
        return self.ids.get(token, self.ids["[UNK]"])

    def _convert_id_to_token(self, index):
        return next(name for name, at in self.ids.items() if at == index)


def tokenizer_of(name):
    return Characters() if name == "hyenadna" else nucleotide_transformer(name)


def ids_of(name, sequences):
    tokenizer = tokenizer_of(name)
    return [tokenizer.encode(sequence, add_special_tokens=False) for sequence in sequences]


def random_sequences(name, count):
    """Runs of bases, of letters without an id and of white space; special tokens and parts of them between."""
    source = random.Random(f"{SEED} {name}")
    specials = SPECIALS["hyenadna" if name == "hyenadna" else "nt"]
    kinds = ["ACGT"] * 4 + ["N", "ACGTN", "acgtn", "RYSWKMBDHVX-", "X", "acgt" + SPACES, SPACES, " ", NO_SPACES + "é\U0001f9ec", "ACGTX", "[]<>mask"]
    for _ in range(count):
        parts = []
        for _ in range(source.randrange(1, 12)):
            if source.random() < 0.15:
                token = source.choice(specials)
                parts.append(token if source.random() < 0.8 else token[: source.randrange(1, len(token))])
            else:
                kind = source.choice(kinds)
                parts.append("".join(source.choice(kind) for _ in range(source.choice([1, 1, 2, 3, 5, 6, 7, 12, 13, 30]))))
        yield "".join(parts)


def make():
    models = {}
    for name in ["nt-v1", "nt-v2", "hyenadna"]:
        sequences = list(random_sequences(name, 150))
        models[name] = [[sequence, ids] for sequence, ids in zip(sequences, ids_of(name, sequences))]
    made = {"by": f"test/golden/dna/reference.py with transformers {transformers.__version__}", "models": models}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json"), "w") as out:
        lines = ",\n".join(f'"{name}": [\n' + ",\n".join(json.dumps(each) for each in cases) + "\n]" for name, cases in models.items())
        out.write(f'{{\n"by": {json.dumps(made["by"])},\n"models": {{\n{lines}\n}}\n}}\n')


if __name__ == "__main__":
    if sys.argv[1:] == ["make"]:
        make()
    else:
        given = json.load(sys.stdin)
        json.dump(ids_of(given["model"], given["sequences"]), sys.stdout)
