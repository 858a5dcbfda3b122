// All output of the command line passes through here. So untrusted text in it can neither control
// the terminal nor look like different text, and the commands need no code for that.
#pragma once

#include <iosfwd>
#include <memory>

#include "base/text/visible.h"

namespace host::cli {

class MarkedBuffer;

// From construction to destruction std::cout and std::cerr mark hidden characters. Line feeds and
// tabs stay. Any thread may write meanwhile.
class MarkedStreams {
 public:
  MarkedStreams();
  ~MarkedStreams();
  MarkedStreams(const MarkedStreams&) = delete;
  MarkedStreams& operator=(const MarkedStreams&) = delete;

  // Sets the marking of standard output from now on. The default is text. Standard error is always
  // text.
  void set_output(Marking marking);

 private:
  std::unique_ptr<MarkedBuffer> output_;
  std::unique_ptr<MarkedBuffer> errors_;
};

}  // namespace host::cli
