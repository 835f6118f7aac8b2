// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/partition/rank_panel.h"

#include "widgets/panels/choice_field.h"
#include "widgets/panels/panel_style.h"
#include "widgets/presentation/partition_frame.h"
#include "widgets/presentation/partition_text.h"
#include "widgets/presentation/translate.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace stratoplan::widgets {

using namespace partition;

namespace {

constexpr int kToneRole = Qt::UserRole; ///< a QList<int> of hue, hues, shade, shades
constexpr int kBar = 4; ///< of a block's colour
constexpr int kCellMargin = 5;
constexpr int kHeadingMargin = 8;
constexpr double kSmaller = 0.88; ///< font: a row has many numbers

QString shortName(Phase phase)
{
    const std::array names{tr("Fwd"), tr("Bwd"), tr("Grad")};
    return names[std::size_t(phase)];
}

/// Lines of text behind a bar of the block's colour.
class HeldDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Tokens& t = currentTokens();
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected))
            painter->fillRect(option.rect, t.accentSoft);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), t.border);
        QRect room = option.rect.adjusted(kCellMargin, 2, -2, -3);
        if (const auto tone = index.data(kToneRole).value<QList<int>>(); tone.size() == 4) {
            painter->fillRect(QRect(room.left(), room.top() + 1, kBar, room.height() - 2),
                blockColour({tone[0], tone[1], tone[2], tone[3]}, t.kind));
            room.adjust(kBar + 4, 0, 0, 0);
        }
        painter->setFont(scaledFont(option.font, kSmaller));
        painter->setPen(t.text);
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
        if (option.state.testFlag(QStyle::State_Selected) && option.widget && showsFocus(*option.widget))
            paintRowFocus(
                *painter, option.rect, index.column() == 0, index.column() == index.model()->columnCount() - 1, t);
        painter->restore();
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const QSize text = QFontMetrics(scaledFont(option.font, kSmaller)).size(0, index.data().toString());
        const bool hasTone = index.data(kToneRole).isValid();
        return {text.width() + kCellMargin + 4 + (hasTone ? kBar + 4 : 0), text.height() + 6};
    }
};

QTableWidget* makeTable(QWidget* parent)
{
    auto* table = new QTableWidget(parent);
    table->setAccessibleName(tr("What the rank holds at each step"));
    table->setItemDelegate(new HeldDelegate(table));
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->setColumnCount(6);
    table->setHorizontalHeaderLabels(
        {tr("Step"), tr("Input"), tr("Weight"), tr("Output"), tr("Sends"), tr("Receives")});
    const std::array tips{tr("Phase and step; Up and Down change the step, Ctrl+C copies all"),
        tr("Input: what the rank holds of it"), tr("Weight: what the rank holds of it"),
        tr("Output: what the rank holds of it"), tr("Sends: blocks that leave the rank, and to where"),
        tr("Receives: blocks that come to the rank, and from where")};
    for (int i = 0; i < int(tips.size()); ++i)
        table->horizontalHeaderItem(i)->setToolTip(tips[std::size_t(i)]);
    return table;
}

} // namespace

RankPanel::RankPanel(QWidget* parent)
    : QWidget(parent)
    , m_chooser(new ChoiceField(this))
    , m_text(new QLabel(this))
    , m_product(new ProductView(this))
    , m_table(makeTable(this))
{
    m_chooser->setAccessibleName(tr("Rank"));
    m_chooser->setToolTip(tr("The rank whose blocks are shown, also chosen by a click on it"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setContentsMargins(kPanelMargin, 0, kPanelMargin, 0);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto* heading = new QHBoxLayout;
    heading->setContentsMargins(kPanelMargin, 0, kPanelMargin, 0);
    heading->addWidget(m_chooser);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, kGrid, 0, 0);
    column->setSpacing(kRowGap);
    column->addLayout(heading);
    column->addWidget(m_text);
    column->addWidget(m_product);
    column->addWidget(m_table, 1);
    column->addStretch(0);
    m_table->installEventFilter(this);
    connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row) {
        if (!m_filling && row >= 0)
            Q_EMIT momentChosen(row);
    });
    connect(m_chooser, &ChoiceField::keyChosen, this, &RankPanel::rankChosen);
    setRanks(0, 1);
    setRank(nullptr, -1);
}

