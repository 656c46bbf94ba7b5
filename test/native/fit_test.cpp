// Cuts parts of a text within a token limit: as long as the naive cut, which tries every token of the text; and the properties of
// any cut, on adversarial texts.
#include <algorithm>
#include <map>

#include "kernels.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "naive/utf.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::fit_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

const std::vector<AddedToken> kAdded = {{"<|end|>", 100000}, {"<|e", 100001, 0}, {"\xE2\x9C\x82", 100002, 0}};

struct Family {
    std::string name;
    std::string_view pretokenizer;
    std::string_view pattern;
    // What its pieces consist of: letters of both cases, marks, digits, blanks, parts of characters.
    std::string_view alphabet;
    // More tokens, of lower rank. If a piece with one of these is cut after it, the part may have more tokens: "\n \n" is one
    // piece, "\n " is two; "\u4E2DAb" is one, "\u4E2DA" is two.
    std::vector<std::string> traps;
};
const Family kFamilies[] = {
    {"gpt2", "gpt2", naive::kPublishedPatterns[0].pattern, "ab 's\n1\xE4\xB8\xAD\xF0\x9F\x98\x80", {}},
    {"cl100k", "cl100k", naive::kPublishedPatterns[1].pattern, "aAB 's\n/1\xE4\xB8\xAD\xF0\x9F\x98\x80", {}},
    {"o200k", "o200k", naive::kPublishedPatterns[2].pattern, "aAb's\n /1\xE4\xB8\xAD\xF0\x9F\x98\x80", {}},
    {"tekken", "tekken", naive::kPublishedPatterns[4].pattern, "aAb \n /1\xE4\xB8\xAD\xF0\x9F\x98\x80", {}},
    {"deepseek3", "deepseek3", naive::kPublishedPatterns[5].pattern, "aA. \n1\x01\xE3\x81\x82\xE4\xB8\xAD", {}},
    {"cl100k with traps",
     "cl100k",
     naive::kPublishedPatterns[1].pattern,
     "",
     {"bb", "bbbb", "bbbbbbbb", "  ", "   ", "\n ", "\n \n ", "/\n "}},
    {"o200k with traps",
     "o200k",
     naive::kPublishedPatterns[2].pattern,
     "",
     {"bb", "bbbb", "bbbbbbbb", "  ", "   ", "\n ", "\n \n ", "\xE4\xB8", "\xE4\xB8\xAD", "\xE4\xB8\xAD\x41",
      "\xE4\xB8\xAD\x41\xE4\xB8\xAD\x41"}},
    {"none", "none", "", "ab 's\n1\xE4\xB8\xAD\xF0\x9F\x98\x80", {}},
    {"none with traps", "none", "", "", {"bb", "bbbb", "bbbbbbbb", "A ", "A bb", " \n", "b \n", "/\n "}},
};

struct Part {
    std::uint32_t end, tokens, overlap_begin;
    bool operator==(const Part&) const = default;
};

// A tokenizer of each family, twice: one to fit with, one to count with.
class Fitting {
public:
    Fitting(const Family& family, std::string_view kernel, const std::vector<AddedToken>& added = kAdded)
        : vocabulary_(vocabulary_of(family)),
          added_(added),
          cartridge_(compile(vocabulary_, family.pretokenizer, added)),
          tokenizing_(cartridge_, kernel),
          alone_(cartridge_, kernel) {}

    void begin(std::uint32_t policy) {
        EXPECT_EQ(crayon_encoder_begin(tokenizing_.encoder(), policy, nullptr, 0, &result), CRAYON_OK);
    }

