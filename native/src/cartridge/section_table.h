// The checked header and section table of a cartridge: the first part of the validator. The other parts look up their
// sections here.
//
// Invariant: every section of the table is inside the file, at a multiple of 64, without gaps or overlaps.
#pragma once

#include <span>

#include "base/integers.h"
#include "base/status.h"
#include "crayon/layout/cartridge.h"

namespace crayon {

// The location of a section in the file. Length and offset are 0 if it is missing.
struct SectionRange {
    u32 id = 0;
    u64 offset = 0;
    u64 length = 0;

    bool present() const { return offset != 0; }
    u64 end() const { return offset + length; }
};

class SectionTable {
public:
    // Checks that the bytes are a complete cartridge of this version: NOT_A_CARTRIDGE, UNSUPPORTED_VERSION, TRUNCATED, or
    // CORRUPT_STRUCTURE if there are more bytes than the header says. Never reads past `length`, for any input.
    static Status identify(const u8* data, u64 length);

    // Checks the rest of the header, every row, and the zeros between the sections. After identify().
    Status read(const u8* data, u64 length);

    std::span<const layout::Section> rows() const { return rows_; }
    SectionRange find(layout::SectionId id) const;
    // The first byte after the rows.
    u64 end() const { return sizeof(layout::Header) + rows_.size_bytes(); }

private:
    Status check_row(const u8* data, u64 length, u32 row, u64* end) const;

    std::span<const layout::Section> rows_;
};

// The first byte of data[begin, end) that is not zero, or `end`.
u64 first_nonzero(const u8* data, u64 begin, u64 end);

constexpr u64 align_up(u64 offset) { return (offset + (layout::kAlignment - 1)) & ~u64{layout::kAlignment - 1}; }

// A format rule is broken at this byte of the file.
inline Status corrupt(u32 section, u64 position) { return {CRAYON_CORRUPT_STRUCTURE, section, position}; }

}  // namespace crayon
