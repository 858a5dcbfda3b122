// Whether a library is the one that its maker published, by what lies next to it: NAME.so.sha256,
// as sha256sum writes it, and NAME.so.minisig, as minisign writes it. Both are checked against the
// private copy, before anything else looks at its bytes. Blocking; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/minisign.h"
#include "base/result.h"

namespace host::plugin {

// Who may sign. No keys: signatures are not looked at.
struct Signers {
  std::vector<MinisignKey> keys;

  // PluginFault: a text is no key.
  static Result<Signers> of(const std::vector<std::string>& keys);
};

std::filesystem::path checksum_of(const std::filesystem::path& library);
std::filesystem::path signature_of(const std::filesystem::path& library);

// `copy` is open to be read and has the SHA-256 `hash`. PluginFault: it is not what was published,
// or nobody vouches for it who must.
Result<void> check_origin(const std::filesystem::path& library, int copy, std::string_view hash,
                          const Signers& signers);

// What a file of sha256sum says of the file `name`: its SHA-256, in small letters. InvalidArgument:
// a line is malformed, none names the file, or two differ.
Result<std::string> published_sha256(std::string_view text, std::string_view name);

}  // namespace host::plugin
