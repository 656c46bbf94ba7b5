// Tokenizers and texts for the tests of parallel encoding, and a single encoder's results for them.
#pragma once

#include "limits/splitter.h"
#include "longest_match_vocabularies.h"
#include "parallel/encode_job.h"
#include "vocabularies.h"

namespace crayon::test {

struct Policy {
    std::uint32_t special = CRAYON_SPECIAL_AS_TEXT;
    std::vector<std::uint32_t> allowed;
};

// The ids of the rows, or the first failure.
struct Encoded {
    std::vector<std::uint32_t> ids;
    std::vector<std::uint32_t> offsets = {0};
    std::uint32_t status = CRAYON_OK;
    std::uint64_t position = 0, row = 0;

    bool operator==(const Encoded& other) const {
        if (status != other.status) return false;
        if (status != CRAYON_OK) return position == other.position && row == other.row;
        return ids == other.ids && offsets == other.offsets;
    }
};

inline const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }
inline Tokenizer& tokenizer_of(Tokenizing& tokenizing) { return *reinterpret_cast<Tokenizer*>(tokenizing.tokenizer()); }

// Row after row with one encoder, in one window each.
inline Encoded encode_alone(crayon_encoder* encoder, const std::vector<std::string>& rows, const Policy& policy) {
    Encoded encoded;
    crayon_result result;
    std::vector<std::uint32_t> some(1 << 12);
    for (const std::string& row : rows) {
        EXPECT_EQ(crayon_encoder_begin(encoder, policy.special, policy.allowed.data(),
                                       static_cast<std::uint32_t>(policy.allowed.size()), &result),
                  CRAYON_OK);
        crayon_encoder_feed_utf8(encoder, bytes_of(row), static_cast<std::uint32_t>(row.size()), 1, &result);
        do {
            if (crayon_encoder_read(encoder, some.data(), 1 << 12, &result) != CRAYON_OK) {
                encoded.status = result.status;
                encoded.position = result.position;
                return encoded;
            }
            encoded.ids.insert(encoded.ids.end(), some.begin(), some.begin() + result.count);
        } while (result.more);
        encoded.offsets.push_back(static_cast<std::uint32_t>(encoded.ids.size()));
        ++encoded.row;
    }
    return encoded;
}

// The result of a finished job. Copies its ids, unless it only counted them.
inline Encoded result_of(crayon_job* job, bool counts) {
    Encoded encoded;
    crayon_result result;
    if (crayon_job_result(job, &result) != CRAYON_OK) {
        encoded.status = result.status;
        encoded.position = result.position;
        encoded.row = result.count;
        return encoded;
    }
    encoded.offsets.resize(crayon_job_row_count(job) + 1);
    EXPECT_EQ(crayon_job_row_offsets(job, encoded.offsets.data(), &result), CRAYON_OK);
    EXPECT_EQ(encoded.offsets.back(), crayon_job_token_count(job));
    encoded.ids.resize(encoded.offsets.back());
    if (!counts) {
        EXPECT_EQ(crayon_job_copy(job, encoded.ids.data(), &result), CRAYON_OK);
    }
    return encoded;
}

// A tokenizer of each kind: named by its pretokenizer, and by its model.
struct TokenizerKind {
    std::string_view pretokenizer;
    bool is_bpe;
};
inline constexpr TokenizerKind kTokenizerKinds[] = {{"gpt2", true},   {"cl100k", true},   {"o200k", true},   {"qwen2", true},
                                                    {"none", true},   {"none", false},    {"cl100k", false}, {"o200k", false},
                                                    {"tekken", true}, {"deepseek3", true}};

