// Phases on a device: see device.h.
#pragma once

#include "device/memory.h"

namespace crayon::gpu {

CRAYON_KERNEL_CODE u32 count_bits(u64 bits) { return static_cast<u32>(__popcll(bits)); }

class Thread {
public:
    u32 index;  // in the block
    u32 lane;   // in the warp

    template <class T>
    __device__ __forceinline__ std::remove_const_t<T> load(Global<T> array, u64 i) const {
        return array.data_[i];
    }
    template <class T>
    __device__ __forceinline__ void store(Global<T> array, u64 i, std::type_identity_t<T> value) const {
        array.data_[i] = value;
    }
    template <class T, u32 N>
    __device__ __forceinline__ T load(const Shared<T, N>& array, u32 i) const {
        return array.data_[i];
    }
    template <class T, u32 N>
    __device__ __forceinline__ void store(Shared<T, N>& array, u32 i, std::type_identity_t<T> value) const {
        array.data_[i] = value;
    }
    // One byte of an array of packs.
    template <u32 M, u32 N>
    __device__ __forceinline__ u32 load_byte(const Shared<Packed<M>, N>& array, u32 i) const {
        return reinterpret_cast<const u8*>(array.data_)[i];
    }
    // The vector whose first element is the i-th of the array.
    template <class V, class T>
    __device__ __forceinline__ V load_as(Global<T> array, u64 i) const {
        return *reinterpret_cast<const V*>(array.data_ + i);
    }
    template <class V, class T>
    __device__ __forceinline__ void store_as(Global<T> array, u64 i, const V& value) const {
        *reinterpret_cast<V*>(array.data_ + i) = value;
    }
    __device__ __forceinline__ void atomic_min(Global<u64> array, u64 i, u64 value) const {
        atomicMin(reinterpret_cast<unsigned long long*>(array.data_ + i), static_cast<unsigned long long>(value));
    }
    __device__ __forceinline__ void atomic_max(Global<u64> array, u64 i, u64 value) const {
        atomicMax(reinterpret_cast<unsigned long long*>(array.data_ + i), static_cast<unsigned long long>(value));
    }
    // Returns the previous value.
    __device__ __forceinline__ u64 atomic_add(Global<u64> array, u64 i, u64 value) const {
        return atomicAdd(reinterpret_cast<unsigned long long*>(array.data_ + i), static_cast<unsigned long long>(value));
    }
    __device__ __forceinline__ void atomic_add(Global<u32> array, u64 i, u32 value) const { atomicAdd(array.data_ + i, value); }
    template <u32 N>
    __device__ __forceinline__ u32 atomic_add(Shared<u32, N>& array, u32 i, u32 value) const {
        return atomicAdd(array.data_ + i, value);
    }
    template <u32 N>
    __device__ __forceinline__ void atomic_min(Shared<u32, N>& array, u32 i, u32 value) const {
        atomicMin(array.data_ + i, value);
    }
};

template <u32 kThreads>
class Block {
public:
    u64 index = blockIdx.x;

    template <class T>
    class Values {
    public:
        __device__ __forceinline__ explicit Values(const Block&) {}
        __device__ __forceinline__ T& operator[](const Thread&) { return value_; }

    private:
        friend class Block;
        T value_;
    };

    template <class Phase>
    __device__ __forceinline__ void each(Phase phase) {
        Thread thread{threadIdx.x, threadIdx.x % warp_size()};
        phase(thread);
        __syncthreads();
    }

    // A value of the last phase, the same for all threads.
    template <class T, u32 N>
    __device__ __forceinline__ T uniform(const Shared<T, N>& array, u32 i) {
        const T value = Thread{threadIdx.x, 0}.load(array, i);
        __syncthreads();
        return value;
    }

    // An element that the kernel does not write, the same for all threads.
    template <class T>
    __device__ __forceinline__ T broadcast(Global<const T> array, u64 i) const {
        return Thread{0, 0}.load(array, i);
    }

    __device__ __forceinline__ static u32 warp_size() { return warpSize; }

    // The lanes whose flag is true.
    __device__ __forceinline__ void ballot(Values<bool>& flags, Values<u64>& lanes) {
#if defined(CRAYON_GPU_HIP)
        lanes.value_ = __ballot(flags.value_);
#else
        lanes.value_ = __ballot_sync(0xFFFFFFFFu, flags.value_);
#endif
    }
    // The value of the lane that many places before; a lane's own value if there is none.
    template <class T>
    __device__ __forceinline__ void shuffle_up(Values<T>& values, u32 distance, Values<T>& result) {
#if defined(CRAYON_GPU_HIP)
        const T value = static_cast<T>(__shfl_up(wide(values.value_), distance));
#else
        const T value = static_cast<T>(__shfl_up_sync(0xFFFFFFFFu, wide(values.value_), distance));
#endif
        result.value_ = value;
    }
    // The value of that lane.
    template <class T>
    __device__ __forceinline__ void shuffle(Values<T>& values, Values<u32>& lanes, Values<T>& result) {
#if defined(CRAYON_GPU_HIP)
        const T value = static_cast<T>(__shfl(wide(values.value_), static_cast<int>(lanes.value_)));
#else
        const T value = static_cast<T>(__shfl_sync(0xFFFFFFFFu, wide(values.value_), static_cast<int>(lanes.value_)));
#endif
        result.value_ = value;
    }

private:
    // As a type that shuffles support.
    __device__ __forceinline__ static unsigned wide(u32 value) { return value; }
    __device__ __forceinline__ static unsigned long long wide(u64 value) { return value; }
};

// With room for four blocks per processor, no kernel spills registers (nvcc 13, sm_75 to sm_120); by default, nvcc spills
// some to fit more. More would not help the kernels that walk: on an H100, 16 blocks took an eighth to a third longer than
// 12, as their threads' texts no longer fit in the first-level cache.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads, 4) entry(const typename Kernel::Args args) {
    __shared__ typename Kernel::Shared shared;
    Block<Kernel::kThreads> block;
    Kernel::run(block, shared, args);
}

}  // namespace crayon::gpu
