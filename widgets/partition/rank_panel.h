// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank holds: its blocks of the product at the moment shown, and a table of all moments, with what it sends and
// receives. A row chosen there is a moment wanted; over it stands which rank it is, to be chosen there, too.
#pragma once

#include "widgets/partition/product_view.h"

class QLabel;
class QTableWidget;

namespace stratoplan::widgets {

class ChoiceField;

class RankPanel : public QWidget {
    Q_OBJECT
public:
    explicit RankPanel(QWidget* parent = nullptr);

    /// Those that can be chosen.
    void setRanks(int ranks, int ranksPerDomain);
    /// `rank` -1: none is selected.
    void setRank(const std::shared_ptr<const PartitionScene>& scene, int rank);
    void setMoment(int moment); ///< tells nobody
    /// Of an operator that is not linear: what there is to say of the rank.
    void setText(int rank, const QString& text);

    [[nodiscard]] ChoiceField& chooser() const { return *m_chooser; }
    [[nodiscard]] QTableWidget& table() const { return *m_table; }
    [[nodiscard]] ProductView& product() const { return *m_product; }
    [[nodiscard]] QString text() const;

    QSize minimumSizeHint() const override { return {230, 260}; }

Q_SIGNALS:
    // By a person:
    void momentChosen(int moment);
    void rankChosen(int rank); ///< -1: none any more

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void present(const std::shared_ptr<const PartitionScene>& scene, int rank, const QString& text);
    void fillTable();

    std::shared_ptr<const PartitionScene> m_scene;
    ChoiceField* m_chooser;
    QLabel* m_text;
    ProductView* m_product;
    QTableWidget* m_table;
    int m_rank = -1;
    int m_ranks = 0, m_ranksPerDomain = 1; ///< to choose from
    int m_moment = 0;
    bool m_filling = false;
};

} // namespace stratoplan::widgets
