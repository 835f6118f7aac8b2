// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of a cluster on the clipboard: copied, cut and pasted by the keys of the canvas.
#include "core/exchange/cluster_part.h"
#include "core/exchange/schema.h"
#include "tests/widgets/charts/qt_messages.h"
#include "tests/widgets/topology/canvas_page.h"
#include "tests/widgets/topology/clusters.h"
#include "widgets/style/theme.h"
#include "widgets/topology/canvas_clipboard.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace stratoplan::cluster;
using namespace stratoplan::widgets;
using namespace stratoplan::test;
using Host = CanvasPage;
namespace exchange = stratoplan::exchange;

class TestCanvasClipboard : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, ThemeKind::Light);
        collectQtMessages();
    }

    void pastesWhatWasCopied()
    {
        Host host(fatTree());
        QSignalSpy refusals(&host.view().clipboard(), &CanvasClipboard::refused);
        host.view().setFocus(Qt::OtherFocusReason);
        host.view().setSelection({QStringLiteral("nodes"), QStringLiteral("leaves")});
        QTest::keyClick(&host.view(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(host.texts.isEmpty());
        for (const char* pasted : {"-2", "-3"}) {
            QTest::keyClick(&host.view(), Qt::Key_V, Qt::ControlModifier);
            QCOMPARE(host.texts.last(), QStringLiteral("Paste 2 elements"));
            const QStringList now{
                QStringLiteral("nodes") + QLatin1String(pasted), QStringLiteral("leaves") + QLatin1String(pasted)};
            QCOMPARE(host.view().selection(), now);
            for (const auto& [id, place] : host.value.positions)
                for (const QString& key : now)
                    QVERIFY(id == key.toStdString()
                        || !host.scene().element(id)->sceneCard().intersects(
                            host.scene().element(key.toStdString())->sceneCard()));
        }
        QCOMPARE(host.value.cluster.connections.size(), std::size_t{4});
        QVERIFY(refusals.isEmpty());
    }

    void pastesIntoAnotherCluster()
    {
        Host from(fatTree());
        from.view().setSelection({QStringLiteral("nodes"), QStringLiteral("leaves"), QStringLiteral("spines")});
        from.view().clipboard().copy();
        const CanvasValue before = from.view().value();
        Host to;
        to.view().clipboard().paste();
        QCOMPARE(to.texts, QStringList{QStringLiteral("Paste 3 elements")});
        QCOMPARE(to.value.cluster.nodes, before.cluster.nodes);
        QCOMPARE(to.value.cluster.switches, before.cluster.switches);
        QCOMPARE(to.value.cluster.connections, before.cluster.connections);
        QCOMPARE(to.value.positions, before.positions);
    }

    void nothingIsPastedOutOfSight()
    {
        Host host(fatTree());
        host.view().setSelection({QStringLiteral("spines")});
        host.view().clipboard().copy();
        host.view().setZoom(1);
        host.view().centreOn(host.scene().element("spines")->sceneCard().center() + QPointF(0, 3000));
        QVERIFY(!host.view().viewport()->rect().contains(host.at("spines")));
        host.view().clipboard().paste();
        QVERIFY(host.view().viewport()->rect().contains(host.at("spines-2")));
    }

    void clustersHaveAMostOfGroups()
    {
        const auto switches = [](std::size_t count) {
            Cluster many = fatTree();
            many.connections.clear();
            many.switches.resize(count, many.switches.front());
            for (std::size_t i = 0; i < count; ++i)
                many.switches[i].id = many.switches[i].name = "s" + std::to_string(i);
            return many;
        };
        Host half(switches(500));
        QSignalSpy fits(&half.view().clipboard(), &CanvasClipboard::refused);
        half.view().topologyScene()->select(half.view().topologyScene()->walkOrder());
        half.view().clipboard().copy();
        half.view().clipboard().paste();
        QCOMPARE(half.value.cluster.switches.size(), exchange::kMostGroups);
        QVERIFY(fits.isEmpty());

        Host more(switches(501));
        QSignalSpy refusals(&more.view().clipboard(), &CanvasClipboard::refused);
        more.view().topologyScene()->select(more.view().topologyScene()->walkOrder());
        more.view().clipboard().paste();
        more.view().clipboard().duplicate();
        QCOMPARE(refusals.size(), 2);
        for (const QList<QVariant>& refusal : refusals)
            QVERIFY2(refusal[0].toString().contains(QStringLiteral("at most 1,000 groups")),
                qPrintable(refusal[0].toString()));
        QVERIFY(more.texts.isEmpty());
    }

    void limitsAreThoseOfDocuments()
    {
        const auto& cluster = exchange::schema(exchange::DocumentFormat::Plan).at("definitions").at("cluster");
        const auto most = [&](const char* list) {
            return cluster.at("properties").at(list).at("maxItems").get<std::size_t>();
        };
        QCOMPARE(most("nodes"), exchange::kMostGroups);
        QCOMPARE(most("switches"), exchange::kMostGroups);
        QCOMPARE(most("connections"), exchange::kMostConnections);
    }

    void cutsAndPastesBack()
    {
        Host host(fatTree());
        const CanvasValue before = host.view().value();
        const auto action = [&](const QString& text) {
            for (QAction* candidate : host.view().actions())
                if (candidate->text() == text)
                    return candidate;
            return static_cast<QAction*>(nullptr);
        };
        host.view().setSelection({QStringLiteral("nodes -> leaves")});
        QVERIFY(!action(QStringLiteral("Cut"))->isEnabled() && !action(QStringLiteral("Copy"))->isEnabled());
        host.view().setSelection({QStringLiteral("spines")});
        QVERIFY(action(QStringLiteral("Cut"))->isEnabled() && action(QStringLiteral("Copy"))->isEnabled());
        host.view().setFocus(Qt::OtherFocusReason);
        QTest::keyClick(&host.view(), Qt::Key_X, Qt::ControlModifier);
        QCOMPARE(host.texts, QStringList{QStringLiteral("Cut Spine")});
        QCOMPARE(host.value.cluster.switches.size(), std::size_t{1});
        QTest::keyClick(&host.view(), Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(host.texts.last(), QStringLiteral("Paste Spine"));
        QCOMPARE(host.value.cluster.switches, before.cluster.switches);
        QCOMPARE(host.value.positions, before.positions);
        QCOMPARE(host.value.cluster.connections.size(), before.cluster.connections.size() - 1);
    }

    void saysWhatCannotBePasted_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("said");
        const QString head = QStringLiteral(R"({"format": "stratoplan-cluster", "version": 1, "cluster": )");
        const auto nodes = [&head](const char* count, const char* more = "") {
            return head
                + QStringLiteral(R"({"nodes": [{"id": "a", "preset": "dgx-h100", "count": %1}%2}})")
                      .arg(QLatin1String(count), QLatin1String(more));
        };
        QTest::newRow("nothing") << QString() << "copy some on this canvas";
        QTest::newRow("prose") << "16 nodes"
                               << "copy some on this canvas";
        QTest::newRow("torn") << head << "line 1";
        QTest::newRow("plan") << R"({"format": "stratoplan-plan", "version": 1})"
                              << R"(/format: found "stratoplan-plan", expected "stratoplan-cluster")";
        QTest::newRow("no elements") << head + R"({"nodes": []}})"
                                     << "nothing to paste";
        QTest::newRow("count") << nodes("-3", "]") << "/cluster/nodes/0/count: found -3";
        QTest::newRow("misspelt") << nodes("1, \"nics_per_nod\": 4", "]") << "nics_per_node";
        QTest::newRow("twice") << nodes("1", R"(, {"id": "a", "preset": "dgx-h100", "count": 1}])")
                               << R"(/cluster/nodes/1/id: found "a", expected an id of its own)";
        QTest::newRow("loose cable") << nodes(
            "1", R"(], "connections": [{"from": "a", "to": "leaf", "link": "ib-ndr", "cables": 8}])")
                                     << R"(/cluster/connections/0/to: found "leaf")";
    }

    void saysWhatCannotBePasted()
    {
        QFETCH(QString, text);
        QFETCH(QString, said);
        Host host(fatTree());
        QSignalSpy refusals(&host.view().clipboard(), &CanvasClipboard::refused);
        QGuiApplication::clipboard()->setText(text);
        host.view().clipboard().paste();
        QVERIFY(host.texts.isEmpty());
        QCOMPARE(refusals.size(), 1);
        QVERIFY2(refusals[0][0].toString().contains(said), qPrintable(refusals[0][0].toString()));
    }
};

QTEST_MAIN(TestCanvasClipboard)
#include "test_canvas_clipboard.moc"
