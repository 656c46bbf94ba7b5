#include "tables/cartridge_writer.h"

#include <bit>
#include <cstring>

#include "cartridge/checksum.h"

namespace crayon {

static_assert(std::endian::native == std::endian::little, "structs are written as they are");

namespace {

u64 align(u64 at) { return (at + layout::kAlignment - 1) / layout::kAlignment * layout::kAlignment; }

}  // namespace

Status write_cartridge(std::span<const SectionBytes> sections, OwnedBytes* file) {
    const u64 table_end = sizeof(layout::Header) + sections.size() * sizeof(layout::Section);
    u64 length = table_end;
    for (const SectionBytes& section : sections) length = align(length) + section.length;
    if (length > layout::kMaxFileLength) return {CRAYON_FILE_TOO_LARGE, 0, length};
    if (!OwnedBytes::allocate(length, file)) return Status::out_of_memory();

    layout::Header header{};
    header.magic = layout::kMagic;
    header.version = layout::kVersion;
    header.minor = layout::kMinor;
    header.section_count = static_cast<u16>(sections.size());
    header.file_length = length;
    std::memcpy(file->data(), &header, sizeof header);

    u64 row_at = sizeof header, end = table_end;
    for (const SectionBytes& section : sections) {
        const u64 begin = align(end);
        std::memset(file->data() + end, 0, begin - end);
        end = begin + section.length;
        const layout::Section row = {section.id, section.id == layout::kMetadata ? 0u : u32{layout::kMustUnderstand},
                                     static_cast<u32>(begin), static_cast<u32>(section.length)};
        std::memcpy(file->data() + row_at, &row, sizeof row);
        row_at += sizeof row;
        if (section.length > 0) std::memcpy(file->data() + begin, section.bytes, section.length);
    }

    Checksum checksum;
    checksum.update(file->data(), length);
    header.checksum = checksum.finish();
    std::memcpy(file->data(), &header, sizeof header);
    return {};
}

}  // namespace crayon
