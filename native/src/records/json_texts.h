// Takes the text at a path of keys out of lines of JSON.
//
//   {"id":7,"text":"one\ntwo","meta":{"text":"no"}}↵     path "text": one, a line break, two
//
// Lines that are anything but such an object are left to the host, whose own reader decides what they are: lines that are not
// JSON, or have no string there; a key with an escape where it could be one of the path's; arrays on the path; deep nesting. So a
// text that is taken is the one that any reader of JSON finds, the last of several equal keys included. Lone surrogates, which
// only escapes can write, become U+FFFD.
#pragma once

#include "base/integers.h"
#include "kernels/kernel.h"

namespace crayon {

class JsonTexts {
public:
    static constexpr u32 kMostKeys = 16;

    struct Path {
        const u8* keys[kMostKeys];
        u32 lengths[kMostKeys];
        u32 count;
    };
    struct Row {
        u32 line;    // where its line begins
        u32 length;  // of its text
    };
    struct Output {
        u8* bytes;      // as many as the input has
        u32 max_bytes;  // no more lines are read once it has these
        Row* rows;
        u32 row_capacity;
    };
    struct Progress {
        u32 consumed;  // whole lines
        u32 produced;
        u32 rows;
        u32 empty;   // texts of no bytes, which have no row
        bool stuck;  // the next line is left to the host
    };

    JsonTexts(const Kernel& kernel, const Path& path) : kernel_(*kernel.records), path_(path) {}

    // The input is UTF-8, at most 2^31 bytes, and ends with a line feed or not; a line without one is left to the host.
    Progress read(const u8* input, u32 length, const Output& output);

private:
    bool line();
    bool object(u32 matched, u32 depth);
    bool array(u32 depth);
    bool value(u32 matched, u32 depth);
    bool key(u32 matched, bool* is_next);
    size_t span(const u8* from) const;
    bool skip_string();
    bool take_text();
    bool escape(u8** out);
    bool unit_escape(u8** out);
    bool number();
    bool digits();
    bool literal(const char* word, u32 length);
    void skip_blanks();
    bool is_at(u8 byte) const;
    bool take(u8 byte);

    const RecordKernel& kernel_;
    const Path& path_;

    const u8* at_ = nullptr;
    const u8* end_ = nullptr;
    // Of the current line.
    u8* text_ = nullptr;
    u32 text_length_ = 0;
    bool found_ = false;
};

}  // namespace crayon
