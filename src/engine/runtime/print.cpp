// printf of kernels: CUDA's rules for formats and the buffer of arguments. Widths, texts and the output of one call are
// limited, because the kernel chooses the format, and it must not cost more than it prints.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "engine/runtime/lane_bytes.hpp"

namespace warpwright::engine {

namespace {

/// A field is no wider, and no number has more digits, than this.
constexpr std::int64_t kMostField = 4096;
/// The output of one call: as much as CUDA's buffer holds by default (cudaLimitPrintfFifoSize).
constexpr std::size_t kMostPrinted = std::size_t{1} << 20;
/// printf writes a double of 309 digits before the point, beside the field's own.
constexpr std::size_t kNumberBytes = kMostField + 512;

/// One conversion, "%-08.3lld" without its last letter.
struct Spec {
    std::string flags;
    std::int64_t width = -1, precision = -1;  ///< -1: none
    unsigned longs = 0, shorts = 0;
    bool size_type = false;

    bool wide() const { return longs > 0 || size_type; }
    void add_flag(char c) {
        if (flags.find(c) == std::string::npos) flags += c;
    }
    std::string text(const std::string& kind) const {
        return "%" + flags + (width < 0 ? "" : std::to_string(width)) +
               (precision < 0 ? "" : "." + std::to_string(precision)) + kind;
    }
};

class Printer {
public:
    Printer(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t arguments)
        : c_(c), f_(f), lane_(lane), at_(arguments) {}

    std::string print(const std::string& text) {
        for (std::size_t i = 0; i < text.size() && out_.size() < kMostPrinted && !c_->executor->launch.stop;) {
            if (text[i] != '%') {
                const auto end = std::min(text.find('%', i), text.size());
                out_.append(text, i, end - i);
                i = end;
                continue;
            }
            const auto start = i++;
            const auto spec = read_spec(text, i);
            if (i >= text.size()) {
                out_.append(text, start);
                break;
            }
            // Of more arguments than these a GPU prints the conversions as they stand.
            constexpr unsigned kMostArguments = 32;
            const char kind = text[i++];
            if ((kind != '%' && taken_ >= kMostArguments) || !convert(spec, kind)) out_.append(text, start, i - start);
        }
        if (out_.size() > kMostPrinted) out_.resize(kMostPrinted);
        return std::move(out_);
    }

private:
    /// The next argument: int 4 bytes, double and 64-bit 8, each aligned to its size.
    template <class T>
    T next() {
        T value{};
        at_ = (at_ + sizeof value - 1) / sizeof value * sizeof value;
        read_lane(c_, f_, lane_, at_, &value, sizeof value);
        at_ += sizeof value;
        ++taken_;
        return value;
    }

    Spec read_spec(const std::string& text, std::size_t& i) {
        Spec s;
        std::int64_t* number = &s.width;
        for (; i < text.size() && std::strchr("-+ #0123456789.*hlLzjt", text[i]); ++i) {
            const char x = text[i];
            if (x == 'l' || x == 'L')
                ++s.longs;
            else if (x == 'h')
                ++s.shorts;
            else if (x == 'z' || x == 'j' || x == 't')
                s.size_type = true;
            else if (x == '.')
                number = &s.precision, *number = 0;
            else if (x == '*') {
                const std::int64_t given = next<std::int32_t>();
                if (given < 0 && number == &s.width) s.add_flag('-');
                *number = given < 0 && number == &s.precision ? -1 : std::min(given < 0 ? -given : given, kMostField);
            } else if ((x < '1' || x > '9') && number == &s.width && s.width < 0)
                s.add_flag(x);
            else if (x >= '0' && x <= '9')
                *number = std::min(std::max<std::int64_t>(*number, 0) * 10 + (x - '0'), kMostField);
        }
        return s;
    }

    template <class T>
    void number(const Spec& s, const std::string& kind, T value) {
        char buffer[kNumberBytes];
        std::snprintf(buffer, sizeof buffer, s.text(kind).c_str(), value);
        out_ += buffer;
    }

    void string(const Spec& s) {
        auto text = text_at(c_, next<std::uint64_t>());
        if (s.precision >= 0) text.resize(std::min(text.size(), static_cast<std::size_t>(s.precision)));
        const auto width = static_cast<std::size_t>(std::max<std::int64_t>(s.width, 0));
        const std::string blanks(width > text.size() ? width - text.size() : 0, ' ');
        const bool left = s.flags.find('-') != std::string::npos;
        out_ += left ? text + blanks : blanks + text;
    }

    /// False if it is no conversion.
    bool convert(const Spec& s, char kind) {
        switch (kind) {
            case '%':
                out_ += '%';
                return true;
            case 'd':
            case 'i': {
                const auto given = s.wide() ? next<std::int64_t>() : next<std::int32_t>();
                number(s, "lld",
                       static_cast<long long>(s.wide()        ? given
                                              : s.shorts >= 2 ? static_cast<signed char>(given)
                                              : s.shorts      ? static_cast<short>(given)
                                                              : given));
                return true;
            }
            case 'u':
            case 'x':
            case 'X':
            case 'o': {
                const auto given = s.wide() ? next<std::uint64_t>() : next<std::uint32_t>();
                number(s, std::string("ll") + kind,
                       static_cast<unsigned long long>(s.wide()        ? given
                                                       : s.shorts >= 2 ? static_cast<unsigned char>(given)
                                                       : s.shorts      ? static_cast<unsigned short>(given)
                                                                       : given));
                return true;
            }
            case 'c':
                number(s, "c", next<std::int32_t>());
                return true;
            case 'p':
                number(s, "p", reinterpret_cast<void*>(next<std::uint64_t>()));
                return true;
            case 's':
                string(s);
                return true;
            case 'a':
            case 'A':
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
                number(s, std::string(1, kind), next<double>());
                return true;
            default:
                return false;
        }
    }

    BlockContext* c_;
    WarpFrame* f_;
    unsigned lane_;
    std::uint64_t at_;
    unsigned taken_ = 0;  ///< arguments
    std::string out_;
};

}  // namespace

std::string print_text(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t format, std::uint64_t arguments) {
    return Printer(c, f, lane, arguments).print(text_at(c, format));
}

}  // namespace warpwright::engine
