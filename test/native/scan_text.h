// Runs a pretokenizer over a text like the encoder: window by window, in memory of exactly the documented size, with space for
// few or many boundaries, dropping scanned text. The result must not depend on any of this.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "generate_text.h"
#include "scan/scanner.h"

namespace crayon::test {

struct Scanned {
    std::vector<std::size_t> boundaries;
    std::string fault;  // how the contract was violated; empty if it was not
};

// How to feed a text. Everything follows from the seed and the text's length.
struct Windowing {
    enum Kind { kWhole, kByteByByte, kRandom } kind = kWhole;
    std::uint64_t seed = 0;
};

inline std::string name_of(const Windowing& windowing) {
    switch (windowing.kind) {
        case Windowing::kWhole:
            return "whole";
        case Windowing::kByteByByte:
            return "byte by byte";
        case Windowing::kRandom:
            return "windows of seed " + std::to_string(windowing.seed);
    }
    return "";
}

// The ends of the windows, ascending; the last one, the text's length, is fed as the end of the text.
inline std::vector<std::size_t> window_ends(const Windowing& windowing, std::size_t length, Random& random) {
    std::vector<std::size_t> ends;
    if (windowing.kind == Windowing::kByteByByte) {
        for (std::size_t end = 1; end <= length; ++end) ends.push_back(end);
    } else if (windowing.kind == Windowing::kRandom) {
        const std::size_t longest = 1 + random.below(random.one_in(2) ? 20 : 200);
        for (std::size_t end = random.below(longest + 1); end < length; end += 1 + random.below(longest)) {
            ends.push_back(end);
        }
        if (random.one_in(2)) ends.push_back(length);  // the end of the text becomes known only afterwards
    }
    ends.push_back(length);
    return ends;
}

inline Scanned scan_text(ScanFunction scan, std::string_view text, const Windowing& windowing,
                         const Patterns* patterns = nullptr) {
    constexpr u32 kCanary = 0xC0FFEE42;
    constexpr std::size_t kCanaries = 8;
    Random random(windowing.seed);
    Scanned result;
    ScanState state;
    state.patterns = patterns;
    std::size_t removed = 0;  // bytes gone from the front of the text
    const std::vector<std::size_t> ends = window_ends(windowing, text.size(), random);
    for (std::size_t window = 0; window < ends.size(); ++window) {
        const bool last = window + 1 == ends.size();
        const std::size_t size = ends[window] - removed;
        const std::unique_ptr<u8[]> bytes(new u8[size + kScanPadding]);
        if (size) std::memcpy(bytes.get(), text.data() + removed, size);
        // Arbitrary bytes follow the window; only the end of the text is followed by zeros.
        for (std::size_t i = 0; i < kScanPadding; ++i) {
            constexpr std::string_view kGarbage = "\x80\xBF\xE2\xF0 \na'sA1.";
            bytes[size + i] = last ? 0 : static_cast<u8>(kGarbage[(windowing.seed + i * i) % kGarbage.size()]);
        }
        const u32 capacity = kMinBoundaries + static_cast<u32>(random.one_in(2) ? random.below(4) : random.below(1000));
        const std::unique_ptr<u32[]> boundaries(new u32[capacity + kCanaries]);
        for (std::size_t i = 0; i < kCanaries; ++i) boundaries[capacity + i] = kCanary;
        for (std::size_t calls = 0;; ++calls) {
            const u32 count = scan(state, bytes.get(), size, last, boundaries.get(), capacity);
            if (count > capacity) return {result.boundaries, "more boundaries than the capacity"};
            for (std::size_t i = 0; i < kCanaries; ++i) {
                if (boundaries[capacity + i] != kCanary) return {result.boundaries, "wrote after the capacity"};
            }
            for (u32 i = 0; i < count; ++i) result.boundaries.push_back(removed + boundaries[i]);
            if (count == 0) break;
            if (state.start != boundaries[count - 1]) return {result.boundaries, "start is not the last boundary"};
            if (calls > text.size()) return {result.boundaries, "more calls than the text has bytes"};
        }
        if (windowing.kind == Windowing::kRandom && !last) {
            // A boundary is the complete state: anything after it may be discarded.
            if (random.one_in(8)) state.restart(state.start);
            const std::size_t done = random.one_in(3) ? state.start : random.below(state.start + 1);
            if (random.one_in(2)) {
                state.rebase(done);
                removed += done;
            }
        }
    }
    if (!text.empty() && state.start + removed != text.size()) result.fault = "the text was not used up";
    return result;
}

}  // namespace crayon::test
