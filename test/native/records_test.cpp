// FASTA and FASTQ: the records of a naive line reader, however input and output are divided, on every kernel.
#include "records/record_parser.h"

#include "generate_text.h"
#include "kernels.h"
#include "naive/records.h"
#include "share.h"

namespace crayon::test::records_test {
namespace {

using naive::Record;
using naive::Records;

// Sizes for the calls of a reader, repeated cyclically.
struct Sizes {
    std::vector<size_t> list;
    size_t next(size_t call) const { return list[call % list.size()]; }
};

// Reads a file with inputs, outputs and lists of parts of these sizes. Every buffer is exactly as long as stated, so that a
// sanitizer detects access outside it.
Records read(RecordFormat format, const Kernel& kernel, std::string_view file, const Sizes& inputs, const Sizes& outputs,
             const Sizes& part_counts, bool is_apart = false) {
    RecordParser parser(format, kernel, is_apart);
    Records all;
    Record open{};
    bool is_open = false;
    size_t at = 0, end = 0;
    bool more = false;
    for (size_t call = 0; call < 20 * file.size() + 1000; ++call) {
        if (at == end) end = std::min(file.size(), at + inputs.next(call));
        const bool last = end == file.size();
        const std::vector<u8> input(file.begin() + static_cast<std::ptrdiff_t>(at),
                                    file.begin() + static_cast<std::ptrdiff_t>(end));
        std::vector<u8> bytes(outputs.next(call));
        std::vector<crayon_record_part> parts(part_counts.next(call));
        RecordParser::Progress progress{};
        const Status status = parser.read({input.data(), input.size(), last},
                                          {bytes.data(), bytes.size(), parts.data(), static_cast<u32>(parts.size())}, &progress);
        const u8* from = bytes.data();
        const u8* headers = bytes.data() + bytes.size();
        const auto take_header = [&](u32 length) {
            headers -= length;
            return std::string(headers, headers + length);
        };
        const auto take = [&](u32 length) {
            const std::string taken(from, from + length);
            from += length;
            return taken;
        };
        for (u32 i = 0; i < progress.parts; ++i) {
            const crayon_record_part& part = parts[i];
            const u64 position = part.position | u64{part.position_high} << 32;
            EXPECT_EQ((part.flags & CRAYON_RECORD_BEGINS) != 0, !is_open);
            if (!is_open) open = {"", "", "", position};
            EXPECT_EQ(open.position, position);
            open.header += is_apart ? take_header(part.header_length) : take(part.header_length);
            open.sequence += take(part.sequence_length);
            open.quality += take(part.quality_length);
            is_open = (part.flags & CRAYON_RECORD_ENDS) == 0;
            if (!is_open) all.records.push_back(open);
        }
        EXPECT_EQ(from + (bytes.data() + bytes.size() - headers), bytes.data() + progress.produced);
        EXPECT_LE(from, headers);
        at += progress.consumed;
        EXPECT_LE(at, end);
        more = progress.more;
        if (!status.ok()) {
            EXPECT_EQ(status.code, static_cast<u32>(CRAYON_INVALID_RECORD));
            all.reason = parser.reason();
            all.record = parser.record();
            all.position = status.position;
            // It keeps failing, without any output.
            EXPECT_EQ(
                parser.read({input.data(), input.size(), last}, {bytes.data(), bytes.size(), parts.data(), 1}, &progress).code,
                status.code);
            EXPECT_EQ(progress.parts, 0u);
            return all;
        }
        EXPECT_TRUE(more || at == end) << "input is left without a reason";
        if (last && !more) {
            EXPECT_FALSE(is_open);
            all.record = parser.record();
            return all;
        }
    }
    ADD_FAILURE() << "it does not end";
    return all;
}

Records naive_of(RecordFormat format, std::string_view file) {
    return format == RecordFormat::kFasta ? naive::read_fasta(file) : naive::read_fastq(file);
}

std::string shown(const Records& records) {
    std::string text;
    for (const Record& record : records.records) {
        text += std::to_string(record.position) + " [" + record.header + "] [" + record.sequence + "] [" + record.quality + "]\n";
    }
    return text + "reason " + std::to_string(records.reason) + " in " + std::to_string(records.record) + " at " +
           std::to_string(records.position);
}

void expect_same(RecordFormat format, const Kernel& kernel, const std::string& file, const Sizes& inputs, const Sizes& outputs,
                 const Sizes& parts, const Records& expected) {
    const Records found = read(format, kernel, file, inputs, outputs, parts);
    ASSERT_EQ(found, expected) << "file:\n" << file << "\nfound:\n" << shown(found) << "\nexpected:\n" << shown(expected);
    Records without_qualities = expected;
    for (Record& record : without_qualities.records) record.quality.clear();
    const Records apart = read(format, kernel, file, inputs, outputs, parts, true);
    ASSERT_EQ(apart, without_qualities) << "sequences apart, file:\n" << file << "\nfound:\n" << shown(apart);
}

const Sizes kWhole{{8 * 1024}}, kMegabytes{{size_t{20} << 20}}, kFew{{4}}, kManyParts{{64}};

TEST(Records, Known) {
    const auto fasta = [](std::string_view file) {
        return read(RecordFormat::kFasta, *kernel_at(0), file, kWhole, kWhole, kManyParts);
    };
    const auto fastq = [](std::string_view file) {
        return read(RecordFormat::kFastq, *kernel_at(0), file, kWhole, kWhole, kManyParts);
    };
    const auto wrong = [](u32 reason, u64 record, u64 position, std::vector<Record> before = {}) {
        return Records{std::move(before), reason, record, position};
    };
    EXPECT_EQ(fasta(""), (Records{}));
    EXPECT_EQ(fasta(">a b\nAC\nGt\n\n>\n>c"), (Records{{{"a b", "ACGt", "", 0}, {"", "", "", 12}, {"c", "", "", 14}}, 0, 3, 0}));
    EXPECT_EQ(fasta("\r\n>a\r\nA-*.\r\nN\n"), (Records{{{"a", "A-*.N", "", 2}}, 0, 1, 0}));
    EXPECT_EQ(fasta("ACGT\n>a\n"), wrong(CRAYON_RECORD_NO_HEADER, 0, 0));
    EXPECT_EQ(fasta("; a comment\n>a\n"), wrong(CRAYON_RECORD_NO_HEADER, 0, 0));
    EXPECT_EQ(fasta("\xEF\xBB\xBF>a \nAC \n  \nGT\t \r\n\n"), (Records{{{"a ", "ACGT", "", 3}}, 0, 1, 0}));
    EXPECT_EQ(fasta(" \n>a\nAC  "), (Records{{{"a", "AC", "", 2}}, 0, 1, 0}));
    for (std::string_view part : {"\xEF", "\xEF\xBB", "\xEF\n>a\n", "\xEF\xBB>a\n"}) {
        EXPECT_EQ(fasta(part), wrong(CRAYON_RECORD_NO_HEADER, 0, 0));
    }
    EXPECT_EQ(fastq("@a\nACGT \n+ \nIIII \n \n@b\nA\n+b\t\nI "),
              (Records{{{"a", "ACGT", "IIII", 0}, {"b", "A", "I", 20}}, 0, 2, 0}));
    EXPECT_EQ(fastq("@a\nACGT\n+ b\nIIII\n"), wrong(CRAYON_RECORD_PLUS_HEADER, 0, 9));
    EXPECT_EQ(fasta(">a\nAC GT\n"), wrong(CRAYON_RECORD_SEQUENCE_BYTE, 0, 5));
    EXPECT_EQ(fasta(">a\nA\n>b\nC>\n"), wrong(CRAYON_RECORD_SEQUENCE_BYTE, 1, 9, {{"a", "A", "", 0}}));
    EXPECT_EQ(fasta(">a\rACGT\r"), wrong(CRAYON_RECORD_LINE_END, 0, 2));
    EXPECT_EQ(fastq("@a\nACGT\n+\n@>+I\n"), (Records{{{"a", "ACGT", "@>+I", 0}}, 0, 1, 0}));
    EXPECT_EQ(fastq("@a b\nAC\nGT\n+a b\n@I\n\n+I"), (Records{{{"a b", "ACGT", "@I+I", 0}}, 0, 1, 0}));
    EXPECT_EQ(fastq("@a\n\n+\n\n@b\nA\n+\nI\n"), (Records{{{"a", "", "", 0}, {"b", "A", "I", 7}}, 0, 2, 0}));
    EXPECT_EQ(fastq("@a\nACGT\n+\nIII\n"), wrong(CRAYON_RECORD_QUALITY_SHORT, 0, 13));
    EXPECT_EQ(fastq("@a\nACGT\n+\nIIIII\n"), wrong(CRAYON_RECORD_QUALITY_LONG, 0, 14));
    EXPECT_EQ(fastq("@a\nACGT\n+b\nIIII\n"), wrong(CRAYON_RECORD_PLUS_HEADER, 0, 9));
    EXPECT_EQ(fastq("@a\nACGT\n@b\nIIII\n"), wrong(CRAYON_RECORD_NO_PLUS, 0, 8));
    EXPECT_EQ(fastq("@a\nACGT\n+\nI I"), wrong(CRAYON_RECORD_QUALITY_BYTE, 0, 11));
    EXPECT_EQ(fastq("@a\nACGT\n+\nII"), wrong(CRAYON_RECORD_TRUNCATED, 0, 12));
    EXPECT_EQ(fastq("@a\nACGT\n"), wrong(CRAYON_RECORD_TRUNCATED, 0, 8));
    EXPECT_EQ(fasta(std::string_view(">a\0\n", 4)), wrong(CRAYON_RECORD_HEADER_BYTE, 0, 2));
}

class FileMaker {
public:
    explicit FileMaker(u64 seed) : random_(seed) {}

