// The attachments step of the call pipeline: takes `attachments` out of the arguments, unless the
// tool declares an argument with that name, and gives the files to the plugin. I/O thread only.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "file/files.h"
#include "tool/call/call.h"
#include "tool/call/route.h"

namespace host::router {

class AttachmentStep {
 public:
  // `files`: null if there is no store. `most`: the limit of attachments of one call.
  AttachmentStep(std::shared_ptr<file::Files> files, std::uint32_t most)
      : files_(std::move(files)), most_(most) {}

  // Moves the ids, names and types to the call's passport. Returns an error result that names the
  // fault, otherwise nullopt. The files are looked up by resolve(), so a repeated call with an
  // idempotency key gets its result even if its files have expired.
  std::optional<tool::CallResult> take(tool::Call& call, const tool::Route& route) const;
  // Finds and opens the files. Does nothing for a call without attachments.
  boost::asio::awaitable<Result<std::optional<tool::CallResult>>> resolve(tool::Call& call) const;

 private:
  const std::shared_ptr<file::Files> files_;
  const std::uint32_t most_;
};

}  // namespace host::router
