"""Writes random legal tokenizer.json files with Hugging Face's own classes, and what it makes of random texts.

    python3 random-files.py SEED COUNT > cases.jsonl

Each line is a case: {"seed", "file", "cases": [{"text", "pair", "special", …expectations} or {"text", "error"}], "decoded": […]}.
A seed gives the same case with any count.
"""

import json
import random
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
    vocab = {t: i for i, t in enumerate(texts)}
    options = dict(
        unk_token=unk,
        continuing_subword_prefix=prefix,
        end_of_word_suffix=suffix,
        fuse_unk=r.random() < 0.5,
        byte_fallback=r.random() < 0.4,
        ignore_merges=r.random() < 0.3,
    )
    return models.BPE(vocab=vocab, merges=merges, **{k: v for k, v in options.items() if v is not None}), texts


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
    model = models.WordPiece(vocab={t: i for i, t in enumerate(texts)}, unk_token="[UNK]", max_input_chars_per_word=r.choice([100, 100, 5, 1000]), continuing_subword_prefix=prefix)
    return model, texts


def random_word_level(r):
    texts = list(dict.fromkeys(pieces_of(r, 80) + WORDS))
    if r.random() < 0.9:
        texts.append("[UNK]")
    return models.WordLevel(vocab={t: i for i, t in enumerate(texts)}, unk_token="[UNK]"), texts


def random_unigram(r):
    texts = ["<unk>"] + byte_tokens(r) + alphabet(r, r.random() < 0.2) + pieces_of(r, 120)
    if r.random() < 0.8:
        texts = list(dict.fromkeys(texts))
    scores = [round(-r.random() * r.choice([1, 10, 20]), r.choice([0, 1, 6, 15])) for _ in texts]
    unk = None if r.random() < 0.1 else 0 if r.random() < 0.8 else r.randrange(len(texts))
    return models.Unigram(list(zip(texts, scores)), unk_id=unk, byte_fallback=r.random() < 0.4), texts


def random_normalizer(r, depth=0):
    kinds = ["bert", "strip_accents", "strip", "nfc", "nfd", "nfkc", "nfkd", "lowercase", "replace", "prepend", "byte_level", "nmt", "regex"]
    kind = r.choice(kinds + (["sequence"] * 5 if depth < 2 else []))
    flag = lambda: r.random() < 0.5
    if kind == "bert":
        return normalizers.BertNormalizer(clean_text=flag(), handle_chinese_chars=flag(), strip_accents=r.choice([None, True, False]), lowercase=flag())
    if kind == "strip":
        return normalizers.Strip(left=flag(), right=flag())
    if kind == "replace":
        return normalizers.Replace(r.choice([" ", "a", "the", "  ", "▁", "é", "\n", "aa", ""]) if r.random() < 0.98 else "", r.choice(["▁", "", " ", "b", "aa", "日本"]))
    if kind == "regex":
        return normalizers.Replace(Regex(r.choice(PATTERNS)), r.choice(["▁", "", " ", "b", "aa", "日本"]))
    if kind == "prepend":
        return normalizers.Prepend(r.choice(["▁", " ", "x", "ab", "日"]))
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


def random_post_processor(r, tokenizer, texts):
    known = [t for t in texts if t and tokenizer.token_to_id(t) is not None]
    pair = lambda: (lambda t: (t, tokenizer.token_to_id(t)))(r.choice(known))
    kind = r.choice(["none", "none", "byte_level", "bert", "roberta", "template", "sequence"])
    flag = lambda: r.random() < 0.5
    if kind == "none" or not known:
        return None
    if kind == "byte_level":
        return processors.ByteLevel(trim_offsets=flag())
    if kind == "bert":
        return processors.BertProcessing(pair(), pair())
    if kind == "roberta":
        return processors.RobertaProcessing(pair(), pair(), trim_offsets=flag(), add_prefix_space=flag())
    (a, ai), (b, bi) = pair(), pair()
    if "$" in a or "$" in b or ":" in a or ":" in b:
        return None
    template = processors.TemplateProcessing(single=f"{a} $A {b}", pair=f"{a} $A {b}:1 $B:1 {b}:1", special_tokens=[(a, ai), (b, bi)]) if a.strip() == a and b.strip() == b and " " not in a + b and a and b else None
    if template is None or kind == "template":
        return template
    return processors.Sequence([processors.ByteLevel(trim_offsets=flag()), template])


