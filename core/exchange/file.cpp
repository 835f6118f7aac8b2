// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/json_text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace stratoplan {

namespace {

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) { }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }
    /// False if the system could not keep what was written.
    bool close()
    {
        const int fd = std::exchange(m_fd, -1);
        return fd < 0 || ::close(fd) == 0;
    }

private:
    int m_fd;
};

DocumentError failure(DocumentError::Code code, const std::filesystem::path& path, int error, std::string expected)
{
    return {code, path.string(), {}, std::string("\"") + std::strerror(error) + '"', std::move(expected)};
}

bool writeAll(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// A name beside `path` that no other save uses.
std::filesystem::path temporaryBeside(const std::filesystem::path& path)
{
    static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    std::uniform_int_distribution<std::size_t> letter(0, sizeof kLetters - 2);
    std::string name = ".";
    name += path.filename().string().substr(0, 200) + '.';
    for (int i = 0; i < 10; ++i)
        name += kLetters[letter(random)];
    return path.parent_path() / (name + ".tmp");
}

/// Writes and syncs the temporary file; false with errno set.
bool fill(const std::filesystem::path& temporary, std::string_view text, std::optional<mode_t> mode)
{
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.isOpen())
        return false;
    if (mode && ::fchmod(file.get(), *mode) != 0)
        return false;
    return writeAll(file.get(), text) && ::fsync(file.get()) == 0 && file.close();
}

} // namespace

tl::expected<std::string, DocumentError> readDescriptor(int descriptor, const std::string& name)
{
    const auto fail = [&](int error) { return tl::unexpected(failure(DocumentError::Code::Unreadable, name, error, "a readable file")); };
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 18);
    while (true) {
        const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
        if (n == 0)
            return text;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(errno);
        text.append(buffer.data(), static_cast<std::size_t>(n));
        if (text.size() > kMaxJsonBytes)
            return fail(EFBIG);
    }
}

tl::expected<std::string, DocumentError> readFile(const std::filesystem::path& path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.isOpen())
        return tl::unexpected(failure(DocumentError::Code::Unreadable, path, errno, "a readable file"));
    return readDescriptor(file.get(), path.string());
}

tl::expected<void, DocumentError> writeFileAtomically(const std::filesystem::path& path, std::string_view text)
{
    const auto fail = [&](int error) { return tl::unexpected(failure(DocumentError::Code::Unwritable, path, error, "a place that can be written")); };
    std::error_code ignored;
    std::filesystem::path target = path;
    struct stat existing {};
    const bool exists = ::stat(path.c_str(), &existing) == 0;
    if (exists && !S_ISREG(existing.st_mode)) {
        const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        return file.isOpen() && writeAll(file.get(), text) ? tl::expected<void, DocumentError>{} : fail(errno);
    }
    if (exists && ::access(path.c_str(), W_OK) != 0)
        return fail(errno); // a rename would overwrite a file that its owner has protected
    if (std::filesystem::is_symlink(path, ignored)) {
        target = std::filesystem::weakly_canonical(path, ignored);
        if (target.empty())
            return fail(ELOOP);
    }
    const std::filesystem::path temporary = temporaryBeside(target);
    if (!fill(temporary, text, exists ? std::optional<mode_t>(existing.st_mode & 07777) : std::nullopt)
        || ::rename(temporary.c_str(), target.c_str()) != 0) {
        const int error = errno;
        ::unlink(temporary.c_str());
        return fail(error);
    }
    // The rename itself must survive a power cut; a file system that cannot sync a folder has done what it can.
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
    const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.isOpen())
        ::fsync(directory.get());
    return {};
}

} // namespace stratoplan