// Small alphabets that exercise the patterns, one drawn per text.
inline std::string nasty_text(Random& random, std::size_t length, const std::vector<AddedToken>& added) {
    static constexpr std::string_view kAll[] = {"a",      "B",      "s",      "t",      "re",   " ",    " ",        "\t",
                                                "\n",     "\r",     "'",      "/",      ".",    "1",    "\u0966",   "\u4E2D",
                                                "\u0301", "\u00A0", "\u3000", "\xE4",   "\xB8", "\xFF", "\xF0\x9F", "a",
                                                "ab",     "!",      "\u3042", "\u30FB", "\x01"};
    static constexpr std::size_t kCount = sizeof(kAll) / sizeof(*kAll);
    if (random.one_in(3)) return TextGenerator(random.next()).utf8().substr(0, 2 * length);
    std::string_view alphabet[6];
    for (std::string_view& part : alphabet) part = kAll[random.below(kCount)];
    const std::size_t kinds = 1 + random.below(6);
    std::string text;
    while (text.size() < length) {
        if (!added.empty() && random.one_in(8)) {
            const std::string& token = added[random.below(added.size())].bytes;
            // Whole, or only its beginning or end.
            const std::size_t from = random.one_in(3) ? random.below(token.size()) : 0;
            text += token.substr(from, random.one_in(3) ? random.below(token.size()) : token.size());
        }
        text += alphabet[random.below(kinds)];
    }
    return text;
}

// Overlapping tokens of ordinary characters; some are not special.
inline std::vector<AddedToken> random_added(Random& random, std::uint32_t first_id) {
    static constexpr std::string_view kTokens[] = {"aba", "ab", "a b",  " a",     "  ",   "\n\n", "a\na",
                                                   "s's", "1",  "!!a!", "\u4E2D", "aaaa", "'s"};
    std::vector<AddedToken> added;
    for (std::string_view token : kTokens) {
        if (!random.one_in(4)) continue;
        added.push_back({std::string(token), first_id++, random.one_in(2) ? std::uint32_t{CRAYON_ADDED_SPECIAL} : 0});
    }
    return added;
}

// Some of them include the whitespace around them.
inline void strip(Random& random, std::vector<AddedToken>& added) {
    bool begins_with_space = false;
    for (const AddedToken& token : added) begins_with_space = begins_with_space || token.bytes[0] <= ' ';
    for (AddedToken& token : added) {
        if (random.one_in(3)) token.flags |= CRAYON_ADDED_LSTRIP;
        if (!begins_with_space && random.one_in(3)) token.flags |= CRAYON_ADDED_RSTRIP;
    }
}

// Some of them are found only in the text that the others leave.
inline void find_late(Random& random, std::vector<AddedToken>& added) {
    for (AddedToken& token : added) {
        const bool strips = (token.flags & (CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP)) != 0;
        if (!strips && random.one_in(3)) token.flags |= CRAYON_ADDED_NORMALIZED;
    }
}

inline Policy random_policy(Random& random, const std::vector<AddedToken>& added) {
    Policy policy{static_cast<std::uint32_t>(random.below(4)), {}};
    if (policy.special == CRAYON_SPECIAL_LISTED) {
        for (const AddedToken& token : added) {
            if (random.one_in(2)) policy.allowed.push_back(token.id);
        }
    }
    return policy;
}

struct RandomTokenizer {
    std::vector<AddedToken> added;
    std::string cartridge;

    RandomTokenizer(Random& random, const TokenizerKind& kind) {
        if (kind.is_bpe) {
            const Vocabulary vocabulary = random_vocabulary(random, "aBst \n'1.", 60);
            if (random.one_in(2)) added = random_added(random, static_cast<std::uint32_t>(vocabulary.tokens.size()));
            if (random.one_in(2)) strip(random, added);
            if (random.one_in(2)) find_late(random, added);
            cartridge = compile(vocabulary, kind.pretokenizer, added);
        } else {
            MatchVocabulary vocabulary = random_matches(random, random.one_in(2));
            if (random.one_in(2)) {
                for (int byte = 0; byte < 256; ++byte) vocabulary.tokens.emplace_back(1, static_cast<char>(byte));
                naive::Matches seen;
                for (std::string& token : vocabulary.tokens) {
                    if (!token.empty() && !seen.emplace(token, 0).second) token.clear();
                }
            }
            if (random.one_in(2)) added = random_added(random, static_cast<std::uint32_t>(vocabulary.tokens.size()));
            cartridge = compile_matches(vocabulary, Form::kFull, kind.pretokenizer, added);
        }
    }
};

}  // namespace crayon::test
