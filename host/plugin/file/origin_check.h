// Checks that a library is the published file. The check uses two files next to the library,
// NAME.so.sha256 (made by sha256sum) and NAME.so.minisig (made by minisign). The host checks its
// private copy of the library before any other code reads the bytes of the copy. The functions of
// this header block, and any thread can call them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/minisign.h"
#include "base/result.h"

namespace host::plugin {

// The public keys of the signers that the operator accepts. If there are no public keys, the host
// does not check signatures of libraries.
struct Signers {
  std::vector<MinisignKey> keys;

  // The Error PluginFault means that one of `keys` is not a valid public key.
  static Result<Signers> of(const std::vector<std::string>& keys);
};

std::filesystem::path checksum_of(const std::filesystem::path& library);
std::filesystem::path signature_of(const std::filesystem::path& library);

// `copy` is a file descriptor for reading the private copy, and `hash` is the copy's SHA-256. The
// Error PluginFault means that the copy differs from the published file, or that a required valid
// signature is missing.
Result<void> check_origin(const std::filesystem::path& library, int copy, std::string_view hash,
                          const Signers& signers);

// Returns the SHA-256 of the file `name` in lower-case hex. `text` is the output of sha256sum. The
// Error InvalidArgument means that a line is malformed, that no line is for the file, or that two
// lines for the file have different digests.
Result<std::string> published_sha256(std::string_view text, std::string_view name);

}  // namespace host::plugin
