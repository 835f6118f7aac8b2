// SPDX-License-Identifier: GPL-3.0-or-later
// The page of the inspector for elements of several kinds, as a rack has them: what they add up to, and the one
// property that all of them have.
#pragma once

#include "widgets/topology/cluster_edit.h"

#include <QStringList>
#include <QWidget>

class QLabel;

namespace stratoplan::widgets {

class FieldRow;
class InfoRow;
class TextField;

class MixedPage final : public QWidget {
    Q_OBJECT
public:
    explicit MixedPage(QWidget* parent = nullptr);

    /// Ids of elements and keys of connections.
    void setSelection(const cluster::Cluster& cluster, const QStringList& keys);
    /// Takes what is typed but not entered yet.
    void commitPending();

Q_SIGNALS:
    /// The cluster after one edit.
    void edited(const cluster::Cluster& cluster, const QString& actionText);
    /// The person is done with the field that had the keyboard.
    void finished();

private:
    void showRack();
    void showTotals();
    void apply(const QString& rack);

    cluster::Cluster m_cluster;
    std::vector<std::string> m_elements;
    QLabel* m_title;
    QLabel* m_subtitle;
    FieldRow* m_rackRow;
    TextField* m_rack;
    InfoRow* m_accelerators;
    InfoRow* m_peak;
    InfoRow* m_memory;
};

} // namespace stratoplan::widgets
