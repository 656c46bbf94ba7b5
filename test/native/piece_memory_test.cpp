// The memory of pieces: a lookup returns what was kept for exactly these bytes, or nothing; and it never takes more than its
// limit.
#include "model/piece_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "generate_text.h"
#include "memory_limit.h"
#include "share.h"

namespace crayon::test::piece_memory_test {
namespace {

using Key = PieceMemory::Key;
using Ids = std::vector<u32>;
constexpr u64 kDefault = u64{16} << 20;

// A memory with the operations of a map of strings.
struct Memory {
    PieceMemory memory;
    u64 limit = 0, most = 0;

    explicit Memory(u64 bytes) { set_limit(bytes); }
    void set_limit(u64 bytes) {
        memory.set_limit(limit = bytes);
        EXPECT_TRUE(memory.ready());
        most = 0;
    }

    static Key key_of(const std::string& padded, std::size_t length) {
        return PieceMemory::key_of(reinterpret_cast<const u8*>(padded.data()), static_cast<u32>(length));
    }
    void keep(const std::string& piece, const Ids& ids) {
        const std::string padded = piece + std::string(PieceMemory::kPadding, '?');
        memory.keep(key_of(padded, piece.size()), reinterpret_cast<const u8*>(padded.data()), ids.data(),
                    static_cast<u32>(ids.size()));
        most = std::max<u64>(most, memory.memory());
        EXPECT_LE(memory.memory(), std::max(limit, PieceMemory::kLeastBytes));
    }
    // False if it is not known.
    bool find(const std::string& piece, Ids* ids) {
        const std::string padded = piece + std::string(PieceMemory::kPadding, '!');
        const PieceMemory::Found found = memory.find(key_of(padded, piece.size()), reinterpret_cast<const u8*>(padded.data()));
        if (found.ids) ids->assign(found.ids, found.ids + found.count);
        return found.ids != nullptr;
    }
    bool knows(const std::string& piece, const Ids& expected) {
        Ids ids;
        if (!find(piece, &ids)) return false;
        EXPECT_EQ(ids, expected) << piece;
        return true;
    }
    // Keeps what it does not know, like an encoder; returns how many pieces it knew. `size`: of their ids.
    u32 ask(u32 first, u32 end, const std::string& before = "", u32 size = 2) {
        u32 known = 0;
        for (u32 i = first; i < end; ++i) {
            const std::string piece = before + std::to_string(i);
            const Ids ids(size, i);
            if (knows(piece, ids)) {
                ++known;
            } else {
                keep(piece, ids);
            }
        }
        return known;
    }
};

// So that a piece has a record.
const std::string kLongBefore(20, 'n');

TEST(PieceMemory, BytesAndLengthAreTheKey) {
    for (const std::size_t length : {1, 2, 7, 8, 9, 15, 16, 17, 24, 100, 255}) {
        for (const char byte : {'\0', '\xFF'}) {
            const std::string piece(length + 16, byte);
            const Key key = Memory::key_of(piece, length);
            // Bytes after the piece are not part of it.
            EXPECT_TRUE(key == Memory::key_of(std::string(length, byte) + std::string(16, 'x'), length)) << length;
            EXPECT_FALSE(PieceMemory::Entry{}.matches(key)) << length;
            for (std::size_t at = 0; at < length; ++at) {
                std::string other = piece;
                other[at] ^= 0x40;
                EXPECT_FALSE(key == Memory::key_of(other, length)) << length << " " << at;
            }
            if (length > 1) {
                EXPECT_FALSE(key == Memory::key_of(piece, length - 1)) << length;
            }
        }
    }
    EXPECT_TRUE(PieceMemory::Entry{}.matches(Memory::key_of(std::string(16, 'x'), 0)));
}

TEST(PieceMemory, IsEmptyAtFirst) {
    PieceMemory none;
    EXPECT_EQ(none.memory(), 0u);
    Memory memory(kDefault);
    Ids ids;
    for (const std::size_t length : {1, 15, 16, 255}) EXPECT_FALSE(memory.find(std::string(length, '\0'), &ids));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.memory.table().entries) % 64, 0u);
}

TEST(PieceMemory, KeepsAnyNumberOfIds) {
    Memory memory(kDefault);
    for (const std::size_t length : {1, 3, 15, 16, 17, 31, 255}) {
        for (const u32 count : {0, 1, 3, 4, 5, 8, 9, 255}) {
            std::string piece(length, static_cast<char>('a' + count % 26));
            Ids ids(count);
            for (u32 i = 0; i < count; ++i) ids[i] = ~i;
            memory.keep(piece, ids);
            EXPECT_TRUE(memory.knows(piece, ids)) << length << " " << count;
            memory.keep(piece, {7});  // again: the last ones count
            EXPECT_TRUE(memory.knows(piece, {7}));
        }
    }
}

