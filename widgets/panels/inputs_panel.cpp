// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/inputs_panel.h"

#include "widgets/panels/entry_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/inputs_section.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/run_section.h"
#include "widgets/panels/strategy_section.h"

#include <QEvent>
#include <QRegularExpression>
#include <QScrollBar>
#include <QVBoxLayout>

namespace stratoplan::widgets {

namespace {
constexpr int kFieldsWidth = 152; ///< of the column of fields at least
constexpr int kAround = 40; ///< gutter, gap, margin and scroll bar
} // namespace

InputsPanel::InputsPanel(const catalog::Catalog& catalog, QWidget* parent)
    : QScrollArea(parent)
    , m_model(new ModelSection(catalog))
    , m_cluster(new ClusterSection(catalog))
    , m_training(new TrainingSection(catalog))
    , m_strategy(new StrategySection(catalog))
    , m_run{new BudgetSection, new MoneySection, new FailuresSection, new PowerSection}
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Inputs"));
    viewport()->setAutoFillBackground(false);
    auto* body = new QWidget;
    body->setAutoFillBackground(false);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 4, 0, kGrid);
    column->setSpacing(2);
    for (Section* section : sections())
        column->addWidget(section);
    column->addStretch(1);
    setWidget(body);
    body->setAutoFillBackground(false); // QScrollArea turns it on
    for (InputsSection* section : std::initializer_list<InputsSection*>{m_model, m_cluster, m_training, m_strategy}) {
        connect(section, &InputsSection::planEdited, this,
            [this](const plan::Plan& plan, const QString& text, int mergeId) {
                setPlan(plan);
                Q_EMIT planEdited(plan, text, mergeId);
            });
    }
    connect(m_strategy, &StrategySection::lockEdited, this, &InputsPanel::lockEdited);
    connect(m_training, &TrainingSection::lockEdited, this, &InputsPanel::lockEdited);
    connectRun();
    m_labelWidth = alignLabels(*this);
}

void InputsPanel::connectRun()
{
    for (RunSection* run : m_run)
        connect(
            run, &RunSection::capacityEdited, this, [this](const plan::CapacityInputs& inputs, const QString& text) {
                setCapacity(inputs);
                Q_EMIT capacityEdited(inputs, text);
            });
}

void InputsPanel::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    // Children hear of a new font before their parent does.
    if (event->type() == QEvent::FontChange && widget()) {
        m_labelWidth = alignLabels(*this);
        updateGeometry();
    }
}

std::vector<Section*> InputsPanel::sections() const
{
    std::vector<Section*> all{m_model, m_cluster, m_training, m_strategy};
    all.insert(all.end(), m_run.begin(), m_run.end());
    return all;
}

void InputsPanel::setPlan(const plan::Plan& plan)
{
    if (m_shown == plan)
        return; // the document answers what was edited here
    m_shown = plan;
    for (InputsSection* section : std::initializer_list<InputsSection*>{m_model, m_cluster, m_training, m_strategy})
        section->setPlan(plan);
    bool hasOtherRows = false;
    for (RunSection* run : m_run)
        hasOtherRows = run->setPlan(plan) || hasOtherRows;
    if (hasOtherRows)
        m_labelWidth = alignLabels(*this);
}

void InputsPanel::setCapacity(const plan::CapacityInputs& inputs)
{
    for (RunSection* run : m_run)
        run->setCapacity(inputs);
}

void InputsPanel::setLocks(const std::set<plan::Dimension>& locks)
{
    m_strategy->setLocks(locks);
    m_training->setLocks(locks);
}

void InputsPanel::setZones(plan::Dimension field, const std::vector<SliderStop>& zones)
{
    m_strategy->setZones(field, zones);
}

LegalSlider* InputsPanel::slider(plan::Dimension field) const
{
    return m_strategy->slider(field);
}

bool InputsPanel::showField(const QString& pointer)
{
    static const QRegularExpression groupIndex(QStringLiteral("^/cluster/nodes/\\d+"));
    QString name = pointer;
    name.replace(groupIndex, QStringLiteral("/cluster/nodes"));
    // What the form shows as a whole (an accelerator) answers for its parts (the memory of the accelerator).
    for (; name.count(u'/') > 1; name.truncate(name.lastIndexOf(u'/'))) {
        for (Section* section : sections()) {
            auto* field = section->findChild<QWidget*>(name);
            if (!field)
                continue;
            reveal(*field);
            return true;
        }
    }
    return false;
}

void InputsPanel::reveal(QWidget& field)
{
    for (Section* section : sections()) {
        if (section->isAncestorOf(&field))
            section->setCollapsed(false);
    }
    ensureWidgetVisible(&field, 0, 2 * rowHeight(*this));
    field.setFocus(Qt::OtherFocusReason);
}

QString InputsPanel::commitPending()
{
    EntryField* wrong = commitFields(*this);
    if (!wrong)
        return {};
    reveal(*wrong);
    return wrong->error();
}

QSize InputsPanel::sizeHint() const
{
    return {m_labelWidth + kFieldsWidth + kAround, 720};
}

QSize InputsPanel::minimumSizeHint() const
{
    return {m_labelWidth + kFieldsWidth + kAround - kGrid, 160};
}

} // namespace stratoplan::widgets
