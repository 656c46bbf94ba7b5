"""Adds ids to files of JSON lines with Spark, and writes Parquet: spark-submit add_ids.py pipe data/ tokens/ -m gpt-4o

Every node needs crayon on its PATH. `pipe` sends rows as they are; `map` sends texts alone, from frames of pandas. Spark repeats the
tasks of executors that are gone.
"""

import json
import os
import shlex
import subprocess
import sys
from threading import Thread

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, IntegerType, StructField, StructType


def with_pipe(spark, rows, schema, command):
    # Without an environment, processes have an empty one.
    lines = rows.toJSON().pipe(shlex.join(command), env={"PATH": os.environ["PATH"]}, checkCode=True)
    return spark.read.json(lines, schema)


def with_map(rows, schema, command):
    def encode(frames):
        crayon = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def send(texts):
            crayon.stdin.writelines(json.dumps(text) + "\n" for text in texts)
            crayon.stdin.flush()

        for frame in frames:
            # While it sends, answers are read: pipes hold less than a frame.
            Thread(target=send, args=(frame["text"].tolist(),), daemon=True).start()
            ids = [json.loads(crayon.stdout.readline())["ids"] for _ in range(len(frame))]
            yield frame.assign(ids=pd.Series(ids, index=frame.index))
        crayon.stdin.close()
        crayon.wait()

    return rows.mapInPandas(encode, schema)


if __name__ == "__main__":
    way, source, target, *options = sys.argv[1:]
    command = ["crayon", "encode", "--jsonl", "--threads", "1", *options]
    spark = SparkSession.builder.getOrCreate()
    rows = spark.read.json(source)
    schema = StructType([*rows.schema.fields, StructField("ids", ArrayType(IntegerType()))])
    tokens = with_pipe(spark, rows, schema, command) if way == "pipe" else with_map(rows, schema, command)
    tokens.write.parquet(target)
