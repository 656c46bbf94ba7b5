// What may be remembered.
//
// The matcher's state is an instruction and a position, and besides: the alternatives that are left (frames), and registers.
// Programs in which registers decide what matches (references) have kRegexBudget, and nothing is remembered. In the others,
// registers hold marks of open groups, and where the iterations of loops began. An iteration that ends where it began is the last
// one (kRegexAdvanced). So the rest of an iteration depends on whether it has read something: a place inside of loops is several
// places, one for each number of loops whose iteration has read nothing. These are the innermost, as an inner iteration began
// later.
//
// Outside of groups that close (atomic ones, lookarounds) a place that is reached again at the same position fails:
// * Whether the rest of the program matches from there depends on place and position alone, as has been said.
// * It was reached before, and did not lead to a match; else the search would have ended. Nor are its alternatives still being
// tried:
//   then there were a way from the place back to itself that reads nothing. Such a way goes round a loop, and through an
//   iteration that reads nothing, after which the loop ends.
// A match makes this wrong for the places on its way, which have not failed: strike_out(). A place that has failed stays so for
// the searches behind the match, as what is before a position never decides, except for \G: forget().
//
// Inside of a group that closes, a place that is reached again leads to what it led to before: its part failed, or it ended at a
// position. In the latter case that is where it ends now, too: go to the instruction that closes. What is behind it decides as
// ever, and if it fails, closing has dropped the alternatives inside, as it must. settle() writes the position for the places on
// the way when the group closes; those that are not on the way have failed.
//
// So each place is passed once for each position, but for the ways of matches, which do not overlap. Between places lie parts of
// the program without loops, and alternatives end at one. That is linear in text × program.
#include "general/regex.h"

#include <algorithm>
#include <cstring>

#include "base/utf8.h"

