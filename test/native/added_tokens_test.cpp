// Added tokens in a text, compared with a search that tries every token at every position.
#include "scan/added_search.h"

#include "generate_text.h"
#include "share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace crayon::test::added_tokens_test {
namespace {

using Ranges = std::vector<std::pair<u64, u64>>;

bool is_within(const Ranges& ranges, u64 begin, u64 end) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const auto& range) { return range.first <= begin && end <= range.second; });
}

struct Tokens {
    std::vector<layout::AddedToken> rows;
    std::string strings;
    std::vector<u32> sorted;
    std::vector<AddedUse> uses;
    Ranges allowed;  // for control tokens
    AddedTokens index;

    std::string bytes(u32 row) const { return strings.substr(rows[row].bytes_offset, rows[row].length); }
    void add(const std::string& token, AddedUse use) {
        for (u32 row = 0; row < rows.size(); ++row) {
            if (bytes(row) == token) return;
        }
        rows.push_back({static_cast<u32>(strings.size()), static_cast<u32>(token.size()), static_cast<u32>(rows.size()), 0});
        strings += token;
        uses.push_back(use);
    }
    void build() {
        for (u32 row = 0; row < rows.size(); ++row) sorted.push_back(row);
        std::sort(sorted.begin(), sorted.end(), [&](u32 a, u32 b) { return bytes(a) < bytes(b); });
        TokenizerView view;
        view.added = rows;
        view.sorted = sorted;
        view.added_strings = strings.data();
        index.set(view);
    }
    static bool allows(const void* tokens, u64 begin, u64 end) {
        return is_within(static_cast<const Tokens*>(tokens)->allowed, begin, end);
    }
    void use(AddedSearch* search) const { search->set(index, uses.data(), {allows, this}); }
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
            if (length <= longest || text.compare(at, length, tokens.strings, offset, length) != 0) continue;
            if (tokens.uses[i] == AddedUse::kNever) continue;
            if (tokens.uses[i] == AddedUse::kControl && !is_within(tokens.allowed, at, at + length)) continue;
            longest = length;
            found = i;
        }
        if (longest) hits.push_back({at, found});
        at += longest ? longest : 1;
    }
    return hits;
}

// The text arrives in windows; before the last one, a result that depends on more text waits. Searched text may be dropped.
std::vector<Hit> hits_in_windows(const Tokens& tokens, AddedSearch& search, const std::string& text, Random& random,
                                 std::size_t longest_window) {
    std::vector<Hit> hits;
    std::size_t from = 0, origin = 0;
    search.restart();
    for (std::size_t size = 0;;) {
        size = std::min(text.size(), size + random.below(longest_window + 1));
        const bool last = size == text.size();
        // Nothing after the window is read: a search beyond it would find tokens that a copy of the window does not contain.
        const std::string window = text.substr(origin, size - origin);
        for (;;) {
            const AddedSearch::Found found =
                search.find({reinterpret_cast<const u8*>(window.data()), origin, from - origin, size - origin, last});
            EXPECT_GE(origin + found.position, from);
            from = origin + found.position;
            if (!found.token) break;
            hits.push_back({from, found.token->id});
            from += found.token->length;
        }
        // No more text waits than twice the longest token.
        EXPECT_LT(size - from, 2 * std::size_t{tokens.index.longest()});
        if (last) return hits;
        if (random.one_in(3)) origin = from;
    }
}

AddedUse random_use(Random& random, bool has_control) {
    if (random.one_in(4)) return AddedUse::kNever;
    return has_control && random.one_in(2) ? AddedUse::kControl : AddedUse::kAlways;
}

