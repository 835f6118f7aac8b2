// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/present/present_page.h"

#include "app/gui/present/live_strip.h"
#include "app/gui/present/slide_area.h"
#include "app/gui/present/slide_texts.h"
#include "app/session/plan_fields.h"
#include "widgets/style/elided_label.h"
#include "widgets/style/icons.h"

#include <QHBoxLayout>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr double kTitleSize = 5.6; // hundredths of the screen's height: titles are an eighteenth of it
constexpr double kPlanSize = 2.4;
constexpr double kButtonSize = 2.0;
constexpr double kPointsPerInchOfType = 72;

/// Steps of slides are not its own: arrows go on to the page.
class SlideButton final : public QPushButton {
public:
    using QPushButton::QPushButton;

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
            event->ignore();
            return;
        default:
            QPushButton::keyPressEvent(event);
        }
    }
};

} // namespace

PresentPage::PresentPage(const catalog::Catalog& catalog, QWidget* parent)
    : QWidget(parent)
    , m_deck(deckOf({}))
    , m_title(new widgets::ElidedLabel(this))
    , m_plan(new widgets::ElidedLabel(this))
    , m_busy(new QLabel(tr("Estimating…"), this))
    , m_area(new SlideArea(catalog, this))
    , m_strip(new LiveStrip(this))
    , m_counter(new QLabel(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Window);
    setAccessibleName(tr("Presentation"));
    m_title->setObjectName(QStringLiteral("title"));
    m_plan->setForegroundRole(QPalette::PlaceholderText);
    m_plan->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_busy->setForegroundRole(QPalette::PlaceholderText);
    m_busy->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(m_area, 1);
    column->addWidget(m_strip);
    column->addWidget(makeFooter());
    connectButtons();
    showControls();
}

QWidget* PresentPage::makeHeader()
{
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    m_close = addButton(QStringLiteral("close"), tr("Close"), tr("Leave the presentation (Esc)"));
    row->addWidget(m_title, 3);
    row->addWidget(m_busy);
    row->addWidget(m_plan, 2);
    row->addWidget(m_close);
    header->setObjectName(QStringLiteral("header"));
    return header;
}

QWidget* PresentPage::makeFooter()
{
    auto* footer = new QWidget(this);
    auto* row = new QHBoxLayout(footer);
    m_back = addButton(QStringLiteral("chevron-left"), tr("Back"), tr("The slide before (Left, Page Up)"));
    m_next = addButton(QStringLiteral("chevron-right"), tr("Next"), tr("The next slide (Right, Space, Page Down)"));
    m_live = addButton({}, tr("Live inputs"), tr("Show or hide what can be changed on the spot"));
    m_save = addButton(QStringLiteral("save"), tr("Save as slide"), tr("Keep this slide with the plan as it stands"));
    m_rename = addButton({}, tr("Rename"), tr("Give this slide another name"));
    m_earlier = addButton({}, tr("Earlier"), tr("Put this slide before the one before it"));
    m_later = addButton({}, tr("Later"), tr("Put this slide after the next one"));
    m_remove = addButton({}, tr("Remove"), tr("Take this slide out of the project"));
    m_adopt = addButton({}, tr("Use this plan"), tr("Make the plan of this slide the one that is edited"));
    m_reset = addButton({}, tr("As saved"), tr("Show this slide as it was saved"));
    m_live->setCheckable(true);
    m_live->setChecked(true);
    m_counter->setAlignment(Qt::AlignCenter);
    row->addWidget(m_back);
    row->addWidget(m_counter);
    row->addWidget(m_next);
    row->addStretch(1);
    for (QPushButton* button : {m_reset, m_adopt, m_rename, m_earlier, m_later, m_remove, m_live, m_save})
        row->addWidget(button);
    footer->setObjectName(QStringLiteral("footer"));
    return footer;
}

QPushButton* PresentPage::addButton(const QString& icon, const QString& text, const QString& explanation)
{
    auto* button = new SlideButton(text, this);
    if (!icon.isEmpty())
        button->setIcon(widgets::icon(icon));
    button->setToolTip(explanation);
    button->setAccessibleName(text);
    button->setAccessibleDescription(explanation);
    button->setFocusPolicy(Qt::TabFocus);
    m_buttons.push_back(button);
    return button;
}

void PresentPage::connectButtons()
{
    const auto step = [this](int by) { showSlide(m_current + by); };
    connect(m_close, &QPushButton::clicked, this, &PresentPage::closeWanted);
    connect(m_back, &QPushButton::clicked, this, [step] { step(-1); });
    connect(m_next, &QPushButton::clicked, this, [step] { step(1); });
    connect(m_area, &SlideArea::backWanted, this, [step] { step(-1); });
    connect(m_area, &SlideArea::nextWanted, this, [step] { step(1); });
    connect(m_area, &SlideArea::nextWanted, this, [this] { setFocus(Qt::MouseFocusReason); });
    connect(m_area, &SlideArea::backWanted, this, [this] { setFocus(Qt::MouseFocusReason); });
    connect(m_live, &QPushButton::toggled, m_strip, &QWidget::setVisible);
    connect(m_save, &QPushButton::clicked, this, &PresentPage::saveAsked);
    connect(m_rename, &QPushButton::clicked, this, &PresentPage::askToRename);
    connect(m_earlier, &QPushButton::clicked, this, [this] { Q_EMIT moveWanted(slide().saved, slide().saved - 1); });
    connect(m_later, &QPushButton::clicked, this, [this] { Q_EMIT moveWanted(slide().saved, slide().saved + 1); });
    connect(m_remove, &QPushButton::clicked, this, [this] { Q_EMIT removeWanted(slide().saved); });
    connect(m_adopt, &QPushButton::clicked, this, &PresentPage::adoptWanted);
    connect(m_reset, &QPushButton::clicked, this, &PresentPage::resetWanted);
}

