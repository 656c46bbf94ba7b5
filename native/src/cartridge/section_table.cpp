#include "cartridge/section_table.h"

#include <cstddef>
#include <cstring>

#include "base/integers.h"

namespace crayon {

using layout::Header;
using layout::Section;

namespace {

bool is_known(u32 id) { return layout::is_known_section(id); }

}  // namespace

u64 first_nonzero(const u8* data, u64 begin, u64 end) {
    while (begin < end && data[begin] == 0) ++begin;
    return begin;
}

Status SectionTable::identify(const u8* data, u64 length) {
    if (length < 4 || load_u32(data) != layout::kMagic) return {CRAYON_NOT_A_CARTRIDGE, 0, 0};
    // The version comes first: a version 2 file has a 12-byte header.
    const u64 version_at = offsetof(Header, version);
    if (length >= version_at + 4 && load_u32(data + version_at) != layout::kVersion) {
        return {CRAYON_UNSUPPORTED_VERSION, 0, version_at};
    }
    if (length < sizeof(Header)) return {CRAYON_TRUNCATED, 0, length};
    Header header;
    std::memcpy(&header, data, sizeof(header));
    if (header.minor != layout::kMinor) return {CRAYON_UNSUPPORTED_VERSION, 0, offsetof(Header, minor)};
    if (length < header.file_length) return {CRAYON_TRUNCATED, 0, length};
    if (length > header.file_length) return corrupt(0, offsetof(Header, file_length));
    return {};
}

Status SectionTable::read(const u8* data, u64 length) {
    const Header& header = *reinterpret_cast<const Header*>(data);
    if (header.zero != 0) return corrupt(0, offsetof(Header, zero));
    const u64 reserved = offsetof(Header, reserved), nonzero = first_nonzero(data, reserved, sizeof(Header));
    if (nonzero != sizeof(Header)) return corrupt(0, nonzero);
    const u32 count = header.section_count;
    if (count == 0 || count > layout::kMaxSections || sizeof(Header) + count * sizeof(Section) > length) {
        return corrupt(0, offsetof(Header, section_count));
    }
    rows_ = {reinterpret_cast<const Section*>(data + sizeof(Header)), count};
    u64 end = this->end();
    for (u32 row = 0; row < count; ++row) {
        Status status = check_row(data, length, row, &end);
        if (!status.ok()) return status;
    }
    if (end != length) return corrupt(0, this->end() - sizeof(Section) + offsetof(Section, length));
    return {};
}

// `end`: the end of the previous section (or of the table); afterwards, of this one.
Status SectionTable::check_row(const u8* data, u64 length, u32 row, u64* end) const {
    const Section section = rows_[row];
    const u64 at = sizeof(Header) + row * sizeof(Section);
    if (section.id == 0) return corrupt(0, at + offsetof(Section, id));
    for (u32 before = 0; before < row; ++before) {
        if (rows_[before].id == section.id) return corrupt(0, at + offsetof(Section, id));
    }
    if ((section.flags & ~u32{layout::kMustUnderstand}) != 0) return corrupt(0, at + offsetof(Section, flags));
    if (section.offset != align_up(*end)) return corrupt(0, at + offsetof(Section, offset));
    if (u64{section.offset} + section.length > length) return corrupt(0, at + offsetof(Section, length));
    const u64 nonzero = first_nonzero(data, *end, section.offset);
    if (nonzero != section.offset) return corrupt(0, nonzero);
    if ((section.flags & layout::kMustUnderstand) != 0 && !is_known(section.id)) {
        return {CRAYON_UNKNOWN_SECTION, section.id, at};
    }
    *end = u64{section.offset} + section.length;
    return {};
}

SectionRange SectionTable::find(layout::SectionId id) const {
    for (const Section& row : rows_) {
        if (row.id == id) return {row.id, row.offset, row.length};
    }
    return {id, 0, 0};
}

}  // namespace crayon
