// Seals the secrets in a store. The keys are not in the store, so a copy of the database alone does
// not reveal the secrets. A key file has one key on each line: 32 bytes in base64. The first key
// seals new secrets, and the other keys open secrets that were sealed earlier.
//
// systemd can provide the key file $CREDENTIALS_DIRECTORY/toolpost.key
// (LoadCredential=toolpost.key:...). The key file toolpost.db.key is next to the database. If there
// is no key yet, the host creates this file (mode 0600) when it seals the first secret.
//
// If both files exist, the host reads both. Only one thread at a time may call the functions of
// SecretBox.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seal.h"

namespace host::store {

class SecretBox {
 public:
  explicit SecretBox(std::filesystem::path database) : database_(std::move(database)) {}
  ~SecretBox();
  SecretBox(const SecretBox&) = delete;
  SecretBox& operator=(const SecretBox&) = delete;

  struct Sealed {
    std::string key;  // the id of the key, derived from the key itself
    std::string bytes;
  };
  // Seals a secret. seal() makes the key file if there is none. unseal() needs the same `about` as
  // seal().
  Result<Sealed> seal(std::string_view secret, std::string_view about);
  // Opens a sealed secret. An Error names the key file that is missing, wrong, or accessible to
  // other users.
  Result<std::string> unseal(const Sealed& sealed, std::string_view about);
  // Returns the id of the key that seals secrets now. The returned id is empty if there is no key
  // file yet.
  Result<std::string> current();

 private:
  struct Key {
    std::string id;
    SealKey bytes;
  };

  Result<const Key*> find(const std::string& id);
  Result<void> read();
  Result<void> read_file(const std::filesystem::path& file, bool given_by_system);
  Result<void> take_line(std::string_view line, const std::filesystem::path& file);
  Result<void> make();
  void forget();
  std::filesystem::path file() const { return database_.string() + ".key"; }

  const std::filesystem::path database_;
  std::vector<Key> keys_;
};

}  // namespace host::store
