// The ids of a document equal those of its whole text, encoded at once, after every edit: for every kind of tokenizer, leaves of
// a few bytes and of hundreds, texts of any bytes and of any UTF-16, masks of who wrote what, and forks. The expectations come
// from a single encoder.
//
// CRAYON_FUZZ_STRINGS sets how many documents are edited for each kind, CRAYON_FUZZ_SEED the first one's seed.
#include "document/document.h"

#include <gtest/gtest.h>

#include <memory>

#include "fuzz_setting.h"
#include "parallel_texts.h"
#include "pattern_sections.h"
#include "share.h"

namespace crayon::test::document_test {
namespace {

struct Kind {
    std::string_view pretokenizer;
    bool is_bpe = true;
    std::uint32_t normalizer = 0;  // 1: NFC
};
constexpr Kind kKinds[] = {
    {"gpt2"},          {"cl100k"},        {"o200k"},           {"qwen2"},         {"tekken"},       {"deepseek3"},
    {"none"},          {"pattern"},       {"none", false},     {"cl100k", false}, {"o200k", false}, {"cl100k", true, 1},
    {"none", true, 1}, {"gpt2", true, 1}, {"pattern", true, 1}};

std::string name_of(const testing::TestParamInfo<Kind>& info) {
    const Kind& kind = info.param;
    constexpr std::string_view kNormalizers[] = {"", "_nfc"};
    return std::string(kind.pretokenizer) + (kind.is_bpe ? "_bpe" : "_longest_match") +
           std::string(kNormalizers[kind.normalizer]);
}

// With added tokens in one of two cases, some of which include spaces or are found as whole words.
struct AnyTokenizer {
    std::vector<AddedToken> added;
    std::string cartridge;

