// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/house/words.h"

#include <algorithm>
#include <array>
#include <regex>

namespace stratoplan::house {
namespace {

/// Where words are at home: of plans and searches, and of what is read, compared and fitted.
constexpr std::array kNarrators{"core/narration/", "core/reporting/", "core/report/"};

/// The longest home that the path begins with; its folder if there is none.
std::string homeOf(const std::string& path)
{
    std::string home;
    for (const auto& [place, words] : homesOfWords())
        if (path.starts_with(place) && place.size() > home.size())
            home = place;
    const std::size_t folder = path.find('/', path.find('/') + 1);
    return home.empty() ? path.substr(0, folder) : home;
}

bool isNarrator(const std::string& path)
{
    return std::any_of(
        kNarrators.begin(), kNarrators.end(), [&](const char* folder) { return path.starts_with(folder); });
}

} // namespace

const std::map<std::string, HomeOfWords>& homesOfWords()
{
    static const std::map<std::string, HomeOfWords> homes{
        {"core/plan/dimensions.cpp", {28, "the row of a dimension is its one home, its nouns and phrases among it"}},
        {"core/plan/optimizer.cpp", {1, "the name of an optimizer"}},
        {"core/partition", {3, "names of operators that the lowering has in one with others"}},
        {"core/workload",
            {114, "names of operators and of activations, each said once where it is lowered or divided"}},
        {"core/cost", {35, "names of what memory holds, each said once where its bytes are worked out"}},
        {"core/pricing", {1, "the name of a collective"}},
        {"core/cluster", {2, "the names of links"}},
        {"core/estimate/evidence.cpp", {2, "the heading of a file that is written, and read back"}},
        {"core/units/parse.cpp", {1, "an example of what can be typed"}},
        {"core/units/reading.", {15, "what several readers of files expect, who stand below core/narration"}},
        {"core/units/sentence.cpp", {2, "counts that every sentence may have"}},
        {"core/catalog/words.h", {27, "what readers of the catalogue expect, who stand below core/narration"}},
        {"core/catalog", {4, "what is said before the program ends, as it was built with a broken catalogue"}},
        {"core/launch", {12, "settings with their values, as the files of frameworks have them"}},
        {"core/audit", {6, "fields of foreign grammars: what profilers write"}},
        {"core/wiring", {149, "what one reader of texts of topology expects, said where it reads"}},
        {"core/exchange", {127, "what one reader of documents expects, said where it reads"}},
        {"core/exchange/launch_",
            {117, "what readers of files of three frameworks expect of each setting, said where they read it"}},
        {"core/validation", {71, "what readers of measured cases expect"}},
        {"core/calibration/megatron_log.cpp",
            {21, "fields and lines of a foreign grammar: what logs of Megatron print"}},
        {"core/calibration/run_text.cpp", {1, "a line of that grammar, by which a log is known"}},
        {"core/calibration/megatron_runs.cpp",
            {1, "the name of a run that its log does not name, and by which it is found again"}},
    };
    return homes;
}

int sentencesIn(const std::string& line)
{
    static const std::regex code(R"(^\s*(//|\*|#include|static_assert))");
    static const std::regex literal(R"rx("((?:[^"\\]|\\.)*)")rx"), words("[A-Za-z]{2,} [A-Za-z]{2,}");
    if (line.find('"') == std::string::npos || std::regex_search(line, code))
        return 0;
    static const std::regex comment("//.*");
    const std::string text = std::regex_replace(line, comment, "");
    int count = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), literal), end; it != end; ++it)
        count += std::regex_search((*it)[1].first, (*it)[1].second, words);
    return count;
}

int sentencesIn(const File& file)
{
    int count = 0;
    for (const std::string& line : file.lines)
        count += sentencesIn(line);
    return count;
}

Faults wordFaults(const std::vector<File>& files)
{
    std::map<std::string, int> counts;
    for (const auto& [home, words] : homesOfWords())
        counts[home] = 0;
    for (const File& file : files)
        if (file.isSource() && file.isIn("core") && !isNarrator(file.path))
            counts[homeOf(file.path)] += sentencesIn(file);
    Faults faults;
    for (const auto& [home, count] : counts) {
        const auto words = homesOfWords().find(home);
        const int most = words == homesOfWords().end() ? 0 : words->second.sentences;
        if (count != most)
            faults.push_back(home + ": " + std::to_string(count) + " sentences, not " + std::to_string(most)
                + (count > most ? ": core/narration is their home" : ": lower the number, so that it stays so"));
    }
    return faults;
}

} // namespace stratoplan::house
