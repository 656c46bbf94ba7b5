#include "cartridge/cartridge.h"

#include <algorithm>
#include <new>

#include "base/utf8.h"
#include "cartridge/expansion.h"
#include "cartridge/legacy_dat.h"
#include "cartridge/validator.h"
#include "module_features.h"

namespace crayon {

// Adds the byte pairs inside anything that may become one unknown id to the joined pairs: a character without a token and,
// where unknown characters are fused, a run of them.
static void join_unknown(const BpeView& bpe, u8* joined_bytes) {
    const layout::HiddenTokens& hidden = *bpe.hidden;
    if (hidden.unknown_id == layout::kNone) return;
    const bool fuses = (hidden.flags & layout::kFusesUnknown) != 0;
    const auto is_unknown = [&](u32 byte) { return bpe.id_of_byte(byte) >= hidden.visible_count; };
    for (u32 a = 0; a < layout::kByteValues; ++a) {
        if (!is_unknown(a)) continue;
        for (u32 b = 0; b < layout::kByteValues; ++b) {
            if (is_unknown(b) && (fuses || is_continuation(static_cast<u8>(b)))) {
                layout::set_joined(joined_bytes, static_cast<u8>(a), static_cast<u8>(b));
            }
        }
    }
}

Status Cartridge::open(OwnedBytes bytes, u32 flags, Cartridge** out) {
    bool verify = (flags & CRAYON_OPEN_NO_CHECKSUM) == 0;
    Buffer<layout::Section> slim_rows;
    if (kFeatures.expand_slim && is_slim(bytes.data(), bytes.length())) {
        OwnedBytes full;
        const Status expanded = kFeatures.expand_slim(bytes.data(), bytes.length(), verify, &full, &slim_rows);
        if (!expanded.ok()) return expanded;
        bytes = std::move(full);
        verify = false;  // it was just computed
    }
    Cartridge* cartridge = new (std::nothrow) Cartridge(std::move(bytes));
    if (!cartridge) return Status::out_of_memory();
    Status status = validate_cartridge(cartridge->data(), cartridge->length(), verify, &cartridge->contents_);
    if (status.ok() && !cartridge->find_joined_bytes()) status = Status::out_of_memory();
    if (status.ok()) {
        cartridge->slim_rows_ = std::move(slim_rows);
        *out = cartridge;
    } else {
        delete cartridge;
    }
    return status;
}

// For BPE, if a view has no pretokenizer: takes only a millisecond per megabyte of tokens, so files do not store them.
// False if memory is short.
bool Cartridge::find_joined_bytes() {
    BpeView& bpe = contents_.bpe;
    const auto has_no_scanner = [](const layout::View& view) { return view.pretokenizer == layout::kNoPretokenizer; };
    const std::span<const layout::View> views = contents_.view_rows;
    if (model_kind() != layout::kBpe || std::none_of(views.begin(), views.end(), has_no_scanner)) return true;
    if (!joined_bytes_.assign(layout::kJoinedBytesLength, 0)) return false;
    for (u32 id = 0; id < bpe.token_count; ++id) {
        if (!bpe.is_merged(id)) continue;
        const u8* const token = bpe.token_bytes + bpe.token_offsets[id];
        const u32 length = bpe.token_offsets[id + 1] - bpe.token_offsets[id];
        for (u32 i = 1; i < length; ++i) layout::set_joined(joined_bytes_.data(), token[i - 1], token[i]);
    }
    if (bpe.hidden) join_unknown(bpe, joined_bytes_.data());
    bpe.joined_bytes = joined_bytes_.data();
    return true;
}

Status Cartridge::open_copy(std::string_view bytes, u32 flags, Cartridge** out) {
    OwnedBytes copy;
    if (!OwnedBytes::copy(bytes.data(), bytes.size(), &copy)) return Status::out_of_memory();
    return open(std::move(copy), flags, out);
}

Status Cartridge::open_dat(OwnedBytes bytes, const TokensView& list, u32 unknown, Cartridge** out) {
    if (!kFeatures.read_dat) return {CRAYON_FEATURE_MISSING};
    Cartridge* cartridge = new (std::nothrow) Cartridge(std::move(bytes));
    if (!cartridge) return Status::out_of_memory();
    const Status status =
        kFeatures.read_dat(cartridge->data(), cartridge->length(), list, unknown, &cartridge->dat_, &cartridge->contents_);
    if (status.ok()) {
        *out = cartridge;
    } else {
        delete cartridge;
    }
    return status;
}

bool Cartridge::is_of(const TokensView& list, u32 unknown) const {
    return is_dat() && contents_.longest_match.unknown() == unknown && is_same_list(contents_.longest_match, list);
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
    view.pretokenizer = static_cast<layout::Pretokenizer>(row.pretokenizer);
    view.unicode = row.unicode;
    view.normalizer = static_cast<layout::Normalizer>(row.normalizer);
    view.vocabulary_size = row.vocabulary_size;
    view.added = contents_.added_rows.subspan(row.first_added, row.added_count);
    view.sorted = {contents_.sorted_rows + row.first_added, row.added_count};
    view.added_strings = contents_.added_strings;
    view.words = contents_.words;
    if (!contents_.templates.empty()) {
        const u32* ids = reinterpret_cast<const u32*>(contents_.templates.data() + contents_.templates.size());
        for (u32 i = 0; i < index; ++i) ids += contents_.templates[i].prefix_count + contents_.templates[i].suffix_count;
        const auto [prefix_count, suffix_count] = contents_.templates[index];
        view.prefix = {ids, prefix_count};
        view.suffix = {ids + prefix_count, suffix_count};
    }
    return view;
}

void Cartridge::release() {
    // acq_rel: everything other threads did with the cartridge before releasing it happens before it is freed.
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
