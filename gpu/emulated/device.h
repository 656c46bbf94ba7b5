// A device emulated on the CPU: see device/emulated.h. For tests; not designed for speed.
//
// Each array is a heap block of its exact size, so that AddressSanitizer sees an access outside of it. Faults happen as
// described in faults.h. Several streams may use it at once. Copies from or to pinned memory happen as late as possible, so
// that tests detect code that touches that memory too early. Its clock does not depend on the machine's: copying a byte
// takes a nanosecond, and so does each thread of a kernel.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "crayon_gpu.h"
#include "device/device.h"
#include "emulated/faults.h"
#include "plugin/pinned_ranges.h"
#include "plugin/staging.h"

namespace crayon::gpu {

// Shared by all streams of a device.
struct EmulatedState {
    void* pin(u64 length) {
        if (++pins == faults.pinned_allocation) return nullptr;
        void* const memory = std::malloc(length ? length : 1);
        if (memory) pinned.add(memory, length);
        return memory;
    }
    void unpin(void* memory) {
        pinned.remove(memory);
        std::free(memory);
    }

    EmulatedMachine machine;
    u64 memory = u64{1} << 30;  // bytes: the device's memory, or the budget
    u32 time_limit_ms = 0;
    Faults faults;
    std::atomic<u64> used{0}, allocations{0}, copies{0}, launches{0}, pins{0};
    PinnedRanges pinned;
    std::atomic<crayon_gpu_status> lost{CRAYON_GPU_OK};  // why nothing works any more
};

class EmulatedDevice {
public:
    explicit EmulatedDevice(EmulatedState& state) : state_(state), status_(state.lost) {}
    ~EmulatedDevice() {
        release_all();
        end_staging();
    }
    EmulatedDevice(const EmulatedDevice&) = delete;

    // A job may be cancelled between any two operations.
    void begin_job(const std::atomic<bool>* cancelled) {
        cancelled_ = cancelled;
        status_ = state_.lost;
        times_ = {};
    }
    void enter() {}
    const Times& times() const { return times_; }
    crayon_gpu_status status() const { return status_; }
    u32 processors() const { return state_.machine.processors; }

    void allocate_exactly() {}  // always does
    template <class T>
    Global<T> allocate(u64 count) {
        const u64 length = count * sizeof(T);
        if (!good()) return {};
        const bool fits = state_.used.fetch_add(length) + length <= state_.memory;
        used_ += length;
        void* memory = nullptr;
        if (!fits || ++state_.allocations == state_.faults.allocation) {
            status_ = CRAYON_GPU_OUT_OF_DEVICE_MEMORY;
        } else if (posix_memalign(&memory, 256, length ? length : 1) != 0) {
            status_ = CRAYON_GPU_OUT_OF_MEMORY;
        }
        if (status_ != CRAYON_GPU_OK) return {};
        std::memset(memory, 0xA5, length);
        arrays_.emplace_back(memory);
        return Global<T>(static_cast<T*>(memory));
    }
    void release_all() {
        done_ += begun_.size();
        begun_.clear();
        arrays_.clear();
        state_.used -= used_;
        used_ = 0;
    }

    template <class T>
    void copy_in(Global<T> array, const T* data, u64 count) {
        copy(Address::of(array), data, count * sizeof(T), kCopyIn);
    }
    template <class T>
    void copy_out(T* data, Global<const T> array, u64 count) {
        copy(data, Address::of(array), count * sizeof(T), kCopyOut);
    }
    template <class T>
    void copy(Global<T> to, Global<T> from, u64 count) {
        copy(Address::of(to), Address::of(from), count * sizeof(T), kCompute);
    }
    template <class T>
    void fill(Global<T> array, u8 byte, u64 count) {
        if (!good()) return;
        catch_up();
        std::memset(Address::of(array), byte, count * sizeof(T));
        times_.ns[kCompute] += count * sizeof(T);
    }
    // An array that stays on the device.
    template <class T>
    Global<const T> upload(const T* data, u64 count) {
        const Global<T> array = allocate<T>(count);
        if (state_.machine.recorder) state_.machine.recorder->table(Address::of(array), count * sizeof(T));
        copy_in(array, data, count);
        finish();  // another stream's kernels may use it
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
        if (!good()) return;
        const u64 number = ++state_.launches;
        if (number == state_.faults.launch) return lose(CRAYON_GPU_DEVICE_FAULT);
        if (number == state_.faults.lost) return lose(CRAYON_GPU_DEVICE_LOST);
        if (number == state_.faults.hang) return hang();
        catch_up();
        run_emulated<Kernel>(state_.machine, blocks, args);
        times_.ns[kCompute] += blocks * Kernel::kThreads;
    }
    void finish() {
        if (good()) catch_up();
    }

    // Call after finish().
    void end_staging() {
        staging_.forget();
        for (void* const memory : pinned_) state_.unpin(memory);
        pinned_.clear();
    }

    // For Staging.
    using Mark = u64;
    void* pinned(u64 length) {
        void* const memory = state_.pin(length);
        if (memory) pinned_.push_back(memory);
        return memory;
    }
    void begin_copy(void* to, const void* from, u64 length, Activity activity) {
        times_.ns[activity] += length;
        begun_.push_back({to, from, length});
    }
    void mark(Mark& mark) const { mark = done_ + begun_.size(); }
    void drop(Mark&) const {}
    bool wait(Mark mark) {
        if (!good()) return false;
        while (done_ < mark) do_first();
        return true;
    }

private:
    static constexpr u64 kStaged = 512, kStagedPart = 2048;

    bool good() {
        if (status_ == CRAYON_GPU_OK && cancelled_ && *cancelled_) status_ = CRAYON_GPU_CANCELLED;
        return status_ == CRAYON_GPU_OK;
    }
    void copy(void* to, const void* from, u64 length, Activity activity) {
        if (!good()) return;
        if (++state_.copies == state_.faults.copy) return lose(CRAYON_GPU_DEVICE_FAULT);
        if (length == 0) return;
        void* const host = activity == kCopyIn ? const_cast<void*>(from) : to;
        if (activity != kCompute && state_.pinned.has(host, length)) return begin_copy(to, from, length, activity);
        if (activity == kCopyIn && staging_.is_for(length)) return staging_.copy_in(to, from, length);
        if (activity == kCopyOut && staging_.is_for(length)) return staging_.copy_out(to, from, length);
        catch_up();
        times_.ns[activity] += length;
        std::memcpy(to, from, length);
    }
    void do_first() {
        const auto [to, from, length] = begun_.front();
        std::memcpy(to, from, length);
        begun_.pop_front();
        ++done_;
    }
    void catch_up() {
        while (!begun_.empty()) do_first();
    }
    void lose(crayon_gpu_status status) { status_ = state_.lost = status; }
    // Until the time limit; without one, until the job is cancelled.
    void hang() {
        const auto begin = std::chrono::steady_clock::now();
        while (state_.time_limit_ms == 0 ||
               std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(state_.time_limit_ms)) {
            if (!good()) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        lose(CRAYON_GPU_TIMED_OUT);
    }

    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    struct Copy {
        void* to;
        const void* from;
        u64 length;
    };
    EmulatedState& state_;
    crayon_gpu_status status_;
    std::deque<Copy> begun_;
    u64 done_ = 0;
    std::vector<void*> pinned_;
    Staging<EmulatedDevice> staging_{*this, kStaged, kStagedPart};
    u64 used_ = 0;
    Times times_;
    std::vector<std::unique_ptr<void, Free>> arrays_;
    const std::atomic<bool>* cancelled_ = nullptr;
};

}  // namespace crayon::gpu
