// From a batch to its ids: the kernels to run, their order, and their memory.
//
// A Device is one stream of a device and its memory:
//   allocate<T>(count) -> Global<T>       until release_all(); aligned to 16
//   copy_in(array, data, count), copy_out(data, array, count), fill(array, byte, count)
//   launch<Kernel>(blocks, args)
//   finish()                              waits for all of that
//   status()                              of the first failure; nothing is done after it
//   processors()                          to choose how finely texts are divided
//
// `count` leaves the ids on the device and knows their exact number; `fetch` arranges them and copies them out. Sizes known
// only to the device are read before their memory is allocated: once for a batch of text, twice for BPE, WordPiece and DNA.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/exit_map.h"
#include "kernels/kmer_parts.h"
#include "kernels/lookup.h"
#include "kernels/lut.h"
#include "kernels/merge_block.h"
#include "kernels/merge_thread.h"
#include "kernels/pad_mask.h"
#include "kernels/word_pieces.h"
#include "plugin/batch_sizes.h"

namespace crayon::gpu {

inline constexpr u32 kMostAround = 64;
inline constexpr u32 kRepairRounds = 2;
inline constexpr u32 kFewWrong = 256, kMoreRounds = 16;  // chunks, and the rounds worth spending on them
inline constexpr u32 kBlocksOfProcessor = 32;            // that merge: each takes the next remaining piece

// An additional destination of a matrix: memory that outlives the job. Width 0: no mask.
struct Kept {
    u8* ids = nullptr;
    u8* mask = nullptr;
    u32 mask_width = 0;
};

template <class Device>
class Pipeline {
public:
    Pipeline(Device& device, const DeviceModel& model) : device_(device), model_(model) {}

    // Sets the chunk size, for tests.
    void set_chunk_size(u32 size) { chunk_size_ = size; }

    crayon_gpu_status count(const crayon_gpu_batch& batch, crayon_gpu_result* result) {
        batch_ = batch;
        if (!is_acceptable()) return CRAYON_GPU_INVALID_ARGUMENT;
        *result = {};
        result->size = sizeof *result;
        result->rows = documents();
        const u64 rows = documents(), length = batch.offsets[rows];
        numbers_ = device_.template allocate<u64>(kNumbers);
        offsets_ = device_.template allocate<u64>(rows + 1);
        device_.copy_in(offsets_, batch.offsets, rows + 1);
        reset_numbers();
        const crayon_gpu_status status =
            batch.output == CRAYON_GPU_BYTES ? decode(length) : dispatch([&]<class Id>() { return encode<Id>(length); });
        if (status != CRAYON_GPU_OK) return status;
        result->repaired = repaired_;
        result->count = count_;
        if (numbers(kFailure) != kNowhere) {
            const bool has_pieces = model_.kind == CRAYON_GPU_PIECES || model_.kind == CRAYON_GPU_BPE;
            result->failure = has_pieces ? CRAYON_GPU_PIECE_TOO_LONG : CRAYON_GPU_NO_ID;
            result->failed_document = document_at(numbers(kFailure));
            return CRAYON_GPU_OK;
        }
        result->longest_row = numbers(kLongest);
        const u64 around = u64{batch.before_count} + batch.after_count;
        if (batch.output == CRAYON_GPU_MATRIX) {
            columns_ = result->columns = batch.columns ? batch.columns : result->longest_row + around;
            if (result->longest_row + around > columns_ && (batch.flags & CRAYON_GPU_TRUNCATE) == 0) {
                return find_long_row(around, result);
            }
        }
        return CRAYON_GPU_OK;
    }

