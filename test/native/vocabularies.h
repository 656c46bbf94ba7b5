// Generated vocabularies for tests: byte-level ranks grown by merging random tokens, compiled through crayon.h.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "crayon/crayon.h"
#include "generate_text.h"
#include "naive/added_matches.h"
#include "naive/bpe.h"

namespace crayon::test {

struct Vocabulary {
    std::vector<std::string> tokens;  // by id; empty: a hole
    naive::Ranks ranks;

    void add(const std::string& token) {
        if (!token.empty()) ranks.emplace(token, static_cast<std::uint32_t>(tokens.size()));
        tokens.push_back(token);
    }
};

// Whether merging makes the token from two parts of lower rank, or never makes it. This holds for trained vocabularies, and the
// compiler requires it.
inline bool merges_in_order(const std::string& token, naive::Ranks& ranks) {
    auto own = ranks.extract(token);  // copying all the others would take most of the time of many tests
    const std::vector<std::uint32_t> parts = naive::merge(token, ranks);
    const std::uint32_t rank = own.mapped();
    ranks.insert(std::move(own));
    return parts.size() != 2 || (parts[0] < rank && parts[1] < rank);
}

// Replaces the tokens that violate this by holes.
inline void keep_mergeable(Vocabulary& v) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t id = 256; id < v.tokens.size(); ++id) {
            std::string& token = v.tokens[id];
            if (token.empty() || merges_in_order(token, v.ranks)) continue;
            v.ranks.erase(token);
            token.clear();
            changed = true;
        }
    }
}

// The 256 bytes in a random order, then `merges` tokens, each joined from two earlier ones: mostly short ones over the
// `alphabet`, so that pieces over it merge deeply and ties are common. A few are joined from arbitrary bytes (most of which no
// merge can reach), and a few ids are holes.
inline Vocabulary random_vocabulary(Random& random, std::string_view alphabet, std::size_t merges, std::size_t longest = 40) {
    Vocabulary v;
    std::vector<std::string> bytes;
    for (int b = 0; b < 256; ++b) bytes.emplace_back(1, static_cast<char>(b));
    for (std::size_t i = bytes.size(); i > 1; --i) std::swap(bytes[i - 1], bytes[random.below(i)]);
    for (const std::string& byte : bytes) v.add(byte);
    std::vector<std::string> parts;
    for (char c : alphabet) parts.emplace_back(1, c);
    for (std::size_t tries = 0; tries < 20 * merges && v.tokens.size() < 256 + merges; ++tries) {
        if (random.one_in(97)) {
            v.add("");
            continue;
        }
        std::string token;
        if (random.one_in(12)) {
            for (std::size_t n = 2 + random.below(30); n > 0; --n) token += alphabet[random.below(alphabet.size())];
        } else {
            token = parts[random.below(parts.size())] + parts[random.below(parts.size())];
        }
        if (token.size() > longest || v.ranks.count(token)) continue;
        v.add(token);
        parts.push_back(token);
    }
    keep_mergeable(v);
    return v;
}

// A text of `count` characters, each a string of bytes: some are frequent, and parts are repeated.
inline std::vector<std::string> random_text(Random& random, const std::vector<std::string>& characters, std::size_t count) {
    std::vector<std::string> text;
    while (text.size() < count) {
        if (text.size() > 1 && random.one_in(6)) {
            const std::size_t begin = random.below(text.size());
            const std::size_t end = std::min({text.size(), begin + 1 + random.below(8), begin + count - text.size()});
            for (std::size_t i = begin; i < end; ++i) text.push_back(std::string(text[i]));
        } else {
            text.push_back(characters[random.below(random.below(characters.size()) + 1)]);
        }
    }
    return text;
}

inline std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
}