    crayon_status fit(const std::string& text, std::uint32_t start, std::uint32_t limit, std::uint32_t overlap,
                      std::uint32_t policy, Part* part, bool last = true) {
        begin(policy);
        return cut(text, start, limit, overlap, part, last);
    }
    // The same under the policy of the last `begin`.
    crayon_status cut(const std::string& text, std::uint32_t start, std::uint32_t limit, std::uint32_t overlap, Part* part,
                      bool last = true) {
        std::uint32_t out[3] = {};
        const crayon_status status =
            crayon_encoder_fit(tokenizing_.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()),
                               static_cast<std::uint32_t>(text.size()), start, last, limit, overlap, out, &result);
        *part = {out[0], out[1], out[2]};
        return status;
    }

    Numbers encode(const std::string& text, std::uint32_t policy) { return alone_.encode(text, policy); }

    std::uint32_t length_of(std::uint32_t id) const {
        for (const AddedToken& token : added_) {
            if (token.id == id) return static_cast<std::uint32_t>(token.bytes.size());
        }
        return static_cast<std::uint32_t>(vocabulary_.tokens[id].size());
    }

    // By definition: the largest number of the text's own tokens that end between two characters and fit when encoded alone. 0 if
    // there are none.
    std::uint32_t naive_end(const std::string& text, std::uint32_t limit, std::uint32_t policy) {
        const std::vector<std::size_t> boundaries = naive::decode_utf8(text).offsets;
        std::vector<std::uint32_t> ends;
        std::uint32_t end = 0;
        for (std::uint32_t id : encode(text, policy)) {
            if (ends.size() == limit) break;
            ends.push_back(end += length_of(id));
        }
        for (; !ends.empty(); ends.pop_back()) {
            if (!std::binary_search(boundaries.begin(), boundaries.end(), ends.back())) continue;
            if (encode(text.substr(0, ends.back()), policy).size() <= limit) return ends.back();
            ++exceeded;
        }
        return 0;
    }

    crayon_result result = {};
    std::size_t exceeded = 0;  // ends rejected because the part has more tokens alone

private:
    static const Vocabulary& vocabulary_of(const Family& family) {
        static std::map<std::string, Vocabulary> made;
        Random random(31);
        if (!made.count(family.name)) {
            Vocabulary v = random_vocabulary(random, family.alphabet, family.alphabet.empty() ? 0 : 2500);
            for (const std::string& token : family.traps) v.add(token);
            keep_mergeable(v);
            made.emplace(family.name, std::move(v));
        }
        return made.at(family.name);
    }

    const Vocabulary& vocabulary_;
    const std::vector<AddedToken> added_;
    std::string cartridge_;
    Tokenizing tokenizing_, alone_;
};

// Repetitions of a few characters whose pieces change when they are cut, and a long token, so that windows are as large as with
// real texts.
std::string trap_text(Random& random, std::size_t length) {
    static const char* const kTraps[] = {"A", "bbbbbbbb",     " ", " ",        "bbbbbbbb", "\n", " ", "\n",
                                         "/", "\xE4\xB8\xAD", "A", "bbbbbbbb", "'",        "s",  "1"};
    const std::size_t from = random.below(12), kinds = 2 + random.below(2);  // neighbours of these
    std::string text;
    while (text.size() < length) text += kTraps[from + random.below(kinds)];
    return text;
}

std::string random_text(Random& random) {
    if (random.one_in(2)) return trap_text(random, random.below(150));
    std::string text = TextGenerator(random.next()).utf8();
    for (std::size_t n = random.below(4); n > 0; --n) {
        text.insert(random.below(text.size() + 1), kAdded[random.below(kAdded.size())].bytes);
    }
    return text;
}

// The longest piece in bytes: the cut need not read more than 512 bytes of an open piece.
std::size_t longest_piece(const std::string& text, const Family& family) {
    if (family.pattern.empty()) return text.size();
    const naive::Characters characters = naive::decode_utf8(text);
    std::size_t longest = 0, from = 0;
    for (std::size_t end : naive::Pattern(family.pattern).split(characters.code_points)) {
        longest = std::max(longest, characters.offsets[end] - characters.offsets[from]);
        from = end;
    }
    return longest;
}

