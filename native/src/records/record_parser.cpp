#include "records/record_parser.h"

#include <algorithm>
#include <cstring>

namespace crayon {

struct RecordParser::Buffers {
    const u8* in;
    size_t length;
    size_t at;
    u8* out;
    u8* header;       // start of the last header, if sequences are apart
    size_t capacity;  // left, between the two
    crayon_record_part* parts;
    u32 part_capacity;
    u32 part_count;           // finished parts, without the open one
    crayon_record_part open;  // the current record
    bool is_open;
    u64 begin;  // of the input in the file

    u64 position() const { return begin + at; }
};

Status RecordParser::read(const Input& input, const Output& output, Progress* progress) {
    *progress = {};
    if (!failure_.ok()) return failure_;
    Buffers buffers{input.bytes,
                    input.length,
                    0,
                    output.bytes,
                    output.bytes + output.capacity,
                    output.capacity,
                    output.parts,
                    output.part_capacity,
                    0,
                    {},
                    false,
                    consumed_};
    // A record continued from the previous call.
    if (state_ != State::kBetween) {
        if (output.part_capacity == 0) {
            progress->more = true;
            return {};
        }
        buffers.is_open = true;
        buffers.open.position = static_cast<u32>(record_begin_);
        buffers.open.position_high = static_cast<u32>(record_begin_ >> 32);
    }
    Next next = Next::kGoOn;
    while (next == Next::kGoOn && buffers.at < buffers.length) next = step(buffers);
    if (next == Next::kGoOn && input.last) next = end_file(buffers);
    const crayon_record_part& open = buffers.open;
    if (buffers.is_open && (open.flags | open.header_length | open.sequence_length | open.quality_length) != 0) {
        buffers.parts[buffers.part_count++] = open;
    }
    consumed_ += buffers.at;
    *progress = {buffers.at, output.capacity - buffers.capacity, buffers.part_count, next == Next::kOutputFull};
    return failure_;
}

RecordParser::Next RecordParser::step(Buffers& buffers) {
    constexpr u8 kByteOrderMark[] = {0xEF, 0xBB, 0xBF};
    const u8 byte = buffers.in[buffers.at];
    if (mark_length_ < sizeof kByteOrderMark && mark_length_ == buffers.position()) {
        if (byte == kByteOrderMark[mark_length_]) {
            ++mark_length_;
            ++buffers.at;
            return Next::kGoOn;
        }
        if (mark_length_ > 0) return fail(CRAYON_RECORD_NO_HEADER, 0);
    }
    if (after_return_) {
        if (byte != '\n') return fail(CRAYON_RECORD_LINE_END, buffers.position() - 1);
        after_return_ = false;
    }
    if (byte == '\n') {
        const u64 position = buffers.position();
        ++buffers.at;
        return end_line(buffers, position);
    }
    if (byte == '\r') {
        ++buffers.at;
        after_return_ = true;
        return Next::kGoOn;
    }
    if (blank_reason_ != 0) return byte == ' ' || byte == '\t' ? skip_blank(buffers) : fail(blank_reason_, blank_position_);
    switch (state_) {
        case State::kBetween:
            return step_between(buffers);
        case State::kHeader:
            return step_header(buffers);
        case State::kSequence:
            return step_sequence(buffers);
        case State::kPlus:
            return step_plus(buffers);
        case State::kQuality:
            return step_quality(buffers);
        default:
            return fail_unless_blank(buffers, CRAYON_RECORD_QUALITY_LONG);
    }
}

RecordParser::Next RecordParser::step_between(Buffers& buffers) {
    const u8 first = format_ == RecordFormat::kFasta ? '>' : '@';
    if (buffers.in[buffers.at] != first) return fail_unless_blank(buffers, CRAYON_RECORD_NO_HEADER);
    if (buffers.part_count == buffers.part_capacity) return Next::kOutputFull;
    record_begin_ = buffers.position();
    buffers.open = {CRAYON_RECORD_BEGINS, 0, 0, 0, static_cast<u32>(record_begin_), static_cast<u32>(record_begin_ >> 32)};
    buffers.is_open = true;
    ++buffers.at;
    state_ = State::kHeader;
    header_.clear();
    header_length_ = plus_length_ = 0;
    sequence_length_ = quality_length_ = 0;
    sequence_lines_ = 0;
    return Next::kGoOn;
}

RecordParser::Next RecordParser::step_header(Buffers& buffers) {
    const u8* const bytes = buffers.in + buffers.at;
    const size_t count = kernel_.header_span(bytes, buffers.length - buffers.at);
    if (count == 0) return fail_here(buffers, CRAYON_RECORD_HEADER_BYTE);
    if (buffers.capacity == 0) return Next::kOutputFull;
    const u32 copied = copy_header(buffers, count);
    header_length_ += copied;
    if (header_length_ > kMaxHeader) return fail(CRAYON_RECORD_HEADER_LONG, record_begin_);
    if (format_ == RecordFormat::kFasta) return Next::kGoOn;
    if (!header_.resize(header_length_)) {
        failure_ = Status::out_of_memory();
        return Next::kFailed;
    }
    std::memcpy(header_.data() + header_length_ - copied, bytes, copied);
    return Next::kGoOn;
}

RecordParser::Next RecordParser::step_sequence(Buffers& buffers) {
    const u8 byte = buffers.in[buffers.at];
    const bool is_fasta = format_ == RecordFormat::kFasta;
    if (line_start_ && byte == (is_fasta ? u8{'>'} : u8{'+'})) {
        if (is_fasta) {
            end_record(buffers);
            state_ = State::kBetween;
            ++record_;
        } else {
            ++buffers.at;
            line_start_ = false;
            state_ = State::kPlus;
        }
        return Next::kGoOn;
    }
    if (is_fasta) {
        const CopiedLines copied =
            kernel_.sequence_lines(buffers.in + buffers.at, buffers.length - buffers.at, buffers.out, buffers.capacity);
        if (copied.read > 0) {
            buffers.at += copied.read;
            buffers.out += copied.written;
            buffers.capacity -= copied.written;
            buffers.open.sequence_length += static_cast<u32>(copied.written);
            line_start_ = buffers.in[buffers.at - 1] == '\n';
            return Next::kGoOn;
        }
        if (kernel_.sequence_span(buffers.in + buffers.at, 1) == 1) return Next::kOutputFull;
        return fail_unless_blank(buffers, CRAYON_RECORD_SEQUENCE_BYTE);
    }
    const size_t count = kernel_.sequence_span(buffers.in + buffers.at, buffers.length - buffers.at);
    if (count == 0) {
        const bool has_no_plus = line_start_ && sequence_length_ > 0;
        return fail_unless_blank(buffers, has_no_plus ? CRAYON_RECORD_NO_PLUS : CRAYON_RECORD_SEQUENCE_BYTE);
    }
    if (buffers.capacity == 0) return Next::kOutputFull;
    if (line_start_ && sequence_lines_ < 2) ++sequence_lines_;
    line_start_ = false;
    sequence_length_ += copy(buffers, count, buffers.open.sequence_length);
    return Next::kGoOn;
}

// The second header must be empty or equal to the first.
RecordParser::Next RecordParser::step_plus(Buffers& buffers) {
    const u8* const bytes = buffers.in + buffers.at;
    const size_t count = kernel_.header_span(bytes, buffers.length - buffers.at);
    const size_t rest = std::min<size_t>(count, header_length_ - plus_length_);
    for (size_t i = 0; i < rest; ++i) {
        if (bytes[i] == header_[plus_length_ + i]) continue;
        if (plus_length_ + i == 0) return fail_unless_blank(buffers, CRAYON_RECORD_PLUS_HEADER);
        return fail(CRAYON_RECORD_PLUS_HEADER, buffers.position() + i);
    }
    buffers.at += rest;
    plus_length_ += static_cast<u32>(rest);
    if (rest < count) return fail_unless_blank(buffers, CRAYON_RECORD_PLUS_HEADER);
    return count > 0 ? Next::kGoOn : fail_here(buffers, CRAYON_RECORD_HEADER_BYTE);
}

RecordParser::Next RecordParser::step_quality(Buffers& buffers) {
    const size_t count = kernel_.quality_span(buffers.in + buffers.at, buffers.length - buffers.at);
    if (count == 0) return fail_unless_blank(buffers, CRAYON_RECORD_QUALITY_BYTE);
    const size_t wanted = static_cast<size_t>(std::min<u64>(count, sequence_length_ - quality_length_));
    if (is_apart_) {
        buffers.at += wanted;
        quality_length_ += wanted;
    } else {
        if (buffers.capacity == 0) return Next::kOutputFull;
        quality_length_ += copy(buffers, wanted, buffers.open.quality_length);
    }
    line_start_ = false;
    if (quality_length_ == sequence_length_) state_ = State::kQualityEnd;
    return Next::kGoOn;
}

// A line has ended, at `position`.
RecordParser::Next RecordParser::end_line(Buffers& buffers, u64 position) {
    line_start_ = true;
    blank_reason_ = 0;
    switch (state_) {
        case State::kBetween:
            return Next::kGoOn;
        case State::kHeader:
        case State::kSequence:
            state_ = State::kSequence;
            return Next::kGoOn;
        case State::kPlus:
            if (plus_length_ != 0 && plus_length_ != header_length_) {
                return fail(CRAYON_RECORD_PLUS_HEADER, position);
            }
            state_ = State::kQuality;
            if (sequence_length_ > 0) return Next::kGoOn;
            break;
        case State::kQuality:
            // If the sequence is one line, the qualities are too, so a line that is too short is detected at once.
            return sequence_lines_ < 2 ? fail(CRAYON_RECORD_QUALITY_SHORT, position) : Next::kGoOn;
        case State::kQualityEnd:
            break;
    }
    end_record(buffers);
    state_ = State::kBetween;
    ++record_;
    return Next::kGoOn;
}

RecordParser::Next RecordParser::end_file(Buffers& buffers) {
    after_return_ = false;
    switch (state_) {
        case State::kBetween:
            if (mark_length_ > 0 && buffers.position() < 3) return fail(CRAYON_RECORD_NO_HEADER, 0);
            return Next::kGoOn;
        case State::kHeader:
        case State::kSequence:
            if (format_ == RecordFormat::kFastq) break;
            end_record(buffers);
            state_ = State::kBetween;
            ++record_;
            return Next::kGoOn;
        case State::kPlus:
            if (sequence_length_ == 0) return end_line(buffers, buffers.position());
            break;
        case State::kQuality:
            break;
        case State::kQualityEnd:
            return end_line(buffers, buffers.position());
    }
    return fail_here(buffers, CRAYON_RECORD_TRUNCATED);
}

u32 RecordParser::copy(Buffers& buffers, size_t count, u32& length) {
    const u32 copied = static_cast<u32>(std::min(count, buffers.capacity));
    std::memcpy(buffers.out, buffers.in + buffers.at, copied);
    buffers.at += copied;
    buffers.out += copied;
    buffers.capacity -= copied;
    length += copied;
    return copied;
}

// A call writes a part's header in one go: it has all of it, or up to the end of the input or the capacity.
u32 RecordParser::copy_header(Buffers& buffers, size_t count) const {
    if (!is_apart_) return copy(buffers, count, buffers.open.header_length);
    const u32 copied = static_cast<u32>(std::min(count, buffers.capacity));
    buffers.capacity -= copied;
    buffers.header -= copied;
    std::memcpy(buffers.header, buffers.in + buffers.at, copied);
    buffers.at += copied;
    buffers.open.header_length += copied;
    return copied;
}

void RecordParser::end_record(Buffers& buffers) {
    buffers.open.flags |= CRAYON_RECORD_ENDS;
    buffers.parts[buffers.part_count++] = buffers.open;
    buffers.is_open = false;
}

RecordParser::Next RecordParser::fail(u32 reason, u64 position) {
    reason_ = reason;
    failure_ = {CRAYON_INVALID_RECORD, 0, position};
    return Next::kFailed;
}

RecordParser::Next RecordParser::fail_here(const Buffers& buffers, u32 reason) { return fail(reason, buffers.position()); }

RecordParser::Next RecordParser::fail_unless_blank(Buffers& buffers, u32 reason) {
    const u8 byte = buffers.in[buffers.at];
    if (byte != ' ' && byte != '\t') return fail_here(buffers, reason);
    blank_reason_ = reason;
    blank_position_ = buffers.position();
    return skip_blank(buffers);
}

RecordParser::Next RecordParser::skip_blank(Buffers& buffers) {
    ++buffers.at;
    return Next::kGoOn;
}

}  // namespace crayon
