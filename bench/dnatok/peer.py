"""The other side of DNATok's grid, in Python: transformers' tokenizers, copies to a device by PyTorch, and a model.

Reads requests from stdin, one JSON object a line, and answers each with one line:

    {"do": "about"}                                           versions, the device
    {"do": "encode", "model": NAME, "rows": N, "bases": L}     one call of a tokenizer for all rows; with and without the copy
    {"do": "copies", "ids": N}                                 N ids to the device, by element type and kind of memory
    {"do": "model", "rows": N, "bases": L}                     an encoder of the Nucleotide Transformer's shape, random weights

All have "warm" and "repeats". Times are in seconds. Without a CUDA device, "copies" stay on the CPU, and "device" says so.
"""

import array
import hashlib
import itertools
import json
import os
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "true"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers import EsmTokenizer, PreTrainedTokenizer  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SPECIAL = ["[CLS]", "[SEP]", "[BOS]", "[MASK]", "[PAD]", "[RESERVED]", "[UNK]"]


class Characters(PreTrainedTokenizer):
    """One id per character, as HyenaDNA's tokenizer has it: the published class is not part of transformers."""

    model_input_names = ["input_ids"]

    def __init__(self, **options):
        tokens = SPECIAL + list("ACGTN")
        self._ids = {token: number for number, token in enumerate(tokens)}
        self._tokens = tokens
        super().__init__(
            pad_token="[PAD]", unk_token="[UNK]", sep_token="[SEP]", cls_token="[CLS]", mask_token="[MASK]", padding_side="left", **options
        )

    @property
    def vocab_size(self):
        return len(self._tokens)

    def get_vocab(self):
        return dict(self._ids)

    def _tokenize(self, text):
        return list(text)

    def _convert_token_to_id(self, token):
        return self._ids.get(token, self._ids["[UNK]"])

    def _convert_id_to_token(self, number):
        return self._tokens[number]


def six_mers(folder):
    """The vocabulary of Nucleotide Transformer v2, written by its rule."""
    tokens = ["<unk>", "<pad>", "<mask>", "<cls>", "<eos>", "<bos>"]
    tokens += ["".join(bases) for bases in itertools.product("ATCG", repeat=6)] + list("ATCGN")
    path = os.path.join(folder, "vocab.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(tokens))
    return EsmTokenizer(path, model_max_length=1 << 30, eos_token=None)


def sequences(rows, bases):
    """Those of `crayon dna bench grid`."""
    state, all_rows = 42, []
    for _ in range(rows):
        row = bytearray(bases)
        for at in range(bases):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            row[at] = b"ACGT"[state >> 30]
        all_rows.append(row.decode("ascii"))
    return all_rows


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def timed(call, warm, repeats):
    times = []
    for turn in range(warm + repeats):
        began = time.perf_counter()
        call()
        wait()
        if turn >= warm:
            times.append(time.perf_counter() - began)
    return times


def about(_):
    name = torch.cuda.get_device_name(0) if DEVICE == "cuda" else "none: copies stay on the CPU"
    return {"device": name, "cuda": DEVICE == "cuda", "torch": torch.__version__, "transformers": transformers.__version__}


def encode(request):
    tokenizer = TOKENIZERS[request["model"]]
    rows = sequences(request["rows"], request["bases"])

    encode, on_device = [], []
    for turn in range(request["warm"] + request["repeats"]):
        began = time.perf_counter()
        lists = tokenizer(rows, add_special_tokens=False, return_attention_mask=False)["input_ids"]
        middle = time.perf_counter()
        torch.tensor(lists, dtype=torch.long).to(DEVICE)
        wait()
        if turn >= request["warm"]:
            encode.append(middle - began)
            on_device.append(time.perf_counter() - began)
    ids = array.array("i", itertools.chain.from_iterable(lists))
    return {"ids": hashlib.sha256(ids.tobytes()).hexdigest(), "encode": encode, "onDevice": on_device}


def copies(request):
    answer = {}
    for name, dtype in [("int64", torch.int64), ("int32", torch.int32), ("uint8", torch.uint8)]:
        for memory in ["pageable", "pinned"]:
            source = torch.ones(request["ids"], dtype=dtype)
            if memory == "pinned" and DEVICE == "cuda":
                source = source.pin_memory()
            target = torch.empty_like(source, device=DEVICE)
            answer[f"{name}, {memory}"] = timed(lambda: target.copy_(source, non_blocking=True), request["warm"], request["repeats"])
    return answer


def model(request):
    """transformers' ESM with the sizes of Nucleotide Transformer v2 50M. Random weights: its values mean nothing, its time does."""
    torch.manual_seed(42)
    config = transformers.EsmConfig(
        vocab_size=4107, hidden_size=512, num_hidden_layers=12, num_attention_heads=16, intermediate_size=2048,
        position_embedding_type="rotary", pad_token_id=1, mask_token_id=2, max_position_embeddings=2050, token_dropout=False,
    )  # fmt: skip
    network = transformers.EsmModel(config, add_pooling_layer=False).to(DEVICE, torch.bfloat16).eval()
    ids = torch.randint(6, 4102, (request["rows"], request["bases"] // 6 + request["bases"] % 6), device=DEVICE)
    mask = torch.ones_like(ids)
    with torch.inference_mode():
        return {"tokens": ids.numel(), "times": timed(lambda: network(ids, attention_mask=mask).last_hidden_state.mean(1), request["warm"], request["repeats"])}


with tempfile.TemporaryDirectory() as folder:
    TOKENIZERS = {"hyenadna": Characters(model_max_length=1 << 30), "nt-v2": six_mers(folder)}
    DO = {"about": about, "encode": encode, "copies": copies, "model": model}
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(DO[asked["do"]](asked)), flush=True)
