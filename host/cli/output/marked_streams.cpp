#include "cli/output/marked_streams.h"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <string>

#include "cli/output/standard_streams.h"

namespace host::cli {

// Hands on at once what is whole, so that nothing is lost where the process ends; the begin of a
// character waits for its rest.
class MarkedBuffer : public std::streambuf {
 public:
  explicit MarkedBuffer(std::ostream& stream) : stream_(stream), behind_(stream.rdbuf(this)) {}

  ~MarkedBuffer() override {
    if (!begun_.empty()) hand_on(begun_);
    stream_.rdbuf(behind_);
  }

  void set(Marking marking) { marking_ = marking; }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    const std::lock_guard lock(mutex_);
    begun_.append(text, static_cast<std::size_t>(count));
    const std::string all = std::move(begun_);
    const std::size_t whole = all.size() - unfinished_bytes(all);
    begun_ = all.substr(whole);
    return hand_on(std::string_view(all).substr(0, whole)) ? count : 0;
  }

  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }

  int sync() override {
    const std::lock_guard lock(mutex_);
    const int result = behind_->pubsync();
    note_error();
    return result;
  }

 private:
  bool hand_on(std::string_view text) {
    const std::string shown = marked(text, marking_);
    const auto size = static_cast<std::streamsize>(shown.size());
    const bool is_written = behind_->sputn(shown.data(), size) == size;
    note_error();
    return is_written;
  }

  // fwrite() can succeed although it could not write what was in its buffer.
  void note_error() const {
    if (&stream_ == &std::cout && std::ferror(stdout) != 0) note_write_error(errno);
  }

  std::ostream& stream_;
  std::streambuf* const behind_;
  Marking marking_ = Marking::Text;
  std::mutex mutex_;  // of the following
  std::string begun_;
};

MarkedStreams::MarkedStreams()
    : output_(std::make_unique<MarkedBuffer>(std::cout)),
      errors_(std::make_unique<MarkedBuffer>(std::cerr)) {}

MarkedStreams::~MarkedStreams() = default;

void MarkedStreams::set_output(Marking marking) {
  output_->set(marking);
}

}  // namespace host::cli
