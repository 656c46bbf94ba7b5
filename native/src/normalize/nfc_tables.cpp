#include "normalize/nfc_tables.h"

#include <algorithm>

#include "base/least_heap.h"

namespace crayon {

namespace {

class Reader {
public:
    u32 number() {
        u32 value = 0;
        for (u32 shift = 0;; shift += 7) {
            const u8 byte = *at_++;
            value |= (byte & 0x7Fu) << shift;
            if (byte < 0x80) return value;
        }
    }
    u32 from(u32 before) {
        const u32 difference = number();
        return before + (difference >> 1 ^ (0 - (difference & 1)));
    }

private:
    const u8* at_ = kNfcData;
};

}  // namespace

bool NfcTables::set(u32 code, u32 properties) {
    u8& block = blocks_[code >> 6];
    if (block == 0) {
        block = static_cast<u8>(properties_.size() / 64);
        const size_t size = properties_.size();
        if (!properties_.resize(size + 64)) return false;
        std::fill_n(properties_.data() + size, 64, u16{0});
    }
    u16& entry = properties_[block * 64u + (code & 63)];
    entry = static_cast<u16>(entry | properties);
    return true;
}

Status NfcTables::unpack() {
    Reader reader;
    if (!properties_.assign(64, 0)) return Status::out_of_memory();
    u32 code = 0;
    for (u32 runs = reader.number(); runs > 0; --runs) {
        code += reader.number();
        const u32 count = reader.number(), index = reader.number();
        for (u32 i = 0; i < count; ++i, ++code) {
            if (!set(code, index | kJoins)) return Status::out_of_memory();
        }
    }
    u32 seconds[256];
    const u32 second_count = reader.number();
    code = 0;
    for (u32 i = 0; i < second_count; ++i) {
        seconds[i] = code += reader.number();
        if (!set(code, kSecond | kJoins)) return Status::out_of_memory();
    }
    for (u32 i = 0; i < kVowelCount; ++i) {
        if (!set(kVowels + i, kSecond | kJoins)) return Status::out_of_memory();
    }
    for (u32 i = 1; i < kTailCount; ++i) {
        if (!set(kTails + i, kSecond | kJoins)) return Status::out_of_memory();
    }
    const u32 composites = reader.number();
    code = 0;
    for (u32 i = 0, first = 0; i < composites; ++i) {
        code += reader.number();
        first = reader.from(first);
        const u32 second = seconds[reader.number()];
        if (!rows_.push_back({code, first, second}) || !set(code, kComposite)) return Status::out_of_memory();
    }
    const u32 replaced = reader.number();
    code = 0;
    for (u32 i = 0, part = 0; i < replaced; ++i) {
        code += reader.number();
        const u32 begin = static_cast<u32>(parts_.size()), count = reader.number();
        for (u32 k = 0; k < count; ++k) {
            part = reader.from(part);
            if (!parts_.push_back(part)) return Status::out_of_memory();
        }
        const u32 joins = properties(parts_[begin]) & kJoins;
        if (!rows_.push_back({code, begin, count}) || !set(code, kReplaced | joins)) return Status::out_of_memory();
    }
    heap_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.code < b.code; });
    for (u32 i = 0; i < rows_.size(); ++i) {
        if (properties(rows_[i].code) & kReplaced) continue;
        u32 slot = slot_of(rows_[i].first, rows_[i].second);
        while (slots_[slot]) slot = (slot + 1) % kSlots;
        slots_[slot] = static_cast<u16>(i + 1);
    }
    if (!pages_.resize(properties_.size() / 64)) return Status::out_of_memory();
    for (size_t i = 0; i < properties_.size(); ++i) {
        const u64 bit = u64{1} << i % 64;
        NfcPage& page = pages_[i / 64];
        if (i % 64 == 0) page = {};
        if (properties_[i] & kJoins) page.joins |= bit;
        if (properties_[i] & (kSecond | kReplaced)) page.changes |= bit;
    }
    return {};
}

bool NfcTables::stays(const NfcTables& tables, u32 before, u32 code) {
    const u32 known = tables.properties(code), other = tables.properties(before), own_class = known & kClass;
    if (known & kReplaced) return false;
    if (other & kJoins) return !(known & kSecond) && (own_class == 0 || own_class >= (other & kClass));
    return !(known & kSecond) || (tables.compose(before, code) == 0 && (own_class == 0 || !(other & kComposite)));
}

u32 NfcTables::compose(u32 first, u32 second) const {
    if (first - kLeads < kLeadCount && second - kVowels < kVowelCount) {
        return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTailCount;
    }
    if (is_syllable(first) && (first - kSyllables) % kTailCount == 0 && second > kTails && second < kTails + kTailCount) {
        return first + (second - kTails);
    }
    for (u32 slot = slot_of(first, second); slots_[slot]; slot = (slot + 1) % kSlots) {
        const Row& row = rows_[slots_[slot] - 1u];
        if (row.first == first && row.second == second) return row.code;
    }
    return 0;
}

const NfcTables::Row* NfcTables::row_of(u32 code) const {
    const Row* row = std::lower_bound(rows_.begin(), rows_.end(), code, [](const Row& a, u32 b) { return a.code < b; });
    return row != rows_.end() && row->code == code ? row : nullptr;
}

u32 NfcTables::decompose(u32 code, u32 parts[kMostParts]) const {
    if (is_syllable(code)) return decompose_syllable(code, parts);
    const u32 known = properties(code);
    if (known & kReplaced) {
        const Row* row = row_of(code);
        std::copy_n(parts_.data() + row->first, row->second, parts);
        return row->second;
    }
    // The first half of a composite may be a composite, too; the second halves come out last to first.
    u32 count = 0;
    while (properties(code) & kComposite) {
        const Row* row = row_of(code);
        parts[count++] = row->second;
        code = row->first;
    }
    parts[count++] = code;
    std::reverse(parts, parts + count);
    return count;
}

}  // namespace crayon
