// Where Markdown is cut: before headings, between blocks, before list items and table rows; paragraphs are cut like other
// text. Fenced code and tables stay whole if they fit, and a heading is never separated from the text below it.
//
// Of CommonMark, only the beginnings of blocks matter, so lines are read once, front to back, each by its first kLineHead bytes.
#pragma once

#include "base/buffer.h"
#include "limits/text_view.h"

namespace crayon {

class MarkdownCuts {
public:
    // Ranks 1 to 6 are those of headings.
    enum Rank : u32 { kNoCut = 0, kBlock = 7, kItem, kNestedItem, kRow, kInsideBlocks };
    static constexpr size_t kLineHead = 256;

    // A range of the text. Of a fence or table: where the heading above it begins, which should stay with it, or `begin` if it
    // has none; its rank is kBlock if it is a fence. Of a heading: it ends at the text below it. Of a cut: it is empty.
    struct Range {
        u64 begin, end, lead;
        u32 rank;
    };

    struct Line {
        size_t begin, content, end;  // `end`: of the known text; `content`: the first byte that is not blank
        u32 indentation;
    };

    void restart();
    // Reads the lines whose heads are in the text, whose first byte is at `origin` of the whole text. `last`: the whole text ends
    // with it. False if memory is short.
    bool read(const TextView& text, u64 origin, bool last);
    // Nothing before this position will be asked for again.
    void forget(u64 before);

    // The rank of the cut before a line; kNoCut elsewhere.
    u32 rank(u64 at);
    bool is_below_heading(u64 at);
    bool is_in_fence(u64 at) const;
    const Range* block_around(u64 at) const;

private:
    enum class Kind : u8 { kNone, kHeading, kTable, kText };

    bool add_line(const TextView& text, u64 origin, const Line& line);
    bool add_text_line(const TextView& text, u64 origin, const Line& line, Kind before, bool is_apart);
    bool add(u64 at, u32 rank, Kind before);
    bool add_heading(u64 at, u32 rank, Kind before);
    bool end_block(u64 begin, u64 end, bool is_fence);

    u64 read_ = 0;             // everything before has been read
    bool is_in_line_ = false;  // which goes on there
    Buffer<Range> cuts_, headings_;
    size_t near_cut_ = 0, near_heading_ = 0;  // those that were looked at last
    Buffer<Range> blocks_;                    // that have ended
    bool has_fence_ = false;
    u64 fence_ = 0;  // the beginning of the open fence, its mark and their number; as many close it
    u32 fence_mark_ = 0;
    size_t fence_marks_ = 0;
    u64 table_ = 0, line_before_ = 0;
    Kind kind_ = Kind::kNone;  // of the previous line that was not empty
    bool is_apart_ = false;    // a block has ended before the next line
    bool is_in_list_ = false;
};

}  // namespace crayon
