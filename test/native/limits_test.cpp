// Texts cut to limits, for tokenizers of every class, compared with the naive rule; and what any parts have in common.
#include "any_tokenizer.h"
#include "kernels.h"
#include "naive/part_rule.h"
#include "read_parts.h"
#include "share.h"

namespace crayon::test::limits_test {
namespace {

using Part = naive::PartRule::Part;

naive::PartRule rule_of(Tokenizing& alone, std::string_view text, std::uint32_t policy) {
    return {text, encoding_of(alone, policy)};
}

std::vector<Part> parts_of(const ReadParts& read) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < read.size(); ++i) parts.push_back({read.begin(i), read.end(i), read.tokens(i)});
    return parts;
}

std::ostream& operator<<(std::ostream& out, const std::vector<Part>& parts) {
    for (const Part& part : parts) out << '[' << part.begin << ' ' << part.end << ' ' << part.tokens << "] ";
    return out;
}

std::string printed(const std::vector<Part>& parts) {
    std::ostringstream out;
    out << parts;
    return out.str();
}

// A case of a seed: a tokenizer of some class, texts, a policy and limits.
struct Case {
    Random random;
    AnyTokenizer made;
    std::uint32_t policy = 0, limit = 1, overlap = 0;

    explicit Case(std::uint64_t seed) : random(seed), made(random, AnyTokenizer::kKinds[seed % AnyTokenizer::kKindCount]) {}
    std::string next_text() {
        policy = static_cast<std::uint32_t>(random.below(3));
        limit = static_cast<std::uint32_t>(1 + random.below(random.one_in(2) ? 4 : 80));
        overlap = static_cast<std::uint32_t>(random.one_in(2) ? 0 : random.one_in(2) ? limit - 1 : random.below(limit));
        return made.text(random, random.below(random.one_in(3) ? 60 : 500));
    }
    std::string name(std::uint64_t seed, std::size_t text) const {
        return "seed " + std::to_string(seed) + ", text " + std::to_string(text) + ", " + made.kind.name + ", policy " +
               std::to_string(policy) + ", limit " + std::to_string(limit) + ", overlap " + std::to_string(overlap);
    }
    crayon_part_form form(std::uint32_t unit = CRAYON_UNIT_BYTES) const {
        return {limit, overlap, unit, CRAYON_CUT_ANYWHERE, nullptr, nullptr, 0, 0};
    }
};

// What any parts have in common, whatever the rule.
void expect_parts_of(const std::string& text, const std::vector<Part>& parts, bool has_failed, const Case& of,
                     Tokenizing& alone) {
    const naive::PartRule rule = rule_of(alone, text, of.policy);
    const auto encoded = [&](std::size_t begin, std::size_t end) {
        return encoded_alone(alone, std::string_view(text).substr(begin, end - begin), of.policy);
    };
    std::size_t end = 0;
    Part before;
    for (const Part& part : parts) {
        ASSERT_TRUE(rule.is_between_characters(part.begin) && rule.is_between_characters(part.end));
        if (part.begin == part.end) {
            ASSERT_TRUE(part.begin == end && &part == &parts.back());
            ASSERT_GT(part.tokens, of.limit);
            return;
        }
        ASSERT_LE(part.tokens, of.limit);
        const naive::EncodedText own = encoded(part.begin, part.end);
        ASSERT_EQ(own.status, CRAYON_OK);
        ASSERT_EQ(own.tokens.size(), part.tokens);
        ASSERT_LE(part.begin, end);
        ASSERT_GT(part.end, end);
        if (part.begin < end) {
            ASSERT_GT(part.begin, before.begin);
            ASSERT_LE(encoded(part.begin, end).tokens.size(), of.overlap);
        }
        if (!rule.is_between_clusters(part.end)) {  // a long cluster, or the first one, which alone is over the limit
            const auto end_of_cluster = [&](std::size_t at) {
                do ++at;
                while (!rule.is_between_characters(at) || !rule.is_between_clusters(at));
                return at;
            };
            std::size_t from = part.begin, to = end_of_cluster(from);
            const naive::EncodedText first = encoded(from, to);
            while (to < part.end) from = std::exchange(to, end_of_cluster(to));
            ASSERT_TRUE(to - from > 64 || (from == part.begin && (first.tokens.size() > of.limit || first.status != CRAYON_OK)))
                << part.begin << ' ' << part.end;
        }
        end = part.end;
        before = part;
    }
    if (!has_failed) {
        ASSERT_EQ(end, text.size());
    }
}

