// build_splits of bpe_tables.h.
#include <algorithm>

#include "base/merge_by_heap.h"
#include "crayon/layout/cartridge.h"
#include "crayon/layout/perfect_hash.h"
#include "tables/bpe_tables.h"

namespace crayon {

namespace {

using layout::kNone;
using layout::Split;

// Finds which token two adjacent parts are together. For long ones it remembers the answers: tokens that are long have
// much in common, and to look bytes up takes as long as they are.
class Joining {
public:
    Joining(const TokenList& tokens, const RankTable& table) : tokens_(tokens), table_(table) {}

    void start(const u8* token) { token_ = token; }

    // For HeapMerger: the rank of a pair is the token that its bytes are.
    bool rank(u32 left, u32 right, u32 begin, u32* id) {
        const u8* const bytes = token_ + begin;
        const u32 length = tokens_.length(left) + tokens_.length(right);
        if (length < kLong) {
            *id = table_.find(bytes, length);
            return true;
        }
        if (2 * known_count_ >= known_.size() && !grow()) return false;
        const u64 pair = left | u64{right} << 32;
        Known& known = known_[slot_of(pair)];
        if (known.pair != pair) {
            known = {pair, table_.find(bytes, length)};
            ++known_count_;
        }
        *id = known.id;
        return true;
    }
    u32 merged(u32 rank) const { return rank; }
    u32 priority(u32 rank) const { return rank; }

private:
    static constexpr u32 kLong = 64;
    static constexpr size_t kFewest = 1 << 12, kMost = 1 << 21;
    static constexpr u64 kNoPair = ~u64{0};
    struct Known {
        u64 pair;
        u32 id;
    };

    // Where the pair is, or may be put.
    size_t slot_of(u64 pair) const {
        size_t at = static_cast<size_t>(layout::hash_word(pair, 0, 0)) & (known_.size() - 1);
        while (known_[at].pair != pair && known_[at].pair != kNoPair) at = (at + 1) & (known_.size() - 1);
        return at;
    }
    // When it is full, it forgets everything.
    bool grow() {
        Buffer<Known> before;
        before.swap(known_);
        const bool forgets = before.size() >= kMost;
        if (!known_.assign(std::max(kFewest, forgets ? kMost : 2 * before.size()), {kNoPair, kNone})) return false;
        if (forgets) {
            known_count_ = 0;
            return true;
        }
        for (const Known& each : before) {
            if (each.pair != kNoPair) known_[slot_of(each.pair)] = each;
        }
        return true;
    }

    const TokenList& tokens_;
    const RankTable& table_;
    const u8* token_ = nullptr;
    Buffer<Known> known_;
    size_t known_count_ = 0;
};

// Merges the bytes of one token. The parts are ends_[i] … ends_[i + 1]; ranks_[i] is the rank of parts i and i + 1
// together.
class Merging {
public:
    Merging(const TokenList& tokens, const RankTable& table) : tokens_(tokens), table_(table), long_(tokens, table) {}

    Status start() {
        find_single_bytes(table_, single_);
        const bool allocated =
            ends_.resize(kLongest + 1) && ids_.resize(kLongest) && ranks_.resize(kLongest) && two_bytes_.assign(65536, kNone);
        if (!allocated) return Status::out_of_memory();
        for (u32 id = 0; id < tokens_.count; ++id) {
            if (tokens_.length(id) == 2) two_bytes_[two_bytes(tokens_.token(id))] = id;
        }
        return {};
    }

    // The last merge that makes token `id`; {id, id} if merging does not end with it. False if memory is short.
    bool split(u32 id, Split* split) {
        const u8* token = tokens_.token(id);
        u32 parts = tokens_.length(id);
        *split = {id, id};
        if (parts > kLongest) {
            long_.pairs().start(token);
            return long_.merge(
                parts, [&](u32 i) { return single_[token[i]]; },
                [&](u32, u32 left, u32 right, u32 count) {
                    if (count == 1) *split = {left, right};
                    return count > 1;
                });
        }
        for (u32 i = 0; i < parts; ++i) {
            ends_[i] = i;
            ids_[i] = single_[token[i]];
            ranks_[i] = i + 1 < parts ? two_bytes_[two_bytes(token + i)] : kNone;
        }
        ends_[parts] = parts;
        while (parts > 1) {
            const u32 at = static_cast<u32>(std::min_element(ranks_.begin(), ranks_.begin() + parts - 1) - ranks_.begin());
            const u32 merged = ranks_[at];
            if (merged == kNone) break;
            if (parts == 2) {
                *split = {ids_[0], ids_[1]};
                break;
            }
            ids_[at] = merged;
            std::copy(ids_.begin() + at + 2, ids_.begin() + parts, ids_.begin() + at + 1);
            std::copy(ranks_.begin() + at + 2, ranks_.begin() + parts, ranks_.begin() + at + 1);
            std::copy(ends_.begin() + at + 2, ends_.begin() + parts + 1, ends_.begin() + at + 1);
            --parts;
            if (at > 0) ranks_[at - 1] = joined(token, at - 1);
            if (at + 1 < parts) ranks_[at] = joined(token, at);
        }
        return true;
    }

private:
    // Quadratic, and the fastest up to here and further.
    static constexpr u32 kLongest = 128;

    static u32 two_bytes(const u8* bytes) { return bytes[0] | u32{bytes[1]} << 8; }
    u32 joined(const u8* token, u32 part) const { return table_.find(token + ends_[part], ends_[part + 2] - ends_[part]); }

    const TokenList& tokens_;
    const RankTable& table_;
    u32 single_[256];
    Buffer<u32> two_bytes_;  // by two bytes: nearly half of all lookups
    Buffer<u32> ends_;
    Buffer<u32> ids_;
    Buffer<u32> ranks_;
    HeapMerger<Joining> long_;
};

}  // namespace

Status build_splits(const TokenList& tokens, const RankTable& ranks, Buffer<Split>* splits) {
    Merging merging(tokens, ranks);
    Status status = merging.start();
    if (status.ok() && !splits->resize(tokens.count)) status = Status::out_of_memory();
    for (u32 id = 0; status.ok() && id < tokens.count; ++id) {
        Split split{id, id};
        if (tokens.length(id) > 1 && !merging.split(id, &split)) return Status::out_of_memory();
        const bool reached = split.left != id;
        if (reached && (split.left > id || split.right > id)) status = {CRAYON_BUILD_FAILED, layout::kSplits, id};
        (*splits)[id] = split;
    }
    return status;
}

}  // namespace crayon
