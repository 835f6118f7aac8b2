// SPDX-License-Identifier: GPL-3.0-or-later
// What the step becomes where an element of the cluster fails or is faster: with the same strategy, or with the fastest
// of those near it that are legal then, fewer replicas of a slightly smaller batch among them. Found off the GUI
// thread; a newer question replaces an older one.
#pragma once

#include "app/session/latest_worker.h"
#include "core/cluster/element_changes.h"
#include "core/estimate/estimate.h"

#include <QObject>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stratoplan::session {

struct WhatIf {
    cluster::ElementChange change{};
    plan::Plan plan; ///< with that cluster
    Seconds step{}; ///< 0: there is none
    double longer = 0; ///< of the time that a token takes in the plan as it is, a share: 0.021 = 2.1 % longer
    bool fits = false;
    bool mayNotFit = false; ///< it does, but the range of its peak ends beyond the memory
    int idle = 0; ///< accelerators that it leaves without a rank
    std::vector<std::string> apart{}; ///< ids of the groups of nodes or switches that no cables join to the others then
    bool operator==(const WhatIf&) const = default;
};

/// The plan, priced, where a sequence took so long before; none where it cannot be priced, or when stopped.
[[nodiscard]] std::optional<WhatIf> priced(
    cluster::ElementChange change, plan::Plan plan, Seconds sequence, const std::stop_token& stop);
/// What a sequence of the plan takes, of a step that does.
[[nodiscard]] Seconds ofSequence(Seconds step, const plan::Plan& plan);
/// An answer is better than none, one that fits than one that does not, then the shorter time of a token.
[[nodiscard]] bool isBetter(const WhatIf& found, const WhatIf& best);

/// One for each change, in their order; none where the plan itself cannot be priced, or when stopped.
[[nodiscard]] std::vector<WhatIf> whatIfs(
    const plan::Plan& plan, const std::vector<cluster::ChangedCluster>& changes, const std::stop_token& stop = {});

using WhatIfsPointer = std::shared_ptr<const std::vector<WhatIf>>;

class WhatIfWorker final : public QObject {
    Q_OBJECT

public:
    explicit WhatIfWorker(QObject* parent = nullptr);
    ~WhatIfWorker() override;

    void ask(plan::Plan plan, std::vector<cluster::ChangedCluster> changes);
    /// What runs is stopped, and nothing of it is told.
    void forget();

Q_SIGNALS:
    /// Of the newest question.
    void answered(const session::WhatIfsPointer& answers);

private:
    struct Request {
        plan::Plan plan;
        std::vector<cluster::ChangedCluster> changes;
        std::uint64_t number = 0;
    };
    void work(const Request& request, const std::stop_token& stop);

    std::uint64_t m_number = 0;
    std::optional<LatestWorker<Request>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
