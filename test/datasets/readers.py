"""Reads a merged dataset with the program that it is for, and prints its documents, or its ids, as JSON.

    python readers.py FORMAT FOLDER DTYPE

FORMAT: megatron (megatron-core), datatrove (which nanotron reads with), mds (mosaicml-streaming), npy, nanogpt, llmc (numpy, as their
training scripts do), arrow, parquet (pyarrow), litdata (Parquet through its index). `IMPORTS` has what each needs.
"""

import json
import sys
from pathlib import Path

IMPORTS = {
    "megatron": ["megatron.core.datasets.indexed_dataset"],
    "datatrove": ["torch", "datatrove.utils.dataset"],
    "mds": ["streaming"],
    "npy": ["numpy"],
    "nanogpt": ["numpy"],
    "llmc": ["numpy"],
    "arrow": ["pyarrow"],
    "parquet": ["pyarrow.parquet"],
    "litdata": ["litdata", "polars", "pyarrow"],
}


def megatron(folder, dtype):
    from megatron.core.datasets.indexed_dataset import IndexedDataset

    dataset = IndexedDataset(str(folder / "data"))
    assert len(dataset.document_indices) == len(dataset) + 1
    return [dataset[index].tolist() for index in range(len(dataset))]


def datatrove(folder, dtype):
    from datatrove.utils.dataset import DatatroveFileDataset

    # One window of all ids, with where each is in its document.
    width = 2 if dtype == "uint16" else 4
    ids = (folder / "data.ds").stat().st_size // width
    dataset = DatatroveFileDataset(str(folder / "data.ds"), ids - 1, token_size=width, return_positions=True)
    assert len(dataset) == 1
    documents = []
    for token, position in zip(dataset[0]["input_ids"].tolist(), dataset[0]["positions"].tolist(), strict=True):
        if position == 0:
            documents.append([])
        documents[-1].append(token)
    return documents


def mds(folder, dtype):
    from streaming import StreamingDataset

    dataset = StreamingDataset(local=str(folder), shuffle=False, batch_size=1)
    return [dataset[index]["input_ids"].tolist() for index in range(len(dataset))]


def npy(folder, dtype):
    import numpy as np

    ids, ends = np.load(folder / "data.npy", mmap_mode="r"), np.load(folder / "data_ends.npy")
    assert ids.dtype == dtype
    return [part.tolist() for part in np.split(ids, ends[:-1].astype(np.int64))]


def nanogpt(folder, dtype):
    import numpy as np

    return np.memmap(folder / "data.bin", dtype=np.uint16, mode="r").tolist()


def llmc(folder, dtype):
    import numpy as np

    ids = []
    for path in sorted(folder.glob("data_*.bin")):
        with open(path, "rb") as file:
            header = np.frombuffer(file.read(256 * 4), dtype=np.int32)
            magic, version = (20240520, 1) if dtype == "uint16" else (20240801, 7)
            assert (header[0], header[1]) == (magic, version)
            tokens = np.frombuffer(file.read(), dtype=dtype)
            assert header[2] == len(tokens)
            ids += tokens.tolist()
    return ids


def arrow(folder, dtype):
    import pyarrow as pa

    with pa.ipc.open_stream(folder / "data.arrow") as reader:
        return reader.read_all()["input_ids"].to_pylist()


def parquet(folder, dtype):
    import pyarrow.parquet as pq

    return pq.read_table(folder / "data.parquet")["input_ids"].to_pylist()


def litdata(folder, dtype):
    # What it reads of Parquet, it reads through an index, which it writes beside the files.
    import litdata as ld
    from litdata.streaming.item_loader import ParquetLoader

    ld.index_parquet_dataset(str(folder))
    dataset = ld.StreamingDataset(str(folder), item_loader=ParquetLoader())
    return [dataset[index]["input_ids"] for index in range(len(dataset))]


if __name__ == "__main__":
    name, output, width = sys.argv[1:]
    print(json.dumps(globals()[name](Path(output), width)))
