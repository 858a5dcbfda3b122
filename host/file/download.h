// Sends a file piece by piece. A separate thread reads it. I/O thread only.
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
  // `disk` reads; `file` has `bytes` bytes.
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