    crayon_gpu_status fetch(const crayon_gpu_destination& to, crayon_gpu_result* result, const Kept& on_device = {}) {
        if (to.row_offsets) device_.copy_out(to.row_offsets, Global<const u64>(rows_), documents() + 1);
        if (batch_.output == CRAYON_GPU_BYTES) {
            if (to.ids) device_.copy_out(static_cast<u8*>(to.ids), Global<const u8>(text_), count_);
        } else if (batch_.output != CRAYON_GPU_COUNTS) {
            dispatch([&]<class Id>() {
                Global<Id> ids = this->template ids<Id>();
                u64 count = count_;
                if (batch_.output == CRAYON_GPU_MATRIX) {
                    count = documents() * columns_;
                    const Global<u8> mask = to.mask || on_device.mask_width ? device_.template allocate<u8>(count) : Global<u8>();
                    if (!is_matrix()) {
                        ids = pad<Id>(mask);
                    } else if (mask) {
                        device_.fill(mask, 1, count);
                    }
                    if (to.mask) device_.copy_out(to.mask, Global<const u8>(mask), count);
                    if (on_device.ids) keep<Id>(ids, mask, count, on_device);
                }
                if (to.ids) device_.copy_out(static_cast<Id*>(to.ids), Global<const Id>(ids), count);
                if (batch_.flags & CRAYON_GPU_STAY_RESIDENT) result->device_ids = device_.address(ids);
                return CRAYON_GPU_OK;
            });
        }
        device_.finish();
        return device_.status();
    }

private:
    // Numbers that the host reads from the device.
    enum Number { kFailure, kLongest, kIrregular, kTotal, kWrongAtFirst, kWrong, kBinCounts, kNumbers = kBinCounts + kBins };

    u64 documents() const { return batch_.document_count; }
    // Whether the packed ids already are the matrix: DNA rows often have equal lengths and no ids around them.
    bool is_matrix() const {
        return batch_.before_count + batch_.after_count == 0 && read_[kLongest] == columns_ && count_ == documents() * columns_;
    }
    u64 numbers(Number which) const { return read_[which]; }

    bool is_acceptable() const {
        const crayon_gpu_batch& b = batch_;
        if (!b.offsets || b.offsets[0] != 0 || (!b.bytes && b.offsets[b.document_count] > 0)) return false;
        if (b.output == CRAYON_GPU_BYTES) return model_.tokens.count > 0;
        if (b.output < CRAYON_GPU_IDS || b.output > CRAYON_GPU_COUNTS) return false;
        if (model_.kind == 0 || model_.kind == CRAYON_GPU_TOKENS) return false;
        if (b.before_count > kMostAround || b.after_count > kMostAround) return false;
        if ((b.before_count && !b.before) || (b.after_count && !b.after)) return false;
        const bool is_wide = b.id_width == 4 || b.id_width == 8;
        if (!is_wide && (model_.kind != CRAYON_GPU_DNA || (b.id_width != 1 && b.id_width != 2))) return false;
        if (!is_wide && model_.greatest_id >> (8 * b.id_width) != 0) return false;
        if (b.output != CRAYON_GPU_MATRIX) return true;
        return b.columns == 0 || b.columns >= u64{b.before_count} + b.after_count;
    }

    // The document that contains a byte or, when decoding, an id.
    u64 document_at(u64 offset) const {
        return static_cast<u64>(std::upper_bound(batch_.offsets, batch_.offsets + documents() + 1, offset) - batch_.offsets) - 1;
    }

    template <class Function>
    auto dispatch(Function function) {
        switch (batch_.id_width) {
            case 1:
                return function.template operator()<u8>();
            case 2:
                return function.template operator()<u16>();
            case 8:
                return function.template operator()<u64>();
            default:
                return function.template operator()<u32>();
        }
    }

    template <class Kernel>
    void launch(u64 blocks, const typename Kernel::Args& args) {
        if (blocks > 0) device_.template launch<Kernel>(blocks, args);
    }
    template <class Kernel>
    void launch_for(u64 threads, const typename Kernel::Args& args) {
        launch<Kernel>(blocks_for(threads, Kernel::kThreads), args);
    }

    void reset_numbers() {
        u64 first[kNumbers] = {};
        first[kFailure] = kNowhere;
        device_.copy_in(numbers_, first, kNumbers);
    }
    crayon_gpu_status read_numbers() {
        device_.copy_out(read_, Global<const u64>(numbers_), kNumbers);
        device_.finish();
        return device_.status();
    }
    Global<u64> number(Number which) { return device_.part(numbers_, which); }
    Global<u64> number_at(Number which, u32 index) { return device_.part(numbers_, u64{which} + index); }

