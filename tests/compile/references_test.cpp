// Whether a program has texture references: only then may the headers take the names `texture` and `surface`.
#include "compile/program/texture_references.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace references_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(References, WordsAreFoundAsTemplates) {
    EXPECT_TRUE(uses_template("texture<float, 2> t;", "texture"));
    EXPECT_TRUE(uses_template("static texture  <uchar4> t;", "texture"));
    EXPECT_FALSE(uses_template("cudaTextureObject_t texture; int a = texture < 3;", "textures"));
    EXPECT_FALSE(uses_template("my_texture<float> t; textures<int> u;", "texture"));
    EXPECT_FALSE(uses_template("gl::texture<float> t; a.texture<int>();", "texture"));
    EXPECT_FALSE(uses_template("std::cout << texture << 3;", "texture"));
    EXPECT_TRUE(declares_class("template <class T> struct texture { T v; };", "texture"));
    EXPECT_FALSE(declares_class("constructs texture; restruct texture", "texture"));
}

TEST(References, ProgramsAndWhatTheyInclude) {
    const TemporaryFolder folder("references");
    const auto write = [&](const std::string& name, const std::string& text) {
        const auto path = folder.path() + "/" + name;
        std::ofstream(path) << text;
        return path;
    };
    write("shared.h", "texture<float, 1, cudaReadModeElementType> t;\n");
    write("own.h", "template <class T> class texture { T* data; };\n");
    EXPECT_THAT(reference_defines(write("a.cu", "#include \"shared.h\"\nint main() {}\n"), {}),
                ElementsAre("WARPWRIGHT_TEXTURE_REFERENCES=1"));
    EXPECT_THAT(reference_defines(write("b.cu", "surface<void, 2> s;\n"), {}),
                ElementsAre("WARPWRIGHT_SURFACE_REFERENCES=1"));
    EXPECT_THAT(reference_defines(write("c.cu", "#include \"own.h\"\ntexture<float> mine;\n"), {}), IsEmpty());
    EXPECT_THAT(reference_defines(write("d.cu", "void f(cudaTextureObject_t texture);\n"), {}), IsEmpty());
}

}  // namespace references_test
}  // namespace warpwright::compile
