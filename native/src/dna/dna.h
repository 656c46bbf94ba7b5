// Encodes base sequences with a cartridge's vocabulary. Immutable and reference-counted; several threads may use one at once.
//
// Policies and vocabulary are combined into byte tables: each byte's id on its own, and its digit in a k-mer. Nothing else
// about the sequence matters. The kernels take long runs of bytes whose digits have two bits (all but the fifth digit, if
// there is one); the rest is encoded here, one k-mer or byte at a time.
#pragma once

#include <atomic>

#include "base/buffer.h"
#include "base/status.h"
#include "crayon/layout/dna.h"
#include "kernels/dna_kernel.h"
#include "tokenizer.h"

namespace crayon {

class Dna {
public:
    // Retains the tokenizer. INVALID_ARGUMENT, OUT_OF_MEMORY.
    static Status create(Tokenizer& tokenizer, const crayon_dna_policies& policies, Dna** out);
    void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
    void release() const {
        if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    Dna(const Dna&) = delete;
    Dna& operator=(const Dna&) = delete;

    const layout::DnaRules& rules() const { return rules_; }
    const DnaView& view() const { return view_; }
    u32 vocabulary_size() const { return tokenizer_.view().vocabulary_size; }
    u32 unknown_id() const { return view_.unknown_id; }
    // The smallest width in bytes that holds every id that can be written: 1, 2 or 4.
    u32 least_width() const { return least_width_; }

    // Each byte under the policies: its id alone or kNone, its digit in a k-mer (digit_count or more: several kinds of
    // non-digit), and its id at the beginning of a sequence, if there are start_ids.
    const u32* byte_ids() const { return ids_; }
    const u8* byte_digits() const { return digits_; }
    u32 start_id(u8 byte) const {
        const int as = folded(byte);
        if (as < 0) return layout::kNone;
        return view_.start_ids[as] == layout::kNone ? view_.unknown_id : view_.start_ids[as];
    }

    // A part of a sequence's ids.
    struct Part {
        u32 position = 0;   // the next byte
        u32 count = 0;      // ids
        u32 unknown = 0;    // how many of them are the unknown id
        bool more = false;  // the capacity ran out
    };
    // The destination of ids: `width` bytes each, as many as fit.
    struct Output {
        u8* ids;
        u32 width;
        u32 count;
    };
    // `flags`: CRAYON_DNA_CONTINUED and CRAYON_DNA_UNFINISHED. `part` is also set on UNKNOWN_BASE.
    Status encode(const u8* bytes, u32 length, u32 flags, Output output, Part* part) const;

    enum class Padding { kNone, kLeft, kRight };
    // A row's ids before padding, and how many of its sequence's ids are the unknown id.
    struct RowCounts {
        u32 ids = 0, unknown = 0;
    };
    // A whole sequence, with CRAYON_DNA_TEMPLATE and CRAYON_DNA_TRUNCATE, padded to fill the output. `mask`: a byte per id,
    // or null.
    Status encode_row(const u8* bytes, u32 length, u32 flags, Padding padding, Output output, u8* mask, RowCounts* counts) const;
    Padding default_padding() const { return rules_.side == layout::DnaSide::kLeft ? Padding::kLeft : Padding::kRight; }

    // A matrix, as in crayon_dna_encode_rows. The padding is already resolved.
    struct Matrix {
        const u8* bytes;
        u64 byte_count;
        const u32* offsets;
        u32 rows, columns = 0, flags = 0, width = 0;
        Padding padding = Padding::kNone;
        u8* ids = nullptr;
        u8* mask = nullptr;      // or null
        u32* unknown = nullptr;  // per row, how many ids of its sequence are the unknown id; or null
        u32* counts = nullptr;   // per row, the ids of its sequence, which are then counted and not written; or null

        size_t size() const { return size_t{rows} * columns * width; }
    };
    // The result for some of its rows: the length of the longest in ids, and the row that failed, if any.
    struct Outcome {
        Status status;
        u32 longest = 0, failed_row = 0;
    };
    Outcome encode_rows(const Matrix& matrix, u32 first, u32 last) const;
    // The number of unknown ids in a row that is written elsewhere: among the first `columns` ids, template included. 0 for
    // a sequence with an error.
    u32 count_unknown(const u8* bytes, u32 length, u32 flags, u32 columns) const;

private:
    class Writer;

    ~Dna() { tokenizer_.release(); }
    explicit Dna(Tokenizer& tokenizer) : tokenizer_(tokenizer), kernel_(*tokenizer.kernel().dna) { tokenizer.retain(); }
    Status choose(const crayon_dna_policies& policies);
    Status prepare();
    Status prepare_kmers();
    int folded(u32 byte) const;
    u32 greatest_id() const;

    Status count(const u8* bytes, u32 length, u32* count) const;
    Status encode_bytes(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    Status encode_kmers(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    Status encode_stride_1(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    Status encode_one(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    void encode_word(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    u32 digits_at(const u8* bytes, u32 count, u32* index) const;
    u32 kmer_id(u32 index) const { return view_.kmer_ids.empty() ? rules_.first_kmer_id + index : view_.kmer_ids[index]; }
    // Whether the kernels can handle k-mers with this byte.
    bool has_two_bits(u8 byte) const { return kernels_have_kmers_ && digits_[byte] < 4; }

    mutable std::atomic<u32> count_{1};
    Tokenizer& tokenizer_;
    const DnaKernel& kernel_;
    DnaView view_;
    layout::DnaRules rules_{};  // with the chosen policies
    u32 least_width_ = 4;
    u32 ids_[layout::kByteValues];    // kNone: no id
    u8 digits_[layout::kByteValues];  // or one of the values below
    // A non-digit byte may belong to a word of unknown bytes, or be space, which ends one.
    static constexpr u8 kSpace = 0xFC, kInWord = 0xFD, kNoDigit = 0xFE, kRejected = 0xFF;
    ByteMap id_map_{};  // ids_, if has_id_map_
    bool has_id_map_ = false;
    ByteMap two_bits_{};  // digits_ below 4
    KmerNumbers kmers_{};
    Buffer<u32> four_digit_ids_;
    bool kernels_have_kmers_ = false;    // all k-mers of two bits have ids
    bool kernels_have_unknown_ = false;  // possibly the unknown id
};

// Of single bases, without a vocabulary (bases.cpp).

// UNKNOWN_BASE for bytes that are not bases. `out` may equal `bytes`.
Status reverse_complement_bases(const DnaKernel& kernel, const u8* bytes, u32 length, u8* out);
// A 0, C 1, G 2, T 3, in either case; the first of four in the lowest bits.
Status pack_bases(const DnaKernel& kernel, const u8* bytes, u32 length, u8* packed);
void unpack_bases(const u8* packed, u32 length, u8* bytes);

}  // namespace crayon
