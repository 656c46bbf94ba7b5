// Phases on the CPU: a loop that runs the threads one after another. See device.h.
//
// Blocks, the warps of a block and the lanes of a warp run in an order drawn anew for each phase, from a seed: code that
// depends on the order fails. Unwritten memory holds garbage. A Recorder, if there is one, sees every access. Under
// AddressSanitizer an access outside an array is an error; a misaligned access always is.
#pragma once

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/memory.h"
#include "device/recorder.h"

namespace crayon::gpu {

inline u32 count_bits(u64 bits) { return static_cast<u32>(std::popcount(bits)); }

class Thread {
public:
    u32 index;  // in the block
    u32 lane;   // in the warp
    Recorder* recorder = nullptr;

    template <class T>
    std::remove_const_t<T> load(Global<T> array, u64 i, Site site = Site::current()) const {
        return read(array.data_ + i, site);
    }
    template <class T>
    void store(Global<T> array, u64 i, std::type_identity_t<T> value, Site site = Site::current()) const {
        write(array.data_ + i, value, site);
    }
    template <class T, u32 N>
    T load(const Shared<T, N>& array, u32 i, Site site = Site::current()) const {
        return read(array.data_ + within(i, N, site), site);
    }
    template <class T, u32 N>
    void store(Shared<T, N>& array, u32 i, std::type_identity_t<T> value, Site site = Site::current()) const {
        write(array.data_ + within(i, N, site), value, site);
    }
    // One byte of an array of packs.
    template <u32 M, u32 N>
    u32 load_byte(const Shared<Packed<M>, N>& array, u32 i, Site site = Site::current()) const {
        return read(reinterpret_cast<const u8*>(array.data_) + within(i, N * M, site), site);
    }
    // The vector whose first element is the i-th of the array.
    template <class V, class T>
    V load_as(Global<T> array, u64 i, Site site = Site::current()) const {
        return read(reinterpret_cast<const V*>(aligned(array.data_ + i, sizeof(V), site)), site);
    }
    template <class V, class T>
    void store_as(Global<T> array, u64 i, const V& value, Site site = Site::current()) const {
        write(reinterpret_cast<V*>(aligned(array.data_ + i, sizeof(V), site)), value, site);
    }
    void atomic_min(Global<u64> array, u64 i, u64 value, Site site = Site::current()) const {
        u64& at = array.data_[i];
        note(&at, sizeof at, Access::kAtomic, site);
        at = least(at, value);
    }
    void atomic_max(Global<u64> array, u64 i, u64 value, Site site = Site::current()) const {
        u64& at = array.data_[i];
        note(&at, sizeof at, Access::kAtomic, site);
        at = greatest(at, value);
    }
    // Returns the previous value.
    u64 atomic_add(Global<u64> array, u64 i, u64 value, Site site = Site::current()) const {
        u64& at = array.data_[i];
        note(&at, sizeof at, Access::kAtomic, site);
        return std::exchange(at, at + value);
    }
    void atomic_add(Global<u32> array, u64 i, u32 value, Site site = Site::current()) const {
        u32& at = array.data_[i];
        note(&at, sizeof at, Access::kAtomic, site);
        at += value;
    }
    template <u32 N>
    u32 atomic_add(Shared<u32, N>& array, u32 i, u32 value, Site site = Site::current()) const {
        u32& at = array.data_[within(i, N, site)];
        note(&at, sizeof at, Access::kAtomic, site);
        return std::exchange(at, at + value);
    }
    template <u32 N>
    void atomic_min(Shared<u32, N>& array, u32 i, u32 value, Site site = Site::current()) const {
        u32& at = array.data_[within(i, N, site)];
        note(&at, sizeof at, Access::kAtomic, site);
        at = least(at, value);
    }

private:
    template <class T>
    std::remove_const_t<T> read(const T* at, Site site) const {
        note(at, sizeof(T), Access::kRead, site);
        std::remove_const_t<T> value;
        std::memcpy(&value, at, sizeof(T));
        return value;
    }
    template <class T>
    void write(T* at, const T& value, Site site) const {
        note(at, sizeof(T), Access::kWrite, site);
        std::memcpy(at, &value, sizeof(T));
    }
    void note(const void* at, u32 size, Access kind, Site site) const {
        if (recorder) recorder->access(at, size, kind, site);
    }
    static u32 within(u32 i, u32 count, Site site) {
        if (i >= count) stop("outside of shared memory", site);
        return i;
    }
    template <class T>
    static T* aligned(T* at, std::size_t size, Site site) {
        if (reinterpret_cast<std::uintptr_t>(at) % size != 0) stop("not aligned", site);
        return at;
    }
    [[noreturn]] static void stop(const char* what, Site site) {
        std::fprintf(stderr, "%s:%u: an access of a kernel is %s\n", site.file, site.line, what);
        std::abort();
    }
};

// splitmix64.
class Order {
public:
    explicit Order(u64 seed) : state_(seed), shuffles_(seed != 0) {}
    void shuffle(std::vector<u32>& items) {
        if (!shuffles_) return;
        for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[next() % i]);
    }

private:
    u64 next() {
        u64 x = state_ += 0x9E3779B97F4A7C15;
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
        x = (x ^ x >> 27) * 0x94D049BB133111EB;
        return x ^ x >> 31;
    }
    u64 state_;
    bool shuffles_;
};

