// All output of the command line passes through MarkedStreams, which marks hidden characters.
// Without the marks, untrusted text in the output could control the terminal or look like different
// text.
#pragma once

#include <iosfwd>
#include <memory>

#include "base/text/visible.h"

namespace host::cli {

class MarkedBuffer;

// While a MarkedStreams exists, std::cout and std::cerr mark hidden characters. MarkedStreams does
// not change line feeds and tabs. Any thread can write to std::cout and std::cerr.
class MarkedStreams {
 public:
  MarkedStreams();
  ~MarkedStreams();
  MarkedStreams(const MarkedStreams&) = delete;
  MarkedStreams& operator=(const MarkedStreams&) = delete;

  // Sets the form in which standard output marks hidden characters. The default is the form
  // Marking::Text. Standard error always marks hidden characters in the form for text.
  void set_output(Marking marking);

 private:
  std::unique_ptr<MarkedBuffer> output_;
  std::unique_ptr<MarkedBuffer> errors_;
};

}  // namespace host::cli
