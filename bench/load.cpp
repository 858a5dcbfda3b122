// The load generator: MCP tools/call over HTTP (keep-alive) or over a child's stdio, one epoll
// loop, a fixed number of calls in flight. Every answer's id and text is checked; a wrong one ends
// the run. Prints one JSON line.
//
//   load http HOST:PORT SERVER_PID PATH CONNECTIONS TEXT_BYTES SECONDS ERA TOOL
//   load stdio IN_FLIGHT TEXT_BYTES SECONDS ERA TOOL -- COMMAND...
//
// ERA is `modern` (2026-07-28) or `legacy` (2025-11-25, with initialize and, over HTTP, its
// session). LOAD_KEY in the environment: an API key that each request over HTTP has.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "load: %s\n", why.c_str());
  std::exit(1);
}

struct Plan {
  bool modern = true;
  std::string tool;
  std::size_t text_bytes = 256;
  double seconds = 1;

  // Each call's text differs, so that an answer that went astray is seen.
  std::string text(long id) const {
    std::string text = "call " + std::to_string(id) + " ";
    static const std::string letters = [] {
      std::string all;
      while (all.size() < (1u << 20u)) all += "abcdefghijklmnopqrstuvwxyz";
      return all;
    }();
    if (text.size() < text_bytes) {
      const std::size_t first = (text.size() + static_cast<std::size_t>(id)) % 26;
      text.append(letters, first, text_bytes - text.size());
    }
    text.resize(std::max<std::size_t>(text_bytes, 16), ' ');
    return text;
  }
  std::string message(long id) const {
    std::string meta;
    if (modern) {
      meta =
          R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},)";
    }
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{)" + meta + R"("name":")" + tool +
           R"(","arguments":{"text":")" + text(id) + R"("}}})";
  }
  // The answer holds the id, the text and no error.
  void check(long id, std::string_view answer) const {
    const std::string with_id = R"("id":)" + std::to_string(id);
    const std::size_t at = answer.find(with_id);
    const bool id_ok = at != std::string_view::npos &&
                       !std::isdigit(static_cast<unsigned char>(
                           answer[std::min(at + with_id.size(), answer.size() - 1)]));
    const bool text_ok = answer.find("\"" + text(id) + "\"") != std::string_view::npos;
    if (!id_ok || !text_ok || answer.find(R"("isError":true)") != std::string_view::npos) {
      die("wrong answer to call " + std::to_string(id) + ": " + std::string(answer.substr(0, 600)));
    }
  }
};

// Processor time of the server and the processes that it started, in microseconds.
double cpu_us(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  double ticks = 0;
  if (std::FILE* file = std::fopen((folder + "/stat").c_str(), "r")) {
    char line[1024] = "";
    const std::size_t length = std::fread(line, 1, sizeof line - 1, file);
    std::fclose(file);
    line[length] = 0;
    unsigned long user = 0, system = 0;
    if (const char* name_end = std::strrchr(line, ')')) {
      std::sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                  &system);
    }
    ticks = static_cast<double>(user + system);
  }
  double all = ticks * 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  if (std::FILE* file =
          std::fopen((folder + "/task/" + std::to_string(pid) + "/children").c_str(), "r")) {
    for (int child = 0; std::fscanf(file, "%d", &child) == 1;) all += cpu_us(child);
    std::fclose(file);
  }
  return all;
}

class Tally {
 public:
  explicit Tally(pid_t server) : server_(server) {}

  void start(double seconds) {
    begin_ = Clock::now();
    warm_until_ =
        begin_ + std::chrono::duration_cast<Clock::duration>(duration<double>(seconds * 0.2));
    until_ = warm_until_ + std::chrono::duration_cast<Clock::duration>(duration<double>(seconds));
  }
  bool over() const { return Clock::now() >= until_; }
  void answered(Clock::time_point sent) {
    const auto now = Clock::now();
    ++all_;
    if (now < warm_until_) return;
    if (microseconds_.empty()) cpu_before_ = cpu_us(server_);
    microseconds_.push_back(duration<float, std::micro>(now - sent).count());
  }
  void print() {
    if (microseconds_.empty()) die("no answer within the time");
    const double seconds = duration<double>(Clock::now() - warm_until_).count();
    const double cpu = (cpu_us(server_) - cpu_before_) / static_cast<double>(microseconds_.size());
    std::sort(microseconds_.begin(), microseconds_.end());
    const auto at = [&](double part) {
      return microseconds_[static_cast<std::size_t>(part *
                                                    static_cast<double>(microseconds_.size() - 1))];
    };
    std::printf(R"({"per_second":%.1f,"p50_us":%.1f,"p99_us":%.1f,"cpu_us":%.2f,"answers":%ld})"
                "\n",
                static_cast<double>(microseconds_.size()) / seconds, at(0.5), at(0.99), cpu, all_);
  }

 private:
  pid_t server_;
  double cpu_before_ = 0;
  Clock::time_point begin_, warm_until_, until_;
  std::vector<float> microseconds_;
  long all_ = 0;
};

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count <= 0) die("the server does not take requests");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

