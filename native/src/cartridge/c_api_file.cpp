// crayon_cartridge_open_file and crayon_cartridge_open_dat_file, separate so that a host without a file system links
// neither them nor their dependencies.
#include "base/status.h"
#include "cartridge/registry.h"

using namespace crayon;

extern "C" {

crayon_status crayon_cartridge_open_file(const char* path, uint32_t path_length, uint32_t flags, crayon_cartridge** out,
                                         crayon_result* result) {
    if (out) *out = nullptr;
    if (!path || path_length == 0 || !out || (flags & ~kOpenFlags) != 0) {
        return report(kInvalidArgument, result);
    }
    Cartridge* cartridge = nullptr;
    const Status status = Registry::open_file({path, path_length}, flags, &cartridge);
    *out = to_c(cartridge);
    return report(status, result);
}

crayon_status crayon_cartridge_open_dat_file(const char* path, uint32_t path_length, uint32_t flags, const uint8_t* token_bytes,
                                             uint32_t byte_count, const uint32_t* token_offsets, uint32_t token_count,
                                             uint32_t unknown_id, crayon_cartridge** out, crayon_result* result) {
    if (out) *out = nullptr;
    if (!path || path_length == 0 || !out || (flags & ~kOpenFlags) != 0 ||
        (token_count > 0 && (!token_offsets || (!token_bytes && byte_count > 0)))) {
        return report(kInvalidArgument, result);
    }
    Cartridge* cartridge = nullptr;
    const TokensView tokens = {token_count, 0, token_offsets, token_bytes, byte_count};
    const Status status = Registry::open_dat_file({path, path_length}, flags, {tokens, unknown_id}, &cartridge);
    *out = to_c(cartridge);
    return report(status, result);
}

}  // extern "C"
