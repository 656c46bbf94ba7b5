#include "structure/damage.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "compile/merge_list_writer.h"
#include "crayon/layout/general.h"
#include "crayon/layout/regex.h"
#include "longest_match_vocabularies.h"
#include "read_sections.h"
#include "section_numbers.h"

namespace crayon::test {

namespace {

using Id = SectionNumber;

constexpr std::size_t kHashHeader = 64, kTrieHeader = 64;

std::uint32_t small(std::size_t value) { return static_cast<std::uint32_t>(value); }

void append32(Bytes& bytes, std::uint32_t value) {
    bytes.resize(bytes.size() + 4);
    put32(bytes, bytes.size() - 4, value);
}

// A number that trips readers.
std::uint32_t telling(Random& random, std::uint32_t now) {
    static constexpr std::uint32_t kNumbers[] = {
        0,      1,       2,       3,        8,        9,          24,         25,         64,         255,        256,       257,
        0xFFFF, 0x10000, 1 << 20, 0x1FFFFF, 0x3FFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFC0, 0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF};
    switch (random.below(4)) {
        case 0:
            return now + small(random.below(5)) - 2;
        case 1:
            return now ^ 1u << random.below(32);
        case 2:
            return small(random.below(600));
        default:
            return kNumbers[random.below(std::size(kNumbers))];
    }
}

// Arbitrary bytes of a section, or of header and table.
void damage_bytes(Bytes& bytes, Random& random) {
    if (bytes.size() < 8) return;
    const std::size_t at = random.below(bytes.size()), word = random.below(bytes.size() / 4) * 4;
    const std::size_t from = random.below(bytes.size() / 4) * 4;
    switch (random.below(6)) {
        case 0:
            bytes[at] ^= static_cast<std::uint8_t>(1 << random.below(8));
            break;
        case 1:
            bytes[at] = static_cast<std::uint8_t>(random.next());
            break;
        case 2:
            put32(bytes, word, telling(random, get32(bytes, word)));
            break;
        default:  // words of the table at another index, which most often pass
            for (std::size_t i = 0, count = 4 * (1 + random.below(16)); i < count; ++i) {
                if (std::max(from, word) + i < bytes.size()) bytes[word + i] = bytes[from + i];
            }
    }
}

class Damage {
public:
    Damage(HandmadeCartridge& made, Random& random) : made_(made), random_(random) {}

    void once() {
        using Change = void (Damage::*)();
        static constexpr Change kChanges[] = {
            &Damage::any_bytes,       &Damage::any_bytes,      &Damage::length_of_section,
            &Damage::sections,        &Damage::model,          &Damage::metadata,
            &Damage::token_borders,   &Damage::token_borders,  &Damage::longer_token,
            &Damage::token_bytes,     &Damage::piece_ids,      &Damage::piece_ids,
            &Damage::piece_ids,       &Damage::piece_cells,    &Damage::hash_headers,
            &Damage::split_and_pair,  &Damage::split_and_pair, &Damage::trie_units,
            &Damage::trie_units,      &Damage::trie_cycle,     &Damage::trie_values,
            &Damage::joined_bytes,    &Damage::id_lists,       &Damage::added_and_views,
            &Damage::added_and_views, &Damage::view_fields,    &Damage::merges,
            &Damage::other_merges,    &Damage::dna_rules,      &Damage::dna_rules,
            &Damage::dna_ids,         &Damage::patterns,       &Damage::patterns,
            &Damage::word_rules,      &Damage::word_rules,     &Damage::scores,
            &Damage::scores,          &Damage::program,        &Damage::program,
            &Damage::program_parts,   &Damage::program_parts,
        };
        // All models of the general path are one section.
        static constexpr Change kOfGeneral[] = {&Damage::general_head,  &Damage::general_steps, &Damage::general_steps,
                                                &Damage::general_parts, &Damage::regex_words,   &Damage::regex_words};
        if (find(kGeneral) && !random_.one_in(4)) return (this->*kOfGeneral[random_.below(std::size(kOfGeneral))])();
        (this->*kChanges[random_.below(std::size(kChanges))])();
    }

private:
    Bytes* find(std::uint32_t id, std::size_t least = 0) {
        for (HandmadeSection& section : made_.sections) {
            if (section.id == id && section.bytes.size() >= least) return &section.bytes;
        }
        return nullptr;
    }
    Bytes* any(std::initializer_list<std::uint32_t> ids, std::size_t least) {
        return find(ids.begin()[random_.below(ids.size())], least);
    }
    std::uint32_t token_count() {
        const Bytes* model = find(kModel, 16);
        return model ? get32(*model, 4) : 0;
    }
    // An id, usually one of the model.
    std::uint32_t any_id() {
        const std::uint32_t count = std::max(token_count(), 1u);
        if (random_.one_in(12)) return telling(random_, count);
        return count > 256 && random_.one_in(2) ? 256 + small(random_.below(count - 256)) : small(random_.below(count));
    }