namespace crayon::general {

using namespace layout;

namespace {

constexpr u32 kNone = kRegexNone;
constexpr u32 kRange = u32{1} << 31, kSlides = u32{1} << 30;  // in Frame::pc; with both, `low` is where a lazy range ends
constexpr u32 kPlaceChange = u32{1} << 31, kInnerChange = u32{1} << 30;  // in Change::what
// Work, in steps, that a text may take before places are remembered, and altogether where none are.
constexpr u64 kWorkPerByte = 32, kWorkAtLeast = 4096;
constexpr u64 kBudgetPerByte = 1000, kBudgetAtLeast = 1'000'000'000;
// Frames, and changes, that a program with a budget may keep.
constexpr u64 kKeptPerByte = 64, kKeptAtLeast = 1 << 22;
constexpr u32 kBlocks = 128, kBlockShift = 7, kBlockSize = 1 << kBlockShift;
constexpr u32 kRepeatWords = 7;
constexpr u64 kMostTimes = 64;  // that an instruction is run at a position, far above what is needed

bool is_newline(u8 byte) { return byte == '\n'; }

}  // namespace

[[gnu::always_inline]] inline bool Regex::in_set(u32 set, u32 at, u32& length) {
    const u32 byte = text_[at];
    u32 kind;
    if (byte < 128) [[likely]] {
        kind = ascii_[byte];
        length = 1;
    } else {
        const Character character = character_in(text_, at, size_);
        kind = class_of(character.code_point);
        length = character.length;
    }
    return words_[head_.sets + set * head_.set_words + kind / 32] >> kind % 32 & 1;
}

[[gnu::always_inline]] inline bool Regex::push(u32 pc, u32 at, u32 low) {
    return frames_.size() < most_kept_ ? frames_.push_back({pc, at, low, static_cast<u32>(trail_.size())}) : use_up();
}

Regex::Regex(const u32* words) : words_(words), head_(*reinterpret_cast<const layout::Regex*>(words)) {
    const u32* run = words + head_.runs;
    const u32* const end = run + 2 * head_.run_count;
    for (u32 code_point = 0; code_point < 128; ++code_point) {
        while (run + 2 < end && run[2] <= code_point) run += 2;
        ascii_[code_point] = static_cast<u16>(run[1]);
    }
}

void Regex::start(const u8* text, size_t size) {
    text_ = text;
    is_too_long_ = size > kNone - 8;
    size_ = is_too_long_ ? 0 : static_cast<u32>(size);
    from_ = last_end_ = 0;
    has_last_ = remembers_ = false;
    if (head_.flags & kRegexBudget) {
        budget_ += size * kBudgetPerByte;
        allowance_ = kBudgetAtLeast + budget_;
        most_kept_ = static_cast<u32>(std::min<u64>(kKeptAtLeast + size * kKeptPerByte, kNone));
    } else {
        work_ = 0;
        allowance_ = kWorkAtLeast + size * (kWorkPerByte + (head_.end - kRegexHead) / 4);
        most_kept_ = kNone;
    }
    allowance_ = std::min(allowance_, allowed_);
}

Status Regex::find(size_t from, Match& match) {
    match = {};
    if (is_too_long_) return {CRAYON_TEXT_TOO_LONG, 0, 0};
    search_start_ = static_cast<u32>(from);
    if (remembers_ && (head_.flags & kRegexSearchStart)) forget(search_start_);
    if (!begin_run()) return Status::out_of_memory();
    const u32* const first = words_ + kRegexHead;
    const bool skips = first[0] == kRegexAhead && first[2] == 1;
    for (u32 at = search_start_;;) {
        u32 end = 0, length;
        if (skips) {
            // No match begins elsewhere; nor has a text other ways to have none.
            while (at < size_ && !in_set(first[1], at, length)) at += length, ++work_;
        }
        switch (run(at, end)) {
            case Outcome::kFound:
                match = {true, std::min(at, end), end};  // a damaged program may end ahead of where it began
                return {};
            case Outcome::kStopped:
                return status_;
            case Outcome::kNotFound:
                break;
        }
        if (at >= size_) return {};
        at += text_[at] < 0x80 ? 1 : character_in(text_, at, size_).length;
    }
}

Status Regex::next(Match& match) {
    for (;;) {
        if (from_ > size_) {
            match = {};
            return {};
        }
        const Status status = find(from_, match);
        if (!status.ok() || !match.found) {
            from_ = size_t{size_} + 1;
            return status;
        }
        // Only empty ones end where the last one did.
        if (!has_last_ || match.end > last_end_) {
            from_ = last_end_ = match.end;
            has_last_ = true;
            return {};
        }
        from_ += from_ < size_ ? character_in(text_, from_, size_).length : 1;
    }
}

Status find_matches(const u32* words, size_t count, const u8* text, size_t size, Buffer<u32>* out) {
    Status status = size < size_t{1} << 31 ? check_regex(words, count) : Status{CRAYON_TEXT_TOO_LONG};
    if (!status.ok() || size == 0) return status;
    Regex regex(words);
    regex.start(text, size);
    for (Match match;;) {
        if (status = regex.next(match); !status.ok() || !match.found) return status;
        if (!out->push_back(static_cast<u32>(match.begin)) || !out->push_back(static_cast<u32>(match.end)))
            return Status::out_of_memory();
    }
}

bool Regex::begin_run() {
    frames_.clear();
    trail_.clear();
    if (blocks_.empty() && !blocks_.assign(kBlocks * (kBlockSize + 1), 0xFFFF)) return false;
    return registers_.assign(head_.registers, kNone);
}

bool Regex::stop(Status status) {
    status_ = status;
    return false;
}

// Begins to remember places, or ends the search whose budget is used up.
bool Regex::remember() {
    if (remembers_ || (head_.flags & kRegexBudget)) return use_up();
    const u64 positions = u64{size_} + 1, bits = positions * head_.places;
    if (!outer_.zeroed(bits / 64 + 1) || !inner_.zeroed(positions * head_.inner_places + 1) || !windows_.zeroed(head_.end))
        return stop(Status::out_of_memory());
    remembers_ = true;
    // A program in which ways join elsewhere than at places is not linear. Others take fewer steps than this, at each position
    // each instruction a few times.
    steps_each_ = 0;
    for (u32 pc = kRegexHead; pc < head_.end; pc += regex_length(words_ + pc)) {
        const bool is_bounded = words_[pc] == kRegexRepeat && words_[pc + 3] != kNone;
        steps_each_ += kMostTimes * (1 + u64{is_bounded ? std::min(words_[pc + 3], size_) : 0});
    }
    allowance_ = work_ + positions * steps_each_;
    return true;
}

// The search begins elsewhere now. \G holds there, and only there; no place further behind leads back to it, except by a
// lookbehind.
void Regex::forget(u32 from) {
    const u32 reach = std::min(head_.reach, size_ / 4) * 4;
    const u32 first = from - std::min(from, reach), last = from + std::min(size_ - from, reach);
    const size_t positions = size_t{size_} + 1;
    allowance_ += (last - first + 1) * steps_each_;
    for (size_t place = 0; place < head_.places; ++place) {
        for (size_t bit = place * positions + first; bit <= place * positions + last; ++bit)
            outer_[bit / 64] &= ~(u64{1} << bit % 64);
    }
    for (size_t place = 0; place < head_.inner_places; ++place) {
        std::fill_n(&inner_[place * positions + first], last - first + 1, 0);
    }
}

// 0 if the place has not been at the position before; then it has now. Else what it led to: 1 for a failure, 2 + a position.
u32 Regex::visit(u32 place, u32 end, u32 at) {
    const size_t index = place * (size_t{size_} + 1) + at;
    if (end != 0) {
        u32& known = inner_[index];
        if (known == 0) {
            known = 1;
            return 0;
        }
        return known;
    }
    u64& word = outer_[index / 64];
    const u64 bit = u64{1} << index % 64;
    if (word & bit) return 1;
    word |= bit;
    return 0;
}

// How many of the loops began their iteration at the position.
u32 Regex::open_loops(const u32* loops, u32 at) const {
    return static_cast<u32>(std::count_if(loops + 1, loops + 1 + loops[0], [&](u32 loop) { return registers_[loop] == at; }));
}

bool Regex::visited(u32 place, u32 end, u32 from, u32 to) {
    return trail_.push_back({kPlaceChange | (end != 0 ? kInnerChange : 0) | place, from, to});
}

void Regex::undo(u32 length) {
    while (trail_.size() > length) {
        const Change& change = trail_.back();
        if (!(change.what & kPlaceChange)) registers_[change.what] = change.a;
        trail_.pop_back();
    }
}

bool Regex::set(u32 index, u32 value) {
    if (trail_.size() >= most_kept_) return use_up();
    if (!trail_.push_back({index, registers_[index], value})) return false;
    registers_[index] = value;
    return true;
}

// Drops the alternatives since the mark.
void Regex::close(u32 mark, u32 at) {
    frames_.truncate(std::min<size_t>(registers_[mark], frames_.size()));
    if (remembers_) settle(registers_[mark + 1], at);
}

// The part in which the changes since then were has ended: so do its places on the way.
void Regex::settle(u32 trail, u32 at) {
    size_t remaining = std::min<size_t>(trail, trail_.size());
    for (size_t i = remaining; i < trail_.size(); ++i) {
        const Change change = trail_[i];
        if ((change.what & kPlaceChange) && (change.what & kInnerChange)) {
            const size_t row = (change.what & ~(kPlaceChange | kInnerChange)) * (size_t{size_} + 1);
            std::fill(&inner_[row + change.a], &inner_[row + change.b] + 1, at + 2);
        } else {
            trail_[remaining++] = change;
        }
    }
    trail_.truncate(remaining);
}

u32 Regex::class_of(u32 code_point) {
    // Blocks are filled as they are needed: texts have few.
    const u32 block = code_point >> kBlockShift, slot = block % kBlocks;
    u16* const classes = &blocks_[slot * (kBlockSize + 1)];
    if (classes[kBlockSize] != block) {
        const u32* const runs = words_ + head_.runs;
        u32 low = 0, high = head_.run_count;
        while (high - low > 1) {
            const u32 middle = (low + high) / 2;
            (runs[2 * middle] <= block << kBlockShift ? low : high) = middle;
        }
        for (u32 i = 0; i < kBlockSize; ++i) {
            if (low + 1 < head_.run_count && runs[2 * low + 2] <= (block << kBlockShift) + i) ++low;
            classes[i] = static_cast<u16>(runs[2 * low + 1]);
        }
        classes[kBlockSize] = static_cast<u16>(block);
    }
    return classes[code_point % kBlockSize];
}

// Where the character before `at` (not 0) begins.
u32 Regex::before(u32 at) const {
    u32 begin = at - 1;
    if (text_[begin] < 0x80) return begin;
    while (begin > 0 && at - begin < 4 && is_continuation(text_[begin])) --begin;
    return character_in(text_, begin, at).length == at - begin ? begin : at - 1;
}

// --- assertions -------------------------------------------------------------------------------------------------------

bool Regex::holds(const u32* code, u32 at) {
    const auto is_word = [&](u32 position) {
        u32 length;
        return in_set(code[2], position, length);
    };
    switch (code[1]) {
        case kAssertTextStart:
            return at == 0;
        case kAssertTextEnd:
            return at == size_;
        case kAssertTextEndOrNewline:
            return at == size_ || (at + 1 == size_ && is_newline(text_[at]));
        case kAssertLineStart:
            return at == 0 || (at < size_ && is_newline(text_[at - 1]));
        case kAssertLineEnd:
            return at == size_ || is_newline(text_[at]);
        case kAssertSearchStart:
            return at == search_start_;
        case kAssertWordBoundary:
            // An empty text has none.
            if (at == 0) return size_ > 0 && is_word(at);
            return is_word(before(at)) != (at < size_ && is_word(at));
        default:
            if (at == 0) return !(size_ > 0 && is_word(at));
            return is_word(before(at)) == (at < size_ && is_word(at));
    }
}

// Whether the text of a group stands at `at`; then `at` is behind it.
bool Regex::refers(u32 group, u32& at) {
    const u32 begin = registers_[group], end = registers_[group + 1];
    if (begin == kNone || end == kNone || end > size_) return false;  // a mark, in a damaged program
    if (end <= begin) return true;
    const u32 size = end - begin;
    work_ += size / 16;
    if (size > size_ - at || std::memcmp(text_ + begin, text_ + at, size) != 0) return false;
    at += size;
    return true;
}

// --- repetitions of one character -------------------------------------------------------------------------------------

// nullptr if there is nothing to remember.
Regex::Window* Regex::window_of(u32 pc) {
    return remembers_ && words_[pc + 3] != kNone && !(head_.flags & kRegexSearchStart) ? &windows_[pc] : nullptr;
}

// Begins a repetition elsewhere. The characters that it has in common with where it was are not read again, so that one that
// begins at each character of a text takes linear time.
void Regex::slide(u32 pc, u32 at) {
    Window& window = windows_[pc];
    const u32 set = words_[pc + 1], maximum = words_[pc + 3];
    u32 count = 0, end = at, length = 0;
    while (end < window.begin && count < maximum && in_set(set, end, length)) end += length, ++count;
    work_ += count;
    if (at < window.begin && end == window.begin) {
        for (end = window.end, count += window.count; count > maximum; --count) end = before(end);
    } else if (at >= window.begin && at <= window.end) {
        for (u32 from = window.begin; from < at; ++count) from += character_in(text_, from, size_).length;
        work_ += count;
        count = window.count - count;
        end = window.end;
    }
    const u32 known = count;
    while (count < maximum && end < size_ && in_set(set, end, length)) end += length, ++count;
    work_ += count - known + 1;
    window = {at, end, count, window.failed_first, window.failed_last};
}

// What follows the repetition has failed at a position that is not its beginning.
void Regex::fail_at(Window& window, u32 at) const {
    const u32 previous = before(at);
    if (at == window.failed_first)
        window.failed_first = previous;
    else if (previous == window.failed_last)
        window.failed_last = at;
    else if (!window.has_failed(at))
        window.failed_first = previous, window.failed_last = at;
}

// A repetition that begins at `at`. Where places are remembered, each of its positions is one of its place.
Regex::Step Regex::repeat(u32& pc, u32& at) {
    const u32* const code = words_ + pc;
    const u32 set = code[1], minimum = code[2], maximum = code[3], mode = code[4], place = code[5], end = code[6];
    const bool remembers = remembers_ && maximum == kNone;
    const u32 begin = at;
    u32 known = 0;
    if (Window* const window = mode == kLazy && place == 0 ? window_of(pc) : nullptr) {
        slide(pc, at);
        if (window->end > at && !push(pc | kRange | kSlides, at, window->end)) return Step::kStop;
        pc += kRepeatWords;
        return Step::kGo;
    }
    if (mode == kLazy) {
        if (remembers) known = visit(place, end, at);
        if (known == 0) {
            if (!push(pc | kRange, at, maximum == kNone ? at : maximum)) return Step::kStop;
            if (remembers && !visited(place, end, at, at)) return Step::kStop;
            pc += kRepeatWords;
            return Step::kGo;
        }
    } else if (!remembers) {
        u32 count = 0, length = 0;
        if (const Window* const window = window_of(pc)) {
            slide(pc, at);
            count = window->count;
            at = window->end;
        } else {
            for (; count < maximum && at < size_ && in_set(set, at, length); ++count) at += length;
            work_ += count;
        }
        if (count < minimum) return Step::kFail;
        if (mode == kGreedy && at > begin && !push(pc | kRange, at, begin)) return Step::kStop;
        pc += kRepeatWords;
        return Step::kGo;
    } else {
        u32 last = kNone, length = 0;
        while ((known = visit(place, end, at)) == 0) {
            last = at;
            ++work_;
            if (at >= size_ || !in_set(set, at, length)) break;
            at += length;
        }
        if (last != kNone) {
            // What has failed from further behind fails again; a shorter repetition may match.
            const bool goes_on = known == 0 || (known == 1 && mode == kGreedy);
            if (goes_on && mode == kGreedy && last > begin && !push(pc | kRange, last, begin)) return Step::kStop;
            if (!visited(place, end, begin, last)) return Step::kStop;
            if (goes_on) {
                at = last;
                pc += kRepeatWords;
                return Step::kGo;
            }
        }
    }
    return go_on(known, pc, at, end);
}

// Where a place has been at its position before: 1 for a failure, else 2 + the position where its part ends, at `end`.
Regex::Step Regex::go_on(u32 known, u32& pc, u32& at, u32 end) {
    if (known == 1) return Step::kFail;
    pc = end;
    at = known - 2;
    return Step::kGo;
}

// Continues the repetition on top of the frames with another length.
Regex::Step Regex::repeat_otherwise(u32& pc, u32& at) {
    Frame& frame = frames_.back();
    pc = frame.pc & ~(kRange | kSlides);
    const u32* const code = words_ + pc;
    const u32 place = code[5], end = code[6], begin = frame.low;
    const bool remembers = remembers_ && code[3] == kNone;
    at = frame.at;
    Window* const window = window_of(pc);
    if (code[4] == kGreedy) {
        if (window) fail_at(*window, at);
        at = before(at);
        if (window && at > begin && window->has_failed(at)) at = std::max(begin, window->failed_first);
        frame.at = at;
        if (at <= begin) frames_.pop_back();
    } else if (frame.pc & kSlides) {
        const u32 window_end = frame.low;
        if (at > 0) fail_at(*window, at);
        at += character_in(text_, at, size_).length;
        const bool all = window->has_failed(at) && window->failed_last >= window_end;
        if (window->has_failed(at) && !all) at = window->failed_last + character_in(text_, window->failed_last, size_).length;
        frame.at = at;
        if (all || at >= window_end) frames_.pop_back();
        if (all) return Step::kFail;
    } else {
        u32 length = 0, known = 0;
        if (at >= size_ || !in_set(code[1], at, length)) {
            frames_.pop_back();
            return Step::kFail;
        }
        if (remembers) known = visit(place, end, at + length);
        if (known != 0) {
            frames_.pop_back();
            if (!visited(place, end, begin, at)) return Step::kStop;
            return go_on(known, pc, at, end);
        }
        at = frame.at = at + length;
        if (code[3] != kNone && --frame.low == 0) frames_.pop_back();
    }
    if (remembers && !visited(place, end, begin, at)) return Step::kStop;
    pc += kRepeatWords;
    return Step::kGo;
}

// --- the matcher ------------------------------------------------------------------------------------------------------

// The match that begins at `begin`. Frames and trail are empty, and are so again afterwards. In the switch, `continue` goes on
// with the next instruction, and `break` fails, unless `step` says otherwise.
Regex::Outcome Regex::run(u32 begin, u32& end) {
    const u32* const words = words_;
    const u8* const text = text_;
    u32 pc = kRegexHead, at = begin;
    u64 steps = 0, allowed = allowance_ - std::min(allowance_, work_);
    // What takes more steps than one counts them in work_.
    const auto count = [&] {
        work_ += steps;
        steps = 0;
        allowed = allowance_ - std::min(allowance_, work_);
    };
    status_ = Status::out_of_memory();  // what stops without another status
    for (;;) {
        if (++steps > allowed) [[unlikely]] {
            if (count(); work_ > allowance_ && !remember()) return Outcome::kStopped;
            count();
        }
        const u32* const code = words + pc;
        Step step = Step::kFail;
        switch (code[0]) {
            case kRegexCharacter: {
                if (at >= size_) break;
                if (text[at] < 0x80) {
                    if (text[at] != code[1]) break;
                    ++at;
                } else {
                    const Character character = character_in(text, at, size_);
                    if (character.code_point != code[1]) break;
                    at += character.length;
                }
                pc += 2;
                continue;
            }
            case kRegexSet: {
                u32 length;
                if (at >= size_ || !in_set(code[1], at, length)) break;
                at += length;
                pc += 2;
                continue;
            }
            case kRegexRepeat: {
                if (remembers_ || code[4] == kLazy) {
                    step = repeat(pc, at);
                    count();
                    break;
                }
                u32 times = 0, length;
                const u32 first = at;
                for (; times < code[3] && at < size_ && in_set(code[1], at, length); ++times) at += length;
                steps += times;
                if (times < code[2]) break;
                if (code[4] == kGreedy && at > first && !push(pc | kRange, at, first)) return Outcome::kStopped;
                pc += kRepeatWords;
                continue;
            }
            case kRegexPush: {
                pc += 2;
                // An alternative that begins with another character than the next one is not worth a frame.
                const u32* const next = code + 2;
                u32 length;
                const bool fails = next[0] == kRegexCharacter
                                       ? next[1] < 0x80 && (at >= size_ || text[at] != next[1])
                                       : next[0] == kRegexSet && (at >= size_ || !in_set(next[1], at, length));
                if (fails)
                    pc = code[1];
                else if (!push(code[1], at))
                    return Outcome::kStopped;
                continue;
            }
            case kRegexJump:
                pc = code[1];
                continue;
            case kRegexAhead: {
                u32 length;
                if ((at < size_ && in_set(code[1], at, length)) != (code[2] != 0)) break;
                pc += 3;
                continue;
            }
            case kRegexBehind: {
                u32 length;
                if ((at > 0 && in_set(code[1], before(at), length)) != (code[2] != 0)) break;
                pc += 3;
                continue;
            }
            case kRegexPlace:
                if (remembers_) {
                    const u32 place = code[1] + open_loops(code + 2, at);
                    if (visit(place, 0, at) != 0) break;
                    if (!visited(place, 0, at, at)) return Outcome::kStopped;
                }
                pc += 3 + code[2];
                continue;
            case kRegexInnerPlace:
                if (remembers_) {
                    const u32 place = code[1] + open_loops(code + 3, at), known = visit(place, code[2], at);
                    if (known != 0) {
                        step = go_on(known, pc, at, code[2]);
                        break;
                    }
                    if (!visited(place, code[2], at, at)) return Outcome::kStopped;
                }
                pc += 4 + code[3];
                continue;
            case kRegexOpen:
            case kRegexOpenNot: {
                const u32 marks[] = {static_cast<u32>(frames_.size()), static_cast<u32>(trail_.size()), at};
                std::copy_n(marks, 3, &registers_[code[1]]);
                if (code[0] == kRegexOpenNot && !push(code[2], at)) return Outcome::kStopped;
                pc += code[0] == kRegexOpen ? 2 : 3;
                continue;
            }
            case kRegexCloseAtomic:
                close(code[1], at);
                pc += 2;
                continue;
            case kRegexCloseAhead:
                close(code[1], at);
                at = std::min(registers_[code[1] + 2], size_);
                pc += 2;
                continue;
            case kRegexCloseNot: {
                const u32 height = registers_[code[1]], trail = registers_[code[1] + 1];
                if (remembers_) settle(trail, at);
                frames_.truncate(std::min<size_t>(height, frames_.size()));
                undo(trail);
                break;
            }
            case kRegexAssert:
                if (!holds(code, at)) break;
                pc += 3;
                continue;
            case kRegexBack: {
                u32 left = code[1];
                for (; left > 0 && at > 0; --left) at = before(at);
                steps += code[1] - left;
                if (left > 0) break;
                pc += 2;
                continue;
            }
            case kRegexStore:
                if (!set(code[1], at)) return Outcome::kStopped;
                pc += 2;
                continue;
            case kRegexAdvanced:
                pc = registers_[code[1]] == at ? code[2] : pc + 3;
                continue;
            case kRegexReference: {
                const bool stands = refers(code[1], at);
                count();
                if (!stands) break;
                pc += 2;
                continue;
            }
            case kRegexMatch:
                end = at;
                work_ += steps;
                if (remembers_) strike_out();
                return Outcome::kFound;
            default:
                break;
        }
        while (step == Step::kFail) {
            if (frames_.empty()) {
                undo(0);
                work_ += steps;
                return Outcome::kNotFound;
            }
            const Frame frame = frames_.back();
            if (trail_.size() > frame.trail) undo(frame.trail);
            if (frame.pc & kRange) {
                step = repeat_otherwise(pc, at);
            } else {
                frames_.pop_back();
                pc = frame.pc;
                at = frame.at;
                step = Step::kGo;
            }
        }
        if (step == Step::kStop) return Outcome::kStopped;
    }
}

// The places on the way of a match have not failed.
void Regex::strike_out() {
    for (const Change& change : trail_) {
        if (!(change.what & kPlaceChange) || (change.what & kInnerChange)) continue;
        const size_t row = (change.what & ~kPlaceChange) * (size_t{size_} + 1);
        for (size_t bit = row + change.a; bit <= row + change.b; ++bit) outer_[bit / 64] &= ~(u64{1} << bit % 64);
    }
}

}  // namespace crayon::general