TEST(FitTest, CutsWhereTheNaiveCutDoes) {
    for_each_kernel([&](const Kernel& kernel) {
        for (const Family& family : kFamilies) {
            SCOPED_TRACE(family.name);
            Fitting fitting(family, kernel.name);
            std::size_t long_pieces = 0;
            const std::uint64_t seeds = family.traps.empty() ? 400 : 1000;
            for (std::uint64_t seed = 1; seed <= sample(seeds); ++seed) {
                Random random(seed);
                const std::string text = random_text(random);
                const std::uint32_t policy = random.one_in(2) ? CRAYON_SPECIAL_ALLOW : CRAYON_SPECIAL_AS_TEXT;
                const std::size_t tokens = fitting.encode(text, policy).size();
                const std::uint32_t limit = static_cast<std::uint32_t>(1 + random.below(random.one_in(3) ? 4 : tokens + 5));
                const std::uint32_t overlap = static_cast<std::uint32_t>(random.below(limit));
                const std::uint32_t start = random.one_in(4) ? 3 : 0;
                const std::string before(start, 'x');
                Part part;
                ASSERT_EQ(fitting.fit(before + text, start, limit, overlap, policy, &part), CRAYON_OK);
                ASSERT_GE(part.end, start) << "seed " << seed;
                const std::uint32_t end = part.end - start;

                // The properties of any cut.
                const std::vector<std::size_t> boundaries = naive::decode_utf8(text).offsets;
                const auto is_boundary = [&](std::size_t at) {
                    return std::binary_search(boundaries.begin(), boundaries.end(), at);
                };
                ASSERT_TRUE(is_boundary(end)) << "seed " << seed;
                if (end == 0) {
                    const std::size_t first = text.empty() ? 0 : boundaries[1];
                    ASSERT_EQ(part.tokens, fitting.encode(text.substr(0, first), policy).size()) << "seed " << seed;
                    ASSERT_TRUE(text.empty() || part.tokens > limit) << "seed " << seed;
                    continue;
                }
                const Numbers alone = fitting.encode(text.substr(0, end), policy);
                ASSERT_EQ(part.tokens, alone.size()) << "seed " << seed;
                ASSERT_LE(part.tokens, limit) << "seed " << seed;
                std::size_t overlap_begin = end;
                for (std::size_t i = 0; i < std::min<std::size_t>(overlap, alone.size()); ++i)
                    overlap_begin -= fitting.length_of(alone[alone.size() - 1 - i]);
                while (!is_boundary(overlap_begin)) ++overlap_begin;
                ASSERT_EQ(part.overlap_begin - start, overlap_begin) << "seed " << seed;

                // It is the longest possible one.
                const std::uint32_t expected = fitting.naive_end(text, limit, policy);
                if (expected == 0) continue;
                if (end != expected) {
                    ASSERT_GT(longest_piece(text, family), 512u) << "seed " << seed << ", limit " << limit;
                    ++long_pieces;
                }
            }
            EXPECT_LT(long_pieces, at_most(seeds / 20));
        }
    });
}

// The cut must not rely on the text after it: every limit, so that every offset near a window's end is tested.
TEST(FitTest, CutsWhereTheNaiveCutDoesAtEveryLimit) {
    for (const Family& family : kFamilies) {
        SCOPED_TRACE(family.name);
        Fitting fitting(family, "");
        for (std::uint64_t seed = 1; seed <= sample(10); ++seed) {
            Random random(seed);
            const std::string text = trap_text(random, 1000);
            const std::size_t tokens = fitting.encode(text, CRAYON_SPECIAL_AS_TEXT).size();
            for (std::uint32_t limit = 1; limit <= tokens; ++limit) {
                Part part;
                ASSERT_EQ(fitting.fit(text, 0, limit, 0, CRAYON_SPECIAL_AS_TEXT, &part), CRAYON_OK);
                const std::uint32_t end = fitting.naive_end(text, limit, CRAYON_SPECIAL_AS_TEXT);
                if (end == 0) continue;
                ASSERT_EQ(part.end, end) << "seed " << seed << ", limit " << limit;
                ASSERT_EQ(part.tokens, fitting.encode(text.substr(0, end), CRAYON_SPECIAL_AS_TEXT).size())
                    << "seed " << seed << ", limit " << limit;
            }
        }
        if (family.pattern.empty()) {  // the first tokens of a piece encode its beginning
            EXPECT_EQ(fitting.exceeded, 0u);
        } else {
            EXPECT_TRUE(family.traps.empty() || fitting.exceeded > at_least(50)) << fitting.exceeded;
        }
    }
}

// For the beginning of a text, the result equals that of the whole text, or is a request for more of it.
TEST(FitTest, DecidesFromABeginningOfTheText) {
    for (const Family& family : kFamilies) {
        SCOPED_TRACE(family.name);
        Fitting fitting(family, "");
        std::size_t answers = 0;
        for (std::uint64_t seed = 1; seed <= sample(3000); ++seed) {
            Random random(seed);
            const std::string text = random_text(random);
            const std::uint32_t limit = static_cast<std::uint32_t>(1 + random.below(40));
            const std::string beginning = text.substr(0, random.below(text.size() + 1));
            if (beginning.size() == text.size()) continue;
            Part of_beginning, of_text;
            ASSERT_EQ(fitting.fit(beginning, 0, limit, 2, CRAYON_SPECIAL_ALLOW, &of_beginning, false), CRAYON_OK);
            if (fitting.result.more) continue;
            ASSERT_EQ(fitting.fit(text, 0, limit, 2, CRAYON_SPECIAL_ALLOW, &of_text), CRAYON_OK);
            ASSERT_EQ(fitting.result.more, 0u);
            if (of_beginning != of_text) {
                ASSERT_GT(longest_piece(text, family), 512u) << "seed " << seed;
            } else {
                ++answers;
            }
        }
        EXPECT_GT(answers, at_least(300));
    }
}