    void any_bytes() {
        if (!made_.sections.empty()) damage_bytes(made_.sections[random_.below(made_.sections.size())].bytes, random_);
    }

    // A field of the rules; or one that fits others.
    void dna_rules() {
        Bytes* const dna = find(kDna, 64);
        if (!dna) return;
        const std::size_t at = 4 * random_.below(16);
        const bool is_digit = at >= 56, is_count = at == 0 || at == 4 || (at >= 28 && at < 48);
        if (is_digit) {
            (*dna)[at + random_.below(4)] = static_cast<std::uint8_t>(random_.next());
        } else {
            put32(*dna, at,
                  is_count               ? small(random_.below(6))
                  : at == 12 || at == 24 ? any_id()
                                         : telling(random_, get32(*dna, at)));
        }
        // As many ids as the rules state.
        std::uint32_t kmers = 1;
        for (std::uint32_t i = 0; i < std::min(get32(*dna, 4), 4u); ++i) kmers *= std::min(get32(*dna, 8), 5u);
        if (random_.one_in(2) && get32(*dna, 16) != 0) put32(*dna, 16, kmers);
        const std::uint64_t ids = 256ull + get32(*dna, 20) + get32(*dna, 16) + get32(*dna, 48) + get32(*dna, 52);
        if (random_.one_in(2) && ids < 5000) dna->resize(64 + 4 * ids);
    }

    void dna_ids() {
        Bytes* const dna = find(kDna, 68);
        if (!dna) return;
        for (std::size_t changes = 1 + random_.below(20); changes > 0; --changes) {
            put32(*dna, 64 + 4 * random_.below((dna->size() - 64) / 4), random_.one_in(8) ? 0xFFFFFFFF : any_id());
        }
    }

    void length_of_section() {
        if (made_.sections.empty()) return;
        Bytes& bytes = made_.sections[random_.below(made_.sections.size())].bytes;
        static constexpr std::size_t kSteps[] = {1, 4, 8, 16, 32, 64, 1024};
        const std::size_t step = kSteps[random_.below(std::size(kSteps))];
        bytes.resize(random_.one_in(2) ? bytes.size() + step : bytes.size() - std::min(step, bytes.size()));
    }

    void sections() {
        auto& sections = made_.sections;
        if (sections.empty()) return;
        const std::size_t at = random_.below(sections.size());
        switch (random_.below(7)) {
            case 0:
                sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            case 1:
                sections[at].id = small(random_.below(20));
                break;
            case 2:
                sections.push_back(
                    {small(random_.one_in(2) ? random_.below(20) : 5000), small(random_.below(2)), sections[at].bytes});
                break;
            default:  // last in the file, so that reading beyond it leaves the file
                std::rotate(sections.begin() + static_cast<std::ptrdiff_t>(at),
                            sections.begin() + static_cast<std::ptrdiff_t>(at) + 1, sections.end());
        }
    }

    void model() {
        Bytes* model = find(kModel, 16);
        if (!model) return;
        const std::size_t field = 4 * random_.below(4);
        put32(*model, field, field == 12 ? any_id() : telling(random_, get32(*model, field)));
    }

    void metadata() {
        if (Bytes* metadata = find(kMetadata, 2)) {
            metadata->insert(metadata->begin() + 1, random_.below(300), static_cast<std::uint8_t>(random_.next()));
        }
    }

    // The model states the greatest length of a token.
    void state_longest() {
        Bytes *offsets = find(kOffsets, 8), *model = find(kModel, 16);
        if (!offsets || !model || random_.one_in(10)) return;
        std::uint32_t longest = 0;
        for (std::size_t at = 4; at + 4 <= offsets->size(); at += 4) {
            const std::uint32_t length = get32(*offsets, at) - get32(*offsets, at - 4);
            if (length <= 0xFFFF) longest = std::max(longest, length);
        }
        put32(*model, 8, longest);
    }
    // A token whose index may change without the single bytes of BPE; 0 if there is none.
    std::size_t later_token() {
        const Bytes* offsets = find(kOffsets, 12);
        if (!offsets) return 0;
        const std::size_t count = offsets->size() / 4 - 1;
        const std::size_t first = count > 300 && !random_.one_in(10) ? 257 : 1;
        return first + random_.below(count - first);
    }

