#include "structure/use.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "crayon/layout/normalizer.h"
#include "naive/utf.h"
#include "read_parts.h"
#include "section_numbers.h"

namespace crayon::test {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using Numbers = std::vector<u32>;

// As much as lib/ feeds at once.
constexpr std::size_t kWindow = 65536;

std::u16string utf16_of(const std::string& bytes) { return test::utf16_of(naive::decode_utf8(bytes).code_points); }

// A text over the tokens: long words, runs, repetitions, parts of tokens, damaged characters, added tokens.
std::string text_of(const std::vector<std::string>& tokens, Random& random) {
    static constexpr const char* kOthers[] = {"<|end|>",  "<|e", "<|end", "<|fim|>", "<",        " ",    "\n",   "a",
                                              "aaaaaaaa", "ab",  "ba",    "\xE4",    "\xB8\xAD", "\xC3", "\xA9", "'s"};
    const bool has_words_only = random.one_in(3);  // which are one long piece
    std::string text;
    for (std::size_t parts = random.below(random.one_in(6) ? 400 : 40); parts > 0; --parts) {
        std::string part = tokens.empty() ? "a" : tokens[random.below(tokens.size())];
        if (has_words_only) {
            std::erase_if(part, [](char c) { return c == ' ' || c == '\n'; });
            text += part;
            continue;
        }
        switch (random.below(9)) {
            case 0:
                text += part.substr(0, random.below(part.size() + 1));
                break;
            case 1:
                text += part.substr(random.below(part.size() + 1));
                break;
            case 2:
                text += kOthers[random.below(std::size(kOthers))];
                break;
            case 3:
                text += random.one_in(4) ? TextGenerator(random.next()).utf8().substr(0, 60)
                                         : std::string(1, static_cast<char>(random.next()));
                break;
            case 4:
                text.append(random.one_in(4) ? random.below(300) : random.below(20), "ab a\xA9"[random.below(5)]);
                break;
            case 5: {
                const std::size_t begin = random.below(text.size() + 1);
                text += std::string(text.substr(begin, random.below(80)));
                break;
            }
            default:
                text += part;
        }
        if (text.size() > 3000) break;
    }
    return text;
}

class Use {
public:
    Use(crayon_cartridge* cartridge, const std::vector<std::string>& tokens, Random& random)
        : cartridge_(cartridge), tokens_(tokens), random_(random) {}

    std::string run() {
        u32 length = 0, row[4];
        crayon_cartridge_metadata(cartridge_, &length);
        for (u32 i = 0; crayon_cartridge_section(cartridge_, i, row); ++i) is_general_ |= row[0] == kGeneral;
        u32 views = 0;
        while (crayon_cartridge_view_name(cartridge_, views, &length)) ++views;
        if (!holds(views > 0, "no views")) return std::move(failure_);
        use_view(small(random_.below(views)));
        if (random_.one_in(6)) compile();
        return std::move(failure_);
    }

private:
    struct Handle {
        crayon_tokenizer* tokenizer = nullptr;
        crayon_encoder* encoder = nullptr;
        ~Handle() {
            crayon_encoder_release(encoder);
            crayon_tokenizer_release(tokenizer);
        }
    };

    bool holds(bool condition, const char* what) {
        if (!condition && failure_.empty()) failure_ = what;
        return condition;
    }
    bool is_ok(const char* what) {
        if (result_.status != CRAYON_OK && failure_.empty()) {
            failure_ = std::string(what) + ": " + crayon_status_name(result_.status) + " at " + std::to_string(result_.position);
        }
        return result_.status == CRAYON_OK;
    }

    void use_view(u32 view) {
        Handle handle;
        u32 kernels = 0;
        while (crayon_kernel_name(kernels)) ++kernels;
        const char* const kernel = crayon_kernel_name(small(random_.below(kernels)));
        crayon_tokenizer_create(cartridge_, view, kernel, small(std::strlen(kernel)), &handle.tokenizer, &result_);
        if (is_of_general()) return;  // the normalizer cannot normalize an added token
        if (!is_ok("create a tokenizer")) return;
        if (std::string_view(crayon_tokenizer_model(handle.tokenizer)) == "dna") {
            tokenizer_ = handle.tokenizer;
            vocabulary_size_ = crayon_tokenizer_vocabulary_size(tokenizer_);
            describe();
            if (failure_.empty()) failure_ = use_dna(tokenizer_, random_);
            return;
        }
        crayon_encoder_create(handle.tokenizer, &handle.encoder, &result_);
        if (!is_ok("create an encoder")) return;
        tokenizer_ = handle.tokenizer;
        encoder_ = handle.encoder;
        vocabulary_size_ = crayon_tokenizer_vocabulary_size(tokenizer_);
        has_unknown_ = std::string_view(crayon_tokenizer_model(tokenizer_)) == "longest-match";
        describe();
        for (std::size_t texts = 1 + random_.below(2); texts > 0 && failure_.empty(); --texts) {
            std::string text = text_of(tokens_, random_);
            if (random_.one_in(80) && !text.empty()) {  // more than a window
                while (text.size() < kWindow + 3000) text += std::string(text.substr(0, 20000));
            }
            use_text(text);
        }
    }

