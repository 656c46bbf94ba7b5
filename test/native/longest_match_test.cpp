// Longest match compared with the naive version: ids, counts and offsets, in every form of a vocabulary, however a text is cut
// and read.
#include <algorithm>
#include <memory>
#include <numeric>

#include "kernels.h"
#include "longest_match_vocabularies.h"
#include "naive/pattern.h"
#include "naive/published_patterns.h"
#include "read_parts.h"
#include "scan/joined_bytes.h"
#include "share.h"

namespace crayon::test::longest_match_test {
namespace {

using Ids = std::vector<std::uint32_t>;

// An open vocabulary.
class Matching {
public:
    Matching(crayon_cartridge* cartridge, std::string_view kernel) : cartridge_(cartridge) {
        crayon_result result;
        EXPECT_EQ(
            crayon_tokenizer_create(cartridge, 0, kernel.data(), static_cast<std::uint32_t>(kernel.size()), &tokenizer_, &result),
            CRAYON_OK);
        EXPECT_EQ(crayon_encoder_create(tokenizer_, &encoder_, &result), CRAYON_OK);
    }
    ~Matching() {
        crayon_encoder_release(encoder_);
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
    }
    Matching(const Matching&) = delete;
    Matching& operator=(const Matching&) = delete;

    crayon_tokenizer* tokenizer() { return tokenizer_; }
    crayon_encoder* encoder() { return encoder_; }

    struct Read {
        Ids ids;
        Ids offsets;
        crayon_result result;
    };
    enum What { kIds, kIdsAndBytes, kIdsAndUnits, kCount };

    // In random windows, reading a random number of ids at a time.
    Read read(const std::string& text, What what, std::uint64_t seed, std::uint32_t policy = CRAYON_SPECIAL_AS_TEXT) {
        Random random(seed);
        Read read{};
        EXPECT_EQ(crayon_encoder_begin(encoder_, policy, nullptr, 0, &read.result), CRAYON_OK);
        const std::size_t longest = random.one_in(3) ? text.size() + 1 : 1 + random.below(300);
        std::size_t at = 0;
        do {
            const std::size_t size = std::min(text.size() - at, 1 + random.below(longest));
            feed(text, at, size, &read.result);
            at += size;
            const std::uint32_t step = static_cast<std::uint32_t>(1 + random.below(random.one_in(2) ? 5 : 5000));
            do {
                if (take(what, step, &read) != CRAYON_OK) return read;
            } while (read.result.more);
        } while (at < text.size());
        return read;
    }
    // A lower bound on the number of undecided tokens.
    std::uint32_t pending() const { return crayon_encoder_pending_tokens(encoder_); }

