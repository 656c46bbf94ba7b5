// Generated longest-match vocabularies for tests, and their files: cartridges through crayon.h, version 2 with the simplest
// packing.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "crayon/crayon.h"
#include "handmade_cartridge.h"
#include "naive/longest_match.h"
#include "vocabularies.h"

namespace crayon::test {

inline constexpr std::uint32_t kNoUnknown = 0xFFFFFFFF;

struct MatchVocabulary {
    std::vector<std::string> tokens;     // by id; empty: a hole
    std::uint32_t unknown = kNoUnknown;  // an id, perhaps with CRAYON_UNKNOWN_BYTES

    naive::Matches matches() const {
        naive::Matches ids;
        for (std::size_t id = 0; id < tokens.size(); ++id) {
            if (!tokens[id].empty()) ids.emplace(tokens[id], static_cast<std::uint32_t>(id));
        }
        return ids;
    }
};

// A list of tokens in the format of crayon.h.
struct TokenArrays {
    std::string bytes;
    std::vector<std::uint32_t> offsets = {0};

    explicit TokenArrays(const std::vector<std::string>& tokens) {
        for (const std::string& token : tokens) {
            bytes += token;
            offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
        }
    }
    const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(bytes.size()); }
    std::uint32_t count() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
};

enum class Form { kFull, kSlim, kDat };

// Compiles it, with one view.
inline std::string compile_matches(const MatchVocabulary& vocabulary, Form form, std::string_view pretokenizer = "none",
                                   const std::vector<AddedToken>& added = {}) {
    crayon_result result;
    crayon_compiler* compiler = nullptr;
    EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    const TokenArrays list(vocabulary.tokens);
    EXPECT_EQ(crayon_compiler_set_longest_match(compiler, list.data(), list.size(), list.offsets.data(), list.count(),
                                                vocabulary.unknown, &result),
              CRAYON_OK)
        << crayon_status_name(result.status) << " at " << result.position;
    EXPECT_EQ(crayon_compiler_add_view(compiler, "test", 4, pretokenizer.data(), static_cast<std::uint32_t>(pretokenizer.size()),
                                       &result),
              CRAYON_OK);
    for (const AddedToken& token : added) {
        EXPECT_EQ(crayon_compiler_add_token(compiler, reinterpret_cast<const std::uint8_t*>(token.bytes.data()),
                                            static_cast<std::uint32_t>(token.bytes.size()), token.id, token.flags, &result),
                  CRAYON_OK);
    }
    const std::uint8_t* file = nullptr;
    const auto finish = form == Form::kFull   ? crayon_compiler_finish
                        : form == Form::kSlim ? crayon_compiler_finish_slim
                                              : crayon_compiler_finish_dat;
    EXPECT_EQ(finish(compiler, &file, &result), CRAYON_OK) << crayon_status_name(result.status);
    std::string copy(reinterpret_cast<const char*>(file), result.count);
    crayon_compiler_release(compiler);
    return copy;
}

// Version 2, each node at the first index where it fits. Writers fill unused states differently.
enum class DatWriter { kRootIsMinusOne, kRootIsZero };

inline std::string naive_dat(const std::vector<std::string>& tokens, DatWriter writer) {
    struct Node {
        std::map<std::uint8_t, std::size_t> children;
        std::int32_t value = -1;
    };
    std::vector<Node> nodes(1);
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        if (tokens[id].empty()) continue;
        std::size_t at = 0;
        for (char byte : tokens[id]) {
            const auto [child, is_new] = nodes[at].children.try_emplace(static_cast<std::uint8_t>(byte), nodes.size());
            const std::size_t next = child->second;
            if (is_new) nodes.emplace_back();
            at = next;
        }
        nodes[at].value = static_cast<std::int32_t>(id);
    }
    const bool is_minus_one = writer == DatWriter::kRootIsMinusOne;
    std::vector<std::int32_t> base = {1}, check = {is_minus_one ? -1 : 0}, values = {-1};
    std::vector<bool> used = {true};
    const auto is_used = [&](std::size_t at) { return at < used.size() && used[at]; };
    std::size_t first_free = 1;
    std::vector<std::pair<std::size_t, std::size_t>> open = {{0, 0}};  // node, state
    for (std::size_t i = 0; i < open.size(); ++i) {
        const auto [node, state] = open[i];
        if (nodes[node].children.empty()) continue;
        while (is_used(first_free)) ++first_free;
        const std::size_t least = nodes[node].children.begin()->first;
        std::size_t b = first_free > least ? first_free - least : 1;
        for (bool fits = false; !fits; b += !fits) {
            fits = true;
            for (const auto& [byte, child] : nodes[node].children) fits = fits && !is_used(b + byte);
        }
        base[state] = static_cast<std::int32_t>(b);
        for (const auto& [byte, child] : nodes[node].children) {
            const std::size_t at = b + byte;
            while (base.size() <= at) {
                base.push_back(is_minus_one ? 0 : 1);
                check.push_back(-1);
                values.push_back(-1);
                used.push_back(false);
            }
            used[at] = true;
            check[at] = static_cast<std::int32_t>(state);
            values[at] = nodes[child].value;
            open.push_back({child, at});
        }
    }
    std::string file("CRAY\2\0\0\0", 8);
    const std::uint32_t count = static_cast<std::uint32_t>(base.size());
    file.append(reinterpret_cast<const char*>(&count), 4);
    for (const auto* words : {&base, &check, &values}) file.append(reinterpret_cast<const char*>(words->data()), 4 * count);
    return file;
}

