// WordPiece and Unigram cartridges that must be rejected: the handmade tries with one rule of cartridges/FORMAT.md §13 broken.
#include <cstring>

#include "crayon/crayon.h"
#include "handmade_longest_match.h"
#include "rejected/rejections.h"

namespace crayon::test {

namespace {

using u32 = std::uint32_t;
constexpr u32 kModel = 2, kViews = 3, kAdded = 4, kTrie = 12, kJoinedBytes = 15, kUnmatched = 16, kWordPieces = 25, kScores = 26;
constexpr u32 kTokens = 5, kNone = 0xFFFFFFFF;

Bytes words(const std::vector<u32>& values, const std::string& after = "") {
    Bytes bytes(4 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) put32(bytes, 4 * i, values[i]);
    bytes.insert(bytes.end(), after.begin(), after.end());
    return bytes;
}

void put_score(Bytes& bytes, std::size_t at, double score) {
    std::uint64_t bits;
    std::memcpy(&bits, &score, sizeof bits);
    put64(bytes, at, bits);
}

Bytes scores(bool has_bytes) {
    Bytes bytes(16 + 8 * kTokens + (has_bytes ? 1024 : 0));
    put32(bytes, 0, has_bytes);
    put_score(bytes, 8, -14.0);
    for (u32 id = 0; id < kTokens; ++id) put_score(bytes, 16 + 8 * id, -1.0 * id);
    for (std::size_t byte = 0; has_bytes && byte < 256; ++byte) put32(bytes, 16 + 8 * kTokens + 4 * byte, byte % 3 ? kNone : 1);
    return bytes;
}

HandmadeCartridge made_of(bool is_unigram, bool is_slim) {
    HandmadeCartridge made = is_slim ? make_handmade_slim_longest_match() : make_handmade_longest_match();
    if (!is_slim) made.remove(kJoinedBytes);
    put32(made.section(kModel).bytes, 0, is_unigram ? 5 : 4);
    made.sections.push_back({is_unigram ? kScores : kWordPieces, 1, is_unigram ? scores(true) : words({0, 100, 2, 0}, "##")});
    return made;
}

class Recipes {
public:
    // With a change to a section, reported at a position.
    template <class Change>
    void change(const char* name, bool is_unigram, u32 section, std::size_t blamed, const Change& change,
                u32 blamed_section = 0) {
        for (const bool is_slim : {false, true}) {
            HandmadeCartridge made = made_of(is_unigram, is_slim);
            change(made.section(section).bytes);
            const Bytes file = made.file();
            const u32 other = blamed_section ? blamed_section : section;
            list.push_back({name, CRAYON_CORRUPT_STRUCTURE, other, entry_of(file, other).offset + blamed, file});
        }
    }
    void field(const char* name, bool is_unigram, u32 section, std::size_t at, u32 value) {
        change(name, is_unigram, section, at, [&](Bytes& bytes) { put32(bytes, at, value); });
    }

