// SPDX-License-Identifier: GPL-3.0-or-later
// Clusters to put on a canvas, and text to put into a field beside it.
#pragma once

#include "widgets/topology/cluster_edit.h"

#include <QLineEdit>
#include <QTest>

#include <string>

namespace stratoplan::test {

inline cluster::Cluster fatTree()
{
    return catalog::shippedCatalog().cluster("selene")->cluster;
}

inline cluster::Cluster smallCluster()
{
    cluster::Cluster c;
    c.name = "small";
    widgets::addNodes(c, catalog::shippedCatalog().node("dgx-a100-80")->node);
    c.nodes[0].id = "nodes";
    addSwitches(c, widgets::switchPresets()[0]);
    addSwitches(c, widgets::switchPresets()[1]);
    return c;
}

/// Sixteen nodes drawn one by one, in two pods of four rail switches each, two spines on top.
inline cluster::Cluster railFabric()
{
    cluster::Cluster c;
    c.name = "Two pods, rail-optimised";
    cluster::NodeGroup node = catalog::shippedCatalog().node("dgx-h100")->node;
    for (int i = 0; i < 16; ++i) {
        node.id = "n" + std::to_string(i);
        node.name = "Node " + std::to_string(i);
        c.nodes.push_back(node);
    }
    for (int s = 0; s < 8; ++s)
        c.switches.push_back(
            {"rail" + std::to_string(s), "Rail " + std::to_string(s % 4), cluster::SwitchTier::Leaf, 40, 1});
    for (int s = 0; s < 2; ++s)
        c.switches.push_back(
            {"spine" + std::to_string(s), "Spine " + std::to_string(s), cluster::SwitchTier::Spine, 128, 1});
    for (int i = 0; i < 16; ++i) {
        for (int s = 0; s < 4; ++s)
            c.connections.push_back({"n" + std::to_string(i), "rail" + std::to_string(i / 8 * 4 + s), node.nic, 2});
    }
    for (int s = 0; s < 8; ++s) {
        for (int t = 0; t < 2; ++t)
            c.connections.push_back({"rail" + std::to_string(s), "spine" + std::to_string(t), node.nic, 8});
    }
    return c;
}

inline void type(QLineEdit* field, const QString& text)
{
    field->setFocus(Qt::OtherFocusReason);
    field->selectAll();
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
}

} // namespace stratoplan::test
