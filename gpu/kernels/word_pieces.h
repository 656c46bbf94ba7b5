// WordPiece (crayon/layout/trie_models.h), one thread per word: the longest token at its beginning, then the longest
// continuation, and so on. If any position has no token, or the word has too many characters, the whole word is unknown.
//
// Continuations are the tokens below the node of their prefix (`##`) in the same double array. A thread reads a byte at a
// time, be it of the word's first token or of a later one, so that the threads of a warp all do the same work.
#pragma once

#include "crayon/layout/double_array.h"
#include "kernels/bpe_tables.h"
#include "kernels/word_starts.h"

namespace crayon::gpu {

struct WordPieceTables {
    WordClasses classes;
    Global<const u32> units, values;
    u32 longest;            // token, in bytes
    u32 unknown_id;         // or kNone
    u32 continuation_base;  // the base of the node below the prefix; kNone: nothing continues a word
    u32 most_characters;    // of a word; kNone: any number
};

struct WordPieces {
    static constexpr const char* kName = "word_pieces";
    static constexpr u32 kThreads = 128;
    struct Args {
        WordPieceTables tables;
        Global<const u8> text;
        Pieces words;         // each with the whitespace before it
        Global<u32> stage;    // the ids of a word, from the offset of its first byte on: at most one per byte
        Global<u32> counts;   // per word
        Global<u32> alone;    // the first id of a word
        Global<u64> failure;  // the first word that is unknown if there is no id for it
    };
    struct Shared {
        WordClasses::Shared ascii;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        block.each([&](Thread& t) { a.tables.classes.prepare(t, shared.ascii, kThreads); });
        block.each([&](Thread& t) {
            const u64 word = block.index * kThreads + t.index;
            if (word >= a.words.count) return;
            const u64 begin = t.load(a.words.begins, word);
            TextReader text(t, a.text, begin);
            u32 at = text.position_of(begin);
            const u32 end = text.position_of(t.load(a.words.begins, word + 1));
            while (at < end) {
                const auto [kind, length] = a.tables.classes.at(t, shared.ascii, text, at, end);
                if (kind != WordClasses::kSpace) break;
                at += length;
            }
            u32 count = 0;
            if (at < end) {
                if (!has_more_characters(text, at, end, a.tables.most_characters)) count = cut(t, text, a, word, begin, at, end);
                if (count == 0 && a.tables.unknown_id == kNone) t.atomic_min(a.failure, 0, begin);
                if (count == 0 && a.tables.unknown_id != kNone) {
                    t.store(a.alone, word, a.tables.unknown_id);
                    count = 1;
                }
            }
            t.store(a.counts, word, count);
        });
    }

private:
    CRAYON_KERNEL_CODE static bool has_more_characters(TextReader& text, u32 at, u32 end, u32 limit) {
        if (end - at <= limit) return false;
        u32 count = 0;
        for (; at < end; at += character_length(text, at, end)) {
            if (++count > limit) return true;
        }
        return false;
    }

    // The number of ids of the word; 0 if it is unknown.
    CRAYON_KERNEL_CODE static u32 cut(const Thread& t, TextReader& text, const Args& a, u64 word, u64 begin, u32 at, u32 end) {
        const WordPieceTables& tables = a.tables;
        u32 count = 0;
        u32 base = layout::base_of(t.load(tables.units, 0)), limit = least(end - at, tables.longest);
        u32 read = 0, length = 0, unit = kNone;  // bytes of the path, and the longest token on it
        for (;;) {
            if (read < limit) {
                const u32 byte = text(at + read), index = base ^ byte, next = t.load(tables.units, index);
                if (layout::label_of(next) == byte) {
                    ++read;
                    base = layout::base_of(next);
                    if (layout::is_terminal(next)) {
                        length = read;
                        unit = index;
                    }
                    continue;
                }
            }
            if (unit == kNone) return 0;
            at += length;
            if (at < end && tables.continuation_base == kNone) return 0;
            const u32 id = t.load(tables.values, unit);
            if (count == 0) t.store(a.alone, word, id);
            t.store(a.stage, begin + count++, id);
            if (at == end) return count;
            base = tables.continuation_base;
            limit = least(end - at, tables.longest);
            read = length = 0;
            unit = kNone;
        }
    }
};

}  // namespace crayon::gpu
