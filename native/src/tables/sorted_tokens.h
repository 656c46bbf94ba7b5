// Tokens sorted by their bytes, for building tries.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "tables/rank_table.h"
#include "tables/sorted_keys.h"

namespace crayon {

class SortedTokens {
public:
    // Sorts the tokens with these ids, which are not holes. Keeps a pointer to the list's bytes. OUT_OF_MEMORY, or
    // DUPLICATE_TOKEN with the greater id of two equal tokens. Cost: linear in tokens, except for shared prefixes; 206,000
    // take about 10 ms.
    Status sort(const TokenList& tokens, const Buffer<u32>& ids);

    SortedKeys keys() const { return {bytes_, starts_.data(), lengths_.data(), static_cast<u32>(ids_.size())}; }
    // ids()[k] is the id of key k.
    const u32* ids() const { return ids_.data(); }

private:
    const u8* bytes_ = nullptr;
    Buffer<u32> ids_, starts_, lengths_;
};

}  // namespace crayon
