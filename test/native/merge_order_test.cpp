// Merge lists, trained or not, with ids in any order and with or without priorities: the compiled tokenizer gives the ids of
// merging by the list.
#include "compile/merge_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "naive/merge_list.h"
#include "open_bpe.h"
#include "share.h"

namespace crayon::test::merge_order_test {
namespace {

struct ListVocabulary {
    std::vector<std::string> tokens;  // by id
    std::vector<naive::TokenPair> merges;
    std::vector<u32> priorities;  // none, or one for each
    std::vector<u32> unmatched;
    bool whole = false;
};

class Compiled {
public:
    explicit Compiled(const ListVocabulary& v, const std::vector<std::pair<u32, u32>>* pairs = nullptr) {
        EXPECT_EQ(crayon_compiler_create(&compiler_, &result), u32{CRAYON_OK});
        std::string bytes;
        std::vector<u32> offsets = {0}, merges;
        std::map<std::string, u32> ids;
        for (u32 id = 0; id < v.tokens.size(); ++id) {
            bytes += v.tokens[id];
            offsets.push_back(static_cast<u32>(bytes.size()));
            if (!std::binary_search(v.unmatched.begin(), v.unmatched.end(), id)) ids[v.tokens[id]] = id;
        }
        for (const auto& [left, right] : v.merges) {
            merges.push_back(ids.at(left));
            merges.push_back(ids.at(right));
        }
        if (pairs) {
            for (const auto& [left, right] : *pairs) merges.insert(merges.end(), {left, right});
        }
        crayon_compiler_set_bpe_merges(compiler_, reinterpret_cast<const u8*>(bytes.data()), static_cast<u32>(bytes.size()),
                                       offsets.data(), static_cast<u32>(v.tokens.size()), merges.data(),
                                       static_cast<u32>(merges.size() / 2), v.priorities.empty() ? nullptr : v.priorities.data(),
                                       v.unmatched.data(), static_cast<u32>(v.unmatched.size()), v.whole, &result);
        ok = result.status == CRAYON_OK;
        if (!ok) return;
        EXPECT_EQ(crayon_compiler_add_view(compiler_, "test", 4, "gpt2", 4, &result), u32{CRAYON_OK});
        full = finish(crayon_compiler_finish);
        slim = finish(crayon_compiler_finish_slim);
    }
    explicit Compiled(crayon_cartridge* cartridge) {
        EXPECT_EQ(crayon_compiler_create(&compiler_, &result), u32{CRAYON_OK});
        EXPECT_EQ(crayon_compiler_set_cartridge(compiler_, cartridge, &result), u32{CRAYON_OK})
            << crayon_status_name(result.status) << " " << result.section << " " << result.position;
        full = finish(crayon_compiler_finish);
        slim = finish(crayon_compiler_finish_slim);
    }
    ~Compiled() { crayon_compiler_release(compiler_); }
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;

