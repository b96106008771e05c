// A source and a header that change while the compiler reads them, and then are as they were: nothing of that stays in
// the cache.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "compile/kernel/command.hpp"
#include "compile/kernel/compile.hpp"
#include "support/temporary_folder.hpp"

namespace cache_test {

namespace fs = std::filesystem;
using namespace warpwright;

class ChangingFiles : public testing::Test {
protected:
    ChangingFiles() : folder_("changing") {
        write("part.h", "#define VALUE 3\n");
        write("k.cu", "#include \"part.h\"\nextern \"C\" __global__ void k(int* p) { p[0] = VALUE; }\n");
        write("part.evil", "#define VALUE 666\n");
        write("k.evil", "extern \"C\" __global__ void k(int* p) { p[0] = 666; }\n");
        const auto tools = compile::find_tools({});
        EXPECT_TRUE(tools.ok());
        // A compiler that changes a file before it reads, and puts the old one back, as long as a file says so.
        write("compiler", "#!/bin/sh\ncd \"" + folder_.path() +
                              "\"\nwhich=$(cat which 2>/dev/null)\n"
                              "if [ -n \"$which\" ]; then cp $which $which.good; cp ${which%.*}.evil $which; fi\n\"" +
                              tools->compiler +
                              "\" \"$@\"\nend=$?\n"
                              "if [ -n \"$which\" ]; then cp $which.good $which; fi\nexit $end\n");
        ::chmod((folder_.path() + "/compiler").c_str(), 0755);
        request_.path = folder_.path() + "/k.cu";
        options_.cache_dir = folder_.path() + "/cache";
        options_.compiler = folder_.path() + "/compiler";
    }
    void write(const std::string& file, const std::string& text) const {
        std::ofstream(folder_.path() + "/" + file) << text;
    }
    compile::CompiledPtx run() const {
        auto ptx = compile::compile(request_, options_);
        EXPECT_TRUE(ptx.ok()) << ptx.error().text();
        return ptx.ok() ? std::move(*ptx) : compile::CompiledPtx{};
    }
    static bool is_evil(const compile::CompiledPtx& p) { return p.ptx.find("666") != std::string::npos; }

    TemporaryFolder folder_;
    compile::CompileRequest request_;
    compile::CompileOptions options_;
};

TEST_F(ChangingFiles, TheSourceIsWhatTheKeyWasMadeOf) {
    write("which", "k.cu");
    EXPECT_FALSE(is_evil(run()));
    fs::remove(folder_.path() + "/which");
    EXPECT_FALSE(is_evil(run()));
}

TEST_F(ChangingFiles, AHeaderThatWasTouchedKeepsTheResultOut) {
    write("which", "part.h");
    EXPECT_TRUE(is_evil(run())) << "the attack of this test does not work";
    fs::remove(folder_.path() + "/which");
    const auto after = run();
    EXPECT_FALSE(after.from_cache);
    EXPECT_FALSE(is_evil(after));
    EXPECT_TRUE(run().from_cache);
}

}  // namespace cache_test
