#include "plugin/file/origin_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/text/letters.h"
#include "base/text/visible.h"
#include "base/unique_fd.h"
#include "plugin/file/mapped_file.h"

namespace host::plugin {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostOriginBytes = 64u << 10u;
constexpr std::size_t kHashDigits = 64;

Error refused(std::string why) {
  return Error{ErrorKind::PluginFault, std::move(why)};
}

Error invalid(std::size_t line, std::string_view why) {
  return Error{ErrorKind::InvalidArgument,
               "line " + std::to_string(line) + ": " + std::string(why)};
}

bool is_hash(std::string_view text) {
  const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), digit);
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Nothing: there is no such file.
Result<std::optional<std::string>> small_file(const fs::path& path) {
  const std::string name = path.filename().string();
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && errno == ENOENT) return std::optional<std::string>();
  if (!file) return refused(name + " cannot be opened: " + std::strerror(errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return refused(name + " is not a regular file");
  std::string text(kMostOriginBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refused(name + " cannot be read: " + std::strerror(errno));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > kMostOriginBytes) return refused(name + " is longer than 64 KiB");
  text.resize(size);
  return std::optional(std::move(text));
}

Result<void> check_checksum(const fs::path& library, std::string_view hash) {
  const fs::path path = checksum_of(library);
  HOST_TRY_ASSIGN(const std::optional<std::string> text, small_file(path));
  if (!text) return {};
  const std::string name = path.filename().string();
  const auto published = published_sha256(*text, library.filename().string());
  if (!published) return refused(name + ": " + published.error().message);
  if (*published == hash) return {};
  return refused("does not match " + name + ": the file has the SHA-256 " + std::string(hash) +
                 ", expected " + *published);
}

std::string listed(const Signers& signers) {
  std::string ids;
  for (const MinisignKey& key : signers.keys) ids += (ids.empty() ? "" : ", ") + to_string(key.id);
  return ids;
}

// What minisign's default comment names: without it one signed library could be installed as
// another. None, or as many as there are fields like "file:NAME" between tabs; all must name it.
Result<void> check_signed_name(std::string_view comment, std::string_view name,
                               const std::string& signature) {
  constexpr std::string_view kField = "file:";
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\t'), comment.size());
    const std::string_view field = comment.substr(0, end);
    comment.remove_prefix(std::min(end + 1, comment.size()));
    if (!field.starts_with(kField) || field.substr(kField.size()) == name) continue;
    return refused(signature + " was made for the file \"" + marked(field.substr(kField.size())) +
                   "\": install the library under that name, or sign " + std::string(name));
  }
  return {};
}

Result<void> check_signature(const fs::path& library, int copy, const Signers& signers) {
  const fs::path path = signature_of(library);
  const std::string name = path.filename().string();
  HOST_TRY_ASSIGN(const std::optional<std::string> text, small_file(path));
  if (!text) {
    return refused("is not signed: plugins.require_signature is set, and there is no " + name +
                   ": sign it with minisign");
  }
  const auto signature = read_minisign_signature(*text);
  if (!signature) return refused(name + ": " + signature.error().message);
  const auto key = std::find_if(signers.keys.begin(), signers.keys.end(),
                                [&](const MinisignKey& each) { return each.id == signature->key; });
  if (key == signers.keys.end()) {
    return refused("is signed by the key " + to_string(signature->key) +
                   ", which plugins.require_signature does not list: it lists " + listed(signers));
  }
  const auto bytes = MappedFile::of(copy);
  if (!is_signed_by(*key, *signature, bytes ? bytes->bytes() : std::string_view()))
    return refused("was changed after it was signed, or " + name + " is of another file");
  if (!vouches_for_comment(*key, *signature))
    return refused(name + ": the trusted comment was changed after it was signed");
  return check_signed_name(signature->trusted_comment, library.filename().string(), name);
}

}  // namespace

Result<Signers> Signers::of(const std::vector<std::string>& keys) {
  Signers signers;
  for (const std::string& text : keys) {
    const auto key = read_minisign_key(text);
    if (!key) return refused("a key of plugins.require_signature " + key.error().message);
    signers.keys.push_back(*key);
  }
  return signers;
}

fs::path checksum_of(const fs::path& library) {
  return fs::path(library) += ".sha256";
}

fs::path signature_of(const fs::path& library) {
  return fs::path(library) += ".minisig";
}

Result<void> check_origin(const fs::path& library, int copy, std::string_view hash,
                          const Signers& signers) {
  HOST_TRY(check_checksum(library, hash));
  if (signers.keys.empty()) return {};
  return check_signature(library, copy, signers);
}

Result<std::string> published_sha256(std::string_view text, std::string_view name) {
  std::string found;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    // "HASH  NAME", or "HASH *NAME" where it was read as binary.
    const std::string hash = lower(line.substr(0, kHashDigits));
    const std::string_view rest = line.substr(std::min(kHashDigits, line.size()));
    const bool shaped =
        is_hash(hash) && rest.size() > 2 && rest[0] == ' ' && (rest[1] == ' ' || rest[1] == '*');
    if (!shaped) return invalid(number, "expected a SHA-256, two spaces and a file's name");
    if (file_name(rest.substr(2)) != name) continue;
    if (!found.empty() && found != hash) return invalid(number, "differs from a line before it");
    found = hash;
  }
  if (!found.empty()) return found;
  return Error{ErrorKind::InvalidArgument, "no line names " + marked(name)};
}

}  // namespace host::plugin
