// What a command writes, of which the head and the tail are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

class Output {
 public:
  explicit Output(std::size_t most) : most_(most) {}

  void add(std::string_view bytes);

  bool empty() const { return total_ == 0; }
  bool full() const { return total_ > most_; }  // something is left out

  // As text; where something is left out, a line in the middle says how much.
  std::string text() const;

 private:
  const std::size_t most_;
  std::string head_;
  std::string tail_;  // of late; at most twice what is kept of it
  std::uint64_t total_ = 0;
};
