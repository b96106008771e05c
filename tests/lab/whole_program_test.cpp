// The experiments about whole programs, on the emulated device at small sizes: figures of their pages against the rules
// that they teach.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "arch/model.hpp"
#include "common/files.hpp"
#include "device/emulated/emulated.hpp"
#include "device/opencl/opencl_device.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/group.hpp"
#include "lab/experiments/workbench.hpp"
#include "record/page_texts.hpp"
#include "text/words.hpp"

namespace warpwright::lab {
namespace whole_program_test {

using testing::HasSubstr;

class WholeProgram : public testing::Test {
protected:
    void SetUp() override {
        auto model = arch::load_model("h200");
        ASSERT_TRUE(model.ok()) << model.error().text();
        model_ = *model;
        device::EmulatedOptions options;
        options.limits = launch::limits_of(model_);
        options.threads = 2;
        auto device = device::make_emulated(options);
        ASSERT_TRUE(device.ok());
        device_ = std::move(*device);
        auto words = Words::load("en");
        ASSERT_TRUE(words.ok()) << words.error().text();
        words_.emplace(*words);
    }
    record::shown::Page page(const char* name, const Choices& choices) {
        const Experiment* e = find_experiment(name);
        EXPECT_TRUE(e) << name;
        Context context{*device_, model_, true, std::make_shared<Target>()};
        context.options.threads = 2;
        auto made = e->run(context, choices);
        EXPECT_TRUE(made.ok()) << made.error().text();
        if (!made.ok()) return {};
        Result<record::shown::Page> out = record::in_language(*made, *words_);
        EXPECT_TRUE(out.ok()) << out.error().text();
        if (!out.ok()) return {};
        EXPECT_THAT(out->problems, testing::IsEmpty());
        EXPECT_FALSE(out->conclusions.empty());
        check(*out);
        return std::move(*out);
    }
    /// What holds for every page: rows as wide as their columns, no missing text, no empty plot.
    static void check(const record::shown::Page& page) {
        const auto text = [](const std::string& s) {
            EXPECT_FALSE(s.starts_with("[") && s.find('.') != std::string::npos) << s;
        };
        for (const auto* list : {&page.conclusions, &page.recommendations, &page.corrections})
            for (const std::string& s : *list) text(s);
        for (const std::string& s : {page.title, page.purpose, page.task}) text(s);
        for (const record::shown::Section& section : page.sections) {
            text(section.heading);
            for (const record::shown::Block& block : section.blocks) {
                if (const auto* p = std::get_if<record::shown::Paragraph>(&block)) text(p->text);
                if (const auto* t = std::get_if<record::shown::Table>(&block)) {
                    text(t->title);
                    EXPECT_FALSE(t->rows.empty()) << t->id;
                    for (const auto& c : t->columns) text(c.name);
                    for (const auto& row : t->rows) {
                        EXPECT_EQ(row.size(), t->columns.size()) << t->id;
                        for (const auto& cell : row)
                            if (const auto* s = std::get_if<std::string>(&cell)) text(*s);
                    }
                }
                if (const auto* p = std::get_if<record::shown::Plot>(&block)) {
                    EXPECT_FALSE(p->series.empty()) << p->id;
                    for (const auto& s : p->series) {
                        EXPECT_FALSE(s.x.empty()) << p->id;
                        EXPECT_EQ(s.x.size(), s.y.size()) << p->id;
                    }
                }
            }
        }
    }
    template <class Block>
    static const Block* find(const record::shown::Page& page, const std::string& id) {
        for (const record::shown::Section& section : page.sections)
            for (const record::shown::Block& block : section.blocks)
                if (const auto* b = std::get_if<Block>(&block))
                    if (b->id == id) return b;
        return nullptr;
    }
    static double real(const record::shown::Scalar& s) {
        if (const auto* d = std::get_if<double>(&s)) return *d;
        if (const auto* i = std::get_if<std::int64_t>(&s)) return static_cast<double>(*i);
        return NAN;
    }

