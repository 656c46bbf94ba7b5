// Where the words of a text begin, for models of words: whitespace separates words, and each punctuation mark is a word.
//
// A word begins with the whitespace before it, which models drop:
//
//   text     It's  here.\n
//   words    It|'|s|  here|.|\n        (| : a boundary)
//
// Whether there is a boundary before a character depends on that character and the one before, so every chunk finds its own
// boundaries, with one thread, whatever the others find: no chain is followed, and a word may be of any length. Whitespace
// at the beginning of a chunk begins a separate word, even after other whitespace: so no word has more than two chunks of
// it.
#pragma once

#include "kernels/characters.h"
#include "kernels/chunk_table.h"
#include "kernels/step.h"

namespace crayon::gpu {

// What characters are for words.
struct WordClasses {
    enum Kind : u32 { kWithin = 0, kSpace = 1, kPunctuation = 2, kNothing = 3 };

    Global<const u8> blocks;   // the block number of every 128 code points
    Global<const u8> classes;  // of each block's code points

    static constexpr u32 kAscii = 128;
    using Shared = gpu::Shared<u8, kAscii>;  // the classes of ASCII

    CRAYON_KERNEL_CODE void prepare(const Thread& t, Shared& ascii, u32 threads) const {
        for (u32 i = t.index; i < kAscii; i += threads) t.store(ascii, i, t.load(classes, t.load(blocks, 0) * kClassBlock + i));
    }

    struct Found {
        u32 kind;    // Kind
        u32 length;  // of the character
    };
    template <class Text>
    CRAYON_KERNEL_CODE Found at(const Thread& t, const Shared& ascii, Text& text, u32 at, u32 end) const {
        const u32 first = text(at);
        if (first < kAscii) return {t.load(ascii, first), 1};
        const Character c = character_at(text, at, end);
        if (c.code_point == kIllFormed) return {kWithin, c.length};
        return {t.load(classes, t.load(blocks, c.code_point / kClassBlock) * kClassBlock + c.code_point % kClassBlock), c.length};
    }
};

struct WordStarts {
    static constexpr const char* kName = "word_starts";
    static constexpr u32 kThreads = 128;
    struct Args {
        WordClasses classes;
        Global<const u8> text;
        Chunks chunks;       // of at least four bytes, except the last one of a document
        Global<u32> stage;   // the starts in a chunk, relative to it, from the offset of its beginning on
        Global<u32> counts;  // per chunk
    };
    struct Shared {
        WordClasses::Shared ascii;
    };

    template <class Block>
    CRAYON_KERNEL_CODE static void run(Block& block, Shared& shared, const Args& a) {
        block.each([&](Thread& t) { a.classes.prepare(t, shared.ascii, kThreads); });
        block.each([&](Thread& t) {
            const u64 chunk = block.index * kThreads + t.index;
            if (chunk >= a.chunks.count) return;
            const u64 begin = t.load(a.chunks.begins, chunk);
            const bool is_first = chunk == 0 || t.load(a.chunks.ends, chunk - 1) == begin;
            find(t, shared, a, chunk, begin, is_first ? 0 : kLongestCharacter);
        });
    }

private:
    static constexpr u32 kLongestCharacter = 4;

    // `before`: the bytes before the chunk to look at for the character that is before its first one. A byte that is not a
    // continuation begins a character, and one without such a byte within three before it is a separate character.
    CRAYON_KERNEL_CODE static void find(const Thread& t, const Shared& shared, const Args& a, u64 chunk, u64 begin, u32 before) {
        TextReader text(t, a.text, begin - before);
        const u32 first = text.position_of(begin), last = text.position_of(t.load(a.chunks.begins, chunk + 1)),
                  end = text.position_of(t.load(a.chunks.ends, chunk));
        u32 position = first, count = 0;
        if (before > 0) {
            while (position > first - before && layout::is_continuation(text(position - 1))) --position;
            position = position > first - before ? position - 1 : first - 1;
        }
        u32 previous = WordClasses::kNothing;
        bool opens = true;
        while (position < last) {
            const auto [kind, length] = a.classes.at(t, shared.ascii, text, position, end);
            if (position >= first) {
                const bool is_apart = kind != WordClasses::kWithin || previous >= WordClasses::kPunctuation;
                if ((is_apart && previous != WordClasses::kSpace) || (kind == WordClasses::kSpace && opens)) {
                    t.store(a.stage, begin + count++, position - first);
                }
                opens = false;
            }
            previous = kind;
            position += length;
        }
        t.store(a.counts, chunk, count);
    }
};

}  // namespace crayon::gpu
