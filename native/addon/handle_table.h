// Small integers that stand for open objects, so that JavaScript holds numbers instead of wrapped pointers (a lookup
// costs two loads; unwrapping an object costs more than encoding a short text).
//
// Invariant: a handle is found only while its object is open. Each use of a slot has its own generation, so a removed
// handle is never found again, even when its slot serves another object.
//
//   bits   52 … 48      47 … 16       15 … 0
//          high part    generation    low part of the slot's index
//
// So handles are exact in a double, and small integers to V8 for the first 32767 generations of the first 65536 slots.
// A slot that has run out of generations is not reused. 0 is never a handle. One thread.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace crayon::addon {

template <class T>
class HandleTable {
public:
    HandleTable() = default;
    HandleTable(const HandleTable&) = delete;
    HandleTable& operator=(const HandleTable&) = delete;
    ~HandleTable() { std::free(slots_); }

    // The new handle; 0 if memory or slots are short.
    std::int64_t add(T* value) {
        if (free_ == kNone && !grow()) return 0;
        std::uint32_t index = free_;
        Slot& slot = slots_[index];
        free_ = slot.next;
        slot.value = value;
        ++slot.generation;
        return static_cast<std::int64_t>(std::uint64_t{index >> kLowBits} << kHighShift |
                                         std::uint64_t{slot.generation} << kLowBits | (index & kLowMask));
    }

    // The open object of a handle; nullptr if there is none.
    T* find(std::int64_t handle) const {
        const std::uint64_t index = index_of(handle);
        if (index >= count_) return nullptr;
        const Slot& slot = slots_[index];
        return slot.generation == static_cast<std::uint32_t>(handle >> kLowBits) ? slot.value : nullptr;
    }

    // Removes the handle; returns its object, or nullptr.
    T* remove(std::int64_t handle) {
        T* value = find(handle);
        if (!value) return nullptr;
        const std::uint32_t index = static_cast<std::uint32_t>(index_of(handle));
        Slot& slot = slots_[index];
        slot.value = nullptr;
        if (slot.generation == kLastGeneration) return value;
        slot.next = free_;
        free_ = index;
        return value;
    }

    template <class Visit>
    void for_each(const Visit& visit) const {
        for (std::uint32_t i = 0; i < count_; ++i) {
            if (slots_[i].value) visit(*slots_[i].value);
        }
    }

    // Removes the open objects one by one; nullptr once there are none.
    T* remove_any() {
        for (; swept_ < count_; ++swept_) {
            if (T* value = slots_[swept_].value) {
                slots_[swept_].value = nullptr;
                return value;
            }
        }
        return nullptr;
    }

private:
    struct Slot {
        T* value;
        std::uint32_t generation;
        std::uint32_t next;  // next free slot
    };
    static constexpr unsigned kLowBits = 16, kHighShift = 48;
    static constexpr std::uint32_t kLowMask = 0xFFFF;
    static constexpr std::uint32_t kMaxSlots = 1u << 21;
    static constexpr std::uint32_t kLastGeneration = 0xFFFFFFFF;
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    // The result is arbitrary for an invalid handle.
    static std::uint64_t index_of(std::int64_t handle) {
        const std::uint64_t bits = static_cast<std::uint64_t>(handle);
        return bits >> kHighShift << kLowBits | (bits & kLowMask);
    }

    bool grow() {
        if (count_ == kMaxSlots) return false;
        std::uint32_t count = count_ ? count_ * 2 : 8;
        void* grown = std::realloc(slots_, count * sizeof(Slot));
        if (!grown) return false;
        slots_ = static_cast<Slot*>(grown);
        for (std::uint32_t i = count; i-- > count_;) {
            slots_[i] = {nullptr, 0, free_};
            free_ = i;
        }
        count_ = count;
        return true;
    }

    Slot* slots_ = nullptr;
    std::uint32_t count_ = 0;
    std::uint32_t free_ = kNone;
    std::uint32_t swept_ = 0;
};

}  // namespace crayon::addon
