// The CUDA device over a driver that is made up: what it asks of the driver, and what becomes of the driver's errors.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cuda_support.hpp"
#include "device/cuda/launch.hpp"

namespace device_tests {
namespace cuda_test {

using namespace cuda_device;

TEST(CudaDriver, a_missing_driver_is_one_clear_line) {
    auto driver = cuda::load_driver({"libcuda-that-is-not-there.so.1", "/nowhere/libcuda.so.1"});
    ASSERT_FALSE(driver.ok());
    EXPECT_EQ(driver.error().kind, ErrorKind::no_device);
    EXPECT_EQ(driver.error().text(), "error: no NVIDIA driver: libcuda.so.1 was not found (use --device emulated)");
}

TEST(CudaDriver, a_library_that_is_no_driver_is_named) {
    auto driver = cuda::load_driver({"libc.so.6"});
    ASSERT_FALSE(driver.ok());
    EXPECT_EQ(driver.error().kind, ErrorKind::no_device);
    EXPECT_THAT(driver.error().text(),
                AllOf(HasSubstr("libc.so.6"), HasSubstr("cuInit"), HasSubstr("--device emulated")));
}

TEST(CudaDriver, the_environment_decides_where_it_is_looked_for) {
    ::setenv("WARPWRIGHT_LIBCUDA", "/some/where/libcuda.so", 1);
    EXPECT_THAT(cuda::driver_candidates(), testing::ElementsAre("/some/where/libcuda.so"));
    ::unsetenv("WARPWRIGHT_LIBCUDA");
    EXPECT_EQ(cuda::driver_candidates().front(), "libcuda.so.1");
}

TEST(CudaDriver, every_entry_point_is_in_the_fake_so_that_none_is_called_untested) {
    const auto table = fake_table();
#define EXPECT_ENTRY(member, ...) EXPECT_NE(table.member, nullptr) << #member;
    WARPWRIGHT_CUDA_ENTRY_POINTS(EXPECT_ENTRY)
    WARPWRIGHT_CUDA_OPTIONAL_ENTRY_POINTS(EXPECT_ENTRY)
#undef EXPECT_ENTRY
}

TEST(CudaDriver, a_driver_that_does_not_start_says_what_to_do) {
    auto driver = fake_driver();
    fake().init_status = cuda::status::no_device;
    auto started = cuda::start_driver(driver->table, "");
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().kind, ErrorKind::no_device);
    EXPECT_THAT(started.error().text(), AllOf(HasSubstr("finds no CUDA device"), HasSubstr("--device emulated")));
}

TEST(CudaInfo, limits_come_from_attributes) {
    auto driver = fake_driver();
    fake().attributes[A::grid_y] = 1234;
    auto list = list_cuda(driver);
    ASSERT_TRUE(list.ok()) << list.error().text();
    ASSERT_EQ(list->size(), 1u);
    const CudaDeviceInfo& info = list->front();
    EXPECT_EQ(info.device(), "cuda:0");
    EXPECT_EQ(info.name, "Fake 9000");
    EXPECT_EQ(info.limits.compute_capability, 90);
    EXPECT_EQ(info.limits.multiprocessors, 132u);
    EXPECT_EQ(info.limits.grid, (Extent{2147483647u, 1234, 65535}));
    EXPECT_EQ(info.limits.shared_per_block, 49152u);
    EXPECT_EQ(info.limits.shared_per_block_optin, 232448u);
    EXPECT_EQ(info.clock, 1.98e9);
    EXPECT_EQ(info.l2, 62914560u);
    EXPECT_TRUE(info.cooperative);
    EXPECT_FALSE(info.clusters);  // an attribute that this driver does not know
    EXPECT_EQ(info.driver_version, 12080);
}

TEST(CudaInfo, no_device_and_no_such_device) {
    auto driver = fake_driver();
    auto none = make_cuda({3, "", driver});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::no_device);
    EXPECT_EQ(none.error().text(), "error: there is no device 'cuda:3' (there is one: cuda:0)");
    fake().devices = 0;
    EXPECT_EQ(list_cuda(driver).error().kind, ErrorKind::no_device);
}

