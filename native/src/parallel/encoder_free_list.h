// A free list of idle encoders with their cached pieces: they encode the next text of the same tokenizer faster. A thread
// prefers the encoder it used last, whose memory is in its core's caches.
//
// An encoder keeps its tokenizer alive. So once a tokenizer's owner releases it, its encoders are dropped, at the latest by
// trim(); and there are at most kMost, the most recently idle ones. An encoder that has met a very long piece is not kept:
// its memory grows with such pieces. Others have about 16 MiB at most, or as much as their cache limit allows.
#pragma once

#include "encode/encoder.h"
#include "platform/mutex.h"

namespace crayon {

class EncoderFreeList {
public:
    static constexpr u32 kMost = 16;
    static constexpr size_t kMostText = 512 * 1024;

    EncoderFreeList() = default;
    ~EncoderFreeList();
    EncoderFreeList(const EncoderFreeList&) = delete;
    EncoderFreeList& operator=(const EncoderFreeList&) = delete;

    // An encoder of this tokenizer: the one the calling thread returned last, else any, or nullptr.
    Encoder* take(const Tokenizer& tokenizer);
    // Returns an encoder to delete in exchange, possibly the same one, or nullptr.
    [[nodiscard]] Encoder* put(Encoder* encoder);
    // Takes out an encoder whose tokenizer has been released, or nullptr.
    Encoder* take_released();
    // Takes out an encoder of this tokenizer whose caches exceed `max_bytes`, or nullptr.
    Encoder* take_larger(const Tokenizer& tokenizer, u64 max_bytes);

private:
    struct Idle {
        Encoder* encoder;
        ThreadId thread;  // that used it last
    };
    Encoder* remove(u32 index);

    Idle idle_[kMost];  // longest idle first
    u32 count_ = 0;
};

}  // namespace crayon
