// A pattern of the reference, matched by backtracking: what Oniguruma finds in a whole text.
//
// lib/vocabularies/patterns compiles a pattern to a program (layout/regex.h): words that a cartridge carries and that are used in
// place. check_regex is its gate; after it, nothing is checked.
//
// Matching tries what the program prefers first, and where that fails goes back to the last alternative. Alone that can take
// exponential time. So, once a text has taken more work than texts do, the matcher remembers at which places of the program (a
// loop, the end of alternatives) it has been at which position of the text: where it was and failed, it fails at once. What may
// be remembered, and why, is in regex.cpp.
#pragma once

#include <cstddef>

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/regex.h"

namespace crayon::general {

// OK if `words` are a program that Regex can run on every text. CORRUPT_STRUCTURE if not, with the index of the word at fault as
// position; OUT_OF_MEMORY. Cost: linear.
Status check_regex(const u32* words, size_t count);
// The words of an instruction of such a program.
u32 regex_length(const u32* code);

struct Match {
    bool found;
    size_t begin, end;  // bytes of the text; begin ≤ end
};

// The matcher of one program, with the memory that it works in: one per thread. Texts are UTF-8; a byte that is not counts as
// U+FFFD. Cost: linear in text × program, over all matches of a text, unless the program has a reference (kRegexBudget). Then the
// steps of all texts since refill() have a budget: PATTERN_BUDGET, with the position in the text from which a match was sought,
// if it is used up; or if a program that no compiler wrote is not linear.
class Regex {
public:
    // `words` pass check_regex and outlive this.
    explicit Regex(const u32* words);

    // The whole budget again.
    void refill() { budget_ = work_ = 0; }
    // Begins a text, which must stay as it is until the next one. No memory is kept from the text before.
    void start(const u8* text, size_t size);
    // The leftmost match that begins at `from` or later; `from` is where a character begins, or the end. In one text, `from`
    // never decreases.
    Status find(size_t from, Match& match);
    // The next match of the text, as the reference's iterator has it (find_iter of the crate `onig`): matches do not overlap, and
    // no empty one follows a match at once.
    Status next(Match& match);

    // The steps taken since the text began, or since the budget was refilled: for tests.
    u64 work() const { return work_; }
    // The work after which places are remembered, or the budget is used up, in place of the usual: for tests.
    void allow_work(u64 work) { allowed_ = work; }

private:
    struct Frame {
        u32 pc;     // with kRange, kSlides
        u32 at;     // position
        u32 low;    // of a range: where it began, or how many characters more it may have
        u32 trail;  // length of the trail
    };
    // What backtracking undoes: a register's change from `a` to `b`, or that a place was at the positions from `a` to `b`.
    struct Change {
        u32 what, a, b;
    };
    // Of a repetition with a greatest number of characters: where it was last, and between which positions it may not end, as
    // what follows has failed at each behind the first, up to the last.
    struct Window {
        u32 begin, end, count;
        u32 failed_first, failed_last;
        bool has_failed(u32 at) const { return at > failed_first && at <= failed_last; }
    };
    enum class Outcome { kFound, kNotFound, kStopped };

    enum class Step { kGo, kFail, kStop };

    Outcome run(u32 begin, u32& end);
    bool begin_run();
    Step repeat(u32& pc, u32& at);
    Step repeat_otherwise(u32& pc, u32& at);
    static Step go_on(u32 known, u32& pc, u32& at, u32 end);
    Window* window_of(u32 pc);
    void slide(u32 pc, u32 at);
    void fail_at(Window& window, u32 at) const;
    void strike_out();
    bool remember();
    void forget(u32 from);
    u32 visit(u32 place, u32 end, u32 at);
    u32 open_loops(const u32* loops, u32 at) const;
    bool visited(u32 place, u32 end, u32 from, u32 to);
    void undo(u32 length);
    bool set(u32 index, u32 value);
    void close(u32 mark, u32 at);
    void settle(u32 trail, u32 at);
    bool push(u32 pc, u32 at, u32 low = 0);
    bool in_set(u32 set, u32 at, u32& length);
    u32 class_of(u32 code_point);
    u32 before(u32 at) const;
    bool holds(const u32* code, u32 at);
    bool refers(u32 group, u32& at);
    bool stop(Status status);
    bool use_up() { return stop({CRAYON_PATTERN_BUDGET, 0, search_start_}); }

    const u32* const words_;
    const layout::Regex& head_;
    u16 ascii_[128];  // classes
    const u8* text_ = nullptr;
    u32 size_ = 0, search_start_ = 0;
    size_t from_ = 0, last_end_ = 0;  // of the iterator
    bool has_last_ = false, is_too_long_ = false, remembers_ = false;
    u64 work_ = 0, allowance_ = 0, allowed_ = ~u64{0};
    u64 budget_ = 0;      // by the lengths of the texts
    u64 steps_each_ = 0;  // at each position, where places are remembered
    u32 most_kept_ = 0;   // frames, and changes of the trail
    Status status_;
    Buffer<u32> registers_;
    Buffer<Frame> frames_;
    Buffer<Change> trail_;
    Buffer<u64> outer_;       // a bit for each place and position: has been there
    Buffer<u32> inner_;       // for each inner place and position: 0 not yet, 1 fails, 2 + the position where its part ends
    Buffer<Window> windows_;  // by instruction
    Buffer<u16> blocks_;      // the classes of blocks of 128 code points, and which block each is
};

// Where a text has matches: begin and end of each, as the reference's find_matches has them, which finds none in an empty text.
// The statuses of check_regex and Regex.
Status find_matches(const u32* words, size_t count, const u8* text, size_t size, Buffer<u32>* out);

}  // namespace crayon::general
