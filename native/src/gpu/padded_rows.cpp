#include "gpu/padded_rows.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "platform/large_pages.h"

namespace crayon {

namespace {

constexpr u64 kMostElements = u64{1} << 32;

}  // namespace

bool PaddedRows::begin(const Form& form, u64 rows) {
    form_ = form;
    if (form.columns == kLongest || form.stays) return true;
    if (reserve(rows)) return true;
    drop();
    return false;
}

bool PaddedRows::begin(u64 rows, u64 longest) {
    const u64 columns = longest + around();
    if (columns < kLongest) {
        form_.columns = static_cast<u32>(columns);
        if (reserve(rows)) return true;
    }
    drop();
    return false;
}

bool PaddedRows::reserve(u64 rows) {
    const u64 columns = form_.columns;
    if (columns > 0 && rows > kMostElements / columns) return false;
    const u64 words = rows * columns * (form_.width / sizeof(u32));
    if (!ids_.resize(words) || !mask_.resize(words)) return false;
    prefer_large_pages(ids_.data(), words * sizeof(u32));
    prefer_large_pages(mask_.data(), words * sizeof(u32));
    return true;
}

void PaddedRows::shape(crayon_gpu_batch* batch) const {
    batch->output = CRAYON_GPU_MATRIX;
    batch->id_width = form_.width;
    batch->flags =
        CRAYON_GPU_SIGNED_PAD | (form_.is_left ? CRAYON_GPU_PAD_LEFT : 0) | (form_.truncates ? CRAYON_GPU_TRUNCATE : 0);
    batch->columns = form_.columns;
    batch->pad_id = form_.pad_id;
    batch->before = form_.around;
    batch->before_count = form_.before_count;
    batch->after = form_.around + form_.before_count;
    batch->after_count = form_.after_count;
}

void PaddedRows::put(u64 first, u64 rows, const u8* ids, const u64* offsets) {
    std::memcpy(reinterpret_cast<u8*>(ids_.data()) + first * row_bytes(), ids, rows * row_bytes());
    for (u64 i = 0; i < rows; ++i) {
        const u64 whole = std::min(offsets[i + 1] - offsets[i] + around(), columns());
        form_.width == sizeof(u32) ? put_mask<u32>(first + i, whole) : put_mask<u64>(first + i, whole);
    }
}

bool PaddedRows::put(u64 row, const u32* ids, u64 count) {
    if (count + around() > columns()) {
        if (!form_.truncates) return false;
        count = columns() - around();
    }
    form_.width == sizeof(u32) ? put_as<u32>(row, ids, count) : put_as<u64>(row, ids, count);
    return true;
}

template <class Element>
void PaddedRows::put_as(u64 row, const u32* ids, u64 count) {
    using Signed = std::make_signed_t<Element>;
    const Element pad = static_cast<Element>(static_cast<Signed>(static_cast<std::int32_t>(form_.pad_id)));
    const u64 capacity = columns() - count - around();
    Element* to = reinterpret_cast<Element*>(ids_.data()) + row * columns();
    if (form_.is_left) to = std::fill_n(to, capacity, pad);
    to = std::copy_n(form_.around, form_.before_count, to);
    to = std::copy_n(ids, count, to);
    to = std::copy_n(form_.around + form_.before_count, form_.after_count, to);
    if (!form_.is_left) std::fill_n(to, capacity, pad);
    put_mask<Element>(row, count + around());
}

template <class Element>
void PaddedRows::put_mask(u64 row, u64 whole) {
    Element* const to = reinterpret_cast<Element*>(mask_.data()) + row * columns();
    const u64 capacity = columns() - whole;
    std::fill_n(to, columns(), Element{1});
    std::fill_n(form_.is_left ? to : to + whole, capacity, Element{0});
}

}  // namespace crayon
