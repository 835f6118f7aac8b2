// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/about_dialog.h"

#include "widgets/style/theme.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>

namespace stratoplan::gui {

AboutDialog::AboutDialog(QWidget* parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("About Stratoplan"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 24, 24, 16);
    column->setSpacing(12);
    auto* title = new QLabel(tr("Stratoplan %1").arg(QStringLiteral(STRATOPLAN_VERSION)), this);
    setTextRole(*title, widgets::TextRole::Value);
    column->addWidget(title);
    column->addWidget(new QLabel(tr("Plans how to train large transformers on clusters."), this));

    const QString parts =
        tr("<p>This program is free software under the <b>GNU General Public License</b>, version 3 or later; "
           "its planning core and its catalogue are under the <b>Apache License 2.0</b>. It comes without any "
           "warranty.</p>"
           "<table cellpadding=\"2\">"
           "<tr><td>Qt %1&nbsp;&nbsp;</td><td>LGPL 3.0</td></tr>"
           "<tr><td>QCustomPlot 2.1&nbsp;&nbsp;</td><td>GPL 3.0 or later</td></tr>"
           "<tr><td>nlohmann JSON, spdlog, fmt&nbsp;&nbsp;</td><td>MIT</td></tr>"
           "<tr><td>CLI11&nbsp;&nbsp;</td><td>BSD 3-clause</td></tr>"
           "<tr><td>libcsv&nbsp;&nbsp;</td><td>LGPL 2.1 or later</td></tr>"
           "<tr><td>tl::expected&nbsp;&nbsp;</td><td>CC0 1.0</td></tr>"
           "</table>")
            .arg(QString::fromLatin1(qVersion()));
    auto* text = new QLabel(parts, this);
    text->setTextFormat(Qt::RichText);
    text->setWordWrap(true);
    text->setMinimumWidth(440);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    column->addWidget(text);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
}

} // namespace stratoplan::gui
