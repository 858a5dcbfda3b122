#include "file/upload.h"

#include <boost/asio/post.hpp>

#include <utility>

#include "base/on_executor.h"
#include "base/process/spawn.h"

namespace host::file {
namespace asio = boost::asio;
namespace {

using asio::awaitable;
using transport::HttpRefusal;

using Refusal = std::optional<HttpRefusal>;

HttpRefusal refusal_of(const Error& error) {
  if (error.kind == ErrorKind::Unavailable)
    return {transport::Problem::Unavailable, error.message, {}};
  return {transport::Problem::Internal, error.message, {}};
}

}  // namespace

Upload::Upload(Parts parts, std::string id, std::string sha256)
    : parts_(std::move(parts)), id_(std::move(id)), sha256_(std::move(sha256)) {}

// The file of an upload that ended early is removed. To free its space takes long if it is large,
// so the thread of the disk does that.
Upload::~Upload() {
  if (part_)
    asio::post(parts_.disk,
               [folder = parts_.folder, part = std::move(part_)]() mutable { part.reset(); });
  if (parts_.ended) parts_.ended();
}

void Upload::take(std::string piece, Done done) {
  const auto refused = std::make_shared<Refusal>();
  auto work = [self = shared_from_this(), refused,
               piece = std::make_shared<std::string>(std::move(piece))]() -> awaitable<void> {
    *refused = co_await self->write(std::move(*piece));
  };
  spawn(parts_.io, {"file", "stores a piece of an upload"}, std::move(work),
        [refused, done = std::move(done)](const Result<void>& ended) {
          if (!ended) *refused = refusal_of(ended.error());
          done(std::move(*refused));
        });
}

awaitable<Refusal> Upload::begin() {
  if (part_) co_return std::nullopt;
  auto refused = co_await parts_.refusal();
  if (refused) co_return refused;
  std::function<Result<std::shared_ptr<Part>>()> open =
      [folder = parts_.folder, id = id_]() -> Result<std::shared_ptr<Part>> {
    HOST_TRY_ASSIGN(std::unique_ptr<Part> made, folder->begin(id));
    return std::shared_ptr<Part>(std::move(made));
  };
  auto opened = co_await on_executor<Result<std::shared_ptr<Part>>>(parts_.disk, std::move(open));
  if (!opened) co_return refusal_of(opened.error());
  part_ = *std::move(opened);
  co_return std::nullopt;
}

awaitable<Refusal> Upload::write(std::string piece) {
  auto refused = co_await begin();
  if (refused) co_return refused;
  std::function<Result<void>()> write = [part = part_, piece = std::move(piece)] {
    return part->write(piece);
  };
  const auto written = co_await on_executor<Result<void>>(parts_.disk, std::move(write));
  if (!written) co_return refusal_of(written.error());
  co_return std::nullopt;
}

awaitable<Upload::Finished> Upload::finish() {
  auto refused = co_await begin();  // an empty file has no pieces
  if (refused) co_return *std::move(refused);
  auto stored = co_await store_it();
  if (stored && *stored) co_return **std::move(stored);
  std::function<int()> drop = [part = std::move(part_)]() mutable {
    part.reset();
    return 0;
  };
  co_await on_executor<int>(parts_.disk, std::move(drop));
  if (!stored) co_return stored.error();
  co_return HttpRefusal{transport::Problem::Conflict, "this file was uploaded already", {}};
}

awaitable<Result<std::optional<store::FileRecord>>> Upload::store_it() {
  std::function<Result<bool>()> finish = [part = part_, wanted = sha256_] {
    return part->finish(wanted);
  };
  const auto finished = co_await on_executor<Result<bool>>(parts_.disk, std::move(finish));
  if (!finished) co_return finished.error();
  if (!*finished) co_return std::nullopt;
  auto added = co_await parts_.add(*part_);
  if (added && *added) part_->keep();
  co_return added;
}

}  // namespace host::file
