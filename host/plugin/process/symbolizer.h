// Which functions and lines the frames of a crash are. Asked of a process that lives for that
// alone, for the debug information of a plugin is as foreign as its code. I/O thread only.
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
// Innermost first, inlined functions before those that they are in.
using Trace = std::vector<SourcePlace>;

// What to ask and in which sandbox. Offsets are into the library, as its ELF file counts.
struct TraceRequest {
  std::filesystem::path worker;
  std::string library;
  std::vector<std::uint64_t> frames;
  sandbox::Profile profile;
};

// `told` comes once, never before this returns, and after `patience` at the latest: with what is
// known by then, perhaps nothing.
void symbolize(boost::asio::any_io_executor io, const TraceRequest& request,
               std::chrono::milliseconds patience, std::function<void(Trace)> told);

// What that process answers. Foreign: what does not fit is left out.
Trace read_trace(std::string_view text);

// The innermost place that is the plugin's own, not a system header's: "crash() at zoo.c:42", the
// file without its folders. Empty where nothing is known.
std::string describe_own_place(const Trace& trace);
// All of it on one line, with folders, for the log.
std::string describe(const Trace& trace);

}  // namespace host::plugin
