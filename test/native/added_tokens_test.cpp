// Added tokens in a text against a search that tries every token at every place.
#include "scan/added_tokens.h"

#include "generate_text.h"
#include "share.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace crayon::test {
namespace {

struct Tokens {
    std::vector<layout::AddedToken> rows;
    std::string strings;
    std::vector<u8> wanted;
    AddedTokens search;

    void add(const std::string& token, bool is_wanted) {
        for (const layout::AddedToken& row : rows) {
            if (strings.compare(row.bytes_offset, row.length, token) == 0) return;
        }
        rows.push_back({static_cast<u32>(strings.size()), static_cast<u32>(token.size()), static_cast<u32>(rows.size()), 0});
        strings += token;
        wanted.push_back(is_wanted);
    }
    void build() {
        TokenizerView view;
        view.added = rows;
        view.added_strings = strings.data();
        ASSERT_TRUE(search.build(view).ok());
    }
};

struct Hit {
    std::size_t position;
    u32 row;

    bool operator==(const Hit&) const = default;
};

std::vector<Hit> naive_hits(const Tokens& tokens, const std::string& text) {
    std::vector<Hit> hits;
    for (std::size_t at = 0; at < text.size();) {
        u32 longest = 0, found = ~0u;
        for (u32 i = 0; i < tokens.rows.size(); ++i) {
            const auto& [offset, length, id, flags] = tokens.rows[i];
            if (!tokens.wanted[i] || length <= longest || text.compare(at, length, tokens.strings, offset, length) != 0) continue;
            longest = length;
            found = i;
        }
        if (longest) hits.push_back({at, found});
        at += longest ? longest : 1;
    }
    return hits;
}

// The text becomes known in windows; before the last of them, what depends on more text waits.
std::vector<Hit> hits_in_windows(const Tokens& tokens, const std::string& text, Random& random, std::size_t longest_window) {
    std::vector<Hit> hits;
    std::size_t from = 0;
    for (std::size_t size = 0;;) {
        size = std::min(text.size(), size + random.below(longest_window + 1));
        const bool last = size == text.size();
        for (;;) {
            // Nothing after the window is read: a search beyond it would find what is not in a copy of it.
            const std::string window = text.substr(0, size);
            const AddedTokens::Found found =
                tokens.search.find(reinterpret_cast<const u8*>(window.data()), from, size, last, tokens.wanted.data());
            EXPECT_GE(found.position, from);
            from = found.position;
            if (!found.token) break;
            hits.push_back({from, found.token->id});
            from += found.token->length;
        }
        // No more waits than the longest token has bytes.
        EXPECT_LT(size - from, u32{layout::kMaxAddedTokenLength});
        if (last) return hits;
    }
}

TEST(AddedTokensTest, AreTheLeftmostAndLongest) {
    for (u64 seed = 1; seed <= sample(200, 20); ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("ab<|").substr(0, 1 + random.below(4));
        const auto letters = [&](std::size_t length) {
            std::string text;
            while (text.size() < length) text.append(random.one_in(6) ? 1 + random.below(12) : 1, alphabet[random.below(alphabet.size())]);
            return text.substr(0, length);
        };
        Tokens tokens;
        const std::size_t longest = random.one_in(4) ? 60 : 6;
        for (std::size_t n = 1 + random.below(30); n > 0; --n) {
            const bool extends = !tokens.rows.empty() && random.one_in(2);
            tokens.add((extends ? tokens.strings.substr(tokens.rows.back().bytes_offset, tokens.rows.back().length) : "") +
                           letters(1 + random.below(longest)),
                       !random.one_in(4));
        }
        tokens.build();
        std::string text;
        while (text.size() < 400) {
            const layout::AddedToken& row = tokens.rows[random.below(tokens.rows.size())];
            const std::string token = tokens.strings.substr(row.bytes_offset, row.length);
            text += random.one_in(2) ? token : token.substr(0, random.below(token.size())) + letters(random.below(4));
        }
        const std::vector<Hit> expected = naive_hits(tokens, text);
        for (const std::size_t window : {1000, 40, 3}) {
            ASSERT_EQ(hits_in_windows(tokens, text, random, window), expected) << "seed " << seed << ", windows of " << window;
        }
    }
}

// Tokens as long as they may be that differ at their ends, in a text of what they have in common.
TEST(AddedTokensTest, OfTheGreatestLength) {
    Tokens tokens;
    const std::string most(layout::kMaxAddedTokenLength - 1, 'a');
    for (const char last : {'b', 'c', 'd'}) tokens.add(most + last, true);
    tokens.add(most.substr(0, 500) + 'x', true);
    tokens.build();
    Random random(1);
    std::string text = std::string(3000, 'a') + "c" + std::string(700, 'a') + "xx" + most.substr(1) + "b" + most + "d";
    const std::vector<Hit> expected = naive_hits(tokens, text);
    ASSERT_EQ(expected.size(), 3u);
    EXPECT_EQ(hits_in_windows(tokens, text, random, 10000), expected);
    EXPECT_EQ(hits_in_windows(tokens, text, random, 100), expected);
}

}  // namespace
}  // namespace crayon::test
