// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/top_bar.h"

#include "app/gui/window/actions.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace stratoplan::gui {

namespace {

constexpr int kButtonHeight = 30;

/// A field to look at that opens the palette, where the typing happens.
class SearchButton : public QPushButton {
public:
    explicit SearchButton(const QKeySequence& shortcut, QWidget* parent)
        : QPushButton(parent)
        , m_shortcut(shortcut.toString(QKeySequence::NativeText))
    {
        setMinimumWidth(kButtonHeight + 2);
        setFixedHeight(kButtonHeight);
        setCursor(Qt::IBeamCursor);
        setAttribute(Qt::WA_Hover);
        setAccessibleName(TopBar::tr("Search commands, nodes, plans"));
        setToolTip(TopBar::tr("Find any command, node or plan (%1)").arg(m_shortcut));
    }

    [[nodiscard]] QSize sizeHint() const override { return {320, kButtonHeight}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const widgets::Tokens& t = widgets::currentTokens();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(hasFocus() || underMouse() ? t.accent : t.frame);
        painter.setBrush(t.surface);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(t.secondaryText);
        const QRect inner = rect().adjusted(10, 0, -10, 0);
        const QFontMetrics metrics = fontMetrics();
        const int shortcutWidth = metrics.horizontalAdvance(m_shortcut) + 16;
        if (inner.width() < 2 * shortcutWidth) {
            widgets::icon(QStringLiteral("search")).paint(&painter, rect().adjusted(6, 6, -6, -6));
            return;
        }
        painter.drawText(inner, Qt::AlignVCenter | Qt::AlignRight, m_shortcut);
        painter.drawText(inner.adjusted(0, 0, -shortcutWidth, 0), Qt::AlignVCenter | Qt::AlignLeft,
            metrics.elidedText(
                TopBar::tr("Search commands, nodes, plans"), Qt::ElideRight, inner.width() - shortcutWidth));
    }

private:
    QString m_shortcut;
};

QString withShortcut(const QAction& action)
{
    QString text = action.text();
    text.remove(u'&');
    const QString shortcut = action.shortcut().toString(QKeySequence::NativeText);
    return shortcut.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, shortcut);
}

QToolButton* iconButton(QAction* action, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setAutoRaise(true);
    button->setFixedSize(kButtonHeight + 2, kButtonHeight);
    button->setIconSize({18, 18});
    button->setAccessibleName(withShortcut(*action));
    // The undo stack changes the text to what would be undone; the tip follows.
    const auto retitle = [button, action] { button->setToolTip(withShortcut(*action)); };
    QObject::connect(action, &QAction::changed, button, retitle);
    retitle();
    return button;
}

QToolButton* panelsButton(QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(widgets::icon(QStringLiteral("layout")));
    button->setAutoRaise(true);
    button->setFixedSize(kButtonHeight + 2, kButtonHeight);
    button->setIconSize({18, 18});
    button->setToolTip(TopBar::tr("Show or hide the side panels"));
    button->setAccessibleName(button->toolTip());
    return button;
}

QToolButton* perspectiveButton(QAction* action, QWidget* parent)
{
    action->setToolTip(withShortcut(*action)); // a button takes its action's whenever that changes
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAutoRaise(true);
    button->setFixedHeight(kButtonHeight);
    button->setMinimumWidth(std::max(52, button->fontMetrics().horizontalAdvance(button->text()) + 10));
    return button;
}

} // namespace

TopBar::TopBar(Actions& actions, QWidget* parent)
    : QWidget(parent)
    , m_actions(actions)
    , m_findBest(new QPushButton(tr("Find the best"), this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 8);
    row->setSpacing(4);
    row->addWidget(iconButton(actions.undo, this));
    row->addWidget(iconButton(actions.redo, this));

    auto* panels = panelsButton(this);
    connect(panels, &QToolButton::clicked, this, &TopBar::panelsToggled);
    row->addWidget(panels);
    row->addSpacing(4);

    for (QAction* action : {actions.build, actions.explore, actions.search, actions.studies, actions.compare,
             actions.calibrate, actions.partition, actions.present})
        row->addWidget(perspectiveButton(action, this));
    row->addStretch(1);

    auto* search = new SearchButton(actions.palette->shortcut(), this);
    connect(search, &QPushButton::clicked, actions.palette, &QAction::trigger);
    row->addWidget(search, 0);
    row->addSpacing(4);

    m_findBest->setProperty("primary", true);
    m_findBest->setFixedHeight(kButtonHeight);
    m_findBest->setMinimumWidth(m_findBest->fontMetrics().horizontalAdvance(tr("Stop · %1 %").arg(100)) + 36);
    m_findBest->setToolTip(withShortcut(*actions.findBest));
    connect(m_findBest, &QPushButton::clicked, this,
        [this] { (m_searching ? m_actions.stopSearch : m_actions.findBest)->trigger(); });
    row->addWidget(m_findBest);
}

void TopBar::setSearching(bool searching)
{
    m_searching = searching;
    m_findBest->setText(searching ? tr("Stop") : tr("Find the best"));
    m_findBest->setToolTip(withShortcut(searching ? *m_actions.stopSearch : *m_actions.findBest));
}

void TopBar::setSearchProgress(double share)
{
    if (m_searching)
        m_findBest->setText(tr("Stop · %1 %").arg(static_cast<int>(share * 100)));
}

void TopBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(0, height() - 1, width(), 1, widgets::currentTokens().border);
}

} // namespace stratoplan::gui
