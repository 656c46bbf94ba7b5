// The gate of pattern programs.
#include "general/regex.h"

namespace crayon::general {

using namespace layout;

namespace {

// What an operand is.
enum Operand : u8 {
    kNothing,
    kAny,
    kFlag,  // 0 or 1
    kSetOperand,
    kTarget,
    kRegister,
    kMark,   // the first of three registers
    kGroup,  // the first of two registers: where its match begins and ends
    kPlaceOperand,
    kInnerPlaceOperand,
    kLoopCount,  // of the registers that follow
};

struct Form {
    bool needs_budget;
    Operand operands[6];
};

// By operation. kRegexRepeat and kRegexAssert have rules of their own.
constexpr Form kForms[kRegexOpCount] = {
    {false, {}},                                           // Match
    {false, {kAny}},                                       // Character
    {false, {kSetOperand}},                                // Set
    {false, {kSetOperand, kAny, kAny, kAny, kAny, kAny}},  // Repeat
    {false, {kSetOperand, kFlag}},                         // Ahead
    {false, {kSetOperand, kFlag}},                         // Behind
    {false, {kAny, kSetOperand}},                          // Assert
    {false, {kTarget}},                                    // Jump
    {false, {kTarget}},                                    // Push
    {false, {kPlaceOperand, kLoopCount}},                  // Place
    {false, {kInnerPlaceOperand, kTarget, kLoopCount}},    // InnerPlace
    {false, {kMark}},                                      // Open
    {false, {kMark, kTarget}},                             // OpenNot
    {false, {kMark}},                                      // CloseAtomic
    {false, {kMark}},                                      // CloseAhead
    {false, {kMark}},                                      // CloseNot
    {false, {kAny}},                                       // Back
    {false, {kRegister}},                                  // Store
    {false, {kRegister, kTarget}},                         // Advanced
    {true, {kGroup}},                                      // Reference
};

class Check {
public:
    Check(const u32* words, u32 count) : words_(words), count_(count), head_(*reinterpret_cast<const layout::Regex*>(words)) {}

    Status run() {
        if (const Status status = head(); !status.ok()) return status;
        if (!begins_.zeroed(head_.end) || !targets_.reserve(64)) return Status::out_of_memory();
        for (u32 at = kRegexHead; at < head_.end;) {
            begins_[at] = 1;
            u32 length = 0;
            if (const Status status = instruction(at, length); !status.ok()) return status;
            at += length;
        }
        for (const u32 operand : targets_) {
            if (words_[operand] < kRegexHead || words_[operand] >= head_.end || !begins_[words_[operand]]) return broken(operand);
        }
        return head_.flags & kRegexBudget ? Status{} : loops();
    }

private:
    static Status broken(u32 at) { return {CRAYON_CORRUPT_STRUCTURE, 0, at}; }

    Status head() const {
        const auto table = [&](u32 field, u32 begin, u64 size, u32 expected) {
            return begin == expected && size <= count_ - begin ? Status{} : broken(field);
        };
        if (head_.words != count_) return broken(0);
        if (head_.flags > kRegexAllFlags) return broken(1);
        if (head_.registers > count_ * 4) return broken(2);
        // Outer places are the bits of a word with two flags; each is an operand.
        if (head_.places > count_ || head_.inner_places > count_) return broken(3);
        if (head_.classes == 0 || head_.classes > 0xFFFF || head_.set_words != (head_.classes + 31) / 32) return broken(6);
        if (head_.end <= kRegexHead || head_.end > count_) return broken(12);
        if (Status status = table(8, head_.runs, u64{2} * head_.run_count, head_.end); !status.ok()) return status;
        if (head_.run_count == 0) return broken(9);
        const u32 sets = head_.runs + 2 * head_.run_count;
        if (Status status = table(10, head_.sets, u64{head_.set_count} * head_.set_words, sets); !status.ok()) return status;
        if (sets + u64{head_.set_count} * head_.set_words != count_) return broken(11);
        for (u32 i = 0; i < head_.run_count; ++i) {
            const u32 at = head_.runs + 2 * i;
            if (i == 0 ? words_[at] != 0 : words_[at] <= words_[at - 2]) return broken(at);
            if (words_[at + 1] >= head_.classes) return broken(at + 1);
        }
        return {};
    }

