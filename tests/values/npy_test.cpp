#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/files.hpp"
#include "values/npy.hpp"

namespace warpwright::values {
namespace npy_test {

using testing::HasSubstr;

std::vector<std::byte> file_of(std::string dictionary, std::size_t data, int version = 1) {
    std::string text = "\x93NUMPY";
    text += static_cast<char>(version);
    text += '\0';
    text += static_cast<char>(dictionary.size() & 255);
    text += static_cast<char>(dictionary.size() >> 8);
    if (version == 2) text += std::string(2, '\0');
    text += dictionary + std::string(data, '\x01');
    auto* p = reinterpret_cast<const std::byte*>(text.data());
    return {p, p + text.size()};
}

std::string error_of(const std::vector<std::byte>& file) {
    auto r = parse_npy(file, "f.npy");
    return r ? "no error" : r.error().text();
}

TEST(Npy, reads_versions_1_and_2_and_any_order_of_keys) {
    auto a = parse_npy(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24), "f");
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->element, Element::f32);
    EXPECT_THAT(a->shape, testing::ElementsAre(2, 3));
    EXPECT_EQ(a->data.size(), 24u);
    auto b = parse_npy(file_of("{\"shape\": (), 'fortran_order': False, 'descr': '|u1'}\n", 1, 2), "f");
    ASSERT_TRUE(b.ok());
    EXPECT_EQ(b->count(), 1u);
    auto c = parse_npy(file_of("{'descr': '<i8', 'fortran_order': True, 'shape': (0,), }", 0), "f");
    ASSERT_TRUE(c.ok());  // one dimension is the same in both orders
    EXPECT_EQ(c->count(), 0u);
}

TEST(Npy, says_what_it_cannot_take) {
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    EXPECT_THAT(error_of({}), HasSubstr("f.npy: error: is not an .npy file"));
    EXPECT_THAT(error_of(file_of(good, 8, 3)), HasSubstr("version 3.0"));
    EXPECT_THAT(error_of(file_of(good, 7)), HasSubstr("needs 8 bytes of data, there are 7"));
    EXPECT_THAT(error_of(file_of(good, 9)), HasSubstr("there are 9"));
    EXPECT_THAT(error_of(file_of("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", 8)), HasSubstr("'>f4'"));
    EXPECT_THAT(error_of(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2,2)}", 16)),
                HasSubstr("Fortran order"));
    EXPECT_THAT(error_of(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8)),
                HasSubstr("structured"));
    EXPECT_THAT(error_of(file_of("{'descr': '<f4', 'shape': (2,)}", 8)), HasSubstr("lacks"));
    EXPECT_THAT(error_of(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 8)),
                HasSubstr("whole numbers"));
    EXPECT_THAT(error_of(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", 8)), HasSubstr("after"));
    EXPECT_THAT(error_of(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296,)}", 8)),
                HasSubstr("2^64"));
    EXPECT_THAT(error_of(file_of("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8)),
                HasSubstr("unexpected key"));
    auto cut = file_of(good, 0);
    cut.resize(30);
    EXPECT_THAT(error_of(cut), HasSubstr("ends inside its header"));
}

TEST(Npy, no_prefix_of_a_file_crashes_or_passes) {
    auto whole = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 8);
    for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(parse_npy(std::span(whole).first(n), "f").ok()) << n;
}

TEST(Npy, what_is_written_is_read_again) {
    const warpwright::test::Folder folder;
    const std::string path = folder / "round_trip.npy";
    std::vector<std::byte> data(24);
    for (int i = 0; i < 24; ++i) data[i] = static_cast<std::byte>(i * 7);
    ASSERT_TRUE(write_npy(path, Element::i32, data, {2, 3}).ok());
    EXPECT_EQ((std::filesystem::file_size(path) - 24) % 64, 0u);
    auto a = read_npy(path);
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->data, data);
    EXPECT_THAT(a->shape, testing::ElementsAre(2, 3));
    EXPECT_TRUE(read_buffer_file(path, Element::i32, 6).ok());
    EXPECT_THAT(read_buffer_file(path, Element::f32, 6).error().text(), HasSubstr("holds i32, the argument wants f32"));
    EXPECT_THAT(read_buffer_file(path, Element::i32, 5).error().text(), HasSubstr("holds 6 elements"));
}

TEST(Npy, a_named_pipe_is_refused_without_waiting_for_a_writer) {
    const warpwright::test::Folder folder;
    const std::string path = folder / "pipe.npy";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(read_buffer_file(path, Element::f32, 1).error().text(), HasSubstr("not a regular file"));
}

TEST(Npy, missing_files_and_folders_are_errors) {
    EXPECT_THAT(read_buffer_file("/nowhere/x.npy", Element::f32, 1).error().text(),
                HasSubstr("/nowhere/x.npy: error: cannot be read"));
    EXPECT_THAT(read_buffer_file("/", Element::f32, 1).error().text(), HasSubstr("not a regular file"));
    EXPECT_FALSE(write_buffer_file("/nowhere/x.bin", Element::f32, {}).ok());
}

}  // namespace npy_test
}  // namespace warpwright::values
