// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/shell/thin_splitter.h"

#include "widgets/style/theme.h"

#include <QEvent>
#include <QPainter>

namespace stratoplan::widgets {

namespace {

class LineHandle : public QSplitterHandle {
public:
    using QSplitterHandle::QSplitterHandle;

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Tokens& t = currentTokens();
        QPainter painter(this);
        const QRect line = contentsRect();
        painter.fillRect(line, underMouse() ? t.accent : t.border);
    }

    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::HoverEnter || event->type() == QEvent::HoverLeave)
            update();
        return QSplitterHandle::event(event);
    }
};

} // namespace

ThinSplitter::ThinSplitter(Qt::Orientation orientation, QWidget* parent)
    : QSplitter(orientation, parent)
{
    setHandleWidth(1);
    setChildrenCollapsible(false);
}

QSplitterHandle* ThinSplitter::createHandle()
{
    auto* handle = new LineHandle(orientation(), this);
    handle->setAttribute(Qt::WA_Hover);
    return handle;
}

} // namespace stratoplan::widgets
