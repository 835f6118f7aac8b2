// SPDX-License-Identifier: Apache-2.0
// The topology of NCCL and RCCL: <system> of <cpu>, below it the tree of <pci> devices, in which <gpu> with its
// <nvlink> or <xgmi>, and <nic> with its <net>. What NCCL_TOPO_DUMP_FILE writes has all of that; what is written by
// hand for NCCL_TOPO_FILE has often the <pci> devices alone, whose class tells what they are.
#include "core/catalog/quote.h"
#include "core/units/reading.h"
#include "core/units/text.h"
#include "core/wiring/meshes.h"
#include "core/wiring/text_lines.h"
#include "core/wiring/xml_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <unordered_map>

namespace stratoplan::wiring {
namespace {

constexpr std::string_view kRoot = "<system version=\"1\"> of NCCL, or version 2 of RCCL";
constexpr int kMostGpusOfSystem = 1024;
constexpr int kMostHosts = 1024;
constexpr int kMostLinksToDevice = 1000;

/// What the first digits of a PCI class say: of what has no screen.
bool isCompute(std::string_view pciClass)
{
    return pciClass.starts_with("0x0302") || pciClass.starts_with("0x0380") || pciClass.starts_with("0x12");
}
/// The small display of a server's management controller (ASPEED) is none.
bool isDisplay(const XmlElement& pci)
{
    constexpr std::string_view kAspeed = "0x1a03";
    return pci.attribute("class").starts_with("0x03") && inSmallLetters(pci.attribute("vendor")) != kAspeed;
}
bool isNetwork(std::string_view pciClass)
{
    return pciClass.starts_with("0x02") || pciClass.starts_with("0x0c06");
}

struct LinkOf {
    std::string target; ///< bus id, in small letters
    int count = 0;
    std::string targetClass;
};

struct Device {
    XmlElement pci = {}; ///< without a name where a network port stands in no device
    int host = 0;
    bool isGpu = false; ///< has a <gpu>
    bool isXgmi = false;
    std::string compute = {};
    std::vector<LinkOf> links = {};
    std::vector<Port> ports = {};
    double gigatransfers = 0;
};
using Devices = std::vector<const Device*>;

/// "0x10de" and "0x2330" as "10de:2330".
std::string deviceId(const XmlElement& pci)
{
    const std::string vendor = inSmallLetters(pci.attribute("vendor")),
                      device = inSmallLetters(pci.attribute("device"));
    return vendor.starts_with("0x") && device.starts_with("0x") ? vendor.substr(2) + ':' + device.substr(2)
                                                                : std::string();
}

/// "16 GT/s", "16.0 GT/s PCIe"; 0 if it is not known ("Unknown", or a number without its unit), but what is below that
/// is a fault with or without one.
double gigatransfersOf(const std::string& speed)
{
    double value = 0;
    std::from_chars(speed.data(), speed.data() + speed.size(), value);
    return speed.find("GT/s") != std::string::npos || value < 0 ? value : 0;
}

std::string busOf(const Device& device)
{
    return inSmallLetters(device.pci.attribute("busid"));
}

class TopologyReader {
public:
    [[nodiscard]] tl::expected<DescribedNodes, Fault> read(std::string_view text)
    {
        const XmlEvents events{[this](const XmlElement& element) { return open(element); },
            [this] {
                m_path.pop_back();
                if (!m_open.empty() && m_open.back().second == m_path.size())
                    m_open.pop_back();
            }};
        if (auto fault = readXml(text, events))
            return tl::unexpected(std::move(*fault));
        return described();
    }

private:
    [[nodiscard]] static Fault faultAt(const XmlElement& element, std::string found, std::string_view expected)
    {
        return {element.line, element.column, std::move(found), std::string(expected)};
    }

    std::optional<Fault> open(const XmlElement& element)
    {
        const std::string parent = m_path.empty() ? std::string() : m_path.back();
        m_path.push_back(element.name);
        if (parent.empty())
            return openRoot(element);
        if (element.name == "cpu") {
            return openCpu(element);
        } else if (element.name == "pci") {
            return openPci(element);
        } else if (element.name == "gpu") {
            return openGpu(element);
        } else if (element.name == "nvlink" || element.name == "xgmi") {
            return openLink(element);
        } else if (element.name == "net") {
            return openNet(element);
        } else if (element.name != "nic" && element.name != "c2c" && element.name != "pcilink") {
            m_unknown.insert('<' + catalog::quoteText(element.name) + '>');
        }
        return std::nullopt;
    }

