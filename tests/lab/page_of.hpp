// Pages of experiments on the emulated device, and what every page must be whatever it says.
#pragma once

#include <gmock/gmock.h>

#include <set>

#include "arch/model.hpp"
#include "device/emulated/emulated.hpp"
#include "lab/experiments/experiment.hpp"
#include "record/page_texts.hpp"
#include "text/words.hpp"

namespace warpwright::lab::test {

/// An emulated device with all that an experiment asks for; one of a process.
inline Context& emulated() {
    struct Bench {
        arch::DeviceModel model = arch::load_model("h200").value();
        std::unique_ptr<device::Device> device;
        std::unique_ptr<Context> context;
        Bench() {
            device = std::move(device::make_emulated({})).value();
            context = std::make_unique<Context>(Context{*device, model, true, std::make_shared<Target>()});
            context->options.threads = 2;
        }
    };
    static Bench bench;
    return *bench.context;
}

inline const Words& english() {
    static const Words words = Words::load("en").value();
    return words;
}

/// The page as a reader of English sees it.
inline record::shown::Page in_english(const record::Page& page) { return record::in_language(page, english()); }
inline Result<record::shown::Page> in_english(const Result<record::Page>& page) {
    if (!page) return page.error();
    return in_english(*page);
}

/// Runs an experiment; a test fails that cannot.
inline record::shown::Page page_of(const std::string& name, const Choices& choices = {}) {
    const Experiment* experiment = find_experiment(name);
    if (!experiment) {
        ADD_FAILURE() << "there is no experiment " << name;
        return {};
    }
    auto page = in_english(experiment->run(emulated(), choices));
    if (!page) {
        ADD_FAILURE() << page.error().text();
        return {};
    }
    return std::move(*page);
}

template <class T>
std::vector<const T*> all(const record::shown::Page& page) {
    std::vector<const T*> out;
    for (const record::shown::Section& section : page.sections)
        for (const record::shown::Block& block : section.blocks)
            if (const T* one = std::get_if<T>(&block)) out.push_back(one);
    return out;
}

/// The table, plot or map with this id; a test fails that asks for one that is not there.
template <class T>
const T& part(const record::shown::Page& page, const std::string& id) {
    for (const T* one : all<T>(page))
        if (one->id == id) return *one;
    ADD_FAILURE() << "the page " << page.id << " has no " << id;
    static const T none{};
    return none;
}

template <class T>
double number(const record::ScalarOf<T>& s) {
    if (const auto* whole = std::get_if<std::int64_t>(&s)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&s)) return *real;
    return std::numeric_limits<double>::quiet_NaN();
}

inline std::string text(const record::shown::Scalar& s) {
    const auto* string = std::get_if<std::string>(&s);
    return string ? *string : "";
}

/// The row whose cell in `column` is this text.
inline const std::vector<record::shown::Scalar>& row(const record::shown::Table& table, std::size_t column,
                                                     const std::string& value) {
    for (const auto& row : table.rows)
        if (column < row.size() && text(row[column]) == value) return row;
    ADD_FAILURE() << "no row " << value << " in " << table.id;
    static const std::vector<record::shown::Scalar> none(32);
    return none;
}

/// A text that was not found shows as "[a.dotted.key]".
inline bool has_key(const std::string& text) {
    for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) {
        const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.", at + 1);
        if (end != std::string::npos && text[end] == ']' && text.substr(at, end - at).find('.') != std::string::npos)
            return true;
    }
    return false;
}

/// What holds for every page.
inline void expect_sound(const record::shown::Page& page) {
    SCOPED_TRACE(page.id);
    std::vector<std::string> texts{page.title, page.purpose, page.task};
    for (const auto* list : {&page.conclusions, &page.recommendations, &page.corrections, &page.problems, &page.repeat})
        texts.insert(texts.end(), list->begin(), list->end());
    EXPECT_FALSE(page.title.empty());
    EXPECT_FALSE(page.conclusions.empty());
    EXPECT_FALSE(page.repeat.empty());
    std::set<std::string> ids;
    const auto id = [&](const std::string& name) {
        EXPECT_FALSE(name.empty());
        EXPECT_TRUE(ids.insert(name).second) << name << " stands twice";
    };
    for (const record::shown::Section& section : page.sections) {
        texts.push_back(section.heading);
        EXPECT_FALSE(section.heading.empty());
        EXPECT_FALSE(section.blocks.empty()) << section.heading;
    }
    for (const auto* p : all<record::shown::Paragraph>(page)) texts.push_back(p->text);
    for (const auto* t : all<record::shown::Table>(page)) {
        id(t->id);
        texts.insert(texts.end(), {t->title, t->caption});
        EXPECT_FALSE(t->rows.empty()) << t->id;
        for (const record::shown::Column& column : t->columns) texts.push_back(column.name);
        for (const auto& row : t->rows) {
            EXPECT_EQ(row.size(), t->columns.size()) << t->id;
            for (const record::shown::Scalar& s : row) texts.push_back(text(s));
        }
    }
    for (const auto* p : all<record::shown::Plot>(page)) {
        id(p->id);
        texts.insert(texts.end(), {p->title, p->caption, p->x_label, p->y_label});
        EXPECT_FALSE(p->series.empty()) << p->id;
        for (const record::shown::Series& s : p->series) {
            texts.push_back(s.name);
            EXPECT_FALSE(s.x.empty()) << p->id << ": " << s.name;
            EXPECT_EQ(s.x.size(), s.y.size()) << p->id << ": " << s.name;
            for (double y : s.y) EXPECT_TRUE(!p->y_log || std::isnan(y) || y > 0) << p->id << ": " << s.name;
            for (double x : s.x)
                EXPECT_TRUE(p->categories.empty() || x < static_cast<double>(p->categories.size())) << p->id;
        }
    }
    for (const auto* m : all<record::shown::CellMap>(page)) {
        id(m->id);
        texts.insert(texts.end(), {m->title, m->caption});
        EXPECT_FALSE(m->rows.empty()) << m->id;
        EXPECT_TRUE(m->row_names.empty() || m->row_names.size() == m->rows.size()) << m->id;
        for (const record::shown::Legend& l : m->legend) texts.push_back(l.text);
        for (const auto& row : m->rows) {
            EXPECT_EQ(row.size(), m->rows.front().size()) << m->id;
            EXPECT_TRUE(m->column_names.empty() || m->column_names.size() == row.size()) << m->id;
            for (const record::shown::Cell& c : row) {
                texts.push_back(c.hover);
                EXPECT_TRUE(c.tone < 0 ||
                            std::any_of(
                                m->legend.begin(), m->legend.end(), [&](const auto& l) { return l.tone == c.tone; }))
                    << m->id << ": a tone without a legend";
            }
        }
    }
    for (const auto* t : all<record::shown::Timeline>(page)) {
        id(t->id);
        texts.insert(texts.end(), {t->title, t->caption});
        EXPECT_FALSE(t->lanes.empty()) << t->id;
    }
    for (const auto* l : all<record::shown::Listing>(page)) {
        id(l->id);
        texts.push_back(l->title);
        EXPECT_FALSE(l->text.empty()) << l->id;
    }
    for (const std::string& t : texts) EXPECT_FALSE(has_key(t)) << t;
}

}  // namespace warpwright::lab::test
