#include "structure/originals.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "crayon/layout/bpe.h"
#include "crayon/layout/cartridge.h"
#include "crayon/layout/general.h"
#include "crayon/layout/normalizer.h"
#include "crayon/layout/pattern.h"
#include "dna_vocabularies.h"
#include "general_sections.h"
#include "handmade_dna.h"
#include "handmade_longest_match.h"
#include "longest_match_vocabularies.h"
#include "naive/merge_list.h"
#include "normalizer_programs.h"
#include "pattern_sections.h"
#include "regex_programs.h"
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

// The same tokens in reverse, so that ids are not ranks, and the merges that make them; some are never made.
struct OrderedVocabulary {
    std::vector<std::string> tokens;
    std::vector<std::uint32_t> merges;
};
OrderedVocabulary ordered_vocabulary(const Vocabulary& bpe) {
    std::vector<naive::TokenPair> pairs;
    for (const std::string& token : bpe.tokens) {
        const auto halves = naive::MergeList(pairs).merge(token);
        if (halves.size() == 2) pairs.emplace_back(halves[0], halves[1]);
    }
    OrderedVocabulary v = {{bpe.tokens.rbegin(), bpe.tokens.rend()}, {}};
    const auto id_of = [&](const std::string& token) {
        return static_cast<std::uint32_t>(bpe.tokens.size() - 1 - bpe.ranks.at(token));
    };
    for (const auto& [left, right] : pairs) v.merges.insert(v.merges.end(), {id_of(left), id_of(right)});
    return v;
}

constexpr std::uint32_t kCharacters = 9, kVisibleCharacters = 20;

// BPE over characters, where bytes and the beginnings of characters are hidden.
OrderedVocabulary character_vocabulary() {
    OrderedVocabulary v = {{"?", "a", "b", "ab", "abab", "\xC3\xA9", "\xE4\xB8\xAD",
                            "\xE4\xB8\xAD"
                            "a",
                            ""},
                           {}};
    std::map<std::string, std::uint32_t> ids;
    for (std::uint32_t id = 0; id < v.tokens.size(); ++id) ids[v.tokens[id]] = id;
    v.tokens.resize(kVisibleCharacters);  // ids of added tokens
    const auto add = [&](const std::string& token) {
        if (ids.emplace(token, static_cast<std::uint32_t>(v.tokens.size())).second) v.tokens.push_back(token);
    };
    for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
    add("\xE4\xB8");
    const std::pair<const char*, const char*> pairs[] = {{"\xC3", "\xA9"}, {"\xE4", "\xB8"}, {"\xE4\xB8", "\xAD"},
                                                         {"a", "b"},       {"ab", "ab"},     {"\xE4\xB8\xAD", "a"}};
    for (const auto& [left, right] : pairs) v.merges.insert(v.merges.end(), {ids.at(left), ids.at(right)});
    return v;
}

MatchVocabulary match_vocabulary() {
    MatchVocabulary v;
    v.tokens = {"a", "", "ab", "?", "\xC3\xA9", "\xE4\xB8\xAD", " ", "abab", "aaaaaaaaa", " a", "\xB8", "b\n", ""};
    v.tokens.push_back(std::string(40, 'b'));
    v.unknown = 3;
    return v;
}

// A step of nearly every kind with its own data.
void set_program(crayon_compiler* compiler) {
    const Bytes& pattern = section_of(digits(), layout::kAllPatternCuts);
    const std::string rules =
        charsmap_of({{"b", "ba"}, {"\xC3\xA9", "e"}, {"e\xCC\x81", ""}, {"\xE4\xB8\xAD", "a a"}, {"\n", " "}});
    const Bytes program =
        program_of({{layout::kStepStrip, layout::kStripLeft | layout::kStripRight},
                    {layout::kStepBert, layout::kCleanText | layout::kSpacesIdeographs | layout::kStripsAccents},
                    {layout::kStepReplace, 0, "ab", "b"},
                    {layout::kStepReplacePattern, 0, std::string(pattern.begin(), pattern.end()), "aa"},
                    {layout::kStepPrecompiled, 0, rules},
                    {layout::kStepPrepend, 0, "a"},
                    {layout::kStepMetaspace, layout::kPrependsFirst, " "}});
    crayon_result result;
    EXPECT_EQ(
        crayon_compiler_set_normalizer_program(compiler, program.data(), static_cast<std::uint32_t>(program.size()), &result),
        CRAYON_OK);
}

