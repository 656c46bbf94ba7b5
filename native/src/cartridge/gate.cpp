#include "cartridge/gate.h"

#include <algorithm>
#include <bit>

#include "cartridge/checksum.h"
#include "cartridge/section_table.h"
#include "cartridge/sections.h"
#include "cartridge/stretch.h"

namespace crayon {

static_assert(std::endian::native == std::endian::little, "cartridges are read in place");

namespace {

// A block stays in the first cache between the checksum and the rules.
constexpr u64 kBlock = 16384;

// Checks the part of the stretch that lies in data[begin, end). On failure, `status` names the first broken element.
bool check_stretch(Stretch& stretch, const u8* data, u64 begin, u64 end, Status* status) {
    const u64 stretch_end = stretch.offset + stretch.count * stretch.element_bytes;
    begin = std::max(begin, stretch.offset);
    end = std::min(end, stretch_end);
    if (begin >= end) return true;
    const u32 first = static_cast<u32>((begin - stretch.offset) / stretch.element_bytes);
    const u32 count = static_cast<u32>((end - begin) / stretch.element_bytes);
    if (!stretch.broken(stretch, data + begin, first, count)) return true;
    u32 element = 0;
    while (element + 1 < count &&
           !stretch.broken(stretch, data + begin + u64{element} * stretch.element_bytes, first + element, 1)) {
        ++element;
    }
    *status = corrupt(stretch.section, begin + u64{element} * stretch.element_bytes);
    return false;
}

u64 stated_checksum(const u8* data) { return reinterpret_cast<const layout::Header*>(data)->checksum; }

}  // namespace

Status pass_gate(const u8* data, u64 length, bool verify_checksum, CartridgeContents* out) {
    Status status = SectionTable::identify(data, length);
    if (!status.ok()) return status;

    SectionTable table;
    Sections sections;
    status = table.read(data, length);
    if (status.ok()) status = sections.read(data, table);
    if (!status.ok() && !verify_checksum) return status;

    Checksum checksum;
    for (u64 begin = 0; begin < length; begin += kBlock) {
        const u64 end = std::min(length, begin + kBlock);
        if (verify_checksum) checksum.update(data + begin, end - begin);
        for (Stretch* stretch = sections.begin(); status.ok() && stretch < sections.end(); ++stretch) {
            check_stretch(*stretch, data, begin, end, &status);
        }
    }
    if (verify_checksum && checksum.finish() != stated_checksum(data))
        return {CRAYON_CHECKSUM_MISMATCH, 0, layout::kChecksumOffset};
    if (status.ok()) status = sections.check_tokens();
    if (status.ok()) *out = sections.contents();
    return status;
}

}  // namespace crayon
