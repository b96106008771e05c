// The words of warpwright lab.
#include "cli/commands/commands.hpp"
#include "cli/commands/page_files.hpp"
#include "cli/options/common_options.hpp"

namespace warpwright::cli {
namespace {
void add_page_options(CLI::App& c, PageOptions& o) {
    c.add_flag("--all", o.all, "every experiment and ladder, at small sizes: the whole laboratory");
    c.add_flag("--page", o.page, "of a ladder: its whole page (plots, listings, counts by line), not only its table");
    c.add_option("--report,--html", o.html, "the page, or with --all all of them, as one HTML file")->type_name("FILE");
    c.add_option("--markdown", o.markdown, "the same as Markdown, with its drawings, into a folder")->type_name("DIR");
    c.add_option("--svg", o.svg, "plots and pictures as SVG, into a folder")->type_name("DIR");
    c.add_option("--language,--lang", o.language, "of pages: " + known_languages() + "; without it: that of the locale")
        ->type_name("LANG");
}

}  // namespace

Command add_lab(CLI::App& app, const Invocation& invocation) {
    auto o = std::make_shared<LabOptions>();
    o->self = invocation.self;
    o->words = invocation.words;
    auto* c = app.add_subcommand("lab", "run a ladder of kernels: verified, counted, bounded");
    c->add_option("ladder", o->ladder,
                  "an experiment's or a ladder's name, or a folder with a ladder.toml; without it: list them");
    c->add_flag("--list", o->list, "list the experiments and ladders");
    c->add_option("--size", o->sizes, "problem sizes: 192,193 or 64x32x128 or 2^9..2^12")->type_name("N,...");
    c->add_option("--rung", o->rungs, "rungs by name, number, pattern or /regular expression/: naive,8,tiled*")
        ->type_name("R,...");
    c->add_option("--filter,--benchmark_filter", o->filter,
                  "rungs whose name has a match of this regular expression; without a ladder: list those")
        ->type_name("REGEX");
    c->add_option("--axis", o->axes,
                  "values of an axis, or of a size: T=int32 or TILE=8,16 or N=2^9..2^12 (may be repeated)")
        ->type_name("NAME=V,...");
    c->add_option("--models", o->models, "the same on several emulated device models, in one table; all: on every one")
        ->type_name("A,B,..")
        ->delimiter(',')
        ->allow_extra_args(false);
    c->add_option("--cache", o->cache, "caches when a run begins, a real device's and a predicted one's: cold, or warm")
        ->check(CLI::IsMember({"cold", "warm"}))
        ->type_name("STATE")
        ->capture_default_str();
    c->add_flag("--no-time", o->no_time, "on a real device: run each rung once and verify it (for profilers)");
    add_page_options(*c, o->pages);
    c->add_option("--input", o->input_file, "the file that an experiment reads (picture: a PNG)")->type_name("FILE");
    c->add_option("--output", o->output_file, "the file that an experiment writes (picture: a PNG)")->type_name("FILE");
    add_number(*c, "--devices", o->devices, "emulated devices, for links; 0 = the experiment's own")->type_name("N");
    add_keep_options(*c, o->keep);
    c->add_option("--tuned", o->tuned.file,
                  "take axis values from this file of `tune`; without it: tuned.toml in the user's data folder")
        ->type_name("FILE");
    c->add_flag("--no-tuned", o->tuned.none, "take no tuned values: all that the ladder's file lists");
    c->add_option("--go-on", o->go_on, "of the program itself, after a fault")->group("");
    add_untrusted(*c, o->run);
    add_run_options(*c, o->run);
    add_output_options(*c, o->output);
    return {c, [o, c](Console& console) {
                settle(o->output, *c);
                return lab(*o, console);
            }};
}

}  // namespace warpwright::cli
