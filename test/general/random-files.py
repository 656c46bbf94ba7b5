"""Writes random tokenizer.json files with Hugging Face's own classes, and what it makes of random texts.

    python3 random-files.py SEED COUNT > cases.jsonl            # legal files
    python3 random-files.py SEED COUNT mutated > cases.jsonl    # some of which are not

Each line is a case: {"seed", "file", "cases": [{"text", "pair", "special", "split", …expectations, or "error"}], "decoded": […]}. A
mutated file that the reference refuses has {"seed", "file", "refused"}. A seed gives the same case with any count.
"""

import copy
import json
import random
import struct
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

WORDS = [
    "the", "Hello", "world", "tokenizers", "it's", "don't", "WE'LL", "a", "b", "ab", "abab", "aaaa", "été", "Ünïcode", "naïve", "ﬁne",
    "12", "3456", "½", "²", "٣٤", "日本語", "こんにちは", "カタカナ", "한국어", "中文", "русский", "ελληνικά", "Σίσυφος", "İstanbul", "ß", "ǅ",
    "🙂", "👩‍👩‍👧", "e\u0301", "a\u0323\u0307", "\u1100\u1161\u11a8", "▁", "▁the", "Ġ", "<s>", "</s>", "[MASK]", "##s", "<0x41>", "\ufeff", "\u200d",
    "!", "?!", "...", "-", "(", ")", "/", "\\", "@", "#", "$", "^", "~", "«", "»", "।", "\u0000", "\u0007", "\u00ad", "\ufffd", "\u2028", "\u0085",
]
SPACES = [" ", " ", " ", "  ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u200b", ""]
PATTERNS = [
    r"\s+", r"\w+", r"\d", r"[a-z]+", r"\p{L}+|\p{N}{1,3}", r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", r"a|b", r"'", r"[^\s]",
    r"\b", r"^", r"$", r"(?=a)", r"(?<=a)", r"(?<!a)b", r"\p{Lu}\p{Ll}*", r".", r"(a)\1", r"x*", r"\A\S+", r"\G.", r"(?i)the|hello", r"\d{1,3}(?=(\d{3})*\b)",
    r"[\r\n]+", r"\s+$", r"(?>a+)b?", r"\p{Han}+", r"[[:punct:]]", r"\S+\s?",
]
BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]


def text_of(r, most=8):
    parts = []
    for _ in range(r.randint(0, most)):
        parts.append(r.choice(WORDS))
        parts.append(r.choice(SPACES))
    return "".join(parts)


def bytes_char():
    bs = list(range(33, 127)) + list(range(0xA1, 0xAD)) + list(range(0xAE, 0x100))
    chars = {b: chr(b) for b in bs}
    n = 0
    for b in range(256):
        if b not in chars:
            chars[b] = chr(256 + n)
            n += 1
    return chars


BYTES = bytes_char()


def alphabet(r, byte_level):
    if byte_level:
        return [BYTES[b] for b in range(256) if r.random() < 0.97]
    chars = sorted({c for word in WORDS for c in word} | set(" \n▁Ġ"))
    share = r.choice([1.0, 0.9, 0.5])
    return [c for c in chars if r.random() < share]


def numbered(r, texts):
    """Ids by text: seldom with gaps."""
    step = r.choice([1, 1, 1, 1, 1, 2])
    return {text: step * i for i, text in enumerate(texts)}


def byte_tokens(r):
    kind = r.random()
    if kind < 0.4:
        return []
    share = 1.0 if kind < 0.8 else 0.7
    return [f"<0x{b:02X}>" for b in range(256) if r.random() < share]


