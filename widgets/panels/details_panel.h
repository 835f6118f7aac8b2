// SPDX-License-Identifier: GPL-3.0-or-later
// What is known about the selected thing (a slice, a segment, a figure) and how it was computed.
#pragma once

#include <QScrollArea>
#include <QString>
#include <utility>
#include <vector>

class QVBoxLayout;

namespace stratoplan::widgets {

class StaleVeil;
class ToneLabel;

struct DetailRow {
    QString name;
    QString value;
    bool operator==(const DetailRow&) const = default;
};

/// A part under its own heading: rows, then text.
struct DetailSection {
    QString title;
    std::vector<DetailRow> rows;
    QString text;
    QString remark; ///< muted, after the text: where a number comes from, how sure it is
    bool operator==(const DetailSection&) const = default;
};
using DetailSections = std::vector<DetailSection>;

class DetailsPanel : public QScrollArea {
    Q_OBJECT

public:
    explicit DetailsPanel(QWidget* parent = nullptr);

    void setSections(DetailSections sections);
    /// Nothing is selected: says what to do.
    void clear();
    /// Pales the sections, which are not of the plan as it stands, and writes `notice` over them; "" ends it.
    void setStale(const QString& notice);
    [[nodiscard]] QString staleNotice() const;
    [[nodiscard]] const DetailSections& sections() const { return m_sections; }
    /// All of it, as "name<tab>value" lines.
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] QSize sizeHint() const override;
    /// Values are never cut: as wide as the widest of them needs.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// The labels of a section; null for what it lacks.
    struct Shown {
        std::vector<std::pair<ToneLabel*, ToneLabel*>> rows;
        ToneLabel* text = nullptr;
        ToneLabel* remark = nullptr;
    };
    void rebuild();
    void applyStale();
    void refill();
    void measure(bool anew);
    [[nodiscard]] Shown addSection(QVBoxLayout& column, const DetailSection& section, bool first);
    void copy() const;
    std::vector<DetailSection> m_sections;
    std::vector<Shown> m_shown;
    StaleVeil* m_veil;
    QString m_stale;
    int m_leastWidth = 0;
};

} // namespace stratoplan::widgets
