#include "text_file.h"

#include <cerrno>
#include <cstdint>

#include <fcntl.h>

#include <toolpost/toolpost.hpp>

#include "roots/utf8.h"

namespace {

[[noreturn]] void fail(const std::string& message) {
  throw toolpost::Error(message);
}

[[noreturn]] void refuse(const Roots& roots, const Place& place, int error) {
  throw Unreadable(roots.explain(place, error), error);
}

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder: list_files shows what is in it";
  if (S_ISFIFO(mode)) return "a pipe, no file";
  if (S_ISSOCK(mode)) return "a socket, no file";
  return "a device, no file";
}

struct stat look_at(int fd, const Place& place) {
  struct stat about {};
  if (::fstat(fd, &about) != 0) {
    const int error = errno;
    throw Unreadable(place.path() + ": " + reason(error), error);
  }
  if (!S_ISREG(about.st_mode)) fail(place.path() + " is " + kind_of(about.st_mode));
  return about;
}

}  // namespace

TextFile read_whole(const Roots& roots, const Place& place, std::size_t most) {
  // Looked at before it is opened: to open a device can already do something.
  const Fd path = roots.open(place, O_PATH);
  if (!path) refuse(roots, place, errno);
  look_at(path.get(), place);
  const Fd fd = roots.open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) refuse(roots, place, errno);

  TextFile file;
  file.about = look_at(fd.get(), place);
  const auto too_large = [&](std::size_t size) {
    fail(place.path() + " has " + (size > most ? std::to_string(size) : "too many") +
         " bytes; files of at most " + std::to_string(most) +
         " are opened (max_file_bytes): search_files finds lines in it only if it is smaller");
  };
  if (static_cast<std::uint64_t>(file.about.st_size) > most)
    too_large(static_cast<std::size_t>(file.about.st_size));
  // One byte more than is allowed: the file may grow while it is read, and /proc tells no sizes.
  file.bytes.resize(static_cast<std::size_t>(file.about.st_size) + 1);
  std::size_t size = 0;
  for (;;) {
    if (size == file.bytes.size()) file.bytes.resize(std::min(most + 1, size * 2));
    const ssize_t count = ::read(fd.get(), file.bytes.data() + size, file.bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      throw Unreadable(place.path() + ": " + reason(error), error);
    }
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > most) too_large(size);
  }
  file.bytes.resize(size);
  return file;
}

void check_text(const Place& place, std::string_view bytes) {
  const std::size_t zero = bytes.find('\0');
  if (zero != bytes.npos)
    fail(place.path() + " is a binary file of " + std::to_string(bytes.size()) +
         " bytes: it has a NUL byte at " + std::to_string(zero));
  const std::size_t valid = toolpost::valid_utf8(bytes);
  if (valid < bytes.size())
    fail(place.path() + " is no UTF-8 text: byte " + std::to_string(valid) + " of " +
         std::to_string(bytes.size()) + " is none of a character");
}

void check_new_size(std::size_t size, std::size_t most) {
  if (size > most)
    throw toolpost::Error("the file would have " + std::to_string(size) + " bytes; at most " +
                          std::to_string(most) + " (max_file_bytes)");
}

std::string_view image_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.starts_with("RIFF") && bytes.size() > 12 && bytes.substr(8, 4) == "WEBP")
    return "image/webp";
  return {};
}

std::string version_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  constexpr char hex[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += hex[hash >> shift & 15];
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}
