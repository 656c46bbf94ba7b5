/* Cartridges: files that are opened and checked, and texts in files. */
#pragma once

#include "crayon/api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CRAYON_OPEN_NO_CHECKSUM = 1, /* skip the checksum; the structure is validated all the same */
    CRAYON_OPEN_COPY = 2         /* read the file into private memory instead of mapping it */
};

/* Opens a cartridge file. A file that this process has open already is shared (same device, inode, size, mtime and ctime, and
   not changed within the last milliseconds). `path` is UTF-8. Cost: one pass over the file the first time, microseconds
   afterwards. A slim file takes about 0.1 s the first time: it is expanded in private memory. */
CRAYON_API crayon_status crayon_cartridge_open_file(CRAYON_READS(path_length) const char* path, uint32_t path_length,
                                                    uint32_t flags, crayon_cartridge** out, crayon_result* result);
/* The same from bytes in memory, which are copied. */
CRAYON_API crayon_status crayon_cartridge_open_bytes(CRAYON_READS(length) const void* bytes, uint32_t length, uint32_t flags,
                                                     crayon_cartridge** out, crayon_result* result);
/* Opens a file of version 2, a `.dat`: the double array of a longest-match vocabulary and nothing else. Its arrays are
   used in place; the byte strings in it are the tokens.
   The list (the `.json` beside the file, strings as UTF-8) has the tokens of the ids that the trie does not hold: token
   i is token_bytes[token_offsets[i], token_offsets[i + 1]). For an id that the trie holds, the list must have the same
   token or an empty one, unless the token contains U+FFFD, which stands for lost bytes. token_count 0: there is no
   list, and all tokens come from the trie.
   `unknown_id` (0xFFFFFFFF: none) is the id of a character at which no token begins. With CRAYON_UNKNOWN_BYTES added, each byte
   of that character gets the id, as in CRAYON's own engine. The file has one view, "default", with the pretokenizer "none" and
   no added tokens; its metadata is {}. Version 2 has no checksum. An invalid file is refused with CORRUPT_STRUCTURE (`section`
   0, the byte of the file in `position`) before any of it is used; an invalid list with INVALID_ARGUMENT and the index of the
   token in `position`. Cost: a pass over the file; for a file that this process has open already with the same list and unknown
   id, microseconds and a pass over the list. */
#define CRAYON_UNKNOWN_BYTES 0x40000000u
CRAYON_API crayon_status crayon_cartridge_open_dat_file(CRAYON_READS(path_length) const char* path, uint32_t path_length,
                                                        uint32_t flags, CRAYON_READS(byte_count) const uint8_t* token_bytes,
                                                        uint32_t byte_count,
                                                        CRAYON_READS(token_count + 1) const uint32_t* token_offsets,
                                                        uint32_t token_count, uint32_t unknown_id, crayon_cartridge** out,
                                                        crayon_result* result);
CRAYON_API crayon_status crayon_cartridge_open_dat_bytes(CRAYON_READS(length) const void* bytes, uint32_t length, uint32_t flags,
                                                         CRAYON_READS(byte_count) const uint8_t* token_bytes, uint32_t byte_count,
                                                         CRAYON_READS(token_count + 1) const uint32_t* token_offsets,
                                                         uint32_t token_count, uint32_t unknown_id, crayon_cartridge** out,
                                                         crayon_result* result);
CRAYON_API void crayon_cartridge_release(crayon_cartridge* cartridge);

/* Views: the named tokenizers in the file (o200k_base, o200k_harmony). NULL past the last one. Not NUL-terminated. */
CRAYON_API const char* crayon_cartridge_view_name(const crayon_cartridge* cartridge, uint32_t index, uint32_t* length)
    CRAYON_RETURNS(*length);
/* The metadata section: one JSON object, UTF-8, not NUL-terminated. */
CRAYON_API const char* crayon_cartridge_metadata(const crayon_cartridge* cartridge, uint32_t* length) CRAYON_RETURNS(*length);
/* Row `index` of the section table: out = {id, flags, offset, length}; returns 0 past the last one, else 1. */
CRAYON_API uint32_t crayon_cartridge_section(const crayon_cartridge* cartridge, uint32_t index, uint32_t out[4]);

#ifdef __cplusplus
}
#endif
