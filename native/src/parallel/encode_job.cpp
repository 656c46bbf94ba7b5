#include "parallel/encode_job.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "parallel/cuts.h"
#include "platform/large_pages.h"

namespace crayon {

namespace {

constexpr u64 kSmallestSlice = 16 * 1024, kLargestSlice = 128 * 1024;  // bytes of text
// Slices shrink towards the end of the text so that all threads finish together: this many remain per thread.
constexpr u64 kSlicesForEach = 2;
// A job up to this many bytes is one slice: waking a thread would take as long as encoding some of it.
constexpr u64 kUndivided = 48 * 1024;
constexpr u64 kCutShare = 256;      // share of a slice searched for a cut
constexpr u64 kUnjoinedShare = 8;   // the same without a pretokenizer, where split points are farther apart
constexpr u64 kMostRows = 4096;     // per slice
constexpr u64 kManyRows = 64;       // the same: Encoder::expect_many_texts
constexpr u64 kCopied = 64 * 1024;  // ids gathered per task
// A part from a guessed split point reads this far into the next one if a piece is long.
constexpr u64 kReach = 8 * 1024;
// Slices that one thread encodes after a guess in vain, at most.
constexpr u64 kMostAlone = u64{1} << 20;
constexpr u64 kUnlimited = ~u64{0};
constexpr u32 kNumbersAtOnce = 3 * 256;

}  // namespace

Status EncodeJob::create(Tokenizer& tokenizer, u32 special, const u32* allowed, u32 allowed_count, bool counts, EncodeJob** out) {
    if (special > CRAYON_SPECIAL_LISTED || tokenizer.model_kind() == layout::kDnaModel) return {CRAYON_INVALID_ARGUMENT};
    if (special != CRAYON_SPECIAL_LISTED) allowed_count = 0;
    for (u32 i = 0; i < allowed_count; ++i) {
        if (tokenizer.added_tokens(allowed[i]).empty()) return {CRAYON_UNKNOWN_SPECIAL, 0, i};
    }
    EncodeJob* job = new (std::nothrow) EncodeJob(tokenizer);
    if (!job) return Status::out_of_memory();
    tokenizer.retain();
    job->special_ = special;
    job->counts_ = counts;
    if (!job->allowed_.append(allowed, allowed_count) || !job->row_ends_.push_back(0)) {
        delete job;
        return Status::out_of_memory();
    }
    *out = job;
    return {};
}

Status EncodeJob::set_parts(const crayon_part_form& form) {
    if (phase_ != Phase::kNew || counts_) return {CRAYON_INVALID_ARGUMENT};
    Splitter splitter;
    if (Status status = splitter.begin(form); !status.ok()) return status;  // checks it
    form_ = form;
    if (!separators_.assign(form.separators, form.length) || !separator_numbers_.assign(form.numbers, 2 * size_t{form.count})) {
        return Status::out_of_memory();
    }
    form_.separators = separators_.data();
    form_.numbers = separator_numbers_.data();
    makes_parts_ = true;
    return {};
}

EncodeJob::~EncodeJob() {
    for (Slice* slice : slices_) delete slice;
    for (Slice* slice : replaced_) delete slice;
    tokenizer_.release();
}

// The text of a row, as far as available.
RowText EncodeJob::text_of(u64 row) const {
    const u64 begin = row_ends_[row], end = is_complete_row(row) ? row_ends_[row + 1] : size_;
    return {bytes_ + begin, end - begin, is_complete_row(row) && !open_ended_};
}

// --- planning ---

Status EncodeJob::start(u32 threads, u64 slice_bytes) {
    if (phase_ != Phase::kNew) return {CRAYON_INVALID_ARGUMENT};
    phase_ = Phase::kEncoding;
    if (most_threads > 0) threads = std::min(threads, most_threads);
    slices_at_once_ = kSlicesForEach * u64{std::max(threads, 1u)};
    fixed_slice_bytes_ = slice_bytes > 0 ? slice_bytes : overlapping_part_bytes_;
    close_if_done();
    return {};
}

// Whether the whole job is one task.
bool EncodeJob::is_small() const {
    return ended_ && size_ - row_ends_[0] <= (fixed_slice_bytes_ > 0 ? fixed_slice_bytes_ : kUndivided);
}

// The size of the next slice.
u64 EncodeJob::slice_bytes() const {
    if (fixed_slice_bytes_ > 0) return fixed_slice_bytes_;
    if (is_small()) return kUndivided;
    const u64 rest = size_ - row_ends_[next_row_] - next_begin_;
    return std::clamp(rest / slices_at_once_, kSmallestSlice, kLargestSlice);
}

// Whether there is text for another slice.
bool EncodeJob::has_unplanned() const {
    if (next_row_ >= row_ends_.size() || (next_row_ == row_count() && ended_)) return false;
    return is_complete_row(next_row_) || is_long(text_of(next_row_).size - next_begin_, slice_bytes());
}

// Whether it may be a guess. Where guesses are in vain, or one is not even likely to be right, a second waits for the first.
bool EncodeJob::may_guess() const {
    const Slice& last = *slices_[slices_.size() - 1];
    const bool is_guess = !last.exact && last.state != Slice::State::kWaiting;
    return alone_ == 0 || !is_guess || last.abandoned.load(std::memory_order_relaxed);
}

bool EncodeJob::can_plan() const {
    if (!has_unplanned()) return false;
    if (next_begin_ == 0) return true;
    return next_accepted_ == slices_.size() ? has_enough(next_row_) : may_guess();
}

// Takes the next text, if any, as a slice; false if memory is short.
bool EncodeJob::plan(u64 bytes, Slice** planned) {
    *planned = nullptr;
    if (!has_unplanned()) return true;
    const u64 rest = text_of(next_row_).size - next_begin_;
    Slice* const slice = new (std::nothrow) Slice;
    if (!slice || !slices_.push_back(slice)) {
        delete slice;
        return false;
    }
    slice->row = next_row_;
    slice->is_part = next_begin_ > 0 || is_long(rest, bytes);
    if (!slice->is_part) {
        *planned = slice;
        return plan_rows(*slice, bytes);
    }
    slice->begins_row = next_begin_ == 0;
    slice->ends_row = is_complete_row(next_row_) && !is_long(rest, bytes);
    slice->begin = next_begin_;
    const RowText text = text_of(next_row_);
    slice->target = slice->ends_row ? text.size : cut_of(text.bytes, bytes);
    slice->exact = slice->begins_row;
    if (slice->begins_row && !is_likely(text, slice->target)) alone_ = std::max<u64>(alone_, 1);
    next_begin_ = slice->ends_row ? 0 : slice->target;
    next_row_ += slice->ends_row;
    *planned = slice;
    return true;
}

// The end of a slice of about `slice_bytes` bytes.
u64 EncodeJob::cut_of(const u8* text, u64 slice_bytes) const {
    const u64 wanted = next_begin_ + slice_bytes;
    if (is_unjoined()) {
        const auto splits_between = [&](u8 a, u8 b) { return tokenizer_.joined_bytes().splits_between(a, b); };
        const u64 position = cut_where(text, wanted, slice_bytes / kUnjoinedShare, splits_between);
        if (position > 0) return position;
    }
    return cut_near(text, wanted, slice_bytes / kCutShare);
}

// Whether a cut is mostly right, rather than just anywhere.
bool EncodeJob::is_likely(const RowText& text, u64 cut) const {
    if (is_unjoined()) return tokenizer_.joined_bytes().splits_between(text.bytes[cut - 1], text.bytes[cut]);
    return is_before_blank(text.bytes, cut) || is_after_newline(text.bytes, cut) || is_before_comma(text.bytes, cut, text.size);
}

bool EncodeJob::plan_rows(Slice& slice, u64 slice_bytes) {
    const u64 begin = row_ends_[next_row_];
    u64 end = next_row_ + 1;
    const auto fits = [&](u64 row) {
        return row_ends_[row + 1] - begin <= slice_bytes && !is_long(row_ends_[row + 1] - row_ends_[row], slice_bytes);
    };
    while (end < row_count() && end - next_row_ < kMostRows && fits(end)) ++end;
    const u64 rows = end - next_row_;
    if (!slice.row_ends.append(row_ends_.data() + next_row_, rows + 1) || !slice.row_counts.resize(rows)) return false;
    next_row_ = end;
    return true;
}

bool EncodeJob::hand_out(Task* task, Task::Kind kind, Slice& slice) {
    slice.state = Slice::State::kRunning;
    slice.abandoned.store(false, std::memory_order_relaxed);
    if (kind == Task::Kind::kEncode && spare_buffers && !counts_) slice.ids = spare_buffers->take();
    const u64 bytes = slice.is_part ? slice.target - slice.begin : slice.row_ends.back() - slice.row_ends[0];
    const RowText text = slice.is_part ? text_of(slice.row) : RowText{bytes_, 0, true};
    *task = {kind, this, &slice, text, accepted_to_, {}, 0, 0, {}, bytes, false};
    return true;
}

bool EncodeJob::has_task(bool is_host) const {
    if (failed_ || phase_ == Phase::kNew || phase_ == Phase::kDone || !may_work(is_host)) return false;
    if (phase_ == Phase::kGathering) return next_gathered_ < slices_.size();
    if (next_accepted_ < slices_.size()) {
        const Slice& first = *slices_[next_accepted_];
        if (first.state == Slice::State::kEncoded) return true;
        if (first.state == Slice::State::kWaiting && has_enough(first.row)) return true;
    }
    return can_plan();
}

bool EncodeJob::take(Task* task, bool is_host) {
    if (!may_work(is_host) || !take_any(task)) return false;
    count_taken(task, is_host);
    return true;
}

bool EncodeJob::take_any(Task* task) {
    if (phase_ == Phase::kGathering) return !failed_ && take_gathering(task);
    if (phase_ != Phase::kEncoding) return false;
    for (;;) {
        if (failed_) return false;
        if (next_accepted_ < slices_.size()) {
            Slice& first = *slices_[next_accepted_];
            if (first.state == Slice::State::kEncoded) {  // with overlaps, it would have been joined already
                first.searched = true;
                return hand_out(task, Task::Kind::kMeet, first);
            }
            if (first.state == Slice::State::kWaiting && has_enough(first.row)) {
                first.begin = accepted_to_;
                first.exact = true;
                return hand_out(task, Task::Kind::kEncode, first);
            }
        }
        const bool is_next = next_accepted_ == slices_.size();
        Slice* slice = nullptr;
        const u64 bytes = is_next || alone_ == 0 ? slice_bytes() : std::min(slice_bytes(), kSmallestSlice);
        if (can_plan() && !plan(bytes, &slice)) fail(Status::out_of_memory(), 0);
        if (failed_ || !slice) {
            close_if_done();  // the last slices may have been accepted here
            return phase_ == Phase::kGathering && take_gathering(task);
        }
        if (!slice->is_part || slice->begins_row || !is_next) return hand_out(task, Task::Kind::kEncode, *slice);
        slice->state = Slice::State::kWaiting;  // it begins at the previous part's end, perhaps after the slice
        accept_all();
    }
}

// --- results of tasks ---

void EncodeJob::complete(const Task& task) {
    count_completed(task);
    if (needs_encoder(task)) {
        if (task.slice->state == Slice::State::kAccepted) {
            task.slice->drop_ids();  // it was passed
        } else {
            judge(task, *task.slice);
        }
        if (!failed_) accept_all();
    } else if (spare_buffers) {
        for (size_t i = task.first; i < task.last; ++i) spare_buffers->put(slices_[i]->ids);
    }
    close_if_done();
}

void EncodeJob::judge(const Task& task, Slice& slice) {
    slice.state = Slice::State::kEncoded;
    const Status& status = task.kind == Task::Kind::kMeet ? task.status : slice.status;
    if (status.code == CRAYON_OUT_OF_MEMORY) {
        fail(status, slice.row);
    } else if (task.kind == Task::Kind::kMeet) {
        // This is as good as starting at the safe split point. (There are too few ids only if the host has changed the text.)
        const Meeting& meeting = task.meeting;
        const bool has_ids = meeting.skipped <= slice.counted || !slice.status.ok();
        if (meeting.found && meeting.position <= slice.end && has_ids) {
            slice.begin = task.accepted_to;
            slice.skipped = meeting.skipped;
        }
    } else if (slice.abandoned.load(std::memory_order_relaxed)) {
        encode_again(slice);
    } else if (slice.is_part && status.ok() && slice.end < slice.target) {
        if (slice.exact) {
            exhausted_ = open_ended_;
            enough_ = slice.end + 2 * (task.text.size - slice.end);
        } else {
            waste(slice);  // the guesses after it are wasted, too
        }
    }
}

// Accepts the next slices, as far as they are encoded from the right position.
void EncodeJob::accept_all() {
    while (!failed_ && next_accepted_ < slices_.size()) {
        Slice& slice = *slices_[next_accepted_];
        const bool is_encoded = slice.state == Slice::State::kEncoded;
        if (is_encoded && (!slice.is_part || slice.begin == accepted_to_)) {
            if (slice.is_part && !slice.exact) alone_ = 0;  // the guess was right
            accept(slice);
        } else if (slice.is_part && is_passed(slice)) {
            pass(slice);
        } else {
            if (!is_encoded) return;
            if (accepted_to_ > slice.begin && accepted_to_ <= slice.end && !slice.searched) {
                if (overlap_ == 0) return;
                if (join_overlap(slice)) continue;
            }
            waste(slice);
            return go_on_alone(slice.row);
        }
    }
}

// Joins a part to the previous one if they share a safe split point where they overlap. (There are too few ids only if the
// host has changed the text.)
bool EncodeJob::join_overlap(Slice& slice) {
    Slice& before = *before_;
    SplitPoint in_tail = {}, in_head = {};
    if (!find_common(before.tail, slice.head, &in_tail, &in_head, least_common_)) return false;
    const bool has_ids = in_head.ids <= slice.counted || !slice.status.ok();
    if (in_tail.position > slice.end || !has_ids) return false;
    if (!counts_ && !slice.gap.append(before.tail_ids.data(), in_tail.ids)) return false;
    slice.gap_size = in_tail.ids;
    slice.skipped = in_head.ids;
    slice.begin = accepted_to_;
    slice.head = Buffer<SplitPoint>();
    before.tail = Buffer<SplitPoint>();
    before.tail_ids = Buffer<u32>();
    return true;
}

// A guess in vain, as it seems: from here on, one thread encodes more and more slices alone until parts join again.
void EncodeJob::waste(Slice& slice) {
    slice.wasted = true;
    alone_ = std::max<u64>(alone_, 1);
}

// Leaves the next slices of the row to one thread, twice as many each time.
void EncodeJob::go_on_alone(u64 row) {
    for (u64 i = next_accepted_; i < next_accepted_ + alone_; ++i) {
        Slice* slice = i < slices_.size() ? slices_[i] : nullptr;
        if (!slice && next_begin_ > 0) {
            if (!plan(slice_bytes(), &slice)) return fail(Status::out_of_memory(), row);
            if (slice) slice->state = Slice::State::kWaiting;
        }
        if (!slice || slice->row != row) break;
        if (slice->state != Slice::State::kRunning) {
            encode_again(*slice);
        } else if (!replace(i)) {
            return fail(Status::out_of_memory(), row);
        }
    }
    alone_ = std::min(2 * alone_, kMostAlone);
}

// Puts a new slice in the place of one that a thread still works on in vain: nobody has to wait until that thread notices.
bool EncodeJob::replace(size_t i) {
    Slice& old = *slices_[i];
    Slice* const slice = new (std::nothrow) Slice;
    if (!slice || !replaced_.push_back(&old)) {
        delete slice;
        return false;
    }
    slice->row = old.row;
    slice->is_part = true;
    slice->ends_row = old.ends_row;
    slice->target = old.target;
    slice->state = Slice::State::kWaiting;
    slices_[i] = slice;
    old.abandoned.store(true, std::memory_order_relaxed);
    old.state = Slice::State::kAccepted;
    return true;
}

void EncodeJob::encode_again(Slice& slice) {
    slice.drop_ids();
    slice.status = {};
    slice.state = Slice::State::kWaiting;
}

void EncodeJob::accept(Slice& slice) {
    if (!slice.status.ok()) return fail(slice.status, slice.is_part ? slice.row : slice.failed_row);
    slice.offset = total_;
    total_ += slice.size();
    final_split_ = slice.end;
    if (slice.is_part) {
        accepted_to_ = slice.end;
        before_ = &slice;
    }
    go_on(slice);
}

// Accepts a slice as empty, because another one has its text. A thread may still be working on it.
void EncodeJob::pass(Slice& slice) {
    if (slice.state == Slice::State::kRunning) {
        slice.abandoned.store(true, std::memory_order_relaxed);
    } else {
        slice.drop_ids();
    }
    slice.offset = total_;
    go_on(slice);
}

void EncodeJob::go_on(Slice& slice) {
    slice.state = Slice::State::kAccepted;
    ++next_accepted_;
    if (!slice.ends_row) return;
    accepted_to_ = enough_ = 0;
    exhausted_ = false;
}

void EncodeJob::fail(const Status& status, u64 row) {
    if (failed_) return;
    failed_ = true;
    status_ = status;
    failed_row_ = row;
    for (size_t i = next_accepted_; i < slices_.size(); ++i) {
        slices_[i]->abandoned.store(true, std::memory_order_relaxed);
    }
}

void EncodeJob::cancel() {
    if (phase_ == Phase::kDone) return;
    fail({CRAYON_CANCELLED}, 0);
    close_if_done();
}

void EncodeJob::close_if_done() {
    if (running_ > 0) return;
    if (phase_ == Phase::kEncoding) {
        const bool is_all = ended_ && next_row_ == row_count() && next_accepted_ == slices_.size();
        if (failed_ || is_all) end_encoding();
    } else if (phase_ == Phase::kGathering) {
        if (failed_ || next_gathered_ == slices_.size()) phase_ = Phase::kDone;
    }
}

void EncodeJob::end_encoding() {
    phase_ = Phase::kDone;
    if (failed_ || counts_ || total_ < gathered_from || total_ == 0) return;
    const size_t size = static_cast<size_t>(total_);
    for (Slice* slice : slices_) {  // one that has all ids keeps them where they are
        if (slice->counted != total_ || slice->size() != total_ || slice->gap_size > 0) continue;
        gathered_ = std::move(slice->ids);
        gathered_.release_spare();
        return;
    }
    if (size == total_ && gathered_.resize(size)) {
        prefer_large_pages(gathered_.data(), size * sizeof(u32));
        phase_ = Phase::kGathering;
    } else {
        fail(Status::out_of_memory(), 0);
    }
}

// --- the tasks ---

void EncodeJob::run(Task& task, Encoder* encoder) {
    if (task.kind == Task::Kind::kGather) {
        for (size_t i = task.first; i < task.last; ++i) copy(*slices_[i], gathered_.data());
        return;
    }
    Slice& slice = *task.slice;
    Status status =
        encoder ? encoder->begin(special_, allowed_.data(), static_cast<u32>(allowed_.size())) : Status::out_of_memory();
    if (task.kind == Task::Kind::kMeet) {
        if (status.ok()) {
            status = find_meeting(*encoder, task.text, task.accepted_to, slice.begin, slice.gap, &task.meeting);
            slice.gap_size = slice.gap.size();
            if (counts_) slice.gap = Buffer<u32>();
        }
        task.status = status;
    } else if (!status.ok()) {
        slice.status = status;
    } else if (slice.is_part) {
        encode_part(task.text, slice, *encoder);
    } else if (makes_parts_) {
        split_rows(slice, *encoder);
    } else {
        encode_rows(slice, *encoder);
    }
}

void EncodeJob::encode_part(const RowText& text, Slice& slice, Encoder& encoder) {
    IdSink sink(slice.ids, counts_);
    const Range range{slice.begin, slice.target, slice.exact ? kUnlimited : kReach};
    slice.end = slice.begin;
    slice.status = sink.reserve(slice.target - slice.begin)
                       ? encode_range(encoder, text, range, slice.abandoned, sink, &slice.end)
                       : Status::out_of_memory();
    slice.counted = sink.count();
    if (overlap_ > 0 && slice.status.ok()) slice.status = list_overlaps(text, slice, encoder);
}

Status EncodeJob::list_overlaps(const RowText& text, Slice& slice, Encoder& encoder) {
    Buffer<u32> ids;
    if (!slice.exact) {
        Status status = list_split_points(encoder, text, slice.begin, slice.begin + overlap_, slice.head, ids);
        if (!status.ok()) return status;
    }
    if (slice.end == text.size || slice.end < slice.target) return {};
    return list_split_points(encoder, text, slice.end, slice.target + overlap_, slice.tail, slice.tail_ids);
}

void EncodeJob::encode_rows(Slice& slice, Encoder& encoder) {
    IdSink sink(slice.ids, counts_);
    if (!sink.reserve(slice.row_ends.back() - slice.row_ends[0])) {
        slice.status = Status::out_of_memory();
        return;
    }
    encoder.expect_many_texts(slice.row_counts.size() >= kManyRows);
    encode_each(slice, encoder, sink);
    encoder.expect_many_texts(false);
    slice.counted = sink.count();
}

void EncodeJob::encode_each(Slice& slice, Encoder& encoder, IdSink& sink) {
    for (size_t i = 0; i < slice.row_counts.size(); ++i) {
        const u64 size = slice.row_ends[i + 1] - slice.row_ends[i], before = sink.count();
        slice.status = encode_range(encoder, {bytes_ + slice.row_ends[i], size, !open_ended_}, {0, size, kUnlimited},
                                    slice.abandoned, sink, &slice.end);
        if (!slice.status.ok()) {
            slice.failed_row = slice.row + i;
            return;
        }
        slice.row_counts[i] = sink.count() - before;
    }
}

void EncodeJob::split_rows(Slice& slice, Encoder& encoder) {
    Splitter splitter;
    for (size_t i = 0; i < slice.row_counts.size() && slice.status.ok(); ++i) {
        const u64 before = slice.ids.size(), begin = slice.row_ends[i];
        slice.status = split_row(splitter, {bytes_ + begin, slice.row_ends[i + 1] - begin, true}, slice, encoder, slice.ids);
        slice.failed_row = slice.row + i;
        slice.row_counts[i] = slice.ids.size() - before;
    }
    slice.counted = slice.ids.size();
}

Status EncodeJob::split_row(Splitter& splitter, const RowText& text, const Slice& slice, Encoder& encoder, Buffer<u32>& numbers) {
    Status status = splitter.begin(form_);
    for (u64 fed = 0, size; status.ok() && (fed == 0 || fed < text.size); fed += size) {
        if (slice.abandoned.load(std::memory_order_relaxed)) return {CRAYON_CANCELLED};
        size = std::min(kSmallestSlice, text.size - fed);
        status = splitter.feed_utf8(text.bytes + fed, size, fed + size == text.size);
        for (Encoder::Read read{0, true}; status.ok() && read.more;) {
            const size_t known = numbers.size();
            if (!numbers.resize(known + kNumbersAtOnce)) return Status::out_of_memory();
            status = splitter.read(encoder, numbers.data() + known, kNumbersAtOnce, &read);
            numbers.truncate(known + (status.ok() ? read.count : 0));
        }
        if (text.size == 0) break;
    }
    return status;
}

// --- the ids ---

bool EncodeJob::take_gathering(Task* task) {
    if (next_gathered_ == slices_.size()) return false;
    *task = {Task::Kind::kGather, this, nullptr, {}, 0, {}, next_gathered_, 0, {}, 0, false};
    u64 ids = 0;
    while (next_gathered_ < slices_.size() && ids < kCopied) ids += slices_[next_gathered_++]->size();
    task->last = next_gathered_;
    return true;
}

// Writes the ids of an accepted slice to their place.
void EncodeJob::copy(Slice& slice, u32* ids) {
    u32* const out = ids + slice.offset;
    if (slice.gap_size) std::memcpy(out, slice.gap.data(), slice.gap_size * sizeof(u32));
    const u64 count = slice.counted - slice.skipped;
    if (count) std::memcpy(out + slice.gap_size, slice.ids.data() + slice.skipped, count * sizeof(u32));
}

Status EncodeJob::copy(u32* ids) {
    if (phase_ != Phase::kDone || failed_ || counts_ || is_taken_) return {CRAYON_INVALID_ARGUMENT};
    is_taken_ = true;
    if (gathered_.empty()) {
        for (Slice* slice : slices_) copy(*slice, ids);
    } else {
        std::memcpy(ids, gathered_.data(), gathered_.size() * sizeof(u32));
    }
    return {};
}

u32* EncodeJob::detach_ids() {
    if (phase_ != Phase::kDone || failed_ || is_taken_ || gathered_.empty()) return nullptr;
    is_taken_ = true;
    return gathered_.detach();
}

// --- results ---

Status EncodeJob::result(u64* row) const {
    *row = failed_ ? failed_row_ : 0;
    if (failed_) return status_;
    return {CRAYON_OK, 0, final_split_};
}

Status EncodeJob::row_offsets(u32* offsets) const {
    if (phase_ != Phase::kDone || failed_) return {CRAYON_INVALID_ARGUMENT};
    if (total_ > 0xFFFFFFFF) return {CRAYON_TEXT_TOO_LONG};
    u64 total = 0, row = 0;
    offsets[0] = 0;
    for (const Slice* slice : slices_) {
        if (slice->is_part) {
            total += slice->size();
            if (slice->ends_row) offsets[++row] = static_cast<u32>(total);
        } else {
            for (u64 count : slice->row_counts) offsets[++row] = static_cast<u32>(total += count);
        }
    }
    return {};
}

}  // namespace crayon
