// A CallContext contains the values, entries and files that a caller sent with the call. Plugins
// and reviewers can see the CallContext of a call. The model cannot see it, and no tool schema
// mentions it. To send a context with an agent's call, a client needs a credential that may act as
// this agent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace host::tool {

// An Attachment is a file that a caller sent with a call. The host keeps the file open, so a later
// change of the file's path has no effect.
struct Attachment {
  std::string id;            // the id by which the plugin names the file; unique within the call
  std::string name;          // the sender chose this name
  std::string content_type;  // the sender chose this type
  std::uint64_t bytes = 0;   // the file's size when it was sent
  // `file` is null while the file is not open: the host opens an uploaded file when the call runs.
  // Before the host looks an uploaded file up, it knows only the id, and the name and type that the
  // caller sent.
  std::shared_ptr<const UniqueFd> file;
  std::string sha256 = {};  // SHA-256 of the contents in hex; empty: the host did not receive them
  // `url` is a signed URL from which a client can download the file. `url` is empty if the host did
  // not receive the file, or has no address for clients.
  std::string url = {};

  bool operator==(const Attachment&) const = default;
};

struct CallContext {
  std::map<std::string, std::string, std::less<>> values;   // plain texts by name
  std::map<std::string, std::string, std::less<>> entries;  // JSON texts by the type of the entry
  std::vector<Attachment> attachments;                      // the files, which stay in the host

  bool operator==(const CallContext&) const = default;
};

// A SentContext is the context that a client sent with a single call, without the context of the
// call's session and the additions of interceptors. A SentContext is null if the client sent no
// context.
using SentContext = std::shared_ptr<const CallContext>;

}  // namespace host::tool