    arch::DeviceModel model_;
    std::unique_ptr<device::Device> device_;
    std::optional<Words> words_;
};

TEST_F(WholeProgram, sum_reads_32_sectors_a_request_in_rows_and_8_by_strides) {
    Choices choices;
    choices.quick = true;
    choices.sizes = {{100096}};
    const record::shown::Page p = page("sum", choices);
    const auto* t = find<record::shown::Table>(p, "device-0");
    ASSERT_TRUE(t);
    ASSERT_EQ(t->rows.size(), 4u);
    const std::size_t sectors = t->columns.size() - 1;
    EXPECT_EQ(t->columns[sectors].basis, record::Basis::counted);
    EXPECT_EQ(t->columns[3].basis, record::Basis::predicted) << "nothing is measured here";
    // 128 doubles apart: each lane of a full warp has a sector of its own; the last warp has fewer lanes.
    EXPECT_DOUBLE_EQ(real(t->rows[0][sectors]), 100096.0 / (25 * 128));
    EXPECT_DOUBLE_EQ(real(t->rows[1][sectors]), 8);
    EXPECT_EQ(real(t->rows[0][1]), std::ceil(std::ceil(100096.0 / 128) / 256) * 256);
    EXPECT_EQ(real(t->rows[3][2]), 1) << "one value is left";
    for (const auto& row : t->rows) EXPECT_NEAR(real(row[8]), real(row[9]), 1e-9);
    // The local tree is right for every number of threads, odd ones too, in ceil(log2) steps.
    const auto* tree = find<record::shown::Table>(p, "tree-sizes");
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->rows.size(), 12u);
    for (const auto& row : tree->rows) {
        EXPECT_EQ(real(row[1]), std::ceil(std::log2(real(row[0]))));
        EXPECT_EQ(std::get<std::string>(row[4]), (*words_)("sum.tree.yes"));
    }
    const auto* drawn = find<record::shown::CellMap>(p, "tree");
    ASSERT_TRUE(drawn);
    EXPECT_EQ(drawn->rows.size(), 4u) << "13, 7, 4, 2";
    // OpenCL C is one of the languages, and PoCL one of the devices where it is installed.
    const auto list = device::list_opencl();
    EXPECT_EQ(find<record::shown::Table>(p, "device-2") != nullptr, list.ok());
    if (list.ok()) {
        EXPECT_EQ(find<record::shown::Table>(p, "device-2")->columns[3].basis, record::Basis::measured);
    }
}

TEST_F(WholeProgram, streams_overlap_as_a_pipeline_until_something_breaks_it) {
    Choices choices;
    choices.quick = true;
    choices.sizes = {{1 << 20}};  // copies that are long beside their latency and the host's calls
    const record::shown::Page p = page("streams", choices);
    const auto* t = find<record::shown::Table>(p, "overlap");
    const auto* b = find<record::shown::Table>(p, "breaks");
    ASSERT_TRUE(t && b);
    ASSERT_EQ(t->rows.size(), 8u);
    ASSERT_EQ(b->rows.size(), 5u);
    EXPECT_EQ(t->columns[3].basis, record::Basis::predicted);
    const double line = real(t->rows[0][3]), four = real(t->rows[3][3]);
    EXPECT_DOUBLE_EQ(real(t->rows[0][4]), 1);
    for (std::size_t i = 1; i < 8; ++i) {
        EXPECT_LT(real(t->rows[i][3]), line);
        EXPECT_GE(real(t->rows[i][3]), real(t->rows[i][5]) * 0.999) << "no better than the ideal pipeline";
    }
    EXPECT_NEAR(real(b->rows[0][3]), line, 0.1 * line) << "one stream: in order";
    EXPECT_GT(real(b->rows[0][3]), four * 1.2);
    EXPECT_NEAR(real(b->rows[1][3]), real(b->rows[0][3]), 1e-12 * line) << "the default stream is one stream";
    EXPECT_GT(real(b->rows[2][3]), real(b->rows[3][3]))
        << "blocking streams wait for the default stream, others do not";
    EXPECT_GT(real(b->rows[4][3]), real(b->rows[0][3])) << "pageable copies are slower, too";
    const auto* picture = find<record::shown::Timeline>(p, "overlap-4");
    ASSERT_TRUE(picture);
    ASSERT_EQ(picture->lanes.size(), 3u);
    for (const auto& lane : picture->lanes) {
        ASSERT_EQ(lane.spans.size(), 4u);
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_LE(lane.spans[i].begin, lane.spans[i].end);
            if (i > 0) {
                EXPECT_GE(lane.spans[i].begin, lane.spans[i - 1].end * (1 - 1e-9))
                    << "an engine does one thing at a time";
            }
        }
    }
    // With one copy engine and one queue, issued depth first, nothing overlaps; with two and many it does.
    const auto* engines = find<record::shown::Table>(p, "engines");
    ASSERT_TRUE(engines);
    ASSERT_EQ(engines->rows.size(), 8u);
    EXPECT_NEAR(real(engines->rows[0][3]), 1, 1e-6);
    EXPECT_GT(real(engines->rows[1][3]), 1.2) << "breadth first helps such a device";
    EXPECT_NEAR(real(engines->rows[6][3]), real(engines->rows[7][3]), 1e-9) << "the order of issue matters no more";
    EXPECT_NEAR(real(engines->rows[6][3]), 2, 0.1) << "three equal stages in four pieces: 12 / 6";
}