TEST(FitTest, RefusesForbiddenTokensInsideThePart) {
    Fitting fitting(kFamilies[1], "");
    Part part;
    // The text before the token, encoded alone.
    const std::string before = "a b a b a b a b";
    const std::string text = before + "<|end|>" + std::string(400, '1');
    const std::uint32_t tokens = static_cast<std::uint32_t>(fitting.encode(before, CRAYON_SPECIAL_FORBID).size());
    ASSERT_GT(tokens, 3u);
    for (std::uint32_t limit = 1; limit <= tokens; ++limit) {
        ASSERT_EQ(fitting.fit(text, 0, limit, 0, CRAYON_SPECIAL_FORBID, &part), CRAYON_OK) << limit;
        ASSERT_LE(part.end, before.size());
    }
    EXPECT_EQ(part.end, before.size());
    EXPECT_EQ(fitting.fit(text, 2, tokens + 1, 0, CRAYON_SPECIAL_FORBID, &part),
              static_cast<crayon_status>(CRAYON_SPECIAL_FORBIDDEN));
    EXPECT_EQ(fitting.result.position, before.size());
    EXPECT_EQ(fitting.fit(text, 0, 0xFFFFFFFF, 0, CRAYON_SPECIAL_ALLOW, &part), CRAYON_OK);
    EXPECT_EQ(part.end, text.size());
}

// With any limit, a whole text of damaged characters is one part; its end is not known yet if more follows. An added token may
// end inside a character.
TEST(FitTest, TheLargestLimitsTakeDamagedTextOfAnyLength) {
    const std::vector<AddedToken> added = {{"b\xE4", 100000, 0}};
    const std::string alphabet = "ab \x80\xBF\xC3\xE4\xF0\xFF";
    Random random(6280);
    for (const Family& family : kFamilies) {
        Fitting fitting(family, "", added);
        for (std::size_t length = 100; length < 700; length += 1 + random.below(12)) {
            std::string text;
            while (text.size() < length) text += alphabet[random.below(alphabet.size())];
            text += "b\xE4\x80\x80";
            for (const std::uint32_t limit : {0xFFFFFFFFu, 0xFFFFFFFEu, 0xFFFFFFFFu - 128}) {
                Part part;
                ASSERT_EQ(fitting.fit(text, 0, limit, 7, CRAYON_SPECIAL_ALLOW, &part, false), CRAYON_OK) << family.name;
                ASSERT_EQ(part.end, 0u) << family.name;
                ASSERT_EQ(fitting.fit(text, 0, limit, 7, CRAYON_SPECIAL_ALLOW, &part), CRAYON_OK) << family.name;
                ASSERT_EQ(part.end, text.size()) << family.name;
                ASSERT_EQ(part.tokens, fitting.encode(text, CRAYON_SPECIAL_ALLOW).size()) << family.name;
            }
        }
    }
}