    void feed(const std::string& text, std::size_t at, std::size_t size, crayon_result* result) {
        EXPECT_EQ(crayon_encoder_feed_utf8(encoder_, reinterpret_cast<const std::uint8_t*>(text.data()) + at,
                                           static_cast<std::uint32_t>(size), at + size == text.size(), result),
                  CRAYON_OK);
    }
    crayon_status take(What what, std::uint32_t step, Read* read) {
        if (what == kCount) {
            const crayon_status status = crayon_encoder_count(encoder_, step, &read->result);
            if (status == CRAYON_OK) read->ids.resize(read->ids.size() + read->result.count);
            return status;
        }
        Ids ids(step), offsets(2 * std::size_t{step});
        const crayon_status status =
            what == kIds
                ? crayon_encoder_read(encoder_, ids.data(), step, &read->result)
                : crayon_encoder_read_with_offsets(encoder_, ids.data(), offsets.data(), step,
                                                   what == kIdsAndUnits ? CRAYON_UNIT_UTF16 : CRAYON_UNIT_BYTES, &read->result);
        if (status != CRAYON_OK) return status;
        read->ids.insert(read->ids.end(), ids.begin(), ids.begin() + read->result.count);
        if (what != kIds) {
            read->offsets.insert(read->offsets.end(), offsets.begin(), offsets.begin() + 2 * read->result.count);
        }
        return status;
    }

private:
    crayon_cartridge* cartridge_;
    crayon_tokenizer* tokenizer_ = nullptr;
    crayon_encoder* encoder_ = nullptr;
};

crayon_cartridge* open(const std::string& file) {
    crayon_cartridge* cartridge = nullptr;
    crayon_result result;
    EXPECT_EQ(crayon_cartridge_open_bytes(file.data(), static_cast<std::uint32_t>(file.size()), 0, &cartridge, &result),
              CRAYON_OK)
        << crayon_status_name(result.status) << " section " << result.section << " at " << result.position;
    return cartridge;
}

// The forms of a vocabulary, by number.
constexpr int kForms = 5;
crayon_cartridge* open_form(const MatchVocabulary& v, int form) {
    crayon_result result = {};
    switch (form) {
        case 0:
            return open(compile_matches(v, Form::kFull));
        case 1:
            return open(compile_matches(v, Form::kSlim));
        case 2:
            return open_dat(naive_dat(v.tokens, DatWriter::kRootIsMinusOne), v.tokens, v.unknown, &result);
        case 3:
            return open_dat(naive_dat(v.tokens, DatWriter::kRootIsZero), {}, v.unknown, &result);
        default:
            return open_dat(compile_matches(v, Form::kDat), v.tokens, v.unknown, &result);
    }
}

Ids ids_of(const std::vector<naive::Match>& matches) {
    Ids ids;
    for (const naive::Match& match : matches) ids.push_back(match.id);
    return ids;
}

std::uint32_t units_of(std::string_view bytes) {
    std::uint32_t units = 0;
    for (char32_t c : naive::decode_utf8(bytes).code_points) units += c < 0x10000 ? 1 : 2;
    return units;
}

// A token that begins or ends inside a character covers the whole character.
Ids unit_offsets(const std::string& text, const std::vector<naive::Match>& matches) {
    const std::vector<std::size_t> borders = naive::decode_utf8(text).offsets;
    std::map<std::size_t, std::uint32_t> units;
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < borders.size(); ++i) {
        if (i > 0) before += units_of(std::string_view(text).substr(borders[i - 1], borders[i] - borders[i - 1]));
        units[borders[i]] = before;
    }
    Ids offsets;
    for (const naive::Match& match : matches) {
        offsets.push_back(std::prev(units.upper_bound(match.begin))->second);
        offsets.push_back(units.lower_bound(match.end)->second);
    }
    return offsets;
}

TEST(LongestMatchTest, EqualsTheNaiveVersion) {
    for_each_kernel([](const Kernel& kernel) {
        std::size_t unknown = 0, refused = 0;
        for (std::uint64_t seed = 1; seed <= sample(100, 10); ++seed) {
            Random random(seed);
            const MatchVocabulary v = random_matches(random, random.one_in(2));
            const naive::Matches tokens = v.matches();
            Matching matching(open_form(v, static_cast<int>(seed % kForms)), kernel.name);
            const bool is_byte = v.unknown != kNoUnknown && (v.unknown & CRAYON_UNKNOWN_BYTES) != 0;
            ASSERT_EQ(crayon_tokenizer_unknown_id(matching.tokenizer()), is_byte ? v.unknown & ~CRAYON_UNKNOWN_BYTES : v.unknown);
            ASSERT_EQ(crayon_tokenizer_unknown_bytes(matching.tokenizer()), is_byte);
            ASSERT_STREQ(crayon_tokenizer_model(matching.tokenizer()), "longest-match");
            ASSERT_STREQ(crayon_tokenizer_scanner(matching.tokenizer()), "none");
            for (int texts = 0; texts < 12; ++texts) {
                SCOPED_TRACE("seed " + std::to_string(seed) + ", text " + std::to_string(texts));
                const std::string text = random_match_text(random, v, texts == 0 ? 2000 : 60);
                const std::vector<naive::Match> expected = naive::longest_matches(text, tokens, v.unknown);
                const auto first_unknown =
                    std::find_if(expected.begin(), expected.end(), [](const naive::Match& match) { return match.is_unknown; });
                const auto what = static_cast<Matching::What>(texts % 4);
                const Matching::Read read = matching.read(text, what, random.next());
                if (first_unknown != expected.end() && v.unknown == kNoUnknown) {
                    ASSERT_EQ(read.result.status, u32{CRAYON_UNKNOWN_CHARACTER});
                    ASSERT_EQ(read.result.position, first_unknown->begin);
                    ++refused;
                    continue;
                }
                ASSERT_EQ(read.result.status, u32{CRAYON_OK});
                unknown += first_unknown != expected.end();
                if (what == Matching::kCount) {
                    ASSERT_EQ(read.ids.size(), expected.size());
                    continue;
                }
                ASSERT_EQ(read.ids, ids_of(expected));
                if (what == Matching::kIdsAndBytes) {
                    Ids offsets;
                    for (const naive::Match& match : expected) {
                        offsets.push_back(static_cast<std::uint32_t>(match.begin));
                        offsets.push_back(static_cast<std::uint32_t>(match.end));
                    }
                    ASSERT_EQ(read.offsets, offsets);
                } else if (what == Matching::kIdsAndUnits) {
                    ASSERT_EQ(read.offsets, unit_offsets(text, expected));
                }
            }
        }
        EXPECT_GT(unknown, at_least(60));
        EXPECT_GT(refused, at_least(60));
    });
}

// A text without a cut point is still encoded as it arrives, except for the bytes that the longest token may need.
TEST(LongestMatchTest, NeverBuffersAWholePiece) {
    for (std::size_t longest : {2, 3, 300, 9000}) {
        SCOPED_TRACE(longest);
        MatchVocabulary v;
        v.tokens = {"a", "aa", std::string(longest, 'a') + "b", std::string(longest, 'a'), "ba"};
        v.unknown = 0;
        if (longest == 2) v.tokens[3].clear();
        std::string text;
        for (Random random(longest); text.size() < 80000;) {
            text += std::string(random.below(30000), 'a') + (random.one_in(2) ? "b" : "\xC3");
        }
        const Ids expected = ids_of(naive::longest_matches(text, v.matches(), v.unknown));
        for_each_kernel([&](const Kernel& kernel) {
            Random random(longest);
            Matching matching(open_form(v, static_cast<int>(longest % kForms)), kernel.name);
            Matching::Read read{};
            ASSERT_EQ(crayon_encoder_begin(matching.encoder(), 0, nullptr, 0, &read.result), CRAYON_OK);
            std::size_t open = 0;
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t size = std::min<std::size_t>(text.size() - at, 1 + random.below(3000));
                matching.feed(text, at, size, &read.result);
                at += size;
                do {
                    ASSERT_EQ(matching.take(Matching::kIds, 777, &read), CRAYON_OK);
                } while (read.result.more);
                // At least this many tokens of at most `longest + 1` bytes.
                open = std::max<std::size_t>(open, (matching.pending() - (matching.pending() > 0)) * (longest + 1));
            }
            ASSERT_EQ(read.ids, expected);
            EXPECT_LE(open, 3 * longest + 9000);
            for (int round = 0; round < static_cast<int>(sample(3)); ++round) {
                ASSERT_EQ(matching.read(text, Matching::kIds, random.next()).ids, expected);
                ASSERT_EQ(matching.read(text, Matching::kCount, random.next()).ids.size(), expected.size());
            }
        });
    }
}

