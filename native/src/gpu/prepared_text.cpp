#include "gpu/prepared_text.h"

#include <cstring>
#include <new>

#include "tokenizer.h"

namespace crayon {

namespace {

// A few tenths of a millisecond of work, many times the cost of handing it out.
constexpr u64 kTask = 128 * 1024;
// How far before its end a part of a long document may be cut.
constexpr u64 kSearched = 4 * 1024;

}  // namespace

PreparedText::~PreparedText() {
    for (NormalizedText* const each : made_) delete each;
}

void PreparedText::begin(const u8* bytes, u64 size) {
    bytes_ = bytes;
    size_ = size;
    raw_length_ = length_ = 0;
    parts_.clear();
    tasks_.clear();
}

// Where to divide [begin, end), at `at` or before it; `begin` if nothing near is suitable.
u64 PreparedText::cut_of(u64 begin, u64 end, u64 at) const {
    for (u64 least = at - kSearched; at > least; --at) {
        if (NormalizedText::divides_at(tokenizer_, bytes_, begin, at, end)) return at;
    }
    return begin;
}

bool PreparedText::add(u64 begin, u64 end, u32 edges) {
    raw_length_ += end - begin;
    for (u64 at = begin + kTask; at < end && end - at > kTask / 2; at += kTask) {
        const u64 cut = cut_of(begin, end, at);
        if (cut == begin) continue;
        if (!add_part(begin, cut, edges)) return false;
        begin = cut;
        edges = 0;
    }
    return add_part(begin, end, edges | kEndsDocument);
}

bool PreparedText::add_part(u64 begin, u64 end, u32 edges) {
    const u32 length = static_cast<u32>(end - begin);
    if (tasks_.empty() || last_task_length_ >= kTask) {
        if (!tasks_.push_back({parts_.size(), parts_.size(), 0})) return false;
        last_task_length_ = 0;
    }
    if (!parts_.push_back({static_cast<u32>(begin), length, 0, length, edges})) return false;
    last_task_length_ += length;
    tasks_.back().last = parts_.size();
    return true;
}

Status PreparedText::prepare() {
    if (NormalizedText::is_needed(tokenizer_)) {
        while (made_.size() < tasks_.size()) {
            NormalizedText* const one = new (std::nothrow) NormalizedText;
            if (!one || !made_.push_back(one)) {
                delete one;
                return Status::out_of_memory();
            }
        }
        const Status status = do_tasks(helpers_, tasks_.size(), [this](u64 task, Encoder*) { return prepare(task); });
        if (!status.ok()) return status;
    }
    for (Task& task : tasks_) {
        task.at = length_;
        for (size_t i = task.first; i < task.last; ++i) length_ += u64{parts_[i].new_bytes} + parts_[i].stays;
    }
    return {};
}

Status PreparedText::prepare(u64 task) {
    NormalizedText& text = *made_[task];
    text.clear();
    for (size_t i = tasks_[task].first; i < tasks_[task].last; ++i) {
        Part& part = parts_[i];
        const u64 before = text.size();
        u64 stays = 0;
        const bool is_followed = size_ - part.begin - part.length >= kScanPadding;
        const Status status =
            text.append(tokenizer_, bytes_ + part.begin, part.length, part.edges & ~kEndsDocument, is_followed, &stays);
        if (!status.ok()) return status;
        if (text.size() - before > 0xFFFFFFFF) return Status::out_of_memory();
        part.new_bytes = static_cast<u32>(text.size() - before);
        part.stays = static_cast<u32>(stays);
    }
    return {};
}

bool PreparedText::append_ends(Buffer<u64>* ends) const {
    u64 at = 0;
    for (const Part& part : parts_) {
        at += u64{part.new_bytes} + part.stays;
        if ((part.edges & kEndsDocument) && !ends->push_back(at)) return false;
    }
    return true;
}

Status PreparedText::write(u8* to) const {
    return do_tasks(helpers_, tasks_.size(), [this, to](u64 task, Encoder*) {
        write(task, to);
        return Status();
    });
}

void PreparedText::write(u64 task, u8* to) const {
    to += tasks_[task].at;
    const u8* new_bytes = made_.size() > task ? made_[task]->data() : nullptr;
    for (size_t i = tasks_[task].first; i < tasks_[task].last; ++i) {
        const Part& part = parts_[i];
        if (part.new_bytes > 0) std::memcpy(to, new_bytes, part.new_bytes);
        if (part.new_bytes > 0) new_bytes += part.new_bytes;
        to += part.new_bytes;
        if (part.stays > 0) std::memcpy(to, bytes_ + part.begin + part.length - part.stays, part.stays);
        to += part.stays;
    }
}

}  // namespace crayon