    AnyTokenizer(Random& random, const Kind& kind) {
        const Vocabulary vocabulary = random_vocabulary(random, "aBest \n'1.\xC3\xA9\xCE\xA9\xCC\x81", 80);
        MatchVocabulary matches = random_matches(random, random.one_in(2));
        const std::size_t size = kind.is_bpe ? vocabulary.tokens.size() : matches.tokens.size();
        if (random.one_in(2)) added = random_added(random, static_cast<std::uint32_t>(size));
        if (kind.is_bpe && random.one_in(3)) strip(random, added);
        if (kind.is_bpe && random.one_in(3)) find_late(random, added);
        if (kind.normalizer != 0) {
            for (AddedToken& token : added) {
                if (token.flags & (CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP))
                    token.flags &= ~std::uint32_t{CRAYON_ADDED_NORMALIZED};
            }
        }
        if (!kind.is_bpe) {
            cartridge = compile_matches(matches, Form::kFull, kind.pretokenizer, added);
            return;
        }
        Bytes pattern;
        if (kind.pretokenizer == "pattern") pattern = section_of(automaton_named("cl100k"), layout::kAllPatternCuts);
        cartridge = compile(vocabulary, kind.pretokenizer, added, kind.normalizer, pattern);
    }
};

// Characters that NFC composes, replaces and reorders, among those of nasty_text.
std::string any_text(Random& random, std::size_t length, const std::vector<AddedToken>& added) {
    static const char* const kRewritten[] = {
        "\u2126", "e\u0301", "q\u0323\u0307", "q\u0307\u0323", "\u212B", "\u1100\u1161\u11A8", "\u0301", "\u0344", "12345", "e",
        "\u00E9", " "};
    std::string text;
    while (text.size() < length) {
        if (random.one_in(3)) {
            const std::string part = kRewritten[random.below(std::size(kRewritten))];
            for (std::size_t n = random.one_in(6) ? random.below(40) : 1; n > 0; --n) text += part;
        } else {
            text += nasty_text(random, 1 + random.below(40), added);
        }
    }
    return text;
}

std::u16string utf16_of(Random& random, const std::string& text) {
    std::u16string units;
    for (const char32_t c : naive::decode_utf8(text).code_points) {
        if (c < 0x10000) {
            units += static_cast<char16_t>(c);
        } else {
            units += {static_cast<char16_t>(0xD7C0 + (c >> 10)), static_cast<char16_t>(0xDC00 + (c & 0x3FF))};
        }
    }
    // Pairs, and halves of them.
    for (std::size_t n = random.one_in(2) ? random.below(6) : 0; n > 0; --n) {
        const std::size_t at = random.below(units.size() + 1);
        if (random.one_in(2)) units.insert(at, 1, static_cast<char16_t>(0xDE00 + random.below(3)));
        if (random.one_in(2)) units.insert(at, 1, static_cast<char16_t>(0xD83D));
    }
    return units;
}

// For each unit of a text whether a template wrote it, and not the caller.
using Authors = std::vector<bool>;

bool is_pair(const std::u16string& text, std::size_t at) {
    return at + 1 < text.size() && (text[at] & 0xFC00) == 0xD800 && (text[at + 1] & 0xFC00) == 0xDC00;
}
bool is_pair(const std::string&, std::size_t) { return false; }

template <class Unit>
Authors random_authors(Random& random, const std::basic_string<Unit>& text) {
    Authors authors(text.size());
    bool is_template = random.one_in(2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        authors[i] = is_template;
        if (!is_pair(text, i) && random.one_in(5)) is_template = !is_template;
    }
    return authors;
}

// What the template wrote, in units of the text or in bytes of UTF-8. Ranges may touch.
template <class Unit>
std::vector<u32> ranges_of(Random& random, const std::basic_string<Unit>& text, const Authors& authors, bool in_bytes) {
    std::vector<u32> ranges;
    u32 at = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        u32 length = 1;
        if (in_bytes && sizeof(Unit) > 1) {
            const bool is_half_of_pair = is_pair(text, i) || (i > 0 && is_pair(text, i - 1));
            length = text[i] < 0x80 ? 1 : text[i] < 0x800 || is_half_of_pair ? 2 : 3;
        }
        if (authors[i] && !ranges.empty() && ranges.back() == at && !random.one_in(20)) {
            ranges.back() += length;
        } else if (authors[i]) {
            ranges.insert(ranges.end(), {at, at + length});
        }
        at += length;
    }
    return ranges;
}

// All ids of a text, or its failure, and where each ends.
struct Expected {
    std::vector<u32> ids, ends;
    u32 status = CRAYON_OK;
};

template <class Unit>
Expected encode_whole(crayon_encoder* encoder, const std::basic_string<Unit>& text, const Policy& policy, bool has_offsets,
                      const std::vector<u32>* ranges = nullptr) {
    constexpr bool kIsBytes = sizeof(Unit) == 1;
    Expected expected;
    crayon_result result;
    const u32 allowed = static_cast<u32>(policy.allowed.size());
    if (ranges) {
        crayon_encoder_begin_masked(encoder, policy.allowed.data(), allowed, ranges->data(), static_cast<u32>(ranges->size() / 2),
                                    &result);
    } else {
        crayon_encoder_begin(encoder, policy.special, policy.allowed.data(), allowed, &result);
    }
    const u32 size = static_cast<u32>(text.size());
    if constexpr (kIsBytes) {
        crayon_encoder_feed_utf8(encoder, reinterpret_cast<const u8*>(text.data()), size, 1, &result);
    } else {
        crayon_encoder_feed_utf16(encoder, reinterpret_cast<const u16*>(text.data()), size, 1, &result);
    }
    std::vector<u32> ids(1000), offsets(2000);
    do {
        const u32 unit = kIsBytes ? CRAYON_UNIT_BYTES : CRAYON_UNIT_UTF16;
        expected.status = has_offsets ? crayon_encoder_read_with_offsets(encoder, ids.data(), offsets.data(), 1000, unit, &result)
                                      : crayon_encoder_read(encoder, ids.data(), 1000, &result);
        if (expected.status != CRAYON_OK) return expected;
        expected.ids.insert(expected.ids.end(), ids.begin(), ids.begin() + result.count);
        for (u32 i = 0; i < result.count && has_offsets; ++i) expected.ends.push_back(offsets[2 * i + 1]);
    } while (result.more);
    return expected;
}

// A document beside its text as a string.
template <class Unit>
struct Edited {
    std::unique_ptr<Document> document;
    std::basic_string<Unit> text;
    std::vector<u32> ids;
    Authors authors = {};

