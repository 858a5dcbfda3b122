// Replaces large blobs of a result by links to files of the caller. The client downloads them by a
// signed URL, so they do not pass through the model. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>

#include "file/files.h"
#include "tool/call/call.h"
#include "tool/call/result.h"

namespace host::router {

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

 private:
  const std::shared_ptr<file::Files> files_;
  const std::uint64_t inline_bytes_;
};

}  // namespace host::router
