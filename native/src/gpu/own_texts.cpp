#include "gpu/own_texts.h"

#include <algorithm>
#include <new>

namespace crayon {

namespace {

constexpr u64 kOwnTask = 32 * 1024;    // bytes
constexpr u64 kOwnWindow = 64 * 1024;  // of a text

}  // namespace

OwnTexts::~OwnTexts() {
    for (Buffer<u32>* const ids : ids_) delete ids;
}

void OwnTexts::begin(const u8* bytes) {
    bytes_ = bytes;
    parts_.clear();
    tasks_.clear();
    last_task_length_ = taken_ = task_ = taken_ids_ = 0;
}

bool OwnTexts::add(u64 begin, u64 length, bool opens) {
    if (tasks_.empty() || last_task_length_ >= kOwnTask) {
        if (!tasks_.push_back({parts_.size(), parts_.size()})) return false;
        last_task_length_ = 0;
    }
    if (!parts_.push_back({begin, length, opens, {}, 0})) return false;
    tasks_.back().last = parts_.size();
    last_task_length_ += length;
    return true;
}

Status OwnTexts::encode(bool keeps_ids, const std::atomic<bool>& cancelled) {
    while (ids_.size() < tasks_.size()) {
        Buffer<u32>* const one = new (std::nothrow) Buffer<u32>;
        if (!one || !ids_.push_back(one)) {
            delete one;
            return Status::out_of_memory();
        }
    }
    const auto work = [&](u64 task, Encoder* encoder) { return encode(task, encoder, keeps_ids, cancelled); };
    return do_tasks(helpers_, tasks_.size(), work, &tokenizer_);
}

Status OwnTexts::encode(u64 task, Encoder* encoder, bool keeps_ids, const std::atomic<bool>& cancelled) {
    if (!encoder) return Status::out_of_memory();
    Buffer<u32>& ids = *ids_[task];
    ids.clear();
    for (size_t i = tasks_[task].first; i < tasks_[task].last; ++i) {
        Part& part = parts_[i];
        Status& status = part.status;
        status = encoder->begin(CRAYON_SPECIAL_AS_TEXT, nullptr, 0);
        if (status.ok() && !part.opens) encoder->resume(part.begin);
        for (u64 at = 0; at < part.length && status.ok(); at += kOwnWindow) {
            if (cancelled) return {CRAYON_CANCELLED};
            const u64 window = std::min(part.length - at, kOwnWindow);
            status = encoder->feed_utf8(bytes_ + part.begin + at, window, at + window == part.length);
            for (Encoder::Read read = {0, true}; status.ok() && read.more;) {
                u32 some[1024];
                status = encoder->read(some, static_cast<u32>(std::size(some)), &read);
                if (!status.ok()) break;
                if (keeps_ids && !ids.append(some, read.count)) return Status::out_of_memory();
                part.ids += read.count;
            }
        }
        if (!status.ok()) break;  // no part after it will be asked for
    }
    return {};
}

const OwnTexts::Part& OwnTexts::take(const u32** ids) {
    if (taken_ == tasks_[task_].last) {
        ++task_;
        taken_ids_ = 0;
    }
    const Part& part = parts_[taken_++];
    *ids = ids_[task_]->data() + taken_ids_;
    taken_ids_ += part.ids;
    return part;
}

}  // namespace crayon