TEST(Limits, PartsEqualTheNaiveRule) {
    std::size_t parts = 0, failed = 0, repeated = 0, empty = 0, windows = 0, unusual = 0;
    for (std::uint64_t seed = 1; seed <= sample(600, AnyTokenizer::kKindCount); ++seed) {
        Case one(seed);
        Tokenizing alone(one.made.cartridge);
        std::vector<std::unique_ptr<Tokenizing>> own;
        for_each_kernel(
            [&](const Kernel& kernel) { own.push_back(std::make_unique<Tokenizing>(one.made.cartridge, kernel.name)); });
        for (std::size_t n = 0; n < 6; ++n) {
            const std::string text = one.next_text();
            SCOPED_TRACE(one.name(seed, n));
            const naive::PartRule::Split expected = rule_of(alone, text, one.policy).split(one.limit, one.overlap);
            expect_parts_of(text, expected.parts, expected.status != CRAYON_OK, one, alone);
            if (testing::Test::HasFatalFailure()) return;
            for (std::size_t kernel = 0; kernel < own.size(); ++kernel) {
                const ReadParts read = read_parts(own[kernel]->encoder(), one.policy, one.form(), text,
                                                  kernel == n % own.size() ? nullptr : &one.random,
                                                  one.random.one_in(2) ? 1 + one.random.below(3) : 200);
                ASSERT_EQ(printed(parts_of(read)), printed(expected.parts)) << "kernel " << kernel;
                ASSERT_EQ(read.status, expected.status);
                if (read.status != CRAYON_OK) {
                    ASSERT_EQ(read.position, expected.position);
                }
            }
            parts += expected.parts.size();
            failed += expected.status != CRAYON_OK;
            for (std::size_t i = 1; i < expected.parts.size(); ++i)
                repeated += expected.parts[i].begin < expected.parts[i - 1].end;
            windows += expected.windows;
            unusual += expected.most_failures >= 8;
            empty += !expected.parts.empty() && expected.parts.back().begin == expected.parts.back().end;
        }
    }
    std::printf(
        "%zu parts, %zu begin in the one before, %zu windows; %zu failures, %zu characters that do not fit, %zu texts with eight "
        "ends that do not\n",
        parts, repeated, windows, failed, empty, unusual);
    EXPECT_GT(parts, at_least(20000));
    EXPECT_GT(repeated, at_least(5000));
    EXPECT_GT(failed, at_least(50));
    EXPECT_GT(empty, at_least(20));
}

// Positions of a text in bytes, in UTF-16 units.
ReadParts in_units(ReadParts parts, const std::string& text) {
    const naive::Characters characters = naive::decode_utf8(text);
    std::vector<std::uint32_t> units(text.size() + 1);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < characters.code_points.size(); ++i) {
        units[characters.offsets[i]] = count;
        count += characters.code_points[i] >= 0x10000 ? 2 : 1;
    }
    units.back() = count;
    for (std::size_t i = 0; i < parts.numbers.size(); ++i) {
        if (i % 3 < 2) parts.numbers[i] = units[parts.numbers[i]];
    }
    return parts;
}

// Texts of several lengths, one after the other in the same encoder, with and without separators.
TEST(Limits, PartsDoNotDependOnWindowsOrUnits) {
    std::size_t parts = 0;
    for (std::uint64_t seed = 1; seed <= sample(400, AnyTokenizer::kKindCount); ++seed) {
        Case one(seed);
        const Kernel* const kernel = kernel_at(static_cast<u32>(seed % 4)) ? kernel_at(static_cast<u32>(seed % 4)) : kernel_at(0);
        Tokenizing own(one.made.cartridge, kernel->name), fresh(one.made.cartridge);
        for (std::size_t n = 0; n < 4; ++n) {
            SCOPED_TRACE(one.name(seed, n) + ", " + kernel->name);
            std::u16string units;
            one.next_text();
            while (units.size() < 1500)
                units += one.random.one_in(2) ? TextGenerator(one.random.next()).utf16()
                                              : utf16_of(naive::decode_utf8(one.next_text()).code_points);
            const std::string text = naive::utf8_of_utf16(units);
            crayon_part_form form = one.form();
            form.cuts = static_cast<std::uint32_t>(one.random.below(4));
            const ReadParts once = read_parts(fresh.encoder(), one.policy, form, text);
            const std::size_t widest = 1 + one.random.below(one.random.one_in(2) ? 4 : 700);
            ASSERT_EQ(read_parts(own.encoder(), one.policy, form, text, &one.random, widest), once);
            ASSERT_EQ(read_parts(own.encoder(), one.policy, form, units, &one.random, widest), once);
            form.unit = CRAYON_UNIT_UTF16;
            const ReadParts expected = in_units(once, text);
            ASSERT_EQ(read_parts(own.encoder(), one.policy, form, text, &one.random, widest), expected);
            ASSERT_EQ(read_parts(own.encoder(), one.policy, form, units, &one.random, widest), expected);
            parts += once.size();
        }
    }
    EXPECT_GT(parts, at_least(20000));
}

