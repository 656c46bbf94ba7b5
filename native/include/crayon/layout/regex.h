// A pattern as a program for the backtracking matcher (native/src/general/regex.h): u32 words, whose indices are from its head.
//
// After the head: the instructions, each an operation and its operands; the runs of classes; the sets; the foldings.
//
// A character has a class: runs[2 × n] is the first code point of a run, runs[2 × n + 1] the class of its code points. A set has
// a bit for each class, in set_words words. A folding, for references without regard to case, is four words: a code point, and
// the up to three that it folds to, with kRegexNone behind them; ascending.
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
    std::uint32_t locals;  // the first registers: a call keeps them
    std::uint32_t places, inner_places;
    std::uint32_t reach;  // how many characters lookbehinds look back, one inside the other
    std::uint32_t classes, set_words;
    std::uint32_t runs, run_count;
    std::uint32_t sets, set_count;
    std::uint32_t foldings, folding_count;
    std::uint32_t end;  // of the instructions, which begin behind the head
};
static_assert(sizeof(Regex) == 64);
inline constexpr std::uint32_t kRegexHead = sizeof(Regex) / 4;

// kRegexBudget: a state is more than an instruction and a position, so that none is remembered, and work has a budget.
// kRegexSearchStart: it has kAssertSearchStart. kRegexCalls: it has kRegexCall. kRegexAtStart: a match begins where a search
// does, or at the next character; kRegexAtStartOnly: not there; kRegexAtLines: or behind a newline.
enum RegexFlags : std::uint32_t {
    kRegexBudget = 1,
    kRegexSearchStart = 2,
    kRegexCalls = 4,
    kRegexAtStart = 8,
    kRegexAtStartOnly = 16,
    kRegexAtLines = 32,
    kRegexAllFlags = 63
};
inline constexpr std::uint32_t kMaxRegexWords = 1 << 20;
inline constexpr std::uint32_t kMaxRegexCalls = 20;  // inside each other; a deeper one fails

enum RegexOp : std::uint32_t {
    kRegexFail,
    kRegexMatch,
    kRegexCharacter,  // code point
    kRegexSet,        // set
    // set, least, most, RegexMode, place, end: at most `most` characters. least = most, or least = 0. An endless one (most =
    // kRegexNone) has a place, an inner one if `end` is not 0; another one has 1 there inside of loops.
    kRegexRepeat,
    kRegexAhead,     // set, 1 or 0: whether the next character is in it
    kRegexBehind,    // set, 1 or 0: whether the character before is in it
    kRegexAssert,    // RegexAssertion, first set
    kRegexJump,      // target
    kRegexPush,      // target: continues there if all behind this fails
    kRegexPushKept,  // target: as kRegexPush, and no close drops it
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
    kRegexCopy,         // from, to: with undo
    kRegexAdvanced,     // register, target: goes there if the position is the register's
    // register, target, count, count × (group, copy): likewise, unless one of the groups has matched anew since the copies
    kRegexChanged,
    kRegexReference,  // 1 without regard to case, count, count × group: the text of the first that has matched and fits
    kRegexTest,       // count, count × group: whether one has matched
    kRegexLevel,  // 0 test, 1 text, 2 text without regard to case; level, count, count × group: as of so many calls further in
    kRegexCountStart,  // register = 0, with undo
    kRegexCountNext,   // register, least, most, body, 1 greedy: counts an iteration, and may begin another one
    kRegexCall,        // target
    kRegexReturn,
    kRegexKeep,        // the match begins here
    kRegexSaveLimit,   // register = where the text is taken to end, with undo
    kRegexLimitFrom,   // register
    kRegexLimitAtEnd,  // the text's own end
    kRegexPlaceFrom,   // register: continues at that position
    kRegexOpCount
};

enum RegexMode : std::uint32_t { kGreedy, kLazy, kPossessive };

// Word boundaries have the set of word characters, grapheme boundaries the sets in the order of RegexGraphemes.
enum RegexAssertion : std::uint32_t {
    kAssertTextStart,
    kAssertTextEnd,
    kAssertTextEndOrNewline,
    kAssertLineStart,
    kAssertLineEnd,
    kAssertSearchStart,
    kAssertWordBoundary,
    kAssertNoWordBoundary,
    kAssertGraphemeBoundary,
    kAssertNoGraphemeBoundary,
    kRegexAssertionCount
};

enum RegexGraphemes : std::uint32_t {
    kCr,
    kLf,
    kControl,
    kExtend,
    kPrepend,
    kRegionalIndicator,
    kSpacingMark,
    kZwj,
    kL,
    kLv,
    kLvt,
    kT,
    kV,
    kPictographic,
    kRegexGraphemeSets
};

// A group is two registers: where its match begins and ends.

}  // namespace crayon::layout