    // The sums of counts[0, i), count + 1 of them; the last one is stored as the number kTotal.
    template <class Count>
    Global<u64> scan(Global<Count> counts, u64 count) {
        const u64 tiles = blocks_for(count, kScanTile);
        const Global<u64> sums = device_.template allocate<u64>(tiles + 1), offsets = device_.template allocate<u64>(count + 1);
        launch<SumTiles<Sum, Count>>(tiles, {counts, count, sums});
        launch<ScanSums<Sum>>(1, {sums, tiles});
        launch<ScanTiles<Count>>(tiles, {counts, count, sums, offsets});
        if (count == 0) device_.fill(offsets, 0, 1);
        device_.copy(number(kTotal), device_.part(offsets, count), 1);
        return offsets;
    }

    Global<const u8> copy_text(u64 length) {
        const Global<u8> text = device_.template allocate<u8>(length + kTextPadding);
        device_.copy_in(text, batch_.bytes, length);
        device_.fill(device_.part(text, length), 0, kTextPadding);
        return text;
    }

    template <class Id>
    crayon_gpu_status encode(u64 length) {
        if constexpr (sizeof(Id) >= 4) {  // other widths were rejected before
            if (model_.kind == CRAYON_GPU_LONGEST_MATCH) return follow<Id>(model_.longest_match, length);
            if (model_.kind == CRAYON_GPU_PIECES) return with_pieces([&](const auto& step) { return follow<Id>(step, length); });
            if (model_.kind == CRAYON_GPU_BPE) return merge_pieces<Id>(length);
            if (model_.kind == CRAYON_GPU_WORD_PIECE) return cut_words<Id>(length);
        }
        return model_.unit == static_cast<u32>(layout::DnaUnit::kBytes) ? map_bytes<Id>(length) : map_kmers<Id>(length);
    }

    // --- chains: longest match, pieces ---

    // The chains of all documents, in chunks.
    struct Chain {
        Global<const u8> text;
        Global<u64> first_chunks;  // per document, plus one
        Chunks chunks;
        Walks walks;
        Global<u64> id_offsets;  // per chunk, plus one
        Global<u64> rows;        // per document, plus one: index of its first token
    };

    // The staged data: nothing, token ids, or token starts.
    enum class Stage { kNothing, kIds, kBegins };

    // The text and its chunks.
    void divide_documents(u64 length, Chain& chain) {
        chain.text = copy_text(length);
        const u32 chunk_size = chunk_size_ ? chunk_size_ : chunk_size_for(length, device_.processors());
        const u64 chunk_count = chunk_count_of(batch_.offsets, documents(), chunk_size);
        const Global<u64> chunk_counts = device_.template allocate<u64>(documents());
        launch_for<ChunkCounts>(documents(), {offsets_, documents(), chunk_size, chunk_counts});
        chain.first_chunks = scan(chunk_counts, documents());
        const Global<u64> begins = device_.template allocate<u64>(chunk_count + 1),
                          ends = device_.template allocate<u64>(chunk_count);
        launch_for<ChunkTable>(chunk_count + 1,
                               {offsets_, chain.first_chunks, documents(), chunk_size, chunk_count, begins, ends});
        chain.chunks = {begins, ends, chunk_count};
        chain.rows = device_.template allocate<u64>(documents() + 1);
    }

    // Reads the numbers, including kTotal, the number of tokens, and computes the row offsets of the documents.
    template <class Step>
    crayon_gpu_status walk_documents(const Step& step, u64 length, Stage stage, Number longest, Chain& chain) {
        divide_documents(length, chain);
        const u64 chunk_count = chain.chunks.count;
        Walks& walks = chain.walks;
        walks.entries = device_.template allocate<u32>(chunk_count);
        walks.counts = device_.template allocate<u32>(chunk_count);
        walks.unknown = device_.template allocate<u8>(chunk_count);
        if (stage != Stage::kNothing) walks.stage = device_.template allocate<u32>(length);
        walks.stages_begins = stage == Stage::kBegins;
        return walk_all(step, length, longest, chain);
    }

    // Calls the function with the pretokenizer's step.
    template <class Function>
    crayon_gpu_status with_pieces(Function function) {
        return model_.is_deepseek3 ? function(model_.deepseek3) : function(model_.automaton);
    }

