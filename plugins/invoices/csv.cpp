#include "csv.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
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

// A file under a passing name; gone unless it was given its real one.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& folder) {
    static std::atomic<unsigned> count{0};
    // A worker that was killed may have left such a file, and had the same process number.
    do {
      path_ = folder + "/.toolpost-" + std::to_string(::getpid()) + "-" + std::to_string(++count) +
              ".part";
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd_ < 0 && errno == EEXIST);
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
  TemporaryFile file(folder);
  file.write(bytes);
  file.publish(folder + "/" + name);
}
