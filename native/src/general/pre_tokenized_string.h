// The reference's PreTokenizedString: the splits of a text, each a NormalizedString, some of which are added tokens already.
// Stages rewrite splits and cut them; those that become empty are left out. All splits are parts of one NormalizedText.
#pragma once

#include "general/normalized_string.h"
#include "general/pattern.h"

namespace crayon::general {

struct Split {
    u32 begin, end;  // of the normalized text
    Range original;
    u32 added;  // the index of an added token, or kNoId
};

class PreTokenizedString {
public:
    // Begins a text of UTF-8: one split.
    Status begin(const u8* text, u32 length);
    const Buffer<Split>& splits() const { return splits_; }
    NormalizedString get(const Split& split) const { return get(text_, split); }
    size_t memory() const {
        return 5 * (text_.bytes.capacity() + other_.bytes.capacity()) + splits_.capacity() * sizeof(Split) * 2;
    }

    // Takes the parts that a split becomes, in order. False if memory is short.
    class Parts {
    public:
        // The part [begin, end) of the string.
        bool add(u32 begin, u32 end, u32 added = kNoId) {
            return begin == end || out_.push_back({base_ + begin, base_ + end, string_.slice(begin, end).original, added});
        }
        // All of it: unlike a part, it keeps what it comes from, even if nothing is left of that.
        bool add_whole() { return string_.empty() || out_.push_back({base_, base_ + string_.length, string_.original, kNoId}); }

        const NormalizedString& string() const { return string_; }

    private:
        friend class PreTokenizedString;
        Parts(Buffer<Split>& out, const NormalizedString& string, u32 base) : out_(out), string_(string), base_(base) {}
        Buffer<Split>& out_;
        const NormalizedString& string_;
        const u32 base_;
    };

    // `cut(string, parts)` for each split that is no added token.
    template <class Cut>
    Status split(Cut cut) {
        others_.clear();
        for (const Split& each : splits_) {
            if (each.added != kNoId) {
                if (!others_.push_back(each)) return Status::out_of_memory();
                continue;
            }
            const NormalizedString string = get(each);
            Parts parts(others_, string, each.begin);
            if (Status status = cut(string, parts); !status.ok()) return status;
        }
        splits_.swap(others_);
        return {};
    }
    // The same, but first `rewrite(normalizing)` changes the string.
    template <class Rewrite, class Cut>
    Status rewrite(Normalizing& normalizing, Rewrite rewrite, Cut cut) {
        others_.clear();
        other_.clear();
        // An added token and where its text is now: those inside of it (AddedVocabulary) have none of their own.
        Split outer = {0, 0, {0, 0}, kNoId};
        u32 outer_base = 0;
        for (const Split& each : splits_) {
            const u32 base = other_.size();
            if (each.added != kNoId) {
                if (outer.added == kNoId || each.begin < outer.begin || each.end > outer.end) {
                    outer = each;
                    outer_base = base;
                    const NormalizedString string = get(each);
                    Status status = other_.append(string.bytes, string.alignments, string.length);
                    if (!status.ok()) return status;
                }
                const u32 begin = outer_base + (each.begin - outer.begin);
                const Split moved = {begin, begin + (each.end - each.begin), each.original, each.added};
                if (!others_.push_back(moved)) return Status::out_of_memory();
                continue;
            }
            normalizing.begin(get(each));
            if (Status status = rewrite(normalizing); !status.ok()) return status;
            const NormalizedString string = normalizing.get();
            if (Status status = other_.append(string.bytes, string.alignments, string.length); !status.ok()) return status;
            Parts parts(others_, string, base);
            if (Status status = cut(string, parts); !status.ok()) return status;
        }
        text_.swap(other_);
        splits_.swap(others_);
        return {};
    }

private:
    static NormalizedString get(const NormalizedText& text, const Split& split) {
        return {text.bytes.data() + split.begin, text.alignments.data() + split.begin, split.end - split.begin, split.original};
    }

    NormalizedText text_, other_;
    Buffer<Split> splits_, others_;
};

// Cuts a string into what apply_behavior has left. The reference stops where a match begins in the one before it.
inline Status add_ranges(const PatternRanges& ranges, PreTokenizedString::Parts& parts) {
    for (const PatternRange& each : ranges) {
        if (each.begin > each.end) return refused(parts.string().original.begin);
        if (!parts.add(each.begin, each.end)) return Status::out_of_memory();
    }
    return {};
}

}  // namespace crayon::general