    // Other lengths of tokens.
    void token_borders() {
        for (std::size_t changes = 1 + random_.below(20); changes > 0; --changes) {
            const std::size_t id = later_token();
            if (id == 0) return;
            Bytes& offsets = *find(kOffsets, 12);
            const std::uint32_t least = get32(offsets, 4 * id - 4), most = get32(offsets, 4 * id + 4);
            if (most < least) return;
            put32(offsets, 4 * id, least + small(random_.below(std::size_t{most} - least + 1)));
        }
        state_longest();
    }

    void longer_token() {
        const std::size_t id = later_token();
        Bytes* bytes = find(kTokenBytes);
        if (id == 0 || !bytes) return;
        Bytes& offsets = *find(kOffsets, 12);
        const std::size_t begin = get32(offsets, 4 * id), more = 1 + random_.below(random_.one_in(4) ? 5000 : 40);
        if (begin > bytes->size()) return;
        bytes->insert(bytes->begin() + static_cast<std::ptrdiff_t>(begin), more, 'a');
        for (std::size_t at = 4 * id + 4; at + 4 <= offsets.size(); at += 4) put32(offsets, at, get32(offsets, at) + small(more));
        state_longest();
    }

    void token_bytes() {
        if (Bytes* bytes = find(kTokenBytes, 8)) damage_bytes(*bytes, random_);
    }

    struct Entries {
        Bytes* section;
        std::size_t begin, size, count;
    };
    Entries entries(std::uint32_t id) {
        static constexpr std::size_t kSizes[] = {16, 32, 4, 0, 4};
        Bytes* section = find(id, kHashHeader);
        if (!section) return {nullptr, 0, 0, 0};
        const std::size_t begin = (kHashHeader + std::size_t{get32(*section, 12)} + 63) / 64 * 64, size = kSizes[id - kPieces8];
        if (begin + size > section->size()) return {nullptr, 0, 0, 0};
        return {section, begin, size, (section->size() - begin) / size};
    }
    std::uint32_t any_table() {
        static constexpr std::uint32_t kTables[] = {kPieces8, kPieces24, kPiecesLong, kPairs};
        return kTables[random_.below(std::size(kTables))];
    }

    // Pieces with the ids of other tokens; not single bytes, which the validator looks up.
    void piece_ids() {
        static constexpr std::uint32_t kPieces[] = {kPieces8, kPieces8, kPieces24, kPiecesLong};
        const Entries all = entries(kPieces[random_.below(std::size(kPieces))]);
        if (!all.section) return;
        const std::uint32_t id = any_id();
        const bool every = random_.one_in(3), same = random_.one_in(2);
        for (std::size_t tries = every ? all.count : 1 + random_.below(20); tries > 0; --tries) {
            const std::size_t entry = every ? tries - 1 : random_.below(all.count);
            const std::size_t at = all.begin + entry * all.size;
            const std::size_t id_at = all.size == 4 ? at : at + all.size - 8;
            if (all.size > 4 && get32(*all.section, id_at + 4) < 2) continue;
            put32(*all.section, id_at, same ? id : any_id());
        }
    }

    void piece_cells() {
        const Entries all = entries(any_table());
        if (!all.section) return;
        const std::size_t to = all.begin + random_.below(all.count) * all.size;
        const std::size_t from = all.begin + random_.below(all.count) * all.size;
        switch (random_.below(3)) {
            case 0:
                std::swap_ranges(all.section->begin() + static_cast<std::ptrdiff_t>(to),
                                 all.section->begin() + static_cast<std::ptrdiff_t>(to + all.size),
                                 all.section->begin() + static_cast<std::ptrdiff_t>(from));
                break;
            case 1:
                (*all.section)[to + random_.below(all.size)] = static_cast<std::uint8_t>(random_.below(30));
                break;
            default:
                put32(*all.section, to + random_.below(all.size / 4) * 4, telling(random_, 0));
        }
    }

    void hash_headers() {
        Bytes* section = find(any_table(), kHashHeader + 1);
        if (!section) return;
        const std::size_t pilots = std::min<std::size_t>(get32(*section, 12), section->size() - kHashHeader);
        if (random_.one_in(3)) {
            const std::size_t field = 4 * random_.below(7);
            put32(*section, field, telling(random_, get32(*section, field)));
        } else if (pilots > 0) {
            (*section)[kHashHeader + random_.below(pilots)] = static_cast<std::uint8_t>(random_.next());
        }
    }

