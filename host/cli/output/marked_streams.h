// Everything that the command line prints passes through here: whatever is foreign in it can
// neither steer the terminal nor look like something else, and no verb has to think of that.
#pragma once

#include <iosfwd>
#include <memory>

#include "base/visible.h"

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

  // What standard output is from now on; text at first, as standard error always is.
  void set_output(Marking marking);

 private:
  std::unique_ptr<MarkedBuffer> output_;
  std::unique_ptr<MarkedBuffer> errors_;
};

}  // namespace host::cli
