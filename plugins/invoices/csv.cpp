#include "csv.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

// The shortest decimal that is the same number, without an exponent: 1250, 890.5.
std::string decimal(double amount) {
  char digits[512];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, amount, std::chars_format::fixed).ptr;
  return std::string(digits, end);
}

std::string text_field(std::string text, bool guard_formulas) {
  constexpr std::string_view formula_starts = "=+-@\t\r";
  if (guard_formulas && !text.empty() &&
      formula_starts.find(text.front()) != std::string_view::npos) {
    text.insert(0, 1, '\'');
  }
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category());
}

// Of no file that is there. A killed worker may leave a file, and a process id comes again: in a
// container with each start.
std::string passing_name() {
  unsigned long long random = 0;
  char name[48];
  if (::getrandom(&random, sizeof random, 0) != sizeof random) fail();
  std::snprintf(name, sizeof name, ".toolpost-%016llx.part", random);
  return name;
}

// Until then, a power cut may take the new name of a file.
void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // granted for writing alone: the file itself is on disk
  ::fsync(fd);
  ::close(fd);
}

// A file under a passing name; gone unless it was given its real one.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) fail();
  }
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
      if (count >= 0) {
        bytes.remove_prefix(static_cast<size_t>(count));
      } else if (errno != EINTR) {
        fail();
      }
    }
  }

  // On disk under its real name, or not at all.
  void publish(const std::string& path) {
    // The folder is a shared one; a worker's umask would keep the file to itself.
    if (::fchmod(fd_, 0644) != 0) fail();
    if (::fsync(fd_) != 0) fail();
    if (::rename(path_.c_str(), path.c_str()) != 0) fail();
    path_.clear();
  }

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace

std::string to_csv(const std::vector<Row>& rows, bool guard_formulas) {
  std::string csv = "date,amount,vendor\r\n";
  for (const Row& row : rows) {
    csv += text_field(row.date.value_or(""), guard_formulas) + ',';
    if (row.amount) csv += decimal(*row.amount);
    csv += ',' + text_field(row.vendor.value_or(""), guard_formulas) + "\r\n";
  }
  return csv;
}

void write_whole(const std::string& folder, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(folder);
  TemporaryFile file(folder + "/" + passing_name());
  file.write(bytes);
  file.publish(folder + "/" + name);
  sync_folder(folder);
}