// The 256 bytes in a random order, then tokens that merging a text makes, as in training, but from random pairs. `inside`: the
// percentage that are first searched for inside UTF-8 characters; otherwise a pair that begins or ends inside a character is no
// rarer than any other.
inline Vocabulary grown_vocabulary(Random& random, const std::vector<std::string>& text, std::size_t merges,
                                   std::size_t inside = 0, std::size_t longest = 24) {
    Vocabulary v;
    std::vector<std::string> parts;
    for (int b = 0; b < 256; ++b) parts.emplace_back(1, static_cast<char>(b));
    for (std::size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[random.below(i)]);
    for (const std::string& byte : parts) v.add(byte);
    parts.clear();
    for (char byte : joined(text)) parts.emplace_back(1, byte);
    const auto continues = [](const std::string& part) { return (part[0] & 0xC0) == 0x80; };
    while (merges > 0 && parts.size() > 1) {
        --merges;
        if (random.one_in(50)) v.add("");
        std::size_t at = random.below(parts.size() - 1);
        if (random.below(100) < inside) {
            for (std::size_t tries = 0; tries < 200 && !continues(parts[at + 1]); ++tries) {
                at = random.below(parts.size() - 1);
            }
        }
        const std::string left = parts[at], right = parts[at + 1];
        if (left.size() + right.size() > longest) continue;
        v.add(left + right);
        std::vector<std::string> merged;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i + 1 < parts.size() && parts[i] == left && parts[i + 1] == right) {
                merged.push_back(left + right);
                ++i;
            } else {
                merged.push_back(parts[i]);
            }
        }
        parts = std::move(merged);
    }
    return v;
}

struct AddedToken {
    std::string bytes;
    std::uint32_t id;
    std::uint32_t flags = CRAYON_ADDED_SPECIAL;
};

// How a view makes pieces of a text. `pattern`: the section, for the pretokenizer "pattern"; `program`: for the normalizer 2.
struct ViewForm {
    std::string_view pretokenizer;
    std::vector<AddedToken> added = {};
    std::uint32_t normalizer = 0;
    std::vector<std::uint8_t> pattern = {}, program = {};
};

// Adds one view, named "test", to a compiler that has its model; the cartridge. Releases the compiler.
inline std::string compile_view(crayon_compiler* compiler, const ViewForm& view) {
    crayon_result result;
    EXPECT_EQ(crayon_compiler_add_view(compiler, "test", 4, view.pretokenizer.data(),
                                       static_cast<std::uint32_t>(view.pretokenizer.size()), &result),
              CRAYON_OK);
    EXPECT_EQ(crayon_compiler_set_normalizer(compiler, view.normalizer, &result), CRAYON_OK);
    if (!view.pattern.empty()) {
        EXPECT_EQ(
            crayon_compiler_set_pattern(compiler, view.pattern.data(), static_cast<std::uint32_t>(view.pattern.size()), &result),
            CRAYON_OK);
    }
    if (!view.program.empty()) {
        EXPECT_EQ(crayon_compiler_set_normalizer_program(compiler, view.program.data(),
                                                         static_cast<std::uint32_t>(view.program.size()), &result),
                  CRAYON_OK);
    }
    for (const AddedToken& token : view.added) {
        EXPECT_EQ(crayon_compiler_add_token(compiler, reinterpret_cast<const std::uint8_t*>(token.bytes.data()),
                                            static_cast<std::uint32_t>(token.bytes.size()), token.id, token.flags, &result),
                  CRAYON_OK);
    }
    const std::uint8_t* file = nullptr;
    EXPECT_EQ(crayon_compiler_finish(compiler, &file, &result), CRAYON_OK) << crayon_status_name(result.status);
    std::string copy(reinterpret_cast<const char*>(file), result.count);
    crayon_compiler_release(compiler);
    return copy;
}

