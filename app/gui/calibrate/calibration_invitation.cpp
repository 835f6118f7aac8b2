// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/calibrate/calibration_invitation.h"

#include "widgets/style/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace stratoplan::gui {

CalibrationInvitation::CalibrationInvitation(QWidget* parent)
    : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setSpacing(12);
    auto* text = new QLabel(tr("Fit the estimates to your own runs"), this);
    setTextRole(*text, widgets::TextRole::Title);
    auto* hint = new QLabel(tr("Paste or open 5 to 50 rows: a strategy each, and its measured seconds or GiB.\nTables "
                               "from a spreadsheet and Megatron-LM logs are "
                               "read; what they leave open comes from the current plan."),
        this);
    setTextRole(*hint, widgets::TextRole::Secondary);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    auto* buttons = new QHBoxLayout;
    auto* paste = new QPushButton(tr("Paste rows"), this);
    paste->setProperty("primary", true);
    connect(paste, &QPushButton::clicked, this, &CalibrationInvitation::pasteRequested);
    auto* open = new QPushButton(tr("Open a table or log…"), this);
    connect(open, &QPushButton::clicked, this, &CalibrationInvitation::openRequested);
    buttons->addStretch(1);
    auto* load = new QPushButton(tr("Load a saved profile…"), this);
    load->setToolTip(tr("Use a profile that was fitted and saved before in this plan"));
    connect(load, &QPushButton::clicked, this, &CalibrationInvitation::loadProfileRequested);
    buttons->addWidget(paste);
    buttons->addWidget(open);
    buttons->addWidget(load);
    buttons->addStretch(1);
    auto* example =
        new QLabel(QStringLiteral("tp,pp,micro_batch,recompute,step_s,peak_gib\n8,8,1,selective,13.75,61.2"), this);
    example->setFont(QFont(QStringLiteral("monospace"), font().pointSize()));
    example->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    example->setAccessibleName(tr("An example of a table"));
    column->addStretch(2);
    column->addWidget(text, 0, Qt::AlignCenter);
    column->addWidget(hint);
    column->addWidget(example, 0, Qt::AlignCenter);
    column->addLayout(buttons);
    column->addStretch(3);
}

} // namespace stratoplan::gui
