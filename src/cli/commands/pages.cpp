// warpwright lab with pages: an experiment, a ladder's whole page, or all of them as one report.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands/output_files.hpp"
#include "cli/commands/page_files.hpp"
#include "cli/commands/result_store.hpp"
#include "cli/commands/session.hpp"
#include "cli/interrupt.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/options.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/group.hpp"
#include "lab/page/ladder_page.hpp"
#include "ladder/find.hpp"
#include "record/page_json.hpp"
#include "record/page_texts.hpp"
#include "report/format.hpp"
#include "report/pages.hpp"
#include "report/progress.hpp"
#include "report/report.hpp"
#include "support/write_file.hpp"
#include "text/counted.hpp"

namespace warpwright::cli {

namespace {

/// One bar over all pages; errors as they come; records into the database as they are done.
class PageWatcher final : public lab::Observer {
public:
    /// `rows`: a line for each record goes to standard output as soon as it is there, in `words`, of one language.
    PageWatcher(std::size_t pages, bool rows, Words words, Console& console, Keeper& keeper)
        : pages_(pages), show_rows_(rows), words_(std::move(words)), console_(console), keeper_(keeper) {}
    ~PageWatcher() override { console_.tell_repeats(); }

    void next(const std::string& page) {
        ++page_;
        name_ = page;
        show(0, "");
    }
    void progress(const lab::Progress& p) override {
        show(p.total == 0 ? 0 : static_cast<double>(p.done) / static_cast<double>(p.total),
             p.ladder == name_ ? p.label : p.ladder + " " + p.label);
    }
    void failed(const Error& error) override { code_or(console_.fail_once(error)); }
    void note(const std::string& text) override { console_.note(text); }
    void leave() override { console_.leave_at_once(); }
    void finished(const record::Record& record) override {
        keeper_.add(record);
        row(record);
    }
    std::optional<record::Record> stored(const record::Record& wanted) override {
        auto found = keeper_.stored(wanted);
        if (found) row(*found);
        return found;
    }
    void ended(std::optional<ErrorKind> failure, bool) override {
        if (failure) code_or(exit_code(*failure));
    }

    /// Whether rows stand above the page.
    bool has_rows() const { return rows_; }
    int code() const { return code_; }
    void code_or(int code) {
        if (code_ == 0) code_ = code;
    }

private:
    /// A page stands only when all of its figures are there: until then what has run, a line each.
    void row(const record::Record& record) {
        if (!show_rows_) return;
        if (!rows_) console_.out(words_("report.rows_first") + "\n\n");
        rows_ = true;
        console_.out(report::run_line(record, words_, console_.unicode(), console_.width()) + "\n");
        (void)console_.flush();
    }

    void show(double share, const std::string& what) {
        if (!console_.shows_progress()) return;
        report::Progress bar(100, "");  // percent of the whole
        bar.done(
            static_cast<std::uint64_t>(100 * (static_cast<double>(page_ - 1) + share) / static_cast<double>(pages_)));
        bar.label(what.empty() ? name_ : name_ + ": " + what);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
        console_.progress(bar.line(elapsed.count(), console_.error_width() - 1, console_.unicode()));
    }