inline crayon_cartridge* open_dat(std::string_view file, const std::vector<std::string>& tokens, std::uint32_t unknown,
                                  crayon_result* result) {
    const TokenArrays list(tokens);
    crayon_cartridge* cartridge = nullptr;
    crayon_cartridge_open_dat_bytes(file.data(), static_cast<std::uint32_t>(file.size()), 0, list.data(), list.size(),
                                    list.offsets.data(), list.count(), unknown, &cartridge, result);
    return cartridge;
}

// Tokens over a few letters, so that they overlap in every way, or of arbitrary bytes, or of UTF-8 characters. Often single
// letters are missing, and a few ids are holes. With `has_unknown`, a token "?" is the unknown token.
inline MatchVocabulary random_matches(Random& random, bool has_unknown, bool may_be_bytes = true) {
    MatchVocabulary v;
    std::vector<std::string> parts;
    switch (random.below(4)) {
        case 0:
            parts = {"a", "b"};
            break;
        case 1:
            parts = {"a", "b", " ", "\n", std::string(1, '\0'), "\x80", "\xFF", "\xE4\xB8"};
            break;
        case 2:
            for (char32_t c : TextGenerator(random.next()).characters().substr(0, 40)) {
                parts.push_back(naive::encode_utf8(std::u32string(1, c)));
            }
            parts.push_back("x");
            break;
        default:
            for (int byte = 0; byte < 256; ++byte) parts.emplace_back(1, static_cast<char>(byte));
            break;
    }
    const bool has_all = random.one_in(2);
    naive::Matches seen;
    const auto add = [&](const std::string& token) {
        if (seen.emplace(token, 0).second) v.tokens.push_back(token);
    };
    if (has_unknown) {
        v.unknown = static_cast<std::uint32_t>(random.below(3));
        v.tokens.resize(v.unknown);
        add("?");
        if (may_be_bytes && random.one_in(2)) v.unknown |= CRAYON_UNKNOWN_BYTES;
    }
    if (has_all) {
        for (const std::string& part : parts) add(part);
    }
    for (std::size_t count = random.below(200) + 1; count > 0; --count) {
        if (random.one_in(30)) v.tokens.emplace_back();
        std::string token;
        const std::size_t most = random.one_in(10) ? 300 : 6;
        for (std::size_t n = 1 + random.below(most); n > 0; --n) token += parts[random.below(parts.size())];
        add(token);
    }
    return v;
}

// A text of the tokens, their prefixes and suffixes, and other strings.
inline std::string random_match_text(Random& random, const MatchVocabulary& v, std::size_t parts) {
    std::string text;
    for (std::size_t n = random.below(parts); n > 0; --n) {
        const std::string& token = v.tokens[random.below(v.tokens.size())];
        switch (random.below(8)) {
            case 0:
                text += token.substr(0, random.below(token.size() + 1));
                break;
            case 1:
                text += token.substr(random.below(token.size() + 1));
                break;
            case 2:
                text += naive::encode_utf8(TextGenerator(random.next()).characters().substr(0, random.below(20)));
                break;
            case 3:
                text += static_cast<char>(random.below(256));
                break;
            default:
                text += token;
        }
    }
    return text;
}

}  // namespace crayon::test
