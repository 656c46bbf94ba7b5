"""A tokenizer of Python as a contender of the race, in a process of its own: peers.py NAME TOKENIZER_JSON TEXT WARM_UP PASSES

Encodes the warm-up, then the text PASSES times, each peer by its fastest call for one text, and prints a line of JSON: the
nanoseconds of each pass, by the clock and of the CPU (all threads), and the sha256 of the ids as numbers of 32 bits.
"""

import hashlib
import importlib.metadata
import json
import sys
import time

import numpy

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def gigatoken(file):
    import gigatoken

    tokenizer = gigatoken.Tokenizer(file)
    return tokenizer.encode, numpy.asarray


def tokenizers(file):
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(file)
    tokenizer.truncation = tokenizer.padding = None
    encode = lambda text: tokenizer.encode(text.decode(), add_special_tokens=False, encode_special_tokens=True)
    return encode, lambda encoding: encoding.ids_array


def tokie(file):
    import tokie

    tokenizer = tokie.Tokenizer.from_json(file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # The flat batch returns numpy's array, with one text in it.
    return lambda text: tokenizer.encode_batch_flat([text.decode()], add_special_tokens=False)[0], lambda ids: ids


def splintr(file):
    import splintr

    tokenizer = splintr.from_json(file)
    return lambda text: tokenizer.encode_ordinary(text.decode()), numpy.asarray


def tiktoken(file):
    """From the vocabulary and pattern of the same file: it downloads its own. It knows no normalizer."""
    import tiktoken

    with open(file, encoding="utf-8") as source:
        described = json.load(source)
    added = {token["content"]: token["id"] for token in described["added_tokens"]}
    byte_of = {character: byte for byte, character in enumerate(byte_characters())}
    ranks = {
        bytes(byte_of[character] for character in token): rank
        for token, rank in described["model"]["vocab"].items()
        if token not in added
    }
    encoding = tiktoken.Encoding("raced", pat_str=pattern_of(described), mergeable_ranks=ranks, special_tokens=added)
    encode = lambda text: encoding.encode_to_numpy(text.decode(), disallowed_special=())
    return encode, lambda ids: ids


def pattern_of(described):
    for step in described["pre_tokenizer"].get("pretokenizers", []):
        if step["type"] == "Split":
            return step["pattern"]["Regex"]
    return GPT2


def byte_characters():
    """The characters that stand for bytes 0 to 255 in vocabularies of bytes: printable ones for themselves, then from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (chr(0x100 + index) for index in range(256 - len(printable)))
    return [chr(byte) if byte in printable else next(others) for byte in range(256)]


PEERS = {peer.__name__: peer for peer in (gigatoken, tokenizers, tokie, splintr, tiktoken)}
DISTRIBUTIONS = {"splintr": "splintr-rs"}


def main():
    name, file, text_file, warm_up_file, passes = sys.argv[1:]
    with open(text_file, "rb") as text_source, open(warm_up_file, "rb") as warm_up_source:
        text, warm_up = text_source.read(), warm_up_source.read()
    encode, ids_of = PEERS[name](file)
    # As large as any result: the allocator keeps its pages, so that no pass waits for them.
    numpy.ones(2 * len(text) + (1 << 20), dtype=numpy.uint32)
    encode(warm_up)
    times = []
    for _ in range(int(passes)):
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        encoded = encode(text)
        times.append({"wall": time.perf_counter_ns() - wall, "cpu": time.process_time_ns() - cpu})
    ids = numpy.ascontiguousarray(ids_of(encoded), dtype="<u4")
    print(json.dumps({"version": importlib.metadata.version(DISTRIBUTIONS.get(name, name)), "passes": times, "sha256": hashlib.sha256(ids).hexdigest()}))


main()
