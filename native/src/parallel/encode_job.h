// A job: a text, or the rows of a batch, to be encoded by several threads. It is a queue of slices and defines the work on
// them and its order; the Pool decides which thread does it and when.
//
//   rows ─▶ slices ─▶ each encoded alone, parts of a long row from a guessed split point on (cuts.h)
//                  ─▶ accepted in order: a part is accepted if the previous part has a safe split point at its beginning
//                     (chain.h); if not, the point where the two chains meet is searched for; if they do not meet, the part
//                     is encoded again from the previous part's last safe split point
//                 ─▶ once all are accepted, many ids are gathered in one block of memory
//
// A job may also cut its rows into parts within a limit (limits/splitter.h), a row in one thread.
//
// The part that is next in line begins at a known safe split point, without guessing: so a single thread does no more work
// than an encoder, and additional threads only take parts ahead of it. Where a guess was in vain (a text of one repeated letter),
// one thread encodes that part, after the next one two, then four, and so on until a guess is right; meanwhile another tries
// only a small part after them. So a text whose parts never meet costs one thread what it costs an encoder, and a search for
// each doubling. A row whose first cut is just anywhere begins as if a guess had been in vain.
//
// Parts may also overlap, as in LoPT: each lists its safe split points at the start of its text and at the start of the
// next part's, and two parts are joined at a position in both lists. If there is none, the part is encoded again from the
// previous part's end. (LoPT, section 3, joins at tokens and begins again with parts twice as long; chain.h explains why not
// at tokens.) This costs a little more and gives the same result.
//
// The result equals encoding row after row: the same ids, or the failure that comes first in the text.
//
// Threads: one at a time, holding the pool's lock, unless a function says otherwise.
#pragma once

#include "base/owned_bytes.h"
#include "encode/utf16_windows.h"
#include "limits/splitter.h"
#include "parallel/pool_job.h"
#include "platform/mutex.h"

namespace crayon {

class EncodeJob final : public PoolJob {
public:
    // Retains the tokenizer. UNKNOWN_SPECIAL as in Encoder::begin.
    static Status create(Tokenizer& tokenizer, u32 special, const u32* allowed, u32 allowed_count, bool counts, EncodeJob** out);
    // Call before the start: parts of `part_bytes` (0: the usual size) overlap by `bytes`, and are joined if they share at
    // least `least_common` safe split points there; otherwise a longer stretch is encoded again.
    void set_overlap(u64 bytes, u64 part_bytes = 0, u32 least_common = 1) {
        overlap_ = bytes;
        overlapping_part_bytes_ = part_bytes;
        least_common_ = least_common;
    }
    // Call before the start: instead of ids, each row gives the numbers of its parts. INVALID_ARGUMENT, OUT_OF_MEMORY.
    Status set_parts(const crayon_part_form& form);
    ~EncodeJob() override;

    // Sets the text, once, before the job is submitted; it must stay valid until the job is done. The offsets are rows + 1
    // ascending byte positions, used only during this call.
    Status set_text(const u8* bytes, u64 size, bool last);
    Status set_rows(const u8* bytes, const u32* offsets, u32 rows);
    // Or a part of a file, which is mapped until the job is deleted.
    Status map_text(int descriptor, u64 begin, u32 length, bool last);
    // Or a text that the job owns, with one row or many: append all of it before the job is submitted, or append later, up
    // to the reserved size (TEXT_TOO_LONG). `last` ends a row; end_text() ends the text, and the last row if it is not
    // empty. Only the host's thread appends, without the lock; `mutex` is the pool's once the job has been submitted.
    Status reserve(u64 bytes);
    Status append_utf8(const u8* bytes, u32 length, bool last, Mutex* mutex);
    Status append_utf16(const u16* units, u32 length, bool last, Mutex* mutex);
    Status append_rows(const u8* bytes, const u32* offsets, u32 rows, Mutex* mutex);
    Status append_rows_utf16(const u16* units, const u32* lengths, u32 rows, Mutex* mutex);
    Status end_text(Mutex* mutex);

    // --- for the pool ---

    Status start(u32 threads, u64 slice_bytes = 0) override;
    bool has_task(bool is_host = false) const override;
    bool take(Task* task, bool is_host = false) override;
    void run(Task& task, Encoder* encoder) override;
    void complete(const Task& task) override;
    void cancel() override;
    Tokenizer* encoder_for(const Task& task) override { return needs_encoder(task) ? &tokenizer_ : nullptr; }
    bool is_done() const override { return phase_ == Phase::kDone; }
    bool has_all_text() const override { return ended_; }
    bool has_failed() const override { return failed_; }
    bool is_small() const override;
    EncodeJob* texts() override { return this; }

    // --- results, once it is done ---

    // On OK, with the position up to which ids are final.
    Status result(u64* row) const override;
    u64 token_count() const { return total_; }
    // Writes the ids, once. INVALID_ARGUMENT if there are none.
    Status copy(u32* ids);
    // The ids of a large result are already in one block: hands over that memory, for std::free; the ids cannot be written
    // any more. nullptr if they are not in one block.
    u32* detach_ids();
    // Writes the rows in a form, once, if their ids are not in one block. See crayon_job_write_rows.
    Status write_rows(const crayon_row_form& form, void* out, u64 capacity, u32* lengths);
    // Leaves the memory of ids that have been written to the pool's next jobs.
    void reuse_buffers();
    u64 row_count() const { return row_ends_.size() - 1; }
    // TEXT_TOO_LONG if they need more than 32 bits.
    Status row_offsets(u32* offsets) const;