    static std::optional<Fault> openRoot(const XmlElement& element)
    {
        const std::string& version = element.attribute("version");
        if (element.name != "system")
            return faultAt(element, "the element " + catalog::quoteText(element.name), kRoot);
        if (version != "1" && version != "2")
            return faultAt(element, version.empty() ? "no version" : "version " + catalog::quoteText(version), kRoot);
        return std::nullopt;
    }

    /// Several hosts stand in one file where NVLink joins them.
    std::optional<Fault> openCpu(const XmlElement& element)
    {
        const auto [host, isNew] = m_hosts.emplace(element.attribute("host_hash"), int(m_hosts.size()));
        if (isNew && int(m_hosts.size()) > kMostHosts)
            return faultAt(element, reading::moreThan(kMostHosts, "hosts"), reading::atMost(kMostHosts));
        m_host = host->second;
        return std::nullopt;
    }

    std::optional<Fault> openPci(const XmlElement& element)
    {
        constexpr double kLeastRate = 1, kMostRate = 256;
        const std::string& bus = element.attribute("busid");
        if (bus.empty())
            return faultAt(element, "a <pci> without busid", "its place on the bus, such as busid=\"0000:07:00.0\"");
        if (!m_buses.emplace(m_host, inSmallLetters(bus)).second)
            return faultAt(element, "busid " + catalog::quoteText(bus) + " twice", "every device once");
        const double rate = gigatransfersOf(element.attribute("link_speed"));
        if (rate != 0 && !(rate >= kLeastRate && rate <= kMostRate))
            return faultAt(element, "link_speed " + catalog::quoteText(element.attribute("link_speed")),
                "from 1 to 256 GT/s, such as \"16.0 GT/s PCIe\"");
        m_open.emplace_back(m_devices.size(), m_path.size() - 1);
        m_devices.push_back({.pci = element, .host = m_host, .gigatransfers = rate});
        return std::nullopt;
    }

    std::optional<Fault> openGpu(const XmlElement& element)
    {
        if (m_open.empty())
            return faultAt(element, "a <gpu> outside any <pci>", "a <gpu> inside the <pci> that it is");
        Device& device = m_devices[m_open.back().first];
        const std::string& architecture = element.attribute("gcn");
        const std::string& capability = element.attribute("sm");
        if (!architecture.empty())
            device.compute =
                (architecture.starts_with("gfx") ? "" : "gfx") + architecture.substr(0, architecture.find(':'));
        else if (!capability.empty() && !wholeNumber(capability, 9999))
            return faultAt(element, "sm " + catalog::quoteText(capability), "a compute capability such as sm=\"90\"");
        else
            device.compute = capability;
        if (!device.isGpu && ++m_gpus > kMostGpusOfSystem)
            return faultAt(element, reading::moreThan(kMostGpusOfSystem, "GPUs"), reading::atMost(kMostGpusOfSystem));
        device.isGpu = true;
        return std::nullopt;
    }

    std::optional<Fault> openLink(const XmlElement& element)
    {
        if (m_open.empty() || !m_devices[m_open.back().first].isGpu)
            return faultAt(element, '<' + element.name + "> outside any <gpu>", "links inside the <gpu> that has them");
        const std::optional<int> count = wholeNumber(element.attribute("count"), kMostLinksToDevice);
        if (!count || *count == 0)
            return faultAt(element, "count " + catalog::quoteText(element.attribute("count")),
                "the number of links, " + reading::wholeNumber(1, kMostLinksToDevice));
        if (element.attribute("target").empty())
            return faultAt(element, "no target", "the busid of what it links to");
        Device& device = m_devices[m_open.back().first];
        device.isXgmi = device.isXgmi || element.name == "xgmi";
        device.links.push_back({inSmallLetters(element.attribute("target")), *count, element.attribute("tclass")});
        return std::nullopt;
    }

