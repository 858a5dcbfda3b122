// attachments.hpp reads files that were sent with a call (tp.attachments/1).
//
//   std::string summarize(toolpost::Context& call) {
//     std::string text;
//     for (const toolpost::Attachment& file : call.attachments().list())
//       text += file.name + ": " + first_line(call.attachments().read(file)) + "\n";
//     return text;
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toolpost/detail/fields.hpp"
#include "toolpost/detail/reply.hpp"
#include "toolpost/ext/attachments.h"

namespace toolpost {
inline namespace v1 {

struct Attachment {
  std::string id;
  std::string name;          // the name that the sender gave: do not use it as a path
  std::string content_type;  // given by the sender
  std::uint64_t bytes;
  // For a file that a client uploaded, sha256 is the file's SHA-256 in hex, and url is a signed URL
  // to download the file. Anyone who has the signed URL can read the file until the URL expires.
  // `url` is absent if clients cannot reach this host.
  std::optional<std::string> sha256;
  std::optional<std::string> url;
  TOOLPOST_FIELDS(Attachment, TOOLPOST_FIELD(id), TOOLPOST_FIELD(name),
                  TOOLPOST_FIELD(content_type), TOOLPOST_FIELD(bytes), TOOLPOST_FIELD(sha256),
                  TOOLPOST_FIELD(url))
};

// An AttachmentFile is an open attachment, for reading. The destructor of AttachmentFile closes the
// file. An AttachmentFile can outlive the call and the Context that opened the file. Any thread can
// use an AttachmentFile, but only one thread at a time.
class AttachmentFile {
 public:
  // Takes the ownership of `descriptor`.
  explicit AttachmentFile(int descriptor) noexcept : descriptor_(descriptor) {}
  AttachmentFile(AttachmentFile&& other) noexcept : descriptor_(other.release()) {}
  AttachmentFile& operator=(AttachmentFile&& other) noexcept;
  AttachmentFile(const AttachmentFile&) = delete;
  AttachmentFile& operator=(const AttachmentFile&) = delete;
  ~AttachmentFile();

  // Returns -1 after release().
  int descriptor() const noexcept { return descriptor_; }
  // Returns the descriptor, which the caller must close.
  int release() noexcept;

 private:
  int descriptor_;
};

// An Attachments object can be copied cheaply. An Attachments object is valid as long as the
// Context that returned it. All functions of Attachments wait for the host. The functions of
// Attachments throw ServiceError, or Cancelled if the call has ended. Call the functions of
// Attachments on any thread that may wait.
class Attachments {
 public:
  static constexpr std::uint64_t kMostAtOnce = 64u << 20u;

  Attachments(const tp_attachments_api* api, tp_host* host, const tp_call* call)
      : api_(api), host_(host), call_(call) {}

  std::vector<Attachment> list() const;

  // Reads a piece of a file from `offset`, at most TP_ATTACHMENT_PIECE bytes. An empty result means
  // that the file ends at `offset`.
  std::string read(std::string_view id, std::uint64_t offset, std::uint32_t most) const;

  // Reads the whole file. Throws Error if the file is longer than `most` bytes.
  std::string read(const Attachment& file, std::uint64_t most = kMostAtOnce) const;

  // Opens a file, so that the plugin can read or map the file without copies through the host. A
  // call can open at most TP_ATTACHMENT_OPENS files. The opened descriptor has its own offset and
  // cannot be written to.
  AttachmentFile open(std::string_view id) const;
  AttachmentFile open(const Attachment& file) const { return open(file.id); }

 private:
  const tp_attachments_api* api_;
  tp_host* host_;
  const tp_call* call_;
};

}  // namespace v1
}  // namespace toolpost

#ifndef TOOLPOST_SDK_COMPILED
#include "toolpost/detail/attachments.ipp"
#endif
