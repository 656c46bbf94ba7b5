// The checkpoint of a trainer: a head, the merges, the ranges of pieces with equal counts, the lengths of the reserved
// tokens and of the pieces, their bytes, zeros up to a multiple of 8, and a hash of everything before it. Integers have the
// machine's byte order, little-endian.
//
// Readers trust nothing in it: the merges are redone from the pieces, and compared.
#include <cstring>
#include <new>

#include "crayon/layout/cartridge.h"
#include "train/token_table.h"
#include "train/trainer.h"

namespace crayon::train {

namespace {

struct Head {
    char magic[8];
    u32 version;
    u32 merges;
    TrainerOptions options;
    u64 text_pieces, text_bytes;
    u64 reserved, reserved_bytes;  // tokens
    u64 ranges, pieces, bytes;
};
static_assert(sizeof(Head) % 8 == 0 && sizeof(TrainerOptions) % 4 == 0);
constexpr char kMagic[8] = {'C', 'R', 'A', 'Y', 'T', 'R', 'N', '1'};
constexpr u32 kVersion = 1;

struct RangeRow {
    u64 count, pieces;
};

Status corrupt(size_t position) { return {CRAYON_CORRUPT_STRUCTURE, 0, position}; }

// Consecutive parts of a file, in order.
struct Layout {
    u64 merges, ranges, lengths, piece_lengths, bytes, piece_bytes, hash, end;

    explicit Layout(const Head& head) {
        merges = sizeof(Head);
        ranges = merges + u64{head.merges} * sizeof(Pair);
        lengths = ranges + head.ranges * sizeof(RangeRow);
        piece_lengths = lengths + head.reserved * sizeof(u32);
        bytes = piece_lengths + head.pieces * sizeof(u32);
        piece_bytes = bytes + head.reserved_bytes;
        hash = (piece_bytes + head.bytes + 7) / 8 * 8;
        end = hash + sizeof(u64);
    }
};

bool is_valid(const TrainerOptions& options) {
    bool seen[256] = {};
    for (const u8 byte : options.alphabet) seen[byte] = true;
    for (const bool each : seen) {
        if (!each) return false;
    }
    return options.vocabulary_size <= layout::kMaxTokens && options.min_frequency >= 1 && options.max_token_length >= 1 &&
           options.max_token_length <= layout::kMaxTokenLength && options.ties <= Ties::kSmaller &&
           options.observed_alphabet <= 1 && options.pretokenizer >= layout::kGpt2 &&
           options.pretokenizer <= layout::kLastPretokenizer;
}

}  // namespace

Status Trainer::save(const OwnedBytes** bytes) {
    if (!started_) return {CRAYON_INVALID_ARGUMENT};
    if (!failure_.ok()) return failure_;
    const u64 piece_bytes = sequences_.size() - 1 - sequences_.pieces();
    Head head = {{},
                 kVersion,
                 static_cast<u32>(merges_.size()),
                 options_,
                 pieces_,
                 bytes_,
                 reserved_,
                 reserved_ ? tokens_.offsets()[reserved_] : 0u,
                 sequences_.range_count(),
                 sequences_.pieces(),
                 piece_bytes};
    std::memcpy(head.magic, kMagic, sizeof kMagic);
    const Layout layout(head);
    if (layout.end > 0xFFFFFFFF) return {CRAYON_TEXT_TOO_LONG};
    saved_ = OwnedBytes();
    if (!OwnedBytes::allocate(static_cast<size_t>(layout.end), &saved_)) return Status::out_of_memory();
    u8* const out = saved_.data();
    std::memcpy(out, &head, sizeof head);
    for (size_t i = 0; i < merges_.size(); ++i) {
        const Pair pair = {merges_[i].left, merges_[i].right};
        std::memcpy(out + layout.merges + i * sizeof pair, &pair, sizeof pair);
    }
    if (reserved_) {
        std::memcpy(out + layout.lengths, tokens_.lengths(), reserved_ * sizeof(u32));
        std::memcpy(out + layout.bytes, tokens_.all_bytes(), static_cast<size_t>(head.reserved_bytes));
    }
    u8 *ranges = out + layout.ranges, *lengths = out + layout.piece_lengths, *text = out + layout.piece_bytes;
    const u8* const text_begin = text;
    u32 position = 1;
    for (u32 i = 0; i < sequences_.range_count(); ++i) {
        const u32 end = sequences_.range(i + 1).begin;
        RangeRow row = {sequences_.range(i).count, 0};
        while (position < end) {
            const u8* const begin = text;
            while (sequences_.at(position) != Sequences::kEnd) {
                const u32 token = sequences_.at(position) & ~Sequences::kFirst, length = tokens_.length(token);
                std::memcpy(text, tokens_.bytes(token), length);
                text += length;
                position += length;
            }
            ++position;
            const u32 length = static_cast<u32>(text - begin);
            std::memcpy(lengths, &length, sizeof length);
            lengths += sizeof length;
            ++row.pieces;
        }
        std::memcpy(ranges, &row, sizeof row);
        ranges += sizeof row;
    }
    const size_t written = static_cast<size_t>(layout.piece_bytes) + static_cast<size_t>(text - text_begin);
    std::memset(out + written, 0, static_cast<size_t>(layout.hash) - written);
    const u64 hash = hash_bytes(out, static_cast<size_t>(layout.hash));
    std::memcpy(out + layout.hash, &hash, sizeof hash);
    *bytes = &saved_;
    return {};
}

Status Trainer::restore(const u8* bytes, size_t length, const Kernel& kernel, Trainer** out) {
    Head head;
    if (length < sizeof head) return {CRAYON_TRUNCATED, 0, length};
    std::memcpy(&head, bytes, sizeof head);
    if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0) return corrupt(0);
    if (head.version != kVersion) return {CRAYON_UNSUPPORTED_VERSION, 0, offsetof(Head, version)};
    for (const u64 count : {head.reserved, head.reserved_bytes, head.ranges, head.pieces, head.bytes}) {
        if (count > length) return {CRAYON_TRUNCATED, 0, length};
    }
    const Layout layout(head);
    if (layout.end > length) return {CRAYON_TRUNCATED, 0, length};
    if (layout.end < length) return corrupt(static_cast<size_t>(layout.end));
    u64 hash;
    std::memcpy(&hash, bytes + layout.hash, sizeof hash);
    if (hash != hash_bytes(bytes, static_cast<size_t>(layout.hash))) return {CRAYON_CHECKSUM_MISMATCH, 0, layout.hash};
    if (!is_valid(head.options)) return corrupt(offsetof(Head, options));

