// Cartridges that must be rejected because of their normalizer program: the handmade one with one rule of cartridges/FORMAT.md
// §14 broken.
#include "crayon/crayon.h"
#include "crayon/layout/cartridge.h"
#include "normalizer_programs.h"
#include "pattern_sections.h"
#include "rejected/rejections.h"

namespace crayon::test {

namespace {

using u32 = std::uint32_t;
constexpr u32 kViews = 3, kProgram = 24, kRows = 16, kRow = 24, kViewNormalizer = 8 + 28;
constexpr u32 kLowercase = 6, kStrip = 9, kPrepend = 10, kReplace = 11, kReplacePattern = 12, kBert = 13, kPrecompiled = 14,
              kMetaspace = 15, kSentencePiece = 16;

HandmadeCartridge with_program(Bytes program, bool is_slim) {
    HandmadeCartridge made = is_slim ? make_handmade_slim() : make_handmade_cartridge();
    put32(made.section(kViews).bytes, kViewNormalizer, layout::kProgramNormalizer);
    made.sections.push_back({kProgram, 1, std::move(program)});
    return made;
}

class Programs {
public:
    // `blamed`: a position in the program.
    void add(const char* name, const Bytes& program, std::size_t blamed) {
        for (const bool is_slim : {false, true}) {
            const Bytes file = with_program(program, is_slim).file();
            list.push_back({name, CRAYON_CORRUPT_STRUCTURE, kProgram, entry_of(file, kProgram).offset + blamed, file});
        }
    }
    void field(const char* name, std::vector<ProgramStep> steps, std::size_t at, u32 value, std::size_t blamed) {
        Bytes program = program_of(steps);
        put32(program, at, value);
        add(name, program, blamed);
    }
    // A field of the only step, which is blamed.
    void step(const char* name, const ProgramStep& step, std::size_t at, u32 value) {
        field(name, {step}, kRows + at, value, kRows + at);
    }

