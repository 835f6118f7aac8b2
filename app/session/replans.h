// SPDX-License-Identifier: GPL-3.0-or-later
// The best plan for a cluster of which something has failed: a search of the project's own space there. Off the GUI
// thread; a newer question replaces an older one.
#pragma once

#include "app/session/outbox.h"
#include "app/session/what_ifs.h"

#include <functional>

namespace stratoplan::session {

/// With the best strategy that the search of the project finds on the cluster of `near`, an answer about its plan: for
/// the batch of the project, and for that of `near` where it is a smaller one. The shorter time of a token counts,
/// whatever the project's objective; nodes may stay idle. The same as `near` where nothing better is found, or when
/// stopped. `progress`: a share of the work, 0 to 1.
[[nodiscard]] WhatIf replanned(const plan::Project& project, const WhatIf& near, const std::stop_token& stop = {},
    const std::function<void(double)>& progress = {});

using WhatIfPointer = std::shared_ptr<const WhatIf>;

class ReplanWorker final : public QObject {
    Q_OBJECT

public:
    explicit ReplanWorker(QObject* parent = nullptr);
    ~ReplanWorker() override;

    void ask(plan::Project project, WhatIf near);
    /// What runs is stopped, and nothing of it is told.
    void forget();

Q_SIGNALS:
    /// Of the newest question, as is the next.
    void progressed(double share);
    void answered(const session::WhatIfPointer& answer);

private:
    struct Request {
        plan::Project project;
        WhatIf near;
        std::uint64_t number = 0;
    };
    struct Share {
        double value = 0;
        std::uint64_t number = 0;
    };
    struct Answer {
        WhatIfPointer value;
        std::uint64_t number = 0;
    };
    struct Letters {
        std::optional<Share> share;
        std::optional<Answer> answer;
    };
    void work(const Request& request, const std::stop_token& stop);
    Q_INVOKABLE void deliver();

    Outbox<Letters> m_outbox{*this};
    std::uint64_t m_number = 0;
    std::optional<LatestWorker<Request>> m_worker; // last: joined before anything it uses goes away
};

} // namespace stratoplan::session