// --- a beginning or an end of a text ---

struct Fitted {
    std::uint32_t status, count, more;
    std::uint64_t position;
    bool operator==(const Fitted&) const = default;
};

template <class Text>
Fitted fitted(crayon_encoder* encoder, const Text& text, std::uint32_t policy, std::uint32_t limit, std::uint32_t side,
              bool whole, std::uint32_t unit = CRAYON_UNIT_BYTES) {
    crayon_result result;
    EXPECT_EQ(crayon_encoder_begin(encoder, policy, nullptr, 0, &result), CRAYON_OK);
    const auto size = static_cast<std::uint32_t>(text.size());
    if constexpr (sizeof(text[0]) == 1) {
        crayon_encoder_fit(encoder, bytes_of(text), size, whole, limit, side, unit, &result);
    } else {
        crayon_encoder_fit_utf16(encoder, reinterpret_cast<const std::uint16_t*>(text.data()), size, whole, limit, side, &result);
    }
    return {result.status, result.count, result.more, result.status == CRAYON_OK ? 0 : position_of(result)};
}

// Of its tokens, those of special tokens only matter in what is kept.
Fitted naively_fitted(Tokenizing& alone, const std::string& text, std::uint32_t policy, std::uint32_t limit, std::uint32_t side) {
    const bool is_end = side == CRAYON_KEEP_END, forbids = policy == CRAYON_SPECIAL_FORBID;
    const naive::PartRule rule = rule_of(alone, text, is_end && forbids ? std::uint32_t{CRAYON_SPECIAL_ALLOW} : policy);
    const naive::PartRule::Cut cut = is_end ? rule.up_to(text.size(), limit) : rule.from(0, limit);
    if (cut.status != CRAYON_OK) return {cut.status, 0, 0, cut.position};
    const std::string kept = text.substr(cut.part.begin, cut.part.end - cut.part.begin);
    const naive::EncodedText own = encoded_alone(alone, kept, policy);
    if (own.status == CRAYON_SPECIAL_FORBIDDEN) return {own.status, 0, 0, cut.part.begin + own.position};
    return {CRAYON_OK, static_cast<std::uint32_t>(kept.size()), 0, 0};
}

TEST(Limits, BeginningsAndEndsEqualTheNaiveRule) {
    std::size_t cut = 0, failed = 0, decided = 0;
    for (std::uint64_t seed = 1; seed <= sample(600, AnyTokenizer::kKindCount); ++seed) {
        Case one(seed);
        Tokenizing alone(one.made.cartridge), own(one.made.cartridge);
        for (std::size_t n = 0; n < 12; ++n) {
            const std::string text = one.next_text();
            const std::uint32_t side = n % 2, limit = one.random.one_in(8) ? 0 : one.limit;
            SCOPED_TRACE(one.name(seed, n) + (side == CRAYON_KEEP_END ? ", the end" : ", the beginning") + " of " +
                         std::to_string(limit));
            const Fitted expected = naively_fitted(alone, text, one.policy, limit, side);
            ASSERT_EQ(fitted(own.encoder(), text, one.policy, limit, side, true), expected);
            cut += expected.count < text.size();
            failed += expected.status != CRAYON_OK;
            // A beginning or an end of it gives the same, or depends on the rest.
            for (std::size_t parts = 0; parts < 6; ++parts) {
                const std::size_t size = one.random.below(text.size() + 1);
                const std::string part = side == CRAYON_KEEP_END ? text.substr(text.size() - size) : text.substr(0, size);
                Fitted of_part = fitted(own.encoder(), part, one.policy, limit, side, false);
                if (of_part.more) continue;
                ++decided;
                if (of_part.status != CRAYON_OK && side == CRAYON_KEEP_END) of_part.position += text.size() - size;
                ASSERT_EQ(of_part, expected) << size;
            }
        }
    }
    std::printf("%zu texts cut, %zu failures, %zu decided by a part of the text\n", cut, failed, decided);
    EXPECT_GT(cut, at_least(1000));
    EXPECT_GT(failed, at_least(50));
    EXPECT_GT(decided, at_least(1000));
}