    Status instruction(u32 at, u32& length) {
        const u32 op = words_[at];
        if (op >= kRegexOpCount) return broken(at);
        const Form& form = kForms[op];
        if (form.needs_budget && !(head_.flags & kRegexBudget)) return broken(at);
        u32 next = at + 1, loops = 0;
        for (const Operand operand : form.operands) {
            if (operand == kNothing) break;
            if (next >= head_.end) return broken(at);
            if (!fits(operand, next)) return broken(next);
            if (operand == kTarget && !targets_.push_back(next)) return Status::out_of_memory();
            if (operand == kLoopCount) loops = words_[next];
            ++next;
        }
        if (loops > head_.end - next) return broken(at);
        for (const u32 end = next + loops; next < end; ++next) {
            if (!fits(kRegister, next)) return broken(next);
        }
        // A place may be that many further on.
        const u32 places = op == kRegexPlace ? head_.places : head_.inner_places;
        if (loops > 0 && loops >= places - words_[at + 1]) return broken(at + 1);
        if (op == kRegexRepeat) {
            if (const Status status = repeat(at); !status.ok()) return status;
        }
        if (op == kRegexAssert) {
            const u32 kind = words_[at + 1];
            if (kind >= kRegexAssertionCount) return broken(at + 1);
            if (kind == kAssertSearchStart && !(head_.flags & kRegexSearchStart)) return broken(at + 1);
        }
        // Behind these, the next instruction does not follow.
        const bool ends = op == kRegexMatch || op == kRegexJump || op == kRegexCloseNot;
        if (next >= head_.end && !ends) return broken(at);
        length = next - at;
        return {};
    }

    Status repeat(u32 at) {
        const u32 minimum = words_[at + 2], maximum = words_[at + 3], mode = words_[at + 4], place = words_[at + 5],
                  end = words_[at + 6];
        if (minimum != 0 && minimum != maximum) return broken(at + 2);
        if (maximum == 0 || (minimum == maximum && maximum == kRegexNone)) return broken(at + 3);
        if (mode > kPossessive || (minimum != 0 && mode != kPossessive)) return broken(at + 4);
        if (maximum == kRegexNone && !(head_.flags & kRegexBudget)) {
            if (place >= (end != 0 ? head_.inner_places : head_.places)) return broken(at + 5);
            if (end != 0 && !targets_.push_back(at + 6)) return Status::out_of_memory();
        }
        return {};
    }

    bool fits(Operand operand, u32 at) const {
        const u32 value = words_[at];
        switch (operand) {
            case kFlag:
                return value <= 1;
            case kSetOperand:
                return value < head_.set_count;
            case kRegister:
                return value < head_.registers;
            case kMark:
                return value < head_.registers && head_.registers - value >= 3;
            case kGroup:
                return value < head_.registers && head_.registers - value >= 2;
            case kPlaceOperand:
                return value < head_.places;
            case kInnerPlaceOperand:
                return value < head_.inner_places;
            default:
                return true;
        }
    }

    // Each loop of instructions passes a place, behind which it does not go on twice at one position: it fails there the second
    // time, or goes to the end of the place's part, which is the one way from a place that is followed here.
    Status loops() {
        // By instruction: 1 while its ways are followed, 2 when they have been.
        Buffer<u8> state;
        Buffer<u32> open;
        if (!state.zeroed(head_.end)) return Status::out_of_memory();
        for (u32 first = kRegexHead; first < head_.end; ++first) {
            if (!begins_[first] || state[first] != 0) continue;
            if (!open.push_back(first)) return Status::out_of_memory();
            while (!open.empty()) {
                const u32 at = open.back();
                if (state[at] != 0) {
                    state[at] = 2;
                    open.pop_back();
                    continue;
                }
                state[at] = 1;
                u32 ways[2];
                const u32 count = ways_from(at, ways);
                for (u32 i = 0; i < count; ++i) {
                    if (state[ways[i]] == 1) return broken(at);
                    if (state[ways[i]] == 0 && !open.push_back(ways[i])) return Status::out_of_memory();
                }
            }
        }
        return {};
    }

    u32 ways_from(u32 at, u32 (&ways)[2]) const {
        const u32 op = words_[at];
        const bool is_place = op == kRegexPlace || op == kRegexInnerPlace || (op == kRegexRepeat && words_[at + 3] == kRegexNone);
        u32 count = 0, operands = 0, target = op == kRegexRepeat && is_place ? words_[at + 6] : 0;
        for (const Operand operand : kForms[op].operands) {
            ++operands;
            if (operand == kTarget) target = words_[at + operands];
        }
        if (target != 0) ways[count++] = target;
        const bool ends = op == kRegexMatch || op == kRegexJump || op == kRegexCloseNot;
        if (!is_place && !ends) ways[count++] = at + regex_length(words_ + at);
        return count;
    }

    const u32* const words_;
    const u32 count_;
    const layout::Regex& head_;
    Buffer<u8> begins_;    // whether an instruction begins at a word
    Buffer<u32> targets_;  // the operands that are targets
};

}  // namespace

u32 regex_length(const u32* code) {
    u32 length = 1, rest = 0;
    for (const Operand operand : kForms[code[0]].operands) {
        if (operand == kNothing) break;
        const u32 value = code[length++];
        if (operand == kLoopCount) rest = value;
    }
    return length + rest;
}

Status check_regex(const u32* words, size_t count) {
    if (count < kRegexHead || count > kMaxRegexWords) return {CRAYON_CORRUPT_STRUCTURE, 0, 0};
    return Check(words, static_cast<u32>(count)).run();
}

}  // namespace crayon::general
