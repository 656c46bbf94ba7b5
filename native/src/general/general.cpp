#include "general/general.h"

#include <algorithm>
#include <new>

#include "base/whitespace.h"
#include "cartridge/section_checks.h"

namespace crayon::general {

Status Tokenizer::create(const Cartridge& cartridge, const TokenizerView& view, Tokenizer** out) {
    Tokenizer* const tokenizer = new (std::nothrow) Tokenizer;
    if (!tokenizer) return Status::out_of_memory();
    tokenizer->definition_ = Definition(cartridge.general());
    Matchers matchers;
    PatternRanges scratch;
    Status status = tokenizer->forms_.create();
    if (status.ok()) status = tokenizer->sets_.create(tokenizer->definition_);
    if (status.ok()) status = tokenizer->model_.create(tokenizer->definition_, cartridge.longest_match());
    if (status.ok()) status = matchers.create(tokenizer->definition_);
    if (status.ok()) {
        Normalizing string(tokenizer->forms_);
        PreTokenizedString content;
        status = tokenizer->added_.create(view, cartridge.words(), [&](std::string_view text, NormalizedString* normalized) {
            Status begun = content.begin(reinterpret_cast<const u8*>(text.data()), static_cast<u32>(text.size()));
            if (!begun.ok()) return begun;
            string.begin(content.get(content.splits()[0]));
            begun = normalize_all(tokenizer->definition_, matchers, string, &scratch);
            *normalized = string.get();
            return begun;
        });
    }
    if (status.ok())
        *out = tokenizer;
    else
        delete tokenizer;
    return status;
}

Status normalize_all(const Definition& definition, Matchers& matchers, Normalizing& string, PatternRanges* scratch) {
    for (const layout::GeneralStep& step : definition.normalizers()) {
        if (Status status = normalize(definition, step, matchers, string, scratch); !status.ok()) return status;
    }
    return {};
}

Status normalize_text(const u8* section, size_t section_length, const u8* text, size_t length, Buffer<u8>* out) {
    const layout::GeneralTokenizer* head = nullptr;
    if (Status status = read_general_section(section, {layout::kGeneralSection, 0, section_length}, 0, &head); !status.ok())
        return status;
    const Definition definition(head);
    UnicodeForms forms;
    Matchers matchers;
    PreTokenizedString string;
    PatternRanges scratch;
    Status status = forms.create();
    if (status.ok()) status = matchers.create(definition);
    if (status.ok()) status = string.begin(text, static_cast<u32>(length));
    if (!status.ok() || string.splits().empty()) return status;
    Normalizing normalizing(forms);
    normalizing.begin(string.get(string.splits()[0]));
    status = normalize_all(definition, matchers, normalizing, &scratch);
    if (!status.ok()) return status;
    return out->append(normalizing.get().bytes, normalizing.get().length) ? Status{} : Status::out_of_memory();
}

Status Encoding::encode(const u8* text, size_t length, const AddedChoice& choice, bool keeps_spaces) {
    tokens_.clear();
    spaces_.clear();
    blank_ = {};
    matchers_.refill();
    keeps_spaces_ = keeps_spaces;
    Status status = length > kMostText ? Status{CRAYON_TEXT_TOO_LONG} : take_well_formed(text, length);
    if (status.ok()) status = run(choice);
    const bool has_position = status.code == CRAYON_TEXT_REFUSED || status.code == CRAYON_UNKNOWN_CHARACTER ||
                              status.code == CRAYON_SPECIAL_FORBIDDEN || status.code == CRAYON_PATTERN_BUDGET;
    if (has_position) status.position = raw_at(static_cast<u32>(status.position));
    return status;
}

// Stages read UTF-8 without checks.
Status Encoding::take_well_formed(const u8* text, size_t length) {
    constexpr u8 kReplacement[3] = {0xEF, 0xBF, 0xBD};
    well_formed_.clear();
    replaced_.clear();
    units_.clear();
    size_t copied = 0;
    bool allocated = true;
    for (size_t at = 0; at < length;) {
        if (text[at] < 0x80) {
            ++at;
            continue;
        }
        const Character c = character_in(text, at, length);
        if (is_ill_formed(c, text + at)) {
            allocated = allocated && well_formed_.append(text + copied, at - copied) && well_formed_.append(kReplacement, 3);
            copied = at + c.length;
            const u32 end = static_cast<u32>(well_formed_.size());
            allocated = allocated && replaced_.push_back({end, static_cast<u32>(end - copied)});
            if (!allocated) return Status::out_of_memory();
            if (well_formed_.size() > kMostText) return {CRAYON_TEXT_TOO_LONG};
        }
        at += c.length;
    }
    if (replaced_.empty()) {
        text_ = text;
        length_ = static_cast<u32>(length);
        return {};
    }
    if (!well_formed_.append(text + copied, length - copied)) return Status::out_of_memory();
    if (well_formed_.size() > kMostText) return {CRAYON_TEXT_TOO_LONG};
    text_ = well_formed_.data();
    length_ = static_cast<u32>(well_formed_.size());
    return {};
}

Status Encoding::run(const AddedChoice& choice) {
    using Parts = PreTokenizedString::Parts;
    const Definition& definition = tokenizer_.definition();
    const AddedVocabulary& added = tokenizer_.added();
    Status status = string_.begin(text_, length_);
    const auto find = [&](bool normalized) {
        return [&added, &choice, normalized](const NormalizedString& string, Parts& parts) {
            return added.split(normalized, choice, string, parts);
        };
    };
    if (status.ok() && added.has(false)) status = string_.split(find(false));
    if (status.ok() && !definition.normalizers().empty()) {
        const auto normalize = [&](Normalizing& string) { return normalize_all(definition, matchers_, string, &ranges_); };
        status = string_.rewrite(normalizing_, normalize, find(true));
    } else if (status.ok() && added.has(true)) {
        status = string_.split(find(true));
    }
    for (const layout::GeneralStep& step : definition.pre_tokenizers()) {
        if (!status.ok()) return status;
        status = pre_tokenize(definition, step, tokenizer_.sets(), matchers_, normalizing_, &ranges_, &string_);
    }
    u32 number = 0;
    for (const Split& split : string_.splits()) {
        if (!status.ok()) return status;
        if (split.added != kNoId) {
            const NormalizedString string = string_.get(split);
            const Token token = {added.id_of(split.added), string.convert_offsets(0, string.length), number | Token::kAdded};
            if (!add(token, string.bytes, string.length, true)) return Status::out_of_memory();
        } else {
            const NormalizedString string = string_.get(split);
            model_tokens_.clear();
            status = tokenizer_.model().tokenize(string.bytes, string.length, model_, &model_tokens_);
            if (!status.ok()) {
                if (status.code == CRAYON_UNKNOWN_CHARACTER) status.position = string.alignments[status.position].start;
                return status;
            }
            for (const ModelToken& each : model_tokens_) {
                const Token token = {each.id, string.convert_offsets(each.begin, each.end), number};
                if (tokenizer_.model().fuses_unknown(each.id) && !tokens_.empty() && tokens_.back().id == each.id) {
                    tokens_.back().original.end = token.original.end;
                    continue;
                }
                const bool is_own = tokenizer_.model().takes_text(each.id);
                if (!add(token, string.bytes + each.begin, each.end - each.begin, is_own)) return Status::out_of_memory();
            }
        }
        ++number;
    }
    return status;
}

// `is_own`: the text is the token's. Of those inside of a token that is whitespace alone (AddedVocabulary), that one's characters
// are counted down: they are read once.
bool Encoding::add(const Token& token, const u8* text, u32 length, bool is_own) {
    if (!keeps_spaces_) return tokens_.push_back(token);
    Range spaces = {kNoId, kNoId};
    if (is_own && text >= blank_.begin && text + length == blank_.end) {
        for (; blank_.begin < text; --blank_.characters) blank_.begin += character_at(blank_.begin).length;
        spaces = {blank_.characters, blank_.characters};
    } else if (is_own) {
        const auto is_space = [](u32 code) { return is_whitespace(code) || code == 0x120; };
        spaces = {0, 0};
        u32 first = 0;
        for (; first < length && is_space(character_at(text + first).code_point); ++spaces.begin)
            first += character_at(text + first).length;
        for (u32 at = length; at > first; ++spaces.end) {
            do --at;
            while (is_continuation(text[at]));
            if (!is_space(character_at(text + at).code_point)) break;
        }
        if (first == length) {
            spaces.end = spaces.begin;
            if (text + length > blank_.end || text < blank_.begin) blank_ = {text, text + length, spaces.begin};
        }
    }
    return tokens_.push_back(token) && spaces_.push_back(spaces);
}

u32 Encoding::raw_at(u32 byte) const {
    const Replaced* const next =
        std::partition_point(replaced_.begin(), replaced_.end(), [byte](const Replaced& each) { return each.end <= byte; });
    if (next != replaced_.end() && byte + 3 > next->end) byte = next->end - 3;  // inside of a U+FFFD
    return next == replaced_.begin() ? byte : byte - next[-1].behind;
}

Range Encoding::raw(Range original) const {
    return {raw_at(std::min(original.begin, length_)), raw_at(std::min(original.end, length_))};
}

// A character of four bytes is two units.
u32 Encoding::unit_at(u32 byte) const {
    const auto count = [this](u32 from, u32 to) {
        u32 units = 0;
        for (u32 at = from; at < to; ++at) units += !is_continuation(text_[at]) + (text_[at] >= 0xF0);
        return units;
    };
    if (units_.empty()) {
        u32 before = 0;
        for (u32 at = 0; at <= length_; at += kMark) {
            if (!units_.push_back(before)) {  // then it is counted each time
                units_.clear();
                return count(0, byte);
            }
            before += count(at, std::min(at + kMark, length_));
        }
    }
    return units_[byte / kMark] + count(byte / kMark * kMark, byte);
}

// The reference counts characters in the same way: a place inside of a character is where that begins; the end of the text
// follows its last character; an end beyond it is two characters after the beginning; and a place beyond the end stays as it is,
// in bytes.
Range Encoding::units(Range original) const {
    if (original.begin >= length_) return original;
    const auto begin_of = [this](u32 byte) {
        while (is_continuation(text_[byte])) --byte;
        return byte;
    };
    const u32 begin = begin_of(original.begin);
    if (original.end < length_) return {unit_at(begin), unit_at(begin_of(original.end))};
    if (original.end == length_) return {unit_at(begin), unit_at(length_)};
    u32 end = begin, beyond = 0;
    for (u32 i = 0; i < 2; ++i) end < length_ ? end += character_at(text_ + end).length : ++beyond;
    return {unit_at(begin), unit_at(end) + beyond};
}

size_t Encoding::memory() const { return well_formed_.capacity() + string_.memory(); }

}  // namespace crayon::general
