// crayon_cartridge_*, except the functions that open files (c_api_file.cpp): checks arguments and converts statuses to
// results; no logic.
#include "base/status.h"
#include "cartridge/cartridge.h"

using namespace crayon;

extern "C" {

crayon_status crayon_cartridge_open_bytes(const void* bytes, uint32_t length, uint32_t flags, crayon_cartridge** out,
                                          crayon_result* result) {
    if (out) *out = nullptr;
    if ((!bytes && length != 0) || !out || (flags & ~kOpenFlags) != 0) {
        return report(kInvalidArgument, result);
    }
    if (length > layout::kMaxFileLength) return report({CRAYON_FILE_TOO_LARGE, 0, 0}, result);
    Cartridge* cartridge = nullptr;
    const Status status = Cartridge::open_copy({static_cast<const char*>(bytes), length}, flags, &cartridge);
    *out = to_c(cartridge);
    return report(status, result);
}

crayon_status crayon_cartridge_open_dat_bytes(const void* bytes, uint32_t length, uint32_t flags, const uint8_t* token_bytes,
                                              uint32_t byte_count, const uint32_t* token_offsets, uint32_t token_count,
                                              uint32_t unknown_id, crayon_cartridge** out, crayon_result* result) {
    if (out) *out = nullptr;
    if ((!bytes && length != 0) || !out || (flags & ~kOpenFlags) != 0 ||
        (token_count > 0 && (!token_offsets || (!token_bytes && byte_count > 0)))) {
        return report(kInvalidArgument, result);
    }
    if (length > layout::kMaxFileLength) return report({CRAYON_FILE_TOO_LARGE, 0, 0}, result);
    OwnedBytes copy;
    if (!OwnedBytes::copy(bytes, length, &copy)) return report(Status::out_of_memory(), result);
    Cartridge* cartridge = nullptr;
    const TokensView tokens = {token_count, 0, token_offsets, token_bytes, byte_count};
    const Status status = Cartridge::open_dat(std::move(copy), tokens, unknown_id, &cartridge);
    *out = to_c(cartridge);
    return report(status, result);
}

void crayon_cartridge_release(crayon_cartridge* cartridge) {
    if (cartridge) from_c(cartridge)->release();
}

const char* crayon_cartridge_view_name(const crayon_cartridge* cartridge, uint32_t index, uint32_t* length) {
    const bool present = cartridge && index < from_c(cartridge)->view_count();
    const std::string_view name = present ? from_c(cartridge)->view(index).name : std::string_view();
    if (length) *length = static_cast<uint32_t>(name.size());
    return name.data();
}

const char* crayon_cartridge_metadata(const crayon_cartridge* cartridge, uint32_t* length) {
    const std::string_view metadata = cartridge ? from_c(cartridge)->metadata() : std::string_view();
    if (length) *length = static_cast<uint32_t>(metadata.size());
    return metadata.data();
}

uint32_t crayon_cartridge_section(const crayon_cartridge* cartridge, uint32_t index, uint32_t out[4]) {
    if (!cartridge || !out || index >= from_c(cartridge)->sections().size()) return 0;
    const layout::Section& row = from_c(cartridge)->sections()[index];
    out[0] = row.id;
    out[1] = row.flags;
    out[2] = row.offset;
    out[3] = row.length;
    return 1;
}

}  // extern "C"
