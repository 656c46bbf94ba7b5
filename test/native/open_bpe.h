// A compiled and opened vocabulary, with each way of merging.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cartridge/cartridge.h"
#include "kernels/kernel.h"
#include "model/bpe.h"
#include "vocabularies.h"

namespace crayon::test {

class OpenBpe {
public:
    explicit OpenBpe(const Vocabulary& vocabulary, const Kernel& kernel = *kernel_at(0))
        : OpenBpe(compile(vocabulary, "gpt2"), vocabulary.ranks, kernel) {}
    // A compiled cartridge. `ranks`: if ids are ranks.
    explicit OpenBpe(const std::string& bytes, const naive::Ranks& ranks = {}, const Kernel& kernel = *kernel_at(0))
        : ranks_(ranks) {
        crayon_result result;
        EXPECT_EQ(crayon_cartridge_open_bytes(bytes.data(), static_cast<u32>(bytes.size()), 0, &cartridge_, &result), CRAYON_OK);
        bpe_ = Bpe(tables(), kernel.texts->least);
        backtracking_ = Backtracking(tables());
        pairs_ = BpePairs(tables());
        for (u32 byte = 0; byte < 256; ++byte) byte_ids_.push_back(find(std::string(1, static_cast<char>(byte))));
    }
    ~OpenBpe() { crayon_cartridge_release(cartridge_); }
    OpenBpe(const OpenBpe&) = delete;
    OpenBpe& operator=(const OpenBpe&) = delete;

    const Cartridge& cartridge() const { return *from_c(cartridge_); }
    const BpeView& tables() const { return cartridge().bpe(); }
    const naive::Ranks& ranks() const { return ranks_; }
    const BpePairs& pairs() const { return pairs_; }
    const Backtracking& backtracking() const { return backtracking_; }
    const u32* byte_ids() const { return byte_ids_.data(); }

    // Encodes one piece; also checks that counting gives the same result.
    std::vector<u32> encode(const std::string& piece) {
        const std::string padded = with_padding(piece);
        const u32 boundary = static_cast<u32>(piece.size());
        std::vector<u32> ids(piece.size());
        PieceProgress done{}, counted{};
        const PieceSequence sequence{bytes(padded), 0, &boundary, 1, boundary};
        EXPECT_TRUE(PieceEncoder(bpe_, sequence, scratch_).encode<false>(ids.data(), boundary, &done));
        EXPECT_EQ(done.pieces, 1u);
        EXPECT_FALSE(done.overflowed);
        ids.resize(done.ids);
        EXPECT_TRUE(PieceEncoder(bpe_, sequence, scratch_).encode<true>(nullptr, boundary, &counted));
        EXPECT_EQ(counted.ids, done.ids);
        return ids;
    }
    // The pieces of one text. Their ids are read at most `most` at a time; at least 16.
    std::vector<u32> encode_all(const std::vector<std::string>& pieces, u32 most = 16) {
        std::string text;
        std::vector<u32> boundaries, ids;
        for (const std::string& piece : pieces) {
            text += piece;
            boundaries.push_back(static_cast<u32>(text.size()));
        }
        text = with_padding(text);
        std::vector<u32> buffer(most);
        u32 counted = 0;
        const u32 count = static_cast<u32>(pieces.size());
        const auto from = [&](u32 at) {
            const PieceSequence sequence{bytes(text), at ? boundaries[at - 1] : 0, boundaries.data() + at, count - at,
                                         boundaries.back()};
            return PieceEncoder(bpe_, sequence, scratch_);
        };
        PieceProgress done{};
        for (u32 at = 0; at < count;) {
            EXPECT_TRUE(from(at).encode<false>(buffer.data(), most, &done));
            EXPECT_LE(done.ids, most);
            ids.insert(ids.end(), buffer.begin(), buffer.begin() + done.ids);
            at += done.pieces;
            EXPECT_TRUE(at == count || done.ids == most || done.overflowed);
            if (!done.overflowed) continue;
            EXPECT_GT(scratch_.ids.size() + done.ids, most);
            ids.insert(ids.end(), scratch_.ids.begin(), scratch_.ids.end());
        }
        for (u32 at = 0; at < count; at += done.pieces) {
            EXPECT_TRUE(from(at).encode<true>(nullptr, most, &done));
            counted += done.ids;
        }
        EXPECT_EQ(counted, ids.size());
        return ids;
    }
    // Several pieces at once, without looking up whole pieces and without the caches.
    std::vector<std::vector<u32>> merge_all(const std::vector<std::string>& pieces) {
        std::vector<std::string> padded;
        std::vector<UnmadePiece> made;
        std::vector<std::vector<u32>> ids;
        for (const std::string& piece : pieces) {
            padded.push_back(with_padding(piece));
            ids.emplace_back(piece.size());
        }
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            made.push_back({bytes(padded[i]), static_cast<u32>(pieces[i].size()), ids[i].data(), 0});
        }
        EXPECT_TRUE(bpe_.make_all(made.data(), static_cast<u32>(made.size()), scratch_));
        for (std::size_t i = 0; i < pieces.size(); ++i) ids[i].resize(made[i].count);
        return ids;
    }
    // Without looking up whole pieces and without the caches.
    std::vector<u32> merge(const std::string& piece) {
        const std::string padded = with_padding(piece);
        EXPECT_TRUE(bpe_.merge(bytes(padded), static_cast<u32>(piece.size()), scratch_));
        return {scratch_.ids.begin(), scratch_.ids.end()};
    }
    std::vector<u32> backtrack(const std::string& piece) {
        const std::string padded = with_padding(piece);
        std::vector<u32> ids(piece.size());
        u32 count = 0;
        EXPECT_TRUE(
            backtracking_.encode(bytes(padded), static_cast<u32>(piece.size()), scratch_.backtracking, ids.data(), &count));
        ids.resize(count);
        return ids;
    }
    u32 find(const std::string& piece) const { return bpe_.find(bytes(with_padding(piece)), static_cast<u32>(piece.size())); }

    static std::string with_padding(const std::string& piece) { return piece + std::string(Bpe::kPadding, '\0'); }
    static const u8* bytes(const std::string& text) { return reinterpret_cast<const u8*>(text.data()); }

private:
    const naive::Ranks ranks_;
    crayon_cartridge* cartridge_ = nullptr;
    Bpe bpe_;
    Backtracking backtracking_;
    BpePairs pairs_;
    BpeScratch scratch_;
    std::vector<u32> byte_ids_;
};

}  // namespace crayon::test
