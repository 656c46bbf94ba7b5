// Counts the pieces of texts that arrive in parts.
#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "kernels/kernel.h"
#include "train/word_counts.h"

namespace crayon::train {

class Counter {
public:
    // `pretokenizer`: layout::Pretokenizer; with kNoPretokenizer a text is one piece. `patterns`: for kPatternPretokenizer,
    // from the first text on.
    Counter(const Kernel& kernel, u32 pretokenizer, const Patterns& patterns) : kernel_(kernel), pretokenizer_(pretokenizer) {
        scan_.patterns = &patterns;
    }

    // Adds a part of a text, which may end anywhere.
    Status feed(const u8* bytes, size_t length, bool last);
    // Moves another counter's counts into this one.
    Status take(Counter& other);

    u64 pieces() const { return pieces_; }
    u64 bytes() const { return bytes_; }
    WordCounts& words() { return words_; }

private:
    Status open(size_t more);
    Status close(bool last);
    void drop(size_t length);
    Status count_pieces(size_t begin, const u32* ends, u32 count);

    const Kernel& kernel_;
    const u32 pretokenizer_;
    WordCounts words_;
    u64 pieces_ = 0;
    u64 bytes_ = 0;
    ScanState scan_;
    Buffer<u8> text_;  // text not counted yet, plus padding
    size_t size_ = 0;
};

}  // namespace crayon::train
