// crayon_text_map and its companions.
#include <new>

#include "base/c_result.h"
#include "platform/mapped_text.h"

using crayon::kInvalidArgument;
using crayon::OwnedBytes;
using crayon::report;
using crayon::Status;

extern "C" {

uint32_t crayon_text_cannot_shrink(int32_t descriptor) { return crayon::cannot_shrink(descriptor) ? 1 : 0; }

crayon_status crayon_text_map(int32_t descriptor, uint64_t begin, uint32_t length, const uint8_t** bytes,
                              crayon_mapped_text** out, crayon_result* result) {
    if (out) *out = nullptr;
    if (bytes) *bytes = nullptr;
    if (!bytes || !out || length == 0 || begin > (uint64_t{1} << 62)) return report(kInvalidArgument, result);
    OwnedBytes mapped;
    std::uint32_t offset = 0;
    const Status status = crayon::map_text(descriptor, begin, length, &mapped, &offset);
    if (!status.ok()) return report(status, result);
    OwnedBytes* const kept = new (std::nothrow) OwnedBytes(std::move(mapped));
    if (!kept) return report(Status::out_of_memory(), result);
    *bytes = kept->data() + offset;
    *out = reinterpret_cast<crayon_mapped_text*>(kept);
    return report({}, result);
}

void crayon_text_unmap(crayon_mapped_text* text) { delete reinterpret_cast<OwnedBytes*>(text); }

}  // extern "C"
