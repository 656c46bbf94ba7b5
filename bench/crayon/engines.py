"""A tokenizer of Python as a contender, in a process of its own: engines.py NAME VOCABULARY TEXT PASSES

Encodes the text PASSES times, after once that does not count, and prints a line of JSON: the nanoseconds of each pass, the sha256
of the ids as numbers of 32 bits, and how many they are. The text is a string before the clock starts, as none of them takes bytes.

A compiler of CRAYON: engines.py --compile NAME LIST TOKENS OUT compiles the first TOKENS of a list once, to the file OUT, and
prints the nanoseconds and the bytes of the file. NAME is dat_builder (its packer in Python) or crayon_compiler (the same in C++).
"""

import contextlib
import hashlib
import importlib
import importlib.metadata
import io
import json
import logging
import os
import subprocess
import sys
import sysconfig
import time

import numpy

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def crayon(engine):
    def load(file):
        module = importlib.import_module(f"crayon.c_ext.{engine}")
        # It keeps the buffer it is given.
        with open(file, "rb") as source:
            load.keeps = source.read()
        module.load_dat(load.keeps)
        return module.tokenize

    return load


def tokenizers(file):
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def tiktoken(file):
    """From the vocabulary of the same file: it downloads its own."""
    import tiktoken

    with open(file, encoding="utf-8") as source:
        described = json.load(source)
    added = {token["content"]: token["id"] for token in described["added_tokens"]}
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (chr(0x100 + index) for index in range(256 - len(printable)))
    byte_of = {(chr(byte) if byte in printable else next(others)): byte for byte in range(256)}
    vocabulary = described["model"]["vocab"].items()
    ranks = {bytes(byte_of[character] for character in token): rank for token, rank in vocabulary if token not in added}
    encoding = tiktoken.Encoding("gpt2", pat_str=GPT2, mergeable_ranks=ranks, special_tokens=added)
    return encoding.encode_ordinary


ENGINES = {
    "crayon_cpu": crayon("crayon_cpu"),
    "crayon_turbo": crayon("crayon_turbo"),
    "tokenizers": tokenizers,
    "tiktoken": tiktoken,
}


def main():
    name, file, text_file, passes = sys.argv[1:]
    with open(text_file, "rb") as source:
        text = source.read().decode()
    with contextlib.redirect_stdout(io.StringIO()):  # the package says what it finds
        encode = ENGINES[name](file)
    ids = encode(text)
    times = []
    for _ in range(int(passes)):
        began = time.perf_counter_ns()
        ids = encode(text)
        times.append(time.perf_counter_ns() - began)
    words = numpy.asarray(ids, dtype="<u4")
    distribution = "xerv-crayon" if name.startswith("crayon") else name
    version = importlib.metadata.version(distribution)
    print(json.dumps({"version": version, "passes": times, "sha256": hashlib.sha256(words).hexdigest(), "count": len(words)}))


def python_packer(tokens, out):
    from crayon.c_ext.dat_builder import DATBuilder

    builder = DATBuilder()
    builder.build(tokens)
    builder.save(out)


def cpp_compiler():
    """Its compiler.cpp, which its setup.py does not build: compiled here once, as its other modules are."""
    folder = os.path.join(os.path.dirname(importlib.util.find_spec("crayon").origin), "c_ext")
    built = os.path.join(folder, "crayon_compiler" + sysconfig.get_config_var("EXT_SUFFIX"))
    if not os.path.exists(built):
        include = "-I" + sysconfig.get_paths()["include"]
        source = os.path.join(folder, "compiler.cpp")
        subprocess.run(["c++", "-O3", "-std=c++17", "-shared", "-fPIC", include, source, "-o", built], check=True)
    return importlib.import_module("crayon.c_ext.crayon_compiler").compile_dat


def compile_list(name, file, count, out):
    with open(file, encoding="utf-8") as source:
        described = json.load(source)
    tokens = described if isinstance(described, list) else sorted(described["vocab"], key=described["vocab"].get)
    logging.disable()
    with contextlib.redirect_stdout(io.StringIO()):
        compiler = python_packer if name == "dat_builder" else cpp_compiler()
        began = time.perf_counter_ns()
        compiler(tokens[: int(count)], out)
        passed = time.perf_counter_ns() - began
    print("\n" + json.dumps({"passes": [passed], "tokens": int(count), "size": os.path.getsize(out)}))


def vocabularies():
    """Where the package has its vocabularies."""
    print(os.path.join(os.path.dirname(importlib.util.find_spec("crayon").origin), "resources"))


if sys.argv[1:] == ["--vocabularies"]:
    vocabularies()
elif sys.argv[1] == "--compile":
    compile_list(*sys.argv[2:])
else:
    main()
