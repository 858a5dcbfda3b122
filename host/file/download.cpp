#include "file/download.h"

#include <unistd.h>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace host::file {
namespace asio = boost::asio;
namespace {

constexpr std::uint64_t kPieceBytes = 128u << 10u;

Result<std::string> read_piece(int file, std::uint64_t at, std::uint64_t most) {
  std::string piece(static_cast<std::size_t>(most), '\0');
  ssize_t count = -1;
  do {
    count = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(at));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return Error{ErrorKind::Io, std::strerror(errno)};
  if (count == 0) return Error{ErrorKind::Io, "the file is shorter than it was"};
  piece.resize(static_cast<std::size_t>(count));
  return piece;
}

// The last descriptor of a removed file frees its space. That takes long if the file is large, so
// the thread of the disk does it.
std::shared_ptr<const UniqueFd> closed_by(const asio::any_io_executor& disk, UniqueFd file) {
  return {new const UniqueFd(std::move(file)), [disk](const UniqueFd* last) {
            asio::post(disk, [owned = std::unique_ptr<const UniqueFd>(last)] {});
          }};
}

}  // namespace

Download::Download(asio::any_io_executor io, asio::any_io_executor disk, UniqueFd file,
                   std::uint64_t bytes)
    : io_(std::move(io)),
      disk_(std::move(disk)),
      file_(closed_by(disk_, std::move(file))),
      bytes_(bytes) {}

void Download::next(std::function<void(Result<std::string>)> done) {
  const std::uint64_t most = std::min(kPieceBytes, bytes_ - at_);
  at_ += most;
  asio::post(disk_, [io = io_, file = file_, at = at_ - most, most, done = std::move(done)] {
    // A regular file gives less only at its end.
    auto piece = read_piece(file->get(), at, most);
    if (piece && piece->size() != most) piece = Error{ErrorKind::Io, "the file is shorter now"};
    asio::post(io, [done, piece = std::move(piece)]() mutable { done(std::move(piece)); });
  });
}

}  // namespace host::file