TEST(AddedTokensTest, AreTheLeftmostAndLongest) {
    for (u64 seed = 1; seed <= sample(200, 8); ++seed) {
        Random random(seed);
        const std::string_view alphabet = std::string_view("ab<|").substr(0, 1 + random.below(4));
        const auto letters = [&](std::size_t length) {
            std::string text;
            while (text.size() < length)
                text.append(random.one_in(6) ? 1 + random.below(12) : 1, alphabet[random.below(alphabet.size())]);
            return text.substr(0, length);
        };
        Tokens tokens;
        const std::size_t longest = random.one_in(4) ? 60 : 6;
        const bool has_control = random.one_in(2);
        for (std::size_t n = 1 + random.below(30); n > 0; --n) {
            const bool extends = !tokens.rows.empty() && random.one_in(2);
            tokens.add(
                (extends ? tokens.bytes(static_cast<u32>(tokens.rows.size()) - 1) : "") + letters(1 + random.below(longest)),
                random_use(random, has_control));
        }
        tokens.build();
        AddedSearch search;
        tokens.use(&search);
        // Long enough for the automaton, which the first text may build.
        for (std::size_t length : {400, 30'000, 400}) {
            std::string text;
            tokens.allowed.clear();
            while (text.size() < length) {
                const std::string token = tokens.bytes(static_cast<u32>(random.below(tokens.rows.size())));
                text += random.one_in(2) ? token : token.substr(0, random.below(token.size())) + letters(random.below(4));
                const u64 begin = tokens.allowed.empty() ? 0 : tokens.allowed.back().second + 1 + random.below(8);
                if (begin < text.size() && random.one_in(2))
                    tokens.allowed.push_back({begin, text.size() - random.below(text.size() - begin)});
            }
            const std::vector<Hit> expected = naive_hits(tokens, text);
            for (const std::size_t window : {100'000, 600, 40}) {
                ASSERT_EQ(hits_in_windows(tokens, search, text, random, window), expected)
                    << "seed " << seed << ", windows of " << window;
            }
        }
    }
}

// Any subset of nested tokens, in ranges that end anywhere inside them.
TEST(AddedTokensTest, NestedControlTokens) {
    for (u64 seed = 1; seed <= sample(20, 4); ++seed) {
        Random random(seed);
        Tokens tokens;
        for (std::size_t length = 1; length <= 120; ++length) {
            const std::string nested(length, 'a');
            tokens.add(nested, random_use(random, true));
            tokens.add(nested + "b", random_use(random, true));
        }
        tokens.build();
        AddedSearch search;
        tokens.use(&search);
        const std::string text = std::string(40'000, 'a') + "b" + std::string(500, 'a');
        for (u64 at = 0; at < text.size(); at += 1 + random.below(300)) {
            const u64 begin = at;
            at += random.below(200);
            tokens.allowed.push_back({begin, at});
        }
        const std::vector<Hit> expected = naive_hits(tokens, text);
        for (const std::size_t window : {100'000, 5000, 100}) {
            ASSERT_EQ(hits_in_windows(tokens, search, text, random, window), expected)
                << "seed " << seed << ", windows of " << window;
        }
    }
}

// CPU nanoseconds per byte for a text of `a`, in windows.
double time_of(const Tokens& tokens, std::size_t size, std::size_t window) {
    AddedSearch search;
    tokens.use(&search);
    Random random(1);
    double best = 1e9;
    for (int turn = 0; turn < 3; ++turn) {  // the first round builds the automaton
        const std::string text(size, 'a');
        const std::clock_t start = std::clock();
        std::size_t from = 0;
        search.restart();
        for (std::size_t known = std::min(window, size);; known = std::min(known + window, size)) {
            for (;;) {
                const AddedSearch::Found found =
                    search.find({reinterpret_cast<const u8*>(text.data()), 0, from, known, known == size});
                from = found.position;
                if (!found.token) break;
                from += found.token->length;
            }
            if (known == size) break;
        }
        best = std::min(best, 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(size));
    }
    return best;
}

// However long the nearly matching tokens are, and whether a short one matches before each of them fails.
TEST(AddedTokensTest, TakeLinearTimeInTextsOfTheirPrefixes) {
    for (const bool has_short : {false, true}) {
        for (const bool all_lengths : {false, true}) {
            double times[2];
            for (const std::size_t length : {30, 1000}) {
                Tokens tokens;
                if (has_short) tokens.add("a", AddedUse::kAlways);
                for (std::size_t n = all_lengths ? 1 : length; n <= length; ++n)
                    tokens.add(std::string(n, 'a') + "b", AddedUse::kAlways);
                tokens.build();
                times[length > 30] = time_of(tokens, 200'000, 64 * 1024);
                EXPECT_LT(time_of(tokens, 20'000, 7), 10'000);  // fed a few bytes at a time
            }
            // 30 times longer, or 30 times more tokens: without an automaton at least 30 times the time.
            EXPECT_LT(times[1], 6 * times[0] + 20) << has_short << all_lengths;
        }
    }
}

// Tokens of the greatest length that differ only at their ends, in a text of their common prefix.
TEST(AddedTokensTest, OfTheGreatestLength) {
    Tokens tokens;
    const std::string most(layout::kMaxAddedTokenLength - 1, 'a');
    for (const char last : {'b', 'c', 'd'}) tokens.add(most + last, AddedUse::kAlways);
    tokens.add(most.substr(0, 500) + 'x', AddedUse::kAlways);
    tokens.build();
    AddedSearch search;
    tokens.use(&search);
    Random random(1);
    std::string text = std::string(3000, 'a') + "c" + std::string(700, 'a') + "xx" + most.substr(1) + "b" + most + "d";
    const std::vector<Hit> expected = naive_hits(tokens, text);
    ASSERT_EQ(expected.size(), 3u);
    EXPECT_EQ(hits_in_windows(tokens, search, text, random, 10000), expected);
    EXPECT_EQ(hits_in_windows(tokens, search, text, random, 100), expected);
}

}  // namespace
}  // namespace crayon::test::added_tokens_test
