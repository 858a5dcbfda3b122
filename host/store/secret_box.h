// Seals the secrets that a store has to keep, with keys that are not in it: a copy of the database
// alone opens nothing. The keys are lines of base64, 32 bytes each, the one that seals first, the
// others for what was sealed before:
//
//   $CREDENTIALS_DIRECTORY/toolpost.key   where systemd gives one (LoadCredential=toolpost.key:...)
//   toolpost.db.key                       beside the database; made (0600) with the first secret
//
// Both are read where both are there. One thread at a time.
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
    std::string key;  // the id of the key, made of the key itself
    std::string bytes;
  };
  // Makes the key file where there is none.
  Result<Sealed> seal(std::string_view secret, std::string_view about);
  // An error names the key file that is missing, wrong, or open to others.
  Result<std::string> unseal(const Sealed& sealed, std::string_view about);
  // Which key seals now; empty: none is there yet.
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