    template <class Id, class Step>
    crayon_gpu_status follow(const Step& step, u64 length) {
        Chain chain;
        const bool counts = batch_.output == CRAYON_GPU_COUNTS;
        const auto status = walk_documents(step, length, counts ? Stage::kNothing : Stage::kIds, kLongest, chain);
        if (status != CRAYON_GPU_OK) return status;
        rows_ = chain.rows;
        count_ = numbers(kTotal);
        if (numbers(kFailure) != kNowhere || counts) return CRAYON_GPU_OK;
        const Global<Id> ids = new_ids<Id>(count_);
        launch<Emit<Id>>(blocks_for(chain.chunks.count, Emit<Id>::kChunks),
                         {chain.chunks, chain.id_offsets, chain.walks.stage, ids});
        return device_.status();
    }

    // --- BPE ---

    // The chain has the pieces. Its stage is reused for the ids of merged pieces.
    template <class Id>
    crayon_gpu_status merge_pieces(u64 length) {
        Chain chain;
        const auto walked =
            model_.joined
                ? find_begins<UncutStarts>(length, chain, model_.joined)
                : with_pieces([&](const auto& step) { return walk_documents(step, length, Stage::kBegins, kIrregular, chain); });
        if (walked != CRAYON_GPU_OK || numbers(kFailure) != kNowhere) return walked;
        const Pieces pieces = emit_begins(chain);
        const u64 count = pieces.count;
        const Global<u32> stage = chain.walks.stage;

        Lookup::Args lookup = {model_.bpe, chain.text, pieces, {}, {}, {}, {}, number(kBinCounts), {}};
        if (model_.joined) lookup.failure = number(kFailure);
        u64 listed = 0;
        for (u32 bin = 0; bin < kBins; ++bin) {
            lookup.list_begins[bin] = listed;
            listed += most_misses(bin, length, count);
        }
        lookup.alone = device_.template allocate<u32>(count);
        lookup.counts = device_.template allocate<u32>(count);
        lookup.list = device_.template allocate<u64>(listed);
        launch_for<Lookup>(count, lookup);
        const auto merge = [&]<class Merge>(u32 bin, u64 pieces_of_block) {
            const u64 max_blocks = blocks_for(most_misses(bin, length, count), pieces_of_block);
            const u64 blocks = least<u64>(max_blocks, u64{device_.processors()} * kBlocksOfProcessor);
            const Global<u64> list = device_.part(lookup.list, lookup.list_begins[bin]);
            launch<Merge>(blocks, {model_.bpe, chain.text, pieces, list, number_at(kBinCounts, bin), blocks, stage, lookup.counts,
                                   lookup.alone});
        };
        merge.template operator()<MergeThread<kThreadFew, 128>>(0, 128);
        merge.template operator()<MergeThread<kThreadSome, 64>>(1, 64);
        merge.template operator()<MergeThread<kThreadMost, 64>>(2, 64);
        merge.template operator()<MergeBlock<kBlockFew, 32>>(3, 1);
        merge.template operator()<MergeBlock<kBlockSome, 128>>(4, 1);
        merge.template operator()<MergeBlock<kBlockMost, 256>>(5, 1);

        return emit_pieces<Id>(chain, pieces, lookup.counts, lookup.alone);
    }

    // Begins that depend only on the text around them: each chunk finds its own. Reads the numbers, as walk_documents does.
    template <class Starts, class Table>
    crayon_gpu_status find_begins(u64 length, Chain& chain, const Table& table) {
        divide_documents(length, chain);
        const u64 chunk_count = chain.chunks.count;
        chain.walks.counts = device_.template allocate<u32>(chunk_count);
        chain.walks.stage = device_.template allocate<u32>(length);
        launch_for<Starts>(chunk_count, {table, chain.text, chain.chunks, chain.walks.stage, chain.walks.counts});
        chain.id_offsets = scan(chain.walks.counts, chunk_count);
        launch_for<RowOffsets>(documents() + 1,
                               {chain.first_chunks, documents(), chain.id_offsets, chain.rows, number(kIrregular)});
        return read_numbers();
    }