    std::size_t pages_, page_ = 0;
    bool show_rows_;
    Words words_;
    bool rows_ = false;
    Console& console_;
    Keeper& keeper_;
    std::string name_;
    int code_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Experiments in their order, then the ladders that have none of their own.
std::vector<std::string> all_names() {
    std::vector<std::string> out;
    for (const lab::Experiment& e : lab::experiments()) out.emplace_back(e.name);
    for (const ladder::LadderPlace& place : ladder::list_ladders())
        if (!lab::find_experiment(place.name)) out.push_back(place.name);
    return out;
}

Result<record::Page> make_page(const std::string& name, const lab::Context& context, const lab::Choices& choices) {
    if (const lab::Experiment* e = lab::find_experiment(name)) return e->run(context, choices);
    return lab::ladder_page(context, name, choices);
}

/// The whole laboratory is long: of each page what was concluded and what went wrong, as soon as it is done.
void give_conclusions(const record::shown::Page& page, Console& console) {
    std::string out = fmt::format("{}  {}\n", page.id, page.title);
    const auto list = [&](const std::vector<std::string>& lines, const char* mark) {
        for (const std::string& line : lines) {
            bool first = true;
            for (const std::string& part :
                 report::wrap(line, std::max<std::size_t>(40, console.width() ? console.width() - 6 : 94)))
                out += fmt::format("  {} {}\n", first ? mark : " ", report::safe(part)), first = false;
        }
    };
    list(page.conclusions, "-");
    list(page.problems, "!");
    console.out(out + '\n');
    (void)console.flush();
}

/// Everything that was asked for: files first, then the terminal.
Result<void> give_pages(const record::Report& report, const Words& words, const LabOptions& o,
                        const record::RecordSet& all, Console& console) {
    PageOptions files = o.pages;
    files.json.reset();  // lab's JSON and CSV go to standard output as well
    auto pages = write_pages(report, words, files);
    if (!pages) return pages.error();
    std::vector<std::string> written = std::move(*pages);
    bool taken = false;  // standard output, by JSON or CSV
    const auto give_text = [&](const std::optional<std::string>& file, const std::string& text) -> Result<void> {
        if (!file) return {};
        if (*file == "-") {
            console.data(text);
            taken = true;
            return {};
        }
        auto ok = write_file(*file, text);
        if (ok) written.push_back(*file);
        return ok;
    };
    if (o.output.json)
        if (auto ok = give_text(o.output.json, record::to_json(report, words)); !ok) return ok;
    if (o.output.csv)
        if (auto ok = give_text(o.output.csv, report::csv(all, o.run.per_line)); !ok) return ok;
    const report::TextOptions text{console.color(), console.unicode(), console.width()};
    if (!taken && !o.pages.all)
        for (const record::Page& page : report.pages) console.out(report::text(page, words, text));
    for (const std::string& where : written) console.note("written: " + where);
    if (o.pages.all && written.empty() && !taken)
        console.note("--report FILE.html, --markdown DIR or --json FILE keep the whole pages");
    return {};
}

/// The user's words for an experiment, and of a whole report its own.
Result<lab::Choices> choices_of(const LabOptions& options) {
    lab::Choices choices;
    choices.quick = options.pages.all;
    choices.rungs = split_list(options.rungs);
    choices.input = options.input_file;
    choices.output = options.output_file;
    choices.devices = options.devices;
    auto axes = parse_axes(options.axes);
    if (!axes) return std::move(axes).error();
    choices.axes = std::move(*axes);
    std::size_t dimensions = 1;
    if (!options.pages.all && !options.sizes.empty())
        if (auto ladder = ladder::find_ladder(options.ladder)) dimensions = ladder->size_names.size();
    for (const std::string& text : split_list(options.sizes)) {
        auto size = parse_size(text, dimensions);
        if (!size) return std::move(size).error();
        choices.sizes.push_back(std::move(*size));
    }
    return choices;
}

/// `lab --all` chooses everything itself.
Result<void> check_all(const LabOptions& options) {
    if (!options.pages.all) return {};
    if (!options.ladder.empty())
        return Error{ErrorKind::usage, "--all runs everything, and '" + options.ladder + "' is one of it", Location{},
                     "leave one of them out"};
    if (!options.rungs.empty() || !options.axes.empty() || !options.sizes.empty())
        return Error{ErrorKind::usage, "--all chooses sizes, rungs and axes itself", Location{},
                     "name one experiment to choose them"};
    return {};
}

/// In place of a page that could not be made: its title, and why.
record::Page page_of_error(const std::string& name, const Error& error) {
    record::Page page;
    page.id = name;
    page.title = message_or(name + ".title", name);
    page.problems.push_back(error.text());
    return page;
}

/// Makes the pages in turn, for the report, with all of their records. An error where the only page cannot be made.
Result<void> make_pages(const std::vector<std::string>& names, const lab::Context& context, const Words& words,
                        const lab::Choices& choices, bool conclusions, PageWatcher& watcher, Keeper& keeper,
                        Console& console, record::Report& report, record::RecordSet& all) {
    for (const std::string& name : names) {
        if (context.cancelled()) break;
        watcher.next(name);
        // A ladder that an experiment ran has its place on that page.
        if (names.size() > 1 && !lab::find_experiment(name) &&
            std::any_of(all.records.begin(), all.records.end(),
                        [&](const record::Record& r) { return r.experiment == name; }))
            continue;
        auto page = make_page(name, context, choices);
        console.clear_progress();
        if (!page && names.size() == 1) return page.error();
        if (!page) {
            watcher.code_or(console.fail(page.error()));
            page = page_of_error(name, page.error());
        }
        for (const record::Record& r : page->records)
            if (r.error || (r.verified == false && !r.known_incorrect)) watcher.code_or(1);
        all.records.insert(all.records.end(), page->records.begin(), page->records.end());
        keeper.settle(all, false);
        if (conclusions) give_conclusions(record::in_language(*page, words), console);
        report.pages.push_back(std::move(*page));
    }
    return {};
}

/// Where the pages are to be written can be written.
Result<void> check_files(const LabOptions& options) {
    if (auto ok = check_writable({options.pages.html, options.pages.json, options.output_file}); !ok) return ok;
    if (auto ok = check_folder(options.pages.markdown); !ok) return ok;
    return check_folder(options.pages.svg);
}

}  // namespace

int lab_pages(const LabOptions& options, Console& console) {
    if (auto ok = check_all(options); !ok) return console.fail(ok.error());
    if (auto ok = check_output(options.output); !ok) return console.fail(ok.error());
    if (auto ok = check_files(options); !ok) return console.fail(ok.error());
    // A file can be read in every language; a terminal shows one.
    const std::string language = page_language(options.pages.language);
    auto words = options.pages.any_file() || options.output.json ? Words::load_all(language) : Words::load(language);
    if (!words) return console.fail(words.error());
    auto choices = choices_of(options);
    if (!choices) return console.fail(choices.error());
    const std::vector<std::string> names = options.pages.all ? all_names() : std::vector<std::string>{options.ladder};

    auto runtime = make_runtime(options.run);
    if (!runtime) return console.fail(runtime.error());
    for (const std::string& note : runtime->notes) console.note(note);
    const Interrupt interrupt;
    // Of several processes under one mpirun all work, and one tells.
    const bool tells = lab::first_of_processes();
    KeepOptions keep = options.keep;
    keep.none = keep.none || !tells;
    Keeper keeper(keep, console, options.run.timeout);
    const auto takes_output = [](const std::optional<std::string>& file) { return file && *file == "-"; };
    const bool gives_text = !takes_output(options.output.json) && !takes_output(options.output.csv);
    const bool shows_rows = tells && gives_text && !options.pages.all;
    PageWatcher watcher(names.size(), shows_rows, words->in(words->language()), console, keeper);
    lab::Context context = runtime->context(options.run, &watcher);
    context.options.cold = options.cache == "cold";
    context.options.no_time = options.no_time;
    context.cancel = &interrupt.flag();
    record::Report report;
    report.language = words->language();
    report.title = message("report.title");
    report.environment = lab::environment(context);
    if (auto ok = keeper.begin(command_text(options.words), report.environment); !ok) return console.fail(ok.error());
    record::RecordSet all;
    all.environment = report.environment;
    const bool conclusions = options.pages.all && tells && gives_text;
    if (auto ok = make_pages(names, context, *words, *choices, conclusions, watcher, keeper, console, report, all); !ok)
        return console.fail(ok.error());
    report.complete = !context.cancelled();
    keeper.settle(all, report.complete);
    if (!tells) return watcher.code();
    if (watcher.has_rows()) console.out("\n");
    if (auto ok = give_pages(report, *words, options, all, console); !ok) return console.fail(ok.error());
    if (report.complete) return watcher.code();
    // A page that is interrupted is made of what has run.
    const std::size_t pages = report.pages.size();
    console.note(pages == 1 ? "interrupted: the page has only what had run until then"
                            : fmt::format("interrupted: {} are there, the last of them with what had run until then",
                                          counted(pages, "pages")));
    return Interrupt::kCode;
}

}  // namespace warpwright::cli
