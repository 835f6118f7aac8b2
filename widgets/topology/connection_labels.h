// SPDX-License-Identifier: GPL-3.0-or-later
// The labels of the connections of a scene: of which there is one, and where it has room.
#pragma once

#include <string>
#include <unordered_map>

namespace stratoplan::widgets {

class ConnectionLabel;
class TopologyScene;

class ConnectionLabels {
public:
    explicit ConnectionLabels(TopologyScene& scene);

    /// By the key of the connection; nullptr or hidden where there is no room for it.
    [[nodiscard]] ConnectionLabel* label(const std::string& key) const;
    /// Where the curves run now, of those that the scene has.
    void place();

private:
    void dropStale();
    [[nodiscard]] bool isWanted(const std::string& key) const;
    ConnectionLabel& shown(std::size_t connection);

    TopologyScene& m_scene;
    std::unordered_map<std::string, ConnectionLabel*> m_labels;
};

} // namespace stratoplan::widgets
