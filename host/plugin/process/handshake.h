// The handshake is the exchange of frames when a worker starts. The worker reports its version and
// sandbox, loads the library and sends the schema of its settings. If the settings are valid, the
// worker makes an instance and sends the library's description. If the library or the settings are
// not valid, the worker sends the reason for its refusal. The functions of this header are called
// on the I/O thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plugin/wire/frame.h"
#include "plugin/wire/output_log.h"
#include "plugin/wire/saved_state.h"
#include "sandbox/apply.h"

namespace host::plugin {

class Handshake {
 public:
  using Outcome = Result<std::string>;  // the manifest, or why the worker did not start
  using Told = std::function<void(Outcome)>;

  // `settings` is the text of a JSON object. `state` is the previous build's state, or null if
  // there is no state. `plugin` and `executable` are used only in error messages.
  Handshake(std::string plugin, std::string executable, std::string settings,
            std::shared_ptr<const SavedState> state)
      : plugin_(std::move(plugin)),
        executable_(std::move(executable)),
        settings_(std::move(settings)),
        state_(std::move(state)) {}

  void on_outcome(Told told) { told_ = std::move(told); }
  // Handles a frame of the type Hello, Sandboxed, Loaded, Manifest or Refused. hear() appends its
  // answers to `out`. `output` has the lines that the worker wrote. If the library could not be
  // loaded, the outcome contains the last lines that the worker wrote. After an Error, the caller
  // must end the worker.
  Result<void> hear(const Frame& frame, std::string& out, const OutputLog& output);
  const sandbox::Applied& sandbox() const { return sandbox_; }
  // Reports the outcome of the handshake, unless an outcome was already reported.
  void settle(Outcome outcome);

 private:
  void hear_refusal(std::string_view body, const OutputLog& output);
  Result<void> hear_hello(std::string_view body);
  Result<void> hear_sandboxed(std::string_view body);
  Result<void> hear_loaded(std::string_view config_schema, std::string& out);

  const std::string plugin_;
  const std::string executable_;
  const std::string settings_;
  std::shared_ptr<const SavedState> state_;
  sandbox::Applied sandbox_;
  bool loaded_ = false;
  Told told_;
};

}  // namespace host::plugin
