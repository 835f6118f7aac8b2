// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with the partition that is shown, and with that of the plan: a row of buttons, of which menus may
// ask for the same.
#pragma once

#include "app/gui/partition/partition_texts.h"

#include <QWidget>

#include <array>

class QPushButton;

namespace stratoplan::gui {

enum class PartitionCommand { Use, Pin, BackToMegatron, Export };

class PartitionButtons : public QWidget {
    Q_OBJECT

public:
    explicit PartitionButtons(QWidget* parent);

    struct Stand {
        const parallel::Strategy& strategy; ///< of the plan
        const PartitionChoice* shown = nullptr; ///< null: none
        const estimate::PartitionAnswer* answer = nullptr; ///< null: none
        bool isCurrent = false; ///< both are of the plan
    };
    void offer(const Stand& stand);
    [[nodiscard]] bool isOffered(PartitionCommand command) const;
    /// As a click does; nothing where it is not offered.
    void run(PartitionCommand command);
    /// Says as much as there is room for.
    void setRoom(int width);

Q_SIGNALS:
    void wanted(gui::PartitionCommand command);
    void offered(); ///< something else, perhaps

private:
    void offerPin(const Stand& stand);
    void offerMegatron(const Stand& stand);
    [[nodiscard]] QPushButton& button(PartitionCommand command) const { return *m_buttons[std::size_t(command)]; }

    std::array<QPushButton*, 4> m_buttons{};
};

} // namespace stratoplan::gui
