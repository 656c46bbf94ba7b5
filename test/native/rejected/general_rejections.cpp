// Cartridges of the general path that must be rejected: a handmade one with one rule of cartridges/FORMAT.md §15 broken.
#include "crayon/crayon.h"
#include "general_sections.h"
#include "handmade_longest_match.h"
#include "normalizer_programs.h"
#include "rejected/rejections.h"

namespace crayon::test {

namespace {

using u32 = std::uint32_t;
using Words = std::vector<u32>;
constexpr u32 kModel = 2, kViews = 3, kAdded = 4, kJoinedBytes = 15, kGeneral = 29, kTokens = 5, kNone = 0xFFFFFFFF;
constexpr u32 kBpe = 1, kUnigram = 3;
constexpr u32 kStripAccents = 2, kReplace = 9, kPrepend = 10, kPrecompiled = 11, kSentencePiece = 14, kBert = 32, kDelimiter = 34,
              kMetaspace = 35, kSplit = 40, kScripts = 41, kFixedLength = 42, kIsRegex = 8;
constexpr std::size_t kRows = 64, kRow = 24, kFlags = 4, kFirst = 8, kFirstLength = 12, kSecond = 16;

HandmadeCartridge made_of(const Bytes& section, bool is_slim) {
    HandmadeCartridge made = is_slim ? make_handmade_slim_longest_match() : make_handmade_longest_match();
    if (!is_slim) made.remove(kJoinedBytes);
    put32(made.section(kModel).bytes, 0, 6);
    made.sections.push_back({kGeneral, 1, section});
    return made;
}

using Scores = std::vector<double>;

Bytes plain() { return general_of({.model = kBpe}); }
// With one step, whose row is the first.
Bytes section_of_step(const GeneralRow& step) {
    GeneralSection made = {.model = kBpe};
    (step.kind < kBert ? made.normalizers : made.pre_tokenizers).push_back(step);
    return general_of(made);
}

class Sections {
public:
    // `blamed`: a position in the section.
    void add(const std::string& name, const Bytes& section, std::size_t blamed) {
        other(name, kGeneral, blamed, section, [](HandmadeCartridge&) {});
    }
    void field(const std::string& name, Bytes section, std::size_t at, u32 value, std::size_t blamed) {
        put32(section, at, value);
        add(name, section, blamed);
    }
    void step(const std::string& name, const GeneralRow& step, std::size_t blamed) {
        add(name, section_of_step(step), kRows + blamed);
    }
    // With another section changed, too.
    template <class Change>
    void other(const std::string& name, u32 blamed_section, std::size_t blamed, const Bytes& section, const Change& change) {
        for (const bool is_slim : {false, true}) {
            HandmadeCartridge made = made_of(section, is_slim);
            change(made);
            const Bytes file = made.file();
            list.push_back(
                {name, CRAYON_CORRUPT_STRUCTURE, blamed_section, entry_of(file, blamed_section).offset + blamed, file});
        }
    }
    // A program of a Split, with the word at fault.
    void words(const std::string& name, const Words& program, std::size_t blamed) {
        const Bytes section = section_of_step({kSplit, kIsRegex, bytes_of(program)});
        add(name, section, get32(section, kRows + kFirst) + 4 * blamed);
    }

