// The state Fit keeps between parts of a text, beside its encoder: the known tokens of the text. It forgets the text when
// the encoder has been given another one, and more when the policy has changed.
#pragma once

#include "encode/added_finder.h"
#include "encode/encoder.h"
#include "fit/text_chains.h"

namespace crayon {

class FitCache {
public:
    explicit FitCache(Encoder& encoder) : encoder_(encoder), chains_(*this) {}
    FitCache(const FitCache&) = delete;
    FitCache& operator=(const FitCache&) = delete;

    Encoder& encoder() { return encoder_; }
    TextChains& chains() { return chains_; }
    AddedFinder& finder() { return finder_; }

    // Before a part is cut: forgets everything that no longer holds.
    void refresh() {
        if (version_ != encoder_.policy().version()) {
            chains_.restart();
            version_ = encoder_.policy().version();
        }
        if (texts_ != encoder_.texts()) chains_.end_text();
        texts_ = encoder_.texts();
    }
    // Like Encoder::restart, for a text of Fit's own; the encoder passes it to `passer` until the next restart.
    void restart(u64 origin, const void* passer) {
        encoder_.restart(origin);
        encoder_.write_as_tokens();
        texts_ = encoder_.texts();
        passer_ = passer;
    }
    const void* passer() const { return texts_ == encoder_.texts() ? passer_ : nullptr; }
    void forget_passer() { passer_ = nullptr; }

    // Bytes read, scanned or encoded so far to cut texts into parts: tests count this instead of time.
    u64& work() { return work_; }

private:
    Encoder& encoder_;
    u64 version_ = 0, texts_ = 0;  // of the encoder, at its last use
    const void* passer_ = nullptr;
    AddedFinder finder_;
    u64 work_ = 0;
    TextChains chains_;
};

}  // namespace crayon
