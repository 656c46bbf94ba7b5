#include "model/merge_runs.h"

#include <bit>
#include <cstring>

namespace crayon {

namespace {

constexpr u32 kMostRuns = 6, kRunCapacity = 32;  // initially, along the way
constexpr u32 kUnknown = layout::kNone - 1;

struct Run {
    u32 id, count;
    u32 inside;  // the merge rank of two of them; kUnknown until there are two
    u32 after;   // the id of the next run, and its merge rank with this one
    u32 across;
};

struct Runs {
    Run all[kRunCapacity];
    u32 size = 0;

    // Joins the run to the previous one if that is of the same token. There must be room.
    void add(const Run& run, u32 count) {
        if (count == 0) return;
        if (size > 0 && all[size - 1].id == run.id) {
            all[size - 1].count += count;
        } else {
            all[size] = run;
            all[size++].count = count;
        }
    }
};

// Whether every adjacent pair of tokens is an encoding.
bool all_adjacent(const Runs& runs, const BpePairs& pairs) {
    for (u32 i = 0; i < runs.size; ++i) {
        const Run& run = runs.all[i];
        if (run.count > 1 && !pairs.adjacent(run.id, run.id)) return false;
        if (i + 1 < runs.size && !pairs.adjacent(run.id, runs.all[i + 1].id)) return false;
    }
    return true;
}

// The end of the run of equal bytes that begins at `at`.
u32 run_end(const u8* bytes, u32 at, u32 length) {
    const u64 same = bytes[at] * 0x0101010101010101u;
    for (u64 word; at + 8 <= length; at += 8) {
        std::memcpy(&word, bytes + at, 8);
        if (word != same) return at + static_cast<u32>(std::countr_zero(word ^ same)) / 8;
    }
    const u8 byte = static_cast<u8>(same);
    while (at < length && bytes[at] == byte) ++at;
    return at;
}

// The end of the run that begins with the `width` bytes before `at`.
u32 character_run_end(const u8* bytes, u32 at, u32 length, u32 width) {
    u32 end = at;
    for (u64 word, before; end + 8 <= length; end += 8) {
        std::memcpy(&word, bytes + end, 8);
        std::memcpy(&before, bytes + end - width, 8);
        if (word != before) break;
    }
    while (end < length && bytes[end] == bytes[end - width]) ++end;
    return end - (end - at) % width;
}

// `characters`: treats a repeated multi-byte character as one unit, which may be wrong.
u32 merge(const u8* bytes, u32 length, bool characters, const BpePairs& pairs, const u32* byte_ids, u32* ids) {
    Runs two[2];
    u32 current = 0;
    bool is_guess = false;
    for (u32 i = 0; i < length;) {
        Runs& runs = two[0];
        if (runs.size == kMostRuns) return 0;
        Run run{byte_ids[bytes[i]], 0, kUnknown, layout::kNone, layout::kNone};
        u32 end = i, width = 1;
        if (characters && bytes[i] >= 0xC0) {
            width = bytes[i] < 0xE0 ? 2 : bytes[i] < 0xF0 ? 3 : 4;
            u32 units[4];
            const bool recurs = 2 * width <= length - i && std::memcmp(bytes + i, bytes + i + width, width) == 0;
            if (recurs && merge(bytes + i, width, false, pairs, byte_ids, units) == 1) {
                run.id = units[0];
                end = character_run_end(bytes, i + width, length, width);
                is_guess = true;
            } else {
                width = 1;
            }
        }
        if (width == 1) end = run_end(bytes, i, length);
        run.count = (end - i) / width;
        runs.all[runs.size++] = run;
        i = end;
    }
    for (;;) {
        Runs& runs = two[current];
        u32 lowest = layout::kNone, left = 0, right = 0;
        for (u32 i = 0; i < runs.size; ++i) {
            Run& run = runs.all[i];
            if (run.count > 1) {
                if (run.inside == kUnknown) run.inside = pairs.merged(run.id, run.id);
                if (run.inside < lowest) lowest = run.inside, left = right = run.id;
            }
            if (i + 1 == runs.size) break;
            if (const u32 after = runs.all[i + 1].id; run.after != after) {
                run.after = after;
                run.across = pairs.merged(run.id, after);
            }
            if (run.across < lowest) lowest = run.across, left = run.id, right = run.after;
        }
        if (lowest == layout::kNone) break;
        const Run merged{lowest, 0, kUnknown, layout::kNone, layout::kNone};
        Runs& next = two[current ^= 1];
        next.size = 0;
        u32 gone = 0;  // removed from the front of a run
        for (u32 i = 0; i < runs.size; ++i) {
            const Run& run = runs.all[i];
            if (next.size + 2 > kRunCapacity) return 0;
            const u32 count = run.count - gone;
            gone = 0;
            if (left == right && run.id == left) {
                next.add(merged, count / 2);
                next.add(run, count % 2);
            } else if (left != right && run.id == left && i + 1 < runs.size && runs.all[i + 1].id == right) {
                next.add(run, count - 1);
                next.add(merged, 1);
                gone = 1;
            } else {
                next.add(run, count);
            }
        }
    }
    const Runs& runs = two[current];
    if (is_guess && !all_adjacent(runs, pairs)) return merge(bytes, length, false, pairs, byte_ids, ids);
    u32 count = 0;
    for (u32 i = 0; i < runs.size; ++i) {
        for (u32 k = 0; k < runs.all[i].count; ++k) ids[count++] = runs.all[i].id;
    }
    return count;
}

}  // namespace

u32 merge_runs(const u8* bytes, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* ids) {
    return merge(bytes, length, true, pairs, byte_ids, ids);
}

}  // namespace crayon