    // Well formed except for `damage` bytes.
    std::string make(RecordFormat format, u32 records, u32 longest, u32 damage) {
        file_ = random_.one_in(8) ? "\xEF\xBB\xBF" : "";
        for (u32 i = 0; i < records; ++i) {
            if (random_.one_in(8)) end_line(true);
            const std::string header = text(random_.below(random_.one_in(4) ? 100 : 8), " abcXYZ_>@+;|\x01\xC3\xA9\t");
            const u32 length = random_.one_in(6) ? 0 : random_.below(longest);
            const u32 width = random_.one_in(3) ? 1 + random_.below(longest + 1) : 60 + random_.below(11);
            file_ += (format == RecordFormat::kFasta ? ">" : "@") + header;
            end_line();
            wrapped(text(length, random_.one_in(4) ? "ACGTacgtNnRYKM*-." : "ACGT"), width);
            if (format == RecordFormat::kFasta) continue;
            file_ += random_.one_in(3) ? "+" + header : "+";
            end_line(true);
            wrapped(text(length, "!@+>IJKLMNOPQ~#"), width);
        }
        if (random_.one_in(3) && file_.ends_with('\n')) file_.pop_back();
        if (random_.one_in(8) && file_.ends_with('\r')) file_.pop_back();
        for (u32 i = 0; i < damage && !file_.empty(); ++i) harm();
        return file_;
    }

