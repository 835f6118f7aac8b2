// SPDX-License-Identifier: GPL-3.0-or-later
// Synthetic profiles for tests: what a profiler would write of events whose times are known.
#pragma once

#include "core/audit/profile.h"

#include <sstream>
#include <string>
#include <vector>

namespace stratoplan::traces {

inline const std::string kGemm = "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NTN";
inline const std::string kFlashForward = "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64>>";
inline const std::string kFlashBackward = "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<128>";
inline const std::string kNorm = "void at::native::vectorized_elementwise_kernel<4, at::native::{lambda(float)#1}>";
inline const std::string kAdam = "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>";
inline const std::string kAllReduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
inline const std::string kReduceScatter = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgs)";
inline const std::string kSendRecv = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";

/// One event in microseconds, with further arguments as JSON members.
struct Event {
    std::string category, name;
    double start = 0, duration = 0;
    int stream = 7;
    std::string more = {};
    int device = 0;
};

inline std::string eventText(const Event& event)
{
    std::ostringstream text;
    text.precision(17);
    text << R"({"ph":"X","cat":")" << event.category << R"(","name":")" << event.name << R"(","pid":0,"tid":)"
         << event.stream << R"(,"ts":)" << event.start << R"(,"dur":)" << event.duration << R"(,"args":{"device":)"
         << event.device << R"(,"stream":)" << event.stream << event.more << "}}";
    return text.str();
}

inline std::string traceText(const std::vector<Event>& events, const std::string& head = {})
{
    std::string text =
        R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"H100"}],)" + head + R"("traceEvents":[)";
    for (std::size_t i = 0; i < events.size(); ++i)
        text += (i == 0 ? "\n" : ",\n") + eventText(events[i]);
    return text + "\n],\"traceName\":\"test\"}\n";
}

inline Event kernel(
    const std::string& name, double start, double duration, int stream = 7, const std::string& more = {})
{
    return {"kernel", name, start, duration, stream, more};
}

inline Event mark(int number, double start, double duration, bool onDevice = true)
{
    return {onDevice ? "gpu_user_annotation" : "user_annotation", "ProfilerStep#" + std::to_string(number), start,
        duration};
}

inline tl::expected<audit::Profile, audit::ProfileFault> read(const std::string& text)
{
    std::istringstream stream(text);
    return audit::readProfile(stream, "trace.json");
}

/// Of events that are known to be readable.
inline audit::Profile profileOf(const std::vector<Event>& events)
{
    return read(traceText(events)).value();
}

} // namespace stratoplan::traces
