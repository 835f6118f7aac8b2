// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/calibrate/calibration_texts.h"

#include "core/reporting/runs.h"
#include "core/units/format.h"
#include "widgets/presentation/text.h"
#include "widgets/presentation/translate.h"

#include <algorithm>
#include <cmath>

namespace stratoplan::gui {

namespace {

/// A line of the table of errors; empty without rows.
QString errorLine(const QString& name, const calibration::FitErrors& e)
{
    if (e.n == 0)
        return {};
    return QStringLiteral("<tr><td>%1</td><td align=right>%2</td><td align=right><b>%3</b></td><td "
                          "align=right>%4</td><td align=right>%5</td></tr>")
        .arg(name.toHtmlEscaped(), QString::number(e.n), QString::fromStdString(formatShare(e.meanAbs)),
            widgets::signedShareText(e.bias), widgets::signedShareText(e.worst));
}

} // namespace

QString rowsText(const session::ReadRunsAnswer& rows, const std::vector<bool>& used)
{
    constexpr qsizetype kNamed = 4;
    QStringList parts, unread;
    const auto count = static_cast<int>(std::count(used.begin(), used.end(), true));
    parts << (count == 1 ? widgets::tr("1 row") : widgets::tr("%1 rows").arg(count));
    for (const session::RunEntry& entry : rows.entries)
        if (entry.unread)
            unread << rows.unread[entry.index].id;
    if (!unread.isEmpty())
        parts << widgets::tr("%1 cannot be used (%2)")
                     .arg(unread.size())
                     .arg(unread.mid(0, kNamed).join(QStringLiteral(", "))
                         + (unread.size() > kNamed ? QStringLiteral(", …") : QString()));
    qsizetype off = 0, doubtful = 0;
    for (std::size_t i = 0; i < rows.runs.size(); ++i)
        if (!used[i])
            ++(rows.runs[i].doubts.empty() ? off : doubtful);
    if (off > 0)
        parts << widgets::tr("%1 switched off").arg(off);
    if (doubtful > 0)
        parts << widgets::tr("%1 in doubt: check it to use it all the same").arg(doubtful);
    if (count > 0 && count < calibration::kRowsForAFit)
        parts << widgets::tr("fewer than %1 fit one rate only").arg(calibration::kRowsForAFit);
    QString text = parts.join(QStringLiteral(", "));
    for (const QString& note : rows.notes)
        text += QStringLiteral(". ") + note;
    return text;
}

QString fitText(const calibration::OwnFit& fit)
{
    const auto sentence = [](const std::string& from) {
        QString part = QString::fromStdString(from);
        part[0] = part[0].toUpper();
        return part + u'.';
    };
    if (fit.refusal)
        return widgets::tr("No plan can use this fit: %1")
            .arg(QString::fromStdString(reporting::describe(*fit.refusal)));
    QStringList parts;
    for (const std::string& fault : reporting::describeAll(fit.faults))
        parts << sentence(fault);
    for (const std::string& warning : reporting::describeAll(fit.warnings))
        parts << sentence(warning.substr(0, warning.find(": ")));
    return parts.isEmpty() ? widgets::tr("Fitted.") : parts.join(u' ');
}

QString errorTable(const calibration::FittedProfile& fitted, plan::CalibrationTarget target)
{
    const bool time = target == plan::CalibrationTarget::StepTime;
    const calibration::Calibration& c = time ? fitted.time : fitted.memory;
    return QStringLiteral("<table cellspacing=0 cellpadding=3><tr><td>%1</td><td align=right>%2</td><td "
                          "align=right>%3</td><td align=right>%4</td><td align=right>%5</td></tr>")
               .arg(time ? widgets::tr("Error of time") : widgets::tr("Error of memory"), widgets::tr("rows"),
                   widgets::tr("mean"), widgets::tr("bias"), widgets::tr("worst"))
        + errorLine(widgets::tr("Before"), c.before) + errorLine(widgets::tr("Fitted"), c.after)
        + errorLine(widgets::tr("Left out"), c.leftOut) + QStringLiteral("</table>");
}

} // namespace stratoplan::gui
