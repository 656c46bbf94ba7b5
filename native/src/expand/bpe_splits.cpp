// build_splits of bpe_tables.h.
#include <algorithm>

#include "crayon/layout/cartridge.h"
#include "expand/bpe_tables.h"

namespace crayon {

namespace {

using layout::kNone;
using layout::Split;

// Merges the bytes of one token. The parts are ends_[i] … ends_[i + 1]; ranks_[i] is the rank of parts i and i + 1
// together.
class Merging {
public:
    Merging(const TokenList& tokens, const RankTable& table) : tokens_(tokens), table_(table) {}

    Status start() {
        for (u32 byte = 0; byte < 256; ++byte) {
            const u8 bytes[1] = {static_cast<u8>(byte)};
            single_[byte] = table_.find(bytes, 1);
        }
        u32 longest = 0;
        for (u32 id = 0; id < tokens_.count; ++id) longest = std::max(longest, tokens_.length(id));
        const bool room = ends_.resize(size_t{longest} + 1) && ids_.resize(longest) && ranks_.resize(longest) &&
                          two_bytes_.assign(65536, kNone);
        if (!room) return Status::out_of_memory();
        for (u32 id = 0; id < tokens_.count; ++id) {
            if (tokens_.length(id) == 2) two_bytes_[two_bytes(tokens_.token(id))] = id;
        }
        return {};
    }

    // The last merge that makes token `id`; {id, id} if merging does not end with it.
    Split split(u32 id) {
        const u8* token = tokens_.token(id);
        u32 parts = tokens_.length(id);
        for (u32 i = 0; i < parts; ++i) {
            ends_[i] = i;
            ids_[i] = single_[token[i]];
            ranks_[i] = i + 1 < parts ? two_bytes_[two_bytes(token + i)] : kNone;
        }
        ends_[parts] = parts;
        while (parts > 1) {
            const u32 at =
                static_cast<u32>(std::min_element(ranks_.begin(), ranks_.begin() + parts - 1) - ranks_.begin());
            const u32 merged = ranks_[at];
            if (merged == kNone) break;
            if (parts == 2) return {ids_[0], ids_[1]};
            ids_[at] = merged;
            std::copy(ids_.begin() + at + 2, ids_.begin() + parts, ids_.begin() + at + 1);
            std::copy(ranks_.begin() + at + 2, ranks_.begin() + parts, ranks_.begin() + at + 1);
            std::copy(ends_.begin() + at + 2, ends_.begin() + parts + 1, ends_.begin() + at + 1);
            --parts;
            if (at > 0) ranks_[at - 1] = joined(token, at - 1);
            if (at + 1 < parts) ranks_[at] = joined(token, at);
        }
        return {id, id};
    }

private:
    static u32 two_bytes(const u8* bytes) { return bytes[0] | u32{bytes[1]} << 8; }
    u32 joined(const u8* token, u32 part) const {
        return table_.find(token + ends_[part], ends_[part + 2] - ends_[part]);
    }

    const TokenList& tokens_;
    const RankTable& table_;
    u32 single_[256];
    Buffer<u32> two_bytes_;  // by two bytes: nearly half of all lookups
    Buffer<u32> ends_;
    Buffer<u32> ids_;
    Buffer<u32> ranks_;
};

}  // namespace

Status build_splits(const TokenList& tokens, const RankTable& ranks, Buffer<Split>* splits) {
    Merging merging(tokens, ranks);
    Status status = merging.start();
    if (status.ok() && !splits->resize(tokens.count)) status = Status::out_of_memory();
    for (u32 id = 0; status.ok() && id < tokens.count; ++id) {
        const Split split = tokens.length(id) < 2 ? Split{id, id} : merging.split(id);
        const bool reached = split.left != id;
        if (reached && (split.left > id || split.right > id)) status = {CRAYON_BUILD_FAILED, layout::kSplits, id};
        (*splits)[id] = split;
    }
    return status;
}

}  // namespace crayon
