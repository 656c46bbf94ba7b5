// One step of a chain, for every model whose result is a chain.
//
// A chain is determined by its position alone: the next token begins where the token that begins there ends. Once two
// chains share a position, they are the same from there on. A Step has
//   Shared            memory that a block shares
//   kShared           its number of entries
//   prepare(t, shared, i)    fills entry i of it
//   Cursor            at a token: see below
//   id_of(t, value)   the id of a value of the cursor
//
// A Cursor goes through a token character by character, or byte by byte, so that the threads of a warp, whose tokens end at
// different times, all do the same work: a thread at the end of its token begins the next while others are inside theirs.
// Positions are a TextReader's.
//   Cursor(t, step)
//   start(at, end)                        the token that begins there, before `end`, the end of its document
//   advance(t, step, shared, text) -> bool   a little further; whether the token has ended: then it has
//       length()      in bytes, at most up to `end`
//       value()       identifies the token
//       failed()      nothing has an id there; the chain continues all the same
// `text(i)` is a byte of the text; bytes at or after `end` are never read.
#pragma once

#include "device/device.h"

namespace crayon::gpu {

// Readable bytes after a text, because it is read in aligned words.
inline constexpr u32 kTextPadding = 16;

// The bytes of a text for one thread, which usually asks for the next byte. Positions count from near the start of the
// walk, as devices have 32-bit registers; positions too far away are clamped.
class TextReader {
public:
    static constexpr u32 kFar = u32{1} << 31;

    CRAYON_KERNEL_CODE TextReader(const Thread& t, Global<const u8> text, u64 begin)
        : t_(t), text_(text), origin_(begin / 16 * 16) {}

    // Converts a text position, which is not before `begin`.
    CRAYON_KERNEL_CODE u32 position_of(u64 at) const { return static_cast<u32>(least<u64>(at - origin_, kFar)); }

    CRAYON_KERNEL_CODE u32 operator()(u32 at) {
        if (at / 16 != pack_) {
            pack_ = at / 16;
            const Packed<16> loaded = t_.template load_as<Packed<16>>(text_, origin_ + pack_ * 16);
            CRAYON_UNROLL for (u32 i = 0; i < 4; ++i) words_[i] = loaded.words[i];
        }
        const u32 low = (at & 4) != 0 ? words_[1] : words_[0], high = (at & 4) != 0 ? words_[3] : words_[2];
        return ((at & 8) != 0 ? high : low) >> (at % 4 * 8) & 0xFF;
    }

private:
    const Thread& t_;
    Global<const u8> text_;
    u64 origin_;
    u32 pack_ = ~0u;
    u32 words_[4] = {};
};

// The end of the token that begins at a position.
template <class Step>
CRAYON_KERNEL_CODE u64 step_from(const Thread& t, const Step& step, const typename Step::Shared& shared, Global<const u8> bytes,
                                 u64 at, u64 end) {
    TextReader text(t, bytes, at);
    typename Step::Cursor cursor(t, step);
    cursor.start(text.position_of(at), text.position_of(end));
    while (!cursor.advance(t, step, shared, text)) {
    }
    return at + cursor.length();
}

}  // namespace crayon::gpu
