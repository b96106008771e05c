// The header of an .npy file is a Python literal: a reader of its own takes the three keys that it may have and refuses
// all else. Types that NumPy lacks are stored as the unsigned integers of their size.
#include "values/npy.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "support/read_file.hpp"

namespace warpwright::values {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

Error bad_file(const std::string& name, std::string what, std::string hint = "") {
    return Error{ErrorKind::input, std::move(what), Location{name, 0, 0}, std::move(hint)};
}

struct Dtype {
    std::string_view text;
    Element element;
};
constexpr Dtype kDtypes[] = {{"|i1", Element::i8},  {"|u1", Element::u8},  {"<i2", Element::i16}, {"<u2", Element::u16},
                             {"<i4", Element::i32}, {"<u4", Element::u32}, {"<i8", Element::i64}, {"<u8", Element::u64},
                             {"<f2", Element::f16}, {"<f4", Element::f32}, {"<f8", Element::f64}};

std::string_view dtype_of(Element element) {
    if (element == Element::bf16) return "<u2";
    for (const Dtype& d : kDtypes)
        if (d.element == element) return d.text;
    return "|u1";
}

/// The header's dictionary: a Python literal of fixed form. Keys come in any order, each once.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : text_(text) {}

    std::optional<std::string> problem;
    std::string descr;
    bool fortran = false;
    std::vector<std::uint64_t> shape;

