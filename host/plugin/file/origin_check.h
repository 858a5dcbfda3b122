// Checks that a library is the published file, with two files next to it: NAME.so.sha256, as
// sha256sum writes it, and NAME.so.minisig, as minisign writes it. Both are checked against the
// host's private copy of the library, before other code reads the bytes of the copy. Blocking; any
// thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/minisign.h"
#include "base/result.h"

namespace host::plugin {

// The public keys of accepted signers. No keys: signatures are not checked.
struct Signers {
  std::vector<MinisignKey> keys;

  // PluginFault: a text is not a valid key.
  static Result<Signers> of(const std::vector<std::string>& keys);
};

std::filesystem::path checksum_of(const std::filesystem::path& library);
std::filesystem::path signature_of(const std::filesystem::path& library);

// `copy`: a file descriptor, open for reading, of the private copy, whose SHA-256 is `hash`.
// PluginFault: the copy differs from the published file, or a required valid signature is missing.
Result<void> check_origin(const std::filesystem::path& library, int copy, std::string_view hash,
                          const Signers& signers);

// Returns the SHA-256 of the file `name`, in lower-case hex, from the text of a file that sha256sum
// wrote. InvalidArgument: a line is malformed, no line names the file, or two lines for it differ.
Result<std::string> published_sha256(std::string_view text, std::string_view name);

}  // namespace host::plugin
