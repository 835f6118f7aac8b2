// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/window_program.h"

#include "app/cli/output.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" char** environ; // NOLINT: as POSIX has it

namespace stratoplan::cli {
namespace {

constexpr const char* kName = "stratoplan";
constexpr const char* kPlatform = "QT_QPA_PLATFORM=";

bool isProgram(const std::filesystem::path& path)
{
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// This environment, for a program without a display.
std::vector<std::string> environmentWithoutDisplay()
{
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::strncmp(*variable, kPlatform, std::strlen(kPlatform)) != 0)
            variables.emplace_back(*variable);
    variables.push_back(std::string(kPlatform) + "offscreen");
    return variables;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

void writeAll(int descriptor, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            return; // it has ended, and its exit code says why
        text.remove_prefix(written > 0 ? std::size_t(written) : 0);
    }
}

int exitCodeOf(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return kBug;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status) == SIGINT ? int(kStopped) : int(kBug);
}

} // namespace

std::string windowProgram()
{
    std::error_code error;
    const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / kName;
    if (!error && isProgram(beside))
        return beside.string();
    const char* const path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        if (const auto found = std::filesystem::path(folder) / kName; !folder.empty() && isProgram(found))
            return found.string();
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    }
    return {};
}

int writeReportByWindow(const std::string& program, const std::string& file, const std::string& plan)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return kBug;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO); // the answer is this program's
    std::vector<std::string> words{program, "--report", file, "-"}, variables = environmentWithoutDisplay();
    const std::vector<char*> arguments = pointersTo(words), environment = pointersTo(variables);
    pid_t child = 0;
    const int fault = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    if (fault == 0)
        writeAll(ends[1], plan);
    ::close(ends[1]);
    return fault == 0 ? exitCodeOf(child) : int(kBug);
}

} // namespace stratoplan::cli
