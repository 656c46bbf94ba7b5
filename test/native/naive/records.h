// FASTA and FASTQ, line by line, the whole file at once: the oracle for RecordParser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crayon::naive {

struct Record {
    std::string header, sequence, quality;
    std::uint64_t position;  // of its first byte

    bool operator==(const Record&) const = default;
};

struct Records {
    std::vector<Record> records;  // complete records
    std::uint32_t reason = 0;     // CRAYON_RECORD_…; 0: no error
    std::uint64_t record = 0;     // the damaged one, or the number of records
    std::uint64_t position = 0;

    bool operator==(const Records&) const = default;
};

Records read_fasta(std::string_view file);
Records read_fastq(std::string_view file);

}  // namespace crayon::naive