def random_bpe(r, byte_level):
    prefix = r.choice([None, None, None, None, "##", "@"])
    suffix = r.choice([None, None, None, None, "</w>"])
    chars = alphabet(r, byte_level)
    texts = list(chars)
    if prefix:
        texts += [prefix + c for c in chars if r.random() < 0.9]
    if suffix:
        texts += [c + suffix for c in chars if r.random() < 0.9]
        if prefix:
            texts += [prefix + c + suffix for c in chars if r.random() < 0.9]
    texts += byte_tokens(r)
    texts = list(dict.fromkeys(texts))
    merges = []
    seen = set(texts)
    sources = ["".join(BYTES[b] for b in w.encode()) if byte_level else w for w in WORDS] + ["▁the", "Ġthe", " the", "Hello", "aaaa", "abab"]
    for _ in range(r.choice([0, 5, 40, 200])):
        word = r.choice(sources)
        if len(word) < 2:
            continue
        i = r.randrange(len(word) - 1)
        j = r.randrange(i + 1, len(word))
        k = r.randrange(j + 1, len(word) + 1)
        a, b = word[i:j], word[j:k]
        if prefix and (i > 0 or r.random() < 0.3):
            a = prefix + a
        if prefix:
            b = prefix + b
        if suffix and k == len(word):
            b += suffix
        joined = a + (b[len(prefix):] if prefix else b)
        for each in (a, b, joined):
            if each not in seen:
                seen.add(each)
                texts.append(each)
        if (a, b) not in merges or r.random() < 0.1:
            merges.append((a, b))
    r.shuffle(merges)
    unk = r.choice([None, "<unk>", "<unk>"])
    if unk and r.random() < 0.9:
        texts.append(unk)
    if r.random() < 0.3:
        r.shuffle(texts)
    vocab = numbered(r, texts)
    options = dict(
        unk_token=unk,
        continuing_subword_prefix=prefix,
        end_of_word_suffix=suffix,
        fuse_unk=r.random() < 0.5,
        byte_fallback=r.random() < 0.4,
        ignore_merges=r.random() < 0.3,
    )
    if r.random() < 0.1:
        options["dropout"] = r.choice([0.0, 1.0])
    return models.BPE(vocab=vocab, merges=merges, **{k: v for k, v in options.items() if v is not None}), texts


def random_empty(r):
    return r.choice([models.BPE(), models.BPE(unk_token="<unk>", fuse_unk=True), models.WordLevel(vocab={}, unk_token="x"), models.WordPiece(vocab={}, unk_token="x"), models.Unigram()]), []


def pieces_of(r, count):
    pieces = set()
    for _ in range(count):
        word = r.choice(WORDS + ["▁the", "▁Hello", "Ġthe", " world"])
        i = r.randrange(len(word))
        pieces.add(word[i : r.randrange(i + 1, len(word) + 1)])
    return sorted(pieces)


def random_word_piece(r):
    prefix = r.choice(["##", "##", "", "@@"])
    chars = alphabet(r, False)
    texts = list(dict.fromkeys(chars + [prefix + c for c in chars if r.random() < 0.9] + pieces_of(r, 60) + [prefix + p for p in pieces_of(r, 60)]))
    if r.random() < 0.9:
        texts.append("[UNK]")
    if r.random() < 0.3:
        r.shuffle(texts)
    texts = list(dict.fromkeys(texts))
    model = models.WordPiece(vocab=numbered(r, texts), unk_token="[UNK]", max_input_chars_per_word=r.choice([100, 100, 5, 1000, 0, 1]), continuing_subword_prefix=prefix)
    return model, texts


def random_word_level(r):
    texts = list(dict.fromkeys(pieces_of(r, 80) + WORDS))
    if r.random() < 0.9:
        texts.append("[UNK]")
    return models.WordLevel(vocab=numbered(r, texts), unk_token="[UNK]"), texts


def random_unigram(r):
    texts = ["<unk>"] + byte_tokens(r) + alphabet(r, r.random() < 0.2) + pieces_of(r, 120)
    if r.random() < 0.8:
        texts = list(dict.fromkeys(texts))
    scores = [round(-r.random() * r.choice([1, 10, 20]), r.choice([0, 1, 6, 15])) for _ in texts]
    unk = None if r.random() < 0.1 else 0 if r.random() < 0.8 else r.randrange(len(texts))
    return models.Unigram(list(zip(texts, scores)), unk_id=unk, byte_fallback=r.random() < 0.4), texts


