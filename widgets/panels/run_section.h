// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the whole run: its budget, its money, its days, and what fails. Not part of what an estimate depends
// on.
#pragma once

#include "core/plan/capacity_inputs.h"
#include "widgets/panels/section.h"

#include <functional>
#include <vector>

namespace stratoplan::widgets {

class ChoiceField;
class DayField;
class FieldRow;
class UnitField;
enum class UnitKind;

/// One part of these inputs. Shows all, edits its own.
class RunSection : public Section {
    Q_OBJECT
public:
    enum class Part { Budget, Failures, Power };
    explicit RunSection(Part part, QWidget* parent = nullptr);
    void setCapacity(const plan::CapacityInputs& inputs);

Q_SIGNALS:
    void capacityEdited(const plan::CapacityInputs& inputs, const QString& actionText);

private:
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
    void addBudget();
    void addMoney();
    void addFailures();
    void addCheckpoints();
    void addPower();
    UnitField& addAmount(FieldRow& row, UnitKind kind, const Amount& amount);
    /// A double-click on the label of the row gives what it shows its default.
    void addWithDefault(FieldRow* row, const QString& actionText,
        const std::function<void(plan::CapacityInputs&, const plan::CapacityInputs& standard)>& restore);
    void edit(const QString& actionText, const std::function<void(plan::CapacityInputs&)>& change);

    plan::CapacityInputs m_inputs;
    std::vector<std::function<void()>> m_refreshes; ///< show what the inputs are
};

} // namespace stratoplan::widgets
