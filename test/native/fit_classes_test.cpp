// Parts of texts within a limit, for tokenizers of every class: with any pretokenizer, model, normalizer and added tokens. Each
// part equals the naive cut, which encodes every candidate separately; and the work is linear.
#include <functional>

#include "fit/encoder_handle.h"
#include "kernels.h"
#include "naive/utf.h"
#include "parallel_texts.h"
#include "pattern_sections.h"
#include "share.h"

namespace crayon::test::fit_classes_test {
namespace {

struct Kind {
    std::string_view pretokenizer;
    bool is_bpe;
    bool has_nfc;
};
constexpr Kind kKinds[] = {{"cl100k", true, false}, {"cl100k", true, true},  {"o200k", true, false},   {"o200k", true, true},
                           {"none", true, false},   {"none", true, true},    {"pattern", true, false}, {"pattern", true, true},
                           {"none", false, false},  {"cl100k", false, false}};

enum class Added { kNone, kPlain, kStripping, kWords };

struct AnyTokenizer {
    std::vector<AddedToken> added;
    std::string cartridge;

    AnyTokenizer(Random& random, const Kind& kind, Added sort) {
        // Tokens that NFC makes, and parts of them.
        Vocabulary vocabulary = random_vocabulary(random, "aBe \n'1.\xC3\xA9\xCE\xA9\xCC\x81", 80);
        const auto first = static_cast<std::uint32_t>(vocabulary.tokens.size());
        if (sort != Added::kNone) added = random_added(random, first);
        if (sort == Added::kStripping) strip(random, added);
        if (sort == Added::kWords) single_out(random, added);
        if (!kind.is_bpe) {
            MatchVocabulary matches = random_matches(random, random.one_in(2));
            for (std::size_t i = 0; i < added.size(); ++i) added[i].id = static_cast<std::uint32_t>(matches.tokens.size() + i);
            cartridge = compile_matches(matches, Form::kFull, kind.pretokenizer, added);
            return;
        }
        Bytes pattern;
        if (kind.pretokenizer == "pattern") pattern = section_of(automaton_named("cl100k"), layout::kAllPatternCuts);
        cartridge = compile(vocabulary, kind.pretokenizer, added, kind.has_nfc ? 1 : 0, pattern);
    }
};

// Characters that NFC composes, replaces and reorders.
std::string any_text(Random& random, std::size_t length, const std::vector<AddedToken>& added) {
    static const char* const kRewritten[] = {
        "\u2126", "e\u0301", "q\u0323\u0307", "q\u0307\u0323", "\u212B", "\u1100\u1161\u11A8", "\u0301", "\u0344", "12345", "e",
        "\u00E9", " ",       "\u2000"};
    std::string text;
    while (text.size() < length) {
        if (random.one_in(3)) {
            const std::string part = kRewritten[random.below(std::size(kRewritten))];
            for (std::size_t n = random.one_in(4) ? random.below(30) : 1; n > 0; --n) text += part;
        } else {
            text += nasty_text(random, 1 + random.below(12), added);
        }
    }
    return text;
}

struct Tokens {
    std::uint32_t status = CRAYON_OK;
    std::vector<std::uint32_t> begins;  // and the end of the text, or where it fails
    std::size_t count() const { return begins.size() - 1; }
};

// Encoded alone, with the beginning of each token.
Tokens tokens_of(crayon_encoder* encoder, const std::string& text, std::uint32_t policy) {
    crayon_result result;
    EXPECT_EQ(crayon_encoder_begin(encoder, policy, nullptr, 0, &result), CRAYON_OK);
    EXPECT_EQ(crayon_encoder_feed_utf8(encoder, bytes_of(text), static_cast<std::uint32_t>(text.size()), 1, &result), CRAYON_OK);
    Tokens tokens;
    for (bool more = true; more;) {
        std::uint32_t id, offsets[2];
        tokens.status = crayon_encoder_read_with_offsets(encoder, &id, offsets, 1, CRAYON_UNIT_BYTES, &result);
        if (tokens.status != CRAYON_OK) break;
        more = result.count > 0;
        if (more) tokens.begins.push_back(offsets[0]);
    }
    tokens.begins.push_back(tokens.status == CRAYON_OK ? static_cast<std::uint32_t>(text.size())
                                                       : static_cast<std::uint32_t>(result.position));
    return tokens;
}

bool is_between(const std::vector<std::size_t>& boundaries, std::size_t at) {
    return std::binary_search(boundaries.begin(), boundaries.end(), at);
}

// The largest number of the text's own tokens that end between two characters and fit when encoded alone; 0 if none of the last
// eight does, after which a cut need not try all.
std::uint32_t naive_end(crayon_encoder* encoder, const std::string& text, const Tokens& tokens, std::uint32_t limit,
                        std::uint32_t policy, bool* is_sure) {
    const std::vector<std::size_t> boundaries = naive::decode_utf8(text).offsets;
    *is_sure = true;
    int tries = 0;
    for (std::size_t kept = std::min<std::size_t>(limit, tokens.count()); kept > 0; --kept) {
        const std::uint32_t end = tokens.begins[kept];
        if (end == 0 || !is_between(boundaries, end)) continue;
        const Tokens alone = tokens_of(encoder, text.substr(0, end), policy);
        if (alone.status == CRAYON_OK && alone.count() <= limit) return end;
        *is_sure = ++tries < 8;
        if (!*is_sure) return 0;
    }
    *is_sure = false;
    return 0;
}

struct Fitted {
    std::uint32_t status, end, tokens, overlap_begin;
};

Fitted fit(crayon_encoder* encoder, const std::string& text, std::uint32_t start, std::uint32_t limit, std::uint32_t overlap) {
    std::uint32_t out[3] = {};
    crayon_result result;
    const crayon_status status = crayon_encoder_fit(encoder, bytes_of(text), static_cast<std::uint32_t>(text.size()), start, 1,
                                                    limit, overlap, out, &result);
    return {static_cast<std::uint32_t>(status), out[0], out[1], out[2]};
}

TEST(FitClassesTest, PartsEqualTheNaiveCut) {
    std::size_t compared = 0, overlapping = 0;
    for_each_kernel([&](const Kernel& kernel) {
        for (std::uint64_t seed = 1; seed <= sample(160, 20); ++seed) {
            Random random(seed);
            const Kind& kind = kKinds[seed % std::size(kKinds)];
            const auto sort = static_cast<Added>(kind.is_bpe ? random.below(4) : random.below(2));
            const AnyTokenizer made(random, kind, sort);
            Tokenizing fitting(made.cartridge, kernel.name), alone(made.cartridge, kernel.name);
            const std::string text = any_text(random, random.below(random.one_in(3) ? 60 : 500), made.added);
            const std::uint32_t policy = random.one_in(4) ? CRAYON_SPECIAL_AS_TEXT : CRAYON_SPECIAL_ALLOW;
            const auto limit = static_cast<std::uint32_t>(1 + random.below(random.one_in(3) ? 3 : 80));
            const auto overlap = static_cast<std::uint32_t>(random.one_in(2)   ? 0
                                                            : random.one_in(2) ? limit - 1
                                                                               : random.below(limit));
            SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(kind.pretokenizer) + ", limit " +
                         std::to_string(limit) + ", overlap " + std::to_string(overlap));
            crayon_result result;
            ASSERT_EQ(crayon_encoder_begin(fitting.encoder(), policy, nullptr, 0, &result), CRAYON_OK);
            std::uint32_t start = 0, reached = 0;
            for (int round = 0; round < 40 && reached < text.size(); ++round) {
                SCOPED_TRACE("start " + std::to_string(start));
                const std::string rest = text.substr(start);
                const Tokens tokens = tokens_of(alone.encoder(), rest, policy);
                const Fitted part = fit(fitting.encoder(), text, start, limit, overlap);
                if (part.status != CRAYON_OK) {
                    ASSERT_EQ(part.status, tokens.status);
                    ASSERT_LT(tokens.count(), limit);
                    break;
                }
                const std::vector<std::size_t> boundaries = naive::decode_utf8(rest).offsets;
                ASSERT_TRUE(start <= part.overlap_begin && part.overlap_begin <= part.end && part.end <= text.size());
                ASSERT_TRUE(is_between(boundaries, part.end - start));
                if (part.end == start) {
                    ASSERT_EQ(part.tokens, tokens_of(alone.encoder(), rest.substr(0, boundaries[1]), policy).count());
                    ASSERT_GT(part.tokens, limit);
                } else {
                    const Tokens own = tokens_of(alone.encoder(), rest.substr(0, part.end - start), policy);
                    ASSERT_EQ(own.status, CRAYON_OK);
                    ASSERT_EQ(part.tokens, own.count());
                    ASSERT_LE(part.tokens, limit);
                    std::uint32_t begin = own.begins[own.count() - std::min<std::size_t>(overlap, own.count())];
                    while (!is_between(boundaries, begin)) ++begin;
                    ASSERT_EQ(part.overlap_begin - start, begin);
                }
                bool is_sure;
                const std::uint32_t expected = naive_end(alone.encoder(), rest, tokens, limit, policy, &is_sure);
                if (is_sure) {
                    ASSERT_EQ(part.end - start, expected);
                    ++compared;
                }
                if (part.end <= reached) {
                    if (start == reached) break;  // not even a character fits
                    start = reached;
                    continue;
                }
                overlapping += start < reached;
                start = part.overlap_begin;
                reached = part.end;
            }
        }
    });
    EXPECT_GT(compared, at_least(1500));
    EXPECT_GT(overlapping, at_least(300));
}

// The bytes read, scanned or encoded to split a text.
std::uint64_t work_of(const std::string& cartridge, const std::string& text, std::uint32_t limit, std::uint32_t overlap,
                      std::uint64_t* bytes, std::uint64_t* parts) {
    Tokenizing fitting(cartridge);
    crayon_result result;
    EXPECT_EQ(crayon_encoder_begin(fitting.encoder(), CRAYON_SPECIAL_ALLOW, nullptr, 0, &result), CRAYON_OK);
    *bytes = text.size();
    *parts = 0;
    for (std::uint32_t start = 0, reached = 0; reached < text.size();) {
        const Fitted part = fit(fitting.encoder(), text, start, limit, overlap);
        EXPECT_EQ(part.status, CRAYON_OK);
        ++*parts;
        *bytes += part.end - start;
        if (part.status != CRAYON_OK || (part.end <= reached && start == reached)) break;
        start = part.end <= reached ? reached : part.overlap_begin;
        reached = std::max(reached, part.end);
    }
    return fitting.encoder()->fit.work();
}

std::string repeated(const std::string& unit, std::size_t length) {
    std::string text;
    while (text.size() < length) text += unit;
    return text;
}

TEST(FitClassesTest, WorkIsLinear) {
    const std::vector<AddedToken> plain = {{"<|end|>", 5000}, {"ab", 5001, 0}};
    const std::vector<AddedToken> stripping = {{"<l>", 5000, CRAYON_ADDED_LSTRIP}, {"<r>", 5001, CRAYON_ADDED_RSTRIP}};
    const std::vector<AddedToken> words = {{"ab", 5000, CRAYON_ADDED_SINGLE_WORD}, {"<w>", 5001, CRAYON_ADDED_SINGLE_WORD}};
    struct Case {
        std::string name, cartridge;
    };
    Random random(7);
    const Vocabulary vocabulary = random_vocabulary(random, "aB' \n1.\xCE\xA9", 300);
    const Bytes pattern = section_of(automaton_named("cl100k"), layout::kAllPatternCuts);
    std::vector<Case> cases = {
        {"cl100k", compile(vocabulary, "cl100k", plain)},
        {"o200k", compile(vocabulary, "o200k", plain)},
        {"NFC", compile(vocabulary, "qwen2", plain, 1)},
        {"no pretokenizer", compile(vocabulary, "none", plain)},
        {"pattern", compile(vocabulary, "pattern", plain, 0, pattern)},
        {"stripping", compile(vocabulary, "cl100k", stripping)},
        {"words", compile(vocabulary, "cl100k", words)},
        {"NFC, stripping", compile(vocabulary, "cl100k", stripping, 1)},
    };
    // A long token is tried at every byte without a match; and one matches from every second byte on.
    for (const std::size_t length : {300, 1000}) {
        const std::string run(length, 'a');
        cases.push_back({"longest match " + std::to_string(length),
                         compile_matches({{"a",    "aa",   run + "b", "b",    "B",    " ",    "\n",
                                           "1",    ".",    "'",       "l",    "e",    "n",    "d",
                                           "r",    "w",    "<",       ">",    "|",    "\xCE", "\xA9\xCE\xA9",
                                           "\xA9", "\xE2", "\x84",    "\xA6", "\xCC", "\xA3", "\x87",
                                           "\xF0", "\x9F", "\x98",    "\x80"},
                                          kNoUnknown},
                                         Form::kFull)});
    }
    const std::pair<std::uint32_t, std::uint32_t> limits[] = {{4, 0}, {64, 63}};
    const std::string units[] = {"a",          "aB",      "a ",      "1",          "..'",          " ",    " \n",
                                 "<|end|>",    "ab",      "\u2126",  "\u03A9",     "\u0323\u0307", "<l> ", " <r> ",
                                 "ab ",        "aab",     "<w>a<w>", "\U0001F600", "aaaaa",        ".\n",  "a\u0323\u0307 ",
                                 "\u2126a<l>", "<r>    a"};
    std::uint64_t most = 0;
    for (const Case& each : cases) {
        for (const std::string& unit : units) {
            for (const auto& [limit, overlap] : limits) {
                SCOPED_TRACE(each.name + ", " + unit + ", limit " + std::to_string(limit) + "/" + std::to_string(overlap));
                std::uint64_t bytes, parts, more_bytes, more_parts;
                const std::uint64_t work = work_of(each.cartridge, repeated(unit, 1500), limit, overlap, &bytes, &parts);
                const std::uint64_t more =
                    work_of(each.cartridge, repeated(unit, 6000), limit, overlap, &more_bytes, &more_parts);
                EXPECT_LT(more, 8 * work + 20000) << work;
                const std::uint64_t bound = 8 * more_bytes + 1000 * more_parts + 20000;
                EXPECT_LT(more, bound) << more_bytes << " bytes, " << more_parts << " parts";
                most = std::max(most, 100 * more / bound);
            }
        }
    }
    EXPECT_GT(most, 5u);  // something is counted
}

// A part that begins inside a rewritten stretch normalizes its rest of it, and continues from the state of the text after it:
// overlapping text is not read again, however long. A long stretch is not normalized again for every part.
TEST(FitClassesTest, PartsThatBeginInsideRewrittenStretchesContinueFromKnownText) {
    Random random(7);
    const std::string cartridge = compile(random_vocabulary(random, "ae\xCC\x87\xCC\xA3", 60), "qwen2", {}, 1);
    const std::string unsorted = "\u0307\u0323", sorted_late = "e\u0301" + repeated(unsorted, 40);
    const std::string units[] = {"aae" + unsorted, sorted_late, repeated(unsorted, 200) + " ", unsorted};
    for (const std::string& unit : units) {
        for (const auto& [limit, overlap] : {std::pair{4u, 0u}, std::pair{256u, 250u}, std::pair{1024u, 1018u}}) {
            if (unit == unsorted && overlap > 0) continue;  // one stretch: each part takes an encoder
            SCOPED_TRACE(std::to_string(unit.size()) + " bytes, limit " + std::to_string(limit) + "/" + std::to_string(overlap));
            std::uint64_t bytes, parts, more_bytes, more_parts;
            const std::uint64_t work = work_of(cartridge, repeated(unit, 8000), limit, overlap, &bytes, &parts);
            const std::uint64_t more = work_of(cartridge, repeated(unit, 32000), limit, overlap, &more_bytes, &more_parts);
            EXPECT_LT(more, 6 * work + 20000) << work;
            EXPECT_LT(more, 4 * 32000 + 1600 * more_parts) << more_parts << " parts";
        }
    }
}

// A part that begins or ends next to a token that is found only as a whole word continues from known text like any other part,
// unless such a token begins in only one of the two.
TEST(FitClassesTest, PartsContinueFromKnownTextNextToWholeWords) {
    Random random(7);
    const Vocabulary vocabulary = random_vocabulary(random, "aB' \n1.\xCE\xA9", 300);
    const std::vector<AddedToken> words = {{"ab", 5000, CRAYON_ADDED_SINGLE_WORD}, {"<w>", 5001, CRAYON_ADDED_SINGLE_WORD}};
    for (const std::uint32_t normalizer : {0u, 1u}) {
        const std::string cartridge = compile(vocabulary, "qwen2", words, normalizer);
        for (const std::string unit : {"ab ", "ab.", "abab", "<w> ab "}) {
            for (const auto& [limit, overlap] : {std::pair{3u, 0u}, std::pair{16u, 0u}, std::pair{64u, 63u}}) {
                SCOPED_TRACE(unit + ", limit " + std::to_string(limit) + "/" + std::to_string(overlap));
                const std::string text = repeated(unit, 4000);
                std::uint64_t bytes, parts;
                const std::uint64_t work = work_of(cartridge, text, limit, overlap, &bytes, &parts);
                EXPECT_LT(work, 4 * text.size() + 10 * parts) << parts << " parts";
            }
        }
    }
}

}  // namespace
}  // namespace crayon::test::fit_classes_test
