#include "document/document.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "document/surrogate_halves.h"

namespace crayon {

Document::Document(Tokenizer& tokenizer, u32 special, bool is_of_bytes)
    : tokenizer_(tokenizer), special_(special), is_of_bytes_(is_of_bytes) {
    tokenizer.retain();
}

Document::~Document() { tokenizer_.release(); }

Status Document::create(Tokenizer& tokenizer, u32 special, std::span<const u32> allowed, u32 unit, Document** out) {
    if (unit > CRAYON_UNIT_UTF16 || special > CRAYON_SPECIAL_LISTED) return Status::invalid_argument();
    if (tokenizer.model_kind() == layout::kDnaModel) return Status::invalid_argument();
    *out = new (std::nothrow) Document(tokenizer, special, unit == CRAYON_UNIT_BYTES);
    if (!*out) return Status::out_of_memory();
    if ((*out)->allowed_.assign(allowed.data(), allowed.size())) return {};
    delete *out;
    *out = nullptr;
    return Status::out_of_memory();
}

Status Document::copy(Document** out) const {
    const u32 unit = is_of_bytes_ ? CRAYON_UNIT_BYTES : CRAYON_UNIT_UTF16;
    const Status status = create(tokenizer_, special_, {allowed_.data(), allowed_.size()}, unit, out);
    if (!status.ok()) return status;
    (*out)->tree_ = TextTree(tree_);
    (*out)->sizes_ = sizes_;
    (*out)->is_masked_ = is_masked_;
    if ((*out)->ranges_.assign(ranges_.data(), ranges_.size())) return status;
    delete *out;
    *out = nullptr;
    return Status::out_of_memory();
}

Status Document::begin(Encoder& encoder, const Buffer<u32>& ranges) const {
    if (!is_masked_) return encoder.begin(special_, allowed_.data(), static_cast<u32>(allowed_.size()));
    return encoder.begin_masked({allowed_.data(), allowed_.size()}, {ranges.data(), ranges.size()});
}

// --- editing ---

Status Document::keep_units(std::span<const u16> units) {
    if (kept_units_.append(units.data(), units.size())) return {};
    kept_units_.clear();
    return Status::out_of_memory();
}

Status Document::keep_bytes(std::span<const u8> bytes) {
    if (kept_bytes_.append(bytes.data(), bytes.size())) return {};
    kept_bytes_.clear();
    return Status::out_of_memory();
}

Status Document::keep_ranges(std::span<const u32> ranges) {
    if (special_ != CRAYON_SPECIAL_LISTED || (!is_masked_ && length() > 0) || ranges.size() % 2)
        return Status::invalid_argument();
    for (size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i] < ranges[i - 1]) return {CRAYON_INVALID_ARGUMENT, 0, i / 2};
    }
    is_masked_ = true;
    return kept_ranges_.assign(ranges.data(), ranges.size()) ? Status{} : Status::out_of_memory();
}

// The ranges of the text after an edit. False if memory is short.
bool Document::put_ranges(u32 start, u32 end, const Part& part, Buffer<u32>& ranges) const {
    const std::span<const u8> bytes = part.bytes;
    const auto add = [&ranges](u32 from, u32 to) {
        if (from >= to) return true;
        if (ranges.empty() || ranges.back() != from) return ranges.push_back(from) && ranges.push_back(to);
        ranges.back() = to;
        return true;
    };
    bool ok = true;
    size_t next = 0;
    for (; ok && next < ranges_.size() && ranges_[next] < start; next += 2) {
        ok = add(ranges_[next], std::min(ranges_[next + 1], start));
    }
    u32 unit = 0, byte = 0;
    const auto byte_of = [&](u32 limit) {
        if (is_of_bytes_) return std::min(limit, static_cast<u32>(bytes.size()));
        for (; unit < limit && byte < bytes.size(); ++byte) unit += !is_continuation(bytes[byte]) + (bytes[byte] >= 0xF0);
        while (byte < bytes.size() && is_continuation(bytes[byte])) ++byte;
        return byte;
    };
    for (size_t i = 0; ok && i < part.ranges.size(); i += 2) {
        const u32 from = start + byte_of(part.ranges[i]);
        ok = add(from, start + byte_of(part.ranges[i + 1]));
    }
    const u32 moved = start + static_cast<u32>(bytes.size()) - end;
    for (next -= next > 0 ? 2 : 0; ok && next < ranges_.size(); next += 2) {  // the last one before may go on behind
        if (ranges_[next + 1] > end) ok = add(std::max(ranges_[next], end) + moved, ranges_[next + 1] + moved);
    }
    return ok;
}

