// The yardstick on stdio: a loop of read, RapidJSON and write. All lines of one read are answered
// in one write.
#include <unistd.h>

#include <cstring>
#include <string>

#include "echo.h"

static bool write_all(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(1, text.data() + done, text.size() - done);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

int main() {
  std::string input;
  std::string output;
  static char bytes[256u << 10u];
  for (ssize_t count; (count = ::read(0, bytes, sizeof bytes)) > 0;) {
    const std::size_t scanned = input.size();
    input.append(bytes, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = input.find('\n', scanned); end != std::string::npos;
         end = input.find('\n', begin)) {
      const std::string answer = bench::echo(std::string_view(input).substr(begin, end - begin));
      if (!answer.empty()) output.append(answer).push_back('\n');
      begin = end + 1;
    }
    input.erase(0, begin);
    if (!write_all(output)) return 1;
    output.clear();
  }
}
