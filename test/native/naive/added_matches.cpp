#include "naive/added_matches.h"

#include <string_view>

namespace crayon::naive {

std::vector<Part> added_matches(const std::string& text, const std::vector<Addition>& tokens) {
    const Characters characters = decode_utf8(text);
    const Properties white_space = properties_named("White_Space");
    const auto space_at = [&](std::size_t i) { return (properties_of(characters.code_points[i]) & white_space) != 0; };
    std::vector<Part> parts;
    std::size_t previous = 0;
    for (std::size_t at = 0; at < text.size();) {
        int longest = -1;
        for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
            const std::string& bytes = tokens[i].bytes;
            if (text.compare(at, bytes.size(), bytes) != 0) continue;
            if (longest < 0 || bytes.size() > tokens[longest].bytes.size()) longest = i;
        }
        if (longest < 0) {
            ++at;
            continue;
        }
        std::size_t begin = at, end = at + tokens[longest].bytes.size();
        at = end;
        if (tokens[longest].lstrip) {
            for (std::size_t i = characters.code_points.size(); i-- > 0;) {
                if (characters.offsets[i + 1] == begin && space_at(i)) begin = characters.offsets[i];
            }
            if (begin < previous) begin = previous;
        }
        if (tokens[longest].rstrip) {
            for (std::size_t i = 0; i < characters.code_points.size(); ++i) {
                if (characters.offsets[i] == end && space_at(i)) end = characters.offsets[i + 1];
            }
        }
        if (previous < begin) parts.push_back({previous, begin, -1});
        parts.push_back({begin, end, longest});
        previous = end;
    }
    if (previous < text.size()) parts.push_back({previous, text.size(), -1});
    return parts;
}

}  // namespace crayon::naive