    // The pieces that a chain has staged.
    Pieces emit_begins(const Chain& chain) {
        using EmitBegins = Emit<u64, true>;
        const u64 count = numbers(kTotal);
        const Global<u64> begins = device_.template allocate<u64>(count + 1);
        launch<EmitBegins>(blocks_for(chain.chunks.count, EmitBegins::kChunks),
                           {chain.chunks, chain.id_offsets, chain.walks.stage, begins});
        device_.copy(device_.part(begins, count), device_.part(offsets_, documents()), 1);
        return {begins, count};
    }

    // The ids of pieces: the first of each is apart, the others are in the stage.
    template <class Id>
    crayon_gpu_status emit_pieces(const Chain& chain, const Pieces& pieces, Global<u32> counts, Global<u32> alone) {
        const Global<u64> id_offsets = scan(counts, pieces.count);
        rows_ = device_.template allocate<u64>(documents() + 1);
        launch_for<RowOffsets>(documents() + 1, {chain.rows, documents(), id_offsets, rows_, number(kLongest)});
        if (const auto status = read_numbers(); status != CRAYON_GPU_OK) return status;
        count_ = numbers(kTotal);
        if (batch_.output == CRAYON_GPU_COUNTS || numbers(kFailure) != kNowhere) return CRAYON_GPU_OK;
        const Global<Id> ids = new_ids<Id>(count_);
        launch_for<EmitPieces<Id>>(pieces.count, {pieces, id_offsets, alone, chain.walks.stage, ids});
        return device_.status();
    }

    // --- WordPiece ---

    template <class Id>
    crayon_gpu_status cut_words(u64 length) {
        Chain chain;
        if (const auto status = find_begins<WordStarts>(length, chain, model_.word_piece.classes); status != CRAYON_GPU_OK) {
            return status;
        }
        const Pieces words = emit_begins(chain);
        const Global<u32> counts = device_.template allocate<u32>(words.count),
                          alone = device_.template allocate<u32>(words.count);
        launch_for<WordPieces>(words.count,
                               {model_.word_piece, chain.text, words, chain.walks.stage, counts, alone, number(kFailure)});
        return emit_pieces<Id>(chain, words, counts, alone);
    }

    // Walks all chunks correctly, then computes offsets from their counts.
    template <class Step>
    crayon_gpu_status walk_all(const Step& step, u64 length, Number longest, Chain& chain) {
        const Chunks& chunks = chain.chunks;
        const Walks& walks = chain.walks;
        const Global<const u8> text = chain.text;
        Global<u32> exits = device_.template allocate<u32>(chunks.count), others = device_.template allocate<u32>(chunks.count);
        launch_for<Speculate<Step>>(chunks.count, {step, text, chunks, walks, exits});
        // The number of repairs needed is read only with the other numbers.
        launch_for<Verify>(chunks.count, {chunks, walks, exits, number(kWrongAtFirst), {}});
        for (u32 round = 0; round < kRepairRounds; ++round) {
            launch_for<Repair<Step>>(chunks.count, {step, text, chunks, walks, exits, others});
            std::swap(exits, others);
        }
        const auto verify = [&]() -> crayon_gpu_status {
            launch_for<Verify>(chunks.count, {chunks, walks, exits, number(kWrong), number(kFailure)});
            chain.id_offsets = scan(walks.counts, chunks.count);
            launch_for<RowOffsets>(documents() + 1,
                                   {chain.first_chunks, documents(), chain.id_offsets, chain.rows, number(longest)});
            return read_numbers();
        };
        if (const auto status = verify(); status != CRAYON_GPU_OK) return status;
        repaired_ = numbers(kWrongAtFirst) > 0 ? 1 : 0;
        // A few ranges have chains that take long to meet, such as long numbers: each round brings them one chunk further.
        for (u32 round = 0; numbers(kWrong) > 0 && numbers(kWrong) < kFewWrong && round < kMoreRounds; ++round) {
            reset_numbers();
            launch_for<Repair<Step>>(chunks.count, {step, text, chunks, walks, exits, others});
            std::swap(exits, others);
            if (const auto status = verify(); status != CRAYON_GPU_OK) return status;
        }
        if (numbers(kWrong) == 0) return CRAYON_GPU_OK;

        repaired_ = 2;
        reset_numbers();
        const u64 groups = blocks_for(chunks.count, kGroup);
        const Global<u32> offset_exits = device_.template allocate<u32>(length),
                          group_exits = device_.template allocate<u32>(length);
        const Global<u64> group_entries = device_.template allocate<u64>(groups);
        launch<ExitMap<Step>>(chunks.count, {step, text, chunks, offset_exits});
        launch<Compose>(groups, {chunks, offset_exits, group_exits});
        launch<Hop>(1, {chunks, group_exits, group_entries});
        launch_for<Expand>(groups, {chunks, offset_exits, group_entries, walks.entries});
        launch_for<Repair<Step>>(chunks.count, {step, text, chunks, walks, {}, exits});
        if (const auto status = verify(); status != CRAYON_GPU_OK) return status;
        return numbers(kWrong) == 0 ? CRAYON_GPU_OK : CRAYON_GPU_DEVICE_FAULT;  // the device computes wrong results
    }

