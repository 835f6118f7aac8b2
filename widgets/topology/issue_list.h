// SPDX-License-Identifier: GPL-3.0-or-later
// What is doubtful about the cluster, each with its amount, a way to it and, where there is one, the edit that mends
// it.
#pragma once

#include "widgets/topology/cluster_review.h"

#include <QWidget>

class QVBoxLayout;

namespace stratoplan::widgets {

class IssueList final : public QWidget {
    Q_OBJECT
public:
    explicit IssueList(QWidget* parent = nullptr);

    /// Issues of these elements; all if none are named.
    void setCluster(const cluster::Cluster& cluster, const std::vector<std::string>& elements);
    /// Sentences that are shown, in order.
    [[nodiscard]] QStringList sentences() const;

Q_SIGNALS:
    void mendRequested(const cluster::Cluster& cluster, const QString& actionText);
    void elementRequested(const QString& id);

private:
    void addIssue(const cluster::Cluster& cluster, const ClusterIssue& issue);
    QVBoxLayout* m_column;
    QStringList m_sentences;
};

} // namespace stratoplan::widgets