// HTTP.

struct HttpLoad {
  Plan plan;
  std::string host, path, session, key;
  sockaddr_in address{};
  pid_t server = 0;

  struct Peer {
    int fd = -1;
    long id = 0;
    std::string in, out;
    Clock::time_point sent;
  };

  int open() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      die("cannot connect to " + host);
    return fd;
  }

  std::string request(const std::string& body) const {
    std::string head =
        "POST " + path + " HTTP/1.1\r\nHost: " + host +
        "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    if (plan.modern) {
      head +=
          "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " + plan.tool +
          "\r\n";
    } else {
      head += "MCP-Protocol-Version: 2025-11-25\r\n";
    }
    if (!key.empty()) head += "Authorization: Bearer " + key + "\r\n";
    if (!session.empty()) head += "Mcp-Session-Id: " + session + "\r\n";
    return head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  // One whole answer at the front of `in`: its length, and its body in `body`; 0 while it is not
  // whole.
  static std::size_t whole_answer(const std::string& in, std::string& head, std::string& body) {
    const std::size_t end = in.find("\r\n\r\n");
    if (end == std::string::npos) return 0;
    head = in.substr(0, end);
    std::string lower = head;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::size_t length_at = lower.find("content-length: ");
    if (length_at != std::string::npos) {
      const auto length = static_cast<std::size_t>(std::atoll(lower.c_str() + length_at + 16));
      if (in.size() < end + 4 + length) return 0;
      body.assign(in, end + 4, length);
      return end + 4 + length;
    }
    body.clear();
    if (lower.find("transfer-encoding: chunked") == std::string::npos) return end + 4;
    for (std::size_t at = end + 4;;) {
      const std::size_t line = in.find("\r\n", at);
      if (line == std::string::npos) return 0;
      const std::size_t size = std::strtoul(in.c_str() + at, nullptr, 16);
      if (in.size() < line + 2 + size + 2) return 0;
      if (size == 0) return line + 4;
      body.append(in, line + 2, size);
      at = line + 2 + size + 2;
    }
  }

  // Blocking: for what comes before the measured calls.
  std::string exchange(int fd, const std::string& body, std::string& head) const {
    write_all(fd, request(body));
    std::string in, answer;
    char bytes[65536];
    while (whole_answer(in, head, answer) == 0) {
      const ssize_t count = ::read(fd, bytes, sizeof bytes);
      if (count <= 0) die("the server closed the connection");
      in.append(bytes, static_cast<std::size_t>(count));
    }
    return answer;
  }

  void open_session() {
    if (plan.modern) return;
    const int fd = open();
    std::string head;
    exchange(
        fd,
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}})",
        head);
    for (const char* name : {"mcp-session-id: ", "Mcp-Session-Id: ", "MCP-Session-Id: "}) {
      const std::size_t at = head.find(name);
      if (at == std::string::npos) continue;
      const std::size_t begin = at + std::strlen(name);
      session = head.substr(begin, head.find('\r', begin) - begin);
    }
    exchange(fd, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", head);
    ::close(fd);
  }

  void run(int connections) {
    open_session();
    Tally tally(server);
    const int poller = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<Peer> peers(static_cast<std::size_t>(connections));
    long next_id = 1;
    const auto call = [&](Peer& peer) {
      peer.id = next_id++;
      peer.out = request(plan.message(peer.id));
      peer.sent = Clock::now();
      write_all(peer.fd, peer.out);
    };
    tally.start(plan.seconds);
    for (Peer& peer : peers) {
      peer.fd = open();
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = &peer;
      ::epoll_ctl(poller, EPOLL_CTL_ADD, peer.fd, &event);
      call(peer);
    }
    std::string head, body;
    std::vector<char> bytes(256u << 10u);
    epoll_event events[64];
    while (!tally.over()) {
      const int ready = ::epoll_wait(poller, events, 64, 5000);
      if (ready == 0) die("no answer for 5 seconds");
      for (int i = 0; i < ready; ++i) {
        Peer& peer = *static_cast<Peer*>(events[i].data.ptr);
        const ssize_t count = ::read(peer.fd, bytes.data(), bytes.size());
        if (count <= 0) die("the server closed the connection");
        peer.in.append(bytes.data(), static_cast<std::size_t>(count));
        const std::size_t length = whole_answer(peer.in, head, body);
        if (length == 0) continue;
        peer.in.erase(0, length);
        if (!peer.in.empty()) die("more than one answer to one call");
        tally.answered(peer.sent);
        plan.check(peer.id, body);
        call(peer);
      }
    }
    tally.print();
  }
};

// stdio.

struct StdioLoad {
  Plan plan;
  int to = -1, from = -1;
  pid_t child = -1;
  std::string in;