    // --- DNA ---

    template <class Id>
    crayon_gpu_status map_bytes(u64 length) {
        const Global<const u8> text = copy_text(length);
        const Global<Id> ids = new_ids<Id>(length);
        const Global<const u64> offsets = model_.start_ids ? Global<const u64>(offsets_) : Global<const u64>();
        launch<Lut<Id>>(blocks_for(length, Lut<Id>::kTile),
                        {text, length, model_.kmers.base_ids, ids, number(kFailure), offsets, documents()});
        if (model_.start_ids) {
            launch_for<LutStarts<Id>>(documents(), {text, offsets_, documents(), model_.start_ids, ids, number(kFailure)});
        }
        rows_ = offsets_;
        if (const auto status = read_numbers(); status != CRAYON_GPU_OK) return status;
        count_ = length;
        for (u64 i = 0; i < documents(); ++i) {
            read_[kLongest] = greatest(read_[kLongest], batch_.offsets[i + 1] - batch_.offsets[i]);
        }
        return CRAYON_GPU_OK;
    }

    template <class Id>
    crayon_gpu_status map_kmers(u64 length) {
        const KmerRules& rules = model_.kmers;
        const Sequences sequences = {copy_text(length), length, offsets_, documents()};
        const u64 tiles = blocks_for(length, DigitTile::kSize);
        const Global<u64> counts = device_.template allocate<u64>(documents());
        launch_for<KmerCounts>(documents(), {rules, sequences, counts, number(kLongest)});
        rows_ = scan(counts, documents());
        if (const auto status = read_numbers(); status != CRAYON_GPU_OK) return status;
        count_ = numbers(kTotal);
        const Global<Id> ids = new_ids<Id>(count_);
        const Global<u64> first_sequences = device_.template allocate<u64>(tiles + 1),
                          first_ids = device_.template allocate<u64>(tiles + 1);
        if (tiles > 0) launch_for<KmerTiles>(tiles + 1, {rules, sequences, rows_, tiles, first_sequences, first_ids});
        launch<Kmer<Id>>(tiles, {rules, sequences, rows_, first_sequences, first_ids, ids, number(kFailure), number(kIrregular)});
        if (const auto status = read_numbers(); status != CRAYON_GPU_OK) return status;
        if (numbers(kIrregular) == 0) return CRAYON_GPU_OK;

        reset_numbers();
        const Global<u64> begins = device_.template allocate<u64>(tiles + 1), tile_counts = device_.template allocate<u64>(tiles);
        launch<PartBegins>(tiles, {rules, sequences, begins});
        launch<ScanSums<Greatest>>(1, {begins, tiles});
        launch<PartIds<Id>>(tiles, {rules, sequences, begins, tile_counts, {}, {}, {}, number(kFailure)});
        const Global<u64> tile_offsets = scan(tile_counts, tiles);
        if (const auto status = read_numbers(); status != CRAYON_GPU_OK) return status;
        count_ = numbers(kTotal);
        const Global<u64> starts = device_.template allocate<u64>(documents());
        const Global<Id> all = new_ids<Id>(greatest<u64>(count_, 1));
        launch<PartIds<Id>>(tiles, {rules, sequences, begins, {}, tile_offsets, all, starts, number(kFailure)});
        launch_for<PartRows>(documents() + 1, {sequences, starts, count_, rows_, number(kLongest)});
        return read_numbers();
    }

