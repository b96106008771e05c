// What the script of a profile's page reads, as JSON (docs/report.md#the-page-of-a-profile). What is large stands in
// elements of its own, which the script reads when somebody looks at them: a kernel's details, a file, a stream's
// events.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "arch/model.hpp"
#include "report/program.hpp"

namespace warpwright::report {

using PageJson = nlohmann::ordered_json;

/// Says texts in every language of the page: a string where all say the same, else a list in the order of languages().
class Speaker {
public:
    explicit Speaker(const Words& words);
    PageJson operator()(const Text& text) const;
    /// Names that stand in many places, said once: as name_text() has them, and of a count for a heading.
    const PageJson& name(const std::string& name) const;
    const PageJson& count(record::Count count) const;
    /// Lines that a printer made, in each language.
    template <class F>
    PageJson each(F&& lines_in) const {
        std::vector<std::vector<std::string>> all;
        for (const Words& w : words_) all.push_back(lines_in(w));
        PageJson out = PageJson::array();
        for (std::size_t k = 0; k < all.front().size(); ++k) {
            std::vector<std::string> wordings;
            for (const auto& lines : all) wordings.push_back(k < lines.size() ? lines[k] : all.front()[k]);
            out.push_back(one(wordings));
        }
        return out;
    }
    /// Its texts for the script itself, by language; names and units too.
    PageJson languages() const;

private:
    static PageJson one(const std::vector<std::string>& wordings);
    std::vector<Words> words_;
    mutable std::map<std::string, PageJson> names_;
    mutable std::map<record::Count, PageJson> counts_;
};

/// Numbers of the files that the page names.
class PageFiles {
public:
    std::size_t number(const std::string& file);
    const std::vector<std::string>& names() const { return names_; }
    /// A line that must be there even where the file is too long to be shown as a whole.
    void wants(const std::string& file, unsigned line);
    /// Element of a file: its lines, as far as they are at hand, and those of the base beside them.
    PageJson text(std::size_t number, const SourceText& source, const Profile* base = nullptr) const;

private:
    std::vector<std::string> names_;
    std::map<std::string, std::size_t> numbers_;
    std::map<std::size_t, std::vector<unsigned>> wanted_;
};

/// Everything that the page shows, and what it is shown beside.
struct PageInput {
    const Profile& profile;
    const arch::DeviceModel& model;
    std::vector<KernelSummary> kernels;  ///< as summarise() orders them
    const Profile* base = nullptr;       ///< the run that it is compared with
    std::vector<record::Finding> findings;
    std::vector<arch::DeviceModel> others;  ///< models on which bounds are shown as well
};

/// What holds something back, for the script.
PageJson causes_data(const std::vector<record::Bottleneck>& causes, const Speaker& say, PageFiles& files);

/// An element that holds data, which the script reads when somebody looks at it. What is large is packed.
std::string island(const std::string& id, const PageJson& data);
std::string island(const std::string& id, const std::string& bytes);

/// The kernel of the base with the same name, grid and block; else the only one of its name; null where there is none.
const KernelUse* base_of(const PageInput& in, const KernelUse& use);

/// The last part of a path.
std::string_view file_name(std::string_view path);
/// The file of the base that is this one: of that path, else the only one of that name; empty where there is none.
std::string file_in_base(const Profile& base, const std::string& file);
/// The base's text of a file beside the lines of now: { "lines", "runs" }, a run being [first line of the base, first
/// line of now, how many, 0 the same, 1 changed, 2 of the base alone, 3 of now alone]. Null where the base kept none.
PageJson beside_of(const Profile& base, const std::string& file, const PageJson& now);

/// A kernel's place below the roofs of the model: what an average launch computes and moves, and how long it takes.
PageJson roofline_data(const PageInput& in, const KernelSummary& kernel);

PageJson overview_data(const PageInput& in, const Speaker& say, PageFiles& files);
PageJson kernel_data(const PageInput& in, std::size_t kernel, const Speaker& say, PageFiles& files);

/// The events of one stream, or of one host thread.
struct PageLane {
    bool host = false;
    std::uint64_t number = 0;
    std::size_t events = 0;
    std::string numbers;  ///< of variable length, see page_lanes.cpp
};
/// Streams by number, then host threads.
std::vector<PageLane> page_lanes(const PageInput& in);

}  // namespace warpwright::report
