// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/partition/finding_row.h"

#include "core/narration/partitions.h"
#include "widgets/panels/panel_style.h"
#include "widgets/style/elided_label.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>

namespace stratoplan::gui {

namespace {
constexpr int kBarHeight = 3;
}

FindingRow::FindingRow(QWidget* parent)
    : QWidget(parent)
    , m_text(new widgets::ElidedLabel(this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_find(new QPushButton(this))
    , m_bar(new QProgressBar(parent))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(widgets::kGrid);
    row->addWidget(m_text, 1);
    for (QPushButton* button : {m_cancel, m_find}) {
        button->setFixedHeight(widgets::rowHeight(*this));
        row->addWidget(button);
    }
    setFixedHeight(widgets::rowHeight(*this));
    m_cancel->setToolTip(tr("Stops the work; what is known by now stays (Esc)"));
    connect(m_cancel, &QPushButton::clicked, this, &FindingRow::cancelWanted);
    connect(m_find, &QPushButton::clicked, this, &FindingRow::findWanted);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(kBarHeight);
    m_bar->setAccessibleName(tr("Share of the work done"));
    showWork(false);
}

void FindingRow::showWork(bool shown)
{
    setVisible(shown);
    m_bar->setVisible(shown && !m_isCancelled);
    m_bar->raise();
}

void FindingRow::showProgress(const estimate::PartitionProgress& progress)
{
    const std::string_view phase = narration::describe(progress.phase);
    m_text->setText(tr("%1 · %2 %")
                        .arg(QString::fromUtf8(phase.data(), qsizetype(phase.size())))
                        .arg(static_cast<int>(100 * progress.share)));
    m_bar->setValue(static_cast<int>(progress.share * m_bar->maximum()));
    m_isCancelled = false;
    m_cancel->show();
    m_find->hide();
    showWork(!isHidden());
}

void FindingRow::showCancelled(const QString& text, const QString& buttonText, const QString& buttonTip)
{
    m_text->setText(text);
    m_find->setText(buttonText);
    m_find->setToolTip(buttonTip);
    m_isCancelled = true;
    m_find->show();
    if (m_cancel->hasFocus())
        m_find->setFocus();
    m_cancel->hide();
    showWork(true);
}

QString FindingRow::text() const
{
    return m_text->text();
}

} // namespace stratoplan::gui