TEST(CudaMemory, bytes_go_there_and_back) {
    auto device = make(fake_driver());
    auto a = device->allocate(16);
    ASSERT_TRUE(a.ok());
    std::vector<std::byte> in(16), out(16);
    for (int i = 0; i < 16; ++i) in[i] = std::byte(i);
    ASSERT_TRUE(device->fill(*a, 0x55, 16).ok());
    ASSERT_TRUE(device->write(*a + 4, std::span(in).first(8)).ok());
    ASSERT_TRUE(device->read(out, *a).ok());
    EXPECT_EQ(out[3], std::byte{0x55});
    EXPECT_EQ(out[4], std::byte{0});
    EXPECT_EQ(out[11], std::byte{7});
    EXPECT_EQ(out[12], std::byte{0x55});
    ASSERT_TRUE(device->release(*a).ok());
    EXPECT_EQ(fake().allocated, 0u);
    EXPECT_EQ(device->release(*a).error().kind, ErrorKind::usage);
}

TEST(CudaMemory, an_empty_allocation_is_valid_and_nothing_is_copied_beyond_the_end) {
    auto device = make(fake_driver());
    auto a = device->allocate(0), b = device->allocate(8);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_NE(*a, 0u);
    EXPECT_TRUE(device->read({}, *a).ok());
    std::vector<std::byte> more(9);
    EXPECT_EQ(device->write(*b, more).error().kind, ErrorKind::fault);
    EXPECT_EQ(device->read(more, *b).error().kind, ErrorKind::fault);
    EXPECT_EQ(device->fill(*b + 4, 0, 5).error().kind, ErrorKind::fault);
}

TEST(CudaMemory, none_left_is_a_limit_that_says_how_much_there_is) {
    auto device = make(fake_driver());
    auto a = device->allocate(std::size_t{1} << 40);
    ASSERT_FALSE(a.ok());
    EXPECT_EQ(a.error().kind, ErrorKind::limit);
    EXPECT_THAT(a.error().text(),
                AllOf(HasSubstr("out of device memory"), HasSubstr("1048576 of 1048576 bytes are free"),
                      HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
    EXPECT_TRUE(device->allocate(16).ok());
}

TEST(CudaModule, facts_are_the_drivers_and_the_texts) {
    auto l = loaded();
    ASSERT_EQ(l.module->kernels().size(), 1u);
    const KernelInfo& k = l.module->kernels().front();
    EXPECT_EQ(k.registers, 40u);
    EXPECT_EQ(k.registers_source, "driver");
    EXPECT_EQ(k.static_shared, 1024u);
    EXPECT_EQ(k.max_threads, 0u);
    EXPECT_TRUE(k.has_line_information);
    ASSERT_EQ(k.parameters.size(), 3u);
    EXPECT_EQ(k.parameters[2].offset, 12u);
    EXPECT_EQ(l.module->variable("table")->second, 64u);
    EXPECT_EQ(l.module->variable("chair").error().kind, ErrorKind::input);
}

TEST(CudaModule, what_the_drivers_compiler_says_is_kept_with_the_line) {
    auto device = make(fake_driver());
    fake().link_status = fake().load_status = cuda::status::invalid_ptx;
    fake().jit_log =
        "ptxas info : hello\nptxas application ptx input, line 14; error   : Unknown symbol 'x'\nptxas fatal : ...\n";
    auto module = device->load("k.ptx", kPtx);
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.error().kind, ErrorKind::input);
    EXPECT_EQ(module.error().where.line, 14u);
    EXPECT_THAT(module.error().text(), AllOf(HasSubstr("k.ptx:14: error: "), HasSubstr("Unknown symbol 'x'")));
}

TEST(CudaModule, machine_code_is_kept_on_disk_per_driver_and_capability) {
    const auto folder = std::filesystem::temp_directory_path() / ("ww-cubin-" + std::to_string(::getpid()));
    {
        auto device = make(fake_driver(), folder);
        ASSERT_TRUE(device->load("k.ptx", kPtx).ok());
        EXPECT_EQ(fake().links, 1u);
        ASSERT_TRUE(device->load("again.ptx", kPtx).ok());
        EXPECT_EQ(fake().links, 1u);
    }
    {
        auto device = make(fake_driver(), folder);
        ASSERT_TRUE(device->load("k.ptx", kPtx).ok());
        EXPECT_EQ(fake().links, 0u);
        EXPECT_EQ(fake().loads, 1u);
        ASSERT_TRUE(device->load("k.ptx", kPtx + "// changed\n").ok());
        EXPECT_EQ(fake().links, 1u);
    }
    {
        auto driver = fake_driver();
        fake().attributes[A::capability_major] = 10;
        ASSERT_TRUE(make(driver, folder)->load("k.ptx", kPtx).ok());
        EXPECT_EQ(fake().links, 1u);
    }
    std::filesystem::remove_all(folder);
}

TEST(CudaLaunch, arguments_and_shape_reach_the_driver) {
    for (bool modern : {true, false}) {
        auto l = loaded(modern);
        auto result = l.launch();
        ASSERT_TRUE(result.ok()) << result.error().text();
        ASSERT_EQ(fake().launches.size(), 1u);
        const FakeLaunch& f = fake().launches.front();
        EXPECT_EQ(f.extended, modern);
        EXPECT_THAT(f.grid, testing::ElementsAre(2, 3, 4));
        EXPECT_THAT(f.block, testing::ElementsAre(32, 2, 1));
        EXPECT_FALSE(f.cooperative);
        auto b = block();
        std::vector<std::byte> want(b.begin(), b.begin() + 9);  // 3 bytes of padding stay behind
        for (std::size_t i = 12; i < 16; ++i) want.push_back(b[i]);
        EXPECT_EQ(f.parameters, want);
        ASSERT_TRUE(result->device_seconds.has_value());
        EXPECT_NEAR(*result->device_seconds, 1e-6, 1e-9);
        EXPECT_FALSE(result->counts.has_value());
        EXPECT_EQ(fake().dynamic_shared_set, -1);
    }
}

TEST(CudaLaunch, dynamic_shared_memory_beyond_48_kb_is_asked_for) {
    auto l = loaded();
    LaunchConfig config{{1, 1, 1}, {32, 1, 1}, 100000};
    ASSERT_TRUE(l.launch(config).ok());
    EXPECT_EQ(fake().dynamic_shared_set, 100000);
    EXPECT_EQ(fake().launches.front().shared, 100000u);
    config.dynamic_shared = 232448;  // with the kernel's own 1024 bytes one too many
    auto refused = l.launch(config);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::limit);
    EXPECT_EQ(fake().launches.size(), 1u);
}