    u32 below(u32 bound) { return random_.below(bound); }
    bool one_in(u32 n) { return random_.one_in(n); }
    Sizes sizes(u32 most) {
        Sizes sizes;
        for (u32 n = 1 + random_.below(5); sizes.list.size() < n;) sizes.list.push_back(1 + random_.below(most));
        return sizes;
    }

private:
    std::string text(u32 length, std::string_view letters) {
        std::string made;
        while (made.size() < length) made += letters[random_.below(static_cast<u32>(letters.size()))];
        return made;
    }
    // Blanks after a header belong to it.
    void end_line(bool may_have_blanks = false) {
        if (may_have_blanks && random_.one_in(20)) file_ += text(1 + random_.below(3), " \t");
        file_ += random_.one_in(3) ? "\r\n" : "\n";
    }
    void wrapped(const std::string& whole, u32 width) {
        size_t at = 0;
        do {
            file_ += whole.substr(at, width);
            at += width;
            end_line(true);
            if (random_.one_in(40)) end_line(true);
        } while (at < whole.size());
    }
    void harm() {
        const size_t at = random_.below(static_cast<u32>(file_.size()));
        static constexpr std::string_view kBytes(
            "\0\r\n\x01 >@+;\xFF"
            "1AI",
            13);
        const char byte = kBytes[random_.below(kBytes.size())];
        switch (random_.below(4)) {
            case 0:
                file_[at] = byte;
                break;
            case 1:
                file_.insert(at, 1, byte);
                break;
            case 2:
                file_.erase(at, 1 + random_.below(3));
                break;
            default:
                file_.resize(at);
        }
    }