    std::optional<Fault> openNet(const XmlElement& element)
    {
        const std::string& speed = element.attribute("speed");
        const std::optional<int> megabits = wholeNumber(speed, std::numeric_limits<int>::max());
        if (!speed.empty() && !megabits)
            return faultAt(
                element, "speed " + catalog::quoteText(speed), "Mb/s as a whole number, such as speed=\"200000\"");
        const XmlElement none;
        const XmlElement& pci = m_open.empty() ? none : m_devices[m_open.back().first].pci;
        Port port = portOf(pci);
        ++m_nets;
        port.name = !element.attribute("name").empty()
            ? element.attribute("name") + ':' + element.attribute("port")
            : port.name + (port.name.empty() ? "net " : " net ") + std::to_string(m_nets);
        port.gigabits = megabits.value_or(0) / 1e3;
        if (m_open.empty())
            m_devices.push_back({.host = m_host, .ports = {port}});
        else
            m_devices[m_open.back().first].ports.push_back(port);
        return std::nullopt;
    }

    /// InfiniBand has a class of its own; ports of a vendor's own network are told by their ids.
    [[nodiscard]] static Port portOf(const XmlElement& pci)
    {
        const std::string& pciClass = pci.attribute("class");
        const std::string device = deviceId(pci);
        Port port{pci.attribute("busid"), cluster::LinkKind::Ethernet};
        if (pciClass.starts_with("0x0207") || pciClass.starts_with("0x0c06"))
            port.kind = cluster::LinkKind::InfiniBand;
        else if (device.starts_with("17db:"))
            port.kind = cluster::LinkKind::Slingshot;
        else if (device.starts_with("1d0f:"))
            port.link = "efa-";
        return port;
    }

    [[nodiscard]] tl::expected<DescribedNodes, Fault> described()
    {
        DescribedNodes described;
        std::vector<Devices> hosts(std::max<std::size_t>(1, m_hosts.size()));
        for (const Device& device : m_devices)
            hosts[std::size_t(device.host)].push_back(&device);
        const bool anyCompute = std::ranges::any_of(
            m_devices, [](const Device& device) { return isCompute(device.pci.attribute("class")); });
        for (const Devices& devices : hosts) {
            Devices gpus;
            for (const Device* device : devices)
                if (m_gpus > 0       ? device->isGpu
                        : anyCompute ? isCompute(device->pci.attribute("class"))
                                     : isDisplay(device->pci))
                    gpus.push_back(device);
            if (gpus.empty())
                continue;
            DescribedNode node{.ports = portsOf(devices)};
            if (auto fault = takeGpus(gpus, node))
                return tl::unexpected(std::move(*fault));
            if (m_gpus > 0) // else nothing is said of links between devices
                takeLinks(gpus, devices, node);
            described.kinds.push_back(std::move(node));
        }
        if (described.kinds.empty())
            return tl::unexpected(
                Fault{0, 0, "no accelerator", "a <gpu>, or a <pci> of class 0x030200 (GPU), in the tree of a <cpu>"});
        if (!m_elsewhere.empty())
            described.remarks.emplace_back(LinksElsewhere{{m_elsewhere.begin(), m_elsewhere.end()}});
        if (!m_unknown.empty())
            described.remarks.emplace_back(PassedOver{{m_unknown.begin(), m_unknown.end()}});
        return described;
    }

    /// Each once: one that stands in no device is below every processor.
    [[nodiscard]] static std::vector<Port> portsOf(const Devices& devices)
    {
        std::vector<Port> all;
        std::set<std::string> seen;
        for (const Device* device : devices) {
            std::vector<Port> ports = device->ports;
            if (ports.empty() && isNetwork(device->pci.attribute("class")))
                ports.push_back(portOf(device->pci));
            for (Port& port : ports)
                if (seen.insert(port.name).second)
                    all.push_back(std::move(port));
        }
        return all;
    }

    static std::optional<Fault> takeGpus(const Devices& gpus, DescribedNode& node)
    {
        node.accelerators = int(gpus.size());
        node.gigatransfers = std::numeric_limits<double>::max();
        node.lanes = std::numeric_limits<int>::max();
        for (const Device* gpu : gpus) {
            node.gigatransfers = std::min(node.gigatransfers, gpu->gigatransfers);
            node.lanes = std::min(node.lanes, wholeNumber(gpu->pci.attribute("link_width"), 64).value_or(0));
            node.isXgmi = node.isXgmi || gpu->isXgmi;
            const std::string device = deviceId(gpu->pci);
            for (auto [kept, found] : {std::pair(&node.device, &device), std::pair(&node.compute, &gpu->compute)}) {
                if (kept->empty())
                    *kept = *found;
                if (!found->empty() && *found != *kept)
                    return faultAt(gpu->pci,
                        "GPUs of unlike kinds in a node: " + shortened(*kept) + " and " + shortened(*found),
                        "one kind of GPU in each node");
            }
        }
        return std::nullopt;
    }

