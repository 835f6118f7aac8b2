// SPDX-License-Identifier: GPL-3.0-or-later
// How sure the plan is: its figures with their ranges and chances on the left, beside it what each input does alone.
#pragma once

#include "app/session/sensitivity_worker.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace stratoplan::widgets {
class TornadoChart;
class ToneLabel;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class SensitivityDialog : public QDialog {
    Q_OBJECT

public:
    explicit SensitivityDialog(QWidget* parent);

    /// Null: nobody asked yet.
    void setPicture(const session::SensitivityPicturePointer& picture, bool running);
    /// Whether the picture is of the plan as it stands.
    void setCurrent(bool current);

    [[nodiscard]] widgets::TornadoChart& chart() { return *m_chart; }
    [[nodiscard]] QComboBox& figure() { return *m_figure; }
    [[nodiscard]] QString figuresText() const;
    [[nodiscard]] QString chancesText() const;
    [[nodiscard]] QString notice() const;

Q_SIGNALS:
    void wanted();
    void stopWanted();

private:
    QWidget* makeFigures();
    QWidget* makeChart();
    void showState();
    void showFigures();
    void showChart();
    [[nodiscard]] QString noticeText() const;
    /// Null while there is none.
    [[nodiscard]] const sensitivity::Answer* answer() const;
    [[nodiscard]] sensitivity::Measure measure() const;
    [[nodiscard]] const std::string& currency() const;

    session::SensitivityPicturePointer m_picture;
    bool m_running = false;
    bool m_current = true;

    QPushButton* m_run;
    QLabel* m_figures = nullptr;
    QLabel* m_chances = nullptr;
    QLabel* m_method = nullptr;
    widgets::ToneLabel* m_notice = nullptr;
    QComboBox* m_figure = nullptr;
    QProgressBar* m_progress = nullptr;
    widgets::TornadoChart* m_chart = nullptr;
};

} // namespace stratoplan::gui
