// The records of a FASTA or FASTQ file, which comes in parts that may end anywhere, to buffers of the caller.
//
//   FASTA    >name description↵ACGT↵ACGT↵          any number of lines
//   FASTQ    @name description↵ACGT↵+↵IIII↵        or more lines, which only the length of the sequence tells apart:
//   '@'
//                                                  and '+' are qualities like any others
//
// Lines end with LF or CR LF, the last one with the file, too. Nothing is skipped but empty lines: between records and
// in sequences, and before qualities whose sequence has several lines. What breaks a rule is an error with its position,
// and there is no way on from it.
//
// The output is rows: the parts of one record that a call has met. `bytes` has, for each row, a part of the header, of
// the sequence and of the qualities, one behind the other, with line breaks left out. A long record has many rows.
// Or sequences are apart: they fill `bytes` from its beginning, headers from its end, and qualities are not written.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "simd/record_kernel.h"

namespace crayon {

enum class RecordFormat : u32 { kFasta = CRAYON_FASTA, kFastq = CRAYON_FASTQ };

class RecordParser {
public:
    // The longest header: those of databases that join all names of a protein have several hundred thousand bytes.
    static constexpr u32 kMaxHeader = 1 << 24;

    struct Input {
        const u8* bytes;
        size_t length;
        bool last;  // nothing follows
    };
    struct Output {
        u8* bytes;
        size_t capacity;
        crayon_record_part* parts;
        u32 part_capacity;
    };
    struct Progress {
        size_t consumed;  // of the input; the rest is passed again
        size_t produced;
        u32 parts;
        bool more;  // the output is full: there is more of the same input, or of its end
    };

    RecordParser(RecordFormat format, const Kernel& kernel, bool is_apart = false)
        : format_(format), kernel_(record_kernel_of(kernel)), is_apart_(is_apart) {}

    // Whatever the status, `progress` says what has been done: what is wrong comes after the parts before it. Once it
    // has failed, it returns the same failure.
    Status read(const Input& input, const Output& output, Progress* progress);

    // About the failure: what is wrong, and in which record, from 0.
    u32 reason() const { return reason_; }
    u64 record() const { return record_; }

private:
    enum class State { kBetween, kHeader, kSequence, kPlus, kQuality, kQualityEnd };
    enum class Next { kGoOn, kOutputFull, kFailed };
    struct Buffers;  // of a call, and its position in them

    Next step(Buffers& buffers);
    Next step_between(Buffers& buffers);
    Next step_header(Buffers& buffers);
    Next step_sequence(Buffers& buffers);
    Next step_plus(Buffers& buffers);
    Next step_quality(Buffers& buffers);
    Next end_line(Buffers& buffers, u64 position);
    Next end_file(Buffers& buffers);
    // Copies at most `count` bytes to the output; a header to its end, if sequences are apart.
    static u32 copy(Buffers& buffers, size_t count, u32& length);
    u32 copy_header(Buffers& buffers, size_t count) const;
    static void end_record(Buffers& buffers);
    Next fail(u32 reason, u64 position);
    Next fail_here(const Buffers& buffers, u32 reason);

    const RecordFormat format_;
    const RecordKernel& kernel_;
    const bool is_apart_;
    State state_ = State::kBetween;
    bool line_start_ = true;     // no byte of the line has been read
    bool after_return_ = false;  // a CR has been read, and LF must follow
    u64 consumed_ = 0;           // before this call
    u64 record_ = 0;             // the number of the record, from 0
    u64 record_begin_ = 0;
    u32 header_length_ = 0;
    Buffer<u8> header_;  // of FASTQ, to compare the second one with it
    u32 plus_length_ = 0;
    u64 sequence_length_ = 0;
    u32 sequence_lines_ = 0;  // that are not empty; 2 is for all above
    u64 quality_length_ = 0;
    u32 reason_ = 0;
    Status failure_;
};

}  // namespace crayon
