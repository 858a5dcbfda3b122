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
// The source places of a crash's frames, the innermost first. An inlined function precedes the
// function that contains it.
using Trace = std::vector<SourcePlace>;

// The request to find the source places of a crash. `frames` are virtual addresses in the library's
// ELF file. `profile` is the sandbox of the process that reads the debug information.
struct TraceRequest {
  std::filesystem::path worker;
  std::string library;
  std::vector<std::uint64_t> frames;
  sandbox::Profile profile;
};

// symbolize() calls `told` once, never before symbolize() returns, and after `patience` at the
// latest. `told` gets the places that were found within `patience`.
void symbolize(boost::asio::any_io_executor io, const TraceRequest& request,
               std::chrono::milliseconds patience, std::function<void(Trace)> told);

// Parses the text that the separate process wrote. The text is untrusted, so the function skips
// malformed parts.
Trace read_trace(std::string_view text);

// Returns the innermost place of the trace in the plugin's source, like "crash() at zoo.c:42". The
// function returns a place in a system header, or without a file, only if the trace has no other
// place. describe_own_place() writes the file's name without folders. The text is empty if no place
// is known.
std::string describe_own_place(const Trace& trace);
// Returns the whole trace on one line for the log, with the files' full paths.
std::string describe(const Trace& trace);

}  // namespace host::plugin