    // A token that two others merge to, found by looking up pairs. A text often contains these two.
    void split_and_pair() {
        Bytes* splits = find(kSplits, 8);
        const Entries pairs = entries(kPairs);
        if (!splits || !pairs.section) return;
        const std::uint32_t count = small(splits->size() / 8), buckets = get32(*pairs.section, 12);
        if (count < 2 || buckets == 0 || kHashHeader + std::size_t{buckets} > pairs.section->size()) return;
        for (std::size_t changes = 1 + random_.below(6); changes > 0; --changes) {
            const std::uint32_t id = 1 + small(random_.below(count - 1));
            std::uint32_t left = small(random_.below(id)), right = random_.one_in(2) ? left : small(random_.below(id));
            if (random_.one_in(6)) left = right = id;
            if (random_.one_in(12)) right = telling(random_, id);
            put32(*splits, 8 * id, left);
            put32(*splits, 8 * id + 4, right);
            const std::uint64_t hash = hash_of_word(left | std::uint64_t{right} << 32, 0, get64(*pairs.section, 0));
            const std::uint32_t slot =
                slot_of_hash(hash, pairs.section->data() + kHashHeader, buckets, get32(*pairs.section, 16));
            if (slot < pairs.count) put32(*pairs.section, pairs.begin + 4 * slot, id | small(hash >> 53) << 21);
        }
    }

    std::size_t unit_count() {
        const Bytes* trie = find(kTrie, kTrieHeader + 4);
        return trie ? std::min<std::size_t>(get32(*trie, 0), (trie->size() - kTrieHeader) / 4) : 0;
    }
    std::size_t used_unit() {
        const Bytes& trie = *find(kTrie, kTrieHeader + 4);
        const std::size_t count = unit_count();
        for (std::size_t tries = 0; tries < 2000; ++tries) {
            const std::size_t unit = random_.below(count);
            if ((get32(trie, kTrieHeader + 4 * unit) & 0x1FF) != 256) return unit;
        }
        return 0;
    }

    void trie_units() {
        const std::size_t count = unit_count();
        if (count == 0) return;
        Bytes& trie = *find(kTrie, kTrieHeader + 4);
        for (std::size_t changes = 1 + random_.below(20); changes > 0; --changes) {
            const std::size_t at = kTrieHeader + 4 * used_unit();
            const std::uint32_t unit = get32(trie, at), base = small(random_.below(count));
            switch (random_.below(4)) {
                case 0:
                    put32(trie, at, unit ^ 1u << 9);
                    break;
                case 1:
                    put32(trie, at, (unit & 0x3FF) | base << 10);
                    break;
                case 2:
                    put32(trie, at, (unit & ~0x1FFu) | small(random_.below(257)));
                    break;
                default:
                    put32(trie, at, get32(trie, kTrieHeader + 4 * used_unit()));
            }
        }
    }

    // A unit that is its own child, terminal or not, by a byte of the text.
    void trie_cycle() {
        if (unit_count() < 512) return;
        Bytes& trie = *find(kTrie, kTrieHeader + 4);
        const std::uint32_t unit = small(used_unit()), label = get32(trie, kTrieHeader + 4 * unit) & 0xFF;
        put32(trie, kTrieHeader + 4 * unit, label | small(random_.below(2)) << 9 | (unit ^ label) << 10);
    }

    void trie_values() {
        const std::size_t count = unit_count();
        Bytes* trie = find(kTrie, kTrieHeader + 4);
        if (count == 0 || trie->size() < kTrieHeader + 8 * count) return;
        for (std::size_t changes = 1 + random_.below(20); changes > 0; --changes) {
            put32(*trie, kTrieHeader + 4 * (count + used_unit()), any_id());
        }
    }

