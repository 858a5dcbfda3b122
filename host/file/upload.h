// An Upload receives the body of one PUT piece by piece. A separate thread writes the pieces to the
// disk. The functions of this header are called on the I/O thread. If the Upload is destroyed
// before finish(), the file is removed.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "file/folder.h"
#include "file/signed_url.h"
#include "store/part/file_store.h"
#include "transport/http/http.h"

namespace host::file {

class Upload final : public transport::BodySink, public std::enable_shared_from_this<Upload> {
 public:
  struct Parts {
    boost::asio::any_io_executor io;
    boost::asio::any_io_executor disk;
    std::shared_ptr<Folder> folder;
    std::chrono::milliseconds timeout;
    // Returns the refusal of the upload, or nullopt if there is room for the upload.
    std::function<boost::asio::awaitable<std::optional<transport::HttpRefusal>>()> refusal;
    // Adds the file's row to the store. Returns nullopt if a file with this id exists.
    std::function<boost::asio::awaitable<Result<std::optional<store::FileRecord>>>(const Part&)>
        add;
    std::function<void()> ended;  // called once, at the end
  };
  Upload(Parts parts, std::string id, std::string sha256);
  ~Upload() override;

  std::chrono::milliseconds timeout() const override { return parts_.timeout; }
  void take(std::string piece, Done done) override;
  // Writes a piece of data that the host has made.
  boost::asio::awaitable<std::optional<transport::HttpRefusal>> write(std::string piece);

  // Call finish() when the body is complete. When the function returns a FileRecord, the file is on
  // the disk and the store contains the file's row. If finish() returns no FileRecord, the Upload
  // removes the file.
  using Finished = std::variant<store::FileRecord, transport::HttpRefusal, Error>;
  boost::asio::awaitable<Finished> finish();

 private:
  boost::asio::awaitable<std::optional<transport::HttpRefusal>> begin();
  boost::asio::awaitable<Result<std::optional<store::FileRecord>>> store_it();

  const Parts parts_;
  const std::string id_;
  const std::string sha256_;    // the digest that the file must have, in hex; empty: any
  std::shared_ptr<Part> part_;  // null: the upload has not begun
};

}  // namespace host::file