    /// Whether a link leads to a switch (class 0x068000), or to a device that is not told but that all GPUs have links
    /// to. Those to processors (0x068001) join no GPUs.
    [[nodiscard]] bool leadsToSwitch(const LinkOf& link, const std::string& targetClass, bool isShared)
    {
        if (!targetClass.empty() && !targetClass.starts_with("0x03"))
            return targetClass.starts_with("0x068000");
        if (targetClass.empty() && isShared)
            return true;
        m_elsewhere.insert(shortened(link.target));
        return false;
    }

    /// By target, how many of the GPUs have links to it.
    [[nodiscard]] static std::unordered_map<std::string_view, std::size_t> sharers(const Devices& gpus)
    {
        std::unordered_map<std::string_view, std::size_t> counts;
        for (const Device* gpu : gpus) {
            std::set<std::string_view> targets;
            for (const LinkOf& link : gpu->links)
                targets.insert(link.target);
            for (const std::string_view target : targets)
                ++counts[target];
        }
        return counts;
    }

    void takeLinks(const Devices& gpus, const Devices& devices, DescribedNode& node)
    {
        std::unordered_map<std::string, std::string> classes; // by bus id
        for (const Device* device : devices)
            classes.emplace(busOf(*device), device->pci.attribute("class"));
        std::unordered_map<std::string, std::size_t> peers;
        for (std::size_t i = 0; i < gpus.size(); ++i)
            peers.emplace(busOf(*gpus[i]), i);
        const auto shared = sharers(gpus);
        LinkMatrix direct(gpus.size(), std::vector<int>(gpus.size()));
        std::vector<int> toSwitches(gpus.size());
        for (std::size_t i = 0; i < gpus.size(); ++i)
            for (const LinkOf& link : gpus[i]->links) {
                const auto peer = peers.find(link.target);
                const auto known = classes.find(link.target);
                const std::string& targetClass =
                    link.targetClass.empty() && known != classes.end() ? known->second : link.targetClass;
                if (peer != peers.end())
                    direct[i][peer->second] = std::min(direct[i][peer->second] + link.count, kMostLinksToDevice);
                else if (leadsToSwitch(link, targetClass, shared.at(link.target) == gpus.size()))
                    toSwitches[i] = std::min(toSwitches[i] + link.count, kMostLinksToDevice);
                node.spansNodes = node.spansNodes || link.target.starts_with("fffffff:ff");
            }
        addDomains(std::move(direct), toSwitches, node);
    }

    /// Links to switches are shared by all that have any.
    static void addDomains(LinkMatrix direct, const std::vector<int>& toSwitches, DescribedNode& node)
    {
        const std::size_t gpus = toSwitches.size();
        LinkMatrix switched(gpus, std::vector<int>(gpus));
        for (std::size_t i = 0; i < gpus; ++i)
            for (std::size_t k = 0; k < gpus; ++k) {
                direct[i][k] = direct[k][i] = i == k ? 0 : std::max(direct[i][k], direct[k][i]);
                switched[i][k] = i == k ? 0 : std::min(toSwitches[i], toSwitches[k]);
            }
        const bool isSwitched = std::ranges::any_of(toSwitches, [](int links) { return links > 0; });
        const LinkMatrix& links = isSwitched ? switched : direct;
        for (const std::vector<int>& members : joinedSets(links))
            node.domains.push_back(domainOf(links, members, isSwitched));
    }

    std::vector<std::string> m_path;
    std::vector<std::pair<std::size_t, std::size_t>> m_open; ///< devices around what is read, and how deep they stand
    std::vector<Device> m_devices;
    std::unordered_map<std::string, int> m_hosts;
    int m_host = 0;
    int m_nets = 0;
    int m_gpus = 0;
    std::set<std::pair<int, std::string>> m_buses;
    std::set<std::string> m_unknown, m_elsewhere;
};

} // namespace

tl::expected<DescribedNodes, Fault> readNcclXml(std::string_view text)
{
    return TopologyReader().read(text);
}

} // namespace stratoplan::wiring