    void word_rules() {
        Bytes* rules = find(kWordPieces, 16);
        if (!rules) return;
        put32(*rules, 4 * random_.below(4), random_.one_in(2) ? small(random_.below(4)) : telling(random_, token_count()));
        if (random_.one_in(2)) rules->resize(16 + std::min(get32(*rules, 8), 300u), '#');
    }
    // Fields of steps, or steps in another order.
    void program() {
        Bytes* program = find(kProgram, 16 + 2 * 24);
        if (!program) return;
        const std::size_t count = std::min<std::size_t>(get32(*program, 0), (program->size() - 16) / 24);
        if (count < 2) return;
        const std::size_t row = 16 + 24 * random_.below(count), other = 16 + 24 * random_.below(count),
                          field = 4 * random_.below(6);
        if (random_.one_in(2)) {
            std::swap_ranges(program->begin() + static_cast<std::ptrdiff_t>(row),
                             program->begin() + static_cast<std::ptrdiff_t>(row + 24),
                             program->begin() + static_cast<std::ptrdiff_t>(other));
        } else if (field == 0) {
            put32(*program, row, 1 + small(random_.below(15)));
            if (random_.one_in(2)) std::fill_n(program->begin() + static_cast<std::ptrdiff_t>(row + 4), 20, std::uint8_t{0});
        } else {
            put32(*program, row + field, field == 4 ? small(random_.below(16)) : telling(random_, get32(*program, row + field)));
        }
    }
    // Texts, charsmap units and patterns that steps refer to.
    void program_parts() {
        Bytes* program = find(kProgram, 16 + 2 * 24);
        if (!program) return;
        const std::size_t end = 16 + 24 * std::min<std::size_t>(get32(*program, 0), (program->size() - 16) / 24);
        if (end >= program->size()) return;
        const bool is_last = random_.one_in(2);  // after the patterns, where the charsmap is
        for (std::size_t changes = 1 + random_.below(8); changes > 0; --changes) {
            const std::size_t at = is_last
                                       ? program->size() - 1 - random_.below(std::min<std::size_t>(3000, program->size() - end))
                                       : end + random_.below(program->size() - end);
            (*program)[at] =
                static_cast<std::uint8_t>(random_.one_in(2) ? random_.next() : (*program)[at] ^ 1u << random_.below(8));
        }
    }
    void general_head() {
        Bytes* general = find(kGeneral, 64);
        if (!general) return;
        const std::size_t at = 4 * (random_.one_in(3) ? random_.below(16) : random_.below(2));
        put32(*general, at, at < 16 ? small(random_.below(16)) : telling(random_, get32(*general, at)));
    }
    // Steps of the general path, and in another order.
    void general_steps() {
        Bytes* general = find(kGeneral, 64 + 24);
        if (!general) return;
        const std::size_t count = std::min<std::size_t>(get32(*general, 8), (general->size() - 64) / 24);
        if (count < 2) return;
        const std::size_t row = 64 + 24 * random_.below(count), other = 64 + 24 * random_.below(count);
        const auto step = general->begin() + static_cast<std::ptrdiff_t>(row);
        switch (random_.below(4)) {
            case 0:
                std::swap_ranges(step, step + 24, general->begin() + static_cast<std::ptrdiff_t>(other));
                break;
            case 1: {  // without what it refers to
                const std::uint32_t kind = random_.one_in(2) ? 1 + small(random_.below(13)) : 32 + small(random_.below(11));
                put32(*general, row, kind);
                std::fill(step + 4, step + 24, std::uint8_t{0});
                break;
            }
            case 2:
                put32(*general, row + 4, small(random_.below(32)));
                break;
            default: {
                const std::size_t at = row + 8 + 4 * random_.below(4), from = other + at - row;
                put32(*general, at, random_.one_in(2) ? get32(*general, from) : telling(random_, get32(*general, at)));
            }
        }
    }
    void general_parts() {
        Bytes* general = find(kGeneral, 64 + 24);
        if (!general) return;
        const std::size_t begin = 64 + 24 * std::min<std::size_t>(get32(*general, 8), (general->size() - 64) / 24);
        if (begin >= general->size()) return;
        for (std::size_t changes = 1 + random_.below(2); changes > 0; --changes) {
            std::uint8_t& byte = (*general)[begin + random_.below(general->size() - begin)];
            byte = static_cast<std::uint8_t>(random_.one_in(2) ? random_.below(128) : byte ^ 1u << random_.below(8));
        }
    }
    // Words of a pattern's program, mostly ones that pass the validator.
    void regex_words() {
        Bytes* general = find(kGeneral, 64 + 24);
        if (!general) return;
        const std::size_t count = std::min<std::size_t>(get32(*general, 8), (general->size() - 64) / 24);
        for (std::size_t step = random_.below(count + 1); step < count; ++step) {
            const std::size_t row = 64 + 24 * step, begin = get32(*general, row + 8), size = get32(*general, row + 12);
            if ((get32(*general, row + 4) & layout::kIsRegex) == 0 || begin + size > general->size()) continue;
            std::vector<std::uint32_t> words(size / 4);
            for (std::size_t i = 0; i < words.size(); ++i) words[i] = get32(*general, begin + 4 * i);
            damage_regex(words, random_);
            for (std::size_t i = 0; i < words.size(); ++i) put32(*general, begin + 4 * i, words[i]);
            return;
        }
    }
    // Scores, including NaN, and ids of bytes.
    void scores() {
        Bytes* scores = find(kScores, 16);
        if (!scores) return;
        if (random_.one_in(4)) put32(*scores, 0, small(random_.below(3)));
        for (std::size_t n = 1 + random_.below(4); n > 0; --n) {
            static constexpr std::uint64_t kOdd[] = {
                0, 1, 0x8000000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF8000000000000};
            const std::size_t at = 8 * (1 + random_.below(scores->size() / 8 - 1));
            if (random_.one_in(3)) {
                put32(*scores, at, any_id());
            } else {
                put64(*scores, at, kOdd[random_.below(std::size(kOdd) - (random_.one_in(4) ? 0 : 2))]);
            }
        }
    }
    void joined_bytes() {
        Bytes* joined_bytes = find(kJoinedBytes, 8192);
        if (!joined_bytes) return;
        switch (random_.below(3)) {
            case 0:
                std::fill(joined_bytes->begin(), joined_bytes->end(), static_cast<std::uint8_t>(0));
                break;
            case 1:
                std::fill(joined_bytes->begin(), joined_bytes->end(), static_cast<std::uint8_t>(255));
                break;
            default:
                for (int i = 0; i < 100; ++i) (*joined_bytes)[random_.below(8192)] = static_cast<std::uint8_t>(random_.next());
        }
    }