def charsmap(entries):
    """What sentencepiece makes of {bytes: bytes}: a double array of the keys, whose values are places in the texts behind it."""
    texts, trie = b"", {}
    for key, text in sorted(entries.items()):
        node = trie
        for byte in key:
            node = node.setdefault(byte, {})
        node[-1] = len(texts)
        texts += text + b"\0"
    units, used = [0] * 256, {0}

    def place(node, at):
        # A terminal is the child of byte 0.
        children = sorted(byte if byte >= 0 else 0 for byte in node)
        base = next(b for b in range(1, 1 << 20) if all((b ^ c) not in used for c in children))
        units.extend([0] * (max(base ^ c for c in children) + 256 - len(units)))
        used.update(base ^ c for c in children)
        units[at] |= (base ^ at) << 10 | (1 << 8 if -1 in node else 0)
        for byte, child in node.items():
            if byte == -1:
                units[base] = 1 << 31 | child
            else:
                units[base ^ byte] |= byte
                place(child, base ^ byte)

    place(trie, 0)
    blob = struct.pack(f"<{len(units)}I", *units)
    return struct.pack("<I", len(blob)) + blob + texts


def random_charsmap(r):
    keys = ["a", "A", "the", "ﬁ", "½", " ", "  ", "\u3000", "é", "e\u0301", "\u0301", "日", "日本", "Ⅳ", "ß", "▁", "\t", "\u200d", "🙂", "\u1100\u1161"]
    texts = ["", "", " ", "a", "b", "ss", "fi", "1/2", "日", "\u0301", "e\u0301", "▁", "🙂🙂"]
    return charsmap({key.encode(): r.choice(texts).encode() for key in r.sample(keys, r.randint(1, len(keys)))})


def random_normalizer(r, depth=0):
    kinds = ["bert", "strip_accents", "strip", "nfc", "nfd", "nfkc", "nfkd", "lowercase", "replace", "prepend", "byte_level", "nmt", "regex", "precompiled"]
    kind = r.choice(kinds + (["sequence"] * 5 if depth < 2 else []))
    flag = lambda: r.random() < 0.5
    if kind == "bert":
        return normalizers.BertNormalizer(clean_text=flag(), handle_chinese_chars=flag(), strip_accents=r.choice([None, True, False]), lowercase=flag())
    if kind == "strip":
        return normalizers.Strip(left=flag(), right=flag())
    if kind in ("replace", "regex"):
        # Many that make a text longer take all memory, of the reference as well.
        r.replacing += 1
        if r.replacing > 4:
            return normalizers.NFC()
    if kind == "replace":
        return normalizers.Replace(r.choice([" ", "a", "the", "  ", "▁", "é", "\n", "aa", ""]) if r.random() < 0.98 else "", r.choice(["▁", "", " ", "b", "aa", "日本"]))
    if kind == "regex":
        return normalizers.Replace(Regex(r.choice(PATTERNS)), r.choice(["▁", "", " ", "b", "aa", "日本"]))
    if kind == "precompiled":
        return normalizers.Precompiled(random_charsmap(r))
    if kind == "prepend":
        return normalizers.Prepend(r.choice(["▁", " ", "x", "ab", "日", ""]))
    if kind == "sequence":
        return normalizers.Sequence([random_normalizer(r, depth + 1) for _ in range(r.randint(0, 4))])
    return {
        "strip_accents": normalizers.StripAccents,
        "nfc": normalizers.NFC,
        "nfd": normalizers.NFD,
        "nfkc": normalizers.NFKC,
        "nfkd": normalizers.NFKD,
        "lowercase": normalizers.Lowercase,
        "byte_level": normalizers.ByteLevel,
        "nmt": normalizers.Nmt,
    }[kind]()