TEST(CudaLaunch, cooperative_grids_must_be_resident) {
    for (bool modern : {true, false}) {
        auto l = loaded(modern);
        LaunchConfig config{{264, 1, 1}, {32, 1, 1}, 0, true};
        ASSERT_TRUE(l.launch(config).ok());
        EXPECT_TRUE(fake().launches.front().cooperative);
        config.grid.x = 265;
        auto refused = l.launch(config);
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().kind, ErrorKind::limit);
        EXPECT_THAT(refused.error().text(), HasSubstr("cuda:0 holds 264"));
        EXPECT_EQ(fake().launches.size(), 1u);
    }
}

TEST(CudaLaunch, clusters_are_an_attribute_and_large_ones_are_asked_for) {
    auto l = loaded();
    LaunchConfig config{{32, 2, 1}, {32, 1, 1}};
    ASSERT_TRUE(l.launch(config).ok());
    EXPECT_TRUE(fake().launches.back().cluster.empty());
    config.cluster = {4, 2, 1};
    config.cooperative = true;
    ASSERT_TRUE(l.launch(config).ok());
    EXPECT_THAT(fake().launches.back().cluster, testing::ElementsAre(4, 2, 1));
    EXPECT_TRUE(fake().launches.back().cooperative);
    EXPECT_EQ(fake().non_portable_set, -1);
    config.cluster = {16, 1, 1};
    ASSERT_TRUE(l.launch(config).ok());
    EXPECT_EQ(fake().non_portable_set, 1);
    // Timed launches have them too.
    const Step step{l.module, "k", config, block()};
    ASSERT_TRUE(l.device->timer()->time({&step, 1}, {2, 1}).ok());
    EXPECT_THAT(fake().launches.back().cluster, testing::ElementsAre(16, 1, 1));
    // Of a cooperative grid all clusters are resident at a time.
    fake().active_clusters = 3;
    auto refused = l.launch(config);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("grid of 64 blocks"), HasSubstr("cuda:0 holds 48")));
}

TEST(CudaLaunch, clusters_that_cannot_be_are_refused_in_words) {
    const LaunchConfig wanted{{32, 1, 1}, {256, 1, 1}, 200000, false, {16, 1, 1}};
    {
        auto l = loaded();
        LaunchConfig config = wanted;
        config.grid.x = 33;
        EXPECT_EQ(l.launch(config).error().kind, ErrorKind::usage);
        config.cluster = {32, 1, 1};
        EXPECT_EQ(l.launch(config).error().kind, ErrorKind::limit);
        config.cluster = {65536, 65536, 65536};
        EXPECT_EQ(l.launch(config).error().kind, ErrorKind::limit);
        fake().active_clusters = 0;
        auto none = l.launch(wanted);
        ASSERT_FALSE(none.ok());
        EXPECT_EQ(none.error().kind, ErrorKind::limit);
        EXPECT_THAT(none.error().text(),
                    AllOf(HasSubstr("cannot hold a cluster of 16x1x1 blocks of 256 threads, 40 registers"),
                          HasSubstr("201024 bytes of shared memory")));
        EXPECT_TRUE(fake().launches.empty());
    }
    {
        auto l = loaded(false);
        EXPECT_THAT(l.launch(wanted).error().text(), HasSubstr("a driver for CUDA 12"));
    }
    auto driver = fake_driver();
    fake().attributes[A::capability_major] = 8;
    fake().attributes[A::capability_minor] = 6;
    auto device = make(driver);
    auto module = device->load("k.ptx", kPtx);
    auto old = device->launch(**module, "k", wanted, block(), {});
    ASSERT_FALSE(old.ok());
    EXPECT_EQ(old.error().kind, ErrorKind::limit);
    EXPECT_THAT(old.error().text(), HasSubstr("need compute capability 9.0, cuda:0 has 8.6"));
}

