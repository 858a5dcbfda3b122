// Values, entries and files that were sent with a call. Only the plugin sees them. The model never
// sees them, and no schema contains them. Only front ends that are trusted to speak for an agent
// set them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace host::tool {

// A file. The host keeps it open, so a later change of its path has no effect.
struct Attachment {
  std::string id;            // the plugin requests the file by it; unique within the call
  std::string name;          // given by the sender
  std::string content_type;  // given by the sender
  std::uint64_t bytes = 0;   // the size when it was sent
  // Null: so far only the id is known, and the name and type if the caller sent them.
  std::shared_ptr<const UniqueFd> file;
  std::string sha256 = {};  // of the contents, in hex; empty: the host did not receive them
  // A signed URL to download the file. Empty: the host did not receive the file, or has no address
  // for clients.
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
