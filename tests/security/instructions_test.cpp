// Every instruction that takes an address, a handle, a descriptor, a size or a lane's number, with numbers that are
// none: for all lanes the same, for each lane another, in one thread and in four warps.
#include <algorithm>
#include <map>
#include <set>

#include "ptx/opcodes.hpp"
#include "security/hostile.hpp"

namespace instructions_test {

using namespace security_tests;
using warpwright::ptx::Form;
using warpwright::ptx::Op;

/// `text`: @A is the 64-bit number, @S its low half. One thread alone runs it where it is not `all`.
struct Tried {
    std::string text;
    bool all = true;
};

constexpr const char* kFour = "{%r10, %r11, %r12, %r13}";
constexpr const char* kFloats = "{%f10, %f11, %f12, %f13}";
constexpr const char* kEight = "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";
constexpr const char* kEightFloats = "{%f10, %f11, %f12, %f13, %f14, %f15, %f16, %f17}";

/// Loads, stores and atomics of each width in each space.
void add_accesses(std::vector<Tried>& out) {
    const std::pair<const char*, const char*> widths[] = {{"u8", "%r10"},    {"u16", "%h2"},
                                                          {"u32", "%r10"},   {"u64", "%rd10"},
                                                          {"f64", "%d1"},    {"v2.u32", "{%r10, %r11}"},
                                                          {"v4.u32", kFour}, {"v2.u64", "{%rd10, %rd11}"}};
    for (const char* space : {"", ".global", ".shared", ".shared::cluster", ".local", ".const"}) {
        const bool narrow = std::string(space).starts_with(".shared");
        for (const char* address : {"@A", "@S"}) {
            if (narrow != (std::string(address) == "@S")) continue;
            for (const auto& [type, value] : widths) {
                out.push_back({std::string("ld") + space + "." + type + " " + value + ", [" + address + "];"});
                if (std::string(space) != ".const")
                    out.push_back({std::string("st") + space + "." + type + " [" + address + "], " + value + ";"});
            }
            if (std::string(space) == ".local" || std::string(space) == ".const") continue;
            for (const char* atomic :
                 {"add.u32 %r10, [@], 1;", "cas.b32 %r10, [@], 1, 2;", "exch.b64 %rd10, [@], %rd11;",
                  "add.f64 %d1, [@], %d2;", "add.noftz.f16x2 %r10, [@], %r11;", "cas.b16 %h2, [@], %h3, %h4;"}) {
                std::string text = std::string("atom") + space + "." + atomic;
                text.replace(text.find('@'), 1, address);
                out.push_back({text});
            }
            out.push_back({std::string("red") + space + ".max.u32 [" + address + "], 1;"});
        }
    }
    for (const char* text :
         {"ld.volatile.global.u32 %r10, [@A];", "ld.acquire.gpu.global.u32 %r10, [@A];",
          "st.release.gpu.global.u32 [@A], %r10;", "ld.global.nc.v4.f32 {%f10, %f11, %f12, %f13}, [@A];",
          "ldu.global.u32 %r10, [@A];", "red.global.add.v4.f32 [@A], {%f10, %f11, %f12, %f13};",
          "ld.global.u32 %r10, [@A+16];", "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [@S-16];",
          "prefetch.global.L1 [@A];", "prefetchu.L1 [@A];", "applypriority.global.L2::evict_normal [@A], 128;",
          "discard.global.L2 [@A], 128;"})
        out.push_back({text});
}

void add_copies(std::vector<Tried>& out) {
    for (const char* text :
         {"cp.async.cg.shared.global [@S], [%rd3], 16;", "cp.async.cg.shared.global [%r3], [@A], 16;",
          "cp.async.ca.shared.global [@S], [@A], 4;", "cp.async.ca.shared.global [%r3], [%rd3], 16, @S;",
          "cp.async.mbarrier.arrive.shared.b64 [@S];"})
        out.push_back({std::string(text) + " cp.async.commit_group; cp.async.wait_group 0;"});
    const std::string in = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
    for (const char* operands : {"[@S], [%rd3], 256, [%r4];", "[%r3], [@A], 256, [%r4];", "[%r3], [%rd3], @S, [%r4];",
                                 "[%r3], [%rd3], 256, [@S];", "[@S], [@A], @S, [@S];"})
        out.push_back({in + operands, false});
    for (const char* text :
         {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [@S], [%r3], 256, [%r4];",
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], [@S], 256, [%r4];",
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], [%r3], @S, [%r4];",
          "cp.async.bulk.global.shared::cta.bulk_group [@A], [%r3], 256;",
          "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [@S], 256;",
          "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r3], @S;",
          "cp.async.bulk.prefetch.L2.global [@A], 256;", "cp.async.bulk.prefetch.L2.global [%rd3], @S;",
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [@A], [%r3], 256;",
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd3], [@S], 256;",
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd3], [%r3], @S;",
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [@A, {%r10, %r10}], "
          "[%r4];",
          "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [@A, {@S, @S}], [%r3];",
          "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [@A, {@S, @S}];", "prefetch.tensormap [@A];",
          "tensormap.replace.tile.global_address.global.b1024.b64 [@A], %rd3;",
          "tensormap.replace.tile.rank.shared::cta.b1024.b32 [@S], 1;",
          "tensormap.replace.tile.box_dim.global.b1024.b32 [@A], 0, @S;"})
        out.push_back({text, false});
    out.push_back(
        {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [@A], [%r3], 128;"});
    out.push_back(
        {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd3], [@S], 128;"});
}

void add_barriers(std::vector<Tried>& out) {
    for (const char* text : {"mbarrier.init.shared.b64 [@S], 1;",
                             "mbarrier.init.shared.b64 [%r4], @S;",
                             "mbarrier.init.b64 [@A], 1;",
                             "mbarrier.inval.shared.b64 [@S];",
                             "mbarrier.arrive.shared.b64 %rd10, [@S];",
                             "mbarrier.arrive.shared.b64 %rd10, [%r4], @S;",
                             "mbarrier.arrive.b64 %rd10, [@A];",
                             "mbarrier.arrive_drop.shared.b64 %rd10, [@S];",
                             "mbarrier.arrive.expect_tx.shared.b64 %rd10, [@S], 16;",
                             "mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r4], @S;",
                             "mbarrier.arrive.shared::cluster.b64 _, [@S];",
                             "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [@S], 16;",
                             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [@S], 16;",
                             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r4], @S;",
                             "mbarrier.test_wait.shared.b64 %p2, [@S], %rd10;",
                             "mbarrier.test_wait.shared.b64 %p2, [%r4], @A;",
                             "mbarrier.test_wait.parity.shared.b64 %p2, [@S], 0;",
                             "mbarrier.try_wait.parity.shared.b64 %p2, [@S], 1;",
                             "mbarrier.try_wait.parity.shared.b64 %p2, [%r4], @S;",
                             "mbarrier.pending_count.b64 %r10, @A;",
                             "bar.arrive @S, 128;"})
        out.push_back({text, false});
    for (const char* text : {"bar.sync @S;", "bar.sync 1, @S;", "barrier.sync @S, @S;",
                             "bar.red.popc.u32 %r10, @S, %p2;", "bar.warp.sync @S;"})
        out.push_back({text});
}

void add_matrices(std::vector<Tried>& out) {
    const auto add = [&](const std::string& text) { out.push_back({text}); };
    for (const char* number : {"x1", "x2", "x4"})
        for (const char* trans : {"", ".trans"}) {
            const std::string list = number == std::string("x1")   ? "{%r10}"
                                     : number == std::string("x2") ? "{%r10, %r11}"
                                                                   : kFour;
            const std::string form = std::string(".sync.aligned.m8n8.") + number + trans + ".shared.b16 ";
            add("ldmatrix" + form + list + ", [@S];");
            add("stmatrix" + form + "[@S], " + list + ";");
        }
    add("ldmatrix.sync.aligned.m8n8.x4.b16 " + std::string(kFour) + ", [@A];");
    const std::pair<const char*, const char*> spaces[] = {{"", "@A"}, {".global", "@A"}, {".shared", "@S"}};
    for (const auto& [space, address] : spaces) {
        const std::string at = "[" + std::string(address) + "]";
        add("wmma.load.a.sync.aligned.row.m16n16k16" + std::string(space) + ".f16 " + kEight + ", " + at + ", 16;");
        add("wmma.load.c.sync.aligned.row.m16n16k16" + std::string(space) + ".f32 " + kEightFloats + ", " + at +
            ", 16;");
        add("wmma.store.d.sync.aligned.row.m16n16k16" + std::string(space) + ".f32 " + at + ", " + kEightFloats +
            ", 16;");
    }
    // The distance of rows.
    add("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + std::string(kEight) + ", [%rd3], @S;");
    add("wmma.load.a.sync.aligned.col.m16n16k16.shared.f16 " + std::string(kEight) + ", [%r3], @S;");
    add("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd3], " + std::string(kEightFloats) + ", @S;");
    const std::string wgmma = "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " +
                              std::string(kFloats) + ", ",
                      end = ", 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
    add(wgmma + "@A, @A" + end);
    add(wgmma + "@A, %rd4" + end);
    add(wgmma + "%rd4, @A" + end);
    add("wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + std::string(kFloats) + ", " +
        kFour + ", @A, 1, 1, 1, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
    add("movmatrix.sync.aligned.m8n8.trans.b16 %r10, @S;");
}

void add_textures(std::vector<Tried>& out) {
    const std::string four = std::string(kFloats) + ", [";
    // %rd6: the handle of a surface, %rd7: of a texture of 16 x 16 words.
    for (const std::string& text :
         {"tex.1d.v4.f32.s32 " + four + "@A, {%r10}];", "tex.2d.v4.f32.f32 " + four + "@A, {%f10, %f11}];",
          "tex.3d.v4.f32.s32 " + four + "@A, {%r10, %r10, %r10, %r10}];",
          "tex.a2d.v4.f32.f32 " + four + "@A, {%r10, %f10, %f10, %f10}];",
          "tex.cube.v4.f32.f32 " + four + "@A, {%f10, %f10, %f10, %f10}];",
          "tex.level.2d.v4.f32.f32 " + four + "@A, {%f10, %f11}], %f12;",
          "tld4.r.2d.v4.f32.f32 " + four + "@A, {%f10, %f11}];", std::string("txq.width.b32 %r10, [@A];"),
          std::string("suq.width.b32 %r10, [@A];"), std::string("suld.b.2d.b32.zero {%r10}, [@A, {%r11, %r11}];"),
          std::string("sust.b.2d.b32.zero [@A, {%r11, %r11}], {%r10};"),
          std::string("sured.b.add.2d.u32.trap [@A, {%r11, %r11}], %r10;"), std::string("istypep.texref %p2, @A;"),
          // Places in an object that is one: by numbers, and by the same bits as floats.
          "tex.2d.v4.f32.s32 " + four + "%rd7, {@S, @S}];", "tex.1d.v4.f32.s32 " + four + "%rd7, {@S}];",
          "mov.b32 %f1, @S; tex.2d.v4.f32.f32 " + four + "%rd7, {%f1, %f1}];",
          "mov.b32 %f1, @S; tex.level.2d.v4.f32.f32 " + four + "%rd7, {%f1, %f1}], %f1;",
          "mov.b32 %f1, @S; tex.grad.2d.v4.f32.f32 " + four + "%rd7, {%f1, %f1}], {%f1, %f1}, {%f1, %f1};",
          "mov.b32 %f1, @S; tld4.g.2d.v4.f32.f32 " + four + "%rd7, {%f1, %f1}];",
          "tex.a2d.v4.f32.s32 " + four + "%rd7, {@S, @S, @S, @S}];",
          "tex.3d.v4.f32.s32 " + four + "%rd7, {@S, @S, @S, @S}];",
          std::string("suld.b.2d.b32.trap {%r10}, [%rd6, {@S, @S}];"),
          std::string("suld.b.2d.v4.b32.clamp {%r10, %r11, %r12, %r13}, [%rd6, {@S, @S}];"),
          std::string("suld.b.1d.b64.zero {%rd10}, [%rd6, {@S}];"),
          std::string("suld.b.3d.b32.clamp {%r10}, [%rd6, {@S, @S, @S, @S}];"),
          std::string("suld.b.a2d.b32.clamp {%r10}, [%rd6, {@S, @S, @S, @S}];"),
          std::string("sust.b.2d.b32.trap [%rd6, {@S, @S}], {%r10};"),
          std::string("sust.b.2d.v4.b32.clamp [%rd6, {@S, @S}], {%r10, %r11, %r12, %r13};"),
          std::string("sust.b.2d.b8.zero [%rd6, {@S, @S}], {%h2};"),
          std::string("sust.p.2d.v4.b32.trap [%rd6, {@S, @S}], {%r10, %r11, %r12, %r13};"),
          std::string("sured.b.add.2d.u32.trap [%rd6, {@S, @S}], %r10;"),
          std::string("sured.b.min.2d.u64.clamp [%rd6, {@S, @S}], %rd10;")})
        out.push_back({text});
}

void add_others(std::vector<Tried>& out) {
    for (const char* text :
         {"mapa.shared::cluster.u32 %r10, %r3, @S; ld.shared::cluster.u32 %r11, [%r10];",
          "mapa.shared::cluster.u32 %r10, @S, 0; ld.shared::cluster.u32 %r11, [%r10];",
          "mapa.u64 %rd10, @A, 0; ld.u32 %r11, [%rd10];",
          "getctarank.shared::cluster.u32 %r10, @S;",
          "getctarank.u64 %r10, @A;",
          "isspacep.shared %p2, @A;",
          "isspacep.local %p2, @A;",
          "cvta.shared.u64 %rd10, @A; ld.u32 %r10, [%rd10];",
          "cvta.local.u64 %rd10, @A; st.u32 [%rd10], %r10;",
          "cvta.to.shared.u64 %rd10, @A; ld.shared.u32 %r10, [%rd10];",
          "cvta.to.local.u64 %rd10, @A; st.local.u32 [%rd10], %r10;",
          "cvta.const.u64 %rd10, @A; ld.u32 %r10, [%rd10];",
          "shfl.sync.idx.b32 %r10, %r11, @S, 31, -1;",
          "shfl.sync.bfly.b32 %r10, %r11, @S, @S, -1;",
          "shfl.sync.down.b32 %r10, %r11, 1, 31, @S;",
          "vote.sync.ballot.b32 %r10, %p2, @S;",
          "match.any.sync.b32 %r10, %r11, @S;",
          "match.all.sync.b64 %r10|%p2, @A, @S;",
          "redux.sync.add.u32 %r10, %r11, @S;",
          "elect.sync %r10|%p2, @S;",
          "nanosleep.u32 @S;",
          "T: .branchtargets END, NEXT; brx.idx @S, T; NEXT:",
          "P: .callprototype (.param .b32 _) _ (.param .b32 _); { .param .b32 a; .param .b32 b; st.param.b32 [a], 1; "
          "call (b), @A, (a), P; ld.param.b32 %r10, [b]; }"})
        out.push_back({text});
}

const std::vector<Tried>& all_tried() {
    static const auto all = [] {
        std::vector<Tried> out;
        add_accesses(out), add_copies(out), add_barriers(out), add_matrices(out), add_textures(out), add_others(out);
        return out;
    }();
    return all;
}

std::string kernel_of(const Tried& tried) {
    std::string text = tried.text;
    for (const auto& [mark, name] : {std::pair{"@A", "%rd1"}, std::pair{"@S", "%r2"}})
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.replace(at, 2, name);
    return ".version 8.6\n.target sm_90a\n.address_size 64\n"
           ".visible .const .align 16 .b8 fixed[256];\n"
           ".func (.param .b32 r) same(.param .b32 x)\n{\n.reg .b32 %r<2>; ld.param.b32 %r1, [x]; "
           "st.param.b32 [r], %r1; ret;\n}\n"
           ".visible .entry k(.param .u64 word, .param .s64 stride, .param .u64 mine, .param .u64 out, .param .u64 "
           "surface, .param .u64 texture)\n{\n"
           ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n.local .align 16 .b8 own[64];\n"
           ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<24>; .reg .f32 %f<24>; .reg .f64 %d<4>;\n"
           ".reg .b64 %rd<16>;\n"
           "ld.param.u64 %rd1, [word]; ld.param.s64 %rd2, [stride]; ld.param.u64 %rd3, [mine]; ld.param.u64 %rd5, "
           "[out];\nld.param.u64 %rd6, [surface]; ld.param.u64 %rd7, [texture];\n"
           "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd8, %r1; mad.lo.s64 %rd1, %rd8, %rd2, %rd1; cvt.u32.u64 %r2, %rd1;\n"
           "mov.u32 %r3, tile; mov.u32 %r4, bar; mov.u64 %rd4, 0x0000400000010000; mad.wide.u32 %rd5, %r1, 64, %rd5;\n"
           "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0; mov.u32 %r15, 0;\n"
           "mov.u32 %r16, 0; mov.u32 %r17, 0; mov.f32 %f10, 0f00000000; mov.f32 %f11, %f10; mov.f32 %f12, %f10;\n"
           "mov.f32 %f13, %f10; mov.f32 %f14, %f10; mov.f32 %f15, %f10; mov.f32 %f16, %f10; mov.f32 %f17, %f10;\n"
           "mov.u64 %rd10, 0; mov.u64 %rd11, 0; mov.f64 %d1, 0d0000000000000000; mov.f64 %d2, %d1; mov.u16 %h2, 0;\n"
           "mov.u16 %h3, 0; mov.u16 %h4, 0; setp.eq.u32 %p2, %r1, 0;\n"
           "st.local.u32 [own], %r1; ld.const.u32 %r10, [fixed];\n"
           "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra BEGUN;\nmbarrier.init.shared.b64 [%r4], 1;\nBEGUN:\nbar.sync 0;\n" +
           std::string(tried.all ? "" : "@%p1 bra END;\n") + text +
           "\nst.global.v4.u32 [%rd5], {%r10, %r11, %r12, %r13}; st.global.v4.f32 [%rd5+16], {%f10, %f11, %f12, "
           "%f13};\n"
           "st.global.v2.u64 [%rd5+32], {%rd10, %rd11}; st.global.f64 [%rd5+48], %d1; st.global.u16 [%rd5+56], %h2;\n"
           "END:\nret;\n}\n";
}

class Instructions : public Attack {
protected:
    void SetUp() override {
        warpwright::device::Texture t;
        t.levels[0] = {victim.buffer(1024, 7), 64, 1024, 16, 16, 1};
        texture_ = victim.device->textures()->make_texture(t).value();
        t.surface = true;
        surface_ = victim.device->textures()->make_texture(t).value();
    }
    void attack(const Tried& tried) {
        const auto loaded = victim.device->load("k.ptx", kernel_of(tried));
        ASSERT_TRUE(loaded.ok()) << tried.text << ": " << loaded.error().text();
        LaunchOptions options;
        options.timeout = std::chrono::milliseconds(300);  // waiting for ever is no escape
        options.counters = false;
        const auto words = around_.words();
        for (std::size_t k = 0; k < words.size(); ++k) {
            try_word(tried, **loaded, options, words[k], 0);
            // Lanes apart: of four instructions one begins at this word, with one of the distances.
            if ((k + ++turn_) % 4 == 0) try_word(tried, **loaded, options, words[k], kApart[turn_ % std::size(kApart)]);
        }
        around_.expect_sound(tried.text);
        victim.device->finding_log()->clear_findings();
    }

private:
    static constexpr std::int64_t kApart[] = {4, -16, 1ll << 31};

    /// Each lane begins `apart` behind the one before.
    void try_word(const Tried& tried, warpwright::device::Module& module, const LaunchOptions& options,
                  std::uint64_t word, std::int64_t apart) {
        // Lanes that go on from where the kernel's own memory is may meet other memory of the device.
        if (apart != 0 && word - around_.mine() + 16 < 2 * Surroundings::kMine) return;
        LaunchConfig config;
        config.grid = {1};
        config.block = {128};
        const auto r = victim.device->launch(
            module, "k", config, parameters(word, apart, around_.mine(), around_.out(), surface_, texture_), options);
        if (r.ok()) return;
        const auto& error = r.error();
        const auto what = tried.text + " " + std::to_string(word) + ", " + std::to_string(apart) + " apart: ";
        EXPECT_TRUE(error.kind == ErrorKind::fault || error.kind == ErrorKind::limit) << what << error.text();
        EXPECT_GT(error.where.line, 0u) << what << error.text();
        EXPECT_NE(error.cause, Cause::none) << what << error.text();
    }

    unsigned turn_ = 0;
    Surroundings around_{victim};
    Address texture_ = 0, surface_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Modes, Instructions, all_modes(), mode_name);

#define TRIES(name, add)                              \
    TEST_P(Instructions, name) {                      \
        std::vector<Tried> list;                      \
        add(list);                                    \
        for (const auto& tried : list) attack(tried); \
    }
TRIES(Accesses, add_accesses)
TRIES(Copies, add_copies)
TRIES(Barriers, add_barriers)
TRIES(Matrices, add_matrices)
TRIES(Textures, add_textures)
TRIES(Others, add_others)

/// The opcode that a text begins with, and those behind its semicolons.
std::set<Op> opcodes_of(const std::string& text) {
    std::set<Op> out;
    for (std::size_t at = 0; at < text.size();) {
        auto end = text.find(';', at);
        if (end == std::string::npos) end = text.size();
        const auto begin = text.find_first_not_of(" {}", at);
        if (begin == std::string::npos) break;
        std::string word = text.substr(begin, text.find_first_of(" ;[", begin) - begin);
        for (; !word.empty(); word.resize(word.find_last_of('.') == std::string::npos ? 0 : word.find_last_of('.')))
            if (const Op op = warpwright::ptx::op_from(word); op != Op::size_) {
                out.insert(op);
                break;
            }
        at = end + 1;
    }
    return out;
}

/// A new opcode belongs to the attacks above, or here with the reason why there is nothing to attack.
TEST(Instructions, AreAllTriedOrHarmless) {
    std::set<Op> tried;
    for (const auto& t : all_tried()) tried.merge(opcodes_of(t.text));
    const std::map<Op, const char*> harmless{
        {Op::cp_async_wait_all, "takes no operand"},
        {Op::prefetch_param_tensormap, "takes an address and does nothing"},
        {Op::prefetch_const_tensormap, "takes an address and does nothing"},
        {Op::createpolicy, "computes a number of registers, which nothing reads as an address"},
        {Op::activemask, "takes no operand"},
        {Op::membar, "takes no operand"},
        {Op::fence, "has no effect"},
        {Op::barrier_cluster, "takes no operand"},
        {Op::griddepcontrol, "takes no operand"},
        {Op::mma, "takes registers alone"},
        {Op::setmaxnreg, "takes a constant"},
        {Op::bra, "goes to a label"},
        {Op::ret, "takes no operand"},
        {Op::exit, "takes no operand"},
        {Op::trap, "takes no operand"},
        {Op::brkpt, "takes no operand"},
        {Op::pmevent, "takes a constant"},
    };
    for (unsigned k = 0; k < static_cast<unsigned>(Op::size_); ++k) {
        const Op op = static_cast<Op>(k);
        const auto form = warpwright::ptx::facts(op).form;
        if (form == Form::data || form == Form::move || form == Form::not_executed) continue;
        EXPECT_NE(tried.contains(op), harmless.contains(op)) << warpwright::ptx::spelling(op);
    }
}

}  // namespace instructions_test
