// SPDX-License-Identifier: GPL-3.0-or-later
// What is exported and imported again is the same plan, but for what the export says it does not express: every
// shipped example and strategies drawn at random, in every format that is read.
#include "core/exchange/launch_file.h"
#include "core/narration/launches.h"
#include "tests/core/exchange/launch_facts.h"
#include "tests/core/launch/launch_plans.h"
#include "tests/registry.h"

#include <QTest>

using namespace stratoplan;
using namespace stratoplan::exchange;

namespace {

std::string refusal(const DocumentErrors& errors)
{
    std::string text;
    for (const DocumentError& error : errors)
        text += describe(error) + '\n';
    return text;
}

/// torchtitan has the models that it ships alone.
bool lacksModel(const launch::LaunchFile& file)
{
    return std::any_of(file.remarks.begin(), file.remarks.end(),
        [](const launch::Remark& remark) { return remark.gap == launch::Gap::NoShape; });
}

/// A file does not say which nodes it runs on.
bool isOfAssumedNodes(const plan::Problem& problem)
{
    return problem.where == "/training/precision" || problem.where == "/training/software";
}

/// Why the file does not give the plan back; empty where it does.
std::string lostOf(const plan::Project& project, launch::Format format, LaunchKind kind)
{
    const launch::LaunchFile file = launch::write(project, format);
    const std::string text = narration::launchText(file, project.plan);
    const std::string companion =
        file.companions.empty() ? std::string() : narration::launchText(file, file.companions.front(), project.plan);
    if (recogniseLaunch(text) != kind)
        return "not recognised\n" + text;
    LaunchOptions options;
    options.companion = companion;
    if (lacksModel(file))
        options.base = &project.plan;
    const auto back = importLaunch(text, kind, project.plan.name, "file", options, catalog::shippedCatalog());
    if (!back)
        return refusal(back.error()) + text + companion;
    const std::string lost = launchtest::silentlyLost(project.plan, back->plan, file.remarks);
    if (!lost.empty())
        return lost + text + companion;
    for (const plan::Problem& problem : plan::check(back->plan))
        if (problem.severity == plan::Severity::Error && !isOfAssumedNodes(problem))
            return problem.where + '\n' + text + companion;
    return {};
}

} // namespace

class TestLaunchRoundTrip : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void examplesComeBack_data() { addFormats(); }
    void examplesComeBack()
    {
        QFETCH(const int, format);
        QFETCH(const int, kind);
        for (const Example& example : examples()) {
            const std::string lost =
                lostOf(launchtest::example(example.name), launch::Format(format), LaunchKind(kind));
            QVERIFY2(lost.empty(), (example.name + ": " + lost).c_str());
        }
    }

    void drawnPlansComeBack_data() { addFormats(); }
    void drawnPlansComeBack()
    {
        QFETCH(const int, format);
        QFETCH(const int, kind);
        launchtest::DrawnPlans drawn(11);
        for (int i = 0; i < 200; ++i) {
            const plan::Project project = drawn.next();
            const std::string lost = lostOf(project, launch::Format(format), LaunchKind(kind));
            QVERIFY2(lost.empty(), ("plan " + std::to_string(i) + ": " + lost).c_str());
        }
    }

private:
    static void addFormats()
    {
        QTest::addColumn<int>("format");
        QTest::addColumn<int>("kind");
        const auto row = [](launch::Format format, LaunchKind kind) {
            QTest::newRow(std::string(key(format)).c_str()) << int(format) << int(kind);
        };
        row(launch::Format::MegatronLm, LaunchKind::MegatronLm);
        row(launch::Format::MindSpeed, LaunchKind::MegatronLm);
        row(launch::Format::Slurm, LaunchKind::MegatronLm);
        row(launch::Format::DeepSpeed, LaunchKind::DeepSpeed);
        row(launch::Format::TorchTitan, LaunchKind::TorchTitan);
    }
};

STRATOPLAN_TEST(TestLaunchRoundTrip)
#include "test_launch_round_trip.moc"
