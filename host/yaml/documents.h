// A Documents object reads the YAML documents of a text as yaml-cpp's events. Only files in the
// folder host/yaml include this header.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <streambuf>
#include <string_view>

namespace host::yaml {

// Only one thread may use a Documents object. The caller owns the text, which must outlive the
// Documents object. The functions of Documents throw YAML::Exception if the text is not YAML, and
// pass on exceptions that a handler throws.
class Documents {
 public:
  explicit Documents(std::string_view text) : view_(text), in_(&view_), parser_(in_) {}

  // Parses the next YAML document and reports its parser events to `handler`. Returns false if the
  // text has no further document.
  bool read(YAML::EventHandler& handler) { return parser_.HandleNextDocument(handler); }

  // Returns true if no further document follows.
  bool at_end() const { return !parser_; }

 private:
  // A View is a stream over the text without a copy of the text.
  class View final : public std::streambuf {
   public:
    explicit View(std::string_view text) {
      char* begin = const_cast<char*>(text.data());  // the stream does not write to it
      setg(begin, begin, begin + text.size());
    }
  };

  View view_;
  std::istream in_;
  YAML::Parser parser_;
};

}  // namespace host::yaml