TEST_F(WholeProgram, transfers_are_those_of_the_link_in_the_model) {
    Choices choices;
    choices.quick = true;
    choices.sizes = {{4096}, {1 << 20}};
    const record::shown::Page p = page("transfers", choices);
    const auto* t = find<record::shown::Table>(p, "three");
    ASSERT_TRUE(t);
    ASSERT_EQ(t->rows.size(), 6u);
    EXPECT_EQ(t->columns[2].basis, record::Basis::predicted);
    const timeline::Model m = timeline::model_of(model_);
    const double up = 32e6 / (m.copy_call + m.copy_latency + 32e6 / m.to_device);
    EXPECT_NEAR(real(t->rows[0][2]), up, 1e-6 * up);
    EXPECT_GT(real(t->rows[2][2]), 1.9 * up * (m.to_host >= m.to_device ? 1 : 0.5)) << "two engines";
    EXPECT_LT(real(t->rows[3][2]), real(t->rows[0][2])) << "pageable";
    const double within = 64e6 / (m.copy_call + m.kernel + 64e6 / m.copied);
    EXPECT_NEAR(real(t->rows[5][2]), within, 1e-3 * within);
    EXPECT_EQ(real(t->rows[1][5]), 13.2e9) << "as the text has it";
    const auto* sizes = find<record::shown::Table>(p, "sizes");
    ASSERT_TRUE(sizes);
    EXPECT_EQ(sizes->rows.size(), 2u);
    EXPECT_LE(real(sizes->rows[0][1]), real(sizes->rows[1][1])) << "small copies are not faster";
}