// Any limit, any pieces, and limits that change: the ids are those of a map, or there are none.
TEST(PieceMemory, NeverReturnsAnotherPiecesIds) {
    const u32 rounds = static_cast<u32>(sample(60000, 8000));
    for (const u64 limit : {u64{0}, u64{1} << 14, u64{1} << 16, u64{1} << 20, kDefault, u64{64} << 20}) {
        SCOPED_TRACE(limit);
        Memory memory(limit);
        Random random(9 + limit);
        std::map<std::string, Ids> kept;
        u32 found = 0;
        for (u32 i = 0; i < rounds; ++i) {
            const std::size_t length = 1 + random.below(random.one_in(4) ? 255 : random.one_in(2) ? 40 : 15);
            std::string piece;
            while (piece.size() < std::min<std::size_t>(length, 9)) piece += "ab\0"[random.below(3)];
            piece.resize(length, piece[0]);
            Ids ids;
            if (memory.find(piece, &ids)) {
                ASSERT_EQ(ids, kept[piece]);
                ++found;
                if (!random.one_in(50)) continue;
            }
            const auto [at, is_new] = kept.try_emplace(piece);
            if (is_new) at->second.assign(random.below(random.one_in(3) ? 256 : 6), i);
            memory.keep(piece, at->second);
            if (random.one_in(rounds / 4)) memory.set_limit(u64{1} << (13 + random.below(14)));
        }
        EXPECT_GT(found, rounds / 100);
    }
}

TEST(PieceMemory, GrowsWithItsPieces) {
    Memory memory(kDefault);
    const u64 least = memory.memory.memory();
    EXPECT_LE(least, u64{64} << 10);
    constexpr u32 kMany = 40000;
    memory.ask(0, kMany);
    EXPECT_GT(memory.ask(0, kMany), kMany * 9 / 10);
    EXPECT_GT(memory.memory.memory(), 16 * least);
    memory.ask(0, kMany, kLongBefore, 6);
    EXPECT_GT(memory.ask(0, kMany, kLongBefore, 6), kMany * 8 / 10);
}

// Pieces that never come again displace few that do.
TEST(PieceMemory, KeepsWhatComesAgain) {
    for (const std::string& before : {std::string(), kLongBefore}) {
        Memory memory(u64{1} << 20);
        constexpr u32 kHot = 1000;
        for (u32 round = 0; round < 3; ++round) memory.ask(0, kHot, before);
        u32 known = 0, asked = 0;
        for (u32 i = 0; i < 200; ++i) {
            memory.ask(1'000'000 + i * kHot, 1'000'000 + (i + 1) * kHot, before);
            known += memory.ask(0, kHot, before);
            asked += kHot;
        }
        EXPECT_GT(known, asked / 10 * 8) << before;
    }
}

// A text that is larger than the memory, again and again: some of it is known each time.
TEST(PieceMemory, KnowsSomeOfWhatDoesNotFit) {
    for (const std::string& before : {std::string(), kLongBefore}) {
        Memory memory(u64{1} << 19);
        constexpr u32 kAll = 12000;
        u32 known = 0;
        for (u32 round = 0; round < 8; ++round) known = memory.ask(0, kAll, before, 6);
        EXPECT_GT(known, kAll / 20) << before;
        EXPECT_LT(known, kAll) << before;
    }
}

// Another kind of text takes the place of the last one.
TEST(PieceMemory, ForgetsAnotherText) {
    Memory memory(u64{1} << 16);
    for (u32 round = 0; round < 4; ++round) memory.ask(0, 20000);
    u32 known = 0;
    for (u32 round = 0; round < 20; ++round) known = memory.ask(50000, 50500);
    EXPECT_GT(known, 400u);
}

TEST(PieceMemory, StaysWithinAnyLimit) {
    for (const u64 limit :
         {u64{0}, u64{1}, u64{8192}, u64{20000}, u64{1} << 16, u64{3} << 20, u64{5} << 20, u64{13} << 20, kDefault}) {
        SCOPED_TRACE(limit);
        Memory memory(limit);
        const u32 count = static_cast<u32>(sample(250'000, 30'000));
        for (u32 i = 0; i < count; i += 500) {
            memory.ask(i, i + 500);
            memory.ask(i, i + 500, kLongBefore, 9);
        }
        u32 known = 0;
        for (u32 round = 0; round < 200; ++round) known += memory.ask(0, 10);
        EXPECT_GT(known, 1500u);
    }
}

TEST(PieceMemory, ALowerLimitFreesIt) {
    Memory memory(kDefault);
    memory.ask(0, 40000);
    memory.ask(0, 40000, kLongBefore);
    memory.memory.set_limit(u64{1} << 16);
    EXPECT_EQ(memory.memory.memory(), 0u);
    memory.set_limit(u64{1} << 16);
    EXPECT_EQ(memory.ask(0, 100), 0u);
    EXPECT_EQ(memory.ask(0, 100), 100u);
    memory.memory.release();
    EXPECT_EQ(memory.memory.memory(), 0u);
    ASSERT_TRUE(memory.memory.ready());
    EXPECT_EQ(memory.ask(0, 100), 0u);
}

TEST(PieceMemory, WithoutMemoryStaysAsItIs) {
    Memory memory(u64{96} << 20);
    memory.ask(0, 2000);
    memory.ask(0, 2000, kLongBefore, 9);
    const u64 before = memory.memory.memory();
    {
        const MemoryLimit limit(std::size_t{1} << 20);
        if (!limit.works()) GTEST_SKIP() << "memory cannot be limited";
        for (u32 round = 0; round < 3; ++round) {
            memory.ask(0, 160'000);
            memory.ask(0, 40'000, kLongBefore, 9);
        }
        EXPECT_LT(memory.memory.memory(), before + (std::size_t{2} << 20));
        EXPECT_GT(memory.ask(0, 2000) + memory.ask(0, 2000), 1000u);
    }
    for (u32 round = 0; round < 3; ++round) memory.ask(0, 160'000);
    EXPECT_GT(memory.memory.memory(), before + (std::size_t{2} << 20));
}

}  // namespace
}  // namespace crayon::test::piece_memory_test
