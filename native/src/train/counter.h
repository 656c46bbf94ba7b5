// Counts the pieces of texts that arrive in parts.
#pragma once

#include "base/buffer.h"
#include "base/status.h"
#include "encode/utf16_windows.h"
#include "simd/kernel.h"
#include "train/word_counts.h"

namespace crayon::train {

class Counter {
public:
    // `pretokenizer`: layout::Pretokenizer; with kNoPretokenizer a text is one piece. `patterns`: for kPatternPretokenizer;
    // must outlive all texts.
    Counter(const Kernel& kernel, u32 pretokenizer, const Patterns* patterns = nullptr)
        : kernel_(kernel), pretokenizer_(pretokenizer) {
        scan_.patterns = patterns;
    }

    // Adds a part of a text, which may end anywhere.
    Status feed_utf8(const u8* bytes, size_t length, bool last);
    Status feed_utf16(const u16* units, size_t length, bool last);
    // Adds a piece as it is, between texts.
    Status add_piece(const u8* bytes, u32 length, u64 count);
    // Moves another counter's counts into this one.
    Status take(Counter& other);

    u32 pretokenizer() const { return pretokenizer_; }
    bool is_within_text() const { return within_; }
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
    Utf16Windows utf16_;
    Buffer<u8> text_;  // text not counted yet, plus padding
    size_t size_ = 0;
    bool within_ = false;
};

}  // namespace crayon::train
