// The rule that each of the 256 single bytes is found in kPieces8, as a token that is this byte.
//
// Their entries are spread over the whole table. So they are picked up in the gate's pass over the bytes: looking for
// them afterwards would map every page of the table.
#pragma once

#include "base/integers.h"
#include "base/status.h"
#include "cartridge/cartridge.h"

namespace crayon {

class SingleBytes {
public:
    // Where to look: the entries begin at `entries_at` in the file. `ids`: 256, for the tokens of the bytes.
    void find(const PerfectHashView<layout::Piece8>& pieces8, u64 entries_at, u32* ids);
    // Takes the entries that are in [begin, end) of the file, which is at `bytes`. In file order; the ends are
    // multiples of 64 or the end of the file.
    void take(const u8* bytes, u64 begin, u64 end);
    // After the pass, and after all other rules. CORRUPT_STRUCTURE with the entry of the first byte that is not found.
    Status check(const BpeView& bpe) const;

private:
    u32 slot(u32 byte) const;

    PerfectHashView<layout::Piece8> pieces8_;
    u64 entries_at_ = 0;
    u32* ids_ = nullptr;  // by byte: the slot, until it is taken; then the id, or kNone
    u8 order_[256];       // by ascending slot
    u32 taken_ = 256;
};

}  // namespace crayon