// Two views whose added tokens share prefixes; one has the id of a hole, two have the same id.
struct Scanners {
    const char *first, *second;
    std::uint32_t normalizer = 0;
    std::uint32_t flags = 0;  // of an added token
    bool splits_pieces = false;
};
void add_views(crayon_compiler* compiler, const std::vector<std::string>& tokens, Scanners pretokenizers) {
    if (pretokenizers.normalizer == layout::kProgramNormalizer) set_program(compiler);
    std::uint32_t hole = 0;
    while (!tokens[hole].empty()) ++hole;
    const std::uint32_t next = static_cast<std::uint32_t>(tokens.size());
    const struct {
        const char* name;
        const char* pretokenizer;
        std::vector<AddedToken> added;
    } views[] = {
        {"first",
         pretokenizers.first,
         {{"<|end|>", next},
          {"<|e", hole, 0},
          {"<|end", next + 7, CRAYON_ADDED_SPECIAL | pretokenizers.flags},
          {"<|fim|>", next + 7}}},
        {"second", pretokenizers.second, {{"<|end|>", next + 1}}},
    };
    crayon_result result;
    for (const auto& view : views) {
        const auto length = [](const char* text) { return static_cast<std::uint32_t>(std::strlen(text)); };
        EXPECT_EQ(crayon_compiler_add_view(compiler, view.name, length(view.name), view.pretokenizer, length(view.pretokenizer),
                                           &result),
                  CRAYON_OK);
        EXPECT_EQ(crayon_compiler_set_normalizer(compiler, pretokenizers.normalizer, &result), CRAYON_OK);
        for (const AddedToken& token : view.added) {
            const std::uint8_t* const bytes = reinterpret_cast<const std::uint8_t*>(token.bytes.data());
            EXPECT_EQ(crayon_compiler_add_token(compiler, bytes, static_cast<std::uint32_t>(token.bytes.size()), token.id,
                                                token.flags, &result),
                      CRAYON_OK);
        }
    }
}

Bytes finished(crayon_compiler* compiler, Form form) {
    crayon_result result;
    const auto finish = form == Form::kFull   ? crayon_compiler_finish
                        : form == Form::kSlim ? crayon_compiler_finish_slim
                                              : crayon_compiler_finish_dat;
    const std::uint8_t* file = nullptr;
    EXPECT_EQ(finish(compiler, &file, &result), CRAYON_OK) << crayon_status_name(result.status);
    Bytes copy(file, file + result.count);
    crayon_compiler_release(compiler);
    return copy;
}

const std::vector<std::string> kWordTokens = {"a",      "",    "ab", "?",  "\xC3\xA9",     "##a", "##ab", "\xE4\xB8\xAD",
                                              "##\xB8", "<x>", " a", "aa", "\xE2\x96\x81", "",    "the",  "\xE2\x96\x81the"};

// WordPiece, or Unigram, with unknown id 3 and tokens for some bytes.
Bytes compiled_words(bool is_unigram, bool is_whole, Form form, Scanners pretokenizers) {
    crayon_result result;
    crayon_compiler* compiler = nullptr;
    EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    const TokenArrays list(kWordTokens);
    const std::uint32_t unmatched[] = {10, 11};
    if (is_unigram) {
        std::vector<double> scores(list.count(), -2.5);
        std::vector<std::uint32_t> byte_ids(256, 0xFFFFFFFF);
        for (std::uint32_t id = 0; id < list.count(); ++id) scores[id] -= id % 5;
        for (int byte = 0x20; byte < 0xE0; ++byte) byte_ids[static_cast<std::size_t>(byte)] = byte % 2 ? 9 : 5;
        crayon_compiler_set_unigram(compiler, list.data(), list.size(), list.offsets.data(), list.count(), unmatched, 2, 3,
                                    scores.data(), -16.5, byte_ids.data(), 0, &result);
    } else {
        const std::uint8_t prefix[] = {'#', '#'};
        crayon_compiler_set_word_piece(compiler, list.data(), list.size(), list.offsets.data(), list.count(), unmatched, 2, 3,
                                       prefix, is_whole ? 0 : 2, is_whole ? 0 : 20, is_whole, &result);
    }
    EXPECT_EQ(result.status, CRAYON_OK) << crayon_status_name(result.status) << " at " << result.position;
    add_views(compiler, kWordTokens, pretokenizers);
    return finished(compiler, form);
}