// Where an edit begins or ends.
Document::Edge Document::edge_at(u32 unit, bool is_end) const {
    const TextTree::Place place = tree_.at_unit(unit);
    if (!place.leaf) return {tree_.sums().bytes, 0, 0};
    const TextLeaf& leaf = *place.leaf;
    const u32 from = unit - place.before.units;
    if (leaf.sums.bytes == leaf.sums.units) return {place.before.bytes + from, 0, 0};
    const UnitPlace found = find_unit(leaf.bytes(), leaf.sums.bytes, from);
    const u8* const character = leaf.bytes() + found.byte;
    const u32 byte = place.before.bytes + found.byte;
    if (found.inside) {
        u16 pair[2];
        to_units(character, 4, pair);
        return {is_end ? byte + 4 : byte, pair[is_end], 0};
    }
    return {byte, 0, leaf.has_halves && is_half(character) ? half_at(character) : u16{0}};
}

// The half without another one that ends at a byte, between characters; else 0.
u16 Document::half_before(u32 byte) const {
    if (byte < 3) return 0;
    const TextTree::Place place = tree_.at_byte(byte - 1);
    const u32 end = byte - place.before.bytes;
    if (!place.leaf->has_halves || end < 3 || !is_half(place.leaf->bytes() + end - 3)) return 0;
    return half_at(place.leaf->bytes() + end - 3);
}

Status Document::replace_units(Encoder& encoder, u32 start, u32 end, std::span<const u16> units, TextChange* change) {
    Buffer<u16> joined;
    Buffer<u32> ranges;
    joined.swap(kept_units_);
    ranges.swap(kept_ranges_);
    if (is_of_bytes_ || start > end || end > length()) return Status::invalid_argument();
    if (!joined.empty()) {
        if (!joined.append(units.data(), units.size())) return Status::out_of_memory();
        units = {joined.data(), joined.size()};
    }
    // Halves beside the edit may have found another one.
    Edge from = edge_at(start, false), to = edge_at(end, true);
    const u16 first = !units.empty() ? units.front() : to.half ? to.half : to.alone;
    if (!from.half && is_low_half(first)) {
        const u16 before = half_before(from.byte);
        if (is_high_half(before)) {
            from.half = before;
            from.byte -= 3;
        }
    }
    const u16 last = !units.empty() ? units.back() : from.half;
    if (!to.half && is_low_half(to.alone) && is_high_half(last)) {
        to.half = to.alone;
        to.byte += 3;
    }
    Buffer<u8> bytes;
    bool has_halves = false;
    if (is_masked_ && (from.half || to.half)) return Status::invalid_argument();
    if (from.half || to.half) {
        Buffer<u16> whole;
        bool ok = !from.half || whole.push_back(from.half);
        ok = ok && whole.append(units.data(), units.size()) && (!to.half || whole.push_back(to.half));
        if (!ok) return Status::out_of_memory();
        joined.swap(whole);
        units = {joined.data(), joined.size()};
    }
    if (units.size() > TextEdit::kMostBytes / 3) return {CRAYON_TEXT_TOO_LONG};
    if (!append_units(units.data(), units.size(), bytes, &has_halves)) return Status::out_of_memory();
    const Part part = {{bytes.data(), bytes.size()}, has_halves, {ranges.data(), ranges.size()}};
    return edit(encoder, from.byte, to.byte, part, change);
}

Status Document::replace_bytes(Encoder& encoder, u32 start, u32 end, std::span<const u8> bytes, TextChange* change) {
    Buffer<u8> joined;
    Buffer<u32> ranges;
    joined.swap(kept_bytes_);
    ranges.swap(kept_ranges_);
    if (!is_of_bytes_ || start > end || end > length()) return Status::invalid_argument();
    if (!joined.empty()) {
        if (!joined.append(bytes.data(), bytes.size())) return Status::out_of_memory();
        bytes = {joined.data(), joined.size()};
    }
    return edit(encoder, start, end, {bytes, false, {ranges.data(), ranges.size()}}, change);
}

Status Document::edit(Encoder& encoder, u32 start, u32 end, const Part& part, TextChange* change) {
    Buffer<u32> ranges;
    if (is_masked_ && !put_ranges(start, end, part, ranges)) return Status::out_of_memory();
    if (Status status = begin(encoder, ranges); !status.ok()) return status;
    TextEdit edit(tree_, encoder, is_of_bytes_, sizes_);
    Status status = edit.run(start, end, part.bytes, part.has_halves, change);
    if (status.ok()) ranges_.swap(ranges);
    const bool is_in_text = status.code == CRAYON_UNKNOWN_CHARACTER || status.code == CRAYON_SPECIAL_FORBIDDEN;
    if (is_in_text && !is_of_bytes_) status.position = edit.failed_units(status.position);
    return status;
}

