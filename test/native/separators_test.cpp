// Parts that end at separators: at the best one between two tokens in the last half of what the rule allows, whatever the
// windows. test/lib/split.test.ts has what the kinds of separators are.
#include "limits/separators.h"

#include "any_tokenizer.h"
#include "memory_limit.h"
#include "naive/part_rule.h"
#include "read_parts.h"
#include "share.h"

namespace crayon::test::separators_test {
namespace {

const std::string kListed = "\n\n---b b1";
constexpr std::uint32_t kListedNumbers[] = {2, 1, 3, 0, 3, 2, 1, 1};  // lengths, and what stays before the cut

crayon_part_form form_of(std::uint32_t cuts, std::uint32_t limit, std::uint32_t overlap) {
    crayon_part_form form{limit, overlap, CRAYON_UNIT_BYTES, cuts, nullptr, nullptr, 0, 0};
    if (cuts == CRAYON_CUT_LISTED) {
        form.separators = bytes_of(kListed);
        form.numbers = kListedNumbers;
        form.length = static_cast<std::uint32_t>(kListed.size());
        form.count = std::size(kListedNumbers) / 2;
    }
    return form;
}

// Markdown, programs and prose, with what must not be taken for them. Well-formed.
std::string document(Random& random, std::size_t length) {
    static const char* const kWords[] = {"a",
                                         "ab",
                                         "the",
                                         "e.g.",
                                         "Mr.",
                                         "J.",
                                         "b1",
                                         "aba",
                                         "(a)",
                                         "x_y",
                                         "\u4E2D\u6587",
                                         "\u3042\u3042\u306E",
                                         "é",
                                         "1.5",
                                         "\u00AB",
                                         "\u300D",
                                         "!",
                                         "?!",
                                         "a\u0301",
                                         "\U0001F44D\U0001F3FD",
                                         "end",
                                         "else",
                                         "http://a.b/c?d=e"};
    static const char* const kEnds[] = {".", "!", "?\"", "\u3002", "...", ":", ",", ""};
    static const char* const kBreaks[] = {"\n", "\n\n", "\r\n", "\r\n\r\n", "\n \t\n", "\r", "\n\n\n\n", "  \n"};
    std::string text;
    const auto words = [&](std::size_t count) {
        for (; count > 0; --count) {
            text += kWords[random.below(std::size(kWords))];
            if (random.one_in(6)) text += kEnds[random.below(std::size(kEnds))];
            text += random.one_in(20) ? "\u3000" : " ";
        }
    };
    const auto rest_of_line = [&] {
        words(random.below(random.one_in(8) ? 60 : 8));
        text += kBreaks[random.below(random.one_in(3) ? std::size(kBreaks) : 2)];
    };
    while (text.size() < length) {
        const std::string line_break = random.one_in(8) ? "\r\n" : "\n";
        switch (random.below(9)) {
            case 0:
                text += std::string(1 + random.below(7), '#') + (random.one_in(8) ? "" : " ");
                break;
            case 1:  // a fence, sometimes open for long
                text += std::string(random.below(4), ' ') + (random.one_in(2) ? "```" : "~~~~") + line_break;
                for (std::size_t lines = random.below(random.one_in(8) ? 60 : 6); lines > 0; --lines) {
                    text += std::string(4 * random.below(3), ' ');
                    rest_of_line();
                }
                if (!random.one_in(8)) text += (random.one_in(2) ? "```" : "~~~~") + line_break;
                continue;
            case 2:
                for (std::size_t rows = random.below(8); rows > 0; --rows)
                    text += "| a | b1 " + std::string(random.below(30), '-') + "|" + line_break;
                continue;
            case 3:
                text += std::string(2 * random.below(3), ' ') + (random.one_in(2) ? "- " : "12. ");
                break;
            case 4:
                rest_of_line();
                text += std::string(3 + random.below(5), "=-*_"[random.below(4)]) + line_break;
                continue;
            case 5:
                text += std::string(random.below(random.one_in(20) ? 3000 : 9), " \t"[random.below(2)]);
                break;
            case 6:
                text += random.one_in(30) ? std::string(2000, 'a') : ")";
                break;
            default:
                break;
        }
        rest_of_line();
    }
    return text;
}

struct Cutting {
    std::string_view text;
    naive::PartRule::Encode encode;
    naive::PartRule rule;
    crayon_part_form form;

