// A free list of idle encoders, with the pieces that they have cached: the next text of the same tokenizer is encoded faster with
// one. A thread takes the one that it had, whose memory is in the caches of its core.
//
// An encoder keeps its tokenizer. So those of a tokenizer whose owner has released it are dropped, at the latest by
// trim(); and there are at most kMost, those that went idle last. One that has met a very long piece is not kept: the
// memory for such pieces grows with them. Others have about 16 MiB at most, or what the limit of their caches allows.
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

    // An encoder of a tokenizer: that which the calling thread has put here last, else any thread, or nullptr.
    Encoder* take(const Tokenizer& tokenizer);
    // Returns an encoder that has to be deleted for this one, perhaps the same, or nullptr.
    [[nodiscard]] Encoder* put(Encoder* encoder);
    // Takes out an encoder of a tokenizer that has been released, or nullptr.
    Encoder* take_released();
    // Takes out one of this tokenizer whose caches have more than so many bytes, or nullptr.
    Encoder* take_larger(const Tokenizer& tokenizer, u64 most);

private:
    struct Idle {
        Encoder* encoder;
        ThreadId thread;  // that had it
    };
    Encoder* remove(u32 index);

    Idle idle_[kMost];  // the first went idle first
    u32 count_ = 0;
};

}  // namespace crayon
