#include "cartridge/section_checks.h"

#include <bit>
#include <cstddef>
#include <iterator>

namespace crayon {

using layout::kMaxPatternStates;
using layout::kPatternEnds;
using layout::Pattern;

namespace {

// A set of states.
struct States {
    u64 words[kMaxPatternStates / 64] = {};

    bool has(u32 state) const { return words[state / 64] >> state % 64 & 1; }
    bool add(u32 state) {
        if (has(state)) return false;
        words[state / 64] |= u64{1} << state % 64;
        return true;
    }
    void remove(u32 state) { words[state / 64] &= ~(u64{1} << state % 64); }
};

// Whether the scan is linear for every text. The next match rereads the text a match has read past its end. So among the
// matches that read a position in vain, all but the earliest must have read only a little: if a second match begins in text
// that the first reads in vain, the two run side by side without an end for at most kMaxPatternReadAhead characters.
class ReadAhead {
public:
    ReadAhead(const Pattern& pattern, const u16* table) : pattern_(pattern), table_(table) {
        find_failing();
        find_pairs();
    }

    bool is_bounded() const {
        // The pairs that allow `steps` more steps.
        Pairs going = pairs_;
        for (u32 steps = 0; steps < layout::kMaxPatternReadAhead; ++steps) {
            bool any = false;
            const Pairs before = going;
            for_each(before, [&](u32 first, u32 second) {
                for (u32 input = 0; input < pattern_.class_count; ++input) {
                    const u32 one = fails(first, input), other = fails(second, input);
                    if (one && other && before[one].has(other)) {
                        any = true;
                        return;
                    }
                }
                going[first].remove(second);
            });
            if (!any) return true;
        }
        return false;
    }

private:
    struct Pairs {
        States of[kMaxPatternStates];  // for each state of the first match, the states of the second
        States& operator[](u32 first) { return of[first]; }
        const States& operator[](u32 first) const { return of[first]; }
    };

    u32 entry(u32 state, u32 input) const { return table_[state * pattern_.row_length + input]; }
    u32 next(u32 state, u32 input) const { return (entry(state, input) & ~kPatternEnds) / pattern_.row_length; }
    // The next state if no match ends on the way there, nor (perhaps) after it; else 0.
    u32 fails(u32 state, u32 input) const {
        const u32 to = next(state, input);
        return (entry(state, input) & kPatternEnds) || !failing_.has(to) ? 0 : to;
    }

    template <class Visit>
    void for_each(const Pairs& pairs, Visit visit) const {
        for (u32 first = 1; first < pattern_.state_count; ++first) {
            for (u32 word = 0; word < kMaxPatternStates / 64; ++word) {
                for (u64 rest = pairs[first].words[word]; rest; rest &= rest - 1) {
                    visit(first, word * 64 + static_cast<u32>(std::countr_zero(rest)));
                }
            }
        }
    }

    // The states from which a match may stop without reaching another end.
    void find_failing() {
        for (bool changed = true; changed;) {
            changed = false;
            for (u32 state = 1; state < pattern_.state_count; ++state) {
                for (u32 input = 0; input <= pattern_.class_count && !failing_.has(state); ++input) {
                    if (entry(state, input) == 0 || fails(state, input)) changed = failing_.add(state);
                }
            }
        }
    }

    void begin(u32 first, u32 input) {
        const u32 second = next(1, input);
        if (failing_.has(first) && second != 0 && pairs_[first].add(second)) waiting_[first].add(second);
    }

    // All pairs of states two such matches can be in. When the second one begins, the first is in a state of `ahead`, in
    // which it has read a character or passed an end.
    void find_pairs() {
        const u32 states = pattern_.state_count, classes = pattern_.class_count;
        States ahead;
        for (u32 input = 0; input < classes; ++input) {
            if (const u32 to = fails(1, input)) ahead.add(to);
            for (u32 state = 1; state < states; ++state) {
                if ((entry(state, input) & kPatternEnds) == 0) continue;
                const u32 to = next(state, input);
                if (failing_.has(to)) ahead.add(to);
                begin(to, input);
            }
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (u32 state = 1; state < states; ++state) {
                if (!ahead.has(state)) continue;
                for (u32 input = 0; input < classes; ++input) {
                    const u32 to = fails(state, input);
                    if (to == 0) continue;
                    changed |= ahead.add(to);
                    begin(to, input);
                }
            }
        }
        for (bool changed = true; changed;) {
            changed = false;
            const Pairs now = waiting_;
            for_each(now, [&](u32 first, u32 second) {
                waiting_[first].remove(second);
                changed = true;
                for (u32 input = 0; input < classes; ++input) {
                    const u32 one = fails(first, input), other = next(second, input);
                    if (one && other && pairs_[one].add(other)) waiting_[one].add(other);
                }
            });
        }
    }

