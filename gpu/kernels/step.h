// One step of a chain, for every model whose result is one.
//
// A chain is determined by its position alone: `step(i)` is the next one, and the id of what is between. Where two chains have
// one position in common, they are the same from there on. A Step has
//   Shared            memory that a block shares
//   kShared           its number of entries
//   prepare(t, shared, i)                 fills entry i of it
//   (t, shared, text, at, end) -> Next    from a position before `end`, the end of its document, to one after it, at most `end`.
//                                         `text(i)` are the bytes; none from `end` on is read
#pragma once

#include "device/device.h"

namespace crayon::gpu {

struct Next {
    u64 at;
    u32 id;  // kNone: nothing has an id there; the chain goes on all the same
};

}  // namespace crayon::gpu
