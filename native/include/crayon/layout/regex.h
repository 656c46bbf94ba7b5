// A pattern as a program for the backtracking matcher (native/src/general/regex.h): u32 words, whose indices are from its head.
//
// After the head: the instructions, each an operation and its operands; the runs of classes; the sets.
//
// A character has a class: runs[2 × n] is the first code point of a run, runs[2 × n + 1] the class of its code points. A set has
// a bit for each class, in set_words words.
//
// Registers hold positions of the text, or kRegexNone. "With undo": backtracking sets the register back.
#pragma once

#include <cstdint>

namespace crayon::layout {

inline constexpr std::uint32_t kRegexNone = ~std::uint32_t{0};

struct Regex {
    std::uint32_t words;  // of all
    std::uint32_t flags;  // RegexFlags
    std::uint32_t registers;
    std::uint32_t places, inner_places;
    std::uint32_t reach;  // how many characters lookbehinds look back, one inside the other
    std::uint32_t classes, set_words;
    std::uint32_t runs, run_count;
    std::uint32_t sets, set_count;
    std::uint32_t end;  // of the instructions, which begin behind the head
};
static_assert(sizeof(Regex) == 52);
inline constexpr std::uint32_t kRegexHead = sizeof(Regex) / 4;

// kRegexBudget: a state is more than an instruction and a position, so that none is remembered, and work has a budget.
// kRegexSearchStart: it has kAssertSearchStart.
enum RegexFlags : std::uint32_t { kRegexBudget = 1, kRegexSearchStart = 2, kRegexAllFlags = 3 };
inline constexpr std::uint32_t kMaxRegexWords = 1 << 20;

enum RegexOp : std::uint32_t {
    kRegexMatch,
    kRegexCharacter,  // code point
    kRegexSet,        // set
    // set, minimum, maximum, RegexMode, place, end: so many characters. minimum = maximum, or minimum = 0. An endless one
    // (maximum = kRegexNone) has a place, an inner one if `end` is not 0; another one has 1 there inside of loops.
    kRegexRepeat,
    kRegexAhead,   // set, 1 or 0: whether the next character is in it
    kRegexBehind,  // set, 1 or 0: whether the character before is in it
    kRegexAssert,  // RegexAssertion, first set
    kRegexJump,    // target
    kRegexPush,    // target: continues there if all behind this fails
    // place, count, count × register: fails if it has failed here before. It is that many places further on as registers hold the
    // position: those of the loops around it (kRegexAdvanced).
    kRegexPlace,
    // place, end, count, count × register: as kRegexPlace inside of what opens and closes; `end` is the instruction that closes.
    kRegexInnerPlace,
    kRegexOpen,         // mark, three registers: an atomic group, or a lookaround
    kRegexOpenNot,      // mark, target: a negative lookaround, behind which the target is
    kRegexCloseAtomic,  // mark: drops what has been pushed since
    kRegexCloseAhead,   // mark: that, and returns to the position
    kRegexCloseNot,     // mark: backtracks to the mark, and fails
    kRegexBack,         // count: goes back by `count` characters
    kRegexStore,        // register = position, with undo
    kRegexAdvanced,     // register, target: goes there if the position is the register's
    kRegexReference,    // group: its text again; fails if it has not matched
    kRegexOpCount
};

enum RegexMode : std::uint32_t { kGreedy, kLazy, kPossessive };

// Word boundaries have the set of word characters.
enum RegexAssertion : std::uint32_t {
    kAssertTextStart,
    kAssertTextEnd,
    kAssertTextEndOrNewline,
    kAssertLineStart,
    kAssertLineEnd,
    kAssertSearchStart,
    kAssertWordBoundary,
    kAssertNoWordBoundary,
    kRegexAssertionCount
};

// A group is two registers: where its match begins and ends.

}  // namespace crayon::layout
