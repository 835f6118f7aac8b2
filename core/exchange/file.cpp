// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/json_text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace stratoplan::exchange {

namespace {

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
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
    return {code, path.string(), {},
        error == ENOENT && code == DocumentError::Code::Unreadable ? "No such file" : std::strerror(error),
        std::move(expected)};
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

DocumentError unwritable(const std::filesystem::path& path, int error)
{
    return failure(DocumentError::Code::Unwritable, path, error, "a place that can be written");
}

/// Where a text for `path` goes.
struct Destination {
    std::filesystem::path target; ///< the end of its symbolic links
    std::optional<mode_t> mode; ///< of the file that stands there
    bool inPlace = false; ///< no regular file: a pipe, /dev/stdout
};

/// The error is a number of errno.
tl::expected<Destination, int> destinationOf(const std::filesystem::path& path)
{
    struct stat existing { };
    const bool exists = ::stat(path.c_str(), &existing) == 0;
    if (!exists && errno != ENOENT)
        return tl::unexpected(errno);
    if (exists && S_ISDIR(existing.st_mode))
        return tl::unexpected(EISDIR);
    if (exists && ::access(path.c_str(), W_OK) != 0)
        return tl::unexpected(errno); // a rename would overwrite a file that its owner has protected
    if (exists && !S_ISREG(existing.st_mode))
        return Destination{path, {}, true};
    Destination result{path, exists ? std::optional<mode_t>(existing.st_mode & 07777) : std::nullopt, false};
    std::error_code ignored;
    if (std::filesystem::is_symlink(path, ignored)) {
        result.target = std::filesystem::weakly_canonical(path, ignored);
        if (result.target.empty())
            return tl::unexpected(ELOOP);
    }
    return result;
}

} // namespace

tl::expected<std::string, DocumentError> readDescriptor(int descriptor, const std::string& name)
{
    const auto fail = [&](int error) {
        return tl::unexpected(failure(DocumentError::Code::Unreadable, name, error, std::string(kReadable)));
    };
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
        return tl::unexpected(failure(DocumentError::Code::Unreadable, path, errno, std::string(kReadable)));
    return readDescriptor(file.get(), path.string());
}

tl::expected<void, DocumentError> checkWritable(const std::filesystem::path& path)
{
    const auto destination = destinationOf(path);
    if (!destination)
        return tl::unexpected(unwritable(path, destination.error()));
    if (destination->inPlace)
        return {};
    // Only the attempt tells: a read-only file system or a full one has permissions like any other.
    const std::filesystem::path temporary = temporaryBeside(destination->target);
    if (!fill(temporary, {}, destination->mode)) {
        const int error = errno;
        ::unlink(temporary.c_str());
        return tl::unexpected(unwritable(path, error));
    }
    ::unlink(temporary.c_str());
    return {};
}

tl::expected<void, DocumentError> writeFileAtomically(const std::filesystem::path& path, std::string_view text)
{
    const auto fail = [&](int error) { return tl::unexpected(unwritable(path, error)); };
    const auto destination = destinationOf(path);
    if (!destination)
        return fail(destination.error());
    if (destination->inPlace) {
        const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        return file.isOpen() && writeAll(file.get(), text) ? tl::expected<void, DocumentError>{} : fail(errno);
    }
    const std::filesystem::path& target = destination->target;
    const std::filesystem::path temporary = temporaryBeside(target);
    if (!fill(temporary, text, destination->mode) || ::rename(temporary.c_str(), target.c_str()) != 0) {
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

} // namespace stratoplan::exchange
