// Elements that hold data. Small ones are JSON as it is, for readers of the file too; others are packed by deflate, and
// stand as base64 beside their length, which the script unpacks when somebody looks at them.
#include <fmt/format.h>
#include <zlib.h>

#include "report/program/page_data.hpp"

namespace warpwright::report {
namespace {

constexpr std::size_t kSmall = 1500;

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

/// Without a header and a sum: the file that it stands in is whole or it is not.
std::string deflated(const std::string& bytes) {
    z_stream z{};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string out(deflateBound(&z, bytes.size()), '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data()), z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);  // the bound has room for all of it
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

}  // namespace

std::string island(const std::string& id, const std::string& bytes) {
    return fmt::format("<script type=\"text/plain\" id=\"{}\" data-bytes=\"{}\">{}</script>\n", id, bytes.size(),
                       base64(deflated(bytes)));
}

std::string island(const std::string& id, const PageJson& data) {
    const std::string text = data.dump(-1, ' ', false, PageJson::error_handler_t::replace);
    if (text.size() > kSmall && id != "data") return island(id, text);
    // Nothing in it ends the element: "<" stands in strings only, and is written as a code.
    std::string out = fmt::format("<script type=\"application/json\" id=\"{}\">", id);
    out.reserve(out.size() + text.size() + 16);
    for (const char c : text)
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    return out + "</script>\n";
}

}  // namespace warpwright::report