def random_decoder(r, depth=0):
    kind = r.choice(["none", "byte_level", "word_piece", "metaspace", "byte_fallback", "fuse", "strip", "replace", "bpe", "ctc"] + (["sequence"] * 4 if depth == 0 else []))
    flag = lambda: r.random() < 0.5
    if kind == "none":
        return decoders.Fuse() if depth else None
    if kind == "byte_level":
        return decoders.ByteLevel()
    if kind == "word_piece":
        return decoders.WordPiece(prefix=r.choice(["##", "@@", "▁"]), cleanup=flag())
    if kind == "metaspace":
        return decoders.Metaspace(prepend_scheme=r.choice(["always", "first", "never"]))
    if kind == "byte_fallback":
        return decoders.ByteFallback()
    if kind == "fuse":
        return decoders.Fuse()
    if kind == "strip":
        return decoders.Strip(r.choice([" ", "a", "▁"]), r.randint(0, 2), r.randint(0, 2))
    if kind == "replace":
        return decoders.Replace(r.choice(["▁", "a", "</w>"]), r.choice([" ", "", "b"]))
    if kind == "bpe":
        return decoders.BPEDecoder(suffix="</w>")
    if kind == "ctc":
        return decoders.CTC(pad_token="a", word_delimiter_token="b", cleanup=flag())
    return decoders.Sequence([random_decoder(r, depth + 1) for _ in range(r.randint(0, 3))])


def random_tokenizer(r):
    kind = r.choice(["bpe", "bpe", "byte_level_bpe", "word_piece", "unigram", "word_level"])
    if kind == "bpe":
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
    return tokenizer


def encoded(tokenizer, text, pair, special):
    case = {"text": text, "pair": pair, "special": special}
    try:
        e = tokenizer.encode(text, pair, add_special_tokens=special)
    except BaseException as error:  # a panic is one
        return {**case, "error": str(error)[:80]}
    return {**case, "ids": e.ids, "offsets": e.offsets, "type_ids": e.type_ids, "special_tokens_mask": e.special_tokens_mask, "word_ids": e.word_ids}


def random_case(seed):
    r = random.Random(seed)
    try:
        file = random_tokenizer(r).to_str()
        # The order of its hash tables decides between tokens that the normalizer makes equal: such cases are left out.
        tokenizer, *others = [Tokenizer.from_str(file) for _ in range(4)]
    except BaseException as error:
        return {"seed": seed, "refused": str(error)[:200]}
    cases = []
    decoded = []
    for _ in range(6):
        text = text_of(r)
        arguments = (text, text_of(r, 3) if r.random() < 0.2 else None, r.random() < 0.5)
        case = encoded(tokenizer, *arguments)
        if any(encoded(other, *arguments) != case for other in others):
            continue
        cases.append(case)
        if "ids" in case:
            ids = case["ids"]
            if r.random() < 0.3:
                ids = [r.randrange(tokenizer.get_vocab_size()) for _ in range(r.randint(1, 6))]
            for skip in (False, True):
                try:
                    decoded.append({"ids": ids, "skip": skip, "text": tokenizer.decode(ids, skip_special_tokens=skip)})
                except BaseException as error:
                    decoded.append({"ids": ids, "skip": skip, "error": str(error)[:80]})
    return {"seed": seed, "file": file, "cases": cases, "decoded": decoded}


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        print(json.dumps(random_case(seed)))
