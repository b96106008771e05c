// What is kept of an exercise between runs, and that a judge which is given it makes nothing of it again.
#include <gtest/gtest.h>

#include "common/files.hpp"
#include "learn/judge.hpp"
#include "learn/rehearsal.hpp"
#include "support/settings.hpp"

namespace warpwright::learn {
namespace rehearsal_test {

TEST(Rehearsed, IsReadAsItWasWritten) {
    Rehearsed one;
    one.figures = {{{"reference", "barriers"}, 64}, {{"", "answer"}, 0.1}};
    one.texts[{"/a/b.cu", {"TILE=16"}}] = "// PTX";
    one.host_code["0123.host-code"] = std::string("\0\xff\x7f code", 8);
    const auto again = unpacked(packed(one));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->figures, one.figures);
    EXPECT_EQ(again->texts, one.texts);
    EXPECT_EQ(again->host_code, one.host_code);
    for (const std::string& text : {std::string(), std::string("no CBOR"), packed({}).substr(1)})
        EXPECT_FALSE(unpacked(text)) << text;
}

TEST(Rehearse, KeepsTheFiguresOfTheReference) {
    const test::Folder folder;
    // Before the exercise is looked at there are no threads, and this process has a cache of its own.
    settings::choose(Setting::cache, folder.string());
    auto e = read_exercise(WARPWRIGHT_SOURCE_DIR "/course/first_add");
    ASSERT_TRUE(e) << e.error().text();
    for (int run = 0; run < 2; ++run) {
        auto workshop = Workshop::make(*e, {});
        ASSERT_TRUE(workshop) << workshop.error().text();
        ASSERT_TRUE(rehearse(*e, {}, **workshop));
        const auto known = (*workshop)->figure({"reference", "global_load_requests"},
                                               []() -> Result<std::optional<double>> { return std::optional(-1.0); });
        ASSERT_TRUE(known);
        EXPECT_EQ(known->value(), 64) << run;
        EXPECT_FALSE((*workshop)->rehearsed().texts.empty());
        std::size_t entries = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
            entries += entry.path().extension() == ".exercise";
        EXPECT_EQ(entries, 1u);
    }
    auto workshop = Workshop::make(*e, {});
    ASSERT_TRUE(workshop);
    ASSERT_TRUE(rehearse(*e, {}, **workshop));
    auto verdict = judge(*e, **workshop, 7, e->reference_file());
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_TRUE(verdict->done);
}

TEST(Rehearse, NeedsNoFolderAndSaysWhatIsBroken) {
    settings::choose(Setting::cache, "");
    auto e = read_exercise(WARPWRIGHT_SOURCE_DIR "/course/first_add");
    ASSERT_TRUE(e);
    // The limits of an answer are not the exercise's own.
    WorkshopOptions narrow;
    narrow.most_instructions = 1;
    auto workshop = Workshop::make(*e, narrow);
    ASSERT_TRUE(workshop);
    ASSERT_TRUE(rehearse(*e, narrow, **workshop));
    EXPECT_FALSE((*workshop)->rehearsed().texts.empty());
    const test::Folder folder;
    std::filesystem::copy(e->folder, folder / "first_add");
    folder.write("first_add/reference.cu", "no kernel\n");
    auto broken = read_exercise(folder / "first_add");
    ASSERT_TRUE(broken) << broken.error().text();
    auto other = Workshop::make(*broken, {});
    ASSERT_TRUE(other);
    const auto said = rehearse(*broken, {}, **other);
    ASSERT_FALSE(said);
    EXPECT_NE(said.error().text().find("reference.cu"), std::string::npos) << said.error().text();
}

}  // namespace rehearsal_test
}  // namespace warpwright::learn
