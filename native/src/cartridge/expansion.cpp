#include "cartridge/expansion.h"

#include "cartridge/checksum.h"
#include "cartridge/section_table.h"
#include "cartridge/sections.h"
#include "expand/bpe_cartridge.h"
#include "expand/merge_list.h"

namespace crayon {

bool is_slim(const u8* data, u64 length) {
    SectionTable table;
    return SectionTable::identify(data, length).ok() && table.read(data, length).ok() &&
           table.find(layout::kMerges).present();
}

Status expand_slim(const u8* data, u64 length, bool verify_checksum, OwnedBytes* full, Buffer<layout::Section>* rows) {
    if (verify_checksum) {
        Checksum checksum;
        checksum.update(data, length);
        if (checksum.finish() != reinterpret_cast<const layout::Header*>(data)->checksum) {
            return {CRAYON_CHECKSUM_MISMATCH, 0, layout::kChecksumOffset};
        }
    }
    SectionTable table;
    Sections sections;
    Status status = table.read(data, length);
    if (status.ok()) status = sections.read_slim(data, table);
    if (!status.ok()) return status;
    if (!rows->assign(table.rows().data(), table.rows().size())) return Status::out_of_memory();

    const SectionPlace merges = table.find(layout::kMerges), model = table.find(layout::kModel);
    MergedTokens merged;
    status = read_merge_list(data + merges.offset, merges.length, merges.offset,
                             *reinterpret_cast<const layout::Model*>(data + model.offset), &merged);
    if (!status.ok()) return status;

    SectionBytes common[4];
    for (u32 i = 0; i < 4; ++i) {
        const SectionPlace place = table.find(static_cast<layout::SectionId>(layout::kMetadata + i));
        common[i] = {static_cast<layout::SectionId>(place.id), data + place.offset, static_cast<size_t>(place.length)};
    }
    status = write_bpe_cartridge(common, merged.tokens(), merged.splits.data(), full);
    // No table holds two equal tokens, or more than it can address.
    if (!status.ok() && status.code != CRAYON_OUT_OF_MEMORY) return corrupt(merges.id, merges.offset);
    return status;
}

}  // namespace crayon
