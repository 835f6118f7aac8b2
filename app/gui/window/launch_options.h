// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line asks of the window program.
#pragma once

#include "app/logging.h"
#include "app/session/perspective.h"
#include "core/parallel/strategy.h"
#include "widgets/presentation/tokens.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace stratoplan::gui {

struct LaunchOptions {
    QString planFile; ///< empty: the last session or the first example
    QString example; ///< name of a shipped plan, opened as a new document when there is no planFile
    app::LogLevel logLevel = app::LogLevel::Warning;
    std::optional<widgets::ThemeKind> theme; ///< empty: as in the last session, at first as the desktop asks
    bool systemTheme = false; ///< as the desktop asks, whatever the last session had
    QStringList study; ///< files of answers to show
    bool exampleStudy = false; ///< the shipped answers
    QString schedule; ///< file of an order of passes to compare the plan's own with
    std::optional<session::Perspective> perspective;
    bool clusterTable = false; ///< in place of the canvas
    std::optional<QSize> size;
    QString select; ///< element of the canvas, by id
    std::optional<parallel::Axis> colourBy; ///< axis that colours accelerators on the canvas
    bool linkLoad = false; ///< links of the canvas are coloured by load
    QString screenshot; ///< write a picture of the finished window there and leave
    QString report; ///< write the report of the plan there, without a window, and leave
};

/// The program ends here: `code` to the shell, `text` to standard output (code 0) or standard error.
struct LaunchEnd {
    int code = 0;
    std::string text;
};

/// `arguments` without the program's name. Options of Qt itself (-platform, -style, …) are passed over.
[[nodiscard]] tl::expected<LaunchOptions, LaunchEnd> parseArguments(const std::vector<std::string>& arguments);

/// Why no window can be opened here, or empty. Looks at the environment only: Qt itself would abort.
[[nodiscard]] std::string missingDisplay(const std::vector<std::string>& arguments);

} // namespace stratoplan::gui
