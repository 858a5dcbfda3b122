// The host's side of a worker's socket. The WorkerLink reads complete frames, and writes once in
// each iteration of the event loop. The functions of this header are called on the I/O thread. The
// running operations of a link keep a shared_ptr to the link.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "plugin/wire/frame.h"

namespace host::plugin {

class WorkerLink : public std::enable_shared_from_this<WorkerLink> {
 public:
  using Heard = std::function<Result<void>(const Frame&)>;
  // The link calls this function when reading has ended: the worker closed its side (`why` is
  // empty), or sent malformed frames.
  using Broken = std::function<void(const std::string& why)>;

  WorkerLink(boost::asio::any_io_executor io, Heard heard, Broken broken);

  void open(UniqueFd socket);
  // Closes the socket. After close(), the function given to read_last() is never called.
  void close();
  // Reads the frames that the worker sent before it closed its end of the socket, and then calls
  // `heard_all`. After `heard_all`, the WorkerLink reads no further frames. read_last() reads at
  // most about 1 MiB, because a child process of the worker can write to the socket forever.
  void read_last(std::function<void()> heard_all);

  std::string& out() { return out_; }  // first append frames, then call send()
  // Returns the number of bytes that have not yet been passed to the worker's socket.
  std::size_t unread() const { return out_.size() + on_way_.size(); }
  void send();  // sends the frames in out(), later in this iteration of the event loop
  void send_now() { flush(); }  // tries to send the frames in out() immediately
  // Sends `file` together with the frame that begins at out()[frame], which has the flag kWithFile.
  // The file is closed when the worker has received the file or has ended.
  void attach(std::size_t frame, std::shared_ptr<UniqueFd> file);
  // Returns the number of files that have not yet been passed to the worker's socket.
  std::size_t unsent_files() const { return files_.size() + files_on_way_.size(); }
  SteadyTime heard_at() const { return heard_at_; }
  // Frees the memory of send buffers that are empty and have more than 64 KiB. trim() does not free
  // the read buffer: FrameReader::prepare() frees that buffer if it is empty and large.
  void trim();

 private:
  void read();
  void drain(bool more);
  Result<void> handle_frames();
  void flush();
  void begin_on_way();
  void write_on_way();
  bool write_file_on_way();
  void write_rest();

  struct File {
    std::size_t frame = 0;  // offset of the file's frame in out_ or on_way_
    std::shared_ptr<UniqueFd> file;
  };

  boost::asio::any_io_executor io_;
  boost::asio::local::stream_protocol::socket socket_;
  Heard heard_;
  Broken broken_;
  FrameReader reader_;
  std::string out_;                // to be sent
  std::string on_way_;             // being sent
  std::size_t sent_ = 0;           // number of bytes of on_way_ that are sent
  std::deque<File> files_;         // files that belong to frames in out_
  std::deque<File> files_on_way_;  // files that belong to frames in on_way_
  bool flush_posted_ = false;
  bool writing_ = false;
  bool open_ = false;
  bool reading_ = false;
  std::function<void()> heard_all_;  // null: the link continues to read
  SteadyTime heard_at_{};
};

}  // namespace host::plugin
