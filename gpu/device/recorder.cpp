#include "device/recorder.h"

#include <algorithm>
#include <set>

namespace crayon::gpu {

void Recorder::begin_launch(const char* kernel) {
    kernel_ = kernel;
    now_ = &traffic_[kernel];
    ++now_->launches;
    ++launch_;
    if (observer_) observer_->begin_launch(kernel);
}

void Recorder::begin_block(u64 block, const void* shared, std::size_t shared_size) {
    block_ = block;
    shared_begin_ = reinterpret_cast<std::uintptr_t>(shared);
    shared_end_ = shared_begin_ + shared_size;
    if (observer_) observer_->begin_block(block);
}

void Recorder::begin_phase() {
    ++phase_;
    ++now_->phases;
    if (observer_) observer_->begin_phase();
}

void Recorder::begin_warp(u32 lanes) {
    lanes_ = lanes;
    requests_.clear();
}

void Recorder::begin_thread(u32 index, u32 lane) {
    thread_ = index;
    lane_ = lane;
    occurrences_.clear();
}

bool Recorder::Mark::touch(u64 now, u32 who, Access kind) {
    if (period != now) *this = {now, 0, 0, 0};
    const auto is_other = [who](u32 others) { return others != 0 && others != who; };
    const bool races =
        is_other(writers) || (kind != Access::kAtomic && is_other(atomics)) || (kind != Access::kRead && is_other(readers));
    u32& slot = kind == Access::kRead ? readers : kind == Access::kWrite ? writers : atomics;
    slot = is_other(slot) ? kSeveral : who;
    return races;
}

Recorder::Byte& Recorder::at(std::uintptr_t address) {
    const std::uintptr_t page = address / kPage;
    if (!last_bytes_ || page != last_page_) {
        std::unique_ptr<Byte[]>& bytes = pages_[page];
        if (!bytes) bytes = std::make_unique<Byte[]>(kPage);
        last_page_ = page;
        last_bytes_ = bytes.get();
    }
    return last_bytes_[address % kPage];
}

void Recorder::table(const void* address, u64 length) {
    if (observer_) observer_->table(reinterpret_cast<std::uintptr_t>(address), length);
}

bool Recorder::races(std::uintptr_t begin, u32 size, bool is_shared, Access kind) {
    bool any = false;
    for (std::uintptr_t each = begin; each < begin + size; ++each) {
        Byte& byte = at(each);
        any |= byte.in_phase.touch(phase_, thread_ + 1, kind);
        if (!is_shared) any |= byte.in_launch.touch(launch_, static_cast<u32>(block_ + 1), kind);
    }
    return any;
}

void Recorder::access(const void* address, u32 size, Access kind, Site site) {
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address);
    const bool is_shared = begin >= shared_begin_ && begin < shared_end_;
    if (observer_) {
        observer_->access(lane_, begin, size, kind, is_shared, site);
    } else if (races(begin, size, is_shared, kind) && ++race_count_ <= 8) {
        races_.push_back(std::string(kernel_) + ", " + site.file + ":" + std::to_string(site.line) + ", thread " +
                         std::to_string(thread_) + " of block " + std::to_string(block_));
    }
    if (is_shared) return;
    if (kind == Access::kAtomic) {
        ++now_->atomics;
        return;
    }
    requests_.push_back({site, occurrences_[{site.file, site.line}]++, lane_, begin, size, kind == Access::kWrite});
}

void Recorder::end_warp() {
    const auto key = [](const Request& r) { return std::tuple(r.site.file, r.site.line, r.is_store, r.occurrence); };
    std::sort(requests_.begin(), requests_.end(), [&](const Request& a, const Request& b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < requests_.size();) {
        std::size_t end = i + 1;
        while (end < requests_.size() && key(requests_[end]) == key(requests_[i])) ++end;
        count(&requests_[i], &requests_[i] + (end - i));
        i = end;
    }
    if (observer_) observer_->end_warp(lanes_);
}

void Recorder::count(const Request* begin, const Request* end) {
    std::set<std::uintptr_t> sectors, lines;
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> spans;
    u64 bytes = 0;
    for (const Request* r = begin; r != end; ++r) {
        bytes += r->size;
        spans.push_back({r->address, r->address + r->size});
        for (std::uintptr_t s = r->address / 32; s <= (r->address + r->size - 1) / 32; ++s) sectors.insert(s);
        for (std::uintptr_t s = r->address / 128; s <= (r->address + r->size - 1) / 128; ++s) lines.insert(s);
    }
    std::sort(spans.begin(), spans.end());
    u64 distinct = 0;
    std::uintptr_t covered = 0;
    for (const auto& [from, to] : spans) {
        distinct += to > covered ? to - std::max(from, covered) : 0;
        covered = std::max(covered, to);
    }
    ++now_->requests;
    (begin->is_store ? now_->stored : now_->loaded) += bytes;
    (begin->is_store ? now_->stored_sectors : now_->loaded_sectors) += sectors.size();
    now_->lines += lines.size();
    now_->uncoalesced += sectors.size() > (distinct + 31) / 32 + 1;
    now_->lanes += static_cast<u64>(end - begin);
    now_->lane_slots += lanes_;
}

}  // namespace crayon::gpu