// The tokens of a part are cached for the next one, which may begin where its scan differs from the text's: inside a piece, a
// token, a group of digits.
TEST(FitTest, PartsThatContinueOthersAreCutWhereTheNaiveCutIs) {
    for_each_kernel([&](const Kernel& kernel) {
        std::size_t parts = 0, inside = 0;
        for (const Family& family : kFamilies) {
            SCOPED_TRACE(family.name);
            Fitting fitting(family, kernel.name);
            for (std::uint64_t seed = 1; seed <= sample(60, 3); ++seed) {
                Random random(seed);
                std::string text;
                while (text.size() < 700)
                    text += random_text(random) + std::string(random.below(40), random.one_in(2) ? '1' : 'b');
                const std::uint32_t policy = random.one_in(3) ? CRAYON_SPECIAL_ALLOW : CRAYON_SPECIAL_AS_TEXT;
                const std::uint32_t limit = static_cast<std::uint32_t>(2 + random.below(random.one_in(3) ? 150 : 12));
                const std::uint32_t overlap = static_cast<std::uint32_t>(random.one_in(3) ? 0 : random.below(limit));
                fitting.begin(policy);
                std::uint32_t start = 0, reached = 0;
                for (int round = 0; round < 25 && reached < text.size(); ++round) {
                    Part part;
                    ASSERT_EQ(fitting.cut(text, start, limit, overlap, &part), CRAYON_OK);
                    SCOPED_TRACE("seed " + std::to_string(seed) + ", start " + std::to_string(start));
                    const std::string rest = text.substr(start);
                    const std::uint32_t expected = fitting.naive_end(rest, limit, policy);
                    if (expected != 0 && part.end - start != expected) {
                        ASSERT_GT(longest_piece(rest, family), 512u);
                    }
                    if (part.end <= reached) {
                        if (start == reached) break;  // not even a character fits
                        start = reached;
                        continue;
                    }
                    const Numbers alone = fitting.encode(rest.substr(0, part.end - start), policy);
                    ASSERT_EQ(part.tokens, alone.size());
                    std::uint32_t overlap_begin = part.end;
                    for (std::size_t i = 0; i < std::min<std::size_t>(overlap, alone.size()); ++i)
                        overlap_begin -= fitting.length_of(alone[alone.size() - 1 - i]);
                    const std::vector<std::size_t> boundaries = naive::decode_utf8(rest).offsets;
                    while (!std::binary_search(boundaries.begin(), boundaries.end(), overlap_begin - start)) ++overlap_begin;
                    ASSERT_EQ(part.overlap_begin, overlap_begin);
                    ++parts;
                    inside += fitting.encode(rest, policy).size() + fitting.encode(text.substr(0, start), policy).size() !=
                              fitting.encode(text, policy).size();
                    start = part.overlap_begin;
                    reached = part.end;
                }
            }
        }
        EXPECT_GT(parts, at_least(2000));
        EXPECT_GE(inside, at_least(100));
    });
}

// Parts in which digits are counted from another offset, or contractions begin at another one, have other pieces than the text,
// up to the end of the run. Such parts are cached separately, and each continues the last one of its kind.
TEST(FitTest, PartsWhosePiecesNeverAlignEqualEachAlone) {
    std::size_t parts = 0, apart = 0;
    for (const Family& family : kFamilies) {
        SCOPED_TRACE(family.name);
        Fitting fitting(family, "");
        for (std::uint64_t seed = 1; seed <= sample(24, 3); ++seed) {
            Random random(seed);
            static const char* const kRuns[] = {"1", "12", "\xD9\xA0", "\xC2\xBD", "'LL", "'ll", "a'll", "'s"};
            std::string text;
            while (text.size() < 900) {
                const std::string unit = kRuns[random.below(std::size(kRuns))];
                for (std::size_t n = random.below(random.one_in(2) ? 20 : 250); n > 0; --n) text += unit;
                if (random.one_in(3)) text += random.one_in(2) ? " " : "ab";
            }
            const std::uint32_t limit = static_cast<std::uint32_t>(100 + random.below(300));
            const std::uint32_t overlap = limit - 1 - static_cast<std::uint32_t>(random.below(4));
            fitting.begin(CRAYON_SPECIAL_AS_TEXT);
            const Numbers whole = fitting.encode(text, CRAYON_SPECIAL_AS_TEXT);
            for (std::uint32_t start = 0, reached = 0; reached < text.size();) {
                Part part;
                ASSERT_EQ(fitting.cut(text, start, limit, overlap, &part), CRAYON_OK);
                SCOPED_TRACE("seed " + std::to_string(seed) + ", start " + std::to_string(start));
                const std::string rest = text.substr(start);
                if (part.end <= reached) {
                    if (start == reached) break;  // not even a character fits
                    start = reached;
                    continue;
                }
                const std::string alone = text.substr(start, part.end - start);
                const std::uint32_t expected = fitting.naive_end(rest, limit, CRAYON_SPECIAL_AS_TEXT);
                if (expected != 0 && part.end - start != expected) {
                    ASSERT_GT(longest_piece(rest, family), 512u);
                }
                ASSERT_EQ(part.tokens, fitting.encode(alone, CRAYON_SPECIAL_AS_TEXT).size());
                ++parts;
                apart += fitting.encode(rest, CRAYON_SPECIAL_AS_TEXT).size() +
                             fitting.encode(text.substr(0, start), CRAYON_SPECIAL_AS_TEXT).size() !=
                         whole.size();
                start = part.overlap_begin;
                reached = part.end;
            }
        }
    }
    EXPECT_GT(parts, at_least(3000));
    EXPECT_GE(apart, at_least(100));
}

