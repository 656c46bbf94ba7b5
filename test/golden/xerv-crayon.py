"""Writes xerv-crayon.json: texts, and the ids that CRAYON's own engine (PyPI's xerv-crayon 5.7.16, `crayon.c_ext.crayon_cpu`)
gives for them by the vocabulary of test/lib/dat.test.ts, as a file of version 2.

    python test/golden/xerv-crayon.py VOCABULARY.dat
"""

import json
import pathlib
import random
import sys

from crayon.c_ext import crayon_cpu

PARTS = ["the", " the", "energy", "ener", "e", "n", " ", "x", "Q", "é", "è", "中", "文", "日本", "😀", "👩‍👩‍👧", "\u0301", "\ufffd", "ß", "Я", '"', "\n", "\t"]


def main() -> None:
    crayon_cpu.load_dat(pathlib.Path(sys.argv[1]).read_bytes())
    source = random.Random(5716)
    texts = ["", "x", "é", "è", "😀", "the 😀the"]
    texts += ["".join(source.choices(PARTS, k=source.randint(1, 12))) for _ in range(94)]
    rows = [json.dumps([text, crayon_cpu.tokenize(text)], ensure_ascii=False, separators=(",", ":")) for text in texts]
    output = pathlib.Path(__file__).with_suffix(".json")
    output.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


main()
