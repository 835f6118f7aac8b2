// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of nodes that a run can be sized on, to check: the plan's own first, then those of the catalogue.
#pragma once

#include "core/catalog/catalog.h"
#include "core/plan/plan.h"

#include <QAbstractListModel>

#include <set>
#include <string>
#include <vector>

namespace stratoplan::gui {

class KindsModel : public QAbstractListModel {
    Q_OBJECT

public:
    struct Kind {
        std::string id; ///< of the catalogue; empty: the plan's own
        QString name;
        QString detail; ///< "8 × H100 SXM 80 GB"
        QString source;
        bool operator==(const Kind&) const = default;
    };
    /// What a filter reads.
    static constexpr int WordsRole = Qt::UserRole + 16;

    KindsModel(const catalog::Catalog& catalog, QObject* parent);

    /// Its nodes are offered once: those of the catalogue that are the same are left out.
    void setPlan(const plan::Plan& plan);
    /// None but the plan's own is checked.
    void forgetChecked();
    [[nodiscard]] std::vector<Kind> checked() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    /// Of checked().
    void checkedChanged();

private:
    const catalog::Catalog& m_catalog;
    std::vector<Kind> m_kinds;
    std::set<std::string> m_checked{std::string()}; ///< ids; those that are left out, too
};

} // namespace stratoplan::gui