def random_pre_tokenizer(r, depth=0):
    kinds = ["bert", "byte_level", "delimiter", "metaspace", "whitespace", "whitespace_split", "digits", "punctuation", "split", "regex", "scripts", "fixed"]
    kind = r.choice(kinds + (["sequence"] * 5 if depth < 2 else []))
    flag = lambda: r.random() < 0.5
    if kind == "byte_level":
        return pre_tokenizers.ByteLevel(add_prefix_space=flag(), use_regex=flag())
    if kind == "delimiter":
        return pre_tokenizers.CharDelimiterSplit(r.choice([" ", "a", "-", "日"]))
    if kind == "metaspace":
        return pre_tokenizers.Metaspace(r.choice(["▁", "▁", "_", " ", "é"]), prepend_scheme=r.choice(["always", "first", "never"]), split=flag())
    if kind == "digits":
        return pre_tokenizers.Digits(individual_digits=flag())
    if kind == "punctuation":
        return pre_tokenizers.Punctuation(r.choice(BEHAVIORS))
    if kind == "split":
        return pre_tokenizers.Split(r.choice([" ", "a", "ab", "▁", "é", "\n", "Ġ", ""]) if r.random() < 0.98 else "", r.choice(BEHAVIORS), invert=flag())
    if kind == "regex":
        return pre_tokenizers.Split(Regex(r.choice(PATTERNS)), r.choice(BEHAVIORS), invert=flag())
    if kind == "fixed":
        return pre_tokenizers.FixedLength(length=r.choice([1, 2, 3, 7]))
    if kind == "sequence":
        return pre_tokenizers.Sequence([random_pre_tokenizer(r, depth + 1) for _ in range(r.randint(0, 3))])
    return {
        "bert": pre_tokenizers.BertPreTokenizer,
        "whitespace": pre_tokenizers.Whitespace,
        "whitespace_split": pre_tokenizers.WhitespaceSplit,
        "scripts": pre_tokenizers.UnicodeScripts,
    }[kind]()


def random_added(r):
    flag = lambda share: r.random() < share
    content = r.choice(WORDS + ["<s>", "</s>", "[CLS]", "[SEP]", "<|end|>", "the", " a", "a ", "ab", "A B", "HELLO", "É", "<S>", "\u00a0x"])
    return AddedToken(content, single_word=flag(0.2), lstrip=flag(0.2), rstrip=flag(0.2), normalized=flag(0.5), special=flag(0.4))


def random_template(r, known):
    """Pieces in any number; `$A` need not be there, or may be there twice."""
    special = [r.choice(known) for _ in range(r.randint(0, 3))]
    kind = lambda: f":{r.choice([0, 0, 1, 2, 7])}" if r.random() < 0.5 else ""
    usable = [text for text, _ in special if text and not text.startswith("$") and ":" not in text]
    around = lambda: [r.choice(usable) + kind() for _ in range(r.randint(0, 2)) if usable]
    single = [*around(), *([f"$A{kind()}"] if r.random() < 0.95 else []), *around(), *([f"$A{kind()}"] if r.random() < 0.05 else []), *around()]
    pair = [*around(), f"${r.choice('AB')}{kind()}", *around()]
    pair += [f"${'B' if '$A' in ' '.join(pair) else 'A'}{kind()}", *around()]
    if r.random() < 0.05:
        pair += [f"${r.choice('AB')}{kind()}"]
    return processors.TemplateProcessing(single=single, pair=pair, special_tokens=special)


def random_post_processor(r, tokenizer, texts, depth=0):
    known = [(t, tokenizer.token_to_id(t)) for t in texts if t and tokenizer.token_to_id(t) is not None]
    kind = r.choice(["none", "none", "byte_level", "bert", "roberta", "template", "template", "sequence"])
    flag = lambda: r.random() < 0.5
    if kind == "none" or not known:
        return processors.ByteLevel(trim_offsets=False) if depth else None
    if kind == "byte_level":
        return processors.ByteLevel(add_prefix_space=flag(), trim_offsets=flag())
    if kind == "bert":
        return processors.BertProcessing(r.choice(known), r.choice(known))
    if kind == "roberta":
        return processors.RobertaProcessing(r.choice(known), r.choice(known), trim_offsets=flag(), add_prefix_space=flag())
    if kind == "template" or depth:
        return random_template(r, known)
    return processors.Sequence([random_post_processor(r, tokenizer, texts, 1) for _ in range(r.randint(0, 3))])


