// The number of each id's word, and whether it is an added token: that of the piece or added token that its bytes are in, however
// the text is fed and the ids are read. Pieces are those of a pretokenizer's family, of a pattern that splits another one's
// pieces when they are encoded, or, without a pretokenizer, whole segments.
#include <algorithm>

#include "crayon/layout/pattern.h"
#include "kernels.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "naive/utf.h"
#include "pattern_sections.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::word_numbers_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

const std::vector<AddedToken> kAdded = {{"<|end|>", 100000}, {"\xE2\x9C\x82", 100001, 0}};

// Merges over digits and spaces, so that words of the inner pattern differ from those of the outer one.
const Vocabulary& vocabulary() {
    static const Vocabulary v = [] {
        Random random(29);
        return random_vocabulary(random, "ab1 2\n<|>nd\xE4\xB8\xAD\xC3\xA9", 1500);
    }();
    return v;
}

struct Kind {
    std::string_view pretokenizer;
    std::string pattern;  // as naive::Pattern reads it; empty: a segment is a word
    Bytes section;
};

std::vector<Kind> kinds() {
    const auto published = [](std::string_view family) {
        return std::string(
            std::find_if(std::begin(naive::kPublishedPatterns), std::end(naive::kPublishedPatterns), [&](const auto& each) {
                return each.family == family;
            })->pattern);
    };
    Bytes sections = section_of(automaton_named("gpt2"), layout::kAllPatternCuts);
    const Bytes inner = section_of(digits(), layout::kAllPatternCuts | layout::kInnerPattern);
    sections.insert(sections.end(), inner.begin(), inner.end());
    return {{"o200k", published("o200k"), {}}, {"none", "", {}}, {"pattern", published("gpt2") + "\n[0-9]{1,3}", sections}};
}

// The ends of the words: found in the text between added tokens.
Numbers naive_ends(const std::string& text, const Kind& kind, bool allows_special) {
    Numbers ends;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.size(), length = 0;  // of the text before the next added token, and of that one
        for (const AddedToken& token : kAdded) {
            const std::size_t found = &token == &kAdded[0] && !allows_special ? text.npos : text.find(token.bytes, at);
            if (found < end) end = found, length = token.bytes.size();
        }
        const naive::Characters characters = naive::decode_utf8(text.substr(at, end - at));
        if (kind.pattern.empty()) {
            if (end > at) ends.push_back(static_cast<std::uint32_t>(end));
        } else {
            for (std::size_t boundary : naive::Pattern(kind.pattern).split(characters.code_points))
                ends.push_back(static_cast<std::uint32_t>(at + characters.offsets[boundary]));
        }
        at = end + length;
        if (length > 0) ends.push_back(static_cast<std::uint32_t>(at));
    }
    return ends;
}

Numbers naive_words(const Numbers& ids, const Numbers& ends) {
    Numbers words;
    std::uint32_t at = 0;
    for (std::uint32_t id : ids) {
        const auto word = static_cast<std::uint32_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
        const auto added = std::find_if(kAdded.begin(), kAdded.end(), [id](const AddedToken& token) { return token.id == id; });
        words.insert(words.end(), {word, added != kAdded.end()});
        at += static_cast<std::uint32_t>(added == kAdded.end() ? vocabulary().tokens[id].size() : added->bytes.size());
    }
    return words;
}

std::string random_text(Random& random) {
    std::string text = random.one_in(3) ? TextGenerator(random.next()).utf8() : "";
    static const std::vector<std::string> kParts = {"a",  " ab",          "1",        "12",  "1212121", " 12a", "\n",
                                                    "  ", "\xE4\xB8\xAD", "\xC3\xA9", "\xFF"};
    for (std::size_t parts = random.below(40); parts > 0; --parts) {
        text += random.one_in(12) ? kAdded[random.below(2)].bytes : kParts[random.below(kParts.size())];
    }
    return text;
}

TEST(WordNumbers, AreThoseOfThePiecesAndAddedTokens) {
    for (const Kind& kind : kinds()) {
        SCOPED_TRACE(kind.pretokenizer);
        const std::string cartridge = compile(vocabulary(), kind.pretokenizer, kAdded, 0, kind.section);
        std::size_t inside = 0;  // ids that continue the word of the one before
        for_each_kernel([&](const Kernel& kernel) {
            Tokenizing tokenizing(cartridge, kernel.name);
            crayon_result result;
            for (std::uint64_t seed = 1; seed <= sample(800); ++seed) {
                Random random(seed);
                const std::string text = random_text(random);
                const std::uint32_t policy = random.one_in(2) ? CRAYON_SPECIAL_ALLOW : CRAYON_SPECIAL_AS_TEXT;
                const Numbers expected = tokenizing.encode(text, policy);
                ASSERT_EQ(crayon_encoder_begin(tokenizing.encoder(), policy, nullptr, 0, &result), CRAYON_OK);
                const std::size_t widest = random.one_in(3) ? text.size() : 1 + random.below(60);
                const auto step = static_cast<std::uint32_t>(1 + random.below(random.one_in(2) ? 3 : 400));
                Numbers ids, words, some(step), numbers(2 * step);
                for (std::size_t at = 0, last = 0; !last;) {
                    const std::size_t length = std::min(random.below(widest + 1), text.size() - at);
                    last = at + length == text.size() && !random.one_in(4);
                    ASSERT_EQ(
                        crayon_encoder_feed_utf8(tokenizing.encoder(), reinterpret_cast<const std::uint8_t*>(text.data()) + at,
                                                 static_cast<std::uint32_t>(length), last, &result),
                        CRAYON_OK);
                    at += length;
                    do {
                        ASSERT_EQ(crayon_encoder_read_with_offsets(tokenizing.encoder(), some.data(), numbers.data(), step,
                                                                   CRAYON_UNIT_WORDS, &result),
                                  CRAYON_OK);
                        ids.insert(ids.end(), some.begin(), some.begin() + result.count);
                        words.insert(words.end(), numbers.begin(), numbers.begin() + 2 * result.count);
                    } while (result.more);
                }
                ASSERT_EQ(ids, expected) << "seed " << seed;
                ASSERT_EQ(words, naive_words(ids, naive_ends(text, kind, policy == CRAYON_SPECIAL_ALLOW))) << "seed " << seed;
                for (std::size_t i = 2; i < words.size(); i += 2) inside += words[i] == words[i - 2];
            }
        });
        EXPECT_GT(inside, at_least(100));
    }
}

}  // namespace
}  // namespace crayon::test::word_numbers_test