    bool is_hole(std::uint32_t id) {
        const Bytes* offsets = find(kOffsets, 4 * (std::size_t{id} + 2));
        return offsets && get32(*offsets, 4 * std::size_t{id}) == get32(*offsets, 4 * std::size_t{id} + 4);
    }
    // Other crossings or unmatched tokens, up to all of them; holes, which may not be unmatched, rarely.
    void id_lists() {
        Bytes* list = any({kCrossings, kUnmatched}, 4);
        if (!list) return;
        const std::size_t one_in = 1 + random_.below(random_.one_in(2) ? 2 : 60);
        const bool has_holes = random_.one_in(8);
        Bytes ids;
        append32(ids, 0);
        for (std::uint32_t id = 0; id < std::min(token_count(), 5000u); ++id) {
            if (random_.one_in(one_in) && (has_holes || !is_hole(id))) append32(ids, id);
        }
        put32(ids, 0, small(ids.size() / 4 - 1));
        *list = std::move(ids);
    }

    // Other transitions of the automata, and other character classes, mostly ones that pass the validator.
    void patterns() {
        Bytes* section = find(kPattern, 64);
        if (!section) return;
        Bytes& bytes = *section;
        std::size_t pattern = 0;
        const std::size_t second = get32(bytes, 20);
        if (random_.one_in(2) && second + 64 <= bytes.size()) pattern = second;
        const std::size_t states = get32(bytes, pattern), classes = get32(bytes, pattern + 4), row = get32(bytes, pattern + 8),
                          blocks = get32(bytes, pattern + 12);
        const std::size_t table = pattern + 64 + 2 * 8704 + 128 * blocks;
        if (states < 2 || states > 128 || classes < 1 || classes >= row || row > 128 || table + 2 * states * row > bytes.size()) {
            return;
        }
        if (random_.one_in(4)) put32(bytes, pattern + 16, small(random_.below(random_.one_in(8) ? 9 : 8)));
        for (std::size_t times = random_.below(6); times > 0; --times) {
            const std::size_t state = 1 + random_.below(states - 1), input = random_.below(classes + random_.one_in(4));
            const std::size_t next = input == classes ? 0 : random_.below(states) * row;
            const bool ends = state > 1 && random_.one_in(2);
            put16(bytes, table + 2 * (state * row + input), static_cast<std::uint16_t>(next | (ends ? 0x8000 : 0)));
        }
        for (std::size_t times = random_.below(200); times > 0; --times) {
            bytes[table - 1 - random_.below(128 * blocks)] = static_cast<std::uint8_t>(random_.below(classes));
        }
    }