    // From this many ids on, they are gathered in one block: copying fewer takes no time.
    u64 gathered_from = 64 * 1024;

private:
    enum class Phase : u8 { kNew, kEncoding, kGathering, kDone };

    explicit EncodeJob(Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    static bool needs_encoder(const Task& task) { return task.kind != Task::Kind::kGather; }
    Status reserve_text(u64 bytes);
    Status publish(u64 bytes, bool last, Mutex* mutex);
    Status publish_rows(Buffer<u64>& ends, Mutex* mutex);
    u64 slice_bytes() const;
    // Excludes a text that is one piece, or takes the general path: that is work for one thread.
    bool is_long(u64 row_size, u64 slice_bytes) const {
        return row_size > slice_bytes + slice_bytes / 2 && !tokenizer_.is_whole() && !tokenizer_.general() && !makes_parts_;
    }
    bool is_complete_row(u64 row) const { return row < row_count(); }
    RowText text_of(u64 row) const;
    bool has_enough(u64 row) const { return is_complete_row(row) || text_of(row).size >= enough_; }
    bool join_overlap(Slice& slice);
    bool is_passed(const Slice& part) const { return accepted_to_ >= part.target || exhausted_; }
    bool has_unplanned() const;
    bool may_guess() const;
    bool can_plan() const;
    bool plan(u64 bytes, Slice** planned);
    // Whether tokens end between bytes that none joins.
    bool is_unjoined() const {
        return tokenizer_.model_kind() == layout::kBpe && tokenizer_.view().pretokenizer == layout::kNoPretokenizer;
    }
    u64 cut_of(const u8* text, u64 slice_bytes) const;
    bool is_likely(const RowText& text, u64 cut) const;
    bool plan_rows(Slice& slice, u64 slice_bytes);
    bool take_any(Task* task);
    bool take_gathering(Task* task);
    bool hand_out(Task* task, Task::Kind kind, Slice& slice);
    void judge(const Task& task, Slice& slice);
    void accept_all();
    void waste(Slice& slice);
    void go_on_alone(u64 row);
    bool replace(size_t i);
    static void encode_again(Slice& slice);
    void accept(Slice& slice);
    void pass(Slice& slice);
    void go_on(Slice& slice);
    void fail(const Status& status, u64 row);
    void close_if_done();
    Status list_overlaps(const RowText& text, Slice& slice, Encoder& encoder);
    void encode_rows(Slice& slice, Encoder& encoder);
    void encode_each(Slice& slice, Encoder& encoder, IdSink& sink);
    Status split_row(Splitter& splitter, const RowText& text, const Slice& slice, Encoder& encoder, Buffer<u32>& numbers);
    void split_rows(Slice& slice, Encoder& encoder);
    void encode_part(const RowText& text, Slice& slice, Encoder& encoder);
    void end_encoding();
    static void copy(Slice& slice, u32* ids);

    Tokenizer& tokenizer_;
    u32 special_ = 0;
    Buffer<u32> allowed_;
    bool counts_ = false;
    bool makes_parts_ = false;
    crayon_part_form form_ = {};  // with its lists:
    Buffer<u8> separators_;
    Buffer<u32> separator_numbers_;

    // The text: complete rows, and one that grows.
    const u8* bytes_ = nullptr;
    u64 size_ = 0;
    Buffer<u64> row_ends_;     // the first is the start of the first row
    bool ended_ = false;       // no more rows follow
    bool open_ended_ = false;  // more text may follow, outside this job
    Buffer<u8> owned_;
    OwnedBytes mapped_;
    u64 reserved_ = 0;
    Utf16Windows utf16_;

    Phase phase_ = Phase::kNew;
    u64 fixed_slice_bytes_ = 0, slices_at_once_ = 1;
    u64 overlap_ = 0;  // of parts
    u64 overlapping_part_bytes_ = 0;
    u32 least_common_ = 1;
    Buffer<Slice*> slices_;
    Buffer<Slice*> replaced_;  // by others, while threads worked on them
    size_t next_accepted_ = 0, next_gathered_ = 0;
    u64 next_row_ = 0, next_begin_ = 0;  // the start of the unplanned text
    u64 alone_ = 0;                      // slices that one thread encodes after the next guess in vain; 0: guesses are right
    Slice* before_ = nullptr;            // the last part with text that was accepted

    u64 accepted_to_ = 0;     // in the row's chain; parts up to here are accepted
    u64 enough_ = 0;          // no progress is possible from there until the row has this many bytes or has ended
    bool exhausted_ = false;  // nor with the whole row
    u64 final_split_ = 0;     // the last safe split point of the last row

    bool failed_ = false;
    Status status_;
    u64 failed_row_ = 0;
    u64 total_ = 0;  // ids
    Buffer<u32> gathered_;
    bool is_taken_ = false;  // the ids were written or detached
};

}  // namespace crayon