TEST(Limits, BeginningsAndEndsInUtf16EqualThoseInUtf8) {
    for (std::uint64_t seed = 1; seed <= sample(400, AnyTokenizer::kKindCount); ++seed) {
        Case one(seed);
        Tokenizing own(one.made.cartridge);
        for (std::size_t n = 0; n < 8; ++n) {
            one.next_text();
            SCOPED_TRACE(one.name(seed, n));
            std::u16string units = TextGenerator(one.random.next()).utf16();
            if (one.random.one_in(3)) units = units.substr(0, units.size() / 2);
            const std::string text = naive::utf8_of_utf16(units);
            const std::uint32_t side = n % 2;
            const bool whole = one.random.one_in(2);
            const Fitted of_bytes = fitted(own.encoder(), text, one.policy, one.limit, side, whole, CRAYON_UNIT_UTF16);
            const Fitted of_units = fitted(own.encoder(), units, one.policy, one.limit, side, whole);
            ASSERT_EQ(of_units, of_bytes);
            const Fitted in_bytes = fitted(own.encoder(), text, one.policy, one.limit, side, whole);
            const std::size_t from = side == CRAYON_KEEP_END ? text.size() - in_bytes.count : 0;
            const naive::Characters kept = naive::decode_utf8(std::string_view(text).substr(from, in_bytes.count));
            ASSERT_EQ(of_units.count, utf16_of(kept.code_points).size());
        }
    }
}

// --- cases of their own ---

Vocabulary bytes_and(const std::vector<std::string>& tokens) {
    Vocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte) vocabulary.add(std::string(1, static_cast<char>(byte)));
    for (const std::string& token : tokens) vocabulary.add(token);
    return vocabulary;
}

std::string repeated(std::string_view unit, std::size_t count) {
    std::string text;
    while (count-- > 0) text += unit;
    return text;
}

constexpr crayon_part_form form_of(std::uint32_t limit, std::uint32_t overlap = 0, std::uint32_t cuts = CRAYON_CUT_ANYWHERE) {
    return {limit, overlap, CRAYON_UNIT_BYTES, cuts, nullptr, nullptr, 0, 0};
}

TEST(Limits, EmptyTextsAndExtremeLimits) {
    Tokenizing own(compile(bytes_and({"ab"}), "cl100k"));
    crayon_encoder* const encoder = own.encoder();
    EXPECT_EQ(read_parts(encoder, 0, form_of(1), std::string()), ReadParts{});
    for (const std::uint32_t side : {CRAYON_KEEP_BEGIN, CRAYON_KEEP_END}) {
        for (const std::uint32_t limit : {0u, 1u, 0xFFFFFFFFu}) {
            EXPECT_EQ(fitted(encoder, std::string(), 0, limit, side, true), (Fitted{CRAYON_OK, 0, 0, 0}));
            EXPECT_EQ(fitted(encoder, std::string(), 0, limit, side, false), (Fitted{CRAYON_OK, 0, 1, 0}));
        }
        EXPECT_EQ(fitted(encoder, repeated("a b", 300), 0, 0, side, true), (Fitted{CRAYON_OK, 0, 0, 0}));
        EXPECT_EQ(fitted(encoder, repeated("a b", 300), 0, 0xFFFFFFFF, side, true), (Fitted{CRAYON_OK, 900, 0, 0}));
        EXPECT_EQ(fitted(encoder, repeated("a b", 300), 0, 0xFFFFFFFF, side, false), (Fitted{CRAYON_OK, 0, 1, 0}));
        EXPECT_EQ(fitted(encoder, std::string("\u4E2D"), 0, 2, side, true), (Fitted{CRAYON_OK, 0, 0, 0}));
    }
    EXPECT_EQ(read_parts(encoder, 0, form_of(0xFFFFFFFF, 0xFFFFFFFE), repeated("ab ", 300), nullptr).numbers,
              (std::vector<std::uint32_t>{0, 900, 600}));
    // A character over the limit ends the parts; it needs three tokens.
    EXPECT_EQ(read_parts(encoder, 0, form_of(2, 1), std::string("a\u4E2Db")).numbers,
              (std::vector<std::uint32_t>{0, 1, 1, 1, 1, 3}));
}