    const Pattern& pattern_;
    const u16* table_;
    States failing_;
    Pairs pairs_, waiting_;
};

Status check_pattern(const u8* data, SectionRange section) {
    const auto broken = [&](u64 offset) { return corrupt(section.id, section.offset + offset); };
    if (section.length < sizeof(Pattern)) return broken(0);
    const Pattern& pattern = *reinterpret_cast<const Pattern*>(data + section.offset);
    if (pattern.state_count < 2 || pattern.state_count > kMaxPatternStates) return broken(offsetof(Pattern, state_count));
    if (pattern.class_count < 1 || pattern.class_count > layout::kMaxPatternClasses) {
        return broken(offsetof(Pattern, class_count));
    }
    if (pattern.row_length != std::bit_ceil(pattern.class_count + 1)) return broken(offsetof(Pattern, row_length));
    if (pattern.block_count < 1 || pattern.block_count > layout::kPatternBlocks) {
        return broken(offsetof(Pattern, block_count));
    }
    if ((pattern.cuts & ~(layout::kAllPatternCuts | layout::kInnerPattern)) != 0) return broken(offsetof(Pattern, cuts));
    for (u32 kind = pattern.class_count; kind < 32 * std::size(pattern.dropped); ++kind) {
        if (pattern.dropped[kind / 32] >> kind % 32 & 1) return broken(offsetof(Pattern, dropped) + kind / 32 * sizeof(u32));
    }
    for (const u32& reserved : pattern.reserved) {
        if (reserved != 0) return broken(static_cast<u64>(reinterpret_cast<const u8*>(&reserved) - (data + section.offset)));
    }
    const u64 block_of_at = sizeof(Pattern), blocks_at = block_of_at + layout::kPatternBlocks * sizeof(u16);
    const u64 table_at = blocks_at + (u64{pattern.block_count} << layout::kPatternBlockShift);
    const u32 rows = pattern.state_count * pattern.row_length;
    const u64 table_end = table_at + rows * sizeof(u16);
    if (pattern.length != align_up(table_end)) return broken(offsetof(Pattern, length));
    if (pattern.length > section.length) return broken(0);
    const u64 nonzero = first_nonzero(data, section.offset + table_end, section.offset + pattern.length);
    if (nonzero != section.offset + pattern.length) return corrupt(section.id, nonzero);

    const u16* const block_of = reinterpret_cast<const u16*>(data + section.offset + block_of_at);
    for (u32 i = 0; i < layout::kPatternBlocks; ++i) {
        // The classes of ASCII come first.
        if (block_of[i] >= pattern.block_count || (i == 0 && block_of[i] != 0)) return broken(block_of_at + i * sizeof(u16));
    }
    const u8* const blocks = data + section.offset + blocks_at;
    for (u64 i = 0; i < table_at - blocks_at; ++i) {
        if (blocks[i] >= pattern.class_count) return broken(blocks_at + i);
    }
    const u16* const table = reinterpret_cast<const u16*>(data + section.offset + table_at);
    for (u32 i = 0; i < rows; ++i) {
        const u32 state = i / pattern.row_length, input = i % pattern.row_length;
        const u32 next = table[i] & ~u32{kPatternEnds};
        const bool ends = table[i] & kPatternEnds;
        if (next % pattern.row_length != 0 || next >= rows ||                  // not a row
            ((state == 0 || input > pattern.class_count) && table[i] != 0) ||  // entries that are never read
            (state == 1 && ends) ||                                            // an empty match
            (input == pattern.class_count && next != 0)) {                     // after the end of the text
            return broken(table_at + i * sizeof(u16));
        }
    }
    if (!ReadAhead(pattern, table).is_bounded()) return broken(table_at);
    return {};
}

}  // namespace

Status read_patterns(const u8* data, SectionRange section, const Pattern** out) {
    *out = reinterpret_cast<const Pattern*>(data + section.offset);
    u32 count = 0;
    bool has_inner = false;
    do {
        if (++count > layout::kMaxPatterns) return corrupt(section.id, section.offset);
        if (const Status status = check_pattern(data, section); !status.ok()) return status;
        const Pattern& pattern = *reinterpret_cast<const Pattern*>(data + section.offset);
        const bool is_inner = (pattern.cuts & layout::kInnerPattern) != 0;
        // The first pattern cannot be inner, and only inner patterns can follow an inner one.
        if (is_inner ? count == 1 : has_inner) return corrupt(section.id, section.offset + offsetof(Pattern, cuts));
        has_inner = is_inner;
        section.offset += pattern.length;
        section.length -= pattern.length;
    } while (section.length > 0);
    return {};
}

}  // namespace crayon
