#include "support/session_host.h"

namespace host::test {

SessionHost::SessionHost(std::function<void(config::Config&)> change, skill::Catalog* served)
    : skills(served ? *served : no_skills) {
  add_common(tools);
  config.server.name = "h";
  config.server.title = "";
  if (change) change(config);
}

SessionHost::~SessionHost() = default;

mcp::Methods& SessionHost::methods() {
  if (!methods_) {
    methods_ = std::make_unique<mcp::Methods>(mcp::Services{
        tools, offers,
        [this](const tool::Peer&) {
          return std::shared_ptr<skill::Catalog>(std::shared_ptr<void>(), &skills);
        },
        tasks, config, loop.io.get_executor(), clock,
        [this](const tool::Peer&) { return instructions; }, "1",
        [this](std::string_view limit) { refusals.emplace_back(limit); }, question_lifetime});
  }
  return *methods_;
}

void SessionHost::tell(const tool::Changes& changes) {
  methods().announcer().changed(changes);
  loop.turn();
}

void SessionHost::tell_updated(const std::string& uri) {
  methods().announcer().updated(uri);
  loop.turn();
}

LinePeer::LinePeer(SessionHost& served)
    : host(served),
      session(mcp::StdioSession::create(served.methods(), connection, [this] { over = true; })) {}

LinePeer::~LinePeer() = default;

std::vector<std::string> LinePeer::say(std::string_view line) {
  session->on_line(line);
  host.loop.turn();
  return connection.take();
}

std::string LinePeer::say_one(std::string_view line) {
  const auto lines = say(line);
  return lines.size() == 1 ? lines.front() : "(" + std::to_string(lines.size()) + " lines)";
}

HttpPeer::HttpPeer(SessionHost& served)
    : host(served), endpoint(served.methods(), [](const transport::HttpRequest& http) {
        const auto who = http.header("x-test-principal");
        const auto agent = mcp::agent_in_path(http.path());
        return tool::Peer{who.data() ? std::string(who) : std::string("local"),
                          std::string(agent.value_or(""))};
      }) {}

HttpPeer::~HttpPeer() = default;

std::shared_ptr<FakeExchange> HttpPeer::send(std::string verb, std::string body, Fields fields) {
  auto exchange = std::make_shared<FakeExchange>();
  exchange->verb = std::move(verb);
  exchange->text = std::move(body);
  exchange->takes = takes;
  exchange->fields = {{"content-type", "application/json"},
                      {"accept", "application/json, text/event-stream"}};
  for (auto& [name, value] : fields) {
    if (value == "-")
      exchange->fields.erase(name);
    else
      exchange->fields[name] = value;
  }
  boost::asio::co_spawn(host.loop.io, endpoint.handle(*exchange),
                        [exchange](std::exception_ptr fault) {
                          if (fault) std::rethrow_exception(fault);
                        });
  host.loop.turn();
  return exchange;
}

HttpPeer::Fields HttpPeer::open(std::string version, std::string capabilities) {
  const auto hello = post(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + version +
      R"(","capabilities":)" + capabilities + R"(,"clientInfo":{"name":"c","version":"1"}}})");
  return {{"mcp-session-id", hello->answer_header("Mcp-Session-Id")},
          {"mcp-protocol-version", version}};
}

std::string call_text(std::string_view id, std::string_view tool, std::string_view arguments,
                      std::string_view more) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"tools/call","params":{"name":")" + std::string(tool) + R"(","arguments":)" +
         std::string(arguments) + std::string(more) + "}}";
}

std::string modern_meta(std::string_view capabilities, std::string_view more,
                        std::string_view version) {
  return R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":")" + std::string(version) +
         R"(","io.modelcontextprotocol/clientCapabilities":)" + std::string(capabilities) +
         std::string(more) + "}";
}

}  // namespace host::test
