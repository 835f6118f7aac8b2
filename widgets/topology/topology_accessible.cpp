// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/topology_accessible.h"

#include "widgets/topology/plan_overlays.h"
#include "widgets/topology/topology_view.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include <map>

namespace stratoplan::widgets {

namespace {

class ElementAccessible final : public QAccessibleInterface {
public:
    ElementAccessible(TopologyView* view, QString key)
        : m_view(view)
        , m_key(std::move(key))
    {
    }

    bool isValid() const override { return m_view && item(); }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_view); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    void setText(QAccessible::Text, const QString&) override { }
    QAccessible::Role role() const override { return QAccessible::ListItem; }

    QString text(QAccessible::Text kind) const override
    {
        if (kind != QAccessible::Name || !isValid())
            return {};
        return m_view->topologyScene()->overlays().describe(m_key.toStdString());
    }

    QRect rect() const override
    {
        if (!isValid())
            return {};
        const QGraphicsItem* shown = item();
        const auto* element = m_view->topologyScene()->element(m_key.toStdString());
        const QRectF area = element ? element->sceneCard() : shown->sceneBoundingRect();
        const QRect inView = m_view->mapFromScene(area).boundingRect();
        return {m_view->viewport()->mapToGlobal(inView.topLeft()), inView.size()};
    }

    QAccessible::State state() const override
    {
        QAccessible::State state;
        if (!isValid())
            return state;
        state.selectable = true;
        state.selected = item()->isSelected();
        state.focusable = true;
        state.focused = m_view->hasFocus() && m_view->topologyScene()->current() == m_key;
        return state;
    }

private:
    QGraphicsItem* item() const { return m_view->topologyScene()->item(m_key); }

    QPointer<TopologyView> m_view;
    QString m_key;
};

class TopologyAccessible final : public QAccessibleWidget {
public:
    explicit TopologyAccessible(TopologyView* view)
        : QAccessibleWidget(view, QAccessible::List)
    {
    }

    ~TopologyAccessible() override
    {
        for (const auto& [key, id] : m_children)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return QAccessibleWidget::childCount() + static_cast<int>(keys().size()); }

    QAccessibleInterface* child(int index) const override
    {
        const int widgets = QAccessibleWidget::childCount();
        if (index < widgets)
            return QAccessibleWidget::child(index);
        const QStringList all = keys();
        return index - widgets < all.size() ? element(all.at(index - widgets)) : nullptr;
    }

    int indexOfChild(const QAccessibleInterface* wanted) const override
    {
        const QStringList all = keys();
        for (int i = 0; i < all.size(); ++i) {
            const auto it = m_children.find(all.at(i));
            if (it != m_children.end() && QAccessible::accessibleInterface(it->second) == wanted)
                return QAccessibleWidget::childCount() + i;
        }
        return QAccessibleWidget::indexOfChild(wanted);
    }

    int indexOfKey(const QString& key) const
    {
        const auto index = keys().indexOf(key);
        return index < 0 ? -1 : QAccessibleWidget::childCount() + static_cast<int>(index);
    }

private:
    TopologyView* view() const { return static_cast<TopologyView*>(widget()); }
    QStringList keys() const { return view() ? view()->topologyScene()->walkOrder() : QStringList(); }

    QAccessibleInterface* element(const QString& key) const
    {
        const auto it = m_children.find(key);
        if (it != m_children.end())
            return QAccessible::accessibleInterface(it->second);
        auto* created = new ElementAccessible(view(), key);
        m_children[key] = QAccessible::registerAccessibleInterface(created);
        return created;
    }

    mutable std::map<QString, QAccessible::Id> m_children; ///< made when asked for, kept while the canvas lives
};

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    auto* view = qobject_cast<TopologyView*>(object);
    return view ? new TopologyAccessible(view) : nullptr;
}

} // namespace

void installTopologyAccessibility()
{
    static const bool installed = [] {
        QAccessible::installFactory(&makeInterface);
        return true;
    }();
    Q_UNUSED(installed)
}

void announceCurrent(TopologyView& view, const QString& key)
{
    if (!QAccessible::isActive())
        return;
    const auto* interface = dynamic_cast<TopologyAccessible*>(QAccessible::queryAccessibleInterface(&view));
    const int index = interface ? interface->indexOfKey(key) : -1;
    if (index < 0)
        return;
    QAccessibleEvent event(&view, QAccessible::Focus);
    event.setChild(index);
    QAccessible::updateAccessibility(&event);
}

} // namespace stratoplan::widgets
