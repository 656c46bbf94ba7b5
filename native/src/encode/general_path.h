// The general path of an encoder: it waits for the whole text, and then has all ids at once (general/general.h).
#pragma once

#include "encode/added_policy.h"
#include "general/general.h"

namespace crayon {

class GeneralPath {
public:
    // OUT_OF_MEMORY.
    static Status create(const Tokenizer& tokenizer, const AddedPolicy& policy, GeneralPath** out);
    virtual ~GeneralPath() = default;

    // A text begins, as the part of a longer one from byte `origin` on.
    void restart(u64 origin) {
        origin_ = origin;
        is_encoded_ = false;
        read_ = 0;
    }
    // Encodes the text, once. The statuses of general::Encoding.
    virtual Status encode(const u8* text, size_t length, bool keeps_spaces);
    bool is_encoded() const { return is_encoded_; }
    u32 left() const { return static_cast<u32>(encoding_.tokens().size()) - read_; }
    u32 read() const { return read_; }
    // Takes the next ids, at most left(); `ids` or `offsets` may be nullptr. `unit`: CRAYON_UNIT_…, two numbers each.
    virtual void take(u32 count, u32* ids, u32* offsets, u32 unit);
    virtual size_t memory() const;

private:
    GeneralPath(const Tokenizer& tokenizer, const AddedPolicy& policy)
        : tokenizer_(tokenizer), policy_(policy), encoding_(*tokenizer.general()) {}

    // Whether an added token counts, and whether it is an error.
    bool counts(u32 added, general::Range raw) const {
        const AddedUse use = policy_.uses()[added];
        return use == AddedUse::kAlways || (use == AddedUse::kControl && policy_.allows(origin_ + raw.begin, origin_ + raw.end));
    }
    bool forbids(u32 added) const { return policy_.forbids(tokenizer_.view().added[added]); }

    const Tokenizer& tokenizer_;
    const AddedPolicy& policy_;
    general::Encoding encoding_;
    Status status_;
    u64 origin_ = 0;
    bool is_encoded_ = false;
    u32 read_ = 0;
};

}  // namespace crayon
