// Tokenizers of every class, and texts that are difficult for all of them.
#pragma once

#include "crayon/layout/normalizer.h"
#include "normalizer_programs.h"
#include "parallel_texts.h"
#include "pattern_sections.h"

namespace crayon::test {

struct AnyKind {
    enum Model { kBpe, kMatches, kWordPiece, kUnigram };
    enum Normalizer { kAsItIs, kNfc, kStrips, kRemoves, kExpands };

    const char* name;
    Model model;
    const char* pretokenizer;
    Normalizer normalizer = kAsItIs;
};

// b{1,64}=|b: many tokens in the one piece that the first "=" makes of them, and a piece for each b without it.
inline const Automaton& looking_ahead() {
    static const Automaton* const automaton = [] {
        constexpr std::uint32_t kMost = 64, kEnd = kMost + 2, kStop = 0x8000;
        auto* made = new Automaton{"looking ahead", kEnd + 1, 3, std::vector<std::uint32_t>(128, 0), {}, {}, {}};
        made->ascii['b'] = 1;
        made->ascii['='] = 2;
        // For other characters, b, = and the end of the text. State 2 has read one b, 3 two, …
        made->table = {0, 0, 0, 0, 0, 2, 0, 0, kStop, kStop | 3, kStop | kEnd, kStop};
        for (std::uint32_t read = 2; read <= kMost; ++read) {
            made->table.insert(made->table.end(), {0, read < kMost ? read + 2 : 0, kEnd, 0});
        }
        made->table.insert(made->table.end(), 4, kStop);
        return made;
    }();
    return *automaton;
}

// Characters that normalizers compose, replace, reorder and remove, and grapheme clusters, some of them in long runs.
inline std::string any_text(Random& random, std::size_t length, const std::vector<AddedToken>& added) {
    static const char* const kParts[] = {"\u2126",
                                         "e\u0301",
                                         "q\u0323\u0307",
                                         "q\u0307\u0323",
                                         "\u212B",
                                         "\u1100\u1161\u11A8",
                                         "\u0301",
                                         "\u0344",
                                         "12345",
                                         "e",
                                         "\u00E9",
                                         " ",
                                         "\u2000",
                                         "\u0915\u094D",
                                         "\r\n",
                                         "b",
                                         "=",
                                         "\u200D",
                                         "\u4E2D",
                                         "\U0001F1E9",
                                         "\U0001F600",
                                         "\uFDFA",
                                         "\n\n",
                                         "\U0001F468\u200D\U0001F469",
                                         "\uFE0F",
                                         "\U0001F44D\U0001F3FD",
                                         "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb="};
    const bool has_long_runs = random.one_in(4);
    std::string text;
    while (text.size() < length) {
        if (random.one_in(3) || has_long_runs) {
            const std::string part = kParts[random.below(std::size(kParts))];
            for (std::size_t n = has_long_runs ? random.below(200) : random.one_in(4) ? random.below(30) : 1; n > 0; --n)
                text += part;
        } else {
            text += nasty_text(random, 1 + random.below(12), added);
        }
    }
    return text;
}

struct AnyTokenizer {
    using enum AnyKind::Model;
    using enum AnyKind::Normalizer;
    using Kind = AnyKind;
    static constexpr Kind kKinds[] = {{"cl100k", kBpe, "cl100k"},
                                      {"o200k", kBpe, "o200k"},
                                      {"pattern", kBpe, "pattern"},
                                      {"looking ahead", kBpe, "pattern"},
                                      {"none", kBpe, "none"},
                                      {"NFC", kBpe, "qwen2", kNfc},
                                      {"none, NFC", kBpe, "none", kNfc},
                                      {"strips accents", kBpe, "gpt2", kStrips},
                                      {"removes", kBpe, "none", kRemoves},
                                      {"expands", kBpe, "cl100k", kExpands},
                                      {"matches", kMatches, "none"},
                                      {"matches in pieces", kMatches, "cl100k"},
                                      {"WordPiece", kWordPiece, "bert", kStrips},
                                      {"WordPiece, plain", kWordPiece, "whitespace_split"},
                                      {"Unigram", kUnigram, "metaspace", kExpands},
                                      {"Unigram, none", kUnigram, "none"}};
    static constexpr std::size_t kKindCount = std::size(kKinds);

    const Kind& kind;
    std::vector<AddedToken> added;
    std::string cartridge;

