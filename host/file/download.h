// Sends a file to a client piece by piece. The functions of this header are called on the I/O
// thread. A Download reads its file on a separate thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "transport/http/http.h"

namespace host::file {

class Download final : public transport::BodySource {
 public:
  // `disk` is the executor of the thread that reads `file`. `bytes` is the size of `file`.
  Download(boost::asio::any_io_executor io, boost::asio::any_io_executor disk, UniqueFd file,
           std::uint64_t bytes);

  std::uint64_t bytes() const override { return bytes_; }
  void next(std::function<void(Result<std::string>)> done) override;

 private:
  const boost::asio::any_io_executor io_;
  const boost::asio::any_io_executor disk_;
  const std::shared_ptr<const UniqueFd> file_;
  const std::uint64_t bytes_;
  std::uint64_t at_ = 0;
};

}  // namespace host::file
