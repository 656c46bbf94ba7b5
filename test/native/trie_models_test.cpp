// WordPiece, WordLevel and Unigram compared with naive versions: any bytes, scores that round, tie and overflow, texts in
// windows; and Unigram of SentencePiece models, whose sums are floats over the whole text. test/lib/trie-models.test.ts compares
// them with Hugging Face's.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "crayon/crayon.h"
#include "generate_text.h"
#include "longest_match_vocabularies.h"
#include "naive/utf.h"
#include "share.h"
#include "vocabularies.h"

namespace crayon::test::trie_models_test {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
constexpr u32 kNoId = 0xFFFFFFFF;

struct Piece {
    u32 id;
    std::size_t begin, end;
    bool operator==(const Piece&) const = default;
};
using Pieces = std::vector<Piece>;

struct Model {
    std::vector<std::string> tokens;
    u32 unknown_id = 0;
    // WordPiece:
    std::string prefix;
    u32 most_characters = 100;
    bool is_whole = false;
    // Unigram:
    std::vector<double> scores;
    double unknown_score = 0;
    std::vector<u32> byte_ids;
    bool sums_floats = false;

    std::map<std::string, u32> ids() const {
        std::map<std::string, u32> all;
        for (u32 id = 0; id < tokens.size(); ++id) {
            if (!tokens[id].empty()) all[tokens[id]] = id;
        }
        return all;
    }
};

// nullopt: there is an unknown word, and no id for it.
std::optional<Pieces> words_naively(const Model& model, const std::string& word) {
    if (word.empty()) return Pieces{};
    const std::map<std::string, u32> ids = model.ids();
    const Pieces unknown = {{model.unknown_id, 0, word.size()}};
    const auto otherwise = [&] { return model.unknown_id == kNoId ? std::nullopt : std::optional(unknown); };
    if (model.is_whole) {
        const auto found = ids.find(word);
        return found == ids.end() ? otherwise() : Pieces{{found->second, 0, word.size()}};
    }
    if (naive::decode_utf8(word).code_points.size() > model.most_characters) return otherwise();
    Pieces pieces;
    for (std::size_t at = 0; at < word.size();) {
        std::size_t end = word.size();
        std::map<std::string, u32>::const_iterator found = ids.end();
        for (; end > at; --end) {
            found = ids.find((at > 0 ? model.prefix : "") + word.substr(at, end - at));
            if (found != ids.end()) break;
        }
        if (end == at) return otherwise();
        pieces.push_back({found->second, at, end});
        at = end;
    }
    return pieces;
}

std::optional<Pieces> unigram_naively(const Model& model, const std::string& text) {
    const std::map<std::string, u32> ids = model.ids();
    const naive::Characters characters = naive::decode_utf8(text);
    struct Node {
        double score = 0;
        u32 id = kNoId;
        std::size_t begin = 0;
        bool is_set = false;
    };
    std::vector<Node> nodes(text.size() + 1);
    nodes[0].is_set = true;
    std::size_t longest = 1;
    for (const std::string& token : model.tokens) longest = std::max(longest, token.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!nodes[at].is_set) continue;
        if (model.sums_floats && std::abs(nodes[at].score) > 100000) {
            const float sum = static_cast<float>(nodes[at].score);
            for (Node& node : nodes) node.score = node.is_set ? static_cast<float>(node.score) - sum : 0;
        }
        const auto offer = [&](std::size_t end, double score, u32 id) {
            const float rounded = static_cast<float>(score) + static_cast<float>(nodes[at].score);
            const double sum = model.sums_floats ? double{rounded} : score + nodes[at].score;
            if (!nodes[end].is_set || sum > nodes[end].score) nodes[end] = {sum, id, at, true};
        };
        // The character that starts here, of which some bytes may precede.
        const std::size_t character = naive::decode_utf8(text.substr(at, 4)).offsets[1];
        bool is_known = false;
        for (std::size_t end = at + 1; end <= text.size() && end - at <= longest; ++end) {
            const auto found = ids.find(text.substr(at, end - at));
            if (found == ids.end()) continue;
            offer(end, model.scores[found->second], found->second);
            is_known |= end - at == character;
        }
        if (is_known) continue;
        if (model.unknown_id == kNoId) return std::nullopt;
        offer(at + character, model.unknown_score, model.unknown_id);
    }
    Pieces backwards;
    for (std::size_t end = text.size(); end > 0; end = nodes[end].begin) {
        const Node& node = nodes[end];
        const bool joins = node.id == model.unknown_id && !backwards.empty() && backwards.back().id == node.id;
        if (joins) {
            backwards.back().begin = node.begin;
        } else {
            backwards.push_back({node.id, node.begin, end});
        }
    }
    Pieces pieces;
    for (auto piece = backwards.rbegin(); piece != backwards.rend(); ++piece) {
        if (piece->id != model.unknown_id) {
            pieces.push_back(*piece);
            continue;
        }
        const std::string unknown = text.substr(piece->begin, piece->end - piece->begin);
        const auto found = ids.find(unknown);
        bool has_bytes = !model.byte_ids.empty();
        for (const char byte : unknown) has_bytes = has_bytes && model.byte_ids[static_cast<u8>(byte)] != kNoId;
        if (found != ids.end() && !model.sums_floats) {
            pieces.push_back({found->second, piece->begin, piece->end});
        } else if (has_bytes) {
            for (const char byte : unknown) pieces.push_back({model.byte_ids[static_cast<u8>(byte)], piece->begin, piece->end});
        } else {
            pieces.push_back(*piece);
        }
    }
    return pieces;
}