    void describe() {
        u32 about[3] = {}, before = 0;
        listed_.clear();
        for (u32 i = 0; const u8* bytes = crayon_tokenizer_added_token(tokenizer_, i, about); ++i) {
            if (!holds(about[0] > 0 && about[1] < vocabulary_size_ && about[1] >= before, "an added token")) return;
            before = about[1];
            crayon_tokenizer_id_of(tokenizer_, bytes, about[0]);
            listed_.push_back(about[1]);
        }
        for (int i = 0; i < 30; ++i) {
            u32 length = 0;
            const u8* const bytes = crayon_tokenizer_token_bytes(tokenizer_, any_id(), &length);
            if (!bytes) continue;
            const std::vector<u8> copy(bytes, bytes + length);
            const u32 id = crayon_tokenizer_id_of(tokenizer_, copy.data(), length);
            if (!holds(id == 0xFFFFFFFF || id < vocabulary_size_, "the id of a token")) return;
        }
        for (int i = 0; i < 3; ++i) {
            std::string piece = text_of(tokens_, random_).substr(0, random_.below(200));
            crayon_tokenizer_id_of(tokenizer_, reinterpret_cast<const u8*>(piece.data()), small(piece.size()));
        }
    }

    u32 any_id() {
        static constexpr u32 kOthers[] = {0xFFFFFFFF, 0xFFFFFFF4, 0x80000000, 0x1FFFFF};
        if (random_.one_in(20)) return kOthers[random_.below(4)];
        if (random_.one_in(6)) return vocabulary_size_ - 1 - small(random_.below(40));
        return small(random_.below(std::min(vocabulary_size_, 1000u)));
    }

    bool begin() {
        special_ = small(random_.below(4));
        Numbers listed;
        for (u32 id : listed_) {
            if (random_.one_in(2)) listed.push_back(id);
        }
        crayon_encoder_begin(encoder_, special_, listed.data(), special_ == 3 ? small(listed.size()) : 0, &result_);
        return is_ok("begin");
    }

    // Whether the general path has refused a text. What has taken all of its budget is not asked again.
    bool is_of_general() {
        is_used_up_ |= result_.status == CRAYON_PATTERN_BUDGET;
        const u32 statuses[] = {CRAYON_TEXT_REFUSED, CRAYON_PATTERN_BUDGET, CRAYON_TEXT_TOO_LONG, CRAYON_UNKNOWN_CHARACTER};
        return is_general_ && std::find(std::begin(statuses), std::end(statuses), result_.status) != std::end(statuses);
    }

    // Whether a status other than OK is possible for this text. Its position then lies in the text.
    bool is_expected(std::size_t size, const char* what) {
        const u32 status = result_.status;
        if (status == CRAYON_OK) return true;
        const bool allowed = (status == CRAYON_SPECIAL_FORBIDDEN && special_ == CRAYON_SPECIAL_FORBID) ||
                             (status == CRAYON_UNKNOWN_CHARACTER && has_unknown_) || is_of_general();
        if (!allowed) return is_ok(what);
        holds(result_.position < size && result_.position_high == 0, "the position of a failure");
        return false;
    }