  void spawn(char** command) {
    int down[2], up[2];
    if (::pipe(down) != 0 || ::pipe(up) != 0) die("no pipes");
    for (const int end : {down[1], up[0]}) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    child = ::fork();
    if (child == 0) {
      ::dup2(down[0], 0);
      ::dup2(up[1], 1);
      ::close(down[0]);
      ::close(up[1]);
      ::execvp(command[0], command);
      std::_Exit(127);
    }
    ::close(down[0]);
    ::close(up[1]);
    to = down[1];
    from = up[0];
  }

  std::string read_line() {
    char bytes[65536];
    for (;;) {
      const std::size_t end = in.find('\n');
      if (end != std::string::npos) {
        std::string line = in.substr(0, end);
        in.erase(0, end + 1);
        return line;
      }
      const ssize_t count = ::read(from, bytes, sizeof bytes);
      if (count <= 0) die("the server ended");
      in.append(bytes, static_cast<std::size_t>(count));
    }
  }

  void open_session() {
    if (plan.modern) return;
    write_all(
        to,
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}})"
        "\n");
    read_line();
    write_all(to, R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                  "\n");
  }

  // Answers are taken while calls are written: neither side waits for the other for ever.
  void run(int in_flight) {
    open_session();
    ::fcntl(to, F_SETFL, O_NONBLOCK);
    Tally tally(child);
    std::unordered_map<long, Clock::time_point> sent;
    std::string out;
    long next_id = 1;
    const auto call = [&] {
      const long id = next_id++;
      out += plan.message(id);
      out.push_back('\n');
      sent[id] = Clock::now();
    };
    const int poller = ::epoll_create1(EPOLL_CLOEXEC);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = from;
    ::epoll_ctl(poller, EPOLL_CTL_ADD, from, &event);
    event.events = EPOLLOUT;
    event.data.fd = to;
    bool waits_to_write = false;
    const auto flush = [&] {
      while (!out.empty()) {
        const ssize_t count = ::write(to, out.data(), out.size());
        if (count < 0 && errno == EAGAIN) break;
        if (count <= 0) die("the server does not take requests");
        out.erase(0, static_cast<std::size_t>(count));
      }
      if (waits_to_write == !out.empty()) return;
      waits_to_write = !out.empty();
      ::epoll_ctl(poller, waits_to_write ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, to, &event);
    };
    tally.start(plan.seconds);
    for (int i = 0; i < in_flight; ++i) call();
    flush();
    std::vector<char> bytes(256u << 10u);
    while (!tally.over()) {
      epoll_event events[2];
      const int ready = ::epoll_wait(poller, events, 2, 5000);
      if (ready == 0) die("no answer for 5 seconds");
      for (int i = 0; i < ready; ++i) {
        if (events[i].data.fd != from) continue;
        const ssize_t count = ::read(from, bytes.data(), bytes.size());
        if (count <= 0) die("the server ended");
        const std::size_t scanned = in.size();
        in.append(bytes.data(), static_cast<std::size_t>(count));
        std::size_t begin = 0;
        for (std::size_t end = in.find('\n', scanned); end != std::string::npos;
             end = in.find('\n', begin)) {
          const std::string_view line = std::string_view(in).substr(begin, end - begin);
          begin = end + 1;
          // The server may print members in any order; the text says which call it answers.
          const std::size_t at = line.find("\"call ");
          const long id = at == std::string_view::npos ? 0 : std::atol(line.data() + at + 6);
          const auto found = sent.find(id);
          if (found == sent.end()) die("an answer to no call: " + std::string(line.substr(0, 600)));
          tally.answered(found->second);
          sent.erase(found);
          plan.check(id, line);
          call();
        }
        in.erase(0, begin);
      }
      flush();
    }
    tally.print();
  }
};

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "http" && argc == 10) {
    HttpLoad load;
    load.host = argv[2];
    load.server = std::atoi(argv[3]);
    load.path = argv[4];
    load.plan = {std::string(argv[8]) == "modern", argv[9], std::strtoul(argv[6], nullptr, 10),
                 std::atof(argv[7])};
    load.address.sin_family = AF_INET;
    load.address.sin_port =
        htons(static_cast<std::uint16_t>(std::atoi(load.host.c_str() + load.host.find(':') + 1)));
    load.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (const char* key = std::getenv("LOAD_KEY")) load.key = key;
    load.run(std::atoi(argv[5]));
    return 0;
  }
  if (mode == "stdio" && argc > 8 && std::string(argv[7]) == "--") {
    StdioLoad load;
    load.plan = {std::string(argv[5]) == "modern", argv[6], std::strtoul(argv[3], nullptr, 10),
                 std::atof(argv[4])};
    load.spawn(argv + 8);
    load.run(std::atoi(argv[2]));
    ::close(load.to);
    ::close(load.from);  // answers are left in it: nobody is to wait for their reader
    ::kill(load.child, SIGTERM);
    ::waitpid(load.child, nullptr, 0);
    return 0;
  }
  die("usage: load http HOST:PORT SERVER_PID PATH CONNECTIONS TEXT_BYTES SECONDS ERA TOOL, or load "
      "stdio IN_FLIGHT TEXT_BYTES SECONDS ERA TOOL -- COMMAND");
}