TEST_F(WholeProgram, links_are_those_of_the_model_and_work_over_all_devices_is_right) {
    Choices choices;
    choices.quick = true;
    choices.devices = 4;
    choices.sizes = {{50001}};
    const record::shown::Page p = page("links", choices);
    const auto* one = find<record::shown::Table>(p, "one");
    const auto* both = find<record::shown::Table>(p, "both");
    ASSERT_TRUE(one && both);
    ASSERT_EQ(one->rows.size(), 4u);
    const double rate = model_.links.nvlink_links * model_.links.nvlink_link;
    EXPECT_EQ(one->columns[1].basis, record::Basis::predicted);
    EXPECT_NEAR(real(one->rows[0][2]), rate, 0.01 * rate) << "switches: all links between any two";
    EXPECT_NEAR(real(both->rows[3][1]), 2 * rate, 0.02 * rate);
    const auto* sum = find<record::shown::Table>(p, "sum");
    const auto* product = find<record::shown::Table>(p, "product");
    ASSERT_TRUE(sum && product);
    for (const auto* t : {sum, product}) {
        ASSERT_EQ(t->rows.size(), 3u) << "1, 2 and 4 devices";
        for (const auto& row : t->rows) EXPECT_EQ(std::get<std::string>(row[5]), (*words_)("links.right.yes"));
        EXPECT_EQ(real(t->rows[0][2]), 0) << "one device exchanges nothing";
        EXPECT_LT(real(t->rows[2][1]), real(t->rows[0][1])) << "each of four has less to do";
        EXPECT_GT(real(t->rows[2][2]), real(t->rows[1][2])) << "a ring of four has more steps than one of two";
    }
    // The product's exchange: each device hands on its 64 of 256 rows three times.
    const device::LinkModel link = link_of(model_, 4);
    EXPECT_NEAR(real(product->rows[2][2]), 3 * (link.latency + 4.0 * 64 * 256 / link.rate), 1e-12);
    const auto* plot = find<record::shown::Plot>(p, "sum-by-size");
    ASSERT_TRUE(plot);
    if (link.latency == 0) {
        for (double y : plot->series[0].y)
            EXPECT_NEAR(y, link.rate / 1e9, 1e-3 * link.rate / 1e9) << "a ring fills its links";
    }
}

TEST(Links, without_a_switch_they_are_shared_out_among_the_others) {
    auto p100 = arch::load_model("p100");
    ASSERT_TRUE(p100.ok()) << p100.error().text();
    EXPECT_EQ(p100->links.nvlink_links * p100->links.nvlink_link, 80e9) << "the text's four times 20 GB/s";
    EXPECT_EQ(link_of(*p100, 2).rate, 80e9);
    EXPECT_EQ(link_of(*p100, 4).rate, 20e9);
    EXPECT_FALSE(link_of(*p100, 8).direct);
    EXPECT_EQ(link_of(*p100, 8).rate, p100->links.pcie);
    device::LinkModel link;
    link.rate = 1e9;
    link.latency = 1e-6;
    EXPECT_DOUBLE_EQ(ring_sum_seconds(link, 4, 4e9), 6 * (1e-6 + 1));
    EXPECT_DOUBLE_EQ(ring_gather_seconds(link, 4, 1e9), 3 * (1e-6 + 1));
    EXPECT_EQ(ring_sum_seconds(link, 1, 4e9), 0);
}

