// All output of the command line passes through MarkedStreams, which marks hidden characters. So
// untrusted text in the output can neither control the terminal nor look like different text, and
// the commands need no code for that.
#pragma once

#include <iosfwd>
#include <memory>

#include "base/text/visible.h"

namespace host::cli {

class MarkedBuffer;

// While a MarkedStreams exists, std::cout and std::cerr mark hidden characters. Line feeds and tabs
// are not changed. Any thread may write.
class MarkedStreams {
 public:
  MarkedStreams();
  ~MarkedStreams();
  MarkedStreams(const MarkedStreams&) = delete;
  MarkedStreams& operator=(const MarkedStreams&) = delete;

  // Sets the form in which hidden characters of standard output are marked. The default is for
  // text. Standard error is always marked as text.
  void set_output(Marking marking);

 private:
  std::unique_ptr<MarkedBuffer> output_;
  std::unique_ptr<MarkedBuffer> errors_;
};

}  // namespace host::cli
