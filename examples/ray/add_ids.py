"""Adds ids to files of JSON lines with Ray Data, and writes Parquet: python add_ids.py data/ tokens/ -m gpt-4o

Every node needs crayon on its PATH. Ray replaces actors that are gone, and gives their batches to others.
"""

import json
import subprocess
import sys
from threading import Thread

import pyarrow as pa
import ray


class Encoder:
    """Holds a conversation with a process of crayon."""

    def __init__(self, *options):
        command = ["crayon", "encode", "--jsonl", "--threads", "1", *options]
        self.crayon = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, batch):
        texts = batch["text"].to_pylist()
        # While it sends, answers are read: pipes hold less than a batch.
        Thread(target=self.send, args=(texts,), daemon=True).start()
        ids = [json.loads(self.crayon.stdout.readline())["ids"] for _ in texts]
        return batch.append_column("ids", pa.array(ids, pa.list_(pa.int32())))

    def send(self, texts):
        self.crayon.stdin.writelines(json.dumps(text) + "\n" for text in texts)
        self.crayon.stdin.flush()


if __name__ == "__main__":
    source, target, *options = sys.argv[1:]
    (
        ray.data.read_json(source)
        .map_batches(
            Encoder,
            fn_constructor_args=options,
            batch_format="pyarrow",
            batch_size=1000,
            # As many actors as there are free cores: reading needs some, too.
            compute=ray.data.ActorPoolStrategy(min_size=1),
        )
        .write_parquet(target)
    )
