#include "records/json_texts.h"

#include <cstring>

#include "base/utf8.h"

namespace crayon {

namespace {

constexpr u32 kOffPath = ~u32{0};

// Deeper objects and arrays are left to the host.
constexpr u32 kDeepest = 64;

bool is_digit(u8 c) { return c >= '0' && c <= '9'; }

// Four hexadecimal digits; -1 if they are not.
int code_unit(const u8* digits) {
    int unit = 0;
    for (int i = 0; i < 4; ++i) {
        const u8 c = digits[i], letter = c | 0x20;
        if (is_digit(c)) {
            unit = unit << 4 | (c - '0');
        } else if (letter >= 'a' && letter <= 'f') {
            unit = unit << 4 | (letter - 'a' + 10);
        } else {
            return -1;
        }
    }
    return unit;
}

}  // namespace

JsonTexts::Progress JsonTexts::read(const u8* input, u32 length, const Output& output) {
    Progress progress{};
    at_ = input;
    end_ = input + length;
    while (at_ < end_ && progress.produced < output.max_bytes && progress.rows < output.row_capacity) {
        const u8* const begin = at_;
        text_ = output.bytes + progress.produced;
        if (!line()) {
            progress.stuck = true;
            break;
        }
        if (text_length_ == 0) {
            ++progress.empty;
        } else {
            output.rows[progress.rows++] = {static_cast<u32>(begin - input), text_length_};
            progress.produced += text_length_;
        }
        progress.consumed = static_cast<u32>(at_ - input);
    }
    return progress;
}

// Reads a line with its end; false: it is left to the host.
bool JsonTexts::line() {
    found_ = false;
    skip_blanks();
    if (!is_at('{') || !object(0, 1) || !found_) return false;
    skip_blanks();
    return take('\n');
}

// `matched`: how many keys of the path lead here, or kOffPath.
bool JsonTexts::object(u32 matched, u32 depth) {
    if (depth > kDeepest) return false;
    ++at_;
    skip_blanks();
    if (take('}')) return true;
    for (;;) {
        bool is_next = false;
        skip_blanks();
        if (!key(matched, &is_next)) return false;
        skip_blanks();
        if (!take(':')) return false;
        skip_blanks();
        // What an equal key before this one had is void.
        if (is_next) found_ = false;
        if (is_next && matched + 1 == path_.count && is_at('"')) {
            if (!take_text()) return false;
            found_ = true;
        } else if (!value(is_next && matched + 1 < path_.count ? matched + 1 : kOffPath, depth)) {
            return false;
        }
        skip_blanks();
        if (take('}')) return true;
        if (!take(',')) return false;
    }
}

bool JsonTexts::array(u32 depth) {
    if (depth > kDeepest) return false;
    ++at_;
    skip_blanks();
    if (take(']')) return true;
    for (;;) {
        skip_blanks();
        if (!value(kOffPath, depth)) return false;
        skip_blanks();
        if (take(']')) return true;
        if (!take(',')) return false;
    }
}

bool JsonTexts::value(u32 matched, u32 depth) {
    if (at_ == end_) return false;
    switch (*at_) {
        case '{':
            return object(matched, depth + 1);
        case '[':
            return array(depth + 1);
        case '"':
            return skip_string();
        case 't':
            return literal("true", 4);
        case 'f':
            return literal("false", 5);
        case 'n':
            return literal("null", 4);
        default:
            return number();
    }
}

bool JsonTexts::key(u32 matched, bool* is_next) {
    if (!is_at('"')) return false;
    const u8* const begin = at_ + 1;
    if (matched == kOffPath) return skip_string();
    const size_t length = span(begin);
    // With an escape, it may be the path's.
    if (begin + length == end_ || begin[length] != '"') return false;
    at_ = begin + length + 1;
    *is_next = length == path_.lengths[matched] && std::memcmp(begin, path_.keys[matched], length) == 0;
    return true;
}

// The bytes up to a quotation mark, a backslash, or a byte that no string has.
size_t JsonTexts::span(const u8* from) const { return kernel_.string_span(from, static_cast<size_t>(end_ - from)); }

bool JsonTexts::skip_string() {
    ++at_;
    for (;;) {
        at_ += span(at_);
        if (take('"')) return true;
        u8 ignored[8];
        u8* out = ignored;
        if (!is_at('\\') || !escape(&out)) return false;
    }
}

bool JsonTexts::take_text() {
    ++at_;
    u8* out = text_;
    for (;;) {
        const size_t length = span(at_);
        if (length > 0) std::memcpy(out, at_, length);
        at_ += length;
        out += length;
        if (take('"')) break;
        if (!is_at('\\') || !escape(&out)) return false;
    }
    text_length_ = static_cast<u32>(out - text_);
    return true;
}

// Writes what an escape stands for, at most as many bytes as it has.
bool JsonTexts::escape(u8** out) {
    if (end_ - at_ < 2) return false;
    const u8 letter = at_[1];
    u8 byte = 0;
    switch (letter) {
        case '"':
        case '\\':
        case '/':
            byte = letter;
            break;
        case 'b':
            byte = '\b';
            break;
        case 'f':
            byte = '\f';
            break;
        case 'n':
            byte = '\n';
            break;
        case 'r':
            byte = '\r';
            break;
        case 't':
            byte = '\t';
            break;
        case 'u':
            return unit_escape(out);
        default:
            return false;
    }
    *(*out)++ = byte;
    at_ += 2;
    return true;
}

bool JsonTexts::unit_escape(u8** out) {
    const int unit = end_ - at_ < 6 ? -1 : code_unit(at_ + 2);
    if (unit < 0) return false;
    at_ += 6;
    u32 point = static_cast<u32>(unit);
    if (point >= 0xD800 && point <= 0xDFFF) {
        const bool is_high = point <= 0xDBFF && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u';
        const int low = is_high ? code_unit(at_ + 2) : -1;
        if (low >= 0xDC00 && low <= 0xDFFF) {
            at_ += 6;
            point = 0x10000 + ((point - 0xD800) << 10) + static_cast<u32>(low - 0xDC00);
        } else {
            point = 0xFFFD;
        }
    }
    *out += put_utf8(point, *out);
    return true;
}

bool JsonTexts::number() {
    (void)take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) (void)take('-');
    return digits();
}

bool JsonTexts::digits() {
    const u8* const begin = at_;
    while (at_ < end_ && is_digit(*at_)) ++at_;
    return at_ > begin;
}

bool JsonTexts::literal(const char* word, u32 length) {
    if (static_cast<size_t>(end_ - at_) < length || std::memcmp(at_, word, length) != 0) return false;
    at_ += length;
    return true;
}

// Not line feeds, which end the line.
void JsonTexts::skip_blanks() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
}

bool JsonTexts::is_at(u8 byte) const { return at_ < end_ && *at_ == byte; }

bool JsonTexts::take(u8 byte) {
    if (!is_at(byte)) return false;
    ++at_;
    return true;
}

}  // namespace crayon
