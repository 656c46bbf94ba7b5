#include "model/piece_memory.h"

#include <bit>

namespace crayon {

namespace {

// The table grows when this share of its entries have lost their place (1/2^4): by 2^3 while it is small, then by 2^2. Half the
// share gives 100 MB of English 66 MiB instead of 18; four times the share loses a third of the speed of languages that come
// again (bench/results/piece-memory.md).
constexpr u32 kLostShare = 4, kGrowth = 3, kFarGrowth = 2, kNearBits = 17;
// Records grow freely up to this size; beyond it, when this number of pieces comes again for each chunk.
constexpr u64 kFreeBytes = u64{8} << 20;
constexpr u32 kAgainPerChunk = 64;
// When chunks are filled anew, one record in this many is kept, so that those of a text larger than the memory live long enough
// to be found.
constexpr u32 kKeptOneIn = 4;

}  // namespace

void PieceMemory::set_limit(u64 bytes) {
    constexpr u64 kMost = u64{1} << 30, kLeastChunk = 4 << 10;
    limit_ = bytes < kLeastBytes ? kLeastBytes : bytes < kMost ? bytes : kMost;
    most_bits_ = kLeastBits;
    while (most_bits_ < kMostBits && sizeof(Entry) << (most_bits_ + 1) <= limit_ / 7 * 4) ++most_bits_;
    const u64 left = limit_ - (sizeof(Entry) << most_bits_), chunk = std::bit_ceil(left / kChunks);
    const u32 before = chunk_bytes_;
    chunk_bytes_ = static_cast<u32>(chunk < kLeastChunk ? kLeastChunk : chunk);
    most_chunks_ = static_cast<u32>(left / chunk_bytes_);
    if (bits_ > most_bits_ || (end_ != oldest_ && chunk_bytes_ != before) || end_ - oldest_ > most_chunks_) release();
}

void PieceMemory::release() {
    ZeroedPages none;
    table_.swap(none);
    while (oldest_ != end_) drop_chunk();
    bits_ = lost_ = again_ = 0;
}

void PieceMemory::drop_chunk() {
    ZeroedPages none;
    none.swap(chunks_[oldest_++ % kChunks]);
    is_refilled_ = false;
}

void PieceMemory::keep(const Key& key, const u8* piece, const u32* ids, u32 count) {
    Entry entry = {key.low, key.high, {}};
    if (count <= kMostIds && key.high >> kLengthAt != 0) {
        for (u32 i = 0; i < count; ++i) entry.ids[i] = ids[i];
        entry.high |= u64{count} << kCountAt;
    } else if (!put_record(key, piece, ids, count, &entry)) {
        return;
    }
    *place_for(key) = entry;
    if (bits_ < most_bits_ && lost_ >> (bits_ - kLostShare) != 0) grow();
}

// Where a key goes: to its own entry, if there is one.
PieceMemory::Entry* PieceMemory::place_for(const Key& key) {
    Entry* const home = table().home(key);
    Entry* const others = table().other(home);
    for (u32 i = 0; i < 2; ++i) {
        if (home[i].matches(key) || home[i].empty()) return home + i;
    }
    for (u32 i = 0; i < 2; ++i) {
        if (others[i].matches(key)) return others + i;
    }
    Entry& last = others[!others[1].empty() && others[0].empty() ? 0 : 1];
    if (last.empty() || ++lost_ % 2 == 0) {
        last = home[1];
    }
    return home + 1;
}

// Without memory the table stays as it is, and tries again after as many losses.
void PieceMemory::grow() {
    lost_ = 0;
    ZeroedPages before;
    const u32 more = bits_ + (bits_ < kNearBits ? kGrowth : kFarGrowth), bits = more < most_bits_ ? more : most_bits_;
    const size_t size = sizeof(Entry) << bits;
    while (end_ != oldest_ && memory() + size > limit_) drop_chunk();  // until the smaller table is gone
    before.swap(table_);
    if (!table_.make(size)) return before.swap(table_);
    bits_ = bits;
    const Entry* const old_entries = static_cast<const Entry*>(before.data());
    for (size_t i = 0; i < before.size() / sizeof(Entry); ++i) {
        if (old_entries[i].empty()) continue;
        *place_for({old_entries[i].low, old_entries[i].high & ~u64{0} >> kCountBits}) = old_entries[i];
    }
    lost_ = 0;
}

bool PieceMemory::put_record(const Key& key, const u8* piece, const u32* ids, u32 count, Entry* entry) {
    const u32 length = recorded(key.high), size = words_of(length) + count;
    if (size > chunk_words()) return false;
    if (is_refilled_ && ++offered_ % kKeptOneIn != 0) return false;
    if ((end_ == oldest_ || used_ + size > chunk_words()) && !next_chunk()) return false;
    u32* const record = words(end_ - 1) + used_;
    if (length > 0) std::memcpy(record, piece, length);
    if (count > 0) std::memcpy(record + words_of(length), ids, count * sizeof(u32));
    const u64 chunk = end_ - 1;
    entry->high |= u64{kInRecord} << kCountAt;
    entry->ids[0] = count;
    entry->ids[1] = used_;
    std::memcpy(entry->ids + 2, &chunk, sizeof chunk);
    used_ += size;
    return true;
}

// A chunk more, or the oldest one again. False if memory is short.
bool PieceMemory::next_chunk() {
    const u64 count = end_ - oldest_;
    const bool is_free = count * chunk_bytes_ < kFreeBytes || again_ >= kAgainPerChunk;
    if (count == 0 || (count < most_chunks_ && is_free)) {
        if (chunks_[end_ % kChunks].make(chunk_bytes_)) {
            again_ = used_ = 0;
            ++end_;
            return true;
        }
        if (count == 0) return false;
    }
    chunks_[oldest_ % kChunks].swap(chunks_[end_ % kChunks]);
    ++oldest_;
    ++end_;
    used_ = 0;
    is_refilled_ = end_ - oldest_ == most_chunks_;
    return true;
}

}  // namespace crayon
