// Parses the records of a FASTA or FASTQ file, which arrives in parts that may end anywhere, into the caller's buffers.
//
//   FASTA    >name description↵ACGT↵ACGT↵          any number of lines
//   FASTQ    @name description↵ACGT↵+↵IIII↵        or more lines; only the sequence length shows where qualities end:
//                                                  '@' and '+' are qualities like any others
//
// Lines end with LF or CR LF; the last one may also end with the file. Only empty lines are skipped: between records, in
// sequences, and before qualities whose sequence has several lines; so are blanks (space, tab) that end lines other than headers,
// and a byte order mark. Anything that breaks a rule is an error with its position, and parsing cannot continue past it.
//
// The output is rows: the parts of one record seen by a call. For each row, `bytes` has a part of the header, of the
// sequence and of the qualities, in this order, without line breaks. A long record has many rows. Alternatively, sequences
// are apart: they fill `bytes` from the beginning, headers from the end, and qualities are omitted.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "base/status.h"
#include "kernels/kernel.h"

namespace crayon {

enum class RecordFormat : u32 { kFasta = CRAYON_FASTA, kFastq = CRAYON_FASTQ };

class RecordParser {
public:
    // The longest header: databases that join all names of a protein have headers of several hundred thousand bytes.
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
        size_t consumed;  // of the input; pass the rest again
        size_t produced;
        u32 parts;
        bool more;  // the output is full: more of the same input, or of its end, remains
    };

    RecordParser(RecordFormat format, const Kernel& kernel, bool is_apart = false)
        : format_(format), kernel_(*kernel.records), is_apart_(is_apart) {}

    // For any status, `progress` says how much was done: an error comes after the parts before it. After a failure, every
    // call returns the same failure.
    Status read(const Input& input, const Output& output, Progress* progress);

    // The kind of failure, and the number of its record, from 0.
    u32 reason() const { return reason_; }
    u64 record() const { return record_; }

private:
    enum class State { kBetween, kHeader, kSequence, kPlus, kQuality, kQualityEnd };
    enum class Next { kGoOn, kOutputFull, kFailed };
    struct Buffers;  // the state of one call, and its position in the buffers

    Next step(Buffers& buffers);
    Next step_between(Buffers& buffers);
    Next step_header(Buffers& buffers);
    Next step_sequence(Buffers& buffers);
    Next step_plus(Buffers& buffers);
    Next step_quality(Buffers& buffers);
    Next end_line(Buffers& buffers, u64 position);
    Next end_file(Buffers& buffers);
    // Copies at most `count` bytes to the output; with sequences apart, headers go to its end.
    static u32 copy(Buffers& buffers, size_t count, u32& length);
    u32 copy_header(Buffers& buffers, size_t count) const;
    static void end_record(Buffers& buffers);
    Next fail(u32 reason, u64 position);
    Next fail_here(const Buffers& buffers, u32 reason);
    // Blanks may be what is left of a line. If anything follows them in it, the failure is that of the first blank.
    Next fail_unless_blank(Buffers& buffers, u32 reason);
    static Next skip_blank(Buffers& buffers);

    const RecordFormat format_;
    const RecordKernel& kernel_;
    const bool is_apart_;
    State state_ = State::kBetween;
    bool line_start_ = true;     // no byte of the line was read yet
    bool after_return_ = false;  // a CR was read; LF must follow
    u32 blank_reason_ = 0;       // blanks were read; only the line's end may follow, or this is wrong
    u64 blank_position_ = 0;     // of the first of them
    u32 mark_length_ = 0;        // how much of a byte order mark was read
    u64 consumed_ = 0;           // before this call
    u64 record_ = 0;             // the number of the record, from 0
    u64 record_begin_ = 0;
    u32 header_length_ = 0;
    Buffer<u8> header_;  // of FASTQ, for comparison with the second header
    u32 plus_length_ = 0;
    u64 sequence_length_ = 0;
    u32 sequence_lines_ = 0;  // non-empty ones; 2 means two or more
    u64 quality_length_ = 0;
    u32 reason_ = 0;
    Status failure_;
};

}  // namespace crayon