    void use_text(const std::string& text) {
        const std::u16string units = random_.one_in(3) ? TextGenerator(random_.next()).utf16() : utf16_of(text);
        const std::string as_utf8 = naive::utf8_of_utf16(units);
        const std::size_t as_units = utf16_of(text).size();
        const auto all = [&](auto read) {
            if (!failure_.empty() || is_used_up_ || !begin()) return;
            if (random_.one_in(2)) {
                // A character that a window splits after an added token which ends inside it counts as two or more.
                feed_bytes(text, [&] { return read(text.size(), as_units + 2 * fed_); });
            } else {
                feed_units(units, [&] { return read(as_utf8.size(), units.size()); });
            }
        };
        Numbers ids;
        all([&](std::size_t size, std::size_t) { return read_ids(ids, size); });
        all([&](std::size_t size, std::size_t) { return count(size); });
        for (u32 unit : {CRAYON_UNIT_BYTES, CRAYON_UNIT_UTF16, CRAYON_UNIT_PIECES, CRAYON_UNIT_WORDS, CRAYON_UNIT_SPACES}) {
            if (unit > CRAYON_UNIT_UTF16 && !is_general_) break;
            all([&](std::size_t size, std::size_t length) {
                return read_offsets(unit, size, unit == CRAYON_UNIT_UTF16 ? length : size);
            });
        }
        if (text.size() <= kWindow && random_.one_in(2)) {
            split(text);
        } else {
            fit(text);
        }
        decode(ids);
    }

    // Where the windows end: all at once, like lib/ feeds long texts, or anywhere.
    std::vector<std::size_t> windows(std::size_t length) {
        std::vector<std::size_t> ends;
        const std::size_t widest = length > kWindow ? kWindow : random_.one_in(2) ? length : 1 + random_.below(300);
        for (std::size_t at = 0; at < length;) {
            at += length > kWindow ? std::min(widest, length - at) : std::min(1 + random_.below(widest), length - at);
            ends.push_back(at);
        }
        if (ends.empty() || random_.one_in(4)) ends.push_back(length);
        return ends;
    }