    bool ok = false;
    crayon_result result{};
    std::string full, slim;

private:
    std::string finish(decltype(&crayon_compiler_finish) form) {
        const u8* bytes = nullptr;
        EXPECT_EQ(form(compiler_, &bytes, &result), u32{CRAYON_OK}) << crayon_status_name(result.status);
        return {reinterpret_cast<const char*>(bytes), result.count};
    }
    crayon_compiler* compiler_ = nullptr;
};

// The result of merging a piece by a list.
std::vector<u32> expected(const std::string& piece, const ListVocabulary& v, const naive::MergeList& list,
                          const std::map<std::string, u32>& ids) {
    if (v.whole && ids.contains(piece)) return {ids.at(piece)};
    std::vector<u32> out;
    for (const std::string& token : list.merge(piece)) out.push_back(ids.at(token));
    return out;
}

enum class Kind { kTrained, kEverySplit, kAnyPairs, kDisordered, kEquals };

ListVocabulary random_list(Random& random, const std::vector<std::string>& alphabet, Kind kind) {
    ListVocabulary v;
    std::vector<std::string> parts, made;
    for (const std::string& character : alphabet) {
        for (char byte : character) parts.emplace_back(1, byte);
    }
    std::map<std::string, bool> is_token;
    for (const std::string& byte : parts) is_token[byte] = true;
    const auto add = [&](const std::string& left, const std::string& right) {
        v.merges.emplace_back(left, right);
        const std::string token = left + right;
        if (is_token[token]) return;
        is_token[token] = true;
        made.push_back(token);
        parts.push_back(token);
    };
    const std::size_t count = 3 + random.below(40);
    if (kind == Kind::kTrained || kind == Kind::kEverySplit) {
        const std::vector<std::string> text = random_text(random, alphabet, 200);
        for (const std::string& token : grown_vocabulary(random, text, count, 30).tokens) {
            if (token.size() < 2) continue;
            // The two tokens it was made from, or any two it could be made from.
            const auto halves = naive::MergeList(v.merges).merge(token);
            if (kind == Kind::kTrained) {
                if (halves.size() == 2) add(halves[0], halves[1]);
                continue;
            }
            const auto before = is_token;
            for (std::size_t i = 1; i < token.size(); ++i) {
                const std::string left = token.substr(0, i), right = token.substr(i);
                const auto is_half = [&](const std::string& part) {
                    return part.size() == 1 || (before.contains(part) && before.at(part));
                };
                if (is_half(left) && is_half(right)) add(left, right);
            }
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            const std::string left = parts[random.below(parts.size())], right = parts[random.below(parts.size())];
            if (left.size() + right.size() <= 20) add(left, right);
        }
        // Other splits of tokens, and duplicate pairs.
        for (std::size_t i = random.below(8); i > 0 && !made.empty(); --i) {
            const std::string token = made[random.below(made.size())];
            const std::size_t at = 1 + random.below(token.size() - 1);
            if (is_token[token.substr(0, at)] && is_token[token.substr(at)]) {
                add(token.substr(0, at), token.substr(at));
            }
        }
    }
    if (kind == Kind::kDisordered) {
        for (std::size_t i = 1 + random.below(6); i > 0; --i) {
            std::swap(v.merges[random.below(v.merges.size())], v.merges[random.below(v.merges.size())]);
        }
    }
    if (kind == Kind::kEquals) {
        const std::size_t turns = 1 + random.below(4);
        for (std::size_t i = 0; i < v.merges.size(); ++i) v.priorities.push_back(static_cast<u32>(random.below(turns)));
    }
    // Ids: in a trainer's order, or any.
    for (int byte = 0; byte < 256; ++byte) v.tokens.emplace_back(1, static_cast<char>(byte));
    v.tokens.insert(v.tokens.end(), made.begin(), made.end());
    const bool shuffled = random.one_in(2);
    if (random.one_in(3)) v.tokens.emplace_back("");
    for (std::size_t i = random.below(3); i > 0; --i) {  // tokens that no merge makes
        std::string token = alphabet[random.below(alphabet.size())];
        while (is_token[token] || token.size() < 2) token += alphabet[random.below(alphabet.size())];
        is_token[token] = true;
        v.tokens.push_back(token);
    }
    std::vector<bool> is_literal(v.tokens.size());
    for (std::size_t i = random.below(3); i > 0; --i) {  // and copies, which only decode
        v.tokens.push_back(v.tokens[random.one_in(2) ? 65 : v.tokens.size() - 1]);
        is_literal.push_back(!v.tokens.back().empty());
    }
    if (shuffled) {
        for (std::size_t i = v.tokens.size(); i > 1; --i) {
            const std::size_t other = random.below(i);
            std::swap(v.tokens[i - 1], v.tokens[other]);
            const bool literal = is_literal[i - 1];
            is_literal[i - 1] = is_literal[other];
            is_literal[other] = literal;
        }
    }
    for (u32 id = 0; id < v.tokens.size(); ++id) {
        if (is_literal[id]) v.unmatched.push_back(id);
    }
    v.whole = random.one_in(3);
    return v;
}

// The turn of the last merge that makes a token.
std::size_t stage(const std::string& token, const naive::MergeList& list) {
    std::size_t last;
    if (token.size() < 2 || list.merge(token, &last).size() != 1) return 0;
    return std::max({last, stage(list.pairs[last].first, list), stage(list.pairs[last].second, list)});
}

// Whether a token is made before its turn in the list, once one half exists.
bool is_early(const std::string& token, const naive::MergeList& list) {
    std::size_t last;
    return token.size() > 1 && list.merge(token, &last).size() == 1 && stage(token, list) > last;
}

TEST(MergeOrder, GivesTheIdsOfTheList) {
    const std::vector<std::vector<std::string>> alphabets = {
        {"a", "b"}, {"a", "b", "c", "d"}, {"a"}, {"é", "的", "a", "ü"}, {"😀", "😁", "是"}, {"a", "é", " ", "\n", "ab"}};
    u64 equal = 0, by_priority = 0, reordered = 0, kept = 0, early = 0;
    for (u64 seed = 1; seed <= sample(3000, 32); ++seed) {
        Random random(seed);
        const std::vector<std::string>& alphabet = alphabets[random.below(alphabets.size())];
        const Kind kind = static_cast<Kind>(random.below(5));
        const ListVocabulary v = random_list(random, alphabet, kind);
        const naive::MergeList list(v.merges, v.priorities);
        const Compiled compiled(v);
        ASSERT_TRUE(compiled.ok) << seed;
        std::map<std::string, u32> ids;
        for (u32 id = 0; id < v.tokens.size(); ++id) {
            if (!std::binary_search(v.unmatched.begin(), v.unmatched.end(), id)) ids[v.tokens[id]] = id;
        }
        OpenBpe full(compiled.full), slim(compiled.slim);
        ++(full.tables().ids ? reordered : kept);
        const bool is_any_early =
            std::any_of(v.tokens.begin(), v.tokens.end(), [&](const std::string& token) { return is_early(token, list); });
        early += is_any_early;
        ASSERT_EQ(full.tables().priorities != nullptr, slim.tables().priorities != nullptr) << seed;
        if (kind == Kind::kEquals) {
            ASSERT_NE(full.tables().priorities, nullptr) << seed;
            ++equal;
        } else if (full.tables().priorities) {
            ASSERT_TRUE(is_any_early) << seed;
            ASSERT_NE(kind, Kind::kTrained) << seed;
            ASSERT_NE(kind, Kind::kEverySplit) << seed;
            ++by_priority;
        }
        ASSERT_EQ(std::string(reinterpret_cast<const char*>(slim.cartridge().data()), slim.cartridge().length()), compiled.full)
            << seed;
        for (const OpenBpe* opened : {&full, &slim}) {
            const Compiled again(to_c(const_cast<Cartridge*>(&opened->cartridge())));
            ASSERT_EQ(again.full, compiled.full) << seed;
            ASSERT_EQ(again.slim, compiled.slim) << seed;
        }
        for (u32 id = 0; id < v.tokens.size() && id < full.tables().token_count; ++id) {
            ASSERT_EQ(slim.tables().token(id), v.tokens[id]) << seed;
        }
        std::vector<std::string> pieces;
        for (int i = 0; i < 24; ++i) {
            const std::size_t length = 1 + random.below(i % 6 ? 14 : 150);
            pieces.push_back(joined(random_text(random, alphabet, length)));
        }
        for (int i = 0; i < 12; ++i) pieces.push_back(v.tokens[random.below(v.tokens.size())]);
        for (const std::string& piece : pieces) {
            if (piece.empty()) continue;
            const std::vector<u32> wanted = expected(piece, v, list, ids);
            ASSERT_EQ(full.encode(piece), wanted) << seed << " " << piece;
            ASSERT_EQ(slim.encode(piece), wanted) << seed << " " << piece;
            if (v.whole && ids.contains(piece)) continue;
            ASSERT_EQ(full.merge(piece), wanted) << seed << " " << piece;
            ASSERT_EQ(full.merge_all({piece})[0], wanted) << seed << " " << piece;
            if (full.tables().priorities) continue;
            std::vector<u32> ranks = full.backtrack(piece);
            for (u32& rank : ranks) rank = full.tables().id_of(rank);
            ASSERT_EQ(ranks, wanted) << seed << " " << piece;
        }
    }
    EXPECT_GT(equal, at_least(400));
    EXPECT_GT(by_priority, at_least(150));
    EXPECT_GT(early, at_least(150));
    EXPECT_GT(reordered, at_least(500));
    EXPECT_GT(kept, at_least(150));
}

// Long pieces, on every path of merging, with ids that are not ranks.
TEST(MergeOrder, MergesLongPieces) {
    const std::vector<std::vector<std::string>> alphabets = {
        {"a", "a", "a", "a", "b"}, {"a", "b", "c", "d", "e", "f"}, {"的", "一", "是", "a"}, {"あ", "ー", "é"}};
    for (u64 seed = 1; seed <= sample(16, 4); ++seed) {
        Random random(seed);
        const std::vector<std::string>& alphabet = alphabets[seed % alphabets.size()];
        ListVocabulary v;
        std::map<std::string, u32> ids;
        const std::vector<std::string> grown = grown_vocabulary(random, random_text(random, alphabet, 1500), 300, 60).tokens;
        for (const std::string& token : grown) {
            if (token.empty()) continue;
            const auto halves = naive::MergeList(v.merges).merge(token);
            if (halves.size() == 2) v.merges.emplace_back(halves[0], halves[1]);
            if (halves.size() <= 2) v.tokens.push_back(token);
        }
        std::reverse(v.tokens.begin(), v.tokens.end());
        for (u32 id = 0; id < v.tokens.size(); ++id) ids[v.tokens[id]] = id;
        if (seed > alphabets.size() && seed % 8 < 4) {
            for (std::size_t i = 0; i < v.merges.size(); ++i) v.priorities.push_back(static_cast<u32>(random.below(1 + i / 8)));
        }
        const naive::MergeList list(v.merges, v.priorities);
        const Compiled compiled(v);
        ASSERT_TRUE(compiled.ok);
        OpenBpe bpe(compiled.full);
        ASSERT_NE(bpe.tables().ids, nullptr);
        for (const std::uint64_t length :
             {std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{65}, std::uint64_t{129}, sample(1500, 300)}) {
            const std::string piece = joined(random_text(random, alphabet, length));
            ASSERT_EQ(bpe.encode(piece), expected(piece, v, list, ids)) << seed;
            std::string periodic;
            const std::vector<std::string> motif = random_text(random, alphabet, 2 + random.below(30));
            while (periodic.size() < piece.size()) periodic += joined(motif);
            ASSERT_EQ(bpe.encode(periodic), expected(periodic, v, list, ids)) << seed;
        }
    }
}

TEST(MergeOrder, NamesTheRefusedMerge) {
    ListVocabulary v;
    for (int byte = 0; byte < 256; ++byte) v.tokens.emplace_back(1, static_cast<char>(byte));
    v.tokens.insert(v.tokens.end(), {"ab", "abc"});
    const std::vector<std::pair<u32, u32>> missing = {{97, 98}, {98, 99}};
    const Compiled no_token(v, &missing);
    EXPECT_EQ(no_token.result.status, u32{CRAYON_INVALID_ARGUMENT});
    EXPECT_EQ(no_token.result.section, 14u);
    EXPECT_EQ(no_token.result.position, 1u);

    const std::vector<std::pair<u32, u32>> outside = {{97, 1000}};
    EXPECT_EQ(Compiled(v, &outside).result.section, 14u);

    v.unmatched = {97};
    const Compiled no_byte(v);
    EXPECT_EQ(no_byte.result.status, u32{CRAYON_MISSING_BYTE_TOKEN});
    EXPECT_EQ(no_byte.result.position, 97u);
    v.unmatched = {257, 256};
    EXPECT_EQ(Compiled(v).result.status, u32{CRAYON_INVALID_ARGUMENT});
}

}  // namespace
}  // namespace crayon::test::merge_order_test
