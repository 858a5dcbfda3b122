// Finds the functions and source lines of a crash's frames. A separate process reads the plugin's
// debug information, because this information is as untrusted as the plugin's code. The functions
// of this header are called on the I/O thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/profile.h"

namespace host::plugin {

struct SourcePlace {
  std::string function;  // may be empty
  std::string file;      // source path at compile time; may be empty
  unsigned line = 0;     // 0: unknown
};
// The functions that were running when a plugin crashed, with file and line. The innermost function
// is first. An inlined function precedes the function that contains it.
using Trace = std::vector<SourcePlace>;

// The request to find the source places of a crash. `frames` are virtual addresses in the library's
// ELF file. `profile` is the sandbox of the process that reads the debug information.
struct TraceRequest {
  std::filesystem::path worker;
  std::string library;
  std::vector<std::uint64_t> frames;
  sandbox::Profile profile;
};

// Calls `told` once, with the source places that symbolize() found within the time `patience`.
// symbolize() never calls `told` before symbolize() returns.
void symbolize(boost::asio::any_io_executor io, const TraceRequest& request,
               std::chrono::milliseconds patience, std::function<void(Trace)> told);

// Parses the output of `toolpost-worker --symbolize`. The output is untrusted, so read_trace()
// skips malformed parts.
Trace read_trace(std::string_view text);

// Returns the innermost place of the trace in the plugin's source, like "crash() at zoo.c:42",
// without the file's folders. A place in a system header, or a place whose file is unknown, is
// returned only if the trace has no other place. Returns an empty text for an empty trace.
std::string describe_own_place(const Trace& trace);
// Returns the whole trace on one line for the log, with the files' full paths.
std::string describe(const Trace& trace);

}  // namespace host::plugin