// The cartridge of a vocabulary with one view.
inline std::string compile(const Vocabulary& vocabulary, const ViewForm& view) {
    crayon_result result;
    crayon_compiler* compiler = nullptr;
    EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    std::string bytes;
    std::vector<std::uint32_t> offsets = {0};
    for (const std::string& token : vocabulary.tokens) {
        bytes += token;
        offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
    }
    EXPECT_EQ(crayon_compiler_set_bpe(compiler, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                      static_cast<std::uint32_t>(bytes.size()), offsets.data(),
                                      static_cast<std::uint32_t>(vocabulary.tokens.size()), &result),
              CRAYON_OK)
        << crayon_status_name(result.status) << " at " << result.position;
    EXPECT_EQ(crayon_compiler_set_metadata(compiler, "{}", 2, &result), CRAYON_OK);
    return compile_view(compiler, view);
}
inline std::string compile(const Vocabulary& vocabulary, std::string_view pretokenizer, const std::vector<AddedToken>& added = {},
                           std::uint32_t normalizer = 0, const std::vector<std::uint8_t>& pattern = {}) {
    return compile(vocabulary, {pretokenizer, added, normalizer, pattern});
}

// An open tokenizer with its own encoder.
class Tokenizing {
public:
    explicit Tokenizing(const std::string& cartridge, std::string_view kernel = {}) {
        crayon_result result;
        EXPECT_EQ(
            crayon_cartridge_open_bytes(cartridge.data(), static_cast<std::uint32_t>(cartridge.size()), 0, &cartridge_, &result),
            CRAYON_OK)
            << crayon_status_name(result.status) << " section " << result.section << " at " << result.position;
        EXPECT_EQ(crayon_tokenizer_create(cartridge_, 0, kernel.data(), static_cast<std::uint32_t>(kernel.size()), &tokenizer_,
                                          &result),
                  CRAYON_OK);
        EXPECT_EQ(crayon_encoder_create(tokenizer_, &encoder_, &result), CRAYON_OK);
    }
    ~Tokenizing() {
        crayon_encoder_release(encoder_);
        crayon_tokenizer_release(tokenizer_);
        crayon_cartridge_release(cartridge_);
    }
    Tokenizing(const Tokenizing&) = delete;
    Tokenizing& operator=(const Tokenizing&) = delete;

    crayon_tokenizer* tokenizer() { return tokenizer_; }
    crayon_encoder* encoder() { return encoder_; }

    // Reads all available ids, `step` at a time, and appends them to `ids`.
    crayon_status read(std::vector<std::uint32_t>& ids, std::uint32_t step, crayon_result& result) {
        std::vector<std::uint32_t> some(step);
        do {
            if (crayon_encoder_read(encoder_, some.data(), step, &result) != CRAYON_OK) return result.status;
            ids.insert(ids.end(), some.begin(), some.begin() + result.count);
        } while (result.more);
        return CRAYON_OK;
    }
    // The whole text at once.
    std::vector<std::uint32_t> encode(std::string_view text, std::uint32_t special = CRAYON_SPECIAL_AS_TEXT) {
        std::vector<std::uint32_t> ids;
        crayon_result result;
        EXPECT_EQ(crayon_encoder_begin(encoder_, special, nullptr, 0, &result), CRAYON_OK);
        EXPECT_EQ(crayon_encoder_feed_utf8(encoder_, reinterpret_cast<const std::uint8_t*>(text.data()),
                                           static_cast<std::uint32_t>(text.size()), 1, &result),
                  CRAYON_OK);
        EXPECT_EQ(read(ids, 4096, result), CRAYON_OK);
        return ids;
    }
    std::string decode(const std::vector<std::uint32_t>& ids, std::uint32_t flags = 0) {
        crayon_result result;
        EXPECT_EQ(crayon_decode_length(tokenizer_, ids.data(), static_cast<std::uint32_t>(ids.size()), flags, &result),
                  CRAYON_OK);
        std::string bytes(result.count, '\0');
        EXPECT_EQ(crayon_decode(tokenizer_, ids.data(), static_cast<std::uint32_t>(ids.size()), flags,
                                reinterpret_cast<std::uint8_t*>(bytes.data()), static_cast<std::uint32_t>(bytes.size()), &result),
                  CRAYON_OK);
        return bytes;
    }

private:
    crayon_cartridge* cartridge_ = nullptr;
    crayon_tokenizer* tokenizer_ = nullptr;
    crayon_encoder* encoder_ = nullptr;
};

}  // namespace crayon::test