    std::vector<Rejection> list;
};

}  // namespace

std::vector<Rejection> word_rejections() {
    Recipes recipes;
    for (const bool is_unigram : {false, true}) {
        const u32 rules = is_unigram ? kScores : kWordPieces, others = is_unigram ? kWordPieces : kScores;
        for (const u32 id : {1u, 2u, 3u, 4u, 5u, 6u, kTrie, kUnmatched, rules}) {
            if (id == kTrie) continue;  // without it, the file is slim
            HandmadeCartridge made = made_of(is_unigram, false);
            made.remove(id);
            recipes.list.push_back({"a model of a trie without a section", CRAYON_MISSING_SECTION, id, 64 + 8 * 16, made.file()});
        }
        for (const u32 id : {others, kJoinedBytes, 7u, 20u}) {
            HandmadeCartridge made = made_of(is_unigram, false);
            made.sections.push_back({id, 1, words({0, 0, 0, 0})});
            recipes.list.push_back({"a section of another model", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 9 * 16, made.file()});
        }
        recipes.field("an unknown id outside the vocabulary", is_unigram, kModel, 12, kTokens);
        recipes.field("an unknown id of a hole", is_unigram, kModel, 12, 2);
        recipes.field("an unmatched hole", is_unigram, kUnmatched, 4, 2);
        recipes.field("ids that are marks", is_unigram, kViews, 8 + 24, 0x20000001);
        recipes.field("a flag that is not known", is_unigram, kAdded, 8 + 12, 64);
        recipes.field("a pretokenizer that is not known", is_unigram, kViews, 8 + 8, 12);
        recipes.change("rules that are too short", is_unigram, rules, 0, [](Bytes& bytes) { bytes.resize(12); });
    }
    for (const u32 id : {kWordPieces, kScores}) {  // of a model without one
        HandmadeCartridge made = make_handmade_longest_match();
        made.sections.push_back({id, 1, words({0, 0, 0, 0})});
        recipes.list.push_back({"rules of longest match", CRAYON_CORRUPT_STRUCTURE, 0, 64 + 9 * 16, made.file()});
    }
    recipes.field("a flag of words that is not known", false, kWordPieces, 0, 2);
    recipes.field("whole words of some characters", false, kWordPieces, 4, 100);
    recipes.list.pop_back();
    recipes.list.pop_back();
    recipes.change("whole words of some characters", false, kWordPieces, 4, [](Bytes& bytes) { bytes = words({1, 100, 0, 0}); });
    recipes.change("whole words with a prefix", false, kWordPieces, 8,
                   [](Bytes& bytes) { put32(bytes, 0, 1), put32(bytes, 4, 0); });
    for (const u32 length : {1u, 3u, 0u, kNone}) recipes.field("a prefix of another length", false, kWordPieces, 8, length);
    recipes.change("a prefix longer than any token", false, kWordPieces, 8, [](Bytes& bytes) {
        bytes = words({0, 100, 0x10000, 0}, std::string(0x10000, '#'));
    });
    recipes.field("reserved words", false, kWordPieces, 12, 1);
    recipes.field("a flag of scores that is not known", true, kScores, 0, 5);
    recipes.change("an unknown score that is no float", true, kScores, 8,
                   [](Bytes& bytes) { put32(bytes, 0, 3), put_score(bytes, 8, -0.1); });
    recipes.change("a score that is no float", true, kScores, 16,
                   [](Bytes& bytes) { put32(bytes, 0, 3), put_score(bytes, 16, 1e300); });
    recipes.field("reserved scores", true, kScores, 4, 1);
    recipes.change("fewer scores than tokens", true, kScores, 0,
                   [](Bytes& bytes) { bytes = scores(false), bytes.resize(bytes.size() - 8); });
    recipes.change("more scores than tokens", true, kScores, 0,
                   [](Bytes& bytes) { bytes = scores(false), bytes.resize(bytes.size() + 8); });
    recipes.change("bytes without the flag", true, kScores, 0, [](Bytes& bytes) { put32(bytes, 0, 0); });
    recipes.change("a flag without bytes", true, kScores, 0, [](Bytes& bytes) { bytes = scores(false), put32(bytes, 0, 1); });
    for (const double score : {1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0}) {
        recipes.change("an unknown score that is no number", true, kScores, 8, [&](Bytes& bytes) { put_score(bytes, 8, score); });
        for (const u32 id : {0u, 2u, 4u}) {
            recipes.change("a score that is no number", true, kScores, 16 + 8 * id,
                           [&](Bytes& bytes) { put_score(bytes, 16 + 8 * id, score); });
        }
    }
    for (const u32 id : {kTokens, 2u, 0x80000000u}) {
        recipes.field("the id of a byte that is no token", true, kScores, 16 + 8 * kTokens + 4 * 7, id);
    }
    return std::move(recipes.list);
}

}  // namespace crayon::test