class Opened {
public:
    Opened(const Model& model, bool is_slim) {
        crayon_compiler* compiler = nullptr;
        EXPECT_EQ(crayon_compiler_create(&compiler, &result), u32{CRAYON_OK});
        const TokenArrays list(model.tokens);
        if (model.scores.empty()) {
            crayon_compiler_set_word_piece(compiler, list.data(), list.size(), list.offsets.data(), list.count(), nullptr, 0,
                                           model.unknown_id, reinterpret_cast<const u8*>(model.prefix.data()),
                                           static_cast<u32>(model.prefix.size()), model.is_whole ? 0 : model.most_characters,
                                           model.is_whole, &result);
        } else {
            crayon_compiler_set_unigram(compiler, list.data(), list.size(), list.offsets.data(), list.count(), nullptr, 0,
                                        model.unknown_id, model.scores.data(), model.unknown_score,
                                        model.byte_ids.empty() ? nullptr : model.byte_ids.data(), model.sums_floats, &result);
        }
        EXPECT_EQ(result.status, u32{CRAYON_OK}) << result.section << " " << result.position;
        EXPECT_EQ(crayon_compiler_add_view(compiler, "test", 4, "none", 4, &result), u32{CRAYON_OK});
        const u8* file = nullptr;
        EXPECT_EQ((is_slim ? crayon_compiler_finish_slim : crayon_compiler_finish)(compiler, &file, &result), u32{CRAYON_OK});
        EXPECT_EQ(crayon_cartridge_open_bytes(file, result.count, CRAYON_OPEN_COPY, &cartridge_, &result), u32{CRAYON_OK})
            << result.section << " " << result.position;
        crayon_compiler_release(compiler);
        EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, nullptr, 0, &tokenizer_, &result), u32{CRAYON_OK});
        EXPECT_EQ(crayon_encoder_create(tokenizer_, &encoder_, &result), u32{CRAYON_OK});
    }
    ~Opened() {
        crayon_encoder_release(encoder_);
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
    }

    // nullopt: UNKNOWN_CHARACTER.
    std::optional<Pieces> encode(const std::string& text, std::size_t window) {
        Pieces pieces;
        EXPECT_EQ(crayon_encoder_begin(encoder_, CRAYON_SPECIAL_AS_TEXT, nullptr, 0, &result), u32{CRAYON_OK});
        for (std::size_t at = 0; at <= text.size(); at += window) {
            const std::size_t size = std::min(window, text.size() - at);
            const bool last = at + window > text.size();
            crayon_encoder_feed_utf8(encoder_, reinterpret_cast<const u8*>(text.data()) + at, static_cast<u32>(size), last,
                                     &result);
            do {
                u32 ids[5], offsets[10];
                if (crayon_encoder_read_with_offsets(encoder_, ids, offsets, 5, CRAYON_UNIT_BYTES, &result) != CRAYON_OK) {
                    EXPECT_EQ(result.status, u32{CRAYON_UNKNOWN_CHARACTER});
                    return std::nullopt;
                }
                for (u32 i = 0; i < result.count; ++i) pieces.push_back({ids[i], offsets[2 * i], offsets[2 * i + 1]});
            } while (result.more);
            if (last) break;
        }
        return pieces;
    }

    crayon_result result{};