    // Rows whose strings overlap and share prefixes, in views with some each. Few are equal, since every reader refuses those.
    void added_and_views() {
        Bytes *added = find(kAdded, 8), *views = find(kViews, 8 + 32);
        if (!added || !views) return;
        std::string strings = random_.one_in(2) ? "<|end|><|end|><|e" : "aaaaabababa \xC3\xA9";
        if (random_.one_in(6)) strings += std::string(random_.below(400), 'a');
        const std::string names = "abcdefgh";
        const std::uint32_t view_count = 1 + small(random_.below(4));
        Bytes rows, sorted, view_rows;
        std::uint32_t first = 0;
        for (std::uint32_t view = 0; view < view_count; ++view) {
            const std::uint32_t most = small(random_.below(random_.one_in(4) ? 40 : 6));
            std::uint32_t id = any_id(), size = std::max(token_count(), 1u), count = 0;
            std::vector<std::pair<std::string, std::uint32_t>> tokens;
            for (std::uint32_t row = 0; row < most; ++row) {
                const std::size_t at = random_.below(strings.size());
                const std::size_t length =
                    1 + random_.below(std::min<std::size_t>(strings.size() - at, random_.one_in(2) ? 3 : 500));
                const std::string bytes = strings.substr(at, length);
                const bool is_known =
                    std::any_of(tokens.begin(), tokens.end(), [&](const auto& each) { return each.first == bytes; });
                if (is_known && !random_.one_in(40)) continue;
                tokens.push_back({bytes, count++});
                append32(rows, small(at));
                append32(rows, small(length));
                append32(rows, id);
                append32(rows, small(random_.below(random_.one_in(2) ? 2 : 32)));
                size = std::max(size, id + 1);
                id += small(random_.below(3));
                if (random_.one_in(40)) id += 1000000;
            }
            std::sort(tokens.begin(), tokens.end());
            for (const auto& [bytes, row] : tokens) append32(sorted, random_.one_in(200) ? small(random_.below(4)) : row);
            const std::uint32_t name = small(random_.below(names.size()));
            const std::uint32_t pretokenizer = 1 + small(random_.below(random_.one_in(3) ? 9 : 4));
            for (std::uint32_t value :
                 {name, 1u, pretokenizer, 0x1000u, first, count, size + (random_.one_in(9) ? 100000u : 0u), 0u}) {
                append32(view_rows, value);
            }
            first += count;
        }
        rows.insert(rows.end(), sorted.begin(), sorted.end());
        const auto fill = [](Bytes& section, std::uint32_t count, const Bytes& filled, const std::string& text) {
            section.clear();
            append32(section, count);
            append32(section, small(text.size()));
            section.insert(section.end(), filled.begin(), filled.end());
            section.insert(section.end(), text.begin(), text.end());
        };
        fill(*added, first, rows, strings);
        fill(*views, view_count, view_rows, names);
    }

    void view_fields() {
        Bytes* section = any({kViews, kAdded}, 16);
        if (!section) return;
        const std::size_t at = 4 * random_.below(std::min<std::size_t>(section->size() / 4, 40));
        put32(*section, at, telling(random_, get32(*section, at)));
    }

    void merges() {
        Bytes *merges = find(kMerges, 92), *model = find(kModel, 16);
        if (!merges || !model) return;
        const std::size_t header = 80 + 12 * std::min<std::size_t>(get32(*merges, 0), (merges->size() - 80) / 12);
        switch (random_.below(3)) {
            case 0: {
                const std::size_t at = 4 * random_.below(header / 4);
                put32(*merges, at, telling(random_, get32(*merges, at)));
                break;
            }
            case 1: {  // two bytes are swapped
                if (header >= merges->size()) break;
                std::swap((*merges)[header + random_.below(merges->size() - header)],
                          (*merges)[header + random_.below(merges->size() - header)]);
                break;
            }
            default: {  // as many holes as a file can state in twelve bytes
                const std::uint32_t more = random_.one_in(8) ? 1u << 20 : 1 + small(random_.below(5000));
                Bytes run;
                for (std::uint32_t value : {token_count(), more, 0u}) append32(run, value);
                merges->insert(merges->begin() + static_cast<std::ptrdiff_t>(header), run.begin(), run.end());
                put32(*merges, 0, get32(*merges, 0) + 1);
                put32(*model, 4, token_count() + more);
                if (Bytes* views = find(kViews, 8)) {
                    for (std::size_t at = 8 + 24; at + 4 <= views->size() && at < 8 + 32 * 2; at += 32) {
                        put32(*views, at, std::max(get32(*views, at), token_count()));
                    }
                }
            }
        }
    }

    // A well-formed list of merges that no vocabulary would have: any halves, equal tokens, deep and long ones.
    void other_merges() {
        Bytes *merges = find(kMerges), *model = find(kModel, 16);
        if (!merges || !model) return;
        std::vector<std::string> tokens;
        std::vector<layout::Split> splits;
        const auto add = [&](const std::string& token, std::uint32_t left, std::uint32_t right) {
            tokens.push_back(token);
            splits.push_back({left, right});
        };
        for (std::uint32_t byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)), byte, byte);
        const std::uint32_t common[] = {'a', 'b', ' ', 'e', 0xC3, 0xA9};
        const std::uint32_t count = token_count();
        while (tokens.size() < std::min(count, 1000u)) {
            const std::uint32_t id = small(tokens.size());
            const auto half = [&] {
                if (id == 256 || random_.one_in(3)) return common[random_.below(std::size(common))];
                return random_.one_in(2) ? id - 1 : 256 + small(random_.below(id - 256));
            };
            const std::uint32_t left = half(), right = random_.one_in(3) ? left : half();
            if (random_.one_in(20)) {
                add(random_.one_in(2) ? "" : "run" + std::to_string(id), id, id);
            } else if (tokens[left].size() + tokens[right].size() <= 3000 && !tokens[left].empty() && !tokens[right].empty()) {
                add(tokens[left] + tokens[right], left, right);
            }
        }
        std::size_t longest = 0;
        for (const std::string& token : tokens) longest = std::max(longest, token.size());
        put32(*model, 4, small(tokens.size()));
        put32(*model, 8, small(longest));
        const TokenArrays list(tokens);
        Buffer<u8> section;
        if (write_merge_list({list.data(), list.offsets.data(), list.count()}, splits.data(), &section).ok()) {
            merges->assign(section.begin(), section.end());
        }
    }