struct EmulatedMachine {
    u32 warp_size = 32;
    u64 seed = 1;  // 0: ascending order
    Recorder* recorder = nullptr;
    u32 processors = 4;
};

class Block {
public:
    Block(const EmulatedMachine& machine, u32 threads, Order& order)
        : machine_(machine),
          order_(order),
          threads_(threads),
          warps_(blocks_for(threads, machine.warp_size)),
          lanes_(machine.warp_size) {
        std::iota(warps_.begin(), warps_.end(), 0u);
        std::iota(lanes_.begin(), lanes_.end(), 0u);
    }
    u64 index = 0;

    template <class T>
    class Values {
    public:
        explicit Values(const Block& block) : values_(block.threads_) {
            for (Slot& slot : values_) std::memset(static_cast<void*>(&slot), 0xA5, sizeof slot);
        }
        T& operator[](const Thread& t) { return values_[t.index].value; }

    private:
        friend class Block;
        struct Slot {  // std::vector<bool> would not be a real vector
            T value;
        };
        std::vector<Slot> values_;
    };

    template <class Phase>
    void each(Phase phase) {
        Recorder* const recorder = machine_.recorder;
        if (recorder) recorder->begin_phase();
        order_.shuffle(warps_);
        for (const u32 warp : warps_) {
            order_.shuffle(lanes_);
            const u32 first = warp * machine_.warp_size;
            if (recorder) recorder->begin_warp(least(machine_.warp_size, threads_ - first));
            for (const u32 lane : lanes_) {
                if (first + lane >= threads_) continue;
                Thread thread{first + lane, lane, recorder};
                if (recorder) recorder->begin_thread(thread.index, lane);
                phase(thread);
            }
            if (recorder) recorder->end_warp();
        }
    }

    // A value of the last phase, the same for all threads.
    template <class T, u32 N>
    T uniform(const Shared<T, N>& array, u32 i) {
        return Thread{0, 0, nullptr}.load(array, i);
    }

    // An element that the kernel does not write, the same for all threads.
    template <class T>
    T broadcast(Global<const T> array, u64 i) const {
        return Thread{0, 0, nullptr}.load(array, i);
    }

    u32 warp_size() const { return machine_.warp_size; }

    // The lanes whose flag is true.
    void ballot(Values<bool>& flags, Values<u64>& lanes) {
        std::vector<u64> masks(warps_.size());
        for (u32 i = 0; i < threads_; ++i) {
            masks[i / machine_.warp_size] |= u64{flags.values_[i].value} << (i % machine_.warp_size);
        }
        for (u32 i = 0; i < threads_; ++i) lanes.values_[i].value = masks[i / machine_.warp_size];
    }
    // The value of the lane that many places before; a lane's own value if there is none.
    template <class T>
    void shuffle_up(Values<T>& values, u32 distance, Values<T>& result) {
        const auto before = values.values_;
        for (u32 i = 0; i < threads_; ++i) {
            result.values_[i] = before[i % machine_.warp_size >= distance ? i - distance : i];
        }
    }
    // The value of that lane.
    template <class T>
    void shuffle(Values<T>& values, Values<u32>& lanes, Values<T>& result) {
        const auto before = values.values_;
        for (u32 i = 0; i < threads_; ++i) {
            result.values_[i] = before[i - i % machine_.warp_size + lanes.values_[i].value];
        }
    }

private:
    const EmulatedMachine& machine_;
    Order& order_;
    u32 threads_;
    std::vector<u32> warps_, lanes_;
};

// Runs a kernel, block by block.
template <class Kernel>
void run_emulated(const EmulatedMachine& machine, u64 blocks, const typename Kernel::Args& args) {
    static_assert(std::is_trivially_copyable_v<typename Kernel::Args> && sizeof(typename Kernel::Args) <= 4096);
    if (machine.recorder) machine.recorder->begin_launch(Kernel::kName);
    Order order(machine.seed);
    std::vector<u32> indexes(blocks);
    std::iota(indexes.begin(), indexes.end(), 0u);
    order.shuffle(indexes);
    struct alignas(16) SharedMemory {
        unsigned char bytes[sizeof(typename Kernel::Shared)];
    };
    static_assert(sizeof(SharedMemory) <= 48 * 1024, "what every device has");
    std::vector<SharedMemory> memory(1);
    for (const u32 index : indexes) {
        std::memset(&memory[0], 0xA5, sizeof(SharedMemory));
        auto& shared = reinterpret_cast<typename Kernel::Shared&>(memory[0]);
        Block block(machine, Kernel::kThreads, order);
        block.index = index;
        if (machine.recorder) machine.recorder->begin_block(index, &shared, sizeof shared);
        Kernel::run(block, shared, args);
    }
}

}  // namespace crayon::gpu
