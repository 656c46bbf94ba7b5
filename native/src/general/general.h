// The general path: what Hugging Face tokenizers 0.23 does with a text, stage by stage and under its names, for any
// tokenizer.json.
//
//   text ─▶ AddedVocabulary: tokens that are not normalized ─▶ normalizer ─▶ AddedVocabulary: the others
//        ─▶ pretokenizer ─▶ Model ─▶ ids, with where each is in the text
//
// A whole text is in memory, as splits of NormalizedStrings, which each stage cuts or rewrites; one thread encodes it. The fast
// path gives the same ids for the files that it is proved for (lib/vocabularies/import/tokenizer-json.ts decides); both share
// tables of characters, and nothing else.
//
// The reference stops with an error, or a panic, for some texts. Here the status is UNKNOWN_CHARACTER where the vocabulary lacks
// the unknown token, PATTERN_BUDGET from a pattern (regex.h), and else TEXT_REFUSED. Bytes that are not UTF-8, of which the
// reference knows nothing, are U+FFFD to all stages, each maximal subpart one.
#pragma once

#include "cartridge/cartridge.h"
#include "general/added_vocabulary.h"
#include "general/models.h"
#include "general/pre_tokenizers.h"

namespace crayon::general {

// A tokenizer. Immutable; any thread.
class Tokenizer {
public:
    // `view` and the cartridge outlive it. TEXT_REFUSED if the normalizer cannot normalize an added token; OUT_OF_MEMORY.
    static Status create(const Cartridge& cartridge, const TokenizerView& view, Tokenizer** out);
    virtual ~Tokenizer() = default;

    // The id of a token, or kNoId.
    virtual u32 id_of(std::string_view token) const { return model_.vocabulary().find(token); }
    const Definition& definition() const { return definition_; }
    const UnicodeForms& forms() const { return forms_; }
    const CharacterSets& sets() const { return sets_; }
    const AddedVocabulary& added() const { return added_; }
    const Model& model() const { return model_; }

private:
    Definition definition_;
    UnicodeForms forms_;
    CharacterSets sets_;
    AddedVocabulary added_;
    Model model_;
};

// What a normalizer makes of a text.
Status normalize_all(const Definition& definition, Matchers& matchers, Normalizing& string, PatternRanges* scratch);

// What the normalizers of a section of the general path (layout/general.h), which is checked first, make of a text.
Status normalize_text(const u8* section, size_t section_length, const u8* text, size_t length, Buffer<u8>* out);

// A token of a text.
struct Token {
    u32 id;
    Range original;  // bytes of the text
    u32 split;       // its number, with kAdded if it is an added token
    static constexpr u32 kAdded = 1u << 31;
    u32 number() const { return split & ~kAdded; }
    bool is_added() const { return (split & kAdded) != 0; }
};

// Encodes one text after the other. One thread at a time.
class Encoding {
public:
    explicit Encoding(const Tokenizer& tokenizer) : tokenizer_(tokenizer), normalizing_(tokenizer.forms()) {}
    Status create() { return matchers_.create(tokenizer_.definition()); }

    // The statuses above, with the byte of the text. TEXT_TOO_LONG beyond 512 MiB.
    Status encode(const u8* text, size_t length, const AddedChoice& choice, bool keeps_spaces = false);
    const Buffer<Token>& tokens() const { return tokens_; }
    // If they are kept: how many characters of whitespace the text of a token that is not the vocabulary's begins and ends with,
    // as post-processors with trim_offsets count them; kNoId for other tokens.
    Range spaces_of(u32 token) const { return spaces_[token]; }
    // The bytes of a split.
    Range split_at(u32 number) const { return raw(string_.splits()[number].original); }
    // Where a token is in the text as it was given, in bytes or UTF-16 units.
    Range raw(Range original) const;
    Range units(Range original) const;
    size_t memory() const;

private:
    Status take_well_formed(const u8* text, size_t length);
    Status run(const AddedChoice& choice);
    bool add(const Token& token, const u8* text, u32 length, bool is_own);
    u32 unit_at(u32 byte) const;
    u32 raw_at(u32 byte) const;

    const Tokenizer& tokenizer_;
    Matchers matchers_;
    Normalizing normalizing_;
    PreTokenizedString string_;
    PatternRanges ranges_;
    ModelScratch model_;
    ModelTokens model_tokens_;
    Buffer<Token> tokens_;
    bool keeps_spaces_ = false;
    Buffer<Range> spaces_;
    // The last token that is whitespace alone, from where it has been read on.
    struct {
        const u8 *begin = nullptr, *end = nullptr;
        u32 characters = 0;
    } blank_;
    const u8* text_ = nullptr;
    u32 length_ = 0;
    Buffer<u8> well_formed_;  // the text with U+FFFD for what is not UTF-8, if there is any
    // Where a U+FFFD ends in this text, and how many bytes the text as given is behind there.
    struct Replaced {
        u32 end, behind;
    };
    Buffer<Replaced> replaced_;
    // UTF-16 units before each multiple of kMark bytes, made when first asked for.
    static constexpr u32 kMark = 256;
    mutable Buffer<u32> units_;
};

}  // namespace crayon::general