def random_decoder(r, depth=0):
    kind = r.choice(["none", "byte_level", "word_piece", "metaspace", "byte_fallback", "fuse", "strip", "replace", "bpe", "ctc"] + (["sequence"] * 5 if depth < 2 else []))
    flag = lambda: r.random() < 0.5
    if kind == "none":
        return decoders.Fuse() if depth else None
    if kind == "byte_level":
        return decoders.ByteLevel()
    if kind == "word_piece":
        return decoders.WordPiece(prefix=r.choice(["##", "@@", "▁", ""]), cleanup=flag())
    if kind == "metaspace":
        return decoders.Metaspace(replacement=r.choice(["▁", "▁", "_", "é"]), prepend_scheme=r.choice(["always", "first", "never"]))
    if kind == "byte_fallback":
        return decoders.ByteFallback()
    if kind == "fuse":
        return decoders.Fuse()
    if kind == "strip":
        return decoders.Strip(r.choice([" ", "a", "▁", "🙂"]), r.choice([0, 1, 1, 2, 9]), r.choice([0, 1, 1, 2, 9]))
    if kind == "replace":
        return decoders.Replace(r.choice(["▁", "a", "</w>", "aa", "", Regex(r"\s+"), Regex(r"[a-c]b?"), Regex("^ | $")]), r.choice([" ", "", "b", "aa"]))
    if kind == "bpe":
        return decoders.BPEDecoder(suffix=r.choice(["</w>", "</w>", "", "a"]))
    if kind == "ctc":
        return decoders.CTC(pad_token=r.choice(["a", "<s>", ""]), word_delimiter_token=r.choice(["b", "|", " ", ""]), cleanup=flag())
    return decoders.Sequence([random_decoder(r, depth + 1) for _ in range(r.randint(0, 4))])


def random_tokenizer(r):
    kind = r.choice(["bpe", "bpe", "byte_level_bpe", "word_piece", "unigram", "word_level"])
    if r.random() < 0.02:
        model, texts = random_empty(r)
    elif kind == "bpe":
        model, texts = random_bpe(r, False)
    elif kind == "byte_level_bpe":
        model, texts = random_bpe(r, True)
    else:
        model, texts = {"word_piece": random_word_piece, "unigram": random_unigram, "word_level": random_word_level}[kind](r)
    tokenizer = Tokenizer(model)
    if r.random() < 0.6:
        tokenizer.normalizer = random_normalizer(r)
    if r.random() < 0.75:
        tokenizer.pre_tokenizer = random_pre_tokenizer(r)
    if kind == "byte_level_bpe" and r.random() < 0.8:
        tokenizer.pre_tokenizer = r.choice([pre_tokenizers.ByteLevel(add_prefix_space=r.random() < 0.5, use_regex=r.random() < 0.7), pre_tokenizers.Sequence([random_pre_tokenizer(r, 2), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])])
    for _ in range(r.choice([0, 0, 1, 3, 6])):
        tokenizer.add_tokens([random_added(r)])
    tokenizer.post_processor = random_post_processor(r, tokenizer, texts) or processors.ByteLevel(trim_offsets=False)
    if r.random() < 0.8:
        decoder = random_decoder(r)
        if decoder is not None:
            tokenizer.decoder = decoder
    if r.random() < 0.15:
        tokenizer.enable_truncation(r.choice([20, 24, 40]), stride=r.choice([0, 0, 1, 2]), strategy=r.choice(["longest_first", "only_first", "only_second"]), direction=r.choice(["left", "right"]))
    if r.random() < 0.15:
        tokenizer.enable_padding(direction=r.choice(["left", "right"]), pad_id=r.choice([0, 3]), pad_type_id=r.choice([0, 1]), pad_token="[PAD]", length=r.choice([None, 4, 20]), pad_to_multiple_of=r.choice([None, 8]))
    return tokenizer


def random_texts(r):
    pair = text_of(r, 3) if r.random() < 0.2 else None
    if r.random() < 0.1:  # in words
        return [text_of(r, 1) for _ in range(r.randint(0, 4))], None if pair is None else [pair], True
    return text_of(r), pair, False


# Not what truncation cuts off, and not words then: npm `tokenizers` 0.23.2, which the drop-in is like, has these otherwise.
ASKED = ["ids", "offsets", "type_ids", "special_tokens_mask", "attention_mask", "word_ids", "tokens"]


def encoded(tokenizer, text, pair, split, special):
    case = {"text": text, "pair": pair, "split": split, "special": special}
    try:
        e = tokenizer.encode(text, pair, is_pretokenized=split, add_special_tokens=special)
    except BaseException as error:  # a panic is one
        return {**case, "error": str(error)[:80]}
    return {**case, **{name: getattr(e, name) for name in ASKED if name != "word_ids" or tokenizer.truncation is None}}


