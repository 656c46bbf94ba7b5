#include "plan.h"

#include <cstdio>

namespace crayon::bench {

std::vector<std::uint32_t> ids_of(crayon_encoder* encoder, const Text& text) {
    std::vector<std::uint32_t> ids(text.size());
    std::uint32_t count = 0;
    for (std::size_t row = 0; row < text.rows(); ++row) count += encode_utf8(encoder, text, row, ids.data() + count);
    ids.resize(count);
    return ids;
}

namespace {

class Check {
public:
    Check(const Plan& plan, const Encoding& encoding, const Text& text) : encoding_(encoding), text_(text) {
        expected_ = read_reference(plan.texts_folder, text.name, encoding.name);
        by_reference_ = !expected_.empty();
    }

    bool by_reference() const { return by_reference_; }

    bool run(const std::string& kernel) {
        const Tokenizer tokenizer = create_tokenizer(encoding_.cartridge.get(), encoding_.name, kernel);
        const Encoder encoder = create_encoder(tokenizer.get());
        const std::vector<std::uint32_t> ids = ids_of(encoder.get(), text_);
        if (expected_.empty()) expected_ = ids;

        std::vector<std::uint32_t> ids16(text_.size());
        std::uint32_t count16 = 0, counted = 0;
        for (std::size_t row = 0; row < text_.rows(); ++row) {
            count16 += encode_utf16(encoder.get(), text_, row, ids16.data() + count16);
            counted += count_utf8(encoder.get(), text_, row);
        }
        ids16.resize(count16);

        std::string decoded(text_.size(), '\0');
        crayon_result result;
        crayon_decode(tokenizer.get(), ids.data(), static_cast<std::uint32_t>(ids.size()), 0,
                      reinterpret_cast<std::uint8_t*>(decoded.data()), static_cast<std::uint32_t>(decoded.size()), &result);

        return say(ids == expected_, kernel, "the ids of UTF-8 differ") &
               say(ids16 == expected_, kernel, "the ids of UTF-16 differ") &
               say(counted == expected_.size(), kernel, "the count differs") &
               say(result.status == CRAYON_OK && text_.bytes.compare(0, text_.size(), decoded) == 0, kernel,
                   "the ids do not decode to the text");
    }

private:
    bool say(bool right, const std::string& kernel, const char* wrong) const {
        if (!right) {
            std::fprintf(stderr, "WRONG: %s, %s, %s: %s\n", text_.name.c_str(), encoding_.name.c_str(), kernel.c_str(), wrong);
        }
        return right;
    }

    const Encoding& encoding_;
    const Text& text_;
    std::vector<std::uint32_t> expected_;
    bool by_reference_;
};

}  // namespace

bool check(const Plan& plan) {
    bool right = true;
    std::string without;
    for (const Encoding& encoding : plan.encodings) {
        for (const Text& text : plan.texts) {
            Check check(plan, encoding, text);
            if (!check.by_reference()) without += " " + text.name + "." + encoding.name;
            for (const std::string& kernel : plan.kernels) right &= check.run(kernel);
        }
    }
    if (!without.empty()) std::fprintf(stderr, "no reference ids for:%s\n", without.c_str());
    return right;
}

}  // namespace crayon::bench