    Random random_;
    std::string file_;
};

constexpr RecordFormat kFormats[] = {RecordFormat::kFasta, RecordFormat::kFastq};

// Every offset at which to divide a short input, and every small size of both outputs.
TEST(Records, EverySplit) {
    FileMaker maker(1);
    u64 whole = 0, damaged = 0;
    for (u64 round = 0; round < sample(60, 8); ++round) {
        const RecordFormat format = kFormats[round % 2];
        const std::string file = maker.make(format, 1 + maker.below(3), round % 4 == 3 ? 150 : 12, maker.below(2));
        const Records expected = naive_of(format, file);
        ++(expected.reason == 0 ? whole : damaged);
        for_each_kernel([&](const Kernel& kernel) {
            for (size_t first = 0; first <= file.size(); ++first) {
                const Sizes inputs{{first, file.size()}};
                expect_same(format, kernel, file, inputs, kWhole, kManyParts, expected);
            }
            for (size_t size = 1; size < 12; ++size) {
                expect_same(format, kernel, file, {{size}}, kWhole, {{1}}, expected);
                expect_same(format, kernel, file, kWhole, {{size}}, kManyParts, expected);
                expect_same(format, kernel, file, {{size}}, {{1}}, {{1, 2}}, expected);
            }
        });
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(whole, 0u);
    EXPECT_GT(damaged, 0u);
}

// Longer files, whose blocks contain everything at every offset, in parts of random sizes.
TEST(Records, Random) {
    FileMaker maker(2);
    u64 reasons[CRAYON_RECORD_TRUNCATED + 1] = {};
    for (u64 round = 0; round < sample(3000); ++round) {
        const RecordFormat format = kFormats[round % 2];
        const std::string file =
            maker.make(format, maker.below(6), 20 + maker.below(700), maker.one_in(2) ? 0 : 1 + maker.below(2));
        const Records expected = naive_of(format, file);
        ++reasons[expected.reason];
        const Sizes inputs = maker.one_in(4) ? kWhole : maker.sizes(400), outputs = maker.one_in(3) ? kWhole : maker.sizes(400),
                    parts = maker.one_in(2) ? kManyParts : maker.sizes(4);
        for_each_kernel([&](const Kernel& kernel) { expect_same(format, kernel, file, inputs, outputs, parts, expected); });
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(reasons[0], 0u);
    // Each kind of damage, except headers that are too long.
    for (u32 reason = 1; reason <= CRAYON_RECORD_TRUNCATED; ++reason) {
        if (share() == 1 && reason != CRAYON_RECORD_HEADER_LONG) {
            EXPECT_GT(reasons[reason], 0u) << reason;
        }
    }
}

TEST(Records, LongestHeader) {
    for (RecordFormat format : kFormats) {
        const char* const rest = format == RecordFormat::kFasta ? "\nA\n" : "\nA\n+\nI\n";
        std::string file(RecordParser::kMaxHeader + 1, 'x');
        file[0] = format == RecordFormat::kFasta ? '>' : '@';
        EXPECT_EQ(read(format, *kernel_at(0), "\n" + file + rest, kMegabytes, kMegabytes, kFew).records.size(), 1u);
        const Records refused = read(format, *kernel_at(0), "\n" + file + "x" + rest, kMegabytes, kMegabytes, kFew);
        EXPECT_EQ(refused.reason, static_cast<u32>(CRAYON_RECORD_HEADER_LONG));
        EXPECT_EQ(refused.position, 1u);
    }
}

// Offsets of more than 32 bits: the same part of a sequence repeated.
TEST(Records, PositionsBeyond32Bits) {
    RecordParser parser(RecordFormat::kFasta, *kernel_at(0));
    constexpr u32 kLength = 1 << 22;
    std::vector<u8> input(kLength, 'A'), bytes(kLength);
    input[0] = '>';
    input[1] = '\n';
    crayon_record_part parts[4];
    RecordParser::Progress progress{};
    for (u32 i = 0; i < 1025; ++i) {
        ASSERT_TRUE(parser.read({input.data(), kLength, false}, {bytes.data(), kLength, parts, 4}, &progress).ok());
        ASSERT_EQ(progress.consumed, kLength);
        input[0] = input[1] = 'A';
    }
    const std::string_view rest = "\n>a\nA\n?";
    const Status status =
        parser.read({reinterpret_cast<const u8*>(rest.data()), rest.size(), true}, {bytes.data(), 64, parts, 4}, &progress);
    const u64 begin = u64{1025} * kLength;
    EXPECT_EQ(status.position, begin + 6);
    ASSERT_EQ(progress.parts, 2u);
    EXPECT_EQ(parts[0].position | u64{parts[0].position_high} << 32, 0u);
    EXPECT_EQ(parts[1].position | u64{parts[1].position_high} << 32, begin + 1);
}

// The C interface: what it validates, and where it writes.
TEST(Records, CInterface) {
    crayon_result result;
    crayon_records* records = nullptr;
    EXPECT_EQ(crayon_records_create(2, nullptr, 0, &records, &result), static_cast<u32>(CRAYON_INVALID_ARGUMENT));
    EXPECT_EQ(crayon_records_create(CRAYON_SEQUENCES_APART | 2, nullptr, 0, &records, &result),
              static_cast<u32>(CRAYON_INVALID_ARGUMENT));
    EXPECT_EQ(crayon_records_create(CRAYON_FASTA, "none", 4, &records, &result), static_cast<u32>(CRAYON_UNKNOWN_KERNEL));
    const std::string_view kernel = crayon_kernel_name(0);
    ASSERT_EQ(crayon_records_create(CRAYON_FASTA, kernel.data(), static_cast<u32>(kernel.size()), &records, &result),
              static_cast<u32>(CRAYON_OK));
    const std::string_view file = ">a\nACGT\n>b\nA?";
    u8 bytes[16];
    crayon_record_part parts[1];
    crayon_records_progress progress;
    const u8* const input = reinterpret_cast<const u8*>(file.data());
    EXPECT_EQ(crayon_records_read(records, nullptr, 1, 0, bytes, 16, parts, 1, &progress, &result),
              static_cast<u32>(CRAYON_INVALID_ARGUMENT));
    EXPECT_EQ(crayon_records_read(records, input, 13, 1, bytes, 16, parts, 1, &progress, &result), static_cast<u32>(CRAYON_OK));
    EXPECT_EQ(result.count, 1u);
    EXPECT_EQ(result.more, 1u);
    EXPECT_EQ(progress.consumed, 8u);
    EXPECT_EQ(progress.produced, 5u);
    EXPECT_EQ(parts[0].flags, static_cast<u32>(CRAYON_RECORD_BEGINS | CRAYON_RECORD_ENDS));
    EXPECT_EQ(crayon_records_read(records, input + 8, 5, 1, bytes, 16, parts, 1, &progress, &result),
              static_cast<u32>(CRAYON_INVALID_RECORD));
    EXPECT_EQ(result.position, 12u);
    EXPECT_EQ(progress.reason, static_cast<u32>(CRAYON_RECORD_SEQUENCE_BYTE));
    EXPECT_EQ(progress.record, 1u);
    crayon_records_release(records);
    crayon_records_release(nullptr);
}

}  // namespace
}  // namespace crayon::test::records_test