# --- changes to the text of a file

VALUES = [None, True, False, 0, 1, -1, 2, 1.5, 1e300, 2**31, 2**32, 2**64, "", "a", "▁", "ab", "\ud800", [], {}, {"String": " "}, {"Regex": "("}, {"Regex": "a"}]
TYPES = ["Sequence", "BPE", "WordPiece", "WordLevel", "Unigram", "Metaspace", "ByteLevel", "Split", "Replace", "Strip", "NFC", "Prepend", "Digits", "Fuse", "BertProcessing", "Bert", "Nmt"]


def places(value, path=()):
    """All containers with a key of each. Of a list or dictionary with many entries, the first few."""
    entries = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, inner in entries[:12]:
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def mutated(r, source):
    file = json.loads(source)
    for _ in range(r.choice([1, 1, 1, 2, 4])):
        container, key = r.choice(list(places(file)))
        old, kind = container[key], r.choice(["delete", "value", "value", "type", "wrap", "copy", "rename", "null", "edit"])
        if kind == "delete":
            del container[key]
        elif kind == "value":
            container[key] = copy.deepcopy(r.choice(VALUES))
        elif kind == "null":
            container[key] = None
        elif kind == "wrap":
            container[key] = [old]
        elif kind == "type" and isinstance(old, dict) and "type" in old:
            old["type"] = r.choice(TYPES)
        elif kind == "copy":
            other, name = r.choice(list(places(file)))
            container[key] = copy.deepcopy(other[name])
        elif kind == "rename" and isinstance(container, dict):
            container[r.choice([key + "x", key.upper(), "type", "id", "unk_token", "prepend_scheme", "add_prefix_space"])] = container.pop(key)
        elif isinstance(old, str):
            container[key] = r.choice([old + "x", old[1:], old.lower(), old.upper(), old + " ", " "])
        elif isinstance(old, int):
            container[key] = r.choice([old + 1, old - 1, -old, old * 1000])
    text = json.dumps(file, ensure_ascii=r.random() < 0.5).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if r.random() < 0.05:
        at = r.randrange(len(text))
        text = text[:at] + r.choice(["", ",", "}", '"', " ", "0", "e", "\\"]) + text[at + r.randint(0, 1) :]
    return text


def random_case(seed, mutates):
    r = random.Random(seed)
    r.replacing = 0
    file = None
    try:
        file = random_tokenizer(r).to_str()
        if mutates:
            file = mutated(r, file)
        # The order of its hash tables decides between tokens that the normalizer makes equal: such cases are left out.
        tokenizer, *others = [Tokenizer.from_str(file) for _ in range(4)]
        # With one of which the normalizer leaves nothing, the reference may take all memory. npm's quirks are tested one by one.
        normalized = [each.content for each in tokenizer.get_added_tokens_decoder().values() if each.normalized]
        if tokenizer.normalizer and any(tokenizer.normalizer.normalize_str(content) == "" for content in normalized):
            return {"seed": seed, "file": None, "refused": "an added token becomes nothing"}
    except BaseException as error:
        return {"seed": seed, "file": file, "refused": str(error)[:200]}
    cases = []
    decoded = []
    for _ in range(2 if mutates else 6):
        arguments = (*random_texts(r), r.random() < 0.5)
        case = encoded(tokenizer, *arguments)
        if any(encoded(other, *arguments) != case for other in others):
            continue
        cases.append(case)
        if "ids" in case:
            ids = case["ids"]
            if r.random() < 0.3:
                ids = [r.randrange(tokenizer.get_vocab_size() + 1) for _ in range(r.randint(0, 6))]
            for skip in (False, True):
                try:
                    texts = {each.decode(ids, skip_special_tokens=skip) for each in (tokenizer, *others)}
                    if len(texts) == 1:
                        decoded.append({"ids": ids, "skip": skip, "text": texts.pop()})
                except BaseException as error:
                    decoded.append({"ids": ids, "skip": skip, "error": str(error)[:80]})
    return {"seed": seed, "file": file, "cases": cases, "decoded": decoded}


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        print(json.dumps(random_case(seed, sys.argv[3:] == ["mutated"])))