    std::vector<Rejection> list;
};

constexpr std::size_t kKind = 0, kFlags = 4, kFirst = 8, kFirstLength = 12, kSecond = 16, kSecondLength = 20;

void head(Programs& programs) {
    programs.add("a program without its head", Bytes(15), 0);
    programs.add("a program that is empty", {}, 0);
    for (const u32 count : {0u, 2u, 65u, 0xFFFFFFFFu}) programs.field("a wrong number of steps", {{kLowercase}}, 0, count, 0);
    for (const u32 at : {4u, 8u, 12u}) programs.field("a reserved word of a program", {{kLowercase}}, at, 1, 4);
    for (const u32 kind : {0u, 17u, 0xFFFFFFFFu}) programs.step("a step of no kind", {kLowercase}, kKind, kind);
    programs.add("SentencePiece that is not alone", program_of({{kSentencePiece}, {kLowercase}}), kRows);
    programs.add("SentencePiece behind another step", program_of({{kLowercase}, {kSentencePiece}}), kRows + kRow);
    programs.add("Metaspace that is not the last step", program_of({{kMetaspace, 0, "_"}, {kLowercase}}), kRows);
}

void references(Programs& programs) {
    programs.step("a flag of a step that has none", {kLowercase}, kFlags, 1);
    programs.step("an unknown flag of Strip", {kStrip, 3}, kFlags, 4);
    programs.step("an unknown flag of Bert", {kBert, 15}, kFlags, 16);
    programs.step("an unknown flag of Metaspace", {kMetaspace, 1, "_"}, kFlags, 16);
    programs.step("whitespace of no tokens", {kMetaspace, 1, "_"}, kFlags, 8);
    programs.step("an unknown flag of SentencePiece", {kSentencePiece, 15}, kFlags, 16);
    programs.step("Metaspace in front of all and of the first one", {kMetaspace, 1, "_"}, kFlags, 6);
    for (const u32 kind : {kPrepend, kReplace, kReplacePattern, kPrecompiled, kMetaspace}) {
        programs.add("a step that refers to nothing", program_of({{kind}}), kRows + kFirst);
    }
    programs.add("a step that may refer to nothing", program_of({{kLowercase, 0, "a"}}), kRows + kFirst);
    programs.add("a step that may refer to nothing else", program_of({{kPrepend, 0, "a", "b"}}), kRows + kSecond);
    programs.step("an offset of nothing", {kLowercase}, kFirst, 64);
    programs.step("another offset of nothing", {kReplace, 0, "a"}, kSecond, 64);
    const ProgramStep replace = {kReplace, 0, "ab", "cd"};  // 40 bytes, "ab" at 64, "cd" at 128
    for (const u32 at : {0u, 39u, 129u, 130u, 0xFFFFFFFFu}) {
        programs.step("a text outside of the section", replace, kFirst, at);
        programs.step("another text outside of the section", replace, kSecond, at);
    }
    for (const u32 length : {67u, 0xFFFFFFFFu}) {
        programs.field("a text that is too long for the section", {replace}, kRows + kFirstLength, length, kRows + kFirst);
    }
    for (const u32 length : {3u, 0xFFFFFFFFu}) {
        programs.field("another text that is too long for the section", {replace}, kRows + kSecondLength, length,
                       kRows + kSecond);
    }
    const std::string text(257, 'a');
    programs.add("a text of Prepend that is too long", program_of({{kPrepend, 0, text}}), kRows + kFirstLength);
    programs.add("a text that is too long to replace", program_of({{kReplace, 0, text, "b"}}), kRows + kFirstLength);
    programs.add("a text that is too long to put in", program_of({{kReplace, 0, "b", text}}), kRows + kSecond);
    for (const char* mark : {"ab", "\xE2\x96", "\xE2\x96\x81_", "\xE2\x96\x81\xE2\x96", "\xEF", "\xEF\xBF"}) {
        programs.add("Metaspace of no single character", program_of({{kMetaspace, 0, mark}}), kRows + kFirstLength);
    }
}

void tables(Programs& programs) {
    const std::string whole = charsmap_of({{"a", "b"}});
    const auto charsmap = [&](const std::string& bytes) {
        programs.add("a charsmap that is none", program_of({{kPrecompiled, 0, bytes}}), kRows + kFirstLength);
    };
    charsmap("abc");
    for (const u32 length : {0u, 5u, static_cast<u32>(whole.size()), 0xFFFFFFFCu}) {
        Bytes bytes(whole.begin(), whole.end());
        put32(bytes, 0, length);
        charsmap(std::string(bytes.begin(), bytes.end()));
    }
    programs.add("a charsmap of SentencePiece that is none", program_of({{kSentencePiece, 0, "abc"}}), kRows + kFirstLength);
    // Counts and ends of symbols.
    for (const std::string& symbols : {std::string("abc"), std::string("\1\0\0\0", 4), std::string("\1\0\0\0\0\0\0\0", 8),
                                       std::string("\1\0\0\0\2\0\0\0a", 9), std::string("\1\0\0\0\1\0\0\0ab", 10),
                                       std::string("\2\0\0\0\2\0\0\0\1\0\0\0ab", 14), std::string("\xFF\xFF\xFF\xFF", 4)}) {
        programs.add("symbols that are none", program_of({{kSentencePiece, 0, "", symbols}}), kRows + kSecond);
        programs.add("tokens that are none", program_of({{kLowercase}, {kMetaspace, 4, "_", symbols}}), kRows + kRow + kSecond);
    }
    for (const std::string& symbols : {std::string("abc"), std::string("\1\0\0\0", 4), std::string("\xFF\xFF\xFF\xFF", 4)}) {
        programs.add("tokens that are none, with whitespace", program_of({{kMetaspace, 12, "_", symbols}}), kRows + kSecond);
    }
    programs.add("tokens of a Metaspace alone", program_of({{kMetaspace, 4, "_", std::string("\1\0\0\0\1\0\0\0a", 9)}}),
                 kRows + kSecond);
    const Bytes section = section_of(digits(), 7);
    const std::string pattern(section.begin(), section.end());
    const ProgramStep replace = {kReplacePattern, 0, pattern, "#"};
    {
        Bytes program(16 + 24 + 64 + 4);
        const Bytes aligned = program_of({replace});
        program.assign(aligned.begin(), aligned.end());
        program.insert(program.begin() + 40, 4, 0);
        put32(program, kRows + kFirst, 68);
        put32(program, kRows + kSecond, get32(program, kRows + kSecond) + 4);
        programs.add("a pattern at an offset that is no multiple of 64", program, kRows + kFirst);
    }
    programs.field("a pattern with a state too many", {replace}, 64, 129, 64);
    programs.add("two patterns", program_of({{kReplacePattern, 0, pattern + pattern, "#"}}), kRows + kFirstLength);
    programs.field("a pattern that is too short", {replace}, kRows + kFirstLength, 60, 64);
}

}  // namespace

std::vector<Rejection> program_rejections() {
    Programs programs;
    head(programs);
    references(programs);
    tables(programs);
    for (const bool is_slim : {false, true}) {
        HandmadeCartridge missing = with_program({}, is_slim), unused = with_program(program_of({{kLowercase}}), is_slim);
        missing.remove(kProgram);
        programs.list.push_back({"a program that is missing", CRAYON_CORRUPT_STRUCTURE, kProgram, 0, missing.file()});
        put32(unused.section(kViews).bytes, kViewNormalizer, 1);
        const Bytes other = unused.file();
        programs.list.push_back(
            {"a program that no view has", CRAYON_CORRUPT_STRUCTURE, kProgram, entry_of(other, kProgram).offset, other});
        HandmadeCartridge unknown = with_program(program_of({{kLowercase}}), is_slim);
        put32(unknown.section(kViews).bytes, kViewNormalizer, layout::kLastNormalizer + 1);
        const Bytes file = unknown.file();
        programs.list.push_back({"a normalizer that there is not", CRAYON_CORRUPT_STRUCTURE, kViews,
                                 entry_of(file, kViews).offset + kViewNormalizer, file});
    }
    return programs.list;
}

}  // namespace crayon::test