// Texts of one piece, or a few, with overlapping parts: what is cached for a part must not affect the next.
std::string long_piece(Random& random, const Family& family, std::size_t length) {
    static const std::vector<std::vector<std::string>> kKinds = {
        {"a", "b"},
        {"a", "b", "ab", "ba", "aab"},
        {"b"},
        {"b", "bbbb"},
        {" ", "  "},
        {"\n", " "},
        {"\xE4\xB8\xAD"},
        {"\xE4\xB8\xAD", "\xE4\xB8\xAE", "\xE4\xB9\xAD"},
        {"\xE4\xB8\xAD", "a", "b"},
        {"\xF0\x9F\x98\x80"},
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x9F"},
        {"\xC3\xA9", "a", "b"},
        {"\xE4\xB8", "a"},
        {"A", "b"},
        {"a\xE2\x9C\x82", "b"},
    };
    const std::vector<std::string>& kinds = kKinds[random.below(kKinds.size())];
    std::string text = random.one_in(3) ? TextGenerator(random.next()).utf8() : "";
    const std::size_t from = text.size();
    while (text.size() < from + length) text += kinds[random.below(kinds.size())];
    if (random.one_in(2)) text += " " + TextGenerator(random.next()).utf8();
    if (random.one_in(8)) text.insert(from + random.below(length), family.alphabet.empty() ? "\n" : " ab ");
    return text;
}

TEST(FitTest, PartsOfALongPieceEqualEachAlone) {
    for_each_kernel([&](const Kernel& kernel) {
        std::size_t checked = 0, as_if_first = 0, moved = 0;
        // Tokens that end inside characters: a part that begins with a character begins inside such a token.
        static const Family kAcross = {"across",
                                       "cl100k",
                                       naive::kPublishedPatterns[1].pattern,
                                       "",
                                       {"\xAD\xE4", "\xAD\xE4\xB8", "\x80\xF0", "bb", "\xA9\x61"}};
        std::vector<Family> families(std::begin(kFamilies), std::end(kFamilies));
        families.push_back(kAcross);
        for (const Family& family : families) {
            SCOPED_TRACE(family.name);
            // Letters are an added token, and a long piece may contain it.
            std::vector<AddedToken> added = kAdded;
            added.push_back({"babbab", 100003});
            Fitting fitting(family, kernel.name, added), fresh(family, kernel.name, added);
            for (std::uint64_t seed = 1; seed <= sample(20, 3); ++seed) {
                Random random(seed);
                // Two texts alternate, possibly with the same bytes at other addresses.
                std::string texts[2] = {long_piece(random, family, 3000 + random.below(5000)), ""};
                texts[1] = random.one_in(2) ? texts[0].substr(0, 2500) : long_piece(random, family, 4000);
                std::uint32_t starts[2] = {}, ends[2] = {};
                const std::uint32_t limit = static_cast<std::uint32_t>(1 + random.below(random.one_in(8) ? 50 : 900));
                const std::uint32_t step = static_cast<std::uint32_t>(1 + random.below(random.one_in(4) ? limit : 9));
                const std::uint32_t overlap = limit > step ? limit - step : 0;
                std::uint32_t policy = CRAYON_SPECIAL_AS_TEXT;
                fitting.begin(policy);
                for (int round = 0; round < 60; ++round) {
                    if (random.one_in(20)) {
                        policy = random.one_in(2) ? CRAYON_SPECIAL_ALLOW : CRAYON_SPECIAL_AS_TEXT;
                        fitting.begin(policy);
                    }
                    const std::size_t which = random.one_in(10);
                    const std::string& text = texts[which];
                    if (ends[which] == text.size()) break;
                    Part part;
                    const std::uint32_t start = starts[which];
                    ASSERT_EQ(fitting.cut(text, start, limit, overlap, &part), CRAYON_OK);
                    ASSERT_EQ(fitting.result.more, 0u);
                    SCOPED_TRACE("seed " + std::to_string(seed) + ", start " + std::to_string(start));
                    const std::vector<std::size_t> boundaries = naive::decode_utf8(text.substr(start)).offsets;
                    const auto is_boundary = [&](std::size_t at) {
                        return std::binary_search(boundaries.begin(), boundaries.end(), at - start);
                    };
                    if (part.end == start || (overlap > 0 && part.end <= ends[which])) {
                        if (start == ends[which]) break;  // not even a character fits
                        starts[which] = ends[which];
                        continue;
                    }
                    const Numbers alone = fresh.encode(text.substr(start, part.end - start), policy);
                    ASSERT_TRUE(is_boundary(part.end));
                    ASSERT_EQ(part.tokens, alone.size());
                    ASSERT_LE(part.tokens, limit);
                    std::size_t overlap_begin = part.end;
                    for (std::size_t i = 0; i < std::min<std::size_t>(overlap, alone.size()); ++i)
                        overlap_begin -= fitting.length_of(alone[alone.size() - 1 - i]);
                    moved += !is_boundary(overlap_begin);
                    while (!is_boundary(overlap_begin)) ++overlap_begin;
                    ASSERT_EQ(part.overlap_begin, overlap_begin);
                    if (round % 5 == 0) {
                        Part first;
                        ASSERT_EQ(fresh.fit(text, start, limit, overlap, policy, &first), CRAYON_OK);
                        ++checked;
                        as_if_first += part.end == first.end;
                        // A four-byte character may be four tokens.
                        ASSERT_GE(part.tokens + 4, first.tokens);
                    }
                    starts[which] = part.overlap_begin;
                    ends[which] = part.end;
                }
            }
        }
        EXPECT_GE(moved, at_least(100));
        EXPECT_GT(checked, at_least(1000));
        EXPECT_GT(as_if_first, checked - checked / 20) << checked;
    });
}

