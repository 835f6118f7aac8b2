// SPDX-License-Identifier: GPL-3.0-or-later
// Where worker threads leave answers for an object that lives on the GUI thread. There is one place for each kind of
// answer: a newer one replaces what has not been taken yet, so answers never queue up, however busy the GUI thread is.
#pragma once

#include <QMetaObject>
#include <QObject>

#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace stratoplan::session {

/// `Letters`: a struct of std::optional, the places.
template <class Letters>
class Outbox {
public:
    /// `reader` has an invokable deliver() that calls take(); it is called on the reader's thread after something was
    /// posted.
    explicit Outbox(QObject& reader)
        : m_reader(reader)
    {
    }

    /// From any thread.
    template <class Letter>
    void post(std::optional<Letter> Letters::*place, std::type_identity_t<Letter> letter)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_letters.*place = std::move(letter);
            if (std::exchange(m_wakePosted, true))
                return;
        }
        // By name: nothing of ours is captured in the event, so answers cross threads under our own mutex only.
        QMetaObject::invokeMethod(&m_reader, "deliver", Qt::QueuedConnection);
    }

    /// All that lies here; it is empty then.
    [[nodiscard]] Letters take()
    {
        const std::lock_guard lock(m_mutex);
        m_wakePosted = false;
        return std::exchange(m_letters, {});
    }

private:
    QObject& m_reader;
    std::mutex m_mutex;
    bool m_wakePosted = false;
    Letters m_letters;
};

} // namespace stratoplan::session