void RankPanel::setRanks(int ranks, int ranksPerDomain)
{
    if (ranks == m_ranks && ranksPerDomain == m_ranksPerDomain && m_chooser->count() > 0)
        return;
    m_ranks = ranks;
    m_ranksPerDomain = ranksPerDomain;
    const QSignalBlocker quiet(m_chooser);
    m_chooser->clear();
    m_chooser->addChoice(tr("No rank"), -1);
    for (int rank = 0; rank < ranks; ++rank)
        m_chooser->addChoice(tr("Rank %1 of domain %2").arg(rank).arg(rank / ranksPerDomain), rank);
    m_chooser->setKey(m_rank < ranks ? m_rank : -1);
}

QString RankPanel::text() const
{
    return m_text->text();
}

void RankPanel::setRank(const std::shared_ptr<const PartitionScene>& scene, int rank)
{
    present(scene, rank, tr("Choose a rank to see what it holds at each step."));
}

void RankPanel::setText(int rank, const QString& text)
{
    present(nullptr, rank, text);
}

void RankPanel::present(const std::shared_ptr<const PartitionScene>& scene, int rank, const QString& text)
{
    m_scene = scene;
    m_rank = rank;
    const bool selected = m_scene && rank >= 0;
    m_chooser->setKey(rank);
    m_text->setText(text);
    m_text->setVisible(!selected);
    m_product->setVisible(m_scene != nullptr);
    m_table->setVisible(selected);
    fillTable();
    setMoment(m_moment);
}

void RankPanel::setMoment(int moment)
{
    m_moment = moment;
    if (!m_scene || moment >= m_scene->moments())
        return m_product->setProduct(nullptr, -1, {});
    m_product->setProduct(m_scene, m_rank, m_scene->momentAt(moment));
    m_filling = true;
    if (m_rank >= 0)
        m_table->setCurrentCell(moment, 0);
    m_filling = false;
}

void RankPanel::fillTable()
{
    m_filling = true;
    const bool selected = m_scene && m_rank >= 0;
    m_table->setRowCount(selected ? m_scene->moments() : 0);
    const ChartTable all = selected ? rankTable(*m_scene, m_rank) : ChartTable();
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const Moment moment = m_scene->momentAt(row);
        const QStringList& texts = all.rows[row];
        m_table->setItem(row, 0, new QTableWidgetItem(tr("%1 %2").arg(shortName(moment.phase), texts[1])));
        m_table->item(row, 0)->setToolTip(momentText(*m_scene, moment));
        for (const Tensor tensor : kTensors) {
            const HeldBlock block = m_scene->held(tensor, m_rank, moment);
            const BlockTone tone = toneOf(*m_scene, block);
            auto* item = new QTableWidgetItem(cutRangesText(*m_scene, block));
            item->setData(kToneRole, QVariant::fromValue(QList<int>{tone.hue, tone.hues, tone.shade, tone.shades}));
            item->setToolTip(
                tr("%1 %2: %3")
                    .arg(tensorSymbol(tensor, moment.phase), blockLabel(*m_scene, block), rangesText(*m_scene, block)));
            m_table->setItem(row, 1 + int(tensor), item);
        }
        for (int i = 0; i < 2; ++i) {
            auto* item = new QTableWidgetItem(QString(texts[5 + i]).replace(", ", "\n"));
            item->setToolTip(item->text());
            m_table->setItem(row, 4 + i, item);
        }
    }
    m_table->resizeColumnsToContents();
    const QFontMetrics metrics(m_table->horizontalHeader()->font());
    for (int column = 0; column < m_table->columnCount(); ++column) // headings, whole
        m_table->setColumnWidth(column,
            std::max(m_table->columnWidth(column),
                metrics.horizontalAdvance(m_table->horizontalHeaderItem(column)->text()) + 2 * kHeadingMargin));
    m_table->resizeRowsToContents();
    m_filling = false;
}

bool RankPanel::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() != QEvent::KeyPress || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy) || !m_scene)
        return QWidget::eventFilter(object, event);
    QApplication::clipboard()->setText(toTsv(rankTable(*m_scene, m_rank)));
    return true;
}

} // namespace stratoplan::widgets
