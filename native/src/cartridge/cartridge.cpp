#include "cartridge/cartridge.h"

#include <new>

#include "cartridge/expansion.h"
#include "cartridge/gate.h"
#include "cartridge/legacy_dat.h"

namespace crayon {

Status Cartridge::open(OwnedBytes bytes, u32 flags, Cartridge** out) {
    bool verify = (flags & CRAYON_OPEN_NO_CHECKSUM) == 0;
    Buffer<layout::Section> slim_rows;
    if (is_slim(bytes.data(), bytes.length())) {
        OwnedBytes full;
        const Status expanded = expand_slim(bytes.data(), bytes.length(), verify, &full, &slim_rows);
        if (!expanded.ok()) return expanded;
        bytes = std::move(full);
        verify = false;  // it has just been computed
    }
    Cartridge* cartridge = new (std::nothrow) Cartridge(std::move(bytes));
    if (!cartridge) return Status::out_of_memory();
    Status status = pass_gate(cartridge->data(), cartridge->length(), verify, &cartridge->contents_);
    if (status.ok()) {
        cartridge->slim_rows_ = std::move(slim_rows);
        *out = cartridge;
    } else {
        delete cartridge;
    }
    return status;
}

Status Cartridge::open_copy(std::string_view bytes, u32 flags, Cartridge** out) {
    OwnedBytes copy;
    if (!OwnedBytes::copy(bytes.data(), bytes.size(), &copy)) return Status::out_of_memory();
    return open(std::move(copy), flags, out);
}

Status Cartridge::open_dat(OwnedBytes bytes, const TokensView& list, u32 unknown_id, Cartridge** out) {
    Cartridge* cartridge = new (std::nothrow) Cartridge(std::move(bytes));
    if (!cartridge) return Status::out_of_memory();
    const Status status = read_dat(cartridge->data(), cartridge->length(), list, unknown_id, &cartridge->dat_,
                                   &cartridge->contents_);
    if (status.ok()) {
        *out = cartridge;
    } else {
        delete cartridge;
    }
    return status;
}

bool Cartridge::is_of(const TokensView& list, u32 unknown_id) const {
    return is_dat() && contents_.longest_match.unknown_id == unknown_id && is_same_list(contents_.longest_match, list);
}

std::string_view Cartridge::pattern_bytes() const {
    for (const layout::Section& row : contents_.sections) {
        if (row.id == layout::kPattern) return {reinterpret_cast<const char*>(data()) + row.offset, row.length};
    }
    return {};
}

TokenizerView Cartridge::view(u32 index) const {
    const layout::View& row = contents_.view_rows[index];
    TokenizerView view;
    view.name = {contents_.view_strings + row.name_offset, row.name_length};
    view.scanner = static_cast<layout::Scanner>(row.scanner);
    view.unicode = row.unicode;
    view.vocabulary_size = row.vocabulary_size;
    view.added = contents_.added_rows.subspan(row.first_added, row.added_count);
    view.added_strings = contents_.added_strings;
    return view;
}

void Cartridge::release() {
    // acq_rel: everything that other threads did with the cartridge before they released it happens before it is freed.
    if (count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (on_last_release_) on_last_release_(this);
    delete this;
}

bool Cartridge::retain_unless_dying() {
    u32 count = count_.load(std::memory_order_relaxed);
    while (count != 0) {
        if (count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
    }
    return false;
}

}  // namespace crayon