TEST(LongestMatchTest, DoesNotReadZerosAfterATextAsText) {
    MatchVocabulary v;
    const std::string zero(1, '\0');
    v.tokens = {zero, "a", "a" + zero, "a" + zero + zero, zero + zero + zero, zero + "<"};
    const std::vector<AddedToken> added = {{"<|x|>", 50}};
    for_each_kernel([&](const Kernel& kernel) {
        Matching matching(open(compile_matches(v, Form::kFull, "none", added)), kernel.name);
        for (std::size_t length = 0; length < 140; ++length) {
            const std::string text = std::string(length, 'a');
            const Matching::Read read = matching.read(text + zero + text, Matching::kIds, length);
            Ids expected(length, 1);
            if (length > 0) expected.back() = 2;
            if (length == 0) expected.push_back(0);
            expected.insert(expected.end(), length, 1);
            ASSERT_EQ(read.ids, expected) << length;
            // Nor the text after an added token.
            const Matching::Read ended = matching.read(text + "<|x|>" + zero, Matching::kIds, length, CRAYON_SPECIAL_ALLOW);
            expected.assign(length, 1);
            expected.insert(expected.end(), {50, 0});
            ASSERT_EQ(ended.ids, expected) << length;
        }
    });
}

// With a pretokenizer, each of its pieces is matched separately.
TEST(LongestMatchTest, MatchesPiecesOfAPretokenizer) {
    for (const naive::PublishedPattern& family : naive::kPublishedPatterns) {
        SCOPED_TRACE(std::string(family.family));
        const naive::Pattern pattern(family.pattern);
        for_each_kernel([&](const Kernel& kernel) {
            for (std::uint64_t seed = 1; seed <= sample(20); ++seed) {
                Random random(seed);
                MatchVocabulary v;
                v.tokens = {"?"};
                v.unknown = 0;
                const std::u32string characters = TextGenerator(random.next()).characters().substr(0, 3000);
                for (std::size_t at = 0; at < characters.size(); at += 1 + random.below(9)) {
                    const std::string token = naive::encode_utf8(characters.substr(at, 1 + random.below(5)));
                    if (std::count(v.tokens.begin(), v.tokens.end(), token) == 0) v.tokens.push_back(token);
                }
                const naive::Matches tokens = v.matches();
                Ids expected, offsets;
                std::size_t begin = 0;
                std::uint32_t bytes = 0;
                for (std::size_t end : pattern.split(characters)) {
                    const std::string piece = naive::encode_utf8(characters.substr(begin, end - begin));
                    for (const naive::Match& match : naive::longest_matches(piece, tokens, 0)) {
                        expected.push_back(match.id);
                        offsets.push_back(bytes + static_cast<std::uint32_t>(match.begin));
                        offsets.push_back(bytes + static_cast<std::uint32_t>(match.end));
                    }
                    begin = end;
                    bytes += static_cast<std::uint32_t>(piece.size());
                }
                Matching matching(open(compile_matches(v, Form::kFull, family.family)), kernel.name);
                const Matching::Read read = matching.read(naive::encode_utf8(characters), Matching::kIdsAndBytes, random.next());
                ASSERT_EQ(read.ids, expected) << "seed " << seed;
                ASSERT_EQ(read.offsets, offsets) << "seed " << seed;
            }
        });
    }
}

