// Any text as JSON of records, of a report's pages, of a profile and of findings: an error, or what is written of it
// reads back equal. Run: ww_fuzz_records tests/fuzz/corpus/records
#include "fuzz_target.hpp"
#include "profile/profile.hpp"
#include "record/finding.hpp"
#include "record/page_json.hpp"
#include "record/record.hpp"

using namespace warpwright;

FUZZ_TARGET(records) {
    const std::string json(text);
    if (auto set = record::from_json(json, "fuzz.json"); !set) {
        fuzz::check(set.error());
    } else {
        const std::string written = record::to_json(*set);
        auto again = record::from_json(written, "written.json");
        if (!again) fuzz::complain(again.error().text(), written);
        if (record::to_json(*again) != written) fuzz::complain("it does not read back as it was written", written);
    }
    (void)record::is_report_json(json);
    if (auto report = record::report_from_json(json, "fuzz.json"); !report)
        fuzz::check(report.error());
    else
        (void)record::to_json(*report, Words::plain());
    if (auto profile = profile::from_json(json, "fuzz.json"); !profile)
        fuzz::check(profile.error());
    else
        (void)profile::to_json(*profile);
}