TEST_F(WholeProgram, apod_finds_the_hot_spot_the_limit_and_the_library) {
    const warpwright::test::Folder folder;
    const std::string file = folder / "apod.json";
    const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
    write(
        R"({"program": "p", "phases": [{"name": "io", "seconds": 1, "parallel": false}, {"name": "step", "seconds": 8, "kind": "FFT"},
              {"name": "up", "seconds": 1, "copy": true, "parallel": 0}]})");
    Choices choices;
    choices.input = file;
    const record::shown::Page p = page("apod", choices);
    const auto* phases = find<record::shown::Table>(p, "phases");
    const auto* worth = find<record::shown::Table>(p, "worth");
    ASSERT_TRUE(phases && worth);
    EXPECT_EQ(std::get<std::string>(phases->rows[0][0]), "step");
    EXPECT_DOUBLE_EQ(real(phases->rows[0][2]), 80);
    EXPECT_DOUBLE_EQ(real(worth->rows[0][1]), 1 / (0.2 + 0.08));
    EXPECT_DOUBLE_EQ(real(worth->rows[0][3]), 5) << "one in five parts stays as it is";
    EXPECT_EQ(std::get<std::string>(worth->rows[0][4]), "cuFFT");
    ASSERT_FALSE(p.recommendations.empty());
    EXPECT_THAT(p.recommendations.front(), HasSubstr("cuFFT"));
    const auto* plot = find<record::shown::Plot>(p, "amdahl");
    ASSERT_TRUE(plot);
    EXPECT_DOUBLE_EQ(plot->series[0].y[0], 1);
    EXPECT_LT(plot->series[0].y.back(), 5);
    (void)page("apod", {});  // the text's own profile
    const Context context{*device_, model_, true, std::make_shared<Target>()};
    for (const char* bad : {"{", "[]", R"({"phases": 3})", R"({"phases": [{"seconds": 1}]})",
                            R"({"phases": [{"name": "a", "seconds": -1}]})",
                            R"({"phases": [{"name": "a", "seconds": 1, "parallel": 2}]})", R"({"phases": []})"}) {
        write(bad);
        auto out = find_experiment("apod")->run(context, choices);
        ASSERT_FALSE(out.ok()) << bad;
        EXPECT_EQ(out.error().kind, ErrorKind::input) << bad;
    }
}

TEST_F(WholeProgram, opencl_kernels_run_in_wavefronts_of_64_where_the_model_has_them) {
    auto wide = arch::load_model("hd7970");
    ASSERT_TRUE(wide.ok()) << wide.error().text();
    ASSERT_EQ(wide->limits.warp, 64u);
    std::uint64_t requests[2] = {}, instructions[2] = {};
    for (const auto* model : {&model_, &*wide}) {
        const Context context{*device_, *model, true, std::make_shared<Target>()};
        auto bench = Workbench::emulated(context);
        ASSERT_TRUE(bench.ok()) << bench.error().text();
        auto module = bench->load("sum/sum.cl");
        ASSERT_TRUE(module.ok()) << module.error().text();
        std::vector<double> x(8192, 0.5);
        auto in = bench->allocate(8 * x.size()), out = bench->allocate(8 * 4);
        ASSERT_TRUE(bench->device().write(*in, std::as_bytes(std::span(x))).ok());
        auto step = bench->step(*module, "sum_tree", {{4, 1, 1}, {128, 1, 1}}, {*out, *in, std::int32_t{8192}});
        ASSERT_TRUE(step.ok()) << step.error().text();
        auto ran = bench->run(*step);
        ASSERT_TRUE(ran.ok()) << ran.error().text();
        double sums[4] = {};
        ASSERT_TRUE(bench->device().read(std::as_writable_bytes(std::span(sums)), *out).ok());
        EXPECT_EQ(sums[0] + sums[1] + sums[2] + sums[3], 4096);
        const int which = model == &model_ ? 0 : 1;
        requests[which] = ran->counts->total[record::Count::global_load_requests];
        instructions[which] = ran->counts->total[record::Count::instructions];
    }
    EXPECT_EQ(requests[0], 8192u / 32);
    EXPECT_EQ(requests[1], 8192u / 64) << "one request for 64 lanes";
    EXPECT_LT(instructions[1], instructions[0]);
}

TEST_F(WholeProgram, sizes_that_make_no_sense_are_refused) {
    Context context{*device_, model_, true, std::make_shared<Target>()};
    for (const auto& [name, size] : {std::pair{"sum", std::int64_t{0}},
                                     {"sum", std::int64_t{1} << 40},
                                     {"streams", std::int64_t{1}},
                                     {"transfers", std::int64_t{0}}}) {
        Choices choices;
        choices.sizes = {{size}};
        auto out = find_experiment(name)->run(context, choices);
        ASSERT_FALSE(out.ok()) << name;
        EXPECT_EQ(out.error().kind, ErrorKind::usage) << name;
    }
}

}  // namespace whole_program_test
}  // namespace warpwright::lab
