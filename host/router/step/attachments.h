// The attachments step of the call pipeline: it removes `attachments` from the arguments, unless
// the tool declares an argument with that name. The files that `attachments` names are passed to
// the tool's plugin. I/O thread only.
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

}  // namespace host::router