const std::vector<std::string> kGeneralTokens = {"a",
                                                 "",
                                                 "ab",
                                                 "?",
                                                 "\xC3\xA9",
                                                 "##a",
                                                 "##ab",
                                                 "\xE4\xB8\xAD",
                                                 "b",
                                                 "<x>",
                                                 " a",
                                                 "aa",
                                                 "\xE2\x96\x81",
                                                 "",
                                                 "the",
                                                 "abab",
                                                 "1",
                                                 "##1",
                                                 "a</w>",
                                                 "ab</w>",
                                                 ".",
                                                 "\xC4\xA0",
                                                 "<0x61>",
                                                 "t",
                                                 "<0xC3>",
                                                 "<0xA9>",
                                                 "\xE2\x96\x81the"};

// A model of the general path, and steps of every kind among the four.
GeneralSection general_model(std::uint32_t model) {
    using namespace layout;
    const auto program = [](const char* pattern) { return bytes_of(regex_program(pattern).words); };
    const auto text = [](const Bytes& bytes) { return std::string(bytes.begin(), bytes.end()); };
    const std::string mark = "\xE2\x96\x81";
    const std::string digits = bytes_of({'0', '9', 0x660, 0x669}), punctuation = bytes_of({'!', '/', ':', '@'}),
                      letters = bytes_of({'a', 'z', 0xC0, 0x24F, 0x4E00, 0x9FFF});
    GeneralSection made = {.model = model};
    switch (model) {
        case kGeneralBpe:
            made.flags = kHasUnknown | kFuseUnknown | kByteFallback;
            made.suffix = "</w>";
            made.merges = {0, 8, 2, 2, 2, 15, 0, 0, 11, 0, 8, 2, 8, 18, 19};
            made.normalizers = {{kReplace, layout::kIsRegex, program("(?<=a|bc)d|(?<!\\s)e"), "ab"},
                                {kFormC},
                                {kReplace, 0, "\n", " a"},
                                {kPrependText, 0, "a"}};
            made.pre_tokenizers = {{kSplit, kMergedWithNext | layout::kIsRegex, program("(?:a|b)*c")},
                                   {kSplit, kContiguous | layout::kIsRegex | kInverts, program("(a|b)\\1+")},
                                   {kByteLevelPreTokenizer, kAddsPrefixSpace | kUsesRegex}};
            break;
        case kGeneralWordPiece:
            made.flags = kHasUnknown;
            made.prefix = "##";
            made.normalizers = {{kBertNormalizer, 15},
                                {kStripAccents},
                                {kStrip, kStripsLeft | kStripsRight},
                                {kReplace, layout::kIsRegex, program("(?:(a)|b)*\\1"), "b"},
                                {kFormD}};
            made.pre_tokenizers = {{kBertPreTokenizer, 0, punctuation},
                                   {kDigits, kIsolated, digits},
                                   {kPunctuation, kMergedWithPrevious, punctuation},
                                   {kSplit, kIsolated | layout::kIsRegex, program("\\A-|^a|b$|\\Gc|\\z|d\\Z")},
                                   {kSplit, kMergedWithNext | layout::kIsRegex, program("(?:a{0,9999}|c)*b")}};
            break;
        case kGeneralUnigram:
            made.flags = kHasUnknown | kByteFallback;
            for (std::size_t id = 0; id < kGeneralTokens.size(); ++id) made.scores.push_back(-2.5 - static_cast<double>(id % 5));
            made.normalizers = {{kPrecompiled, 0, charsmap_of({{"b", "ba"}, {"\xC3\xA9", "e"}, {"e\xCC\x81", ""}, {"\n", " "}})},
                                {kNmt},
                                {kLowercaseNormalizer},
                                {kFormKC}};
            made.pre_tokenizers = {{kMetaspacePreTokenizer, kSplitsAtMarks | kPrependsToFirst, mark},
                                   {kUnicodeScripts, 0, bytes_of({'a', 'z', 1, 0x4E00, 0x9FFF, 2})},
                                   {kSplit, kIsolated | layout::kIsRegex, program("(?<=(?:a|b)c)d(?=(?:e|f)*g)")}};
            break;
        default:
            made.flags = kHasUnknown | kFuseUnknown;
            made.normalizers = {{kSentencePieceNormalizer, 0,
                                 text(program_of({{kStepSentencePiece, kPutsSpace | kCollapsesSpaces | kMarksSpaces}}))},
                                {kFormKD},
                                {kByteLevelNormalizer}};
            made.pre_tokenizers = {
                {kWhitespaceSplitPreTokenizer}, {kCharDelimiterSplit, 0, "1"},
                {kWhitespace, 0, letters},      {kFixedLength, 3},
                {kSplit, kIsolated, "ab"},      {kSplit, kMergedWithPrevious | layout::kIsRegex, program("(?>a|ab)c|ab")}};
    }
    return made;
}