// --- reading ---

Status Document::copy_ids(u32 from, u32 to, u32* ids) const {
    if (from > to || to > count()) return Status::invalid_argument();
    if (from == to) return {};
    const TextTree::Place place = tree_.at_id(from);
    u32 at = place.before.ids;
    tree_.visit(place.index, [&](const TextLeaf& leaf) {
        const u32 first = std::max(from, at), last = std::min(to, at + leaf.sums.ids);
        if (first < last) std::memcpy(ids + (first - from), leaf.ids() + (first - at), size_t{last - first} * sizeof(u32));
        at += leaf.sums.ids;
        return at < to;
    });
    return {};
}

Status Document::copy_bytes(u32 from, u32 to, u8* bytes) const {
    if (from > to || to > tree_.sums().bytes) return Status::invalid_argument();
    if (from == to) return {};
    const TextTree::Place place = tree_.at_byte(from);
    u32 at = place.before.bytes;
    tree_.visit(place.index, [&](const TextLeaf& leaf) {
        const u32 first = std::max(from, at), last = std::min(to, at + leaf.sums.bytes);
        std::memcpy(bytes + (first - from), leaf.bytes() + (first - at), last - first);
        at += leaf.sums.bytes;
        return at < to;
    });
    return {};
}

Status Document::copy_units(u32 from, u32 to, u16* units) const {
    if (is_of_bytes_ || from > to || to > length()) return Status::invalid_argument();
    if (from == to) return {};
    const TextTree::Place place = tree_.at_unit(from);
    u32 at = place.before.units;
    Buffer<u16> all;
    bool ok = true;
    tree_.visit(place.index, [&](const TextLeaf& leaf) {
        const u32 first = std::max(from, at), last = std::min(to, at + leaf.sums.units);
        if (!(ok = all.resize(leaf.sums.units))) return false;
        to_units(leaf.bytes(), leaf.sums.bytes, all.data());
        std::memcpy(units + (first - from), all.data() + (first - at), size_t{last - first} * sizeof(u16));
        at += leaf.sums.units;
        return at < to;
    });
    return ok ? Status{} : Status::out_of_memory();
}

Status Document::token_at(Encoder& encoder, u32 position, u32* token) const {
    if (position > length()) return Status::invalid_argument();
    const TextTree::Place place = is_of_bytes_ ? tree_.at_byte(position) : tree_.at_unit(position);
    *token = count();
    if (!place.leaf) return {};
    if (Status status = begin(encoder, ranges_); !status.ok()) return status;
    encoder.resume(place.before.bytes);
    // The encoder may need more text than when it came from further back.
    const u32 unit = is_of_bytes_ ? CRAYON_UNIT_BYTES : CRAYON_UNIT_UTF16, count = place.leaf->sums.ids;
    Buffer<u8> text;
    Buffer<u32> ids, offsets;
    if (!ids.resize(count) || !offsets.resize(2 * size_t{count})) return Status::out_of_memory();
    u32 fed = place.before.bytes, passed = 0;
    for (u32 window = place.leaf->sums.bytes + sizes_.beyond; passed < count; window *= 2) {
        const u32 length = std::min(window, tree_.sums().bytes - fed);
        if (!text.resize(length)) return Status::out_of_memory();
        if (Status status = copy_bytes(fed, fed + length, text.data()); !status.ok()) return status;
        if (!is_of_bytes_) replace_halves(text.data(), length);
        fed += length;
        if (Status status = encoder.feed_utf8(text.data(), length, fed == tree_.sums().bytes); !status.ok()) return status;
        Encoder::Read read;
        do {
            const Status status =
                encoder.read_with_offsets(ids.data() + passed, offsets.data() + 2 * passed, count - passed, unit, &read);
            if (!status.ok()) return status;
            passed += read.count;
        } while (read.more && passed < count);
        if (fed == tree_.sums().bytes) break;
    }
    const u32 from = position - (is_of_bytes_ ? place.before.bytes : place.before.units);
    u32 i = 0;
    while (i < passed && offsets[2 * i + 1] <= from) ++i;
    *token = place.before.ids + i;
    return {};
}

}  // namespace crayon
