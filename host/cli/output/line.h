// A Line prints one line of output. MarkedStreams does not mark line feeds, because commands print
// lines. A Line replaces the line breaks in untrusted text, so that the text cannot add lines that
// look like output of the host.
#pragma once

#include <ostream>
#include <sstream>

#include "cli/output/table.h"

namespace host::cli {

class Line {
 public:
  // The destructor of a Line prints the line with a line feed.
  explicit Line(std::ostream& out) : out_(out) {}
  ~Line() { out_ << one_line(text_.str()) << '\n'; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  template <class Value>
  Line& operator<<(const Value& value) {
    text_ << value;
    return *this;
  }

 private:
  std::ostream& out_;
  std::ostringstream text_;
};

}  // namespace host::cli
