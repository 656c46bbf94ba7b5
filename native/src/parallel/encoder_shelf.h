// Idle encoders, with the pieces that they have cached: the next text of the same tokenizer is encoded faster with one.
//
// An encoder keeps its tokenizer. So those of a tokenizer whose owner has released it are dropped, at the latest by
// trim(); and there are at most kMost, which went idle last. Each has at most kMostText bytes of text memory, and about
// 16 MiB in all.
#pragma once

#include "encoder.h"

namespace crayon {

class EncoderShelf {
public:
    static constexpr u32 kMost = 16;
    static constexpr size_t kMostText = 4 << 20;

    EncoderShelf() = default;
    ~EncoderShelf();
    EncoderShelf(const EncoderShelf&) = delete;
    EncoderShelf& operator=(const EncoderShelf&) = delete;

    // The encoder of a tokenizer that went idle last, or nullptr.
    Encoder* take(const Tokenizer& tokenizer);
    // Returns an encoder that has to be deleted for this one, perhaps the same, or nullptr.
    [[nodiscard]] Encoder* put(Encoder* encoder);
    // Takes out an encoder of a tokenizer that has been released, or nullptr.
    Encoder* take_released();

private:
    Encoder* remove(u32 index);

    Encoder* idle_[kMost] = {};  // the first went idle first
    u32 count_ = 0;
};

}  // namespace crayon
