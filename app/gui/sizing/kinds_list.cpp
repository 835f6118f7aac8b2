// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sizing/kinds_list.h"

#include "widgets/panels/panel_style.h"
#include "widgets/panels/row_header.h"
#include "widgets/panels/row_table.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kFewestRows = 4, kMostRows = 7; ///< in sight

/// Kinds in whose words every typed one occurs.
class KindsFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setText(const QString& text)
    {
        m_words = text.split(u' ', Qt::SkipEmptyParts);
        invalidateFilter();
    }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        const QString all = sourceModel()->index(row, 0, parent).data(KindsModel::WordsRole).toString();
        return std::ranges::all_of(
            m_words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
    }

private:
    QStringList m_words;
};

} // namespace

KindsList::KindsList(const catalog::Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_kinds(new KindsModel(catalog, this))
    , m_filter(new QLineEdit(this))
    , m_nothing(
          new widgets::ToneLabel(tr("No kind of nodes has these words."), widgets::ToneLabel::Tone::Secondary, this))
{
    auto* filtered = new KindsFilter(this);
    filtered->setSourceModel(m_kinds);
    const int height = 2 * fontMetrics().height() + 14;
    m_table = makeRowTable(filtered, new widgets::RowHeader(this), height, tr("Kinds of nodes"), this);
    m_table->horizontalHeader()->hide();
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setFrameShape(QFrame::StyledPanel);
    m_table->setMinimumHeight(kFewestRows * height + 2);
    m_table->setMaximumHeight(kMostRows * height + 2);
    m_filter->setPlaceholderText(tr("Find nodes: H100, AWS, TPU…"));
    m_filter->setAccessibleName(tr("Find kinds of nodes"));
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    m_nothing->setWordWrap(true);
    m_nothing->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(widgets::kRowGap);
    column->addWidget(m_filter);
    column->addWidget(m_nothing);
    column->addWidget(m_table, 1);
    connect(m_filter, &QLineEdit::textChanged, this, [this, filtered](const QString& text) {
        filtered->setText(text);
        m_nothing->setVisible(filtered->rowCount() == 0);
    });
}

/// Down goes from what is typed to what it found, Esc forgets it.
bool KindsList::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_filter || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape && !m_filter->text().isEmpty()) {
        m_filter->clear();
        return true;
    }
    if (key != Qt::Key_Down || m_table->model()->rowCount() == 0)
        return false;
    m_table->setFocus();
    m_table->setCurrentIndex(m_table->model()->index(0, 0));
    return true;
}

} // namespace stratoplan::gui
