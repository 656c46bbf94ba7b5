#include "cartridge/validator.h"

#include <algorithm>
#include <bit>

#include "cartridge/checksum.h"
#include "cartridge/section_table.h"
#include "cartridge/sections.h"

namespace crayon {

static_assert(std::endian::native == std::endian::little, "cartridges are read in place");

namespace {

u64 stated_checksum(const u8* data) { return reinterpret_cast<const layout::Header*>(data)->checksum; }

}  // namespace

Status validate_cartridge(const u8* data, u64 length, bool verify_checksum, CartridgeContents* out, const Kernel& kernel) {
    Status status = SectionTable::identify(data, length);
    if (!status.ok()) return status;

    SectionTable table;
    Sections sections(kernel);
    status = table.read(data, length);
    if (status.ok()) status = sections.read(data, table);
    if (!status.ok() && !verify_checksum) return status;

    Checksum checksum(kernel);
    for (u64 begin = 0; begin < length; begin += kGateBlock) {
        const u64 end = std::min(length, begin + kGateBlock);
        if (verify_checksum) checksum.update(data + begin, end - begin);
        if (status.ok()) status = sections.check(begin, end);
    }
    if (verify_checksum && checksum.finish() != stated_checksum(data))
        return {CRAYON_CHECKSUM_MISMATCH, 0, layout::kChecksumOffset};
    if (status.ok()) status = sections.check_tokens();
    if (status.ok()) {
        *out = sections.contents();
        out->tokens.token_count = sections.visible_count();
    }
    return status;
}

}  // namespace crayon
