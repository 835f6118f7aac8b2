// SPDX-License-Identifier: GPL-3.0-or-later
// Writes pictures of the partition explorer to the folder given: to look at, not to compare.
// usage: QT_QPA_PLATFORM=offscreen [QT_SCALE_FACTOR=2] partition_gallery FOLDER
#include "tests/widgets/partition/pictures.h"
#include "widgets/partition/partition_explorer.h"
#include "widgets/partition/partition_grid.h"
#include "widgets/partition/partition_table.h"
#include "widgets/partition/step_bar.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QDir>
#include <QMouseEvent>

using namespace stratoplan::partition;
using namespace stratoplan::test;
using namespace stratoplan::widgets;

namespace {

void shoot(PartitionExplorer& explorer, const QString& folder, const QString& name, QSize size = {1240, 700})
{
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::HighContrast}) {
        applyTheme(*qApp, theme);
        explorer.resize(size);
        explorer.show();
        for (int i = 0; i < 3; ++i)
            QCoreApplication::processEvents();
        const char* suffix = theme == ThemeKind::Light ? "light" : theme == ThemeKind::Dark ? "dark" : "contrast";
        explorer.grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, name, QString::fromLatin1(suffix)));
    }
}

void selectMiddle(PartitionGrid& grid)
{
    const QPointF middle = grid.grid().cell(grid.grid().ranks() / 2).center();
    QMouseEvent press(QEvent::MouseButtonPress, middle, grid.mapToGlobal(middle), Qt::LeftButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&grid, &press);
}

void shootGroup(PartitionExplorer& explorer, const QString& folder, int bits)
{
    const QString ranks = QString::number(1 << bits);
    explorer.grid().setSelectedRank(-1);
    explorer.setPicture(layerOf(bits));
    explorer.setOperator(QStringLiteral("QKV"));
    explorer.setShownTensor(std::nullopt);
    explorer.setMoment(0);
    shoot(explorer, folder, ranks + QStringLiteral("-all"));
    selectMiddle(explorer.grid());
    shoot(explorer, folder, ranks + QStringLiteral("-rank"));
    shoot(explorer, folder, ranks + QStringLiteral("-small"), {960, 620});
    explorer.setShownTensor(Tensor::Weight);
    explorer.grid().setTravel(0.5);
    shoot(explorer, folder, ranks + QStringLiteral("-weight"));
    explorer.grid().setTravel(0);
    explorer.setOperator(QStringLiteral("attention output"));
    explorer.setMoment(explorer.steps().track().moments() / 3 - 1);
    explorer.setShownTensor(std::nullopt);
    shoot(explorer, folder, ranks + QStringLiteral("-sums"));
    explorer.table().setColumns(PartitionTable::Columns(bits % 3));
    explorer.setOperator(QStringLiteral("attention"));
    shoot(explorer, folder, ranks + QStringLiteral("-axes"));
    explorer.table().setColumns(PartitionTable::Columns::Overview);
}

} // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    const QString folder = QString::fromLocal8Bit(argc > 1 ? argv[1] : ".");
    QDir().mkpath(folder);
    applyTheme(app, ThemeKind::Light);
    PartitionExplorer explorer;
    for (int bits = 0; bits <= 6; ++bits)
        shootGroup(explorer, folder, bits);
    PartitionPicture empty;
    empty.message = QStringLiteral("This plan divides tensors as Megatron does");
    explorer.setPicture(empty);
    shoot(explorer, folder, QStringLiteral("empty"));
    return 0;
}