    // --- decoding ---

    crayon_gpu_status decode(u64 count) {
        const Global<u32> ids = device_.template allocate<u32>(count), lengths = device_.template allocate<u32>(count);
        device_.copy_in(ids, reinterpret_cast<const u32*>(batch_.bytes), count);
        launch_for<DecodeLengths>(count, {model_.tokens, ids, count, lengths, number(kFailure)});
        const Global<u64> offsets = scan(lengths, count);
        rows_ = device_.template allocate<u64>(documents() + 1);
        launch_for<RowOffsets>(documents() + 1, {offsets_, documents(), offsets, rows_, number(kLongest)});
        if (const auto status = read_numbers(); status != CRAYON_GPU_OK) return status;
        if (numbers(kFailure) != kNowhere) return CRAYON_GPU_OK;
        count_ = numbers(kTotal);
        text_ = device_.template allocate<u8>(count_);
        launch<DecodeGather>(blocks_for(count_, DecodeGather::kTile), {model_.tokens, ids, count, offsets, count_, text_});
        return device_.status();
    }

    // --- matrices ---

    template <class Id>
    void keep(Global<Id> ids, Global<u8> mask, u64 count, const Kept& to) {
        device_.copy(Global<Id>(reinterpret_cast<Id*>(to.ids)), ids, count);
        if (to.mask_width == 1) device_.copy(Global<u8>(to.mask), mask, count);
        if constexpr (sizeof(Id) > 1) {
            if (to.mask_width > 1) {
                const Global<Id> wide(reinterpret_cast<Id*>(to.mask));
                launch<WidenMask<Id>>(blocks_for(count, WidenMask<Id>::kTile), {mask, count, wide});
            }
        }
    }

    template <class Id>
    Global<Id> pad(Global<u8> mask) {
        const u64 size = documents() * columns_;
        const Global<u32> around = device_.template allocate<u32>(2 * kMostAround);
        std::vector<u32> ids(batch_.before, batch_.before + batch_.before_count);
        ids.insert(ids.end(), batch_.after, batch_.after + batch_.after_count);
        device_.copy_in(around, ids.data(), ids.size());
        const Global<Id> matrix = device_.template allocate<Id>(size);
        const bool is_signed = batch_.flags & CRAYON_GPU_SIGNED_PAD;
        const Id pad_id = is_signed ? static_cast<Id>(static_cast<std::int32_t>(batch_.pad_id)) : static_cast<Id>(batch_.pad_id);
        launch<PadMask<Id>>(blocks_for(size, PadMask<Id>::kTile),
                            {this->template ids<Id>(), rows_, documents(), columns_, pad_id, batch_.flags & CRAYON_GPU_PAD_LEFT,
                             batch_.before_count, batch_.after_count, around, matrix, mask, number(kFailure)});
        device_.finish();  // the ids around rows are in this function's memory
        return matrix;
    }

    crayon_gpu_status find_long_row(u64 around, crayon_gpu_result* result) {
        std::vector<u64> rows(documents() + 1);
        device_.copy_out(rows.data(), Global<const u64>(rows_), rows.size());
        device_.finish();
        if (device_.status() != CRAYON_GPU_OK) return device_.status();
        u64 row = 0;
        while (rows[row + 1] - rows[row] + around <= columns_) ++row;
        result->failure = CRAYON_GPU_ROW_TOO_LONG;
        result->failed_document = row;
        return CRAYON_GPU_OK;
    }

    template <class Id>
    Global<Id> new_ids(u64 count) {
        const Global<Id> ids = device_.template allocate<Id>(count);
        ids_ = const_cast<void*>(device_.address(ids));
        return ids;
    }
    template <class Id>
    Global<Id> ids() const {
        return Global<Id>(static_cast<Id*>(ids_));
    }

    Device& device_;
    const DeviceModel& model_;
    crayon_gpu_batch batch_{};
    u32 chunk_size_ = 0;
    Global<u64> numbers_, offsets_, rows_;
    Global<u8> text_;
    void* ids_ = nullptr;
    u64 count_ = 0, columns_ = 0;
    u32 repaired_ = 0;
    u64 read_[kNumbers] = {};
};

}  // namespace crayon::gpu
