// Finds the functions and source lines of a crash's frames. A separate process reads the debug
// information, because a plugin's debug information is as untrusted as its code. I/O thread only.
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
  std::string file;      // as it was compiled; may be empty
  unsigned line = 0;     // 0: unknown
};
// The places of a crash's frames, the innermost first. An inlined function precedes the function
// that contains it.
using Trace = std::vector<SourcePlace>;

// The request. `frames` are virtual addresses in the library's ELF file. `profile` is the sandbox
// of the process that reads the debug information.
struct TraceRequest {
  std::filesystem::path worker;
  std::string library;
  std::vector<std::uint64_t> frames;
  sandbox::Profile profile;
};

// `told` is called once, never before symbolize() returns, and after `patience` at the latest. It
// gets the places that were found by then, perhaps none.
void symbolize(boost::asio::any_io_executor io, const TraceRequest& request,
               std::chrono::milliseconds patience, std::function<void(Trace)> told);

// Parses the answer of the separate process. The answer is untrusted: malformed parts are skipped.
Trace read_trace(std::string_view text);

// Returns the innermost place in the plugin's own source (not in a system header), with the file's
// name without folders: "crash() at zoo.c:42". Empty if no place is known.
std::string describe_own_place(const Trace& trace);
// Returns the whole trace on one line, with the folders of files, for the log.
std::string describe(const Trace& trace);

}  // namespace host::plugin
