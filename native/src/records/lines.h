// The lines of FASTA and FASTQ, and the strings of JSON, 64 bytes at a time.
//
// Lines have 60 to 150 bytes, so most blocks have a line break or two. Between breaks bytes are copied in blocks, too:
// bytes copied past the end of a run are overwritten by the next run.
//
//   in    ACGT↵GGCA↵TT…         store ACGT↵GGCA↵TT…
//   out   ACGTGGCATT…           then      GGCA↵TT…     at the end of the previous run
//                               then          TT…
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/kernel.h"

namespace crayon::CRAYON_KERNEL {

// Letters, and '*', '-', '.'.
struct SequenceBytes {
    template <class Bytes64>
    static u64 in(const Bytes64& block) {
        const u64 letters = block.with_bits(0x20).between('a', 'z');
        if (letters == ~u64{0}) return letters;
        return letters | block.equal('*') | block.between('-', '.');
    }
};

// Printable characters: quality codes begin at '!'.
struct QualityBytes {
    template <class Bytes64>
    static u64 in(const Bytes64& block) {
        return block.between('!', '~');
    }
};

// Everything but line ends and NUL. (The NCBI joins headers with the control character 1.)
struct HeaderBytes {
    template <class Bytes64>
    static u64 in(const Bytes64& block) {
        return ~(block.equal('\n') | block.equal('\r') | block.equal('\0'));
    }
};

// Of a string of JSON, without its escapes.
struct StringBytes {
    template <class Bytes64>
    static u64 in(const Bytes64& block) {
        return ~(block.between(0, 0x1F) | block.equal('"') | block.equal('\\'));
    }
};

// A block that may be shorter than 64 bytes; missing bytes are 0, which belongs to no set.
template <class Bytes64>
inline Bytes64 load_block(const u8* in, size_t length) {
    if (length >= 64) [[likely]]
        return Bytes64::load(in);
    u8 padded[64] = {};
    std::memcpy(padded, in, length);
    return Bytes64::load(padded);
}

template <class Bytes, class Bytes64>
size_t span(const u8* in, size_t length) {
    for (size_t at = 0; at < length; at += 64) {
        const u64 others = ~Bytes::in(load_block<Bytes64>(in + at, length - at));
        if (others != 0) return std::min(at + static_cast<u32>(std::countr_zero(others)), length);
    }
    return length;
}

template <class Bytes64>
CopiedLines sequence_lines(const u8* in, size_t length, u8* out, size_t capacity) {
    size_t at = 0, written = 0;
    while (at < length) {
        const u8* const from = in + at;
        const Bytes64 block = load_block<Bytes64>(from, length - at);
        u64 breaks = block.equal('\n');
        if (const u64 returns = block.equal('\r')) [[unlikely]] {
            const bool next = length - at > 64 && from[64] == '\n';
            breaks |= returns & (breaks >> 1 | u64{next} << 63);
        }
        const u64 others = ~(breaks | SequenceBytes::in(block));
        const u32 end = static_cast<u32>(std::countr_zero(others));  // 64: none
        if (end < 64) breaks &= (u64{1} << end) - 1;
        u32 begin = 0;
        if (length - at >= 128 && capacity - written >= 128) [[likely]] {
            if (breaks == 0) {
                block.store(out + written);
            } else {
                while (breaks != 0) {
                    const u32 index = static_cast<u32>(std::countr_zero(breaks));
                    Bytes64::load(from + begin).store(out + written);
                    written += index - begin;
                    begin = index + 1;
                    breaks &= breaks - 1;
                }
                Bytes64::load(from + begin).store(out + written);
            }
            written += end - begin;
        } else {
            for (;;) {
                const u32 index = breaks != 0 ? static_cast<u32>(std::countr_zero(breaks)) : end;
                const size_t count = std::min<size_t>(index - begin, capacity - written);
                if (count > 0) std::memcpy(out + written, from + begin, count);
                written += count;
                if (begin + count < index) return {at + begin + count, written};
                if (breaks == 0) break;
                begin = index + 1;
                breaks &= breaks - 1;
            }
        }
        at += end;
        if (end < 64) break;
    }
    return {at, written};
}

}  // namespace crayon::CRAYON_KERNEL
