// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/command_palette.h"

#include "widgets/shell/command_model.h"
#include "widgets/style/theme.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stratoplan::widgets {

namespace {

constexpr int kWidth = 560;
constexpr int kVisibleRows = 12;

QString plainText(const QString& actionText)
{
    QString text = actionText;
    text.remove(u'&');
    if (text.endsWith(u'…'))
        text.chop(1);
    return text;
}

void collect(const QList<QAction*>& actions, const QString& context, std::vector<Command>& commands)
{
    for (QAction* action : actions) {
        if (action->isSeparator() || action->text().isEmpty())
            continue;
        const QString title = plainText(action->text());
        if (QMenu* menu = action->menu()) {
            collect(menu->actions(), context.isEmpty() ? title : context + QStringLiteral(" › ") + title, commands);
            continue;
        }
        if (!action->isVisible())
            continue;
        QString shown = title;
        if (action->isCheckable())
            shown = action->isChecked() ? QObject::tr("%1 (on)").arg(title) : title;
        commands.push_back({shown, context, action->shortcut().toString(QKeySequence::NativeText),
            [action] { action->trigger(); }, action->isEnabled()});
    }
}

} // namespace

std::vector<Command> commandsOf(const QMenuBar& menuBar)
{
    std::vector<Command> commands;
    collect(menuBar.actions(), QString(), commands);
    return commands;
}

CommandPalette::CommandPalette(Provider provider, QWidget* window)
    : QWidget(window)
    , m_provider(std::move(provider))
    , m_search(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_nothing(new QLabel(this))
    , m_model(new CommandModel(this))
{
    setAccessibleName(tr("Command palette"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 9, 9, 9);
    column->setSpacing(8);
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    column->addWidget(m_nothing, 1);
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setTextFormat(Qt::PlainText);
    m_nothing->setWordWrap(true);
    setTextRole(*m_nothing, TextRole::Secondary);
    m_nothing->hide();
    m_search->setPlaceholderText(tr("Type a command, a node or a plan"));
    m_search->setAccessibleName(tr("Search commands"));
    m_search->setMinimumHeight(32);
    m_search->installEventFilter(this);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new CommandDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("Commands found"));
    connect(m_search, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListView::entered, m_list, &QListView::setCurrentIndex);
    connect(m_list, &QListView::clicked, this, &CommandPalette::runCurrent);
    window->installEventFilter(this);
    hide();
}

void CommandPalette::open()
{
    QWidget* window = parentWidget();
    m_focusBefore = QApplication::focusWidget();
    m_model->setCommands(m_provider());
    m_search->clear();
    filter(QString());
    const int width = std::min(kWidth, window->width() - 32);
    const int rowHeight = std::max(m_list->sizeHintForRow(0), 20);
    const int height = std::min(m_search->minimumHeight() + 8 + 20 + kVisibleRows * rowHeight, window->height() - 64);
    setGeometry((window->width() - width) / 2, 40, width, height);
    raise();
    setVisible(true);
    m_search->setFocus(Qt::PopupFocusReason);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search) {
        if (event->type() == QEvent::FocusOut && isVisible() && qApp->activePopupWidget() == nullptr
            && window()->isActiveWindow())
            closePalette();
        if (event->type() == QEvent::KeyPress) {
            switch (static_cast<QKeyEvent*>(event)->key()) {
            case Qt::Key_Down:
                choose(1);
                return true;
            case Qt::Key_Up:
                choose(-1);
                return true;
            case Qt::Key_PageDown:
                choose(kVisibleRows);
                return true;
            case Qt::Key_PageUp:
                choose(-kVisibleRows);
                return true;
            case Qt::Key_Escape:
                closePalette();
                return true;
            case Qt::Key_Return:
            case Qt::Key_Enter:
                runCurrent();
                return true;
            default:
                break;
            }
        }
    } else if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible()) {
        closePalette();
    }
    return QWidget::eventFilter(watched, event);
}

void CommandPalette::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = currentTokens();
    painter.setPen(t.frame);
    painter.setBrush(t.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

void CommandPalette::filter(const QString& text)
{
    m_model->filter(text);
    const bool nothing = m_model->rowCount() == 0;
    m_nothing->setText(nothing ? tr("No command matches “%1”").arg(text) : QString());
    m_nothing->setVisible(nothing);
    m_list->setVisible(!nothing);
    m_list->setCurrentIndex(m_model->index(0));
    m_list->scrollToTop();
}

void CommandPalette::choose(int step)
{
    const int rows = m_model->rowCount();
    if (rows > 0)
        m_list->setCurrentIndex(m_model->index(std::clamp(m_list->currentIndex().row() + step, 0, rows - 1)));
}

void CommandPalette::runCurrent()
{
    const Command* command = m_model->command(m_list->currentIndex());
    if (!command || !command->enabled)
        return;
    const auto run = command->run; // the model may be filled anew by what it does
    closePalette();
    run();
}

void CommandPalette::closePalette()
{
    if (!isVisible())
        return;
    hide();
    if (m_focusBefore)
        m_focusBefore->setFocus(Qt::PopupFocusReason);
    m_focusBefore.clear();
}

} // namespace stratoplan::widgets
