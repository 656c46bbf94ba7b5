// Normalizer programs: steps compared with published examples, charsmaps with their rules, graphemes with the rules of the annex;
// and that normalizing a text by stretches, whatever the windows, equals normalizing it at once.
#include "normalize/program.h"
#include "normalize/rewrites.h"

#include <gtest/gtest.h>

#include "cartridge/normalize_text.h"
#include "cartridge/section_checks.h"
#include "generate_text.h"
#include "normalize/charsmap.h"
#include "normalize/graphemes.h"
#include "normalize/normalizer.h"
#include "normalizer_programs.h"
#include "pattern_sections.h"
#include "share.h"

namespace crayon::test::normalizer_program_test {
namespace {

using namespace layout;

std::string utf8(std::u32string_view text) { return naive::encode_utf8(text); }

std::string pattern_text(const Automaton& automaton) {
    const Bytes& section = section_of(automaton, kAllPatternCuts);
    return {section.begin(), section.end()};
}

// All steps, each applied to the whole text.
std::string at_once(const Bytes& program, const std::string& text) {
    Buffer<u8> out;
    const Status status =
        normalize_text(program.data(), program.size(), reinterpret_cast<const u8*>(text.data()), text.size(), &out);
    EXPECT_TRUE(status.ok()) << status.section << " at " << status.position;
    return {reinterpret_cast<const char*>(out.data()), out.size()};
}
std::string after(const ProgramStep& step, const std::string& text) { return at_once(program_of({step}), text); }

// --- steps compared with published examples ---------------------------------------------------------------------------

struct Example {
    ProgramStep step;
    std::u32string_view text, expected;
};

void expect(const std::vector<Example>& examples) {
    for (const Example& each : examples) {
        EXPECT_EQ(after(each.step, utf8(each.text)), utf8(each.expected)) << each.step.kind << ' ' << utf8(each.text);
    }
}

// From Unicode Standard Annex #15 and NormalizationTest.txt.
TEST(NormalizerSteps, FormsFollowTheAnnex) {
    const std::u32string_view long_s = U"\u1E9B\u0323", ligature = U"\uFB01", power = U"2\u2075", angstrom = U"\u212B";
    expect({{{kStepNfd}, long_s, U"\u017F\u0323\u0307"},
            {{kStepNfc}, long_s, U"\u1E9B\u0323"},
            {{kStepNfkd}, long_s, U"s\u0323\u0307"},
            {{kStepNfkc}, long_s, U"\u1E69"},
            {{kStepNfd}, ligature, ligature},
            {{kStepNfc}, ligature, ligature},
            {{kStepNfkd}, ligature, U"fi"},
            {{kStepNfkc}, ligature, U"fi"},
            {{kStepNfkd}, power, U"25"},
            {{kStepNfkc}, power, U"25"},
            {{kStepNfd}, angstrom, U"A\u030A"},
            {{kStepNfc}, angstrom, U"\u00C5"}});
    const std::u32string_view marks = U"a\u0315\u0300\u05AE\u0300b";
    expect({{{kStepNfc}, marks, U"\u00E0\u05AE\u0300\u0315b"}, {{kStepNfd}, marks, U"a\u05AE\u0300\u0300\u0315b"}});
    // Hangul, composition exclusions, and the character with the longest expansion.
    expect({{{kStepNfd}, U"\uAC01\uAC00", U"\u1100\u1161\u11A8\u1100\u1161"},
            {{kStepNfc}, U"\u1100\u1161\u11A8\u1100\u1161", U"\uAC01\uAC00"},
            {{kStepNfc}, U"\u0958\u0344\u0374", U"\u0915\u093C\u0308\u0301\u02B9"},
            {{kStepNfkc},
             U"\uFDFA",
             U"\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064A\u0647 \u0648\u0633\u0644\u0645"},
            {{kStepNfc}, U"\U0001D160", U"\U0001D158\U0001D165\U0001D16E"}});
}

TEST(NormalizerSteps, CharactersMapAsTheirNamesSay) {
    expect({{{kStepLowercase}, U"HELLO \u00C0\u03A3\u1E9E\U00010400 \u0130", U"hello \u00E0\u03C3\u00DF\U00010428 i\u0307"},
            {{kStepStripAccents}, U"e\u0301\u00E9\u0903a\u20DD", U"e\u00E9a"},
            {{kStepNmt}, U"\u0001a\u200Bb\t\u2581\uFEFF\u007F\u0085\uFFFD", U"a b   \u0085 "},
            {{kStepByteLevel}, U"Hello \u00E9\n!\u00AD", U"Hello\u0120\u00C3\u00A9\u010A!\u00C2\u0143"}});
    EXPECT_EQ(after({kStepByteLevel}, "\xFF\xC3"), "\xC3\xBF\xC3\x83");
    // Bytes that are not UTF-8 stay.
    for (const u32 kind : {kStepNfc, kStepNfkd, kStepNmt, kStepLowercase, kStepStripAccents}) {
        EXPECT_EQ(after({kind}, "a\xFF\xE4\xB8\xF0\x9F\x98z\xC0\x80"), "a\xFF\xE4\xB8\xF0\x9F\x98z\xC0\x80") << kind;
    }
}

TEST(NormalizerSteps, EdgesAreTheTextsOwn) {
    const std::u32string_view text = U" \t\u3000a b\u00A0\n";
    expect({{{kStepStrip, kStripLeft}, text, U"a b\u00A0\n"},
            {{kStepStrip, kStripRight}, text, U" \t\u3000a b"},
            {{kStepStrip, kStripLeft | kStripRight}, text, U"a b"},
            {{kStepStrip, kStripLeft | kStripRight}, U" \n", U""},
            {{kStepStrip, kStripRight}, U" \n", U""},
            {{kStepPrepend, 0, "_>"}, U"ab", U"_>ab"},
            {{kStepPrepend, 0, "_"}, U"", U""}});
    const std::string mark = "\xE2\x96\x81";
    expect({{{kStepMetaspace, kPrependsAlways, mark}, U"a  b", U"\u2581a\u2581\u2581b"},
            {{kStepMetaspace, kPrependsAlways, mark}, U" a", U"\u2581a"},
            {{kStepMetaspace, kPrependsAlways, mark}, U"\u2581a", U"\u2581a"},
            {{kStepMetaspace, kPrependsFirst, mark}, U"a\tb", U"\u2581a\tb"},
            {{kStepMetaspace, 0, mark}, U"a b", U"a\u2581b"},
            {{kStepMetaspace, kDropsWhitespace | kPrependsAlways, mark}, U"a \n b ", U"\u2581a\u2581b"},
            {{kStepMetaspace, kDropsWhitespace | kPrependsFirst, mark}, U"a b", U"\u2581ab"}});
}

TEST(NormalizerSteps, ReplaceFromTheLeft) {
    expect({{{kStepReplace, 0, "aa", "b"}, U"aaaaa", U"bba"},
            {{kStepReplace, 0, "``", "\""}, U"``a```", U"\"a\"`"},
            {{kStepReplace, 0, "\xC3\xA9", ""}, U"\u00E9a\u00E9", U"a"},
            {{kStepReplace, 0, "abab", "x"}, U"ababab", U"xab"},
            {{kStepReplacePattern, 0, pattern_text(digits()), "#"}, U"a1234b56", U"a##b#"},
            {{kStepReplacePattern, 0, pattern_text(digits()), ""}, U"123456", U""},
            {{kStepReplacePattern, 0, pattern_text(ideographs_and_kana()), "<>"}, U"a\u4E2D\u6587b\u3042", U"a<>b<>"}});
}

// The examples from Hugging Face's documentation, and from BERT's own tests.
// A character may become 64 + 1,024 characters; of 1,000, 64 times as many and 1,024 more.
TEST(NormalizerSteps, TextsGrowToALimit) {
    const auto doubled = [](std::size_t steps, std::size_t length) {
        const Bytes program = program_of(std::vector<ProgramStep>(steps, {kStepReplace, 0, "a", "aa"}));
        const std::string text(length, 'a');
        Buffer<u8> out;
        const Status status =
            normalize_text(program.data(), program.size(), reinterpret_cast<const u8*>(text.data()), text.size(), &out);
        EXPECT_EQ(out.size(), status.ok() ? length << steps : 0);
        return status.code;
    };
    EXPECT_EQ(doubled(10, 1), CRAYON_OK);
    EXPECT_EQ(doubled(11, 1), CRAYON_TEXT_TOO_LONG);
    EXPECT_EQ(doubled(6, 1000), CRAYON_OK);
    EXPECT_EQ(doubled(7, 1000), CRAYON_TEXT_TOO_LONG);
    EXPECT_EQ(doubled(64, 1), CRAYON_TEXT_TOO_LONG);
    // In a program, which knows what becomes of each character beforehand.
    const Bytes section = program_of(std::vector<ProgramStep>(64, {kStepReplace, 0, "a", "aa"}));
    const NormalizerProgram* checked = nullptr;
    ASSERT_TRUE(read_program(section.data(), {kProgram, 0, section.size()}, &checked).ok());
    Program program;
    ASSERT_TRUE(program.create(checked).ok());
    crayon::Normalizer::Scratch scratch;
    bool changed = false;
    const u8 text[] = {'b', 'a', 0, 0};
    EXPECT_TRUE(program.rewrite(text, 0, 1, 0, scratch, &changed).ok());
    EXPECT_EQ(program.rewrite(text, 0, 2, 0, scratch, &changed).code, CRAYON_TEXT_TOO_LONG);
}

TEST(NormalizerSteps, BertMatchesBert) {
    const u32 all = kCleanText | kSpacesIdeographs | kStripsAccents | kLowercases;
    expect({{{kStepBert, all}, U"H\u00E9ll\u00F2 h\u00F4w are \u00FC?", U"hello how are u?"},
            {{kStepBert, all}, U" \tHeLLo!how  \n Are yoU?  ", U"  hello!how    are you?  "},
            {{kStepBert, kSpacesIdeographs}, U"ah\u535A\u63A8zz", U"ah \u535A  \u63A8 zz"},
            {{kStepBert, kCleanText}, std::u32string_view(U"a\u0000\uFFFD\u0007b\u00AD\u200D\r\n\u00A0", 10), U"ab   "},
            {{kStepBert, kStripsAccents}, U"\u00C0\u0903", U"A\u0903"},
            {{kStepBert, kLowercases}, U"\u00C9\u0130", U"\u00E9i\u0307"},
            {{kStepBert, 0}, U"\u00C9\t\u535A", U"\u00C9\t\u535A"}});
}

// --- graphemes --------------------------------------------------------------------------------------------------------

// Each of the texts is one grapheme: from GraphemeBreakTest.txt, and one for each rule.
TEST(NormalizerGraphemes, FollowTheRules) {
    const std::vector<std::vector<std::u32string_view>> kTexts = {
        {U"\r\n", U"\n", U"\r", U"\r"},                             // GB3, GB4
        {U"a", U"\r", U"\u0308", U"\u0001", U"\u0308"},             // GB4, GB5
        {U"\u1100\u1160", U" "},                                    // GB6
        {U"\u1100\u1100\uAC00\u11A8", U"\u1100"},                   // GB6, GB7
        {U"\uAC00\u1160\u11A8\u11A8", U"\uAC01\u11A8", U"\u1160"},  // GB7, GB8
        {U"\uAC01", U"\uAC00"},
        {U"a\u0308", U" \u0308\u200D", U"b"},                    // GB9
        {U"a\u0903", U"b"},                                      // GB9a
        {U"a", U"\u0600b", U"\u0600\u0600 ", U"\u0600", U"\r"},  // GB9b
        {U"\u0915\u094D\u0924", U"a"},                           // GB9c
        {U"\u0915\u094D\u094D\u0924", U"\u0915", U"\u0924"},
        {U"\u0915\u094D\u200D\u0924", U"\u0915\u0308", U"\u0924"},
        {U"\u0915\u094D", U"a"},
        {U"a\u094D", U"\u0924"},
        {U"\U0001F476\U0001F3FF", U"\U0001F476"},  // GB11
        {U"\U0001F6D1\u200D\U0001F6D1", U"a\u200D", U"\U0001F6D1"},
        {U"\u2701\u0308\u200D\u2701", U"\u2701\u200D\u0308", U"\u2701"},
        {U"\U0001F1E6\U0001F1E7", U"\U0001F1E8", U"b"},  // GB12, GB13
        {U"a", U"\U0001F1E6\U0001F1E7\u200D", U"\U0001F1E8\U0001F1E9", U"\U0001F1EA"},
        {U"\U0001F1E6\u200D", U"\U0001F1E7\U0001F1E8", U"b"},
        {U"a", U"b", U"\u4E2D", U"\u6587"}};  // GB999
    for (const auto& parts : kTexts) {
        StepText text;
        std::vector<std::size_t> expected, found;
        for (const std::u32string_view part : parts) {
            for (const char32_t c : part) ASSERT_TRUE(text.push_back({static_cast<u32>(c), 0}));
            expected.push_back(text.size());
        }
        const Graphemes graphemes(text);
        for (std::size_t at = 0; at < text.size(); found.push_back(at)) at = graphemes.end_of(at);
        EXPECT_EQ(found, expected) << utf8(parts[0]);
    }
}

// --- charsmaps --------------------------------------------------------------------------------------------------------

const CharsmapRules& some_rules() {
    static const CharsmapRules rules = {{"A", "a"},
                                        {"\xC3\xA9", "e"},
                                        {"e\xCC\x81", "\xC3\xA9"},
                                        {"\xC2\xAD", ""},
                                        {"\xEF\xAC\x81", "fi"},
                                        {"\t", " "},
                                        {"\r\n", "\n"},
                                        {"abc", "x"},
                                        {"abcd", "longer"},
                                        {"\xE4\xB8\xAD", "zh"},
                                        {"\xE4\xB8\xAE", "one"},
                                        {"\xCC\x81", "'"}};
    return rules;
}

TEST(NormalizerCharsmap, FindsTheShortestRule) {
    const std::string bytes = charsmap_of(some_rules());
    const u8* const data = reinterpret_cast<const u8*>(bytes.data());
    ASSERT_TRUE(Charsmap::is_one(data, bytes.size()));
    const Charsmap map(data, bytes.size());
    EXPECT_EQ(map.longest(), 6u);
    Random random(3);
    const std::string alphabet = "Aabcde\t\r\n\xC3\xA9\xCC\x81\xEF\xAC\xE4\xB8\xAD\xAE";
    std::size_t found_any = 0;
    for (std::uint64_t round = 0; round < sample(200'000, 2000); ++round) {
        std::string text;
        for (std::size_t length = random.below(7); length > 0; --length) text += alphabet[random.below(alphabet.size())];
        const u8* found = nullptr;
        size_t length = 0;
        const bool is_found = map.find(reinterpret_cast<const u8*>(text.data()), text.size(), &found, &length);
        const std::string* expected = nullptr;
        for (std::size_t size = 1; size <= text.size() && !expected; ++size) {
            if (const auto rule = some_rules().find(text.substr(0, size)); rule != some_rules().end()) expected = &rule->second;
        }
        ASSERT_EQ(is_found, expected != nullptr) << text;
        found_any += is_found;
        if (is_found) {
            ASSERT_EQ(std::string(reinterpret_cast<const char*>(found), length), *expected) << text;
        }
    }
    EXPECT_GT(found_any, sample(200'000, 2000) / 20);
}

TEST(NormalizerCharsmap, RulesApplyToGraphemesOrToCharacters) {
    const ProgramStep step = {kStepPrecompiled, 0, charsmap_of(some_rules())};
    expect({{step, U"AbcA", U"abca"},
            {step, U"e\u0301", U"\u00E9"},  // the grapheme
            {step, U"o\u0301", U"o'"},      // its characters
            {step, U"A\u0301", U"a"},       // a rule for its beginning replaces all of it
            {step, U"\r\n\r", U"\n\r"},
            {step, U"e\u0301\u0301\u0301", U"e'''"},  // too long
            {step, U"abc", U"abc"},                   // three graphemes
            {step, U"\uFB01\u00ADx\u4E2D", U"fixzh"}});
}

// --- stretches --------------------------------------------------------------------------------------------------------

struct Opened {
    explicit Opened(const std::vector<ProgramStep>& steps) : bytes(program_of(steps)) {
        section.reset(static_cast<u8*>(std::aligned_alloc(64, (bytes.size() + 63) / 64 * 64)));
        std::copy(bytes.begin(), bytes.end(), section.get());
        const NormalizerProgram* checked = nullptr;
        const Status status = read_program(section.get(), {kProgram, 0, bytes.size()}, &checked);
        EXPECT_TRUE(status.ok()) << status.position;
        const crayon::Normalizer* made = nullptr;
        EXPECT_TRUE(make_normalizer(kProgramNormalizer, nullptr, checked, &made).ok());
        normalizer.reset(made);
    }

    struct Free {
        void operator()(u8* memory) const { std::free(memory); }
    };
    Bytes bytes;
    std::unique_ptr<u8, Free> section;
    std::unique_ptr<const crayon::Normalizer> normalizer;
};

// Like the encoder (encode/normalizing.cpp), with more text at each of `ends`; the last one is the end of the text.
// The result of a run that starts at an offset, with the rows of its stretches.
std::string in_run(const crayon::Normalizer& program, const u8* text, std::size_t at, const crayon::Normalizer::Run& run) {
    constexpr std::size_t kBefore = 1000;  // in normalized text
    std::string made(run.length + crayon::Normalizer::kRunSlack, '?');
    Rewrites rewrites;
    EXPECT_TRUE(program.rewrite_run(text, at, run.end, {reinterpret_cast<u8*>(made.data()), kBefore, at, &rewrites}));
    made.resize(run.length);
    if (run.stays) {
        EXPECT_EQ(made, std::string(reinterpret_cast<const char*>(text) + at, run.end - at));
    }
    for (Rewrites::Iterator row = rewrites.after(0); row; row.next()) {
        crayon::Normalizer::Scratch scratch;
        bool changed = false;
        EXPECT_TRUE(program.rewrite(text, row->raw_begin, row->raw_end, 0, scratch, &changed).ok());
        EXPECT_EQ(made.substr(row->begin - kBefore, row->end - row->begin),
                  std::string(reinterpret_cast<const char*>(scratch.bytes.data()), scratch.bytes.size()));
        EXPECT_EQ(row->units, scratch.units);
        EXPECT_EQ(row->count, scratch.characters.size());
        if (row->count != scratch.characters.size() || row->count == 0) continue;
        EXPECT_EQ(std::memcmp(row->characters, scratch.characters.data(), row->count * sizeof(Rewritten)), 0);
    }
    return made;
}

std::string in_stretches(const crayon::Normalizer& program, const std::string& text, const std::vector<std::size_t>& ends,
                         bool in_runs = false) {
    std::string out;
    crayon::Normalizer::Scratch scratch;
    std::size_t at = 0, searched = 0;
    u32 opens = kOpensSegment | kOpensText;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::size_t size = ends[i];
        const bool last = i + 1 == ends.size();
        // The following text is different, and must have no influence.
        const std::string padded = text.substr(0, size) + std::string(crayon::Normalizer::kRunSlack, '\0');
        const u8* const bytes = reinterpret_cast<const u8*>(padded.data());
        while (at < size) {
            if (const auto run = program.run(bytes, at, size); in_runs && searched <= at && opens == 0 && run.end > at) {
                out += in_run(program, bytes, at, run);
                at = searched = run.end;
            }
            const crayon::Normalizer::Checked checked = program.check(bytes, at, searched, size, last, opens);
            EXPECT_TRUE(checked.normal >= at && checked.end >= checked.normal && checked.end <= size);
            if (checked.normal < at || checked.end > size) return "";
            out.append(padded, at, checked.normal - at);
            if (checked.normal > at) opens = 0;
            at = checked.normal;
            searched = std::max(checked.searched, at);
            if (checked.end == checked.normal) break;
            bool changed = false;
            const u32 edges = opens | (last && checked.end == size ? u32{kEndsSegment} : 0);
            EXPECT_TRUE(program.rewrite(bytes, at, checked.end, edges, scratch, &changed).ok());
            const std::string made(reinterpret_cast<const char*>(scratch.bytes.data()), scratch.bytes.size());
            const std::string raw = padded.substr(at, checked.end - at);
            if (!changed) {
                EXPECT_EQ(made, raw);
            }
            EXPECT_EQ(scratch.units, [&] {
                u32 units = 0;
                for (const char32_t c : naive::decode_utf8(raw).code_points) units += c > 0xFFFF ? 2 : 1;
                return units;
            }());
            u32 end = 0;
            Rewritten before = {};
            for (const Rewritten& each : scratch.characters) {
                EXPECT_TRUE(each.end > end && each.raw_begin < each.raw_end && each.raw_end <= raw.size() &&
                            each.units_begin < each.units_end && each.units_end <= scratch.units &&
                            each.raw_begin >= before.raw_begin && each.raw_end >= before.raw_end);
                end = each.end;
                before = each;
            }
            EXPECT_EQ(end, made.size());
            out += made;
            opens = 0;
            at = searched = checked.end;
        }
    }
    EXPECT_EQ(at, text.size());
    return out;
}

std::vector<std::size_t> cuts_of(Random& random, std::size_t size, std::size_t widest) {
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < size;) ends.push_back(at = std::min(size, at + 1 + random.below(widest)));
    if (ends.empty() || random.one_in(4)) ends.push_back(size);  // the text has ended, which is known only later
    return ends;
}

void expect_stretches(const Opened& opened, const std::string& text, Random& random, const std::string& about) {
    const std::string expected = at_once(opened.bytes, text);
    for (const std::size_t widest : {std::size_t{1} << 20, std::size_t{7}, std::size_t{1}}) {
        const std::vector<std::size_t> ends =
            widest > 100 ? std::vector<std::size_t>{text.size()} : cuts_of(random, text.size(), widest);
        for (const bool in_runs : {false, true}) {
            ASSERT_EQ(in_stretches(*opened.normalizer, text, ends, in_runs), expected)
                << about << ", windows of " << widest << (in_runs ? ", in runs: " : ": ") << text;
        }
    }
}

// Characters of every kind that a step handles, and those in the texts of steps.
const std::vector<std::string>& parts_of_texts() {
    static const std::vector<std::string> parts = [] {
        std::vector<std::string> all = {"a",  "b",  "ab",   "aab", "A",  "B",    " ",        " ",
                                        "  ", "\n", "\r\n", "1",   "23", "\xFF", "\xE4\xB8", "\xCC"};
        for (const char32_t c :
             U"\u00E9\u00C9\u0301\u0323\u0308\u0315\u1EC7\u212B\uFB01\u2075\uFDFA\u4E2D\u6587\u3042\u3000\u00A0\u200B\u200D"
             U"\u2581\uFEFF\uFFFD\u0007\u00AD\u0130\u0600\u0915\u094D\u0924\u0903\u1100\u1161\u11A8\uAC00\uAC01\u2701"
             U"\U0001F476\U0001F3FF\U0001F1E6\U0001F1E7\U0001D160\U00010400") {
            if (c != 0) all.push_back(utf8(std::u32string_view(&c, 1)));
        }
        all.push_back(std::string(1, '\0'));
        return all;
    }();
    return parts;
}

std::string random_text(Random& random, std::size_t most) {
    const auto& parts = parts_of_texts();
    const std::size_t first = random.below(parts.size()), kinds = random.one_in(2) ? parts.size() : 1 + random.below(8);
    std::string text;
    for (std::size_t count = random.below(most); count > 0; --count) {
        text += random.one_in(12) ? std::string(random.below(40), random.one_in(2) ? 'a' : ' ')
                                  : parts[(first + random.below(kinds)) % parts.size()];
    }
    return text;
}

std::string some_text(Random& random, std::size_t least, std::size_t most) {
    std::string text;
    do {
        text.clear();
        for (std::size_t count = least + random.below(most - least + 1); count > 0; --count) {
            text += parts_of_texts()[random.below(parts_of_texts().size())];
        }
    } while (text.size() < least);
    return text;
}

CharsmapRules random_rules(Random& random) {
    CharsmapRules rules;
    for (std::size_t count = random.below(12); count > 0; --count) {
        std::string text = some_text(random, 0, 2);
        std::erase(text, '\0');
        std::string key = some_text(random, 1, 2);
        std::erase(key, '\0');
        if (!key.empty()) rules[key] = text;
    }
    return rules;
}

std::set<std::string> random_symbols(Random& random) {
    std::set<std::string> symbols;
    for (std::size_t count = random.below(5); count > 0; --count) symbols.insert(some_text(random, 1, 3));
    return symbols;
}

std::string symbols_of(const std::set<std::string>& symbols) {
    if (symbols.empty()) return "";
    Bytes head(4 * (1 + symbols.size()));
    std::string texts;
    std::size_t index = 0;
    put32(head, 0, static_cast<u32>(symbols.size()));
    for (const std::string& symbol : symbols) {
        texts += symbol;
        put32(head, 4 * ++index, static_cast<u32>(texts.size()));
    }
    return std::string(head.begin(), head.end()) + texts;
}

// Any step there is: whether it may stand where it does is for the validator to say (is_program).
ProgramStep random_step(Random& random, bool is_alone = false) {
    const u32 kind = 1 + static_cast<u32>(random.below(kLastStep));
    switch (kind) {
        case kStepStrip:
            return {kind, static_cast<u32>(random.below(4))};
        case kStepPrepend:
            return {kind, 0, some_text(random, 1, 2)};
        case kStepReplace:
            return {kind, 0, some_text(random, 1, 3), some_text(random, 0, 2)};
        case kStepReplacePattern:
            return {kind, 0,
                    pattern_text(random.one_in(2)   ? digits()
                                 : random.one_in(2) ? ideographs_and_kana()
                                                    : automaton_named("gpt2")),
                    some_text(random, 0, 1)};
        case kStepBert:
            return {kind, static_cast<u32>(random.below(16))};
        case kStepPrecompiled:
            return {kind, 0, charsmap_of(random_rules(random))};
        case kStepSentencePiece: {
            const std::string map = random.one_in(3) ? "" : charsmap_of(random_rules(random));
            return {kind, static_cast<u32>(random.below(16)), map, symbols_of(random_symbols(random))};
        }
        case kStepMetaspace: {
            static constexpr u32 kFlags[] = {0, 1, 2, 3, 4, 5};
            const u32 flags = kFlags[random.below(std::size(kFlags))];
            const std::string mark = random.one_in(2) ? "\xE2\x96\x81" : random.one_in(2) ? "_" : "a";
            const bool takes = random.one_in(3);
            if (!takes && (is_alone || random.one_in(2))) return {kind, flags, mark, ""};
            const std::string tokens = symbols_of(random_symbols(random));
            if (!takes || tokens.empty()) return {kind, flags, mark, is_alone ? "" : tokens};
            return {kind, flags | kTakesWhitespace, mark, tokens};
        }
        default:
            return {kind};
    }
}

std::string described(const std::vector<ProgramStep>& steps) {
    std::string text;
    for (const ProgramStep& each : steps) {
        text += std::to_string(each.kind) + '/' + std::to_string(each.flags);
        if (each.kind == kStepReplace || each.kind == kStepPrepend || each.kind == kStepMetaspace)
            text += " \"" + each.first + '"';
        if (!each.second.empty() && each.kind != kStepSentencePiece && each.kind != kStepMetaspace)
            text += " by \"" + each.second + '"';
        text += ", ";
    }
    return text;
}

bool is_program(const std::vector<ProgramStep>& steps) {
    const Bytes bytes = program_of(steps);
    Buffer<u8> out;
    return normalize_text(bytes.data(), bytes.size(), nullptr, 0, &out).ok();
}

TEST(NormalizerProgram, StretchesOfOneStepEqualTheWhole) {
    for (u32 kind = 1; kind <= kLastStep; ++kind) {
        for (std::uint64_t seed = 0; seed < sample(40, 2); ++seed) {
            Random random(100 * kind + seed);
            ProgramStep step;
            do step = random_step(random, true);
            while (step.kind != kind);
            const Opened opened({step});
            for (std::size_t round = 0; round < 25; ++round) {
                expect_stretches(opened, random_text(random, 40), random, described({step}) + "seed " + std::to_string(seed));
                if (HasFatalFailure()) return;
            }
        }
    }
}

// The longest one at each position, from the left, after the previous steps.
TEST(NormalizerSteps, MetaspaceTokensAreNotWords) {
    const std::string mark = "\xE2\x96\x81", tokens = symbols_of({"ab", "abc"});
    const struct {
        u32 flags;
        std::u32string_view text, expected;
    } kCases[] = {{kPrependsAlways, U"ab AbCx y", U"ab\u2581abc\u2581x\u2581y"},
                  {kPrependsAlways, U"a abab b", U"\u2581a\u2581abab\u2581b"},
                  {kPrependsAlways, U"xab", U"\u2581xab"},
                  {kPrependsFirst, U"xabx", U"\u2581xabx"},
                  {kPrependsFirst, U"abx", U"abx"},
                  {0, U"ab x", U"ab\u2581x"},
                  {kDropsWhitespace | kPrependsAlways, U"x ab \n y abz", U"\u2581xab\u2581yab\u2581z"}};
    for (const auto& each : kCases) {
        const std::vector<ProgramStep> steps = {{kStepLowercase}, {kStepMetaspace, each.flags, mark, tokens}};
        const Opened opened(steps);
        Random random(1);
        EXPECT_EQ(at_once(opened.bytes, utf8(each.text)), utf8(each.expected));
        expect_stretches(opened, utf8(each.text), random, described(steps));
    }
}

// Before a token from the left, and after one; what belongs to a special one stays where special ones are text.
TEST(NormalizerSteps, MetaspaceTokensTakeWhitespace) {
    const std::string mark = "\xE2\x96\x81";
    const std::string tokens = symbols_of({"ab", "cd"});
    const struct {
        u32 flags;
        std::u32string_view text, expected;
    } kCases[] = {{kPrependsAlways, U"x \n ab y", U"\u2581xab\u2581y"},
                  {kPrependsAlways, U" ab", U"ab"},
                  {kPrependsAlways, U"cd ab x", U"cdab\u2581x"},
                  {kPrependsAlways, U"CD x\u3000 cd", U"cd\u2581xcd"},
                  {kPrependsFirst, U" abx", U"abx"},
                  {kPrependsFirst, U"x  ab", U"\u2581xab"},
                  {0, U"x  cd  ab  y", U"xcdab\u2581\u2581y"},
                  {kDropsWhitespace | kPrependsAlways, U"x ab \n y ab cd z", U"\u2581xab\u2581yabcd\u2581z"}};
    for (const bool is_only : {false, true}) {
        for (const auto& each : kCases) {
            std::vector<ProgramStep> steps = {{kStepMetaspace, each.flags | kTakesWhitespace, mark, tokens}};
            if (!is_only) steps.insert(steps.begin(), {kStepLowercase});
            if (is_only && each.text.starts_with(U"CD")) continue;
            const Opened opened(steps);
            Random random(1);
            const std::string text = utf8(each.text);
            crayon::Normalizer::Scratch scratch;
            scratch.finds_special = true;
            bool changed = false;
            ASSERT_TRUE(opened.normalizer
                            ->rewrite(reinterpret_cast<const u8*>(text.data()), 0, text.size(),
                                      crayon::kOpensSegment | crayon::kOpensText | crayon::kEndsSegment, scratch, &changed)
                            .ok());
            EXPECT_EQ(std::string(reinterpret_cast<const char*>(scratch.bytes.data()), scratch.bytes.size()),
                      utf8(each.expected));
            expect_stretches(opened, utf8(each.text), random, described(steps));
        }
    }
}

// By section 14 of the format.
std::string by_bites(const std::string& text, const CharsmapRules& rules, const std::set<std::string>& symbols, u32 flags) {
    const bool collapses = flags & kCollapsesSpaces, puts = flags & kPutsSpace, behind = flags & kSpaceBehind;
    const std::string space = flags & kMarksSpaces ? "\xE2\x96\x81" : " ";
    std::vector<std::string> bites;
    for (std::size_t at = 0; at < text.size();) {
        std::string made, longest;
        for (const std::string& symbol : symbols) {
            if (symbol.size() > longest.size() && text.compare(at, symbol.size(), symbol) == 0) made = longest = symbol;
        }
        for (const auto& [key, by] : rules) {
            if (symbols.contains(longest) || key.size() <= longest.size() || text.compare(at, key.size(), key) != 0) continue;
            longest = key;
            made = by;
        }
        if (longest.empty()) {
            const char32_t first = naive::decode_utf8(text.substr(at, 4)).code_points[0];
            const bool is_text = first != 0xFFFD || text.compare(at, 3, "\xEF\xBF\xBD") == 0;
            made = utf8(std::u32string_view(&first, 1));
            longest = is_text ? made : text.substr(at, 1);
        }
        bites.push_back(made);
        at += longest.size();
    }
    std::size_t first = 0;
    while (collapses && first < bites.size() && bites[first] == " ") ++first;
    if (first == bites.size()) return "";
    std::string out = puts && !behind ? space : "";
    bool is_after = collapses;
    for (; first < bites.size(); ++first) {
        std::string_view made = bites[first];
        while (is_after && made.starts_with(' ')) made.remove_prefix(1);
        for (const char c : made) out += c == ' ' ? space : std::string(1, c);
        if (!made.empty()) is_after = collapses && made.ends_with(' ');
    }
    while (collapses && out.ends_with(space)) out.resize(out.size() - space.size());
    return puts && behind ? out + space : out;
}

TEST(NormalizerSteps, SentencePieceTakesBites) {
    for (std::uint64_t seed = 0; seed < sample(3000, 50); ++seed) {
        Random random(seed);
        const CharsmapRules rules = random_rules(random);
        const std::set<std::string> symbols = random_symbols(random);
        const u32 flags = static_cast<u32>(random.below(16));
        const Opened opened({{kStepSentencePiece, flags, charsmap_of(rules), symbols_of(symbols)}});
        for (std::size_t round = 0; round < 20; ++round) {
            const std::string text = random_text(random, 30);
            ASSERT_EQ(at_once(opened.bytes, text), by_bites(text, rules, symbols, flags)) << "seed " << seed << ": " << text;
        }
    }
}

// 1 MB in which everything may be removed, or continues: no window is searched twice.
TEST(NormalizerSteps, SentencePieceIsLinear) {
    const u32 flags = kPutsSpace | kCollapsesSpaces | kMarksSpaces;
    const Opened opened({{kStepSentencePiece, flags, charsmap_of({{"b", ""}}), symbols_of({std::string(900, 'a')})}});
    std::vector<std::size_t> ends;
    for (std::size_t end = 20'000; end <= 1'000'000; end += 20'000) ends.push_back(end);
    EXPECT_EQ(in_stretches(*opened.normalizer, std::string(1'000'000, ' '), ends), "");
    EXPECT_EQ(in_stretches(*opened.normalizer, std::string(1'000'000, 'b'), ends), "");
    EXPECT_EQ(in_stretches(*opened.normalizer, "x" + std::string(999'999, ' '), ends), "\xE2\x96\x81x");
    EXPECT_EQ(in_stretches(*opened.normalizer, std::string(1'000'000, 'a'), ends), "\xE2\x96\x81" + std::string(1'000'000, 'a'));
}

TEST(NormalizerProgram, StretchesOfAnyProgramEqualTheWhole) {
    for (std::uint64_t seed = 0; seed < sample(2500, 30); ++seed) {
        Random random(seed);
        std::vector<ProgramStep> steps;
        do {
            steps.clear();
            for (std::size_t count = 1 + random.below(4); count > 0; --count) steps.push_back(random_step(random));
        } while (!is_program(steps));
        const Opened opened(steps);
        for (std::size_t round = 0; round < 12; ++round) {
            expect_stretches(opened, random_text(random, 40), random, described(steps) + "seed " + std::to_string(seed));
            if (HasFatalFailure()) return;
        }
    }
}

// Later steps handle what several characters become together, though they handle none of these alone.
TEST(NormalizerProgram, LaterStepsSeeTheOutputOfAStep) {
    const std::string accent = utf8(U"\u0301");
    const struct {
        std::vector<ProgramStep> steps;
        std::u32string_view text, expected;
    } kCases[] = {{{{kStepNfc}, {kStepReplace, 0, "x\xC3\xA1", "!"}}, U"wxa\u0301y", U"w!y"},
                  {{{kStepNfc}, {kStepReplace, 0, "\xC3\xA1x", "!"}}, U"wa\u0301xy", U"w!y"},
                  {{{kStepReplace, 0, "ab", accent}, {kStepNfc}}, U"weaby", U"w\u00E9y"},
                  {{{kStepReplace, 0, "ab", ""}, {kStepReplace, 0, "xy", "!"}}, U"wxabyz", U"w!z"},
                  {{{kStepReplace, 0, "ab", ""}, {kStepPrepend, 0, "_"}}, U"abz", U"_z"},
                  {{{kStepReplace, 0, "ab", " "}, {kStepStrip, kStripLeft | kStripRight}}, U" abzab ", U"z"},
                  {{{kStepPrecompiled, 0, charsmap_of({{"e" + accent, " "}})}, {kStepMetaspace, 5, "_"}}, U"ae\u0301b", U"_a_b"},
                  {{{kStepPrecompiled, 0, charsmap_of({{"e" + accent, ""}})}, {kStepPrepend, 0, "_"}}, U"e\u0301b", U"_b"}};
    for (const auto& each : kCases) {
        const Opened opened(each.steps);
        const std::string text = utf8(each.text);
        Random random(1);
        EXPECT_EQ(at_once(opened.bytes, text), utf8(each.expected));
        expect_stretches(opened, text, random, described(each.steps));
    }
}

// A pattern whose match ends only before certain text: \s+(?!\S) of gpt2, which leaves one space to a word.
TEST(NormalizerProgram, PatternsMayLookAhead) {
    const std::vector<ProgramStep> steps = {{kStepReplacePattern, 0, pattern_text(automaton_named("gpt2")), "#"}};
    const Opened opened(steps);
    for (std::uint64_t seed = 0; seed < sample(2000, 25); ++seed) {
        Random random(seed);
        std::string text;
        for (std::size_t count = random.below(20); count > 0; --count) text += "  \n'sla1."[random.below(9)];
        expect_stretches(opened, text, random, "seed " + std::to_string(seed));
        if (HasFatalFailure()) return;
    }
}

// The programs of models, on text of every kind.
TEST(NormalizerProgram, StretchesOfModelProgramsEqualTheWhole) {
    const std::string mark = "\xE2\x96\x81", map = charsmap_of(some_rules());
    const std::vector<std::vector<ProgramStep>> programs = {
        {{kStepBert, kCleanText | kSpacesIdeographs | kStripsAccents | kLowercases}},
        {{kStepPrepend, 0, mark}, {kStepReplace, 0, " ", mark}},
        {{kStepPrecompiled, 0, map}, {kStepMetaspace, kDropsWhitespace | kPrependsAlways, mark}},
        {{kStepReplace, 0, "``", "\""},
         {kStepReplace, 0, "''", "\""},
         {kStepNfkd},
         {kStepStripAccents},
         {kStepLowercase},
         {kStepPrecompiled, 0, map},
         {kStepReplacePattern, 0, pattern_text(digits()), " "}},
        {{kStepNmt}, {kStepNfkc}, {kStepStrip, kStripRight}, {kStepMetaspace, kPrependsFirst, mark}}};
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const Opened opened(programs[i]);
        for (std::uint64_t seed = 0; seed < sample(1500, 20); ++seed) {
            Random random(seed);
            const std::string text = random.one_in(2) ? random_text(random, 80) : TextGenerator(seed).utf8().substr(0, 600);
            expect_stretches(opened, text, random, "program " + std::to_string(i) + ", seed " + std::to_string(seed));
            if (HasFatalFailure()) return;
        }
    }
}

// Blocks of unchanged ASCII, with another character at each offset or none.
TEST(NormalizerProgram, BlocksOfAsciiEqualTheWhole) {
    for (const std::vector<ProgramStep>& steps : std::vector<std::vector<ProgramStep>>{{{kStepNfc}},
                                                                                       {{kStepLowercase}},
                                                                                       {{kStepReplace, 0, "a.", "!"}},
                                                                                       {{kStepStrip, 3}},
                                                                                       {{kStepMetaspace, 1 | 4, "_"}}}) {
        const Opened opened(steps);
        Random random(5);
        for (std::size_t length = 0; length <= 100; ++length) {
            if (length > 36 && length < 60) continue;
            if (!in_sweep(length) && (length + 2) % 16 > 4) continue;  // a thin sweep covers those around blocks
            const std::string text(length, 'a');
            expect_stretches(opened, text, random, described(steps));
            for (std::size_t at = 0; at <= length; ++at) {
                for (const char* other : {"A", " ", ".", "\xCC\x81", "\xFF", "\xC3"}) {
                    if (!in_sweep(at) || (share() < 1 && (length + at) % 4 > 0)) continue;
                    std::string changed = text;
                    changed.insert(at, other);
                    const std::string expected = at_once(opened.bytes, changed);
                    ASSERT_EQ(in_stretches(*opened.normalizer, changed, {changed.size()}), expected)
                        << described(steps) << changed;
                    ASSERT_EQ(in_stretches(*opened.normalizer, changed, {changed.size()}, true), expected)
                        << described(steps) << changed;
                    ASSERT_EQ(in_stretches(*opened.normalizer, changed, {at, changed.size()}), expected)
                        << described(steps) << changed;
                }
            }
            if (HasFatalFailure()) return;
        }
    }
}

// Runs in which no stretch ends.
TEST(NormalizerProgram, LongRunsTakeLinearTime) {
    const Opened opened({{kStepNfkd}, {kStepStrip, kStripLeft | kStripRight}, {kStepReplace, 0, "aaaab", "c"}});
    std::string marks = "q", expected = "q";
    for (int i = 0; i < 200'000; ++i) marks += i % 2 ? "\xCC\x81" : "\xCC\xA3";
    for (int i = 0; i < 100'000; ++i) expected += "\xCC\xA3";
    for (int i = 0; i < 100'000; ++i) expected += "\xCC\x81";
    EXPECT_EQ(in_stretches(*opened.normalizer, marks, {marks.size()}), expected);
    EXPECT_EQ(in_stretches(*opened.normalizer, std::string(1'000'000, ' '), {1'000'000}), "");
    // Across windows, nothing is searched twice.
    const std::string spaces(std::size_t{1} << 22, ' ');
    const u8* const bytes = reinterpret_cast<const u8*>(spaces.data());
    std::size_t searched = 0;
    for (std::size_t size = 64; size < spaces.size() - 8; size += 64) {
        const crayon::Normalizer::Checked checked =
            opened.normalizer->check(bytes, 0, searched, size, false, kOpensSegment | kOpensText);
        ASSERT_TRUE(checked.end == 0 && checked.searched >= size - 2);
        searched = checked.searched;
    }
    EXPECT_EQ(in_stretches(*opened.normalizer, std::string(1'000'000, 'a'), {1'000'000}), std::string(1'000'000, 'a'));
}

}  // namespace
}  // namespace crayon::test::normalizer_program_test
