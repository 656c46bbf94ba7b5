// Encodes sequences of bases with the vocabulary of a cartridge. Immutable and reference-counted; several threads may use
// one at once.
//
// Policies and vocabulary are combined in tables of bytes: which id a byte has alone, and which digit of a k-mer it is.
// Nothing else of the sequence matters. The kernels take long runs of bytes whose digits have two bits (all but the fifth
// digit, if there is one); what is between them is encoded here, one k-mer or byte at a time.
#pragma once

#include <atomic>

#include "base/buffer.h"
#include "crayon/layout/dna.h"
#include "simd/dna_kernel.h"
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
    // The least number of bytes that holds every id that can be written: 1, 2 or 4.
    u32 least_width() const { return least_width_; }

    // What the policies make of each byte: its id alone or kNone, its digit in a k-mer (digit_count or more: none, of several
    // kinds), and its id at the beginning of a sequence, if start_ids are there.
    const u32* byte_ids() const { return ids_; }
    const u8* byte_digits() const { return digits_; }
    u32 start_id(u8 byte) const {
        const int as = folded(byte);
        if (as < 0) return layout::kNone;
        return view_.start_ids[as] == layout::kNone ? view_.unknown_id : view_.start_ids[as];
    }

    // Some of the ids of a sequence.
    struct Part {
        u32 position = 0;   // the next byte
        u32 count = 0;      // ids
        u32 unknown = 0;    // of these, how many are the unknown id
        bool more = false;  // the capacity ran out
    };
    // Where ids go: those of `width` bytes each, as many as there is room for.
    struct Output {
        u8* ids;
        u32 width;
        u32 count;
    };
    // `flags`: CRAYON_DNA_CONTINUED and CRAYON_DNA_UNFINISHED. `part` is also set if it fails with UNKNOWN_BASE.
    Status encode(const u8* bytes, u32 length, u32 flags, Output output, Part* part) const;

    enum class Padding { kNone, kLeft, kRight };
    // The ids of a row before padding, and how many of its sequence are the unknown id.
    struct RowCounts {
        u32 ids = 0, unknown = 0;
    };
    // A whole sequence, with CRAYON_DNA_TEMPLATE and CRAYON_DNA_TRUNCATE, and padded to fill the output. `mask`: a byte for each
    // id, or null.
    Status encode_row(const u8* bytes, u32 length, u32 flags, Padding padding, Output output, u8* mask, RowCounts* counts) const;
    Padding default_padding() const { return rules_.side == layout::DnaSide::kLeft ? Padding::kLeft : Padding::kRight; }

    // A matrix, as crayon_dna_encode_rows has it. The padding is chosen.
    struct Matrix {
        const u8* bytes;
        const u32* offsets;
        u32 rows, columns, flags, width;
        Padding padding;
        u8* ids;
        u8* mask;      // or null
        u32* unknown;  // of each row, how many ids of its sequence are the unknown id; or null

        size_t size() const { return size_t{rows} * columns * width; }
    };
    // What has become of some of its rows: the ids of the longest, and the row of the failure, if there is one.
    struct Outcome {
        Status status;
        u32 longest = 0, failed_row = 0;
    };
    Outcome encode_rows(const Matrix& matrix, u32 first, u32 last) const;
    // How many unknown ids a row has that is written elsewhere: of the first `columns` ids, template included. 0 for a sequence
    // that has an error.
    u32 count_unknown(const u8* bytes, u32 length, u32 flags, u32 columns) const;

    Status count(const u8* bytes, u32 length, u32* count) const;

private:
    class Writer;

    ~Dna() { tokenizer_.release(); }
    explicit Dna(Tokenizer& tokenizer) : tokenizer_(tokenizer), kernel_(dna_kernel_of(tokenizer.kernel())) { tokenizer.retain(); }
    Status choose(const crayon_dna_policies& policies);
    Status prepare();
    Status prepare_kmers();
    int folded(u32 byte) const;
    u32 greatest_id() const;

    Status encode_bytes(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    Status encode_kmers(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    Status encode_stride_1(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    Status encode_one(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    void encode_word(const u8* bytes, u32 length, u32 flags, Writer* out, u32* position) const;
    u32 digits_at(const u8* bytes, u32 count, u32* index) const;
    u32 kmer_id(u32 index) const { return view_.kmer_ids.empty() ? rules_.first_kmer_id + index : view_.kmer_ids[index]; }
    // Whether the kernels may be asked for k-mers with this byte.
    bool has_two_bits(u8 byte) const { return kernels_have_kmers_ && digits_[byte] < 4; }

    mutable std::atomic<u32> count_{1};
    Tokenizer& tokenizer_;
    const DnaKernel& kernel_;
    DnaView view_;
    layout::DnaRules rules_{};  // with the policies that have been chosen
    u32 least_width_ = 4;
    u32 ids_[layout::kByteValues];    // kNone: no id
    u8 digits_[layout::kByteValues];  // or one of these
    // A byte that is no digit may be one of a word of unknown bytes, or space, which ends one.
    static constexpr u8 kSpace = 0xFC, kInWord = 0xFD, kNoDigit = 0xFE, kRejected = 0xFF;
    ByteMap id_map_{};  // ids_, if has_id_map_
    bool has_id_map_ = false;
    ByteMap two_bits_{};  // digits_ below 4
    KmerNumbers kmers_{};
    Buffer<u32> four_digit_ids_;
    bool kernels_have_kmers_ = false;    // all k-mers of two bits have ids
    bool kernels_have_unknown_ = false;  // which may be the unknown one
};

}  // namespace crayon