Bytes compiled_general(std::uint32_t model, Form form) {
    crayon_result result;
    crayon_compiler* compiler = nullptr;
    EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    const TokenArrays list(kGeneralTokens);
    const std::uint32_t unmatched[] = {10, 11};
    const Bytes section = general_of(general_model(model));
    crayon_compiler_set_general(compiler, list.data(), list.size(), list.offsets.data(), list.count(), unmatched, 2, 3,
                                section.data(), static_cast<std::uint32_t>(section.size()), &result);
    EXPECT_EQ(result.status, CRAYON_OK) << crayon_status_name(result.status) << " at " << result.position;
    add_views(compiler, kGeneralTokens, {"none", "none", 0, CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP | layout::kNormalized});
    return finished(compiler, form);
}

Bytes compiled(const std::vector<std::string>& tokens, bool is_bpe, std::uint32_t unknown_id, Form form, Scanners pretokenizers,
               const std::vector<std::uint32_t>& merges = {}, std::uint32_t visible_count = 0, std::uint32_t hidden_flags = 1,
               const std::vector<std::uint32_t>& priorities = {}) {
    crayon_result result;
    crayon_compiler* compiler = nullptr;
    EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
    const TokenArrays list(tokens);
    if (!merges.empty()) {
        crayon_compiler_set_bpe_merges(compiler, list.data(), list.size(), list.offsets.data(), list.count(), merges.data(),
                                       static_cast<std::uint32_t>(merges.size() / 2),
                                       priorities.empty() ? nullptr : priorities.data(), nullptr, 0, 0, &result);
        if (visible_count) crayon_compiler_set_hidden_tokens(compiler, visible_count, unknown_id, hidden_flags, &result);
    } else if (is_bpe) {
        crayon_compiler_set_bpe(compiler, list.data(), list.size(), list.offsets.data(), list.count(), &result);
    } else {
        crayon_compiler_set_longest_match(compiler, list.data(), list.size(), list.offsets.data(), list.count(), unknown_id,
                                          &result);
    }
    EXPECT_EQ(result.status, CRAYON_OK) << crayon_status_name(result.status) << " at " << result.position;
    if (std::string_view(pretokenizers.first) == "pattern") {
        Bytes patterns = section_of(digits(), layout::kAllPatternCuts);
        const Bytes second = section_of(automaton_named("cl100k"), layout::kAllPatternCuts);
        patterns.insert(patterns.end(), second.begin(), second.end());
        if (pretokenizers.splits_pieces) {
            const std::uint32_t cuts = layout::kAllPatternCuts | layout::kInnerPattern;
            const Bytes third = section_of(digits(), cuts);
            patterns.insert(patterns.end(), third.begin(), third.end());
        }
        EXPECT_EQ(crayon_compiler_set_pattern(compiler, patterns.data(), static_cast<std::uint32_t>(patterns.size()), &result),
                  CRAYON_OK);
    }
    const std::size_t named = visible_count ? kCharacters : tokens.size();
    add_views(compiler, {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(named)}, pretokenizers);
    return finished(compiler, form);
}

