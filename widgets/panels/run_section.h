// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the whole run: its budget, its money, what fails, what is drawn. Not part of what an estimate
// depends on. Each section shows all of these inputs, and edits its own.
#pragma once

#include "core/plan/capacity_inputs.h"
#include "core/plan/plan.h"
#include "widgets/panels/section.h"

#include <functional>
#include <vector>

namespace stratoplan::widgets {

class ChoiceField;
class FieldRow;
class InfoRow;
class UnitField;
enum class UnitKind;

class RunSection : public Section {
    Q_OBJECT
public:
    explicit RunSection(const QString& title, QWidget* parent = nullptr);
    void setCapacity(const plan::CapacityInputs& inputs);
    /// The plan of the run. Whether rows came or went.
    virtual bool setPlan(const plan::Plan& plan);

Q_SIGNALS:
    void capacityEdited(const plan::CapacityInputs& inputs, const QString& actionText);

protected:
    /// An amount of the inputs, 0 where it is not stated.
    struct Amount {
        QString name; ///< for those who do not see the form
        QString actionText;
        std::function<double(const plan::CapacityInputs&)> get;
        std::function<void(plan::CapacityInputs&, double)> set;
        double most = 1e18;
        QString zeroText; ///< what 0 stands for
        QString suffix;
    };
    using Restore = std::function<void(plan::CapacityInputs&, const plan::CapacityInputs& standard)>;

    UnitField& addAmount(FieldRow& row, UnitKind kind, const Amount& amount);
    /// A double-click on the label of the row gives what it shows its default.
    void addWithDefault(FieldRow* row, const QString& actionText, const Restore& restore);
    /// Seen only where that is so of the inputs.
    void showWhere(QWidget* row, const std::function<bool(const plan::CapacityInputs&)>& isSo);
    void whenShown(std::function<void()> refresh);
    void edit(const QString& actionText, const std::function<void(plan::CapacityInputs&)>& change);
    [[nodiscard]] const plan::CapacityInputs& inputs() const { return m_inputs; }

private:
    plan::CapacityInputs m_inputs;
    std::vector<std::function<void()>> m_refreshes; ///< show what the inputs are
};

/// How long the run is, when it begins, and what of its time advances it.
class BudgetSection final : public RunSection {
    Q_OBJECT
public:
    explicit BudgetSection(QWidget* parent = nullptr);
    bool setPlan(const plan::Plan& plan) override;

private:
    enum class Budget { Tokens, Steps, Flops };
    [[nodiscard]] Budget budget() const;
    UnitField& addBudgetField(FieldRow& row, UnitKind kind, const QString& name, double plan::CapacityInputs::*member);
    void addBudget();
    void addOptimum();
    void addStart();
    void addShares();
    void addRamp();

    Budget m_asked = Budget::Tokens; ///< how it is to be stated, while none is
    std::vector<UnitField*> m_budgets; ///< by Budget
    InfoRow* m_optimum = nullptr;
};

/// What is paid for accelerators.
class MoneySection final : public RunSection {
    Q_OBJECT
public:
    explicit MoneySection(QWidget* parent = nullptr);
    bool setPlan(const plan::Plan& plan) override;

private:
    void addPrice();
    void addPurchase();
    void addTerm();
    void addOwnership();
    void addOperation();
    FieldRow* makePriceOfNodes(const std::string& group);
    void refreshPrices();

    std::vector<std::string> m_groups; ///< of nodes that have a price of their own to be stated
    std::vector<FieldRow*> m_priceRows; ///< of these
};

/// What fails, and what checkpoints take.
class FailuresSection final : public RunSection {
    Q_OBJECT
public:
    explicit FailuresSection(QWidget* parent = nullptr);

private:
    void addFailures();
    void addRestart();
    void addSpares();
    void addCheckpoints();
    void addBlocking();
};

/// What is drawn, and what grids emit for it.
class PowerSection final : public RunSection {
    Q_OBJECT
public:
    explicit PowerSection(QWidget* parent = nullptr);

private:
    void addPower();
    void addCarbon();
};

} // namespace stratoplan::widgets
