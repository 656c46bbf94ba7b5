#include "naive/records.h"

#include <optional>

#include "crayon/crayon.h"

namespace crayon::naive {

namespace {

struct Line {
    std::string_view text;  // without its end
    std::uint64_t begin, end;
    bool has_end;
};

std::vector<Line> lines_of(std::string_view file) {
    std::vector<Line> lines;
    for (std::size_t at = file.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < file.size();) {
        const std::size_t feed = file.find('\n', at);
        const std::size_t end = feed == file.npos ? file.size() : feed;
        std::string_view text = file.substr(at, end - at);
        if (text.ends_with('\r')) text.remove_suffix(1);
        lines.push_back({text, at, end, feed != file.npos});
        at = end + 1;
    }
    return lines;
}

bool is_sequence(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*' || c == '-' || c == '.'; }
bool is_quality(char c) { return c >= 33 && c <= 126; }
bool is_header(char c) { return c != '\0'; }

struct Wrong {
    std::uint32_t reason;
    std::uint64_t position;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Where the blanks end that begin at a byte of a line.
std::size_t after_blanks(const Line& line, std::size_t at) {
    while (at < line.text.size() && is_blank(line.text[at])) ++at;
    return at;
}

// What is wrong with a byte that may only be a blank before the line's end; nothing if it is.
std::optional<Wrong> wrong_unless_end(const Line& line, std::size_t at, std::uint32_t reason) {
    const std::size_t rest = after_blanks(line, at);
    if (rest == line.text.size()) return {};
    if (line.text[rest] == '\r') return Wrong{CRAYON_RECORD_LINE_END, line.begin + rest};
    return Wrong{reason, line.begin + at};
}

// The first byte of a line, from `from` on, that violates the format.
template <class Is>
std::optional<Wrong> wrong_in(const Line& line, std::size_t from, Is is, std::uint32_t reason) {
    for (std::size_t i = from; i < line.text.size(); ++i) {
        if (line.text[i] == '\r') return Wrong{CRAYON_RECORD_LINE_END, line.begin + i};
        if (!is(line.text[i])) return wrong_unless_end(line, i, reason);
    }
    return {};
}

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

Records failed(Records so_far, const Wrong& wrong) {
    so_far.record = so_far.records.size();
    so_far.reason = wrong.reason;
    so_far.position = wrong.position;
    return so_far;
}

// A line that should be the header of a record.
std::optional<Wrong> wrong_header(const Line& line, char first) {
    if (line.text[0] != first) return wrong_unless_end(line, 0, CRAYON_RECORD_NO_HEADER);
    return wrong_in(line, 1, is_header, CRAYON_RECORD_HEADER_BYTE);
}

}  // namespace

Records read_fasta(std::string_view file) {
    Records all;
    std::optional<Record> open;
    for (const Line& line : lines_of(file)) {
        if (without_blanks(line.text).empty()) continue;
        if (open && line.text[0] != '>') {
            if (auto wrong = wrong_in(line, 0, is_sequence, CRAYON_RECORD_SEQUENCE_BYTE)) return failed(all, *wrong);
            open->sequence += without_blanks(line.text);
            continue;
        }
        if (open) all.records.push_back(*open);
        if (auto wrong = wrong_header(line, '>')) return failed(all, *wrong);
        open = Record{std::string(line.text.substr(1)), "", "", line.begin};
    }
    if (open) all.records.push_back(*open);
    all.record = all.records.size();
    return all;
}

Records read_fastq(std::string_view file) {
    Records all;
    const std::vector<Line> lines = lines_of(file);
    const auto truncated = [&] { return failed(all, {CRAYON_RECORD_TRUNCATED, file.size()}); };
    std::size_t at = 0;
    while (at < lines.size()) {
        if (without_blanks(lines[at].text).empty()) {
            ++at;
            continue;
        }
        if (auto wrong = wrong_header(lines[at], '@')) return failed(all, *wrong);
        Record record{std::string(lines[at].text.substr(1)), "", "", lines[at].begin};
        std::size_t sequence_lines = 0;
        for (++at; at < lines.size() && !lines[at].text.starts_with('+'); ++at) {
            const Line& line = lines[at];
            if (without_blanks(line.text).empty()) continue;
            if (auto wrong = wrong_in(line, 0, is_sequence, CRAYON_RECORD_SEQUENCE_BYTE)) {
                const bool has_no_plus = !record.sequence.empty() && wrong->position == line.begin;
                if (has_no_plus && wrong->reason != CRAYON_RECORD_LINE_END) wrong->reason = CRAYON_RECORD_NO_PLUS;
                return failed(all, *wrong);
            }
            record.sequence += without_blanks(line.text);
            ++sequence_lines;
        }
        if (at == lines.size()) return truncated();
        const Line& plus = lines[at];
        std::size_t plus_size = plus.text.size();
        for (std::size_t i = 1; i < plus.text.size(); ++i) {
            const char c = plus.text[i];
            const bool may_end = i > record.header.size() || (i == 1 && c != record.header[0]);
            if (may_end && is_blank(c)) {
                if (auto wrong = wrong_unless_end(plus, i, CRAYON_RECORD_PLUS_HEADER)) return failed(all, *wrong);
                plus_size = i;
                break;
            }
            if (c == '\r') return failed(all, {CRAYON_RECORD_LINE_END, plus.begin + i});
            if (c == '\0') return failed(all, {CRAYON_RECORD_HEADER_BYTE, plus.begin + i});
            if (i > record.header.size() || c != record.header[i - 1]) {
                return failed(all, {CRAYON_RECORD_PLUS_HEADER, plus.begin + i});
            }
        }
        if (!plus.has_end && !record.sequence.empty()) return truncated();
        if (plus_size > 1 && plus_size - 1 < record.header.size()) {
            return failed(all, {CRAYON_RECORD_PLUS_HEADER, plus.end});
        }
        ++at;
        while (record.quality.size() < record.sequence.size()) {
            if (at == lines.size()) return truncated();
            const Line& line = lines[at++];
            for (std::size_t i = 0; i < line.text.size(); ++i) {
                const char c = line.text[i];
                if (c == '\r') return failed(all, {CRAYON_RECORD_LINE_END, line.begin + i});
                const bool is_more = record.quality.size() == record.sequence.size();
                if (is_blank(c)) {
                    const std::uint32_t reason = is_more ? CRAYON_RECORD_QUALITY_LONG : CRAYON_RECORD_QUALITY_BYTE;
                    if (auto wrong = wrong_unless_end(line, i, reason)) return failed(all, *wrong);
                    break;
                }
                if (is_more) return failed(all, {CRAYON_RECORD_QUALITY_LONG, line.begin + i});
                if (!is_quality(c)) return failed(all, {CRAYON_RECORD_QUALITY_BYTE, line.begin + i});
                record.quality += c;
            }
            if (record.quality.size() == record.sequence.size()) break;
            if (!line.has_end) return truncated();
            if (sequence_lines < 2) return failed(all, {CRAYON_RECORD_QUALITY_SHORT, line.end});
        }
        all.records.push_back(record);
    }
    all.record = all.records.size();
    return all;
}

}  // namespace crayon::naive
