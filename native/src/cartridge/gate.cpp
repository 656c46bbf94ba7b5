#include "cartridge/gate.h"

#include <algorithm>
#include <bit>

#include "cartridge/checksum.h"
#include "cartridge/section_table.h"
#include "cartridge/sections.h"
#include "cartridge/table_check.h"

namespace crayon {

static_assert(std::endian::native == std::endian::little, "cartridges are read in place");

namespace {

// A block stays in the L1 cache between the checksum and the rules.
constexpr u64 kBlock = 16384;

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
        for (TableCheck* check = sections.begin(); status.ok() && check < sections.end(); ++check) {
            status = check->run(data, begin, end);
        }
    }
    if (verify_checksum && checksum.finish() != stated_checksum(data))
        return {CRAYON_CHECKSUM_MISMATCH, 0, layout::kChecksumOffset};
    if (status.ok()) status = sections.check_tokens();
    if (status.ok()) *out = sections.contents();
    return status;
}

}  // namespace crayon
