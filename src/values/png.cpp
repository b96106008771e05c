// libpng's simplified interface, with one check before it: a file that claims more pixels than its bytes can hold is
// refused before memory is taken for them.
#include "values/png.hpp"

#include <png.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "support/read_file.hpp"

namespace warpwright::values {
namespace {

Error at(const std::string& path, const std::string& what) {
    return Error{ErrorKind::input, what, Location{path, 0, 0}, ""};
}

/// libpng's simple interface keeps its error in the structure; this frees what it holds.
struct Image {
    png_image image;
    Image() {
        std::memset(&image, 0, sizeof image);
        image.version = PNG_IMAGE_VERSION;
    }
    ~Image() { png_image_free(&image); }
};

}  // namespace

Result<Picture> read_png(const std::string& path) {
    auto bytes = read_file(path, file_limit::picture, "cannot be read as PNG: ");
    if (!bytes) return std::move(bytes).error();
    return parse_png(*bytes, path);
}

Result<Picture> parse_png(std::string_view bytes, const std::string& path) try {
    Image holder;
    png_image& image = holder.image;
    if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()))
        return at(path, std::string("cannot be read as PNG: ") + image.message);
    const bool colour = (image.format & PNG_FORMAT_FLAG_COLOR) != 0;
    const bool opacity = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
    if (std::uint64_t{image.width} * image.height > std::uint64_t{1} << 28)
        return at(path, "has more than 2^28 pixels");
    // Deflate expands one byte to at most 1032, and a byte has 8 pixels of one bit: a file that claims more is damaged,
    // and no memory is allocated for it.
    if (std::uint64_t{image.width} * image.height / 8 / 1032 > bytes.size())
        return at(path, "is damaged: it is too short for its size in pixels");
    image.format = (colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY) | (opacity ? PNG_FORMAT_FLAG_ALPHA : 0);
    std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
    Picture out;
    out.width = image.width;
    out.height = image.height;
    out.channels = colour ? 3 : 1;
    if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr))
        return at(path, std::string("is damaged: ") + image.message);
    if (!opacity) {
        out.values = std::move(pixels);
        return out;
    }
    const std::size_t each = out.channels + 1;
    out.values.reserve(pixels.size() / each * out.channels);
    out.opacity.reserve(pixels.size() / each);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        (i % each == out.channels ? out.opacity : out.values).push_back(pixels[i]);
    return out;
} catch (const std::bad_alloc&) {
    return Error{ErrorKind::limit, "there is not enough host memory for the picture", Location{path, 0, 0},
                 "a smaller one"};
}

namespace {

/// A picture as the library takes it: its header, and pixels with their opacity beside them.
struct Prepared {
    Image holder;
    std::vector<std::uint8_t> mixed;
    const std::vector<std::uint8_t>* pixels;

    explicit Prepared(const Picture& picture) : pixels(&picture.values) {
        png_image& image = holder.image;
        image.width = picture.width;
        image.height = picture.height;
        image.format = (picture.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY) |
                       (picture.opacity.empty() ? 0 : PNG_FORMAT_FLAG_ALPHA);
        if (picture.opacity.empty()) return;
        for (std::size_t i = 0; i < picture.opacity.size(); ++i) {
            const auto from = picture.values.begin() + static_cast<std::ptrdiff_t>(i * picture.channels);
            mixed.insert(mixed.end(), from, from + picture.channels);
            mixed.push_back(picture.opacity[i]);
        }
        pixels = &mixed;
    }
};

}  // namespace

Result<void> write_png(const std::string& path, const Picture& picture) {
    Prepared ready(picture);
    png_image& image = ready.holder.image;
    if (!png_image_write_to_file(&image, path.c_str(), 0, ready.pixels->data(), 0, nullptr)) {
        std::remove(path.c_str());
        return at(path, std::string("cannot be written: ") + image.message);
    }
    return {};
}

Result<std::string> png_bytes(const Picture& picture) {
    Prepared ready(picture);
    png_image& image = ready.holder.image;
    png_alloc_size_t size = 0;
    const auto write = [&](void* to) {
        return png_image_write_to_memory(&image, to, &size, 0, ready.pixels->data(), 0, nullptr) != 0;
    };
    if (!write(nullptr)) return at("", std::string("cannot be written: ") + image.message);
    std::string out(size, '\0');
    if (!write(out.data())) return at("", std::string("cannot be written: ") + image.message);
    out.resize(size);
    return out;
}

}  // namespace warpwright::values