TEST(Limits, RefuseInvalidArguments) {
    Tokenizing own(compile(bytes_and({}), "cl100k"));
    crayon_encoder* const encoder = own.encoder();
    crayon_result result;
    const std::uint8_t byte = 'a';
    const std::uint16_t unit = 'a';
    const auto begins = [&](const crayon_part_form& form) { return begin_parts(encoder, form, &result); };
    const std::uint32_t numbers[] = {1, 1};
    const auto listed = [&](std::uint32_t length, std::uint32_t cut, std::uint32_t all = 1) {
        const std::uint32_t pair[] = {length, cut};
        return begins({4, 0, 0, CRAYON_CUT_LISTED, &byte, pair, all, 1});
    };
    EXPECT_EQ(begins(form_of(0)), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(begins(form_of(4, 4)), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(begins(form_of(4, 0, CRAYON_CUT_LISTED + 1)), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(begins({4, 0, CRAYON_UNIT_PIECES, 0, nullptr, nullptr, 0, 0}), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(begins({4, 0, 0, CRAYON_CUT_LISTED, nullptr, numbers, 1, 1}), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(begins({4, 0, 0, CRAYON_CUT_LISTED, &byte, nullptr, 1, 1}), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(listed(0, 0), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(listed(2, 0), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(listed(1, 2), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(listed(1, 1), CRAYON_OK);
    EXPECT_EQ(begin_parts(nullptr, form_of(4), &result), CRAYON_INVALID_ARGUMENT);
    // No text follows the last.
    for (const crayon_status expected : {CRAYON_OK, CRAYON_INVALID_ARGUMENT}) {
        EXPECT_EQ(crayon_encoder_feed_utf8(encoder, &byte, 1, 1, &result), expected);
    }
    EXPECT_EQ(crayon_encoder_feed_utf16(encoder, &unit, 1, 1, &result), CRAYON_INVALID_ARGUMENT);

    const auto fits = [&](std::uint32_t side, std::uint32_t unit, const std::uint8_t* bytes = nullptr, std::uint32_t length = 0) {
        return crayon_encoder_fit(encoder, bytes, length, 1, 1, side, unit, &result);
    };
    EXPECT_EQ(fits(0, 0), CRAYON_OK);
    EXPECT_EQ(fits(2, 0), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(fits(0, CRAYON_UNIT_PIECES), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(fits(0, 0, nullptr, 1), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_encoder_fit(nullptr, nullptr, 0, 1, 1, 0, 0, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_encoder_fit_utf16(encoder, nullptr, 1, 1, 1, 0, &result), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(crayon_encoder_fit_utf16(nullptr, nullptr, 0, 1, 1, 0, &result), CRAYON_INVALID_ARGUMENT);
    // A masked text is not cut.
    ASSERT_EQ(crayon_encoder_begin_masked(encoder, nullptr, 0, nullptr, 0, &result), CRAYON_OK);
    EXPECT_EQ(begins(form_of(4)), CRAYON_INVALID_ARGUMENT);
    EXPECT_EQ(fits(0, 0, &byte, 1), CRAYON_INVALID_ARGUMENT);
}

// With bytes that a window lacks, the last character of a window would be two tokens, and the window over the limit.
TEST(Limits, WindowsOfTheTextMayEndInsideTheLastCharacterLookedAt) {
    std::vector<std::string> runs = {"\xE4\xB8", "\u4E2D"};
    while (runs.back().size() < 300) runs.push_back(runs.back() + "\u4E2D");
    Tokenizing own(compile(bytes_and(runs), "none"));
    for (std::size_t before = 0; before < 6; ++before) {
        for (std::uint32_t limit = 1; limit < 5; ++limit) {
            const std::string text = repeated("x", before) + repeated("\u4E2D", 200);
            Random random(before);
            const ReadParts once = read_parts(own.encoder(), 0, form_of(limit), text);
            EXPECT_EQ(read_parts(own.encoder(), 0, form_of(limit), text, &random, 1), once) << before << ' ' << limit;
        }
    }
}

// Flags are counted from the first letter of a run, which the end of a text may not show.
TEST(Limits, AnEndOfManyFlagsDependsOnTheTextBefore) {
    const std::string letter = "\U0001F1E9";
    Tokenizing own(compile(bytes_and({"\xF0\x9F", "\xF0\x9F\x87", letter, letter + letter}), "none"));
    std::size_t decided = 0;
    for (const std::string before : {"", "x"}) {
        const std::string text = before + repeated(letter, 401) + "y";
        for (std::uint32_t limit = 40; limit < 64; limit += 3) {
            const Fitted expected = fitted(own.encoder(), text, 0, limit, CRAYON_KEEP_END, true);
            for (std::size_t size = 1; size <= text.size(); ++size) {
                const Fitted found = fitted(own.encoder(), text.substr(text.size() - size), 0, limit, CRAYON_KEEP_END, false);
                if (found.more) continue;
                ++decided;
                ASSERT_EQ(found, expected) << limit << ' ' << size;
            }
        }
    }
    EXPECT_GT(decided, 1000u);
}

// All bytes of a run of unknown characters are tokens with the place of the run: parts are not single characters for that.
TEST(Limits, RunsWhoseTokensHaveOnePlaceAreCutInLongParts) {
    for (const char* const name : {"Unigram", "Unigram, none"}) {
        const auto* const kind =
            std::find_if(std::begin(AnyTokenizer::kKinds), std::end(AnyTokenizer::kKinds),
                         [&](const AnyTokenizer::Kind& each) { return each.name == std::string_view(name); });
        Random random(7);
        Tokenizing own(AnyTokenizer(random, *kind, 0, true).cartridge);
        for (const std::uint32_t limit : {16u, 64u, 512u}) {
            const ReadParts parts = read_parts(own.encoder(), 0, form_of(limit), "a" + repeated("\n", 5000) + "\u4E2D");
            ASSERT_LT(parts.size(), 5000 / ((limit - 3) / 2) + 3) << name << ' ' << limit;
        }
    }
}

// The character has a token, and then a failure: that it needs one token would be wrong.
TEST(Limits, ACharacterOfWhichSomeIsUnknownFails) {
    Tokenizing own(compile_matches({{"a", "\xE4\xB8"}, kNoUnknown}, Form::kFull));
    for (std::uint32_t limit = 1; limit < 4; ++limit) {
        const ReadParts parts = read_parts(own.encoder(), 0, form_of(limit), std::string("aaa\u4E2Da"));
        EXPECT_EQ(parts.status, CRAYON_UNKNOWN_CHARACTER);
        EXPECT_EQ(parts.position, 5u);
        EXPECT_EQ(parts.end(parts.size() - 1), 3u);
    }
    EXPECT_EQ(fitted(own.encoder(), std::string("\u4E2D"), 0, 0, CRAYON_KEEP_BEGIN, true),
              (Fitted{CRAYON_UNKNOWN_CHARACTER, 0, 0, 2}));
}

// Forbidden tokens outside of what is kept do not matter, and the next call has the policy again, after a failure, too.
TEST(Limits, ForbidTokensInWhatIsKept) {
    Tokenizing own(compile_matches({{"a"}, kNoUnknown}, Form::kFull, "none", {{"<|end|>", 1}}));
    const std::string text = "aaaa<|end|>aaaa";
    for (std::uint32_t limit = 0; limit < 10; ++limit) {
        for (const std::uint32_t side : {CRAYON_KEEP_BEGIN, CRAYON_KEEP_END}) {
            const Fitted kept = fitted(own.encoder(), text, CRAYON_SPECIAL_FORBID, limit, side, true);
            EXPECT_EQ(kept, limit <= 4 ? (Fitted{CRAYON_OK, limit, 0, 0}) : (Fitted{CRAYON_SPECIAL_FORBIDDEN, 0, 0, 4}));
        }
    }
    crayon_result result;
    const auto fit = [&](const std::string& bytes) {
        return crayon_encoder_fit(own.encoder(), bytes_of(bytes), static_cast<std::uint32_t>(bytes.size()), 1, 20,
                                  CRAYON_KEEP_END, CRAYON_UNIT_BYTES, &result);
    };
    ASSERT_EQ(crayon_encoder_begin(own.encoder(), CRAYON_SPECIAL_FORBID, nullptr, 0, &result), CRAYON_OK);
    EXPECT_EQ(fit("b"), CRAYON_UNKNOWN_CHARACTER);
    EXPECT_EQ(fit(text), CRAYON_SPECIAL_FORBIDDEN);
}

// --- work ---

// What part_cutter.h proves for such parts: four windows, and the ends of tokens that are tried in two passes. The last window of
// a part had at most twice as many bytes as the one before, which was within the limit and so at most four times the part.
double allowed_work(const ReadParts& parts, std::uint32_t limit, std::uint32_t overlap) {
    const double tries = 2 * (8 + std::log2(limit));
    double work = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double bytes = static_cast<double>(parts.end(i) - parts.begin(i));
        const double window = std::max(64 + 6.0 * limit, 2 * (4 * bytes + 3)) + 64 + 3;
        const double cut = (4 + tries) * window + 2 * bytes;
        // With an overlap, a part that ends with the one before is cut again without it, and the ends of parts are read again.
        work += overlap > 0 ? 2 * cut + (5 + tries) * bytes : cut;
    }
    return work;
}

struct Worst {
    double factor = 0, share = 0;
    std::string where;
};

struct WorkCase {
    std::string name;
    std::unique_ptr<Tokenizing> own;

    WorkCase(const std::string& called, const std::string& cartridge)
        : name(called), own(std::make_unique<Tokenizing>(cartridge)) {}
};

std::vector<WorkCase> work_cases() {
    std::vector<WorkCase> cases;
    for (std::size_t i = 0; i < AnyTokenizer::kKindCount; ++i) {
        static const char* const kSorts[] = {"", ", added tokens", ", stripping tokens", ", whole words"};
        const AnyTokenizer::Kind& kind = AnyTokenizer::kKinds[i];
        for (const std::size_t sort : {std::size_t{0}, 1 + i % 3}) {
            Random random(54 + i);
            cases.emplace_back(kind.name + std::string(kSorts[sort]), AnyTokenizer(random, kind, sort, true).cartridge);
        }
    }
    // A long token is tried at every byte without a match; and one matches from every second byte on.
    for (const std::size_t length : {300, 1000}) {
        MatchVocabulary matches{{"aa", repeated("a", length) + "b", "\xA9\xCE\xA9"}, kNoUnknown};
        for (int byte = 0; byte < 256; ++byte) matches.tokens.push_back(std::string(1, static_cast<char>(byte)));
        cases.emplace_back("longest match of " + std::to_string(length), compile_matches(matches, Form::kFull));
    }
    return cases;
}

constexpr std::uint32_t kWorkLimits[] = {1, 2, 3, 16, 64, 512};

void expect_bounded_work(WorkCase& each, const std::string& text, const std::string& name, Worst (&worst)[std::size(kWorkLimits)],
                         bool overlaps = true) {
    for (std::size_t i = 0; i < std::size(kWorkLimits); ++i) {
        const std::uint32_t limit = kWorkLimits[i];
        for (const std::uint32_t overlap : {0u, limit - 1}) {
            if (overlap > 0 && !overlaps) continue;
            const std::string where =
                each.name + ", " + name + ", limit " + std::to_string(limit) + "/" + std::to_string(overlap);
            const std::uint64_t before = each.own->encoder()->splitter.work();
            // With such an overlap, every byte is in hundreds of parts.
            const std::string cut = text.substr(0, overlap > 64 ? 800 : text.size());
            const ReadParts parts = read_parts(each.own->encoder(), CRAYON_SPECIAL_ALLOW, form_of(limit, overlap), cut);
            ASSERT_EQ(parts.status, CRAYON_OK) << where;
            const double work = static_cast<double>(parts.work - before), allowed = allowed_work(parts, limit, overlap);
            double bytes = 4;  // of a character that does not fit, perhaps
            for (std::size_t part = 0; part < parts.size(); ++part)
                bytes += static_cast<double>(parts.end(part) - parts.begin(part));
            EXPECT_LE(work, allowed) << where;
            if (work / bytes > worst[i].factor) worst[i] = {work / bytes, work / allowed, where};
        }
    }
}

void print(const Worst (&worst)[std::size(kWorkLimits)]) {
    for (std::size_t i = 0; i < std::size(worst); ++i) {
        std::printf("limit %3u: at most %.1f bytes read per byte of a part, %.3f of what is allowed: %s\n", kWorkLimits[i],
                    worst[i].factor, worst[i].share, worst[i].where.c_str());
    }
}

TEST(Limits, WorkIsLinear) {
    const std::pair<const char*, std::string> units[] = {{"a", "a"},
                                                         {"aB", "aB"},
                                                         {"a ", "a "},
                                                         {"digits", "1"},
                                                         {"contractions", "'ll"},
                                                         {"spaces", " "},
                                                         {"space, newline", " \n"},
                                                         {"newlines", "\n"},
                                                         {"ab", "ab"},
                                                         {"b", "b"},
                                                         {"=", "="},
                                                         {"sixty b and =", repeated("b", 60) + "="},
                                                         {"Ohm", "\u2126"},
                                                         {"unsorted marks", "\u0323\u0307"},
                                                         {"marks", "\u0301"},
                                                         {"b, mark", "b\u0301"},
                                                         {"U+0344", "\u0344"},
                                                         {"NULs", std::string(1, '\0')},
                                                         {"Hangul jamo", "\u1100\u1161\u11A8"},
                                                         {"families", "\U0001F468\u200D\U0001F469\u200D\U0001F467"},
                                                         {"joiners", "\u200D"},
                                                         {"flags", "\U0001F1E9"},
                                                         {"stripping left", "    aba"},
                                                         {"stripping right", "aba    "},
                                                         {"words", "ab 1 "},
                                                         {"U+FDFA", "\uFDFA"},
                                                         {"dashes", ".."},
                                                         {"slashes", "./\n"},
                                                         {"ideographs", "\u4E2D"},
                                                         {"emoji", "\U0001F600"},
                                                         {"ill-formed", "\xF0\x9F"},
                                                         {"aaaab", "aaaab"}};
    Worst worst[std::size(kWorkLimits)];
    std::vector<WorkCase> cases = work_cases();
    std::uint64_t step = 0;
    for (WorkCase& each : cases) {
        for (const auto& [name, unit] : units) {
            if (!in_sweep(step++)) continue;
            expect_bounded_work(each, "e" + repeated(unit, 2500 / unit.size()) + "e \u4E2D", name, worst);
        }
        // Every number of them, as some are tokens.
        for (const auto& [name, unit, most] : {std::tuple{"marks", "\u0301", 1300}, std::tuple{"newlines", "\n", 5000}}) {
            for (int count = 1; count <= most; count += 1 + count / 3) {
                if (!in_sweep(step++)) continue;
                expect_bounded_work(each, "a" + repeated(unit, static_cast<std::size_t>(count)) + "\u4E2D",
                                    std::to_string(count) + " " + name, worst);
            }
        }
    }
    print(worst);
}

// Windows that are within the limit are not read again when more of the text comes: here a long stretch without tokens.
TEST(Limits, WorkIsLinearWhateverTheWindows) {
    ViewForm view{"none", {}, layout::kProgramNormalizer};
    view.program = program_of({{layout::kStepReplace, 0, "b", ""}});
    WorkCase each("removes b", compile(bytes_and({}), view));
    const std::string text = "e" + repeated("b", 20000) + "e";
    for (const std::uint32_t limit : kWorkLimits) {
        const std::uint64_t before = each.own->encoder()->splitter.work();
        Random random(limit);
        const ReadParts parts = read_parts(each.own->encoder(), 0, form_of(limit), text, &random, 1);
        EXPECT_LE(static_cast<double>(parts.work - before), allowed_work(parts, limit, 0)) << limit;
    }
}

// In parts of one piece of a megabyte, all of the text is one piece.
TEST(Limits, WorkIsLinearInAMillionLetters) {
    if (share() < 1) GTEST_SKIP() << "npm run test:long";
    Worst worst[std::size(kWorkLimits)];
    for (WorkCase& each : work_cases()) {
        for (const std::string unit : {"a", "\u0301", "\n"}) {
            expect_bounded_work(each, repeated(unit, 1000000 / unit.size()), "a million bytes of " + unit, worst, false);
        }
    }
    print(worst);
}

}  // namespace
}  // namespace crayon::test::limits_test
