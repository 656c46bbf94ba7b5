// Rows of ids as a matrix, padded to the same length, with a mask whose elements have the same width.
//
// Rows come in order: padded by a device, or padded here. The mask is always written here, from the row lengths: it is as
// large as the ids, but does not depend on them.
#pragma once

#include "base/buffer.h"
#include "base/integers.h"
#include "crayon/layout/cartridge.h"
#include "crayon_gpu.h"

namespace crayon {

class PaddedRows {
public:
    static constexpr u32 kLongest = layout::kNone;  // in place of columns
    static constexpr u32 kMostAround = 64;          // of crayon_gpu_batch

    struct Form {
        u32 columns = kLongest;
        u32 width = 0;  // bytes per element, 4 or 8; 0: no matrix
        bool is_left = false;
        bool truncates = false;  // rows with too many ids lose their own last ids
        bool stays = false;      // on the device: not allocated here
        u32 pad_id = 0;          // a signed 32-bit value
        u32 before_count = 0, after_count = 0;
        u32 around[2 * kMostAround] = {};  // ids before each row's own, then ids after them
    };

    // With a given number of columns; false if memory is short. `kLongest` waits for the other `begin`.
    bool begin(const Form& form, u64 rows);
    // Columns for a longest row of this many ids.
    bool begin(u64 rows, u64 longest);
    // Gives the matrix up.
    void drop() { form_.width = 0; }

    bool is_wanted() const { return form_.width != 0; }
    bool has_columns() const { return is_wanted() && form_.columns != kLongest; }
    u64 columns() const { return form_.columns; }
    u64 row_bytes() const { return columns() * form_.width; }
    const Form& form() const { return form_; }

    // Makes a device pad the rows of a batch.
    void shape(crayon_gpu_batch* batch) const;
    // Those rows: `ids` are padded, and row i has offsets[i + 1] - offsets[i] ids of its own.
    void put(u64 first, u64 rows, const u8* ids, const u64* offsets);
    // Pads a row here; false if it has too many ids and must not be truncated.
    bool put(u64 row, const u32* ids, u64 count);

    // The memory of both, `words()` each, handed over once, for std::free.
    u64 words() const { return has_columns() ? ids_.size() : 0; }
    const u32* ids() const { return ids_.data(); }
    const u32* mask() const { return mask_.data(); }
    u32* detach_ids() { return ids_.detach(); }
    u32* detach_mask() { return mask_.detach(); }

private:
    u64 around() const { return u64{form_.before_count} + form_.after_count; }
    bool reserve(u64 rows);
    template <class Element>
    void put_as(u64 row, const u32* ids, u64 count);
    template <class Element>
    void put_mask(u64 row, u64 whole);

    Form form_;
    Buffer<u32> ids_, mask_;
};

}  // namespace crayon
