// The attachments step of the call pipeline removes `attachments` from the arguments and gives the
// files to the plugin. The attachments step does nothing if the tool itself declares an argument
// `attachments`. This header also declares the pipeline step that turns large parts of a result
// into files. The functions of this header are called on the I/O thread.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "file/files.h"
#include "json/json.h"
#include "tool/call/call.h"
#include "tool/call/route.h"

namespace host::router {

class AttachmentStep {
 public:
  // `files` is null if there is no store. `most` is the greatest number of attachments that one
  // call can have.
  AttachmentStep(std::shared_ptr<file::Files> files, std::uint32_t most)
      : files_(std::move(files)), most_(most) {}

  // Moves the ids, names and types of the attachments to the call's passport. If the attachments
  // have a fault, take() returns an error result that names the fault, and otherwise nullopt.
  // take() does not look up the files, because resolve() does this later. So a repeated call with
  // an idempotency key gets its result even if the files of the call have expired.
  std::optional<tool::CallResult> take(tool::Call& call, const tool::Route& route) const;
  // Returns true if the call has attachments whose uploaded files are not yet found: call resolve()
  // then.
  static bool has_unresolved(const tool::Call& call);
  // Finds the uploaded files that the call's attachments name.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> resolve(tool::Call& call) const;
  // Returns true if the call has attachments whose files open() must open. Uploaded files are open
  // only while the call runs.
  static bool has_closed(const tool::Call& call);
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> open(tool::Call& call) const;
  // Closes the uploaded files that open() has opened, by removing them from the call's passport.
  static void close(tool::Call& call);

 private:
  const std::shared_ptr<file::Files> files_;
  const std::uint32_t most_;
};

// Replaces large blobs in a result by links to files that the caller owns. The client downloads
// these files by a signed URL, so the model does not get their contents.
class ResultFiles {
 public:
  // `files` is null if the host leaves all blobs in results. `inline_bytes` is the size of the
  // largest blob that stays in a result.
  ResultFiles(std::shared_ptr<file::Files> files, std::uint64_t inline_bytes)
      : files_(std::move(files)), inline_bytes_(inline_bytes) {}

  // If may_link() returns false, link() would not change `result`. may_link() parses no JSON.
  bool may_link(const tool::Call& call, const tool::CallResult& result) const;
  // Stores each larger image, audio and embedded blob as a file of the call's principal, and puts a
  // resource_link in its place. A blob stays in the result if clients cannot reach this host, if a
  // plugin made the call, or if the file cannot be stored. The log gives the reason if the file
  // cannot be stored.
  boost::asio::awaitable<tool::CallResult> link(const tool::Call& call,
                                                tool::CallResult result) const;
  // Gives a new URL to each link that link() has put into the result of an earlier call. If the
  // file no longer exists, the function replaces the link by a text that says so.
  boost::asio::awaitable<tool::CallResult> renew(const tool::Call& call,
                                                 tool::CallResult result) const;

 private:
  boost::asio::awaitable<void> renew_block(const tool::Call& call, json::Document& tree,
                                           json::Value& block) const;

  const std::shared_ptr<file::Files> files_;
  const std::uint64_t inline_bytes_;
};

}  // namespace host::router
