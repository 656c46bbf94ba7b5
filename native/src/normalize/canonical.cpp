#include "normalize/canonical.h"

#include <cstring>

namespace crayon {

namespace {

using MarkedPart = Normalizer::Scratch::Part;

// Up to this many marks are sorted by insertion; more, by counting.
constexpr size_t kMostInserted = 16;
constexpr u32 kMarkClasses = 256;

}  // namespace

// Sorts the marks between starters by class, stably.
Status sort_marks(Normalizer::Scratch& scratch) {
    Buffer<MarkedPart>& parts = scratch.parts;
    for (size_t begin = 0, end; begin < parts.size(); begin = end) {
        end = begin + 1;
        if (parts[begin].mark_class == 0) continue;
        while (end < parts.size() && parts[end].mark_class != 0) ++end;
        MarkedPart* const marks = parts.data() + begin;
        const size_t count = end - begin;
        if (count <= kMostInserted) {
            for (size_t i = 1; i < count; ++i) {
                const MarkedPart mark = marks[i];
                size_t to = i;
                for (; to > 0 && marks[to - 1].mark_class > mark.mark_class; --to) marks[to] = marks[to - 1];
                marks[to] = mark;
            }
            continue;
        }
        size_t starts[kMarkClasses] = {};
        for (size_t i = 0; i < count; ++i) ++starts[marks[i].mark_class];
        for (size_t i = 0, before = 0; i < kMarkClasses; ++i) {
            const size_t size = starts[i];
            starts[i] = before;
            before += size;
        }
        if (!scratch.sorted.resize(count)) return Status::out_of_memory();
        for (size_t i = 0; i < count; ++i) scratch.sorted[starts[marks[i].mark_class]++] = marks[i];
        std::memcpy(marks, scratch.sorted.data(), count * sizeof(MarkedPart));
    }
    return {};
}

// A character composes with the last starter, unless a starter, or a mark of the same or a higher class, is between them.
void compose(const NfcTables& tables, Buffer<MarkedPart>* all) {
    Buffer<MarkedPart>& parts = *all;
    size_t size = 0, starter = 0;
    bool has_starter = false;
    u32 mark_class = 0;  // the class of the mark between them, or 0
    for (size_t i = 0; i < parts.size(); ++i) {
        const MarkedPart part = parts[i];
        if (has_starter && (mark_class == 0 || mark_class < part.mark_class)) {
            if (const u32 composed = tables.compose(parts[starter].code, part.code)) {
                parts[starter].code = composed;
                parts[starter].change += part.change - 1;
                continue;
            }
        }
        if (part.mark_class == 0) {
            starter = size;
            has_starter = true;
        }
        mark_class = part.mark_class;
        parts[size++] = part;
    }
    parts.truncate(size);
}

}  // namespace crayon