private:
    crayon_cartridge* cartridge_ = nullptr;
    crayon_tokenizer* tokenizer_ = nullptr;
    crayon_encoder* encoder_ = nullptr;
};

std::string some_text(Random& random, std::size_t most) {
    static constexpr const char* kParts[] = {"a", "b",    "a",        "ab",  "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80",
                                             "#", "\xFF", "\xE4\xB8", "\xA9"};
    std::string text;
    for (std::size_t n = random.below(most); n > 0; --n)
        text += kParts[random.below(std::size(kParts) - (random.one_in(4) ? 0 : 3))];
    return text;
}

Model random_model(Random& random, bool is_unigram) {
    Model model;
    const char* const kPrefixes[] = {"##", "", "a", "#"};
    model.prefix = kPrefixes[random.below(4)];
    model.is_whole = !is_unigram && random.one_in(4);
    if (model.is_whole) model.prefix.clear();
    const u32 kMost[] = {100, 3, 1, 0};
    model.most_characters = kMost[random.below(4)];
    std::map<std::string, u32> ids;
    const auto add = [&](const std::string& token) {
        if (ids.emplace(token, static_cast<u32>(model.tokens.size())).second) model.tokens.push_back(token);
    };
    add("?");
    for (std::size_t n = 1 + random.below(25); n > 0; --n)
        add((random.one_in(2) && !is_unigram ? model.prefix : "") + some_text(random, 5));
    for (const char* token : {"a", "b", "\xC3\xA9", "\xFF"}) {
        if (random.one_in(2)) add(is_unigram || random.one_in(2) ? token : model.prefix + token);
    }
    if (random.one_in(8)) model.unknown_id = kNoId;
    if (!is_unigram) return model;
    const std::size_t kind = random.below(4);
    for (std::size_t i = 0; i < model.tokens.size(); ++i) {
        static constexpr double kOdd[] = {0.0,  -0.0,  5e-324, -5e-324, 1e308, -1e308,
                                          1e16, -1e16, 1,      0.1,     -0.3,  2.2250738585072014e-308};
        model.scores.push_back(kind == 0   ? -1.0 - static_cast<double>(random.below(3))
                               : kind == 1 ? kOdd[random.below(std::size(kOdd))]
                               : kind == 2 ? static_cast<double>(random.below(100)) / 7 - 5
                                           : -static_cast<double>(random.next() >> 40) / 1e5);
    }
    model.unknown_score = *std::min_element(model.scores.begin(), model.scores.end()) - 10.0;
    if (random.one_in(3)) {
        for (int byte = 0; byte < 256; ++byte)
            model.byte_ids.push_back(random.one_in(5) ? kNoId : static_cast<u32>(random.below(ids.size())));
        for (u32& id : model.byte_ids) id = id != kNoId && model.tokens[id].empty() ? kNoId : id;
    }
    return model;
}

void compare_text(const Model& model, Opened& opened, const std::string& text, std::size_t window, std::uint64_t seed) {
    const auto expected = model.scores.empty() ? words_naively(model, text) : unigram_naively(model, text);
    const auto found = opened.encode(text, window);
    ASSERT_EQ(found.has_value(), expected.has_value()) << seed << " " << testing::PrintToString(text);
    if (!found) return;
    ASSERT_EQ(found->size(), expected->size()) << seed << " " << testing::PrintToString(text);
    for (std::size_t i = 0; i < found->size(); ++i) {
        ASSERT_EQ((*found)[i].id, (*expected)[i].id) << seed << " " << i << " " << testing::PrintToString(text);
        ASSERT_EQ((*found)[i].begin, (*expected)[i].begin) << seed << " " << i << " " << testing::PrintToString(text);
        ASSERT_EQ((*found)[i].end, (*expected)[i].end) << seed << " " << i << " " << testing::PrintToString(text);
    }
}