// "?" in the text is the token itself, and unlike an unknown character it is one byte long: their offsets differ.
TEST(LongestMatchTest, DistinguishesUnknownCharactersFromTheirToken) {
    MatchVocabulary v;
    v.tokens = {"<unk>", "a"};
    v.unknown = 0;
    Matching matching(open(compile_matches(v, Form::kFull)), "");
    const Matching::Read read = matching.read("a<unk>\xE4\xB8\xAD<un\xF0\x9F\x98", Matching::kIdsAndBytes, 1);
    EXPECT_EQ(read.ids, (Ids{1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(read.offsets, (Ids{0, 1, 1, 6, 6, 9, 9, 10, 10, 11, 11, 12, 12, 15}));
    const auto id_of = [&](std::string_view token) {
        return crayon_tokenizer_id_of(matching.tokenizer(), reinterpret_cast<const std::uint8_t*>(token.data()),
                                      static_cast<std::uint32_t>(token.size()));
    };
    EXPECT_EQ(id_of("<unk>"), 0u);
    EXPECT_EQ(id_of("a"), 1u);
    EXPECT_EQ(id_of("<un"), kNoUnknown);
    EXPECT_EQ(id_of("aa"), kNoUnknown);
}

// Each part has as many tokens as naively.
TEST(LongestMatchTest, FitsPartsOfTexts) {
    for_each_kernel([](const Kernel& kernel) {
        std::size_t failed = 0, parts = 0;
        for (std::uint64_t seed = 1; seed <= sample(100, 10); ++seed) {
            Random random(seed);
            const MatchVocabulary v = random_matches(random, random.one_in(2));
            const naive::Matches tokens = v.matches();
            Matching matching(open_form(v, static_cast<int>(seed % kForms)), kernel.name);
            const std::string text = random_match_text(random, v, 200);
            const auto limit = static_cast<std::uint32_t>(1 + random.below(random.one_in(2) ? 10 : 300));
            const crayon_part_form form{limit, 0, CRAYON_UNIT_BYTES, CRAYON_CUT_ANYWHERE, nullptr, nullptr, 0, 0};
            const ReadParts read = read_parts(matching.encoder(), 0, form, text, &random);
            const auto is_unknown = [&](const naive::Match& match) { return match.is_unknown && v.unknown == kNoUnknown; };
            const std::vector<naive::Match> matches = naive::longest_matches(text, tokens, v.unknown);
            failed += read.status != CRAYON_OK;
            if (std::none_of(matches.begin(), matches.end(), is_unknown)) {
                ASSERT_EQ(read.status, u32{CRAYON_OK}) << "seed " << seed;
            }
            for (std::size_t i = 0; i < read.size() && read.begin(i) < read.end(i); ++i) {
                const std::string part = text.substr(read.begin(i), read.end(i) - read.begin(i));
                const std::vector<naive::Match> own = naive::longest_matches(part, tokens, v.unknown);
                ASSERT_EQ(own.size(), read.tokens(i)) << "seed " << seed;
                ASSERT_LE(own.size(), limit) << "seed " << seed;
                ASSERT_TRUE(std::none_of(own.begin(), own.end(), is_unknown)) << "seed " << seed;
                ++parts;
            }
        }
        EXPECT_GT(failed, at_least(10));
        EXPECT_GT(parts, at_least(1000));
    });
}

// The scan on its own: a boundary is where no token can cross, or after a piece too long to buffer.
TEST(LongestMatchTest, CutsWhereNoTokenCanCross) {
    for_each_kernel([](const Kernel& kernel) {
        std::size_t cuts = 0, possible = 0;
        for (std::uint64_t seed = 1; seed <= sample(200); ++seed) {
            Random random(seed);
            const MatchVocabulary v = random_matches(random, false);
            std::vector<u8> joined_bytes(8192);
            u32 longest = 1;
            for (const std::string& token : v.tokens) {
                longest = std::max(longest, static_cast<u32>(token.size()));
                for (std::size_t i = 1; i < token.size(); ++i) {
                    const unsigned bit = static_cast<u8>(token[i - 1]) * 256u + static_cast<u8>(token[i]);
                    joined_bytes[bit / 8] = static_cast<u8>(joined_bytes[bit / 8] | 1 << bit % 8);
                }
            }
            const JoinedBytes table(joined_bytes.data(), longest);
            std::string text = random_match_text(random, v, 400);
            if (random.one_in(4)) text += std::string(20000, v.tokens.back().empty() ? 'a' : v.tokens.back()[0]);
            const std::size_t size = text.size();
            text.append(kScanPadding, '\0');
            ScanState state;
            state.joined_bytes = &table;
            std::size_t start = 0;
            u32 boundaries[kMinBoundaries];
            const auto joins = [&](std::size_t at) {
                const unsigned bit = static_cast<u8>(text[at - 1]) * 256u + static_cast<u8>(text[at]);
                return (joined_bytes[bit / 8] >> bit % 8 & 1) != 0 || (text[at] & 0xC0) == 0x80;
            };
            for (std::size_t at = 1; at < size; ++at) possible += !joins(at);
            while (const u32 count = kernel.scan(layout::kNoPretokenizer)(state, reinterpret_cast<const u8*>(text.data()), size,
                                                                          true, boundaries, kMinBoundaries)) {
                for (u32 i = 0; i < count; ++i) {
                    ASSERT_GT(boundaries[i], start);
                    ASSERT_LE(boundaries[i], size);
                    const bool is_free = boundaries[i] == size || !joins(boundaries[i]);
                    ASSERT_TRUE(is_free || boundaries[i] - start > kLongestWhole + longest) << "seed " << seed;
                    cuts += is_free;
                    start = boundaries[i];
                }
            }
            ASSERT_EQ(start, size);
        }
        EXPECT_GT(cuts, possible / 4);
    });
}

TEST(LongestMatchTest, FindsTheLastOfTokensMadeEqualByDecoding) {
    const MatchVocabulary v{{"\uFFFD", "x\uFFFD", "a", "\uFFFD", "\uFFFDx", "x\uFFFD", "\uFFFD"}};
    for (int form = 0; form < kForms; ++form) {
        Matching matching(open_form(v, form), "");
        EXPECT_EQ(matching.read("\uFFFDa\uFFFDx\uFFFDx\uFFFD", Matching::kIds, 1).ids, (Ids{6, 2, 4, 4, 6})) << form;
        EXPECT_EQ(matching.read("ax\uFFFDa", Matching::kIds, 1).ids, (Ids{2, 5, 2})) << form;
    }
}

TEST(LongestMatchTest, TheCompilerRefusesVocabulariesNoCartridgeCanHold) {
    crayon_compiler* compiler = nullptr;
    crayon_result result;
    ASSERT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    const auto set = [&](const std::vector<std::string>& tokens, std::uint32_t unknown_id) {
        const TokenArrays list(tokens);
        crayon_compiler_set_longest_match(compiler, list.data(), list.size(), list.offsets.data(), list.count(), unknown_id,
                                          &result);
        return std::string(crayon_status_name(result.status)) + " " + std::to_string(result.position);
    };
    EXPECT_EQ(set({"a", "b", "a"}, kNoUnknown), "DUPLICATE_TOKEN 2");
    EXPECT_EQ(set({"\uFFFD", "b", "\uFFFD", "a", "a"}, kNoUnknown), "DUPLICATE_TOKEN 4");
    EXPECT_EQ(set({"a", "", "b"}, 1), "INVALID_ARGUMENT 3");
    EXPECT_EQ(set({"a", "", "b"}, 3), "INVALID_ARGUMENT 3");
    EXPECT_EQ(set({std::string(65536, 'a')}, kNoUnknown), "INVALID_ARGUMENT 0");
    const std::uint8_t* file = nullptr;
    EXPECT_EQ(crayon_compiler_finish_dat(compiler, &file, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(set({"a", "", "b"}, 2), "OK 0");
    EXPECT_EQ(crayon_compiler_add_view(compiler, "v", 1, "none", 4, &result), CRAYON_OK);
    const std::uint8_t x = 'x';
    EXPECT_EQ(crayon_compiler_add_token(compiler, &x, 1, 0xFFFFFFF0, 0, &result), CRAYON_OK);
    EXPECT_EQ(crayon_compiler_finish(compiler, &file, &result), u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(result.position, 0xFFFFFFF0);
    crayon_compiler_release(compiler);

    // Version 2 supports only longest match.
    ASSERT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    Random random(5);
    const TokenArrays list(random_vocabulary(random, "ab", 5).tokens);
    ASSERT_EQ(crayon_compiler_set_bpe(compiler, list.data(), list.size(), list.offsets.data(), list.count(), &result), CRAYON_OK);
    EXPECT_EQ(crayon_compiler_add_view(compiler, "v", 1, "none", 4, &result), CRAYON_OK);
    EXPECT_EQ(crayon_compiler_finish_dat(compiler, &file, &result), u32{CRAYON_INVALID_ARGUMENT});
    crayon_compiler_release(compiler);
}

}  // namespace
}  // namespace crayon::test::longest_match_test
