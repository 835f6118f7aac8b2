// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/cluster_cell_delegate.h"

#include "widgets/panels/choice_field.h"
#include "widgets/panels/entry_field.h"
#include "widgets/panels/panel_style.h"
#include "widgets/panels/picker.h"
#include "widgets/topology/cluster_table_model.h"
#include "widgets/topology/field_editor.h"

#include <QAbstractItemView>
#include <QKeyEvent>
#include <QPainter>
#include <QPersistentModelIndex>
#include <QTimer>

namespace stratoplan::widgets {

namespace {

constexpr const char* kPlace = "place"; ///< property of a control: where it edits
constexpr int kMarkSide = 12; ///< in the margin of a cell
constexpr int kLeastEditor = 96; ///< pixels

bool turnsToggle(const QEvent& event)
{
    if (event.type() == QEvent::MouseButtonDblClick)
        return true;
    const int key = event.type() == QEvent::KeyPress ? static_cast<const QKeyEvent&>(event).key() : 0;
    return key == Qt::Key_Space || key == Qt::Key_F2 || key == Qt::Key_Return || key == Qt::Key_Enter;
}

/// Keys and events that would end the editing of a cell.
bool endsEditing(const QEvent& event)
{
    if (event.type() == QEvent::FocusOut)
        return true;
    const int key = event.type() == QEvent::KeyPress ? static_cast<const QKeyEvent&>(event).key() : 0;
    return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Tab || key == Qt::Key_Backtab;
}

} // namespace

ClusterCellDelegate::ClusterCellDelegate(ClusterTableModel& model, QObject* parent)
    : RowDelegate(parent)
    , m_model(model)
{
}

void ClusterCellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    RowDelegate::paint(painter, option, index);
    const Tokens& t = tokensOf(*option.widget);
    const QVariant severity = index.data(ClusterTableModel::SeverityRole);
    if (severity.isValid()) {
        const QRectF mark(option.rect.left() - 1, option.rect.center().y() - kMarkSide / 2.0, kMarkSide, kMarkSide);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        paintSeverity(*painter, mark.adjusted(1, 1, -1, -1), t, static_cast<plan::Severity>(severity.toInt()));
        painter->restore();
    }
    if (option.state.testFlag(QStyle::State_HasFocus))
        paintFocusRing(*painter, QRectF(option.rect).adjusted(0, 0, 0, -1), t);
}

QWidget* ClusterCellDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const
{
    const ClusterField& field = m_model.field(index.column());
    if (field.kind == FieldKind::Toggle)
        return nullptr;
    auto* const self = const_cast<ClusterCellDelegate*>(this); // it makes controls, and hears of them later
    const QPersistentModelIndex place(index);
    const auto take = [self, place](
                          const ClusterField&, const QVariant& value) { self->m_model.setData(place, value); };
    QWidget* editor = makeCellEditor(field, m_model.catalog(), m_model.value().cluster, parent, take);
    editor->setProperty(kPlace, QVariant::fromValue(place));
    editor->setAccessibleName(field.label);
    editor->setToolTip(field.explanation);
    editor->setAutoFillBackground(true);
    if (auto* entry = qobject_cast<EntryField*>(editor)) {
        connect(entry, &EntryField::errorChanged, self, [self](const QString& error) {
            if (!error.isEmpty())
                Q_EMIT self->refused(error);
        });
    } else {
        QTimer::singleShot(0, editor, [self, editor] { self->openList(editor); });
    }
    return editor;
}

void ClusterCellDelegate::openList(QWidget* editor)
{
    if (auto* picker = qobject_cast<Picker*>(editor)) {
        picker->openList();
        picker->openedList()->installEventFilter(this);
    } else if (auto* choice = qobject_cast<ChoiceField*>(editor)) {
        connect(choice, &ChoiceField::keyChosen, this, [this, choice] { endEditing(choice); });
        choice->showPopup();
    }
}

void ClusterCellDelegate::endEditing(QWidget* editor)
{
    const auto place = editor->property(kPlace).value<QPersistentModelIndex>();
    if (qobject_cast<QAbstractItemView*>(parent())->indexWidget(place) == editor)
        Q_EMIT closeEditor(editor);
}

void ClusterCellDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const
{
    showCellValue(*editor, m_model.field(index.column()), m_model.catalog(), m_model.value().cluster,
        static_cast<std::size_t>(index.row()));
}

void ClusterCellDelegate::setModelData(QWidget* editor, QAbstractItemModel*, const QModelIndex&) const
{
    // Controls tell what was done with them by themselves.
    if (auto* entry = qobject_cast<EntryField*>(editor))
        entry->commit();
    else if (auto* name = qobject_cast<QLineEdit*>(editor))
        Q_EMIT name->editingFinished();
}

void ClusterCellDelegate::updateEditorGeometry(
    QWidget* editor, const QStyleOptionViewItem& option, const QModelIndex&) const
{
    QRect cell = option.rect;
    cell.setWidth(std::max(cell.width(), kLeastEditor));
    editor->setGeometry(cell);
}

bool ClusterCellDelegate::editorEvent(
    QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem&, const QModelIndex& index)
{
    if (m_model.field(index.column()).kind != FieldKind::Toggle || !turnsToggle(*event))
        return false;
    model->setData(index, !index.data(Qt::EditRole).toBool());
    return true;
}

bool ClusterCellDelegate::eventFilter(QObject* object, QEvent* event)
{
    if (auto* list = qobject_cast<SearchPopup*>(object)) {
        if (event->type() == QEvent::Hide) // what was picked is told after that
            QTimer::singleShot(0, list->parentWidget(), [this, editor = list->parentWidget()] { endEditing(editor); });
        return false;
    }
    auto* line = qobject_cast<QLineEdit*>(object);
    auto* entry = qobject_cast<EntryField*>(object);
    if (line && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        if (entry)
            entry->revert();
        line->setModified(false); // it takes what is typed when the focus leaves
    }
    if (entry && endsEditing(*event) && !entry->commit())
        return event->type() != QEvent::FocusOut; // it stays until it is mended or given up; it sees the focus leave
    return RowDelegate::eventFilter(object, event);
}

} // namespace stratoplan::widgets