TEST(CudaLaunch, a_kernel_that_requires_clusters_gets_those_and_no_others) {
    auto device = make(fake_driver());
    std::string ptx = kPtx;
    ptx.insert(ptx.find("{ .loc"), ".explicitcluster .reqnctapercluster 2, 1, 1 .maxclusterrank 4 ");
    auto module = device->load("k.ptx", ptx);
    ASSERT_TRUE(module.ok()) << module.error().text();
    const KernelInfo& k = (*module)->kernels().front();
    EXPECT_EQ(k.required_cluster, (Extent{2, 1, 1}));
    EXPECT_TRUE(k.explicit_cluster);
    EXPECT_EQ(k.max_cluster, 4u);
    LaunchConfig config{{32, 1, 1}, {32, 1, 1}};
    ASSERT_TRUE(device->launch(**module, "k", config, block(), {}).ok());
    EXPECT_THAT(fake().launches.back().cluster, testing::ElementsAre(2, 1, 1));
    config.cluster = {4, 1, 1};
    auto other = device->launch(**module, "k", config, block(), {});
    ASSERT_FALSE(other.ok());
    EXPECT_THAT(other.error().text(), HasSubstr("requires clusters of 2x1x1, not 4x1x1"));
}

TEST(CudaTensorMap, every_field_reaches_the_driver) {
    auto device = make(fake_driver());
    TensorMap m;
    m.address = 0x7000;
    m.type = "bf16";
    m.size = {4096, 100, 7};
    m.stride = {8192, 1048576};
    m.box = {64, 32, 2};
    m.swizzle = TensorMap::Swizzle::b128;
    auto made = device->tensor_maps()->encode_tensor_map(m);
    ASSERT_TRUE(made.ok()) << made.error().text();
    EXPECT_EQ((*made)[127], std::byte{0x5a});
    {
        const FakeTensorMap& f = fake().tensor_maps.at(0);
        EXPECT_EQ(int(f.type), 9);
        EXPECT_EQ(f.address, reinterpret_cast<void*>(0x7000));
        EXPECT_EQ(f.size, m.size);
        EXPECT_EQ(f.stride, m.stride);
        EXPECT_EQ(f.box, m.box);
        EXPECT_THAT(f.step, testing::ElementsAre(1, 1, 1));
        EXPECT_EQ(int(f.interleave), 0);
        EXPECT_EQ(int(f.swizzle), 3);
        EXPECT_EQ(int(f.promotion), 2);
        EXPECT_EQ(int(f.fill), 0);
    }
    m.step = {2, 1, 3};
    m.fill_nan = true;
    m.fetch = 256;
    m.swizzle = TensorMap::Swizzle::b64;
    ASSERT_TRUE(device->tensor_maps()->encode_tensor_map(m).ok());
    const FakeTensorMap& f = fake().tensor_maps.at(1);
    EXPECT_EQ(f.step, m.step);
    EXPECT_EQ(int(f.swizzle), 2);
    EXPECT_EQ(int(f.promotion), 3);
    EXPECT_EQ(int(f.fill), 1);
}

TEST(CudaTensorMap, types_have_the_drivers_numbers) {
    auto device = make(fake_driver());
    const std::pair<const char*, int> types[] = {{"u8", 0},  {"u16", 1},  {"u32", 2},  {"s32", 3},
                                                 {"u64", 4}, {"s64", 5},  {"f16", 6},  {"f32", 7},
                                                 {"f64", 8}, {"bf16", 9}, {"tf32", 11}};
    for (const auto& [type, number] : types) {
        ASSERT_TRUE(device->tensor_maps()->encode_tensor_map({0x7000, type, {64, 8}, {512}, {16, 8}, {}}).ok()) << type;
        EXPECT_EQ(int(fake().tensor_maps.back().type), number) << type;
    }
}

