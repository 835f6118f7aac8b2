// SPDX-License-Identifier: Apache-2.0
// The topology of NCCL and RCCL: <system> of <cpu>, below it the tree of <pci> devices, in which <gpu> with its
// <nvlink> or <xgmi>, and <nic> with its <net>. What NCCL_TOPO_DUMP_FILE writes has all of that; what is written by
// hand for NCCL_TOPO_FILE has often the <pci> devices alone, whose class tells what they are.
#include "core/catalog/quote.h"
#include "core/units/reading.h"
#include "core/wiring/meshes.h"
#include "core/wiring/text_lines.h"
#include "core/wiring/xml_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

namespace stratoplan::wiring {
namespace {

constexpr std::string_view kRoot = "<system version=\"1\"> of NCCL, or version 2 of RCCL";
constexpr int kMostGpusOfSystem = 1024;
constexpr int kMostLinksToDevice = 1000;

/// What the first digits of a PCI class say.
bool isDisplay(std::string_view pciClass)
{
    return pciClass.starts_with("0x03") || pciClass.starts_with("0x12") || pciClass.starts_with("0x13");
}
bool isNetwork(std::string_view pciClass)
{
    return pciClass.starts_with("0x02") || pciClass.starts_with("0x0c06");
}

struct LinkOf {
    std::string target; ///< bus id
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
};

/// "0x10de" and "0x2330" as "10de:2330".
std::string deviceId(const XmlElement& pci)
{
    const std::string vendor = inSmallLetters(pci.attribute("vendor")),
                      device = inSmallLetters(pci.attribute("device"));
    return vendor.starts_with("0x") && device.starts_with("0x") ? vendor.substr(2) + ':' + device.substr(2)
                                                                : std::string();
}

/// "16 GT/s", "16.0 GT/s PCIe"; 0 if it is not known.
double gigatransfersOf(const std::string& speed)
{
    double value = 0;
    std::from_chars(speed.data(), speed.data() + speed.size(), value);
    return speed.find("GT/s") != std::string::npos && value > 0 ? value : 0;
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
            openCpu(element);
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
    void openCpu(const XmlElement& element)
    {
        const std::string& host = element.attribute("host_hash");
        m_host = int(std::ranges::find(m_hosts, host) - m_hosts.begin());
        if (m_host == int(m_hosts.size()))
            m_hosts.push_back(host);
    }

    std::optional<Fault> openPci(const XmlElement& element)
    {
        const std::string& bus = element.attribute("busid");
        if (bus.empty())
            return faultAt(element, "a <pci> without busid", "its place on the bus, such as busid=\"0000:07:00.0\"");
        if (!m_buses.emplace(m_host, bus).second)
            return faultAt(element, "busid " + catalog::quoteText(bus) + " twice", "every device once");
        m_open.emplace_back(m_devices.size(), m_path.size() - 1);
        m_devices.push_back({.pci = element, .host = m_host});
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
        device.links.push_back({element.attribute("target"), *count, element.attribute("tclass")});
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
        port.name = element.attribute("name") + ':' + element.attribute("port");
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
        const bool anyGpu = m_gpus > 0;
        for (int host = 0; host < std::max<int>(1, int(m_hosts.size())); ++host) {
            std::vector<const Device*> gpus;
            DescribedNode node;
            std::set<std::string> seen;
            for (const Device& device : m_devices) {
                if (device.host != host)
                    continue;
                if (anyGpu ? device.isGpu : isDisplay(device.pci.attribute("class")))
                    gpus.push_back(&device);
                std::vector<Port> ports = device.ports;
                if (ports.empty() && isNetwork(device.pci.attribute("class")))
                    ports.push_back(portOf(device.pci));
                for (Port& port : ports)
                    if (seen.insert(port.name).second)
                        node.ports.push_back(std::move(port));
            }
            takeGpus(gpus, anyGpu, node);
            if (node.accelerators > 0)
                described.kinds.push_back(std::move(node));
        }
        if (described.kinds.empty())
            return tl::unexpected(
                Fault{0, 0, "no accelerator", "a <gpu>, or a <pci> of class 0x030200 (GPU), in the tree of a <cpu>"});
        if (!m_unknown.empty())
            described.remarks.emplace_back(PassedOver{{m_unknown.begin(), m_unknown.end()}});
        return described;
    }

    static void takeGpus(const std::vector<const Device*>& gpus, bool stated, DescribedNode& node)
    {
        node.accelerators = int(gpus.size());
        if (gpus.empty())
            return;
        const XmlElement& first = gpus.front()->pci;
        node.device = deviceId(first);
        node.compute = gpus.front()->compute;
        node.gigatransfers = std::numeric_limits<double>::max();
        node.lanes = std::numeric_limits<int>::max();
        for (const Device* gpu : gpus) {
            node.gigatransfers = std::min(node.gigatransfers, gigatransfersOf(gpu->pci.attribute("link_speed")));
            node.lanes = std::min(node.lanes, wholeNumber(gpu->pci.attribute("link_width"), 64).value_or(0));
            node.isXgmi = node.isXgmi || gpu->isXgmi;
            if (deviceId(gpu->pci) != node.device)
                node.device.clear();
            if (gpu->compute != node.compute)
                node.compute.clear();
        }
        if (!stated)
            return; // of links between devices nothing is said
        takeLinks(gpus, node);
    }

    /// Links to switches (class 0x068000) are shared by all that have any; those to processors (0x068001) join no GPUs.
    static void takeLinks(const std::vector<const Device*>& gpus, DescribedNode& node)
    {
        LinkMatrix direct(gpus.size(), std::vector<int>(gpus.size()));
        std::vector<int> toSwitches(gpus.size());
        for (std::size_t i = 0; i < gpus.size(); ++i)
            for (const LinkOf& link : gpus[i]->links) {
                const auto peer = std::ranges::find_if(
                    gpus, [&](const Device* gpu) { return gpu->pci.attribute("busid") == link.target; });
                if (peer != gpus.end())
                    direct[i][std::size_t(peer - gpus.begin())] += link.count;
                else if (link.targetClass.starts_with("0x068000"))
                    toSwitches[i] += link.count;
                node.spansNodes = node.spansNodes || link.target.starts_with("fffffff:ff");
            }
        LinkMatrix switched(gpus.size(), std::vector<int>(gpus.size()));
        for (std::size_t i = 0; i < gpus.size(); ++i)
            for (std::size_t k = 0; k < gpus.size(); ++k) {
                direct[i][k] = direct[k][i] = std::max(direct[i][k], direct[k][i]);
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
    std::vector<std::string> m_hosts;
    int m_host = 0;
    int m_gpus = 0;
    std::set<std::pair<int, std::string>> m_buses;
    std::set<std::string> m_unknown;
};

} // namespace

tl::expected<DescribedNodes, Fault> readNcclXml(std::string_view text)
{
    return TopologyReader().read(text);
}

} // namespace stratoplan::wiring
