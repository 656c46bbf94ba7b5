// Memory that kernels access: device memory, block-shared memory, and values of 16 bytes that move at once.
//
// Both memories are read and written only through a Thread (load, store, atomic_min, …), because the emulated device counts
// and checks every access there; on a real device that costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(CRAYON_GPU_HIP)
#include <hip/hip_runtime.h>
#endif

#include "crayon/layout/kernel_code.h"

namespace crayon::gpu {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// An array in device memory. Passed to kernels by value; may be null.
template <class T>
class Global {
public:
    using Index = u64;
    Global() = default;
    CRAYON_ANYWHERE explicit Global(T* data) : data_(data) {}
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
    CRAYON_ANYWHERE Global(Global<U> writable) : data_(writable.data_) {}
    CRAYON_ANYWHERE explicit operator bool() const { return data_ != nullptr; }

private:
    template <class>
    friend class Global;
    friend class Thread;
    friend struct Address;
    T* data_ = nullptr;
};

// The address of an array, for the host.
struct Address {
    template <class T>
    static T* of(Global<T> array) {
        return array.data_;
    }
};

// An array in a block's shared memory; a member of a kernel's Shared.
template <class T, u32 kCount>
class Shared {
public:
    using Index = u32;

private:
    friend class Thread;
    alignas(sizeof(T) > 16 ? 16 : sizeof(T)) T data_[kCount];
};

// N bytes loaded or stored at once, 2 to 16; their index in an array is a multiple of N.
template <u32 N>
struct alignas(N) Packed {
    static constexpr u32 kWordBytes = N < 4 ? N : 4;
    std::conditional_t<N == 2, u16, u32> words[N / kWordBytes];

    CRAYON_ANYWHERE u32 byte(u32 i) const { return static_cast<u32>(words[i / kWordBytes]) >> (i % kWordBytes * 8) & 0xFF; }
};

// 16 bytes of ids. Narrow ids are packed into words, the register size of devices.
template <class Id>
struct alignas(16) Sixteen {
    static constexpr u32 kCount = 16 / sizeof(Id);
    u32 words[4] = {};

    CRAYON_ANYWHERE void set(u32 i, u32 id) {
        if constexpr (sizeof(Id) == 8) {
            words[2 * i] = id;
        } else {
            constexpr u32 kPerWord = 4 / sizeof(Id);
            words[i / kPerWord] |= static_cast<u32>(static_cast<Id>(id))
                                   << (i % kPerWord * 8 * static_cast<u32>(sizeof(Id)) % 32);
        }
    }
};

CRAYON_ANYWHERE constexpr u64 blocks_for(u64 count, u64 per_block) { return (count + per_block - 1) / per_block; }
template <class T>
CRAYON_ANYWHERE constexpr T least(T a, T b) {
    return b < a ? b : a;
}
template <class T>
CRAYON_ANYWHERE constexpr T greatest(T a, T b) {
    return a < b ? b : a;
}

inline constexpr u32 kNone = 0xFFFFFFFF;  // no id
inline constexpr u64 kNowhere = ~u64{0};  // no failure

}  // namespace crayon::gpu