TEST(CudaTensorMap, what_cannot_be_is_refused_in_words) {
    auto device = make(fake_driver());
    const TensorMap fine{0x7000, "f32", {64, 8}, {256}, {16, 8}, {}};
    ASSERT_TRUE(device->tensor_maps()->encode_tensor_map(fine).ok());
    TensorMap m = fine;
    m.stride = {100};
    EXPECT_THAT(device->tensor_maps()->encode_tensor_map(m).error().text(),
                HasSubstr("the stride of dimension 1 is not a multiple of 16"));
    m = fine;
    m.box = {512, 8};
    EXPECT_THAT(device->tensor_maps()->encode_tensor_map(m).error().text(), HasSubstr("the box of dimension 0"));
    m = fine;
    m.fetch = 32;
    EXPECT_EQ(device->tensor_maps()->encode_tensor_map(m).error().kind, ErrorKind::usage);
    EXPECT_EQ(fake().tensor_maps.size(), 1u);
    fake().attributes[A::capability_major] = 8;
    auto old = make_cuda({0, "", std::make_shared<const cuda::Driver>(cuda::Driver{fake_table(), "", 12080})});
    ASSERT_TRUE(old.ok());
    EXPECT_EQ((*old)->tensor_maps()->encode_tensor_map(fine).error().kind, ErrorKind::limit);
}

TEST(CudaLaunch, limits_are_refused_before_the_driver_sees_them) {
    auto l = loaded();
    EXPECT_EQ(l.launch({{0, 1, 1}, {1, 1, 1}}).error().kind, ErrorKind::usage);
    EXPECT_EQ(l.launch({{1, 65536, 1}, {1, 1, 1}}).error().kind, ErrorKind::limit);
    EXPECT_EQ(l.launch({{1, 1, 1}, {1024, 2, 1}}).error().kind, ErrorKind::limit);
    EXPECT_EQ(l.device->launch(*l.module, "k", {{1, 1, 1}, {1, 1, 1}}, {}, {}).error().kind, ErrorKind::usage);
    EXPECT_EQ(l.device->launch(*l.module, "nothing", {{1, 1, 1}, {1, 1, 1}}, block(), {}).error().kind,
              ErrorKind::input);
    EXPECT_TRUE(fake().launches.empty());
}

TEST(CudaLaunch, a_fault_names_the_module_and_the_next_launch_works_in_a_new_context) {
    auto l = loaded();
    auto before = l.device->allocate(64);
    ASSERT_TRUE(before.ok());
    fake().next_wait = cuda::status::illegal_address;
    auto failed = l.launch();
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().kind, ErrorKind::fault);
    EXPECT_THAT(failed.error().text(), AllOf(HasSubstr("k.ptx: error: kernel 'k'"), HasSubstr("illegal address")));
    EXPECT_TRUE(l.device->release(*before).ok());  // it went with the context
    auto fine = l.launch();
    ASSERT_TRUE(fine.ok()) << fine.error().text();
    EXPECT_EQ(fake().contexts, 2u);
    EXPECT_EQ(fake().loads, 2u);
    EXPECT_TRUE(l.device->allocate(64).ok());
}

TEST(CudaLaunch, a_device_that_does_not_come_back_says_so) {
    auto l = loaded();
    fake().next_wait = cuda::status::ecc;
    fake().reset_status = cuda::status::ecc;
    EXPECT_THAT(l.launch().error().text(), HasSubstr("ECC"));
    for (int i = 0; i < 2; ++i) {
        auto again = l.launch();
        ASSERT_FALSE(again.ok());
        EXPECT_THAT(again.error().text(), HasSubstr("start the program again"));
    }
}

TEST(CudaLaunch, past_the_time_limit_the_launch_ends_and_nothing_waits_any_more) {
    auto l = loaded();
    fake().hangs = true;
    LaunchOptions options;
    options.timeout = std::chrono::milliseconds(20);
    auto late = l.launch({{1, 1, 1}, {1, 1, 1}}, options);
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().kind, ErrorKind::fault);
    EXPECT_EQ(late.error().where.file, "k.ptx");
    EXPECT_THAT(late.error().text(), HasSubstr("still running after 20 ms"));
    const auto waits = fake().waits, releases = fake().releases;
    EXPECT_EQ(l.device->allocate(16).error().kind, ErrorKind::no_device);
    EXPECT_EQ(l.launch().error().kind, ErrorKind::no_device);
    l = Loaded{};
    EXPECT_EQ(fake().waits, waits);
    EXPECT_EQ(fake().releases, releases);
}

}  // namespace cuda_test
}  // namespace device_tests
