// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about the size of a run: its budget and its first day, which are the document's; how many tokens so
// much money pays for; which kinds of nodes are looked at for so many days, and what an hour of an accelerator of each
// costs.
#pragma once

#include "app/gui/sizing/kinds_model.h"
#include "app/session/sizing_worker.h"

#include <QWidget>

#include <map>
#include <optional>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace stratoplan::widgets {
class DayField;
class FieldRow;
class ToneLabel;
class UnitField;
} // namespace stratoplan::widgets

namespace stratoplan::gui {

class KindsList;

class SizingForm : public QWidget {
    Q_OBJECT

public:
    explicit SizingForm(const catalog::Catalog& catalog);

    void setProject(const plan::Project& project);
    /// How long the plan as it is takes, and what it costs.
    void setPlanRun(const QString& sentence);
    /// What money() pays for. `tokens`: 0 where that is nothing, or unknown.
    void setMoneyAnswer(const QString& sentence, double tokens);
    /// Nothing is typed or checked any more.
    void forgetTyped();

    /// Nothing while something is wrong: note() says what.
    [[nodiscard]] const std::optional<session::SizingQuestion>& question() const { return m_question; }
    /// What is looked for, or what is wrong.
    [[nodiscard]] QString note() const;
    [[nodiscard]] double money() const; ///< in the currency of the document; 0: none is asked about
    [[nodiscard]] QString planRun() const;
    [[nodiscard]] QString moneyAnswer() const;
    [[nodiscard]] KindsList& kinds() const { return *m_kinds; }
    /// Takes what is typed but not entered yet. False where it is wrong: that field has the focus then.
    bool commit();

Q_SIGNALS:
    /// Of question() or note().
    void changed();
    void moneyChanged();
    void capacityEdited(const plan::CapacityInputs& inputs, const QString& actionText);

private:
    struct PriceRow {
        KindsModel::Kind kind;
        widgets::FieldRow* row = nullptr;
        widgets::UnitField* field = nullptr;
    };
    void makeRun();
    void makeMoney();
    void makeDays(const catalog::Catalog& catalog);
    void addHeading(const QString& text);
    widgets::UnitField& addAmount(const QString& label, const QString& explanation, const QString& name);
    void makePrices();
    [[nodiscard]] PriceRow makePrice(const KindsModel::Kind& kind);
    void showPrices();
    void showPrice(const PriceRow& row);
    void refresh();
    void edit(const QString& actionText, const std::function<void(plan::CapacityInputs&)>& change);
    [[nodiscard]] QString wrong() const;
    [[nodiscard]] session::SizingQuestion asked() const;

    const catalog::Catalog& m_catalog;
    plan::Project m_project;
    std::map<std::string, double> m_typed; ///< prices, by id of the nodes (KindsModel::Kind)
    std::vector<PriceRow> m_rows;
    std::optional<session::SizingQuestion> m_question;
    double m_paidTokens = 0;
    QVBoxLayout* m_column;
    widgets::UnitField* m_tokens = nullptr;
    widgets::DayField* m_start = nullptr;
    widgets::ToneLabel* m_planRun = nullptr;
    widgets::UnitField* m_money = nullptr;
    widgets::ToneLabel* m_paid = nullptr;
    QPushButton* m_usePaid = nullptr;
    widgets::UnitField* m_days = nullptr;
    KindsList* m_kinds = nullptr;
    QLabel* m_priceHeading = nullptr;
    QVBoxLayout* m_prices = nullptr;
    widgets::ToneLabel* m_note = nullptr;
};

} // namespace stratoplan::gui