    u32 length() const { return static_cast<u32>(text.size()); }
    Status replace(Encoder& encoder, u32 start, u32 end, const std::basic_string<Unit>& part, TextChange* change) {
        if constexpr (sizeof(Unit) == 1) {
            return document->replace_bytes(encoder, start, end, {reinterpret_cast<const u8*>(part.data()), part.size()}, change);
        } else {
            return document->replace_units(encoder, start, end, {reinterpret_cast<const u16*>(part.data()), part.size()}, change);
        }
    }
    std::vector<u32> ids_now() const {
        std::vector<u32> now(document->count());
        EXPECT_TRUE(document->copy_ids(0, document->count(), now.data()).ok());
        return now;
    }
    std::basic_string<Unit> text_now() const {
        std::basic_string<Unit> now(document->length(), 0);
        if constexpr (sizeof(Unit) == 1) {
            EXPECT_TRUE(document->copy_bytes(0, document->length(), reinterpret_cast<u8*>(now.data())).ok());
        } else {
            EXPECT_TRUE(document->copy_units(0, document->length(), reinterpret_cast<u16*>(now.data())).ok());
        }
        return now;
    }
};

class DocumentTest : public testing::TestWithParam<Kind> {};

template <class Unit>
void edit_at_random(const Kind& kind) {
    constexpr bool kIsBytes = sizeof(Unit) == 1;
    const std::uint64_t documents = fuzz_setting("CRAYON_FUZZ_STRINGS", sample(1500, 2));
    const std::uint64_t first_seed = fuzz_setting("CRAYON_FUZZ_SEED", 1);
    for (std::uint64_t seed = first_seed; seed < first_seed + documents; ++seed) {
        Random random(seed);
        const AnyTokenizer any(random, kind);
        Tokenizing tokenizing(any.cartridge), reference(any.cartridge);
        Encoder& encoder = tokenizing.encoder()->encoder;
        Policy policy = random_policy(random, any.added);
        const bool is_masked = random.one_in(3);
        if (is_masked) {
            policy = {CRAYON_SPECIAL_LISTED, {}};
            for (const AddedToken& token : any.added) {
                if (random.one_in(2)) policy.allowed.push_back(token.id);
            }
        }
        const auto part_of = [&](std::size_t length) {
            const std::string bytes = length == 0 ? std::string() : any_text(random, length, any.added);
            if constexpr (kIsBytes) {
                return bytes;
            } else {
                return utf16_of(random, bytes);
            }
        };
        std::vector<Edited<Unit>> all(1);
        Document* made = nullptr;
        ASSERT_TRUE(Document::create(tokenizer_of(tokenizing), policy.special, {policy.allowed.data(), policy.allowed.size()},
                                     kIsBytes ? CRAYON_UNIT_BYTES : CRAYON_UNIT_UTF16, &made)
                        .ok());
        all[0].document.reset(made);
        const u32 leaf = static_cast<u32>(random.one_in(3) ? 512 : 1 + random.below(60));
        made->set_sizes({leaf, static_cast<u32>(random.one_in(3) ? 96 : 1 + random.below(20))});
        for (int step = 0; step < 30; ++step) {
            const std::string where = "CRAYON_FUZZ_SEED=" + std::to_string(seed) + ", step " + std::to_string(step) +
                                      ", leaves of " + std::to_string(leaf);
            if (all.size() < 4 && random.one_in(8)) {
                Edited<Unit>& from = all[random.below(all.size())];
                ASSERT_TRUE(from.document->copy(&made).ok());
                all.push_back({std::unique_ptr<Document>(made), from.text, from.ids, from.authors});
            }
            Edited<Unit>& edited = all[random.below(all.size())];
            // Mostly a small edit; sometimes a large one, or at the end.
            const u32 length = edited.length();
            u32 start = static_cast<u32>(random.below(length + 1)), end = start;
            if (random.one_in(4)) start = end = length;
            if (!random.one_in(3))
                end = std::min(length, start + static_cast<u32>(random.below(random.one_in(6) ? length + 1 : 9)));
            std::size_t size = random.one_in(4) ? 0 : random.below(12);
            if (step == 0 || random.one_in(10)) size = random.below(leaf * 12 < 700 ? 700 : 2500);
            const std::basic_string<Unit> part = part_of(size);
            std::basic_string<Unit> text = edited.text;
            text.replace(start, end - start, part);
            const Authors own = random_authors(random, part);
            Authors authors = edited.authors;
            if (is_masked) {
                // No edit splits a pair, or joins one.
                const auto splits = [](const std::basic_string<Unit>& whole, std::size_t at) {
                    return at > 0 && is_pair(whole, at - 1);
                };
                if (splits(edited.text, start) || splits(edited.text, end) || splits(text, start) ||
                    splits(text, start + part.size())) {
                    continue;
                }
                authors.erase(authors.begin() + start, authors.begin() + end);
                authors.insert(authors.begin() + start, own.begin(), own.end());
                const std::vector<u32> written = ranges_of(random, part, own, false);
                ASSERT_TRUE(edited.document->keep_ranges({written.data(), written.size()}).ok()) << where;
            }
            const bool has_offsets = random.one_in(8);
            const std::vector<u32> ranges = is_masked ? ranges_of(random, text, authors, true) : std::vector<u32>();
            const Expected expected = encode_whole(reference.encoder(), text, policy, has_offsets, is_masked ? &ranges : nullptr);
            TextChange change = {};
            const Status status = edited.replace(encoder, start, end, part, &change);
            ASSERT_EQ(status.code, expected.status) << where;
            if (status.ok()) {
                std::vector<u32> ids = edited.ids;
                ASSERT_LE(change.from + change.removed, ids.size()) << where;
                const auto at = ids.begin() + change.from;
                ids.erase(at, at + change.removed);
                ASSERT_LE(change.from + change.inserted, expected.ids.size()) << where;
                ids.insert(ids.begin() + change.from, expected.ids.begin() + change.from,
                           expected.ids.begin() + change.from + change.inserted);
                edited.text = text;
                edited.ids = expected.ids;
                edited.authors = authors;
                ASSERT_EQ(edited.ids_now(), expected.ids) << where << " " << testing::PrintToString(text);
                ASSERT_EQ(ids, expected.ids) << "the change, " << where;
            }
            for (Edited<Unit>& each : all) {
                ASSERT_EQ(each.document->length(), each.text.size()) << where;
                ASSERT_EQ(each.text_now(), each.text) << where;
                ASSERT_EQ(each.ids_now(), each.ids) << where << ", a fork or a failed edit";
            }
            for (int n = 0; n < 5 && has_offsets && status.ok(); ++n) {
                const u32 position = static_cast<u32>(random.below(text.size() + 1));
                u32 token = 0, wanted = 0;
                ASSERT_TRUE(edited.document->token_at(encoder, position, &token).ok());
                while (wanted < expected.ends.size() && expected.ends[wanted] <= position) ++wanted;
                if (position == text.size()) wanted = static_cast<u32>(expected.ids.size());
                ASSERT_EQ(token, wanted) << "the token at " << position << ", " << where << " " << testing::PrintToString(text);
            }
        }
    }
}

TEST_P(DocumentTest, HasTheIdsOfItsWholeTextInBytes) { edit_at_random<char>(GetParam()); }
TEST_P(DocumentTest, HasTheIdsOfItsWholeTextInUtf16) { edit_at_random<char16_t>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Kinds, DocumentTest, testing::ValuesIn(kKinds), name_of);

// Edits that change ids before or far behind them. Around each are leaves of a few bytes, so that some of these end near it.
TEST(Document, KeepsTheIdsExactWhereAnEditChangesItsSurroundings) {
    struct Case {
        std::string_view pretokenizer;
        std::uint32_t normalizer;
        std::string before, after;  // texts around the edit
        std::string removed, inserted;
    };
    const std::string digits = "1\u0966", spaces(40, ' ');
    std::string many;
    for (int i = 0; i < 100; ++i) many += digits;
    const Case cases[] = {
        {"cl100k", 0, "ab ba ab" + spaces, "b ab", "", "a"},     // the last space belongs to the word
        {"cl100k", 0, "ab ba ab" + spaces, "\nb ab", "", "a"},   // spaces before a newline are another piece
        {"cl100k", 0, "ab ba ab" + spaces, "", "", "\n"},        //
        {"cl100k", 0, "ab ", many + " ab ba ab", "", "1"},       // groups of three digits move
        {"o200k", 0, "ab aBaBaBaB", "'s ab", "", "B"},           // a contraction, behind another word
        {"gpt2", 0, "ab ba ab'", "ab ba", "", "s"},              //
        {"qwen2", 1, "ab be", " ab ab ba ab", "", "\u0301"},     // an accent composes with the letter before it
        {"qwen2", 1, "ab be\u0301\u0301", " ab", "", "\u0323"},  // and is ordered before others
        {"cl100k", 0, "ab ba ab <x", " ab ba ab", "", ">"},      // an added token comes about
        {"cl100k", 0, "ab ba ab <x>", " ab ba ab", "", "a"},     // and another one
        {"cl100k", 0, "ab ba ab<s", "   ab ba ab", "", ">"},     // with spaces around it
        {"cl100k", 0, "ab ba ab   ", " <s>ab ba ab", "", "b"},   //
        {"none", 0, "ababababab", "abababab", "a", "b"},
    };
    Random random(12);
    const Vocabulary vocabulary = random_vocabulary(random, "aB b'1\n", 80);
    const u32 first = static_cast<u32>(vocabulary.tokens.size());
    const std::vector<AddedToken> added = {
        {"<x>", first, 0}, {"<x>a", first + 1, 0}, {"<s>", first + 2, CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP}};
    for (const Case& each : cases) {
        Tokenizing tokenizing(compile(vocabulary, each.pretokenizer, added, each.normalizer));
        Encoder& encoder = tokenizing.encoder()->encoder;
        const auto expected = [&](const std::string& text) { return encode_whole(tokenizing.encoder(), text, {}, false).ids; };
        for (const u32 leaf : {1, 2, 3, 5, 9, 512}) {
            Document* made = nullptr;
            ASSERT_TRUE(Document::create(tokenizer_of(tokenizing), CRAYON_SPECIAL_AS_TEXT, {}, CRAYON_UNIT_BYTES, &made).ok());
            Edited<char> edited{std::unique_ptr<Document>(made), {}, {}};
            made->set_sizes({leaf, 1});
            const std::string before = each.before + each.removed + each.after, after = each.before + each.inserted + each.after;
            TextChange change;
            ASSERT_TRUE(edited.replace(encoder, 0, 0, before, &change).ok());
            ASSERT_EQ(edited.ids_now(), expected(before));
            const u32 at = static_cast<u32>(each.before.size());
            ASSERT_TRUE(edited.replace(encoder, at, at + static_cast<u32>(each.removed.size()), each.inserted, &change).ok());
            ASSERT_EQ(edited.ids_now(), expected(after)) << each.pretokenizer << ", leaves of " << leaf << ": " << after;
            EXPECT_NE(expected(before), expected(after)) << "the case shows nothing: " << after;
            ASSERT_TRUE(edited.replace(encoder, at, at + static_cast<u32>(each.inserted.size()), each.removed, &change).ok());
            ASSERT_EQ(edited.ids_now(), expected(before)) << each.pretokenizer << ", leaves of " << leaf << ", back";
        }
    }
}

TEST(Document, EncodesOnlyAFewLeavesOfALongText) {
    Random random(13);
    Tokenizing tokenizing(compile(random_vocabulary(random, "ab ", 60), "cl100k"));
    Encoder& encoder = tokenizing.encoder()->encoder;
    std::string text;
    while (text.size() < 200000) text += random.one_in(4) ? " " : random.one_in(2) ? "a" : "b";
    Document* made = nullptr;
    ASSERT_TRUE(Document::create(tokenizer_of(tokenizing), CRAYON_SPECIAL_AS_TEXT, {}, CRAYON_UNIT_BYTES, &made).ok());
    Edited<char> edited{std::unique_ptr<Document>(made), {}, {}};
    TextChange change;
    ASSERT_TRUE(edited.replace(encoder, 0, 0, text, &change).ok());
    for (int n = 0; n < 200; ++n) {
        const u32 at = static_cast<u32>(random.below(text.size()));
        ASSERT_TRUE(edited.replace(encoder, at, at + 1, "ab", &change).ok());
        text.replace(at, 1, "ab");
        EXPECT_LE(change.removed + change.inserted, 60u);
        EXPECT_LE(encoder.position() - at, 3u * 512) << "read on after the ids were those of before";
    }
    ASSERT_EQ(edited.ids_now(), encode_whole(tokenizing.encoder(), text, {}, false).ids);
}

TEST(Document, RefusesWhatIsNotInTheText) {
    Random random(14);
    Tokenizing tokenizing(compile(random_vocabulary(random, "ab ", 20), "cl100k"));
    crayon_result result;
    crayon_document* document = nullptr;
    EXPECT_EQ(crayon_document_create(tokenizing.tokenizer(), 0, nullptr, 0, CRAYON_UNIT_WORDS, &document, &result),
              u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(document, nullptr);
    ASSERT_EQ(crayon_document_create(tokenizing.tokenizer(), 0, nullptr, 0, CRAYON_UNIT_UTF16, &document, &result),
              u32{CRAYON_OK});
    u32 change[5], ids[4] = {};
    const u16 units[] = {'a', 'b', 'a', 'b'};
    const auto replace = [&](u32 start, u32 end) {
        return crayon_document_replace_utf16(document, tokenizing.encoder(), start, end, units, 4, change, &result);
    };
    EXPECT_EQ(replace(0, 1), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(replace(0, 0), u32{CRAYON_OK});
    EXPECT_EQ(replace(3, 2), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(replace(5, 5), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_document_replace_utf8(document, tokenizing.encoder(), 0, 0, nullptr, 0, change, &result),
              u32{CRAYON_INVALID_ARGUMENT});
    const u32 count = crayon_document_count(document);
    EXPECT_EQ(crayon_document_ids(document, 0, count + 1, ids, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_document_token_at(document, tokenizing.encoder(), 5, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(crayon_document_length(document), 4u);
    // What is kept is gone after an edit that fails.
    EXPECT_EQ(crayon_document_keep_utf16(document, units, 4, &result), u32{CRAYON_OK});
    EXPECT_EQ(replace(9, 9), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(replace(0, 0), u32{CRAYON_OK});
    EXPECT_EQ(crayon_document_length(document), 8u);
    // A mask comes with the first text, and its ranges follow one another.
    const u32 ranges[] = {0, 2, 1, 3};
    EXPECT_EQ(crayon_document_keep_ranges(document, ranges, 1, &result), u32{CRAYON_INVALID_ARGUMENT});
    crayon_document_release(document);
    ASSERT_EQ(
        crayon_document_create(tokenizing.tokenizer(), CRAYON_SPECIAL_LISTED, nullptr, 0, CRAYON_UNIT_UTF16, &document, &result),
        u32{CRAYON_OK});
    EXPECT_EQ(crayon_document_keep_ranges(document, ranges, 2, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(result.position, 1u);
    EXPECT_EQ(crayon_document_keep_ranges(document, ranges, 1, &result), u32{CRAYON_OK});
    EXPECT_EQ(replace(0, 0), u32{CRAYON_OK});
    crayon_document_release(document);
}

}  // namespace
}  // namespace crayon::test::document_test
