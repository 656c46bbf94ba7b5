#include "structure/originals.h"

#include <cstdlib>
#include <map>

#include "crayon/layout/pattern.h"
#include "handmade_longest_match.h"
#include "longest_match_vocabularies.h"
#include "pattern_sections.h"
#include "vocabularies.h"

namespace crayon::test {

namespace {

// Merges over parts of characters, of runs and of words, and tokens of every class of length.
Vocabulary bpe_vocabulary() {
    Random random(29);
    Vocabulary v = random_vocabulary(random, "aab e\n\xC3\xA9\xE4\xB8\xAD", 150, 60);
    v.add("");
    // Compilers draw the random ones in different orders.
    for (const char* token : {"aaaa", "aaaaaaaa", "ba", "the token of more than twenty-four bytes"}) {
        if (v.ranks.count(token) == 0) v.add(token);
    }
    keep_mergeable(v);
    return v;
}

MatchVocabulary match_vocabulary() {
    MatchVocabulary v;
    v.tokens = {"a", "", "ab", "?", "\xC3\xA9", "\xE4\xB8\xAD", " ", "abab", "aaaaaaaaa", " a", "\xB8", "b\n", ""};
    v.tokens.push_back(std::string(40, 'b'));
    v.unknown_id = 3;
    return v;
}

// Two views, whose added tokens begin alike; one has the id of a hole, two have the same id.
void add_views(crayon_compiler* compiler, const std::vector<std::string>& tokens, const char* second_scanner) {
    std::uint32_t hole = 0;
    while (!tokens[hole].empty()) ++hole;
    const std::uint32_t next = static_cast<std::uint32_t>(tokens.size());
    const struct {
        const char* name;
        const char* scanner;
        std::vector<AddedToken> added;
    } views[] = {
        {"first", "o200k", {{"<|end|>", next}, {"<|e", hole, 0}, {"<|end", next + 7}, {"<|fim|>", next + 7}}},
        {"second", second_scanner, {{"<|end|>", next + 1}}},
    };
    crayon_result result;
    for (const auto& view : views) {
        const auto length = [](const char* text) { return static_cast<std::uint32_t>(std::strlen(text)); };
        EXPECT_EQ(crayon_compiler_add_view(compiler, view.name, length(view.name), view.scanner, length(view.scanner),
                                           &result),
                  CRAYON_OK);
        for (const AddedToken& token : view.added) {
            const std::uint8_t* const bytes = reinterpret_cast<const std::uint8_t*>(token.bytes.data());
            EXPECT_EQ(crayon_compiler_add_token(compiler, bytes, static_cast<std::uint32_t>(token.bytes.size()),
                                                token.id, token.flags, &result),
                      CRAYON_OK);
        }
    }
}

Bytes compiled(const std::vector<std::string>& tokens, bool is_bpe, std::uint32_t unknown_id, Form form,
               bool has_patterns = false) {
    crayon_result result;
    crayon_compiler* compiler = nullptr;
    EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    const TokenArrays list(tokens);
    if (is_bpe) {
        crayon_compiler_set_bpe(compiler, list.data(), list.size(), list.offsets.data(), list.count(), &result);
    } else {
        crayon_compiler_set_longest_match(compiler, list.data(), list.size(), list.offsets.data(), list.count(),
                                          unknown_id, &result);
    }
    EXPECT_EQ(result.status, CRAYON_OK) << crayon_status_name(result.status) << " at " << result.position;
    if (has_patterns) {
        Bytes patterns = section_of(digits(), layout::kAllPatternCuts);
        const Bytes second = section_of(automaton_named("cl100k"), layout::kAllPatternCuts);
        patterns.insert(patterns.end(), second.begin(), second.end());
        EXPECT_EQ(crayon_compiler_set_pattern(compiler, patterns.data(), static_cast<std::uint32_t>(patterns.size()), &result),
                  CRAYON_OK);
    }
    add_views(compiler, tokens, has_patterns ? "pattern" : is_bpe ? "gpt2" : "none");
    const auto finish = form == Form::kFull   ? crayon_compiler_finish
                        : form == Form::kSlim ? crayon_compiler_finish_slim
                                              : crayon_compiler_finish_dat;
    const std::uint8_t* file = nullptr;
    EXPECT_EQ(finish(compiler, &file, &result), CRAYON_OK) << crayon_status_name(result.status);
    Bytes copy(file, file + result.count);
    crayon_compiler_release(compiler);
    return copy;
}

std::map<std::string, Original> make_originals() {
    const Vocabulary bpe = bpe_vocabulary();
    const MatchVocabulary matches = match_vocabulary();
    const std::vector<std::string> handmade = {"a", "b", "ab", "abab", "abababab", "he", "\xC3\xA9", " \xC3", "\xA9he"};
    std::map<std::string, Original> all;
    const auto add = [&](const char* name, Bytes file, const std::vector<std::string>& tokens, bool is_dat = false) {
        all[name] = {name, std::move(file), tokens, matches.unknown_id, is_dat};
    };
    add("bpe", compiled(bpe.tokens, true, 0, Form::kFull), bpe.tokens);
    add("slim_bpe", compiled(bpe.tokens, true, 0, Form::kSlim), bpe.tokens);
    add("patterns", compiled(bpe.tokens, true, 0, Form::kFull, true), bpe.tokens);
    add("slim_patterns", compiled(bpe.tokens, true, 0, Form::kSlim, true), bpe.tokens);
    add("handmade", make_handmade_cartridge().file(), handmade);
    add("handmade_slim", make_handmade_slim().file(), handmade);
    add("matches", compiled(matches.tokens, false, matches.unknown_id, Form::kFull), matches.tokens);
    add("slim_matches", compiled(matches.tokens, false, matches.unknown_id, Form::kSlim), matches.tokens);
    add("dat", compiled(matches.tokens, false, matches.unknown_id, Form::kDat), matches.tokens, true);
    return all;
}

}  // namespace

const Original& original_named(const std::string& name) {
    static const std::map<std::string, Original> all = make_originals();
    const auto found = all.find(name);
    if (found == all.end()) std::abort();
    return found->second;
}

}  // namespace crayon::test