    AnyTokenizer(Random& random, const Kind& kind) : AnyTokenizer(random, kind, random.below(4)) {}
    // `sort` of added tokens: none, plain ones, some that include whitespace, or whole words. `knows_all`: no character fails.
    AnyTokenizer(Random& random, const Kind& kind_, std::size_t sort, bool knows_all = false) : kind(kind_) {
        const bool is_bpe = kind.model == kBpe;
        const bool looks_ahead = std::string_view(kind.name) == "looking ahead";
        const Vocabulary vocabulary = !is_bpe       ? Vocabulary{}
                                      : looks_ahead ? random_vocabulary(random, "b", 1)
                                                    : vocabulary_of(random);
        MatchVocabulary matches;
        if (kind.model == kMatches) matches = random_matches(random, knows_all || random.one_in(2));
        const std::vector<std::string> words = words_of(random, kind.model);
        const auto first = static_cast<std::uint32_t>(is_bpe                   ? vocabulary.tokens.size()
                                                      : kind.model == kMatches ? matches.tokens.size()
                                                                               : words.size());
        if (sort > 0) added = random_added(random, first);
        if (kind.model == kMatches) {
            cartridge = compile_matches(matches, Form::kFull, kind.pretokenizer, added);
            return;
        }
        if (sort == 2) strip(random, added);
        if (sort == 3) find_late(random, added);
        ViewForm view{kind.pretokenizer, added};
        if (view.pretokenizer == "pattern") {
            view.pattern = section_of(looks_ahead ? looking_ahead() : automaton_named("cl100k"), layout::kAllPatternCuts);
        }
        view.normalizer = kind.normalizer == kAsItIs ? layout::kNoNormalizer
                          : kind.normalizer == kNfc  ? layout::kNfc
                                                     : layout::kProgramNormalizer;
        if (kind.normalizer > kNfc) view.program = program(kind.normalizer);
        cartridge = is_bpe ? compile(vocabulary, view) : compile_words(random, words, kind.model, view, knows_all);
    }

    std::string text(Random& random, std::size_t length) const {
        std::string text = any_text(random, length, added);
        // Long stretches without tokens.
        for (int n = 0; n < 3 && kind.normalizer >= kStrips && random.one_in(2); ++n) {
            std::string removed;
            while (!random.one_in(4)) {
                const std::string part = random.one_in(2) ? "b" : random.one_in(2) ? "\u0301" : "b\u0301";
                for (std::size_t i = random.below(200); i > 0; --i) removed += part;
            }
            text.insert(random.below(text.size() + 1), removed);
        }
        return text;
    }

private:
    static Bytes program(Kind::Normalizer normalizer) {
        using namespace layout;
        if (normalizer == kStrips) return program_of({{kStepNfd}, {kStepStripAccents}, {kStepLowercase}});
        if (normalizer == kRemoves) return program_of({{kStepReplace, 0, "b", ""}, {kStepReplace, 0, "\xCC\x81", ""}});
        return program_of({{kStepReplace, 0, "1", "<12>"}, {kStepNfkc}, {kStepPrepend, 0, " a"}});
    }

    // Tokens that NFC makes, and parts of them; and runs of a character, few of which fill a window: of some lengths or of all.
    static Vocabulary vocabulary_of(Random& random) {
        Vocabulary vocabulary = random_vocabulary(random, "aBe \n'1.\xC3\xA9\xCE\xA9", 80);
        const auto add = [&](const std::string& token) {  // of bytes that the others do not have
            if (!vocabulary.ranks.count(token)) vocabulary.add(token);
        };
        for (const std::string unit : {"b", "=", "\u0301", "\u4E2D", "\U0001F600"}) {
            if (random.one_in(2)) continue;
            for (std::size_t i = 2; i <= unit.size(); ++i) add(unit.substr(0, i));
            const bool has_all = random.one_in(3);
            for (std::string run = unit; run.size() < (has_all ? 150 : 300); run += has_all ? unit : std::string(run)) add(run);
        }
        return vocabulary;
    }

    static std::vector<std::string> words_of(Random& random, Kind::Model model) {
        std::vector<std::string> words = {"?"};
        const std::string prefix = model == kWordPiece ? "##" : "";
        const auto add = [&](const std::string& word) {
            if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
        };
        for (const std::string part : {"a", "b", "e", "s", "t", "1", ".", "'", "\u00E9", "\u4E2D", "\u0301", " ", "\u2581"}) {
            add(part);
            add(prefix + part);
        }
        for (std::size_t n = random.below(60); n > 0; --n) {
            const std::string word = words[1 + random.below(words.size() - 1)] + words[1 + random.below(words.size() - 1)];
            add(random.one_in(2) ? prefix + word : word);
        }
        return words;
    }

    static std::string compile_words(Random& random, const std::vector<std::string>& words, Kind::Model model,
                                     const ViewForm& view, bool knows_all) {
        crayon_result result;
        crayon_compiler* compiler = nullptr;
        EXPECT_EQ(crayon_compiler_create(&compiler, &result), CRAYON_OK);
        const TokenArrays list(words);
        const std::uint32_t unknown_id = random.one_in(3) && !knows_all ? kNoUnknown : 0;
        if (model == kWordPiece) {
            crayon_compiler_set_word_piece(compiler, list.data(), list.size(), list.offsets.data(), list.count(), nullptr, 0,
                                           unknown_id, bytes_of("##"), 2, 20, 0, &result);
        } else {
            std::vector<double> scores;
            for (std::uint32_t id = 0; id < list.count(); ++id) scores.push_back(-1.0 - static_cast<double>(random.below(8)));
            std::vector<std::uint32_t> byte_ids(256, 1);
            const bool has_bytes = knows_all || (unknown_id == 0 && random.one_in(2));
            crayon_compiler_set_unigram(compiler, list.data(), list.size(), list.offsets.data(), list.count(), nullptr, 0,
                                        unknown_id, scores.data(), -20, has_bytes ? byte_ids.data() : nullptr, 0, &result);
        }
        EXPECT_EQ(result.status, CRAYON_OK) << result.position;
        return compile_view(compiler, view);
    }
};

}  // namespace crayon::test
