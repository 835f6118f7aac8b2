// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/registry.h"

#include <QTest>

#include <cstdio>
#include <filesystem>
#include <map>

namespace stratoplan::tests {
namespace {

/// By the name of the file. Filled before main() begins.
std::map<std::string, MakeTest>& registered()
{
    static std::map<std::string, MakeTest> tests;
    return tests;
}

int runOne(MakeTest make, int argc, char** argv)
{
    const std::unique_ptr<QObject> test = make();
    return QTest::qExec(test.get(), argc, argv);
}

} // namespace

bool registerTest(const std::string& file, MakeTest make)
{
    registered().emplace(std::filesystem::path(file).stem().string(), make);
    return true;
}

int runRegistered(int argc, char** argv)
{
    if (argc < 2 || std::string(argv[1]).starts_with('-')) {
        int failed = 0;
        for (const auto& [name, make] : registered())
            failed += runOne(make, argc, argv);
        return failed;
    }
    const auto test = registered().find(argv[1]);
    if (test == registered().end()) {
        std::fprintf(stderr, "no test \"%s\" here, expected one of:", argv[1]);
        for (const auto& [name, make] : registered())
            std::fprintf(stderr, " %s", name.c_str());
        std::fprintf(stderr, "\n");
        return 127;
    }
    argv[1] = argv[0];
    return runOne(test->second, argc - 1, argv + 1);
}

} // namespace stratoplan::tests
