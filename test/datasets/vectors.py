"""Writes vectors/: small datasets as their own programs write them, for tests/lib/dataset-formats.test.ts.

    node documents.mjs && python vectors.py

needs numpy, megatron-core (which imports torch), mosaicml-streaming and datatrove. documents.json has the ids, of npm tiktoken.
"""

import json
import shutil
from pathlib import Path

import numpy as np

folder = Path(__file__).parent / "vectors"
cases = json.loads((Path(__file__).parent / "documents.json").read_text())


def megatron(name, documents, dtype):
    from megatron.core.datasets.indexed_dataset import IndexedDatasetBuilder

    builder = IndexedDatasetBuilder(str(folder / f"{name}.bin"), dtype=dtype)
    for ids in documents:
        builder.add_document(ids, [len(ids)])
    builder.finalize(str(folder / f"{name}.idx"))


def mosaic(name, documents, dtype):
    from streaming import MDSWriter

    out = folder / name
    shutil.rmtree(out, ignore_errors=True)
    with MDSWriter(out=str(out), columns={"input_ids": f"ndarray:{dtype.__name__}"}) as writer:
        for ids in documents:
            writer.write({"input_ids": np.array(ids, dtype)})


def datatrove(name, documents, width):
    from datatrove.io import get_datafolder
    from datatrove.pipeline.tokens.tokenizer import TokenizedFile

    file = TokenizedFile(
        get_datafolder(str(folder)), f"{name}.ds", save_index=True, save_final_metadata=True, tokenizer_name_or_path=name, token_size=width
    )
    for ids in documents:
        file.write(ids, None)
    file.close()


def main():
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, documents in cases["ids"].items():
        narrow = name == "r50k_base"
        megatron(f"megatron-{name}", documents, np.uint16 if narrow else np.int32)
        mosaic(f"mds-{name}", documents, np.uint16 if narrow else np.uint32)
        datatrove(name, documents, 2 if narrow else 4)
        flat = [each for ids in documents for each in ids]
        np.save(folder / f"npy-{name}.npy", np.array(flat, np.uint16 if narrow else np.uint32))
        np.save(folder / f"npy-{name}_ends.npy", np.cumsum([len(ids) for ids in documents]).astype(np.uint64))


main()