    // `ready` reads all available ids, and returns false after a failure.
    template <class Ready>
    void feed_bytes(const std::string& text, Ready ready) {
        total_ = fed_ = 0;
        last_start_ = last_end_ = 0;
        std::size_t at = 0;
        const std::vector<std::size_t> ends = windows(text.size());
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const std::vector<u8> window(text.begin() + static_cast<std::ptrdiff_t>(at),
                                         text.begin() + static_cast<std::ptrdiff_t>(ends[i]));
            const bool last = i + 1 == ends.size();
            crayon_encoder_feed_utf8(encoder_, window.data(), small(window.size()), last, &result_);
            if (!is_ok("feed bytes") || !ready()) return;
            ++fed_;
            at = ends[i];
            crayon_encoder_pending_tokens(encoder_);
        }
    }
    template <class Ready>
    void feed_units(const std::u16string& units, Ready ready) {
        total_ = 0;
        last_start_ = last_end_ = 0;
        std::size_t at = 0;
        const std::vector<std::size_t> ends = windows(units.size());
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const std::vector<std::uint16_t> window(units.begin() + static_cast<std::ptrdiff_t>(at),
                                                    units.begin() + static_cast<std::ptrdiff_t>(ends[i]));
            const bool last = i + 1 == ends.size();
            crayon_encoder_feed_utf16(encoder_, window.data(), small(window.size()), last, &result_);
            if (!is_ok("feed units") || !ready()) return;
            at = ends[i];
        }
    }

    u32 any_capacity() { return 1 + small(random_.below(random_.one_in(3) ? 4 : random_.one_in(2) ? 200 : 70000)); }

    // There are at most as many ids as bytes, and each read makes progress.
    bool is_progress(std::size_t size, u32 capacity) {
        total_ += result_.count;
        // NFC turns one byte into at most three, a program one into 1024 characters, and it may prefix each segment with a text.
        const std::string_view normalizer = crayon_tokenizer_normalizer(tokenizer_);
        const std::size_t most = normalizer == "program" ? 4 * layout::kMaxGrowth * (size + 1)
                                 : normalizer.empty()    ? size
                                                         : 3 * size;
        return holds(result_.count <= capacity, "more ids than there is room for") &&
               holds(total_ <= most || is_general_, "more ids than bytes") &&
               holds(!result_.more || result_.count > 0, "a read without ids that has more");
    }

    bool read_ids(Numbers& kept, std::size_t size) {
        const u32 capacity = any_capacity();
        do {
            const std::unique_ptr<u32[]> ids(new u32[capacity]);
            crayon_encoder_read(encoder_, ids.get(), capacity, &result_);
            if (!is_expected(size, "read") || !is_progress(size, capacity)) return false;
            const u32 count = result_.count;
            const u32 greatest = count ? *std::max_element(ids.get(), ids.get() + count) : 0;
            if (!holds(count == 0 || greatest < vocabulary_size_, "an id outside the vocabulary")) return false;
            kept.insert(kept.end(), ids.get(), ids.get() + count);
        } while (result_.more);
        return true;
    }

    bool count(std::size_t size) {
        do {
            crayon_encoder_count(encoder_, random_.one_in(2) ? 0xFFFFFFFF : any_capacity(), &result_);
            if (!is_expected(size, "count") || !is_progress(size, 0xFFFFFFFF)) return false;
        } while (result_.more);
        return true;
    }

    bool read_offsets(u32 unit, std::size_t size, std::size_t length) {
        const u32 capacity = any_capacity();
        do {
            const std::unique_ptr<u32[]> ids(new u32[capacity]), offsets(new u32[2 * capacity]);
            crayon_encoder_read_with_offsets(encoder_, ids.get(), offsets.get(), capacity, unit, &result_);
            if (!is_expected(size, "read with offsets") || !is_progress(size, capacity)) return false;
            for (u32 i = 0; i < result_.count; ++i) {
                const u32 start = offsets[2 * i], end = offsets[2 * i + 1];
                if (is_general_) {  // as in the reference, offsets may go back, and in units end beyond the text
                    const bool is_inside =
                        unit >= CRAYON_UNIT_WORDS || unit == CRAYON_UNIT_UTF16 || (start <= length && end <= length);
                    if (!is_inside) {
                        failure_ = "offsets " + std::to_string(start) + ", " + std::to_string(end) + " in a text of " +
                                   std::to_string(length) + ", unit " + std::to_string(unit);
                        return false;
                    }
                    continue;
                }
                if (start > end || end > length || start < last_start_ || end < last_end_) {
                    failure_ = "offsets " + std::to_string(start) + ", " + std::to_string(end) + " after " +
                               std::to_string(last_start_) + ", " + std::to_string(last_end_) + " in a text of " +
                               std::to_string(length) + (unit == CRAYON_UNIT_BYTES ? " bytes" : " units");
                    return false;
                }
                last_start_ = start;
                last_end_ = end;
            }
        } while (result_.more);
        return true;
    }

    u32 limit() {
        static constexpr u32 kLimits[] = {0, 1, 2, 3, 7, 30, 100, 1000, 0xFFFFFFFF};
        return kLimits[random_.below(std::size(kLimits))];
    }

    // A beginning or an end.
    void fit(const std::string& text) {
        if (!failure_.empty() || is_used_up_ || !begin()) return;
        const std::vector<u8> bytes(text.begin(), text.end());
        const u32 side = small(random_.below(2)), most = limit();
        crayon_encoder_fit(encoder_, bytes.data(), small(bytes.size()), small(random_.below(2)), most, side, CRAYON_UNIT_BYTES,
                           &result_);
        if (!is_expected(text.size(), "fit") || result_.more) return;
        const std::size_t at = side == CRAYON_KEEP_END ? text.size() - result_.count : result_.count;
        const std::vector<std::size_t> boundaries = naive::decode_utf8(text).offsets;
        holds(std::binary_search(boundaries.begin(), boundaries.end(), at), "what is kept of a text");
    }

    // A whole text in parts, with any separators.
    void split(const std::string& text) {
        if (!failure_.empty() || is_used_up_ || !begin()) return;
        static constexpr std::string_view kListed = "\n\na ab";
        static constexpr u32 kListedNumbers[] = {2, 2, 1, 0, 3, 1};
        crayon_part_form form{std::max(limit(), 1u), 0, CRAYON_UNIT_BYTES, small(random_.below(5)), nullptr, nullptr, 0, 0};
        if (random_.one_in(2)) form.overlap = small(random_.below(form.limit));
        if (form.cuts == CRAYON_CUT_LISTED) {
            form.separators = reinterpret_cast<const u8*>(kListed.data());
            form.numbers = kListedNumbers;
            form.length = small(kListed.size());
            form.count = 3;
        }
        crayon_encoder_begin_parts(encoder_, form.limit, form.overlap, form.unit, form.cuts, form.separators, form.length,
                                   form.numbers, form.count, &result_);
        if (!is_ok("begin parts")) return;
        const std::vector<std::size_t> boundaries = naive::decode_utf8(text).offsets;
        u32 end = 0;
        bool is_over = false;
        feed_bytes(text, [&] {
            do {
                u32 part[3];
                crayon_encoder_read(encoder_, part, 3, &result_);
                if (!is_expected(text.size(), "split")) return false;
                if (result_.count == 0) return true;
                if (!holds(result_.count == 3 && !is_over, "the numbers of a part")) return false;
                is_over = part[0] == part[1];
                if (!holds(part[0] <= end && part[1] <= text.size() && part[1] >= part[0], "a part")) return false;
                if (!holds(is_over ? part[0] == end : part[1] > end && part[2] <= form.limit, "the end of a part")) return false;
                for (const u32 at : {part[0], part[1]}) {
                    if (!holds(std::binary_search(boundaries.begin(), boundaries.end(), at), "a part inside of a character"))
                        return false;
                }
                end = part[1];
            } while (result_.more);
            return true;
        });
        if (result_.status == CRAYON_OK) holds(is_over || end == text.size(), "the end of all parts");
    }

    void decode(Numbers ids) {
        if (!failure_.empty()) return;
        if (ids.size() > 3000) ids.resize(3000);
        for (std::size_t more = random_.below(20); more > 0; --more) ids.push_back(any_id());
        const u32 flags = small(random_.below(2));
        // Ids that are holes, or outside the vocabulary, are refused; the others decode to the measured length.
        for (std::size_t at = 0; at < ids.size();) {
            const Numbers rest(ids.begin() + static_cast<std::ptrdiff_t>(at), ids.end());
            crayon_decode_length(tokenizer_, rest.data(), small(rest.size()), flags, &result_);
            const bool is_valid = result_.status == CRAYON_OK;
            const std::size_t measured = result_.count, refused = result_.position;
            if (!is_valid && !holds(result_.status == CRAYON_INVALID_ID && refused < rest.size(), "decoded length")) return;
            if (is_valid && measured > 1 << 22) return;
            const u32 capacity = small(is_valid && random_.one_in(2) ? measured : random_.below(6000));
            const std::unique_ptr<u8[]> bytes(new u8[capacity]);
            crayon_decode(tokenizer_, rest.data(), small(rest.size()), flags, bytes.get(), capacity, &result_);
            if (!holds(result_.count <= capacity && result_.position <= rest.size(), "decoded bytes")) return;
            if (is_valid && capacity == measured &&
                !holds(result_.status == CRAYON_OK && result_.count == measured && !result_.more, "what was measured"))
                return;
            if (!is_valid) {
                at += refused + 1;
            } else if (result_.more && result_.position > 0) {
                at += result_.position;
            } else {
                return;
            }
        }
    }

    // The compiler's output for it opens.
    void compile() {
        if (!failure_.empty()) return;
        crayon_compiler* compiler = nullptr;
        crayon_compiler_create(&compiler, &result_);
        const auto finish = random_.one_in(3)   ? crayon_compiler_finish_dat
                            : random_.one_in(2) ? crayon_compiler_finish_slim
                                                : crayon_compiler_finish;
        const u8* file = nullptr;
        if (crayon_compiler_set_cartridge(compiler, cartridge_, &result_) == CRAYON_OK &&
            finish(compiler, &file, &result_) == CRAYON_OK) {
            const std::vector<u8> copy(file, file + result_.count);
            crayon_cartridge* again = nullptr;
            if (finish == crayon_compiler_finish_dat) {
                crayon_cartridge_open_dat_bytes(copy.data(), small(copy.size()), 0, nullptr, 0, nullptr, 0, 0xFFFFFFFF, &again,
                                                &result_);
            } else {
                crayon_cartridge_open_bytes(copy.data(), small(copy.size()), 0, &again, &result_);
            }
            is_ok("open what the compiler has made of it");
            crayon_cartridge_release(again);
        }
        crayon_compiler_release(compiler);
    }

    crayon_cartridge* cartridge_;
    const std::vector<std::string>& tokens_;
    Random& random_;
    crayon_tokenizer* tokenizer_ = nullptr;
    crayon_encoder* encoder_ = nullptr;
    crayon_result result_ = {};
    std::string failure_;
    u32 vocabulary_size_ = 0, special_ = 0;
    bool has_unknown_ = false, is_general_ = false, is_used_up_ = false;
    Numbers listed_;
    std::size_t total_ = 0;  // ids read
    std::size_t fed_ = 0;    // windows before
    u32 last_start_ = 0, last_end_ = 0;
};

}  // namespace

std::string use(crayon_cartridge* cartridge, const std::vector<std::string>& tokens, Random& random) {
    return Use(cartridge, tokens, random).run();
}

}  // namespace crayon::test
