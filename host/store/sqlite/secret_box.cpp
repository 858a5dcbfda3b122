#include "store/sqlite/secret_box.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/digest.h"
#include "base/process/private_folder.h"
#include "base/text/encoding.h"
#include "base/unique_fd.h"

namespace host::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCredential = "toolpost.key";
constexpr std::size_t kMostBytes = 64u << 10u;
constexpr std::size_t kIdBytes = 8;

// Empty: systemd gives none.
fs::path credential() {
  const char* const folder = std::getenv("CREDENTIALS_DIRECTORY");
  return folder && *folder ? fs::path(folder) / kCredential : fs::path();
}

Error key_error(const fs::path& file, const std::string& why) {
  return {ErrorKind::Denied, "the store's key file " + file.string() + why};
}

std::string id_of(const SealKey& key) {
  const Sha256 digest = sha256("toolpost key id\n" +
                               std::string(reinterpret_cast<const char*>(key.data()), key.size()));
  return to_hex(std::span(digest).first(kIdBytes));
}

std::string base64_line(const SealKey& key) {
  return base64(std::string_view(reinterpret_cast<const char*>(key.data()), key.size())) + "\n";
}

Result<void> write_whole(int fd, const std::string& text, const fs::path& file) {
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(fd) == 0;
  if (written) return {};
  return Error{ErrorKind::Io,
               "cannot write the store's key file " + file.string() + ": " + std::strerror(errno)};
}

}  // namespace

SecretBox::~SecretBox() {
  forget();
}

void SecretBox::forget() {
  for (Key& key : keys_) wipe(key.bytes);
  keys_.clear();
}

Result<SecretBox::Sealed> SecretBox::seal(std::string_view secret, std::string_view about) {
  HOST_TRY(read());
  if (keys_.empty()) HOST_TRY(make());
  return Sealed{keys_.front().id, host::seal(keys_.front().bytes, secret, about)};
}

Result<std::string> SecretBox::unseal(const Sealed& sealed, std::string_view about) {
  HOST_TRY_ASSIGN(const Key* const key, find(sealed.key));
  if (auto secret = host::unseal(key->bytes, sealed.bytes, about)) return *std::move(secret);
  return Error{ErrorKind::Denied, "a secret in " + database_.string() +
                                      " was changed by another program: put a copy of the database "
                                      "in its place"};
}

Result<std::string> SecretBox::current() {
  HOST_TRY(read());
  return keys_.empty() ? std::string() : keys_.front().id;
}

// Read again where it is not known: the file may have got a new key since.
Result<const SecretBox::Key*> SecretBox::find(const std::string& id) {
  const auto look = [this, &id] {
    return std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.id == id; });
  };
  if (look() == keys_.end()) HOST_TRY(read());
  const auto found = look();
  if (found != keys_.end()) return &*found;
  return key_error(file(), (keys_.empty() ? " is missing" : " does not have the key " + id) +
                               std::string(", without which the secrets in ") + database_.string() +
                               " cannot be read: put back the key file that belongs to it");
}

Result<void> SecretBox::read() {
  forget();
  if (const fs::path given = credential(); !given.empty()) HOST_TRY(read_file(given, true));
  return read_file(file(), false);
}

Result<void> SecretBox::read_file(const fs::path& file, bool given_by_system) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return {};
  if (!fd) return key_error(file, std::string(" cannot be read: ") + std::strerror(errno));
  if (!given_by_system) {  // systemd's folder has owners and modes of its own
    HOST_TRY_ASSIGN(const UniqueFd folder, open_private_folder(file.parent_path(), Make::No));
    HOST_TRY(check_private_file(folder.get(), file, Others::None));
  }
  std::string text(kMostBytes, '\0');
  const ssize_t count = ::read(fd.get(), text.data(), text.size());
  if (count < 0) return key_error(file, std::string(" cannot be read: ") + std::strerror(errno));
  text.resize(static_cast<std::size_t>(count));
  Result<void> taken;
  for (std::string_view left = text; !left.empty() && taken;) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    if (!line.empty()) taken = take_line(line, file);
  }
  wipe(text);
  if (taken && keys_.empty()) return key_error(file, " is empty: put a copy of it in its place");
  return taken;
}

Result<void> SecretBox::take_line(std::string_view line, const fs::path& file) {
  auto bytes = from_base64(line);
  Key key;
  if (!bytes || bytes->size() != key.bytes.size()) {
    if (bytes) wipe(*bytes);
    return key_error(file, " is not valid: each line must be 32 bytes in base64");
  }
  std::memcpy(key.bytes.data(), bytes->data(), key.bytes.size());
  wipe(*bytes);
  key.id = id_of(key.bytes);
  keys_.push_back(std::move(key));
  return {};
}

// Whole and on the disk before it gets its name, and never in the place of another: whoever comes
// second uses the first one's.
Result<void> SecretBox::make() {
  HOST_TRY_ASSIGN(const UniqueFd folder, open_private_folder(database_.parent_path(), Make::Yes));
  std::string fresh = file().string() + "-XXXXXX";
  const UniqueFd fd(::mkostemp(fresh.data(), O_CLOEXEC));
  if (!fd) return key_error(file(), std::string(" cannot be made: ") + std::strerror(errno));
  SealKey key;
  random_bytes(key);
  std::string line = base64_line(key);
  wipe(key);
  auto written = write_whole(fd.get(), line, file());
  wipe(line);
  const bool named = written && (::link(fresh.c_str(), file().c_str()) == 0 || errno == EEXIST);
  const int fault = errno;
  ::unlink(fresh.c_str());
  if (!written) return written;
  if (!named) return key_error(file(), std::string(" cannot be made: ") + std::strerror(fault));
  const UniqueFd opened(
      ::open(database_.parent_path().empty() ? "." : database_.parent_path().c_str(),
             O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0)
    return key_error(file(), std::string(" cannot be kept: ") + std::strerror(errno));
  return read();
}

}  // namespace host::store