    HandmadeCartridge& made_;
    Random& random_;
};

HandmadeCartridge parsed(const Bytes& file) {
    HandmadeCartridge made;
    for (const SectionEntry& entry : section_entries(file)) {
        const auto begin = file.begin() + static_cast<std::ptrdiff_t>(entry.offset);
        made.sections.push_back(
            {entry.id, get32(file, entry.row + 4), Bytes(begin, begin + static_cast<std::ptrdiff_t>(entry.length))});
    }
    return made;
}

// Version 2: words of the arrays, usually pointing to other states, and the list beside the file.
void damage_dat(Damaged& made, Random& random) {
    const std::uint32_t count = get32(made.file, 8);
    for (std::size_t changes = random.below(6); changes > 0; --changes) {
        const std::size_t at = 12 + 4 * random.below(3 * count);
        const bool is_state = random.one_in(2);
        put32(made.file, at, is_state ? small(random.below(count)) : telling(random, get32(made.file, at)));
    }
    if (random.one_in(8)) damage_bytes(made.file, random);
    if (random.one_in(8)) made.file.resize(random.below(made.file.size() + 40));
    for (std::size_t changes = random.below(3); changes > 0 && !made.tokens.empty(); --changes) {
        std::string& token = made.tokens[random.below(made.tokens.size())];
        token = random.one_in(2) ? "" : random.one_in(2) ? "\xEF\xBF\xBD" : std::string(1 + random.below(30), 'b');
    }
    if (random.one_in(4)) made.tokens.resize(random.below(made.tokens.size() + 20));
    made.list_offsets = TokenArrays(made.tokens).offsets;
    if (random.one_in(8)) {
        std::uint32_t& offset = made.list_offsets[random.below(made.list_offsets.size())];
        offset = telling(random, offset);
    }
    made.unknown_id = random.one_in(4) ? telling(random, 3) : 3;
}

}  // namespace

void damage_regex(std::vector<std::uint32_t>& words, Random& random) {
    constexpr std::size_t kHead = layout::kRegexHead;
    if (words.size() <= kHead) return;
    const std::size_t end = std::clamp<std::size_t>(words[kHead - 1], kHead + 1, words.size());
    for (std::size_t changes = 1 + random.below(2); changes > 0; --changes) {
        std::uint32_t& word = words[random.one_in(10)  ? 1 + random.below(kHead - 1)
                                    : random.one_in(8) ? random.below(words.size())
                                                       : kHead + random.below(end - kHead)];
        word = random.one_in(3)   ? words[kHead + random.below(end - kHead)]
               : random.one_in(3) ? telling(random, word)
               : random.one_in(2) ? small(random.below(20))
                                  : static_cast<std::uint32_t>(kHead) + small(random.below(end - kHead));
    }
}

Damaged damaged(const Original& original, Random& random) {
    Damaged made{original.file, original.tokens, {}, original.unknown_id, true};
    if (original.is_dat) {
        damage_dat(made, random);
        return made;
    }
    if (!random.one_in(20)) {
        HandmadeCartridge sections = parsed(original.file);
        Damage damage(sections, random);
        const bool is_strict = original.name.find("general") != std::string::npos;  // most changes are refused
        for (std::size_t changes = 1 + random.below(is_strict ? 2 : 4); changes > 0; --changes) damage.once();
        made.file = sections.file();
    }
    if (random.one_in(10)) {
        Bytes head(made.file.begin(),
                   made.file.begin() + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(made.file.size()), 300));
        damage_bytes(head, random);
        std::copy(head.begin(), head.end(), made.file.begin());
        made.has_checksum = random.one_in(2);
        if (made.has_checksum && made.file.size() >= 64) seal(made.file);
    }
    return made;
}

}  // namespace crayon::test