std::map<std::string, Original> make_originals() {
    const Vocabulary bpe = bpe_vocabulary();
    const MatchVocabulary matches = match_vocabulary();
    const std::vector<std::string> handmade = {"a", "b", "ab", "abab", "abababab", "he", "\xC3\xA9", " \xC3", "\xA9he"};
    std::map<std::string, Original> all;
    const auto add = [&](const char* name, Bytes file, const std::vector<std::string>& tokens, bool is_dat = false) {
        all[name] = {name, std::move(file), tokens, matches.unknown, is_dat};
    };
    constexpr Scanners kPatterns = {"o200k", "gpt2"}, kNone = {"none", "gpt2"}, kOfMatches = {"o200k", "none"},
                       kData = {"pattern", "gpt2"}, kInner = {"pattern", "none", 0, CRAYON_ADDED_LSTRIP, true},
                       kNormalized = {"qwen2", "none", 1, CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP},
                       kProgrammed = {"qwen2", "none", layout::kProgramNormalizer, CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP},
                       kStripping = {"cl100k", "none", 0, CRAYON_ADDED_LSTRIP | CRAYON_ADDED_RSTRIP};
    const auto bpe_file = [&](Form form, Scanners pretokenizers) { return compiled(bpe.tokens, true, 0, form, pretokenizers); };
    add("bpe", bpe_file(Form::kFull, kPatterns), bpe.tokens);
    add("slim_bpe", bpe_file(Form::kSlim, kPatterns), bpe.tokens);
    add("bpe_none", bpe_file(Form::kFull, kNone), bpe.tokens);
    add("slim_bpe_none", bpe_file(Form::kSlim, kNone), bpe.tokens);
    add("bpe_nfc", bpe_file(Form::kFull, kNormalized), bpe.tokens);
    add("bpe_program", bpe_file(Form::kFull, kProgrammed), bpe.tokens);
    add("slim_bpe_program", bpe_file(Form::kSlim, kProgrammed), bpe.tokens);
    add("bpe_strip", bpe_file(Form::kFull, kStripping), bpe.tokens);
    const OrderedVocabulary ordered = ordered_vocabulary(bpe);
    add("ordered", compiled(ordered.tokens, true, 0, Form::kFull, kPatterns, ordered.merges), ordered.tokens);
    add("slim_ordered", compiled(ordered.tokens, true, 0, Form::kSlim, kPatterns, ordered.merges), ordered.tokens);
    const OrderedVocabulary characters = character_vocabulary();
    const std::vector<std::string> visible(characters.tokens.begin(), characters.tokens.begin() + kCharacters);
    const auto character_file = [&](Form form) {
        return compiled(characters.tokens, true, 0, form, kNone, characters.merges, kVisibleCharacters);
    };
    add("characters", character_file(Form::kFull), visible);
    add("slim_characters", character_file(Form::kSlim), visible);
    std::vector<std::uint32_t> priorities;
    for (std::size_t i = 0; i < ordered.merges.size() / 2; ++i) priorities.push_back(static_cast<std::uint32_t>(i % 3));
    const auto equals_file = [&](Form form) {
        return compiled(ordered.tokens, true, 0, form, kPatterns, ordered.merges, 0, 1, priorities);
    };
    add("equals", equals_file(Form::kFull), ordered.tokens);
    add("slim_equals", equals_file(Form::kSlim), ordered.tokens);
    add("inner_patterns", bpe_file(Form::kFull, kInner), bpe.tokens);
    add("patterns", bpe_file(Form::kFull, kData), bpe.tokens);
    add("slim_patterns", bpe_file(Form::kSlim, kData), bpe.tokens);
    add("handmade", make_handmade_cartridge().file(), handmade);
    add("handmade_slim", make_handmade_slim().file(), handmade);
    const auto match_file = [&](Form form) { return compiled(matches.tokens, false, matches.unknown, form, kOfMatches); };
    add("matches", match_file(Form::kFull), matches.tokens);
    add("slim_matches", match_file(Form::kSlim), matches.tokens);
    add("dat", match_file(Form::kDat), matches.tokens, true);
    const std::vector<std::string> bases = {"ACGT", "acgt", "N", "ACGTTGCA", "R", "AAAAAAAAAAAA"};
    const auto add_dna = [&](const char* name, const DnaModel& model) {
        const std::string file = compile_dna(model);
        add(name, Bytes(file.begin(), file.end()), bases);
    };
    DnaModel starts = hyena_dna();
    starts.vocabulary.starts = starts.vocabulary.bases;
    starts.before = {0};
    add_dna("dna", starts);
    DnaModel kmers = hyena_dna();
    kmers.add_kmers(naive::Unit::kKmers, 4, "ACGT", 12);
    add_dna("dna_kmers", kmers);
    constexpr Scanners kWords = {"bert", "none"}, kPlainWords = {"whitespace_split", "bert", 0, CRAYON_ADDED_LSTRIP},
                       kNormalizedWords = {"bert", "cl100k", 1, CRAYON_ADDED_LSTRIP}, kPieces = {"metaspace", "none"};
    add("word_piece", compiled_words(false, false, Form::kFull, kNormalizedWords), kWordTokens);
    add("slim_word_piece", compiled_words(false, false, Form::kSlim, kWords), kWordTokens);
    add("word_level", compiled_words(false, true, Form::kFull, kPlainWords), kWordTokens);
    add("unigram", compiled_words(true, false, Form::kFull, kPieces), kWordTokens);
    add("slim_unigram", compiled_words(true, false, Form::kSlim, kWords), kWordTokens);
    add("general_bpe", compiled_general(layout::kGeneralBpe, Form::kFull), kGeneralTokens);
    add("slim_general_bpe", compiled_general(layout::kGeneralBpe, Form::kSlim), kGeneralTokens);
    add("general_word_piece", compiled_general(layout::kGeneralWordPiece, Form::kFull), kGeneralTokens);
    add("general_unigram", compiled_general(layout::kGeneralUnigram, Form::kFull), kGeneralTokens);
    add("general_word_level", compiled_general(layout::kGeneralWordLevel, Form::kFull), kGeneralTokens);
    add("dna_table", make_handmade_dna().file(), bases);
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
