// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of a report: shapes stay where they belong, and SVG says the same shapes.
#include "core/report/figures.h"
#include "core/report/svg.h"
#include "tests/core/report/report_facts.h"
#include "tests/registry.h"

#include <QXmlStreamReader>
#include <cmath>

using namespace stratoplan;
using namespace stratoplan::report;
using namespace stratoplan::test;

namespace {

/// What reaches beyond the picture; empty where nothing does.
QString beyond(const Picture& picture)
{
    const auto isInside = [&](const Point& p) {
        constexpr double kSlack = 1;
        return p.x >= -kSlack && p.x <= kPictureWidth + kSlack && p.y >= -kSlack && p.y <= picture.height + kSlack;
    };
    for (const Shape& shape : picture.shapes) {
        if (const auto* const label = std::get_if<Label>(&shape); label && !isInside(label->at))
            return QString::fromStdString(label->text);
        if (const auto* const boxes = std::get_if<Boxes>(&shape))
            for (const Frame& f : boxes->frames)
                if (!isInside({f.x, f.y}) || !isInside({f.right(), f.bottom()}))
                    return QStringLiteral("a box at %1, %2").arg(f.x).arg(f.y);
        if (const auto* const strokes = std::get_if<Strokes>(&shape))
            for (const auto& [from, to] : strokes->lines)
                if (!isInside(from) || !isInside(to))
                    return QStringLiteral("a line at %1, %2").arg(from.x).arg(from.y);
    }
    return {};
}

bool isWellFormed(const std::string& text)
{
    QXmlStreamReader reader(QByteArray::fromStdString(text));
    while (!reader.atEnd())
        reader.readNext();
    return !reader.hasError();
}

plan::Plan examplePlan(const std::string& name)
{
    return exchange::parseDocument(exchange::findExample(name)->text, catalog::shippedCatalog())->project.plan;
}

} // namespace

class TestReportPictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void patternsStayInTheirBoxes()
    {
        for (const Pattern pattern :
            {Pattern::Forward, Pattern::Backward, Pattern::Upright, Pattern::Level, Pattern::Crossed, Pattern::Dots})
            for (const Frame& frame : {Frame{10, 20, 30, 12}, Frame{0, 0, 8, 50}, Frame{5, 5, 200, 8}}) {
                Picture picture;
                addBox(picture, frame, 0x4c78a8, pattern);
                int lines = 0;
                for (const Shape& shape : picture.shapes)
                    if (const auto* const strokes = std::get_if<Strokes>(&shape))
                        for (const auto& [from, to] : strokes->lines)
                            for (const Point& p : {from, to}) {
                                ++lines;
                                QVERIFY(p.x >= frame.x - 1e-9 && p.x <= frame.right() + 1e-9);
                                QVERIFY(p.y >= frame.y - 1e-9 && p.y <= frame.bottom() + 1e-9);
                            }
                QVERIFY(lines > 0);
            }
    }

    void textsAreCutToTheirRoom()
    {
        const std::string text = "Stage × 12 … of the pipeline";
        for (double width = 0; width < 200; width += 7) {
            const std::string cut = fitted(text, width);
            QVERIFY(textWidth(cut) <= width || cut.empty());
            QVERIFY(cut == text || cut.empty() || cut.ends_with("…"));
        }
        QCOMPARE(fitted(text, 1000), text);
    }

    void ticksAreRound()
    {
        const std::vector<double> ticks = Scale{0, 17.6, 0, 100}.ticks();
        QVERIFY(ticks.size() >= 4 && ticks.size() <= 12);
        QCOMPARE(ticks.front(), 0.0);
        QVERIFY(ticks.back() <= 17.6);
        QVERIFY((Scale{1, 1, 0, 100}.ticks().empty()));
        QVERIFY((Scale{1, std::nextafter(1.0, 2.0), 0, 100}.ticks().empty()));
    }

    void inksCanBeRead()
    {
        QCOMPARE(inkOn(0xffffff), kInk);
        QCOMPARE(inkOn(0x1d4f91), kPaper);
        QCOMPARE(blended(0x000000, 0xffffff, 0.5), Rgb(0x808080));
    }

    void svgEscapesItsTexts()
    {
        Picture picture{"<a> & \"b\"", 20, {}};
        addText(picture, {1, 10}, "x < y & z");
        const std::string text = svg(picture);
        QVERIFY(text.find("x &lt; y &amp; z") != std::string::npos);
        QVERIFY(isWellFormed(text));
    }

    /// Every shipped cluster can be drawn, whatever its size.
    void clustersAreDrawnInside_data()
    {
        QTest::addColumn<QString>("example");
        for (const exchange::Example& each : exchange::examples())
            QTest::newRow(each.name.c_str()) << QString::fromStdString(each.name);
    }
    void clustersAreDrawnInside()
    {
        QFETCH(const QString, example);
        plan::Plan plan = examplePlan(example.toStdString());
        const Picture picture = clusterPicture(plan);
        QVERIFY(picture.height > 80 && picture.height < 620);
        QCOMPARE(beyond(picture), QString());
        QVERIFY(isWellFormed(svg(picture)));
        for (cluster::Connection& connection : plan.cluster.connections)
            connection.link.name = std::string(300, 'm');
        QCOMPARE(beyond(clusterPicture(plan)), QString());
    }

    void picturesOfAStepAreDrawnInside()
    {
        const Facts facts = factsOf(quickDocument("llama-65b-32-ascend"));
        QVERIFY(facts.timeline.has_value());
        for (const Picture& picture :
            {breakdownPicture(facts.chosen.estimate), memoryPicture(facts.chosen.estimate.memory),
                pipelinePicture(*facts.timeline, 0, facts.timeline->makespan.value()), frontPicture(facts),
                runPicture(facts.chosen), evidencePicture(facts.validation)}) {
            QCOMPARE(beyond(picture), QString());
            QVERIFY(isWellFormed(svg(picture)));
            QVERIFY(!picture.title.empty() && picture.height > 0);
        }
    }

    void fewStagesAreShownOfMany()
    {
        QCOMPARE(shownStages(4, 16), (std::vector<std::size_t>{0, 1, 2, 3}));
        QCOMPARE(shownStages(20, 4), (std::vector<std::size_t>{0, 1, 18, 19}));
    }
};

STRATOPLAN_TEST(TestReportPictures)
#include "test_report_pictures.moc"