void compare(bool is_unigram) {
    for (std::uint64_t seed = 1; seed <= test::sample(6000); ++seed) {
        Random random(seed);
        const Model model = random_model(random, is_unigram);
        Opened opened(model, random.one_in(3));
        for (int round = 0; round < 6; ++round) {
            const std::string text = some_text(random, round == 0 ? 300 : 15);
            compare_text(model, opened, text, random.one_in(2) ? text.size() + 1 : 1 + random.below(9), seed);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

// Words after marks, most of which repeat, with punctuation, and characters that are not marks.
std::string some_words(Random& random, std::size_t most) {
    static constexpr const char* kParts[] = {"a", "b", "ab",       "ba",           "c",        "aba", "1",
                                             ",", ".", "\xC3\xA9", "\xE2\x96\x82", "\xE2\x96", "\xFF"};
    static constexpr const char* kMarks[] = {
        "\xE2\x96\x81", "\xE2\x96\x81", "\xE2\x96\x81", "\xE2\x96\x81\xE2\x96\x81", "\xE2\x80\x99", ""};
    std::string text;
    for (std::size_t n = random.below(most); n > 0; --n) {
        text += kMarks[random.below(std::size(kMarks) - (random.one_in(4) ? 0 : 2))];
        const std::size_t parts = random.one_in(20) ? 25 : 1 + random.below(4);
        for (std::size_t i = 0; i < parts; ++i) text += kParts[random.below(std::size(kParts) - (random.one_in(8) ? 0 : 5))];
    }
    return text;
}

// Its scores make sums that nearly tie, or nearly equal the penalty.
Model random_float_model(Random& random) {
    Model model;
    model.sums_floats = true;
    std::map<std::string, u32> ids;
    const auto add = [&](const std::string& token) {
        if (ids.emplace(token, static_cast<u32>(model.tokens.size())).second) model.tokens.push_back(token);
    };
    add("?");
    for (const char* token : {"a", "b", "c", "1", ",", "."}) {
        if (!random.one_in(8)) add(token);
    }
    for (std::size_t n = 1 + random.below(30); n > 0; --n) {
        const std::string words = some_words(random, 3);
        add(words.empty() ? "\xE2\x96\x81" : words.substr(0, 1 + random.below(8)));
    }
    if (random.one_in(12)) model.unknown_id = kNoId;
    const std::size_t kind = random.below(5);
    const double each = kind == 3 ? 60 : 1 + static_cast<double>(random.below(5));
    for (const std::string& token : model.tokens) {
        const double near = -each * static_cast<double>(token.size());
        const double step = static_cast<double>(random.below(9)) - 4;
        const double score = kind == 0   ? -1.0 - static_cast<double>(random.below(3))
                             : kind == 1 ? near + step / 1024
                             : kind == 2 ? -static_cast<double>(random.next() >> 40) / 1e6
                             : kind == 3 ? std::max(near, -63.9) + step / 64
                                         : step * 20000;
        model.scores.push_back(double{static_cast<float>(score)});
    }
    model.unknown_score = *std::min_element(model.scores.begin(), model.scores.end()) - 10.0;
    model.unknown_score = double{static_cast<float>(model.unknown_score)};
    if (random.one_in(3)) {
        for (int byte = 0; byte < 256; ++byte)
            model.byte_ids.push_back(random.one_in(9) ? kNoId : static_cast<u32>(random.below(ids.size())));
    }
    return model;
}

TEST(TrieModels, WordPieceEqualsTheNaiveVersion) { compare(false); }
TEST(TrieModels, UnigramEqualsTheNaiveVersion) { compare(true); }
TEST(TrieModels, FloatSumsEqualThoseOfTheWholeText) {
    for (std::uint64_t seed = 1; seed <= test::sample(3000); ++seed) {
        Random random(seed);
        const Model model = random_float_model(random);
        Opened opened(model, random.one_in(3));
        for (int round = 0; round < 6; ++round) {
            const std::string text = some_words(random, round == 0 ? (seed % 8 == 0 ? 3000 : 300) : 20);
            compare_text(model, opened, text, random.one_in(2) ? text.size() + 1 : 1 + random.below(9), seed);
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace crayon::test::trie_models_test