    bool read() {
        bool has_descr = false, has_order = false, has_shape = false;
        if (!expect('{')) return false;
        while (!accept('}')) {
            std::string key;
            if (!read_string(key) || !expect(':')) return fail("the header is not a dictionary");
            if (key == "descr" && !has_descr) {
                if (!read_string(descr)) return fail("records and structured types are not supported");
                has_descr = true;
            } else if (key == "fortran_order" && !has_order) {
                if (accept_word("True"))
                    fortran = true;
                else if (!accept_word("False"))
                    return fail("fortran_order is neither True nor False");
                has_order = true;
            } else if (key == "shape" && !has_shape) {
                if (!read_shape()) return false;
                has_shape = true;
            } else {
                return fail("unexpected key '" + key + "' in the header");
            }
            if (!accept(',')) {
                if (!expect('}')) return false;
                break;
            }
        }
        skip();
        if (at_ != text_.size()) return fail("text after the header's dictionary");
        if (!has_descr || !has_order || !has_shape) return fail("the header lacks descr, fortran_order or shape");
        return true;
    }

private:
    bool fail(std::string what) {
        if (!problem) problem = std::move(what);
        return false;
    }
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool accept(char c) {
        skip();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool expect(char c) { return accept(c) || fail(std::string("'") + c + "' is missing in the header"); }
    bool accept_word(std::string_view word) {
        skip();
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    bool read_string(std::string& out) {
        skip();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
        char quote = text_[at_++];
        auto end = text_.find(quote, at_);
        if (end == std::string_view::npos) return false;
        out = text_.substr(at_, end - at_);
        at_ = end + 1;
        return true;
    }
    bool read_shape() {
        if (!expect('(')) return false;
        while (!accept(')')) {
            std::uint64_t value = 0;
            std::size_t digits = 0;
            skip();
            for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_, ++digits)
                if (__builtin_mul_overflow(value, 10, &value) ||
                    __builtin_add_overflow(value, text_[at_] - '0', &value))
                    return fail("a dimension is too large");
            if (digits == 0) return fail("the shape is not a tuple of whole numbers");
            shape.push_back(value);
            if (!accept(',')) {
                if (!expect(')')) return false;
                break;
            }
        }
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

Result<void> write_file(const std::string& path, std::string_view header, std::span<const std::byte> data) {
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    file.close();
    if (!file) return bad_file(path, std::string("cannot be written: ") + std::strerror(errno ? errno : EIO));
    return {};
}

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }

}  // namespace

std::uint64_t NpyArray::count() const {
    std::uint64_t n = 1;
    for (std::uint64_t d : shape) n *= d;
    return n;
}

Result<NpyArray> parse_npy(std::span<const std::byte> file, const std::string& name) {
    auto byte = [&](std::size_t i) { return std::to_integer<unsigned>(file[i]); };
    if (file.size() < 10 || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0)
        return bad_file(name, "is not an .npy file (the first bytes are not those of the format)");
    unsigned major = byte(6), minor = byte(7);
    if ((major != 1 && major != 2) || minor != 0)
        return bad_file(name, "has .npy version " + std::to_string(major) + "." + std::to_string(minor),
                        "1.0 and 2.0 are read");
    std::size_t start = major == 1 ? 10 : 12;
    if (file.size() < start) return bad_file(name, "ends inside its header");
    std::size_t length = byte(8) | byte(9) << 8;
    if (major == 2) length |= static_cast<std::size_t>(byte(10)) << 16 | static_cast<std::size_t>(byte(11)) << 24;
    if (file.size() - start < length) return bad_file(name, "ends inside its header");
    HeaderReader header({reinterpret_cast<const char*>(file.data()) + start, length});
    if (!header.read()) return bad_file(name, "header: " + header.problem.value_or("cannot be understood"));

    NpyArray array;
    bool known = false;
    for (const Dtype& d : kDtypes)
        if (d.text == header.descr) array.element = d.element, known = true;
    if (!known)
        return bad_file(name, "holds elements of type '" + header.descr + "'",
                        "little-endian i1-i8, u1-u8, f2, f4 and f8 are read");
    if (header.fortran && header.shape.size() > 1)
        return bad_file(name, "is in Fortran order", "save it with numpy.ascontiguousarray");
    array.shape = header.shape;
    std::uint64_t bytes = element_size(array.element);
    for (std::uint64_t d : array.shape)
        if (__builtin_mul_overflow(bytes, d, &bytes)) return bad_file(name, "has a shape beyond 2^64 bytes");
    std::uint64_t present = file.size() - start - length;
    if (present != bytes)
        return bad_file(
            name, "its shape needs " + std::to_string(bytes) + " bytes of data, there are " + std::to_string(present));
    array.data.assign(file.begin() + static_cast<std::ptrdiff_t>(start + length), file.end());
    return array;
}

Result<NpyArray> read_npy(const std::string& path) {
    auto bytes = read_bytes(path, file_limit::program);
    if (!bytes) return std::move(bytes).error();
    return parse_npy(*bytes, path);
}

Result<void> write_npy(const std::string& path, Element element, std::span<const std::byte> data,
                       std::vector<std::uint64_t> shape) {
    if (shape.empty()) shape = {data.size() / element_size(element)};
    std::uint64_t bytes = element_size(element);
    std::string dims;
    for (std::uint64_t d : shape) {
        bytes *= d;
        dims += std::to_string(d) + ",";
    }
    if (bytes != data.size()) return bad_file(path, "the shape does not fit the data");
    std::string dictionary =
        "{'descr': '" + std::string(dtype_of(element)) + "', 'fortran_order': False, 'shape': (" + dims + "), }";
    // The data begin at a multiple of 64 bytes; the header ends with a newline.
    std::size_t total = (10 + dictionary.size() + 1 + 63) / 64 * 64;
    dictionary.resize(total - 11, ' ');
    dictionary += '\n';
    std::string header(kMagic);
    header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 255), static_cast<char>(dictionary.size() >> 8)};
    return write_file(path, header + dictionary, data);
}

Result<std::vector<std::byte>> read_buffer_file(const std::string& path, Element element, std::uint64_t count) {
    if (is_npy(path)) {
        auto array = read_npy(path);
        if (!array) return std::move(array).error();
        bool same = array->element == element || (element == Element::bf16 && array->element == Element::u16) ||
                    ((element == Element::e4m3 || element == Element::e5m2) && array->element == Element::u8);
        if (!same)
            return bad_file(path, "holds " + std::string(element_name(array->element)) + ", the argument wants " +
                                      std::string(element_name(element)));
        if (array->count() != count)
            return bad_file(path, "holds " + std::to_string(array->count()) + " elements, the argument has " +
                                      std::to_string(count));
        return std::move(array->data);
    }
    auto bytes = read_bytes(path, std::max(file_limit::program, count * element_size(element)));
    if (!bytes) return std::move(bytes).error();
    if (bytes->size() != count * element_size(element))
        return bad_file(path, "has " + std::to_string(bytes->size()) + " bytes, the argument has " +
                                  std::to_string(count * element_size(element)));
    return bytes;
}

Result<void> write_buffer_file(const std::string& path, Element element, std::span<const std::byte> data) {
    if (is_npy(path)) return write_npy(path, element, data);
    return write_file(path, "", data);
}

}  // namespace warpwright::values
