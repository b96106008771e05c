#include "rooms_picture.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

namespace warpwright::architecture {

namespace {

constexpr int kBoxWidth = 104, kBoxHeight = 34, kGap = 22, kFloorHeight = 74, kMargin = 24;

struct Point {
    int x = 0, y = 0;
};

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else
            out += c;
    }
    return out;
}

/// Rooms by floor, each floor sorted so that a room stands near the middle of the rooms it uses.
std::vector<std::vector<std::string>> arranged(const Arrows& arrows) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [room, floor] : floors(arrows)) {
        if (rows.size() <= static_cast<std::size_t>(floor)) rows.resize(floor + 1);
        rows[floor].push_back(room);
    }
    const Arrows direct = without_implied(arrows);
    std::map<std::string, double> place;
    for (auto& row : rows) {
        std::map<std::string, double> middle;
        for (const auto& room : row) {
            double sum = 0;
            for (const auto& target : direct.at(room)) sum += place[target];
            middle[room] = direct.at(room).empty() ? 0.5 : sum / static_cast<double>(direct.at(room).size());
        }
        std::stable_sort(row.begin(), row.end(),
                         [&](const auto& a, const auto& b) { return middle.at(a) < middle.at(b); });
        for (std::size_t i = 0; i < row.size(); ++i)
            place[row[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
    }
    return rows;
}

}  // namespace

std::map<std::string, int> floors(const Arrows& arrows) {
    std::map<std::string, int> floor;
    const std::function<int(const std::string&)> of = [&](const std::string& room) {
        if (const auto known = floor.find(room); known != floor.end()) return known->second;
        int highest = 0;
        for (const auto& target : arrows.at(room)) highest = std::max(highest, of(target) + 1);
        return floor[room] = highest;
    };
    for (const auto& [room, targets] : arrows) of(room);
    return floor;
}

Arrows without_implied(const Arrows& arrows) {
    const Arrows reach = reachable(arrows);
    Arrows direct;
    for (const auto& [room, targets] : arrows) {
        auto& kept = direct[room];
        for (const auto& target : targets) {
            const bool implied = std::any_of(targets.begin(), targets.end(), [&](const auto& other) {
                return other != target && reach.at(other).contains(target);
            });
            if (!implied) kept.insert(target);
        }
    }
    return direct;
}

std::string draw_rooms(const Arrows& arrows, const std::map<std::string, std::string>& notes) {
    const auto rows = arranged(arrows);
    std::size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, row.size());
    const int width = 2 * kMargin + static_cast<int>(widest) * (kBoxWidth + kGap) - kGap;
    const int height = 2 * kMargin + static_cast<int>(rows.size()) * kFloorHeight - (kFloorHeight - kBoxHeight);
    std::map<std::string, Point> at;  // the upper left corner of each box
    for (std::size_t floor = 0; floor < rows.size(); ++floor) {
        const int row_width = static_cast<int>(rows[floor].size()) * (kBoxWidth + kGap) - kGap;
        for (std::size_t i = 0; i < rows[floor].size(); ++i)
            at[rows[floor][i]] = {(width - row_width) / 2 + static_cast<int>(i) * (kBoxWidth + kGap),
                                  height - kMargin - kBoxHeight - static_cast<int>(floor) * kFloorHeight};
    }
    std::ostringstream out;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height << "\" width=\""
        << width << "\" height=\"" << height << "\" font-family=\"sans-serif\" font-size=\"14\">\n"
        << "<title>The rooms of src/: an arrow leads from a room to a room it uses</title>\n"
        << "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
           "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#667\"/></marker></defs>\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    for (const auto& [room, targets] : without_implied(arrows)) {
        for (const auto& target : targets) {
            const Point from = at.at(room), to = at.at(target);
            const int x1 = from.x + kBoxWidth / 2, y1 = from.y + kBoxHeight, x2 = to.x + kBoxWidth / 2, y2 = to.y - 1;
            out << "<path d=\"M" << x1 << ' ' << y1 << 'C' << x1 << ' ' << (y1 + y2) / 2 << ' ' << x2 << ' '
                << (y1 + y2) / 2 << ' ' << x2 << ' ' << y2
                << "\" fill=\"none\" stroke=\"#667\" stroke-opacity=\"0.7\" marker-end=\"url(#tip)\"/>\n";
        }
    }
    for (const auto& [room, corner] : at) {
        out << "<g><rect x=\"" << corner.x << "\" y=\"" << corner.y << "\" width=\"" << kBoxWidth << "\" height=\""
            << kBoxHeight << "\" rx=\"5\" fill=\"#e8eef7\" stroke=\"#446\"/>";
        if (const auto note = notes.find(room); note != notes.end())
            out << "<title>" << escaped(note->second) << "</title>";
        out << "<text x=\"" << corner.x + kBoxWidth / 2 << "\" y=\"" << corner.y + kBoxHeight / 2 + 5
            << "\" text-anchor=\"middle\" fill=\"#112\">" << escaped(room) << "</text></g>\n";
    }
    out << "</svg>\n";
    return out.str();
}

}  // namespace warpwright::architecture
