#include "parallel/encoder_shelf.h"

#include <algorithm>

namespace crayon {

EncoderShelf::~EncoderShelf() {
    for (u32 i = 0; i < count_; ++i) delete idle_[i];
}

Encoder* EncoderShelf::remove(u32 index) {
    Encoder* const encoder = idle_[index];
    std::copy(idle_ + index + 1, idle_ + count_, idle_ + index);
    --count_;
    return encoder;
}

Encoder* EncoderShelf::take(const Tokenizer& tokenizer) {
    for (u32 i = count_; i > 0; --i) {
        if (&idle_[i - 1]->tokenizer() == &tokenizer) return remove(i - 1);
    }
    return nullptr;
}

Encoder* EncoderShelf::put(Encoder* encoder) {
    if (!encoder->tokenizer().has_owner() || encoder->text_memory() > kMostText) return encoder;
    Encoder* const dropped = count_ == kMost ? remove(0) : nullptr;
    idle_[count_++] = encoder;
    return dropped;
}

Encoder* EncoderShelf::take_released() {
    for (u32 i = 0; i < count_; ++i) {
        if (!idle_[i]->tokenizer().has_owner()) return remove(i);
    }
    return nullptr;
}

}  // namespace crayon
