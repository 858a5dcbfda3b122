// load LIBRARY TOOL ARGS EXPECTED: loads a plugin, calls one tool, compares its answer.
#include <exception>
#include <iostream>

#include <toolpost/testing.hpp>

int main(int argc, char** argv) try {
  if (argc != 5) return 2;
  toolpost::testing::Plugin plugin(argv[1]);
  const std::string answer = plugin.answer(argv[2], argv[3]);
  if (answer == argv[4]) return 0;
  std::cerr << "expected " << argv[4] << "\ngot      " << answer << "\n";
  return 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