    std::vector<Rejection> list;
};

const std::string kNoTexts[] = {"\xFF", "a\x80", "\xE2\x96", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"};

void head(Sections& sections) {
    sections.add("a general section that is empty", {}, 0);
    sections.add("a general section without its head", Bytes(63), 0);
    for (const u32 model : {0u, 5u, kNone}) sections.field("a model that there is not", plain(), 0, model, 0);
    for (const u32 flags : {16u, 0x80000000u, kNone}) sections.field("a flag of no model", plain(), kFlags, flags, kFlags);
    for (const u32 count : {1u, 256u, kNone}) sections.field("more steps than rows", plain(), 8, count, 8);
    sections.add("more steps than there may be",
                 general_of({.model = kBpe, .normalizers = std::vector<GeneralRow>(257, {kStripAccents})}), 8);
    for (const u32 count : {1u, kNone}) sections.field("more normalizers than steps", plain(), 12, count, 12);
    for (const u32 at : {20u, 24u, 28u}) sections.field("a reserved word of the head", plain(), at, 1, 20);
    for (const u32 at : {32u, 40u, 48u, 56u}) {
        const Bytes section =
            general_of({.model = kUnigram, .prefix = "ab", .suffix = "cd", .merges = {0, 0, 1}, .scores = Scores(kTokens)});
        for (const u32 offset : {0u, 56u, get32(section, at) + 1, get32(section, at) + 4, 4096u, 0xFFFFFFF8u}) {
            sections.field("a part outside of the section", section, at, offset, at);
        }
        for (const u32 length : {0u, 4096u, kNone}) sections.field("a part of another length", section, at + 4, length, at);
    }
    for (const std::string& text : kNoTexts) {
        sections.add("a prefix that is no text", general_of({.model = kBpe, .prefix = text}), 32);
        sections.add("a suffix that is no text", general_of({.model = kBpe, .suffix = text}), 40);
    }
    sections.add("scores of another model", general_of({.model = kBpe, .scores = Scores(kTokens)}), 56);
    for (const u32 count : {0u, kTokens - 1}) {
        sections.add("fewer scores than tokens", general_of({.model = kUnigram, .scores = Scores(count)}), 56);
    }
    for (const u32 at : {0u, 1u, 2u, 3u, 4u, 5u}) {
        for (const u32 id : {kTokens, kNone}) {
            Words merges = {0, 0, 1, 1, 2, 4};
            merges[at] = id;
            sections.add("a merge of no tokens", general_of({.model = kBpe, .merges = merges}), kRows + at / 3 * 12);
        }
    }
}

void steps(Sections& sections) {
    for (const u32 kind : {0u, 15u, 31u, 43u, kNone}) {
        sections.field("a step of no kind", section_of_step({kStripAccents}), kRows, kind, kRows);
        sections.field("a pretokenizer of no kind", section_of_step({kBert}), kRows, kind, kRows);
    }
    sections.add("a pretokenizer among the normalizers",
                 general_of({.model = kBpe, .normalizers = {{kStripAccents}, {kFixedLength, 1}}}), kRows + kRow);
    sections.add("a normalizer among the pretokenizers",
                 general_of({.model = kBpe, .pre_tokenizers = {{kFixedLength, 1}, {kStripAccents}}}), kRows + kRow);
    const std::string mark = "\xE2\x96\x81";
    const GeneralRow rows[] = {{1, 15},
                               {2},
                               {3, 3},
                               {4},
                               {5},
                               {6},
                               {7},
                               {8},
                               {kReplace, 0, "a"},
                               {kPrepend},
                               {12},
                               {13},
                               {kBert},
                               {33, 3},
                               {kDelimiter, 0, "a"},
                               {kMetaspace, 7, mark},
                               {36},
                               {37},
                               {38, 4},
                               {39, 4},
                               {kSplit, 4, "a"},
                               {kScripts}};
    for (const GeneralRow& row : rows) {
        const auto flags = [&](u32 more) {
            GeneralRow wrong = row;
            wrong.flags |= more;
            sections.step("a flag that step " + std::to_string(row.kind) + " has not", wrong, kFlags);
        };
        for (const u32 more : {32u, 0x80000000u}) flags(more);
        if (row.kind != kSplit) flags(16);
        if (row.kind != kSplit && row.kind != kReplace && row.kind != 1) flags(8);
        if (row.kind < 38 && row.kind != 1 && row.kind != kMetaspace) flags(4);
        if (row.kind >= 38 && row.kind <= kSplit) {
            for (const u32 behavior : {1u, 2u, 3u}) flags(behavior);  // with 4: 5, 6, 7
        }
        if (row.kind != kReplace) {
            GeneralRow wrong = row;
            wrong.second = "b";
            sections.step("what step " + std::to_string(row.kind) + " does not refer to", wrong, kSecond);
        }
    }
    for (const u32 kind : {1u, 2u, 3u, 4u, 8u, 12u, 13u, 33u, 37u, kFixedLength}) {
        sections.step("a first part of a step that has none", {kind, 0, "a"}, kFirst);
    }
    for (const std::string& text : kNoTexts) {
        for (const u32 kind : {kReplace, kPrepend, kDelimiter, kMetaspace, kSplit})
            sections.step("a step with no text", {kind, 0, text}, kFirst);
        sections.step("a content that is no text", {kReplace, 0, "a", text}, kSecond);
    }
    for (const u32 kind : {kReplace, kPrecompiled, kSentencePiece, kDelimiter, kMetaspace, kSplit}) {
        sections.step("a step that needs a part", {kind}, kFirst);
    }
    for (const u32 kind : {kDelimiter, kMetaspace}) {
        for (const char* text : {"ab", "\xE2\x96\x81_", "\xE2\x96\x81\xE2\x96\x81"})
            sections.step("no single character", {kind, 0, text}, kFirst);
    }
    const Bytes replace = section_of_step({kReplace, 0, "ab", "cd"});
    for (const std::size_t part : {kFirst, kSecond}) {
        const std::size_t at = kRows + part;
        for (const u32 offset : {0u, u32{kRows}, get32(replace, at) + 1, get32(replace, at) + 4, 4096u, 0xFFFFFFF8u}) {
            sections.field("a part of a step outside of the section", replace, at, offset, at);
        }
        for (const u32 length : {4096u, kNone}) sections.field("a part of a step that is too long", replace, at + 4, length, at);
    }
    sections.field("a pattern of no length", replace, kRows + kFirstLength, 0, kRows + kFirst);
    for (const u32 kind : {kBert, 36u, 38u, 39u, kScripts}) {
        const std::string all(row_bytes_of(kind), '\0');
        const Bytes section = section_of_step({kind, 0, all});
        for (const u32 count : {2u, kNone})
            sections.field("more rows than there are", section, kRows + kFirstLength, count, kRows + kFirst);
    }
    const std::string charsmap = charsmap_of({{"a", "b"}});
    for (std::string wrong : {std::string("abc"), charsmap.substr(0, 4)}) {
        sections.step("a charsmap that is none", {kPrecompiled, 0, wrong}, kFirst);
    }
    const auto program = [](const std::vector<ProgramStep>& all) {
        const Bytes bytes = program_of(all);
        return std::string(bytes.begin(), bytes.end());
    };
    sections.step("a normalizer that is not SentencePiece", {kSentencePiece, 0, program({{6}})}, kFirst);
    const Bytes damaged = section_of_step({kSentencePiece, 0, program({{16, 15}})});
    const u32 begin = get32(damaged, kRows + kFirst);
    sections.field("a SentencePiece of no steps", damaged, begin, 0, begin);
    sections.field("a flag that SentencePiece has not", damaged, begin + 16 + 4, 16, begin + 16 + 4);
    sections.step("a program without its head", {kSentencePiece, 0, "abc"}, kRow);  // where the part begins
}

void around(Sections& sections) {
    for (const u32 pretokenizer : {1u, 4u}) {
        sections.other("a view with a pretokenizer", kViews, 8 + 8, plain(),
                       [&](HandmadeCartridge& made) { put32(made.section(kViews).bytes, 8 + 8, pretokenizer); });
    }
    sections.other("a view with a normalizer", kViews, 8 + 28, plain(),
                   [](HandmadeCartridge& made) { put32(made.section(kViews).bytes, 8 + 28, 1); });
    sections.other("an added token that is no text", kAdded, 8 + 16 + 4, plain(),
                   [](HandmadeCartridge& made) { made.section(kAdded).bytes[8 + 16 + 4 + 1] = 0xC3; });
    for (const bool is_slim : {false, true}) {
        HandmadeCartridge missing = made_of({}, is_slim);
        missing.remove(kGeneral);
        sections.list.push_back(
            {"no general section", CRAYON_MISSING_SECTION, kGeneral, 64 + missing.sections.size() * 16, missing.file()});
        for (const u32 id : {7u, kJoinedBytes, 25u, 26u}) {
            if (is_slim && id == kJoinedBytes) continue;  // then the file is not slim
            HandmadeCartridge made = made_of(plain(), is_slim);
            made.sections.push_back({id, 1, Bytes(16)});
            sections.list.push_back(
                {"a section of another model", CRAYON_CORRUPT_STRUCTURE, 0, 64 + (made.sections.size() - 1) * 16, made.file()});
        }
    }
}

// Operations, from native/include/crayon/layout/regex.h.
enum Op : u32 {
    kMatch,
    kCharacter,
    kSet,
    kRepeat,
    kAhead,
    kBehind,
    kAssert,
    kJump,
    kPush,
    kPlace,
    kInnerPlace,
    kOpen,
    kOpenNot,
    kCloseAtomic,
    kCloseAhead,
    kCloseNot,
    kBack,
    kStore,
    kAdvanced,
    kReference,
    kNoOp
};
constexpr u32 kBudget = 1, kCode = 13;

// Ten registers; three places of each kind; three sets.
Words program(Words code, u32 flags = 0) {
    code.push_back(kMatch);
    return words_of({.code = code, .flags = flags, .registers = 10, .places = 3, .inner_places = 3});
}

void program_heads(Sections& sections) {
    const Words whole = program({kSet, 0});
    const u32 size = static_cast<u32>(whole.size()), end = whole[12], runs = end, sets = whole[10];
    const auto word = [&](const char* name, u32 at, u32 value, u32 blamed) {
        Words words = whole;
        words[at] = value;
        sections.words(name, words, blamed);
    };
    sections.words("a program without its whole head", Words(12), 0);
    sections.words("a program that is too long", Words((1 << 20) + 1), 0);
    {
        const Bytes section = section_of_step({kSplit, kIsRegex, bytes_of(whole) + "a"});
        sections.add("a program of no whole words", section, kRows + kFirst);
        sections.field("a program of no words", section, kRows + kFirstLength, 3, kRows + kFirst);
    }
    for (const u32 value : {0u, size - 1, size + 1, kNone}) word("a program of another length", 0, value, 0);
    for (const u32 value : {4u, kNone}) word("flags that a program cannot have", 1, value, 1);
    for (const u32 value : {4 * size + 1, kNone}) word("registers", 2, value, 2);
    for (const u32 at : {3u, 4u}) {
        for (const u32 value : {size + 1, kNone}) word("more places than words", at, value, 3);
    }
    for (const u32 value : {0u, 33u, 0x10000u, kNone}) word("classes that are not those of the sets", 6, value, 6);
    for (const u32 value : {0u, 2u, kNone}) word("sets of another size", 7, value, 6);
    for (const u32 value : {0u, kCode, size + 1, kNone}) word("an end of the instructions", 12, value, 12);
    for (const u32 value : {0u, end - 1, end + 1, kNone}) word("runs elsewhere", 8, value, 8);
    for (const u32 value : {size, kNone}) word("more runs than there is room for", 9, value, 8);
    word("no runs", 9, 0, 9);
    for (const u32 value : {0u, sets - 1, sets + 1, kNone}) word("sets elsewhere", 10, value, 10);
    for (const u32 value : {size, kNone}) word("more sets than there is room for", 11, value, 10);
    word("fewer sets than there is room for", 11, 2, 11);
    word("a first run that begins later", runs, 1, runs);
    for (const u32 value : {0u, u32{'a'}}) word("runs that do not ascend", runs + 4, value, runs + 4);
    for (const u32 at : {runs + 1, runs + 7}) {
        for (const u32 value : {3u, kNone}) word("a class that there is not", at, value, at);
    }
}

void instructions(Sections& sections) {
    // `blamed`: the index of a word of the code.
    const auto refuse = [&](const std::string& name, const Words& code, u32 blamed, u32 flags = kBudget) {
        sections.words(name, program(code, flags), kCode + blamed);
    };
    for (const u32 op : {u32{kNoOp}, kNone}) refuse("an operation that there is not", {kMatch, op}, 1);
    refuse("a reference without a budget", {kMatch, kReference, 0}, 1, 0);
    const auto ends = [&](const std::string& name, Words code, u32 blamed) {
        sections.words(name,
                       words_of({.code = std::move(code), .flags = kBudget, .registers = 10, .places = 3, .inner_places = 3}),
                       kCode + blamed);
    };
    const std::pair<u32, u32> lengths[] = {{kCharacter, 2}, {kSet, 2},     {kRepeat, 7},      {kAhead, 3},      {kBehind, 3},
                                           {kAssert, 3},    {kJump, 2},    {kPush, 2},        {kPlace, 3},      {kInnerPlace, 4},
                                           {kOpen, 2},      {kOpenNot, 3}, {kCloseAtomic, 2}, {kCloseAhead, 2}, {kCloseNot, 2},
                                           {kBack, 2},      {kStore, 2},   {kAdvanced, 3},    {kReference, 2}};
    for (const auto& [op, length] : lengths) {
        for (u32 left = 1; left < length; ++left) {
            Words code = {kMatch, op};
            code.resize(1 + left);
            ends("operation " + std::to_string(op) + " without operands", code, 1);
        }
    }
    for (const Words& counted : {Words{kPlace, 0}, {kInnerPlace, 0, kCode}}) {
        for (const u32 count : {1u, 0x80000000u, kNone}) {
            Words code = {kMatch};
            code.insert(code.end(), counted.begin(), counted.end());
            code.push_back(count);
            ends("more operands than words", code, 1);
        }
    }
    for (const Words& last : {Words{kCharacter, 'a'},
                              {kSet, 0},
                              {kRepeat, 0, 0, 1, 0, 0, 0},
                              {kAhead, 0, 0},
                              {kPush, kCode},
                              {kOpen, 0},
                              {kCloseAtomic, 0},
                              {kCloseAhead, 0},
                              {kPlace, 0, 0}}) {
        ends("an instruction behind which there is none", last, 0);
    }
    for (const u32 set : {3u, kNone}) {
        refuse("a set that there is not", {kSet, set}, 1);
        refuse("a repeated set that there is not", {kRepeat, set, 0, 1, 0, 0, 0}, 1);
        refuse("a set ahead that there is not", {kAhead, set, 0}, 1);
        refuse("a set behind that there is not", {kBehind, set, 0}, 1);
        refuse("a set of word boundaries that there is not", {kAssert, 6, set}, 2);
    }
    for (const u32 flag : {2u, kNone}) {
        refuse("no flag of what is ahead", {kAhead, 0, flag}, 2);
        refuse("no flag of what is behind", {kBehind, 0, flag}, 2);
    }
    for (const u32 target : {0u, kCode - 1, kCode + 1, kCode + 7, 0x10000u, kNone}) {  // the last instruction begins at 6
        const auto jumps = [&](const char* name, Words code, u32 operand, u32 flags = kBudget) {
            code[operand] = target;
            code.resize(6, kMatch);
            refuse(name, code, operand, flags);
        };
        jumps("a jump to no instruction", {kJump, 0}, 1);
        jumps("an alternative at no instruction", {kPush, 0}, 1);
        jumps("an inner place whose end is no instruction", {kInnerPlace, 0, 0, 0}, 2);
        jumps("a negative lookaround with no instruction behind it", {kOpenNot, 0, 0}, 2);
        jumps("a loop without an end", {kAdvanced, 0, 0}, 2);
        if (target != 0 && target != kCode + 7) {
            refuse("a repetition whose part ends at no instruction", {kRepeat, 0, 0, kNone, 0, 0, target}, 6, 0);
        }
    }
    for (const u32 place : {3u, kNone}) {
        refuse("a place that there is not", {kPlace, place, 0}, 1);
        refuse("an inner place that there is not", {kInnerPlace, place, kCode, 0}, 1);
        refuse("a place of a repetition that there is not", {kRepeat, 0, 0, kNone, 0, place, 0}, 5, 0);
        refuse("an inner place of a repetition that there is not", {kRepeat, 0, 0, kNone, 0, place, kCode + 7}, 5, 0);
    }
    refuse("a place of too many loops", {kPlace, 1, 2, 0, 0}, 1);
    refuse("an inner place of too many loops", {kInnerPlace, 0, kCode, 3, 0, 0, 0}, 1);
    for (const u32 index : {10u, kNone}) {
        refuse("no register of a loop", {kPlace, 0, 1, index}, 3);
        refuse("no register of a loop inside", {kInnerPlace, 0, kCode, 2, 0, index}, 5);
        refuse("no register of an iteration", {kAdvanced, index, kCode}, 1);
    }
    for (const u32 mark : {8u, 10u, kNone}) {  // of three registers
        for (const u32 op : {kOpen, kCloseAtomic, kCloseAhead, kCloseNot}) refuse("no mark", {op, mark}, 1);
        refuse("no mark of a negative lookaround", {kOpenNot, mark, kCode}, 1);
    }
    for (const u32 index : {10u, kNone}) {
        refuse("no register to store in", {kStore, index}, 1);
    }
    for (const u32 group : {9u, 10u, kNone}) {  // of two registers
        refuse("a reference to no group", {kReference, group}, 1);
    }
    for (const u32 kind : {8u, kNone}) refuse("an assertion that there is not", {kAssert, kind, 0}, 1);
    refuse("the beginning of the search without its flag", {kAssert, 5, 0}, 1);
    for (const u32 least : {1u, 3u}) refuse("a repetition that is bounded on both sides", {kRepeat, 0, least, 2, 2, 0, 0}, 2);
    refuse("a repetition of nothing", {kRepeat, 0, 0, 0, 0, 0, 0}, 3);
    refuse("a repetition that never ends", {kRepeat, 0, kNone, kNone, 2, 0, 0}, 3);
    for (const u32 mode : {3u, kNone}) refuse("a repetition of no mode", {kRepeat, 0, 0, 1, mode, 0, 0}, 4);
    for (const u32 mode : {0u, 1u}) refuse("a fixed number of times that gives some back", {kRepeat, 0, 2, 2, mode, 0, 0}, 4);
}

void loops(Sections& sections) {
    const auto refuse = [&](const char* name, const Words& code, u32 blamed) {
        sections.words(name, program(code), kCode + blamed);
    };
    refuse("a loop of one jump", {kJump, kCode}, 0);
    refuse("a loop that passes no place", {kPush, kCode + 6, kCharacter, 'a', kJump, kCode}, 4);
    refuse("a loop of alternatives", {kCharacter, 'a', kPush, kCode}, 2);
    refuse("a loop that is not reached", {kJump, kCode + 4, kJump, kCode + 2}, 2);
    refuse("a loop around a bounded repetition", {kRepeat, 0, 0, 5, 0, 0, 0, kJump, kCode}, 7);
    refuse("a loop of a lookaround", {kOpenNot, 0, kCode}, 0);
    refuse("a loop to where the part of a place ends", {kInnerPlace, 0, kCode, 0}, 0);
    refuse("a loop over the end of a place's part", {kInnerPlace, 0, kCode + 6, 0, kJump, kCode + 8, kPush, kCode}, 6);
    refuse("a loop to where the part of a repetition ends", {kRepeat, 0, 0, kNone, 0, 0, kCode}, 0);
}

}  // namespace

std::vector<Rejection> general_rejections() {
    Sections sections;
    head(sections);
    steps(sections);
    around(sections);
    program_heads(sections);
    instructions(sections);
    loops(sections);
    return std::move(sections.list);
}

}  // namespace crayon::test
