// A device of the CPU: see device/emulated.h. For tests, never to be fast.
//
// Each array is a block of the heap of just its size, so that AddressSanitizer sees an access outside of it.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "crayon_gpu.h"
#include "device/device.h"

namespace crayon::gpu {

// What all streams of a device share.
struct EmulatedState {
    EmulatedMachine machine;
    u64 memory = u64{1} << 30;  // bytes; a budget too
    crayon_gpu_faults faults{};
    u64 used = 0, allocations = 0, copies = 0, launches = 0;
    crayon_gpu_status lost = CRAYON_GPU_OK;  // why nothing works any more
};

class EmulatedDevice {
public:
    explicit EmulatedDevice(EmulatedState& state) : state_(state), status_(state.lost) {}
    ~EmulatedDevice() { release_all(); }
    EmulatedDevice(const EmulatedDevice&) = delete;

    crayon_gpu_status status() const { return status_; }
    u32 processors() const { return 4; }
    u64 used() const { return used_; }

    template <class T>
    Global<T> allocate(u64 count) {
        const u64 length = count * sizeof(T);
        if (status_ != CRAYON_GPU_OK) return {};
        if (++state_.allocations == state_.faults.allocation || length > state_.memory - state_.used) {
            status_ = CRAYON_GPU_OUT_OF_DEVICE_MEMORY;
            return {};
        }
        void* memory = nullptr;
        if (posix_memalign(&memory, 256, length ? length : 1) != 0) {
            status_ = CRAYON_GPU_OUT_OF_MEMORY;
            return {};
        }
        std::memset(memory, 0xA5, length);
        arrays_.emplace_back(memory);
        used_ += length;
        state_.used += length;
        return Global<T>(static_cast<T*>(memory));
    }
    void release_all() {
        arrays_.clear();
        state_.used -= used_;
        used_ = 0;
        if (status_ == CRAYON_GPU_OUT_OF_DEVICE_MEMORY || status_ == CRAYON_GPU_OUT_OF_MEMORY) status_ = CRAYON_GPU_OK;
    }

    template <class T>
    void copy_in(Global<T> array, const T* data, u64 count) {
        if (copies()) std::memcpy(Address::of(array), data, count * sizeof(T));
    }
    template <class T>
    void copy_out(T* data, Global<const T> array, u64 count) {
        if (copies()) std::memcpy(data, Address::of(array), count * sizeof(T));
    }
    template <class T>
    void copy(Global<T> to, Global<T> from, u64 count) {
        if (copies()) std::memcpy(Address::of(to), Address::of(from), count * sizeof(T));
    }
    template <class T>
    void fill(Global<T> array, u8 byte, u64 count) {
        if (status_ == CRAYON_GPU_OK) std::memset(Address::of(array), byte, count * sizeof(T));
    }
    // An array on the device for good.
    template <class T>
    Global<const T> upload(const T* data, u64 count) {
        const Global<T> array = allocate<T>(count);
        copy_in(array, data, count);
        return array;
    }
    template <class T>
    Global<T> part(Global<T> array, u64 from) const {
        return Address::of(array) ? Global<T>(Address::of(array) + from) : array;
    }
    template <class T>
    void* address(Global<T> array) const {
        return Address::of(array);
    }

    template <class Kernel>
    void launch(u64 blocks, const typename Kernel::Args& args) {
        if (status_ != CRAYON_GPU_OK) return;
        const u64 number = ++state_.launches;
        if (number == state_.faults.launch) return lose(CRAYON_GPU_DEVICE_FAULT);
        if (number == state_.faults.lost) return lose(CRAYON_GPU_DEVICE_LOST);
        if (number == state_.faults.hang) return lose(CRAYON_GPU_TIMED_OUT);
        run_emulated<Kernel>(state_.machine, blocks, args);
    }
    void finish() {}

private:
    bool copies() {
        if (status_ == CRAYON_GPU_OK && ++state_.copies == state_.faults.copy) lose(CRAYON_GPU_DEVICE_FAULT);
        return status_ == CRAYON_GPU_OK;
    }
    void lose(crayon_gpu_status status) { status_ = state_.lost = status; }

    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    EmulatedState& state_;
    crayon_gpu_status status_;
    u64 used_ = 0;
    std::vector<std::unique_ptr<void, Free>> arrays_;
};

}  // namespace crayon::gpu
