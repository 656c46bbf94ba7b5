// Copies between a device and unpinned host memory, through two pinned buffers: the host fills or empties one while the
// device uses the other. When a copy in returns, the caller's memory may be reused; when a copy out returns, it has the
// data, regardless of how the driver treats pageable memory.
//
// Cost: each byte is copied once more, by one thread, at some 10 GB/s, while PCIe 5 does 50. Batches in pinned memory, such
// as the engine's, do not pay it. Vocabulary tables do, a millisecond per 10 MB, once; and a stream that has made such a
// copy keeps 8 MiB of pinned memory. Without pinned memory, and for small copies, the driver copies by itself, which is
// correct but overlaps with nothing.
//
// A Device has
//   pinned(length) -> void*                 or null; it belongs to the Device
//   begin_copy(to, from, length, activity)  returns at once
//   mark(Mark&), wait(mark) -> bool         waits until the device has finished everything before the mark; false: never
//   drop(Mark&)
#pragma once

#include <cstring>

#include "device/device.h"

namespace crayon::gpu {

// The activities of a device and the time spent on each, recorded for each job by its streams.
enum Activity : u32 { kCopyIn, kCompute, kCopyOut, kActivities };

struct Times {
    u64 ns[kActivities] = {};
};

template <class Device>
class Staging {
public:
    // The smallest copy worth staging in bytes, and the size of a buffer.
    Staging(Device& device, u64 least, u64 part) : device_(device), least_(least), part_(part) {}
    ~Staging() {
        for (Slot& slot : slots_) device_.drop(slot.last);
    }
    Staging(const Staging&) = delete;

    bool is_for(u64 length) { return length >= least_ && has_memory(); }

    void copy_in(void* to, const void* from, u64 length) {
        for (u64 at = 0; at < length; at += part_) {
            Slot& slot = slots_[turn_++ % kSlots];
            const u64 size = least(part_, length - at);
            if (!is_free(slot)) return;
            std::memcpy(slot.memory, static_cast<const u8*>(from) + at, size);
            begin(slot, static_cast<u8*>(to) + at, slot.memory, size, kCopyIn);
        }
    }

    void copy_out(void* to, const void* from, u64 length) {
        const u64 parts = (length + part_ - 1) / part_, first = turn_;
        turn_ += parts;
        const auto size_of = [&](u64 i) { return least(part_, length - i * part_); };
        const auto slot_of = [&](u64 i) -> Slot& { return slots_[(first + i) % kSlots]; };
        const auto ask_for = [&](u64 i) {
            if (!is_free(slot_of(i))) return false;
            begin(slot_of(i), slot_of(i).memory, static_cast<const u8*>(from) + i * part_, size_of(i), kCopyOut);
            return true;
        };
        if (!ask_for(0)) return;
        for (u64 i = 0; i < parts; ++i) {
            if (i + 1 < parts && !ask_for(i + 1)) return;
            if (!is_free(slot_of(i))) return;
            std::memcpy(static_cast<u8*>(to) + i * part_, slot_of(i).memory, size_of(i));
        }
    }

    // No copy is in flight: the memory may be freed.
    void forget() {
        for (Slot& slot : slots_) {
            slot.memory = nullptr;
            slot.is_begun = false;
        }
        is_allocated_ = false;
    }

private:
    static constexpr u64 kSlots = 2;
    struct Slot {
        void* memory = nullptr;
        typename Device::Mark last{};  // marks the device's last use of it
        bool is_begun = false;
    };

    bool has_memory() {
        for (Slot& slot : slots_) {
            if (!is_allocated_) slot.memory = device_.pinned(part_);
        }
        is_allocated_ = true;
        return slots_[0].memory && slots_[1].memory;
    }
    bool is_free(Slot& slot) {
        if (slot.is_begun && !device_.wait(slot.last)) return false;
        slot.is_begun = false;
        return true;
    }
    void begin(Slot& slot, void* to, const void* from, u64 length, Activity activity) {
        device_.begin_copy(to, from, length, activity);
        device_.mark(slot.last);
        slot.is_begun = true;
    }

    Device& device_;
    const u64 least_, part_;
    Slot slots_[kSlots];
    bool is_allocated_ = false;  // or was tried
    u64 turn_ = 0;
};

}  // namespace crayon::gpu
