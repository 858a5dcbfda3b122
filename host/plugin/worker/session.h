// The main loop of a worker process. The main loop receives the worker's configuration, loads the
// library, and serves calls until the host ends or requests the worker's end. One thread of the
// worker reads from the socket. If a plugin's calls can wait, they run on separate threads.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/unique_fd.h"
#include "plugin/instance/instance.h"
#include "plugin/instance/library.h"
#include "plugin/wire/frame.h"
#include "plugin/wire/payload_slots.h"
#include "plugin/wire/state_frames.h"
#include "plugin/wire/worker_messages.h"
#include "plugin/worker/call_threads.h"
#include "plugin/worker/channel.h"

namespace host::plugin::worker {

class Session {
 public:
  // The constructor closes `payloads` when it has mapped the file, so that plugin code cannot use
  // the descriptor.
  Session(int socket, int payloads);

  // Runs the main loop to its end, and returns the process's exit code.
  int run();

 private:
  enum class Next { GoOn, Stop };

  bool read_more();  // false: the host has ended
  Result<void> load(const WorkerConfig& config);
  Result<void> create();
  void save_state();
  Result<void> take_state(const Frame& frame);
  void pong();
  int refuse(const Error& why);
  Next handle_buffered();
  Next handle(const Frame& frame);
  void start_call(const Frame& frame);
  std::optional<std::string> arguments_of(const CallMessage& message);
  void cancel_call(std::uint64_t id);
  void take_answer(const Frame& frame);
  void take_file(std::uint16_t flags, HostAnswer& answer);
  void quiesce(const Frame& frame);
  void forget(std::uint64_t id);

  Channel channel_;
  PayloadSlots slots_{PayloadSlots::End::Worker};
  FrameReader reader_;
  std::deque<UniqueFd> files_;  // files of frames that are not handled yet
  WorkerConfig config_;
  StateReader state_reader_;
  std::optional<SavedState> state_;  // the previous build's state, until restore()
  std::optional<Library> library_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<CallThreads> threads_;
  std::mutex calls_mutex_;  // guards calls_
  std::map<std::uint64_t, tp_call*> calls_;
};

}  // namespace host::plugin::worker
