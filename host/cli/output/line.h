// One line of output. MarkedStreams lets line feeds pass, because verbs print lines: text that a
// library, a client or a model wrote must not be able to add lines that look like ours. Whatever is
// put into a Line stays on it.
#pragma once

#include <ostream>
#include <sstream>

#include "cli/output/table.h"

namespace host::cli {

class Line {
 public:
  // Printed where it ends its life, with a line feed.
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