    Trainer* const trainer = new (std::nothrow) Trainer(head.options, kernel);
    if (!trainer) return Status::out_of_memory();
    const Status status = trainer->read(bytes);
    if (!status.ok()) {
        delete trainer;
        return status;
    }
    *out = trainer;
    return {};
}

// Reads a checkpoint whose parts are where the head says.
Status Trainer::read(const u8* file) {
    Head head;
    std::memcpy(&head, file, sizeof head);
    const Layout layout(head);
    if (!expected_.resize(head.merges)) return Status::out_of_memory();
    if (head.merges) std::memcpy(expected_.data(), file + layout.merges, head.merges * sizeof(Pair));
    for (u64 i = 0, at = 0; i < head.reserved; ++i) {
        const size_t offset = static_cast<size_t>(layout.lengths + i * sizeof(u32));
        u32 length;
        std::memcpy(&length, file + offset, sizeof length);
        const bool last = i + 1 == head.reserved;
        const u64 left = head.reserved_bytes - at;
        if (length > left || (last && length < left)) return corrupt(offset);
        const Status status = reserve_token(file + layout.bytes + at, length);
        if (!status.ok()) return status.code == CRAYON_OUT_OF_MEMORY ? status : corrupt(offset);
        at += length;
    }
    if (head.reserved == 0 && head.reserved_bytes > 0) return corrupt(static_cast<size_t>(layout.bytes));

    if (Status status = sequences_.reserve(head.pieces, head.bytes); !status.ok()) return status;
    bool occurs[256] = {};
    const u8* const text = file + layout.piece_bytes;
    for (u64 i = 0; i < head.bytes; ++i) occurs[text[i]] = true;
    u32 ids[256];
    if (Status status = make_alphabet(occurs, ids); !status.ok()) return status;

    u64 piece = 0, at = 0, weight = 0, count_before = ~u64{0};
    for (u64 i = 0; i < head.ranges; ++i) {
        const size_t position = static_cast<size_t>(layout.ranges + i * sizeof(RangeRow));
        RangeRow row;
        std::memcpy(&row, file + position, sizeof row);
        if (row.count == 0 || row.count >= count_before || row.pieces == 0 || row.pieces > head.pieces - piece) {
            return corrupt(position);
        }
        count_before = row.count;
        for (const u64 end = piece + row.pieces; piece < end; ++piece) {
            const size_t offset = static_cast<size_t>(layout.piece_lengths + piece * sizeof(u32));
            u32 length;
            std::memcpy(&length, file + offset, sizeof length);
            if (length == 0 || length > head.bytes - at) return corrupt(offset);
            // No sum of counts may exceed 64 bits.
            u64 weighed;
            if (__builtin_mul_overflow(row.count, u64{length}, &weighed) || __builtin_add_overflow(weight, weighed, &weight)) {
                return corrupt(position);
            }
            if (!sequences_.append(text + at, length, row.count, ids)) return Status::out_of_memory();
            at += length;
        }
    }
    if (piece != head.pieces || at != head.bytes) return corrupt(static_cast<size_t>(layout.bytes));
    if (!sequences_.index_ranges()) return Status::out_of_memory();
    started_ = true;
    pieces_ = head.text_pieces;
    bytes_ = head.text_bytes;
    return queue_first_pairs();
}

}  // namespace crayon::train
