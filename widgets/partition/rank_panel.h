// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank holds: its blocks of the product at the moment shown, and a table of all moments, with what it sends and
// receives. A row chosen there is a moment wanted.
#pragma once

#include "widgets/partition/product_view.h"

class QLabel;
class QTableWidget;

namespace stratoplan::widgets {

class RankPanel : public QWidget {
    Q_OBJECT
public:
    explicit RankPanel(QWidget* parent = nullptr);

    /// `rank` -1: none is selected.
    void setRank(const std::shared_ptr<const PartitionScene>& scene, int rank);
    void setMoment(int moment); ///< tells nobody
    /// Of an operator that is not linear: what there is to say of the rank.
    void setText(const QString& text);

    [[nodiscard]] QTableWidget& table() const { return *m_table; }
    [[nodiscard]] ProductView& product() const { return *m_product; }
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString text() const;

    QSize minimumSizeHint() const override { return {230, 260}; }

Q_SIGNALS:
    void momentChosen(int moment); ///< by a person

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void fillTable();

    std::shared_ptr<const PartitionScene> m_scene;
    QLabel* m_title;
    QLabel* m_text;
    ProductView* m_product;
    QTableWidget* m_table;
    int m_rank = -1;
    int m_moment = 0;
    bool m_filling = false;
};

} // namespace stratoplan::widgets