    bool fits(std::size_t begin, std::size_t end) const {
        const naive::EncodedText encoded = encode(text.substr(begin, end - begin));
        return encoded.status == CRAYON_OK && encoded.tokens.size() <= form.limit;
    }
};

// The first position between characters with at most half of the bytes behind it.
std::size_t half_of(std::string_view text, std::size_t begin, std::size_t end) {
    const naive::Characters characters = naive::decode_utf8(text.substr(begin, end - begin));
    std::size_t i = 0;
    while (2 * characters.offsets[i] < end - begin) ++i;
    return begin + characters.offsets[i];
}

// The end of the part that begins there. The text before it has been read, too, all at once.
std::size_t naive_end(const Cutting& of, std::size_t begin) {
    const naive::PartRule::Cut cut = of.rule.from(begin, of.form.limit);
    const std::size_t most = cut.part.end,
                      window_end = static_cast<std::size_t>(cut.window.data() - of.text.data()) + cut.window.size();
    if (most == of.text.size() || cut.status != CRAYON_OK || most == begin) return most;
    const TextView view{bytes_of(of.text), window_end};
    Separators separators;
    EXPECT_TRUE(separators.set(of.form).ok());
    separators.restart();
    EXPECT_TRUE(separators.read(view, 0, 0, window_end == of.text.size()));
    if (const auto* const block = separators.block_around(most)) {
        for (const u64 lead : {block->lead, block->begin}) {
            const auto at = static_cast<std::size_t>(lead);
            if (at > begin && of.fits(at, static_cast<std::size_t>(block->end)) && of.fits(begin, at)) return at;
        }
    }
    separators.set_end(most);
    naive::EncodedText encoded = of.encode(cut.window);
    encoded.tokens.resize(std::min<std::size_t>(encoded.tokens.size(), of.form.limit + 1));
    std::vector<std::pair<std::uint32_t, std::size_t>> ranked;
    for (std::size_t at = half_of(of.text, begin, most); at <= most; ++at) {
        const auto is_inside = [&](const auto& token) { return begin + token.first < at && at < begin + token.second; };
        const bool is_after = at > begin + encoded.tokens.back().second;
        if (is_after || !of.rule.is_between_characters(at) ||
            std::any_of(encoded.tokens.begin(), encoded.tokens.end(), is_inside))
            continue;
        const std::uint32_t rank = separators.rank(view, 0, at, Separators::kNone);
        if (rank != Separators::kNone) ranked.emplace_back(rank, of.text.size() - at);
    }
    std::sort(ranked.begin(), ranked.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(ranked.size(), 16); ++i) {
        if (of.fits(begin, of.text.size() - ranked[i].second)) return of.text.size() - ranked[i].second;
    }
    return most;
}

TEST(SeparatorsTest, PartsEndAtTheBestOne) {
    std::size_t at_separators = 0;
    for (std::uint64_t seed = 1; seed <= sample(600, AnyTokenizer::kKindCount); ++seed) {
        Random random(seed);
        const AnyTokenizer made(random, AnyTokenizer::kKinds[seed % AnyTokenizer::kKindCount]);
        Tokenizing own(made.cartridge), alone(made.cartridge);
        const std::string text = document(random, 100 + random.below(1500));
        const auto limit = static_cast<std::uint32_t>(1 + random.below(random.one_in(3) ? 8 : 100));
        const naive::PartRule::Encode encode = encoding_of(alone, CRAYON_SPECIAL_ALLOW);
        for (const std::uint32_t cuts : {CRAYON_CUT_TEXT, CRAYON_CUT_MARKDOWN, CRAYON_CUT_CODE, CRAYON_CUT_LISTED}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", " + made.kind.name + ", cuts " + std::to_string(cuts) + ", limit " +
                         std::to_string(limit));
            const Cutting cutting{text, encode, {text, encode}, form_of(cuts, limit, 0)};
            const ReadParts parts = read_parts(own.encoder(), CRAYON_SPECIAL_ALLOW, cutting.form, text, &random);
            for (std::size_t i = 0; i < parts.size() && parts.begin(i) < parts.end(i); ++i) {
                ASSERT_EQ(parts.end(i), naive_end(cutting, parts.begin(i))) << "from " << parts.begin(i);
                ASSERT_TRUE(cutting.fits(parts.begin(i), parts.end(i)));
                at_separators += parts.end(i) != cutting.rule.from(parts.begin(i), limit).part.end;
            }
            // With an overlap, each begins in the one before, and ends after it.
            const std::uint32_t overlap = static_cast<std::uint32_t>(random.below(limit));
            const ReadParts overlapping =
                read_parts(own.encoder(), CRAYON_SPECIAL_ALLOW, form_of(cuts, limit, overlap), text, &random);
            for (std::size_t i = 0, end = 0; i < overlapping.size(); end = overlapping.end(i++)) {
                ASSERT_LE(overlapping.begin(i), end);
                if (overlapping.begin(i) == overlapping.end(i)) break;
                ASSERT_GT(overlapping.end(i), end);
                ASSERT_TRUE(cutting.fits(overlapping.begin(i), overlapping.end(i)));
                if (i == 0 || overlapping.begin(i) == end) continue;
                ASSERT_GT(overlapping.begin(i), overlapping.begin(i - 1));
                ASSERT_LE(encode(std::string_view(text).substr(overlapping.begin(i), end - overlapping.begin(i))).tokens.size(),
                          overlap);
            }
        }
    }
    EXPECT_GT(at_separators, at_least(10000));
}

// Text that has been cut is dropped, and Markdown goes on from the state it had.
TEST(SeparatorsTest, WindowsOfLongTextsDoNotMatter) {
    Random vocabulary_random(1);
    Tokenizing own(compile(random_vocabulary(vocabulary_random, "ab e.1\n-", 200), "cl100k"));
    for (std::uint64_t seed = 1; seed <= sample(40); ++seed) {
        Random random(seed);
        const std::string text = document(random, 400000);
        for (const std::uint32_t cuts : {CRAYON_CUT_MARKDOWN, CRAYON_CUT_TEXT, CRAYON_CUT_CODE, CRAYON_CUT_LISTED}) {
            const std::uint32_t limit = 1 + static_cast<std::uint32_t>(random.below(400)),
                                overlap = random.one_in(2) ? 0 : limit / 4;
            SCOPED_TRACE("seed " + std::to_string(seed) + ", cuts " + std::to_string(cuts) + ", limit " + std::to_string(limit));
            const ReadParts once = read_parts(own.encoder(), 0, form_of(cuts, limit, overlap), text);
            ASSERT_GT(once.size(), 100u);
            ASSERT_EQ(read_parts(own.encoder(), 0, form_of(cuts, limit, overlap), text, &random, 5000), once);
            const std::u16string units = utf16_of(naive::decode_utf8(text).code_points);
            ASSERT_EQ(read_parts(own.encoder(), 0, form_of(cuts, limit, overlap), units, &random, 70000), once);
        }
    }
}

// Text that gives no tokens is kept until there is no memory left; the next text is cut again.
TEST(SeparatorsTest, ReportsThatThereIsNoMemory) {
    ViewForm view{"none", {}, layout::kProgramNormalizer};
    view.program = program_of({{layout::kStepReplace, 0, "b", ""}});
    Random random(1);
    Tokenizing own(compile(random_vocabulary(random, "ae \n", 20), view));
    const std::string text = document(random, 5000), removed = std::string(1 << 20, 'b') + "\n# a\n";
    const crayon_part_form form = form_of(CRAYON_CUT_MARKDOWN, 20, 5);
    const ReadParts expected = read_parts(own.encoder(), 0, form, text);
    bool is_limited = false;
    crayon_result result{};
    {
        ASSERT_EQ(begin_parts(own.encoder(), form, &result), CRAYON_OK);
        const MemoryLimit limit(std::size_t{24} << 20);
        is_limited = limit.works();
        for (int window = 0; is_limited && window < 200 && result.status == CRAYON_OK; ++window) {
            std::uint32_t numbers[30];
            crayon_encoder_feed_utf8(own.encoder(), bytes_of(removed), static_cast<std::uint32_t>(removed.size()), 0, &result);
            if (result.status == CRAYON_OK) crayon_encoder_read(own.encoder(), numbers, 30, &result);
        }
    }
    if (!is_limited) GTEST_SKIP() << "this system has no limit of memory";
    EXPECT_EQ(result.status, CRAYON_OUT_OF_MEMORY);
    EXPECT_EQ(read_parts(own.encoder(), 0, form, text), expected);
}

}  // namespace
}  // namespace crayon::test::separators_test
