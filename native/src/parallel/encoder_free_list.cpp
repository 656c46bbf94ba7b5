#include "parallel/encoder_free_list.h"

#include <algorithm>

namespace crayon {

EncoderFreeList::~EncoderFreeList() {
    for (u32 i = 0; i < count_; ++i) delete idle_[i].encoder;
}

Encoder* EncoderFreeList::remove(u32 index) {
    Encoder* const encoder = idle_[index].encoder;
    std::copy(idle_ + index + 1, idle_ + count_, idle_ + index);
    --count_;
    return encoder;
}

Encoder* EncoderFreeList::take(const Tokenizer& tokenizer) {
    u32 best = kMost;
    for (u32 i = count_; i-- > 0;) {
        if (&idle_[i].encoder->tokenizer() != &tokenizer) continue;
        if (is_same(idle_[i].thread, this_thread())) return remove(i);
        if (best == kMost) best = i;
    }
    return best < kMost ? remove(best) : nullptr;
}

Encoder* EncoderFreeList::put(Encoder* encoder) {
    if (!encoder->tokenizer().has_owner() || encoder->text_memory() > kMostText) return encoder;
    Encoder* const dropped = count_ == kMost ? remove(0) : nullptr;
    idle_[count_++] = {encoder, this_thread()};
    return dropped;
}

Encoder* EncoderFreeList::take_released() {
    for (u32 i = 0; i < count_; ++i) {
        if (!idle_[i].encoder->tokenizer().has_owner()) return remove(i);
    }
    return nullptr;
}

Encoder* EncoderFreeList::take_larger(const Tokenizer& tokenizer, u64 max_bytes) {
    for (u32 i = 0; i < count_; ++i) {
        const Encoder& encoder = *idle_[i].encoder;
        if (&encoder.tokenizer() == &tokenizer && encoder.cache_bytes() > max_bytes) return remove(i);
    }
    return nullptr;
}

}  // namespace crayon
