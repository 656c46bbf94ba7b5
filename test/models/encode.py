"""Encodes texts with SentencePiece models, for sentencepiece-mutations.test.ts.

Reads lines of JSON, {"model": base64, "texts": [...]}, and answers each with {"ids": [[...], ...]}, or {"error": text} for a model that
sentencepiece refuses.
"""

import base64
import json
import sys

import sentencepiece

for line in sys.stdin:
    job = json.loads(line)
    try:
        processor = sentencepiece.SentencePieceProcessor()
        processor.LoadFromSerializedProto(base64.b64decode(job["model"]))
        answer = {"ids": [processor.EncodeAsIds(text) for text in job["texts"]]}
    except Exception as error:
        answer = {"error": str(error)[:200]}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
