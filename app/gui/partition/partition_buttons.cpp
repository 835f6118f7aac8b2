// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/partition/partition_buttons.h"

#include "widgets/panels/panel_style.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace stratoplan::gui {

namespace {

constexpr int kRoomForPin = 640, kRoomForExport = 900;

bool hasMegatron(const parallel::Strategy& strategy)
{
    return strategy.tensorPartition == parallel::TensorPartition::Megatron;
}

} // namespace

PartitionButtons::PartitionButtons(QWidget* parent)
    : QWidget(parent)
{
    using enum PartitionCommand;
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(widgets::kRowGap);
    const std::array texts{
        tr("Use in the plan"), tr("Pin this partition"), tr("Back to Megatron"), tr("Export PyTorch program…")};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        m_buttons[i] = new QPushButton(texts[i], this);
        row->addWidget(m_buttons[i]);
        connect(m_buttons[i], &QPushButton::clicked, this, [this, i] { Q_EMIT wanted(PartitionCommand(i)); });
    }
    for (const PartitionCommand command : {Pin, Export})
        button(command).setAccessibleName(button(command).text()); // whatever there is room for
    button(Use).setToolTip(
        tr("The plan divides its layers in the best way that fits, found anew when the plan changes"));
    button(Export).setToolTip(
        tr("Writes a Python program that carries out the partition shown, checks itself and takes its times"));
}

void PartitionButtons::offer(const Stand& stand)
{
    using enum PartitionCommand;
    const bool hasShown = stand.shown != nullptr;
    for (const PartitionCommand command : {Use, Pin, Export})
        button(command).setVisible(hasShown);
    const bool showsBest = !hasShown || stand.shown->kind == PartitionChoice::Kind::Best;
    const bool hasBest = !hasMegatron(stand.strategy) && stand.strategy.operatorPartitions.empty();
    button(Use).setText(showsBest ? tr("Use in the plan") : tr("Use the best"));
    button(Use).setEnabled(hasShown && !hasBest);
    button(Export).setEnabled(hasShown && stand.isCurrent);
    offerPin(stand);
    offerMegatron(stand);
    Q_EMIT offered();
}

void PartitionButtons::offerPin(const Stand& stand)
{
    QPushButton& pin = button(PartitionCommand::Pin);
    const bool isMegatron = stand.shown && hasMegatron(stand.shown->estimate->strategy);
    const bool isNamed =
        stand.shown && stand.shown->estimate->strategy.operatorPartitions == stand.strategy.operatorPartitions;
    pin.setEnabled(stand.shown && stand.isCurrent && !isMegatron && !isNamed);
    pin.setToolTip(isMegatron ? tr("The plan has Megatron's partition without names of its own: go back to it")
            : isNamed         ? tr("The plan says so already")
                              : tr("The plan names the partition of each operator as it is shown, and keeps it"));
}

/// To the one that is shown, with sequence parallelism or without.
void PartitionButtons::offerMegatron(const Stand& stand)
{
    QPushButton& back = button(PartitionCommand::BackToMegatron);
    const estimate::PartitionAnswer* const known = stand.answer && stand.answer->megatron ? stand.answer : nullptr;
    const bool isOther = known && stand.isCurrent && stand.strategy.sequenceParallel != known->sequenceParallel;
    back.setEnabled(!hasMegatron(stand.strategy) || isOther);
    back.setToolTip(!known            ? tr("The plan divides its layers by columns and rows, as Megatron-LM does")
            : known->sequenceParallel ? tr("The plan divides its layers by columns and rows, as Megatron-LM does, with "
                                           "sequence parallelism on")
                                      : tr("The plan divides its layers by columns and rows, as Megatron-LM does, with "
                                           "sequence parallelism off"));
}

bool PartitionButtons::isOffered(PartitionCommand command) const
{
    return button(command).isEnabledTo(this);
}

void PartitionButtons::run(PartitionCommand command)
{
    if (isOffered(command))
        Q_EMIT wanted(command);
}

void PartitionButtons::setRoom(int width)
{
    QPushButton& pin = button(PartitionCommand::Pin);
    QPushButton& save = button(PartitionCommand::Export);
    pin.setText(width < kRoomForPin ? tr("Pin") : pin.accessibleName());
    save.setText(width < kRoomForExport ? tr("Export…") : save.accessibleName());
}

} // namespace stratoplan::gui
