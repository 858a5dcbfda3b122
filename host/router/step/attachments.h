// The attachments step of the call pipeline: takes `attachments` out of the arguments, unless the
// tool declares an argument with that name, and gives the files to the plugin. And the files that
// results become. I/O thread only.
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
  // `files`: null if there is no store. `most`: the most attachments of one call.
  AttachmentStep(std::shared_ptr<file::Files> files, std::uint32_t most)
      : files_(std::move(files)), most_(most) {}

  // Moves the ids, names and types to the call's passport. Returns an error result that names the
  // fault, otherwise nullopt. take() does not look the files up; resolve() does. So a repeated call
  // with an idempotency key gets its result even if its files have expired.
  std::optional<tool::CallResult> take(tool::Call& call, const tool::Route& route) const;
  // Finds and opens the files. For a call without attachments, resolve() does nothing.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> resolve(tool::Call& call) const;

 private:
  const std::shared_ptr<file::Files> files_;
  const std::uint32_t most_;
};

// Replaces large blobs of a result by links to files of the caller. The client downloads them by a
// signed URL, so they do not pass through the model.
class ResultFiles {
 public:
  // `files`: null if results stay as they are. `inline_bytes`: the size of the largest blob that
  // stays in a result.
  ResultFiles(std::shared_ptr<file::Files> files, std::uint64_t inline_bytes)
      : files_(std::move(files)), inline_bytes_(inline_bytes) {}

  // Stores each larger image, audio and embedded blob as a file of the call's principal, and puts a
  // resource_link in its place. A blob stays where it is if clients cannot reach this host, if a
  // plugin made the call, or if the file cannot be stored. The log has the reason.
  boost::asio::awaitable<tool::CallResult> link(const tool::Call& call,
                                                tool::CallResult result) const;
  // For the result of an earlier call: gives each link of link() a new URL. If the file is gone, a
  // text that says so takes the place of the link.
  boost::asio::awaitable<tool::CallResult> renew(const tool::Call& call,
                                                 tool::CallResult result) const;

 private:
  boost::asio::awaitable<void> renew_block(const tool::Call& call, json::Document& tree,
                                           json::Value& block) const;

  const std::shared_ptr<file::Files> files_;
  const std::uint64_t inline_bytes_;
};

}  // namespace host::router
