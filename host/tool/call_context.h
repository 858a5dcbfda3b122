// Values, entries and files that were sent with a call. Only the plugin sees them; the model never
// does, and they are in no schema. Only front ends that are trusted to speak for an agent set them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace host::tool {

// A file, kept open. So it does not matter what its path refers to later.
struct Attachment {
  std::string id;            // the plugin requests the file by it; unique within the call
  std::string name;          // given by the sender
  std::string content_type;  // given by the sender
  std::uint64_t bytes = 0;   // when it was sent
  // Null: only the id is known so far, and the name and type if the caller gave them.
  std::shared_ptr<const UniqueFd> file;
  std::string sha256 = {};  // of the contents, in hex; empty: the host did not receive them
  // Signed, to download it. Empty: the host did not receive it, or has no address for clients.
  std::string url = {};

  bool operator==(const Attachment&) const = default;
};

struct CallContext {
  std::map<std::string, std::string, std::less<>> values;   // plain texts by name
  std::map<std::string, std::string, std::less<>> entries;  // JSON texts by the name of their type
  std::vector<Attachment> attachments;                      // these stay in the host

  bool operator==(const CallContext&) const = default;
};

}  // namespace host::tool