void PresentPage::setDeck(Deck deck)
{
    if (deck == m_deck)
        return;
    const int before = m_current;
    m_deck = std::move(deck);
    m_current = std::clamp(before, 0, int(m_deck.size()) - 1);
    showControls();
    Q_EMIT slideChanged();
}

void PresentPage::setState(const SlideState& state)
{
    m_area->show(slide().view, state);
    if (state.plan)
        m_plan->setText(session::planTitle(*state.plan));
}

void PresentPage::setUpdating(bool updating)
{
    m_busy->setVisible(updating);
}

void PresentPage::setChanged(bool changed)
{
    m_changed = changed;
    showControls();
}

void PresentPage::showSlide(int slide)
{
    const int next = std::clamp(slide, 0, int(m_deck.size()) - 1);
    if (next == m_current)
        return;
    m_current = next;
    m_changed = false;
    showControls();
    Q_EMIT slideChanged();
}

QString PresentPage::counter() const
{
    return tr("%1 / %2").arg(m_current + 1).arg(m_deck.size());
}

void PresentPage::showControls()
{
    m_title->setText(slide().title);
    m_counter->setText(counter());
    m_counter->setAccessibleName(tr("Slide %1 of %2").arg(m_current + 1).arg(m_deck.size()));
    m_back->setEnabled(m_current > 0);
    m_next->setEnabled(m_current + 1 < int(m_deck.size()));
    const bool saved = slide().saved >= 0;
    for (QPushButton* button : {m_rename, m_earlier, m_later, m_remove, m_adopt})
        button->setVisible(saved);
    m_reset->setVisible(saved && m_changed);
    m_earlier->setEnabled(slide().saved > 0);
    m_later->setEnabled(m_current + 1 < int(m_deck.size()));
}

void PresentPage::askToSave(plan::SlideView view, const QString& proposed)
{
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Save as slide"));
    dialog->setLabelText(tr("Name of the slide"));
    dialog->setTextValue(proposed);
    connect(dialog, &QInputDialog::textValueSelected, this,
        [this, view](const QString& name) { Q_EMIT saveWanted(view, name.trimmed()); });
    dialog->open();
}

void PresentPage::askToRename()
{
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename the slide"));
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(slide().title);
    connect(dialog, &QInputDialog::textValueSelected, this,
        [this, saved = slide().saved](const QString& name) { Q_EMIT renameWanted(saved, name); });
    dialog->open();
}

void PresentPage::keyPressEvent(QKeyEvent* event)
{
    const bool plain = !(event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier));
    const int wanted = plain ? slideOfKey(event->key(), m_current, int(m_deck.size())) : -1;
    if (wanted < 0)
        return QWidget::keyPressEvent(event);
    showSlide(wanted);
}

void PresentPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    applyUnit();
}

/// Hundredths of the page, which fills the screen.
void PresentPage::applyUnit()
{
    constexpr double kParts = 100, kWidest = 16.0 / 9; // a narrow page has no room for type of its height
    const double unit = std::min(double(height()), width() * 1.15 / kWidest) / kParts;
    if (unit == m_unit || unit <= 0)
        return;
    m_unit = unit;
    const auto sized = [&](double size, bool strong = false) {
        QFont type = font();
        type.setPointSizeF(std::max(1.0, size * unit * kPointsPerInchOfType / logicalDpiY()));
        type.setWeight(strong ? QFont::DemiBold : QFont::Normal);
        return type;
    };
    m_title->setFont(sized(kTitleSize, true));
    m_plan->setFont(sized(kPlanSize));
    m_busy->setFont(sized(kPlanSize));
    m_counter->setFont(sized(kPlanSize));
    for (QPushButton* button : m_buttons) {
        button->setFont(sized(kButtonSize));
        button->setIconSize(QSize(int(kPlanSize * unit), int(kPlanSize * unit)));
    }
    constexpr double kSide = 4, kGap = 1.6;
    const QMargins margins(int(kSide * unit), int(kGap * unit), int(kSide * unit), int(kGap * unit));
    for (const char* part : {"header", "footer"}) {
        QLayout* layout = findChild<QWidget*>(QLatin1String(part))->layout();
        layout->setContentsMargins(margins);
        layout->setSpacing(int(kGap * unit));
    }
    m_area->setUnit(unit);
    m_strip->setUnit(unit);
}

} // namespace stratoplan::gui
