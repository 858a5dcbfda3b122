// Shell commands by chance: the programs that are judged to read, their options, others' options,
// and whatever has fooled readers of commands before.
#pragma once

#include <random>
#include <string>
#include <string_view>

class Grammar {
 public:
  explicit Grammar(std::uint64_t seed) : random_(seed) {}

  std::string command();

 private:
  std::string segment();
  std::string walk();
  std::string continued(std::string text);
  std::string program();
  std::string word(std::string_view program);
  std::string option(std::string_view program);
  std::string operand();
  std::string redirect();
  std::string spoiled(std::string word);

  bool happens(int in) { return below(static_cast<std::size_t>(in)) == 0; }
  std::size_t below(std::size_t end) { return random_() % end; }
  template <class List>
  std::string one_of(const List& list) {
    return std::string(*(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list)))));
  }

  std::mt19937_64 random_;
};