// A forbidden token in the cached text is not yet in a part.
TEST(FitTest, RefusesForbiddenTokensInAPartOfALongPiece) {
    Fitting fitting(kFamilies[1], "", {{"babbab", 100003}});
    const std::string text = std::string(1500, 'b') + "babbab" + std::string(500, 'b');
    std::uint32_t start = 0;
    Part part;
    fitting.begin(CRAYON_SPECIAL_FORBID);
    while (fitting.cut(text, start, 600, 599, &part) == CRAYON_OK) {
        ASSERT_EQ(part, (Part{start + 600, 600, start + 1}));
        start = part.overlap_begin;
    }
    EXPECT_EQ(fitting.result.status, static_cast<crayon_status>(CRAYON_SPECIAL_FORBIDDEN));
    EXPECT_EQ(fitting.result.position, 1500u);
    EXPECT_EQ(start, 901u);
}

TEST(FitTest, AcceptsEmptyTextsAndZeroTokens) {
    Fitting fitting(kFamilies[2], "");
    Part part;
    ASSERT_EQ(fitting.fit("", 0, 5, 1, 0, &part), CRAYON_OK);
    EXPECT_EQ(part, (Part{0, 0, 0}));
    ASSERT_EQ(fitting.fit("", 0, 0, 0, 0, &part), CRAYON_OK);
    EXPECT_EQ(part, (Part{0, 0, 0}));
    ASSERT_EQ(fitting.fit("abc", 3, 5, 1, 0, &part), CRAYON_OK);
    EXPECT_EQ(part, (Part{3, 0, 3}));
    ASSERT_EQ(fitting.fit("!abc", 0, 0, 0, 0, &part), CRAYON_OK);
    EXPECT_EQ(part, (Part{0, 1, 0}));
    ASSERT_EQ(fitting.fit("abc", 0, 5, 0, 0, &part, false), CRAYON_OK);
    EXPECT_EQ(fitting.result.more, 1u);
    std::uint32_t out[3];
    EXPECT_EQ(crayon_encoder_fit(nullptr, nullptr, 0, 0, 1, 1, 0, out, nullptr),
              static_cast<crayon_status>(CRAYON_INVALID_ARGUMENT));
    EXPECT_EQ(fitting.fit("abc", 4, 5, 0, 0, &part), static_cast<crayon_status>(CRAYON_INVALID_ARGUMENT));
}

}  // namespace
}  // namespace crayon::test::fit_test
