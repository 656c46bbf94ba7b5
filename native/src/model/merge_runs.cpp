#include "model/merge_runs.h"

#include <cstring>

namespace crayon {

u32 merge_runs(const u8* piece, u32 length, const BpePairs& pairs, const u32* byte_ids, u32* ids) {
    constexpr u32 kShortest = 24, kMostRuns = 6, kRoom = 64;
    struct Run {
        u32 id, count;
    };
    if (length < kShortest) return 0;
    Run runs[kRoom];
    u32 size = 0;
    for (u32 i = 0; i < length;) {
        const u32 begin = i;
        while (i < length && piece[i] == piece[begin]) ++i;
        if (size == kMostRuns) return 0;
        runs[size++] = {byte_ids[piece[begin]], i - begin};
    }
    for (;;) {
        u32 lowest = layout::kNone, left = 0, right = 0;
        for (u32 i = 0; i < size; ++i) {
            const u32 inside = runs[i].count > 1 ? pairs.merged(runs[i].id, runs[i].id) : layout::kNone;
            if (inside < lowest) lowest = inside, left = right = runs[i].id;
            const u32 across = i + 1 < size ? pairs.merged(runs[i].id, runs[i + 1].id) : layout::kNone;
            if (across < lowest) lowest = across, left = runs[i].id, right = runs[i + 1].id;
        }
        if (lowest == layout::kNone) break;
        Run next[kRoom + 4];
        u32 next_size = 0;
        const auto add = [&](u32 id, u32 count) {
            if (count == 0) return;
            if (next_size > 0 && next[next_size - 1].id == id) {
                next[next_size - 1].count += count;
            } else {
                next[next_size++] = {id, count};
            }
        };
        for (u32 i = 0; i < size; ++i) {
            Run run = runs[i];
            if (left == right && run.id == left) {
                add(lowest, run.count / 2);
                add(run.id, run.count % 2);
            } else if (left != right && run.id == left && i + 1 < size && runs[i + 1].id == right) {
                add(run.id, run.count - 1);
                add(lowest, 1);
                --runs[i + 1].count;
            } else {
                add(run.id, run.count);
            }
            if (next_size > kRoom) return 0;
        }
        std::memcpy(runs, next, next_size * sizeof(Run));
        size = next_size;
    }
    u32 count = 0;
    for (u32 i = 0; i < size; ++i) {
        for (u32 k = 0; k < runs[i].count; ++k) ids[count++] = runs[i].id;
    }
    return count;
}

}  // namespace crayon
